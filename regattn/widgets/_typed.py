"""A text that a reader types."""

from __future__ import annotations

from typing import Any

from regattn._text import check_text
from regattn.widgets._controls import Control

__all__ = ["MOST", "Typed"]

MOST = 400  # of a text that is typed


class Typed(Control):
    """A text of at most 400 characters."""

    kind = "text"

    def validate(self, obj: Any, value: Any) -> str:
        """Return ``value`` or raise a ValueError that names it."""
        if len(check_text(value, self.name)) > MOST:
            raise ValueError(f"{self.name} must have at most {MOST} characters, got {len(value)}")
        return value

    def _more(self, explorer: Any) -> dict[str, Any]:
        return {"most": MOST}
