"""Two kinds of control that only the BlockExplorer has."""

from __future__ import annotations

import re
from typing import Any

from regattn._validation import check_real
from regattn.widgets._kit import Control, Count

__all__ = ["Nudges", "OneOf"]

MOST = 6.0


class OneOf(Count):
    """One of a few whole numbers."""

    def validate(self, obj: Any, value: Any) -> int:
        """Return ``value`` as an int or raise a ValueError that names it."""
        value, allowed = super().validate(obj, value), self.stops(obj)
        if value not in allowed:
            raise ValueError(f"{self.name} must be one of {', '.join(map(str, allowed))}, got {value}")
        return value


class Nudges(Control):
    """What is added to single scores: a mapping of "head asks found" to a number."""

    kind = "nudges"

    def validate(self, obj: Any, value: Any) -> dict[str, float]:
        """Return ``value`` or raise a ValueError that names what is wrong with it."""
        checked = {}
        for place, by in dict(value).items():
            numbers = re.fullmatch("([1-4]) ([1-8]) ([1-8])", str(place))
            if not numbers or numbers[3] > numbers[2]:
                raise ValueError(
                    f"{self.name} must name a head, a word and one no later, such as '1 5 2', got {place!r}"
                )
            checked[place] = check_real(by, f"{self.name} at {place}", least=-MOST, most=MOST)
        return checked

    def default(self, obj: Any = None) -> dict[str, float]:
        """Return none."""
        return {}

    def _more(self, explorer: Any) -> dict[str, Any]:
        return {"most": MOST}

    def _words(self) -> str:
        return "mapping of str to float"
