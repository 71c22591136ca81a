"""Controls, each declared once: a trait that checks itself, a line of documentation, an input in the browser."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from numbers import Integral, Number
from typing import Any

import traitlets

from regattn._text import check_text
from regattn._validation import check_count, check_real

__all__ = ["Choice", "Control", "Count", "PastedText", "Seed", "Slider", "Tick", "TypedText"]

LONGEST_TEXT = 400  # characters of a text that is typed
LONGEST_PASTED = 20_000
Bound = float | Callable[[Any], float]


def _at(value: Any, explorer: Any) -> Any:
    """Return what ``value`` is for this explorer: itself, or its answer if it is a function."""
    return value(explorer) if callable(value) else value


class Control(traitlets.TraitType):
    """What a reader may move: a trait of an explorer, live both ways, with its text.

    Parameters
    ----------
    label : str or function of the explorer
        What stands beside the input.
    default : object or function of the explorer, optional
        The value at the start.
    help : str
        A sentence about it, for the documentation and, as a tip, for the reader.
    wide : bool, default False
        Whether it takes the whole row.
    used : mapping of another control to a sequence of its values, list of mappings, or function, optional
        Where this control matters: where all of one mapping holds. Elsewhere it says "(not in use)" and why, and is
        off unless a move of it sets them.
    sets : mapping of control to value, optional
        What a move of this one sets besides.
    first : bool, default False
        Whether it stands above the pictures; an explorer declares one or two. The others stand in "More".
    waits : bool, default False
        Whether only what plays shows it: at the start of a run it says so.
    """

    kind = ""

    def __init__(  # noqa: PLR0913
        self,
        label: str | Callable[[Any], str],
        *,
        default: Any = None,
        help: str = "",
        wide: bool = False,
        used: Any = None,
        sets: Mapping[str, Any] | None = None,
        first: bool = False,
        waits: bool = False,
    ) -> None:
        super().__init__(default, help=help)
        self.label, self.wide, self.used, self.sets = label, wide, used, sets
        self.first, self.waits = first, waits
        self.tag(sync=True)

    def default(self, obj: Any = None) -> Any:
        """Return the value at the start."""
        return _at(self.default_value, obj)

    def spec(self, explorer: Any) -> dict[str, Any]:
        """Return what the browser needs to build the input; what is empty is left out."""
        used = _at(self.used, explorer)
        found = {"kind": self.kind, "name": self.name, "label": _at(self.label, explorer), "help": self.help}
        found |= {"wide": self.wide, "first": self.first, "waits": self.waits}
        found |= {"used": [used] if isinstance(used, Mapping) else used, "sets": self.sets}
        found |= self._more(explorer)
        return {key: value for key, value in found.items() if value is not None and value is not False and value != ""}

    def annotation(self) -> str:
        """Return the type of its values, as the signature of its explorer has it."""
        return self.validate.__annotations__["return"]

    def documentation(self, name: str) -> str:
        """Return the control's entry in the docstring of its explorer, where it is called ``name``."""
        given = isinstance(self.default_value, str | int | float)
        default = f", default {self.default_value!r}" if given else ""
        label = self.label if isinstance(self.label, str) else name
        return f"{name} : {self._words()}{default}\n    {self.help or f'{label}.'}\n"

    def _words(self) -> str:
        return self.kind

    def _more(self, explorer: Any) -> dict[str, Any]:
        return {}


class Slider(Control):
    """A finite number from ``least`` to ``most``, both of which may be functions of the explorer.

    Parameters
    ----------
    label, default, help, wide, used, sets, first, waits
        As in :class:`Control`.
    least, most : float or function
        What is accepted.
    shown : pair of float, or function
        The ends of the slider, where they are not ``least`` and ``most``.
    log : bool, default False
        Equal ratios; if ``least`` is 0, the left end is exactly 0.
    step : float or function, optional
        Of a slider that is not logarithmic; by default a two-hundredth of the range.
    places : int, optional
        Steps of a logarithmic slider; by default 40 to the factor of ten.
    units : str, default ""
        Written after the number.
    digits, decimals : int
        How the number is written: significant digits (3 by default), or decimals.
    notes : mapping of value to str, or function
        Words in brackets after some values; those of None stand after all others.
    """

    kind = "slider"

    def __init__(  # noqa: PLR0913
        self,
        label: str | Callable[[Any], str],
        least: Bound = -math.inf,
        most: Bound = math.inf,
        *,
        shown: Any = None,
        log: bool = False,
        step: Bound | None = None,
        places: int | None = None,
        units: str = "",
        digits: int = 3,
        decimals: int | None = None,
        notes: Any = None,
        **more: Any,
    ) -> None:
        super().__init__(label, **more)
        self.least, self.most, self.shown, self.log = least, most, shown, log
        self.step, self.places, self.notes = step, places, notes
        self.format = {"units": units, "digits": digits, "decimals": decimals}

    def validate(self, obj: Any, value: Any) -> float:
        """Return ``value`` as a float or raise a ValueError that names it."""
        return check_real(value, self.name, least=_at(self.least, obj), most=_at(self.most, obj))

    def _more(self, explorer: Any) -> dict[str, Any]:
        least, most = _at(self.least, explorer), _at(self.most, explorer)
        low, high = _at(self.shown, explorer) or (least, most)
        found = {"min": low, "max": high, "log": self.log, "zero": self.log and least == 0, **self.format}
        if self.log:
            found["places"] = self.places or max(1, 40 * round(math.log10(high / low)))
        else:
            found["step"] = _at(self.step, explorer) or (high - low) / 200
        return found | _notes(self.notes, explorer)

    def _words(self) -> str:
        ends = [f"{end:g}" if not callable(end) and math.isfinite(end) else "" for end in (self.least, self.most)]
        words = {(True, True): f" from {ends[0]} to {ends[1]}", (True, False): f" ≥ {ends[0]}"}
        return "float" + words.get((bool(ends[0]), bool(ends[1])), "")


class Count(Control):
    """A whole number from ``least`` to what ``most`` answers for the explorer; ``bound`` says what that is.

    Parameters
    ----------
    label, default, help, wide, used, sets, first, waits
        As in :class:`Control`.
    least : int, default 0
        The smallest.
    most : function of the explorer
        The largest.
    bound : str
        What the largest is, in words.
    names : str, optional
        Key of ``data`` under which there is a name for each number from 0.
    menu : bool, default False
        A list of the names in place of a slider.
    stops : function of the explorer, optional
        The only numbers that the slider has, in order.
    of : bool, default False
        Written "2 of 3".
    play : float, optional
        Steps a second: the slider then has buttons that play, pause, take one step and go back to the start.
    runs : bool, default True
        Whether what plays is a run, which a preset that leaves it at its start takes to the end, and no mere pointer.
    notes : mapping of value to str, or function
        Words in brackets after some values.
    find : function of the explorer and a label, optional
        The number that a label stands for, or a ValueError: what may be given in place of a number. A whole number that
        is in range is itself, every other one a label, such as a year.
    """

    kind = "count"

    def __init__(  # noqa: PLR0913
        self,
        label: str | Callable[[Any], str],
        *,
        least: int = 0,
        most: Callable[[Any], int],
        bound: str = "",
        names: str = "",
        menu: bool = False,
        stops: Callable[[Any], list[int]] | None = None,
        of: bool = False,
        play: float | None = None,
        runs: bool = True,
        notes: Any = None,
        find: Callable[[Any, Any], int] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(label, **({"default": least, "wide": play is not None, "first": play is not None} | more))
        self.find = find
        self.least, self.most, self.bound, self.stops, self.notes = least, most, bound, stops, notes
        self.format = {"names": names, "menu": menu, "of": of, "play": play, "runs": runs}

    def validate(self, obj: Any, value: Any) -> int:
        """Return ``value`` as an int or raise a ValueError that names it."""
        bounds = {"least": self.least, "most": self.most(obj), "bound": self.bound}
        try:
            return check_count(value, self.name, **bounds)
        except ValueError as error:
            whole = isinstance(value, Integral) and not isinstance(value, bool)
            if self.find is None or value is None or (isinstance(value, Number) and not whole):
                raise
            try:
                return self.find(obj, value)
            except ValueError as other:
                raise ValueError(f"{error}; and {other}" if whole else str(other)) from None

    def _more(self, explorer: Any) -> dict[str, Any]:
        found = {"min": self.least, "max": self.most(explorer), "stops": _at(self.stops, explorer), **self.format}
        return found | _notes(self.notes, explorer)

    def _words(self) -> str:
        return f"int from {self.least}" + (f" to {self.bound}" if self.bound else "")


class Seed(Control):
    """The number of a draw, from 1 (or 0 for none) to 999 or fewer: in the browser a quiet button that draws again."""

    kind = "seed"

    def __init__(self, label: str = "Draw again", *, least: int = 1, most: int = 999, **more: Any) -> None:
        super().__init__(label, **({"default": least} | more))
        self.least, self.most = least, most

    def validate(self, obj: Any, value: Any) -> int:
        """Return ``value`` as an int or raise a ValueError that names it."""
        return check_count(value, self.name, least=self.least, most=self.most, bound="the last draw")

    def _more(self, explorer: Any) -> dict[str, Any]:
        return {"min": self.least, "max": self.most}

    def _words(self) -> str:
        return f"int from {self.least} to {self.most}"


class Choice(Control):
    """One of a few words: a mapping of each to what the reader sees, or a function of the explorer that returns one."""

    kind = "choice"

    def __init__(self, label: str, options: Any, *, bound: str = "", **more: Any) -> None:
        super().__init__(label, **more)
        self.options, self.bound = options, bound

    def default(self, obj: Any = None) -> str:
        """Return the value at the start: the first, if none was given."""
        return self.default_value if self.default_value is not None else next(iter(_at(self.options, obj)))

    def validate(self, obj: Any, value: Any) -> str:
        """Return ``value`` or raise a ValueError that names it."""
        options = _at(self.options, obj)
        if not isinstance(value, str) or value not in options:
            which = f"one of the {len(options)} {self.bound}" if self.bound else f"one of {', '.join(options)}"
            raise ValueError(f"{self.name} must be {which}, got {value!r}")
        return value

    def annotation(self) -> str:
        """Return the words as a type, if they are the same for every explorer and few."""
        words = "" if callable(self.options) else ", ".join(f'"{value}"' for value in self.options)
        return f"Literal[{words}]" if 0 < len(words) < 80 else "str"

    def _more(self, explorer: Any) -> dict[str, Any]:
        return {"options": [[value, words] for value, words in _at(self.options, explorer).items()]}

    def _words(self) -> str:
        if callable(self.options):
            return f"str, one of the {self.bound}"
        return "{" + ", ".join(f'"{value}"' for value in self.options) + "}"


class Tick(Control):
    """A box to tick."""

    kind = "tick"

    def validate(self, obj: Any, value: Any) -> bool:
        """Return ``value`` or raise a ValueError that names it."""
        if not isinstance(value, bool):
            raise ValueError(f"{self.name} must be True or False, got {value!r}")
        return value

    def _words(self) -> str:
        return "bool"


class TypedText(Control):
    """A text of at most 400 characters."""

    kind = "text"

    def validate(self, obj: Any, value: Any) -> str:
        """Return ``value`` or raise a ValueError that names it."""
        if len(check_text(value, self.name)) > LONGEST_TEXT:
            raise ValueError(f"{self.name} must have at most {LONGEST_TEXT} characters, got {len(value)}")
        return value

    def _more(self, explorer: Any) -> dict[str, Any]:
        return {"most": LONGEST_TEXT}


class PastedText(Control):
    """A text of at most 20,000 characters that a reader may paste; where there is none, that of the page stands."""

    kind = "pasted"

    def validate(self, obj: Any, value: Any) -> str:
        """Return ``value`` or raise a ValueError that names it."""
        if len(check_text(value, self.name)) > LONGEST_PASTED:
            raise ValueError(f"{self.name} must have at most {LONGEST_PASTED} characters, got {len(value)}")
        return value

    def _more(self, explorer: Any) -> dict[str, Any]:
        return {"most": LONGEST_PASTED}


def _notes(notes: Any, explorer: Any) -> dict[str, list]:
    return {"notes": [[value, words] for value, words in _at(notes, explorer).items()]} if notes else {}
