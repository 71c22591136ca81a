"""What an exercise is: how its answer is computed, which mistakes are typical, and what to say to each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from regattn.exercises._judging import Sheet, error_of, judge_numbers, judge_text, judge_words
from regattn.exercises._reading import numbers_in

EXACT = 0.0  # a whole number is met or not


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, and the message for the reader."""

    right: bool
    message: str

    def __bool__(self) -> bool:
        """Return whether the answer is right."""
        return self.right

    def __repr__(self) -> str:
        """Return the message alone, as it should stand below a cell."""
        return self.message


@dataclass(frozen=True)
class Mistake:
    """A typical wrong answer (numbers, or the name of an option) and what to say to it."""

    answer: Any
    hint: str


@dataclass(frozen=True)
class Exercise:
    """One exercise of the book.

    Parameters
    ----------
    expected : callable
        Computes the right answer with the package: a number, an array or one of the options. Nothing is stored.
    hint : str
        What to say to a wrong answer that no mistake explains; must not give the right one away.
    mistakes : sequence of Mistake, optional
        Typical wrong answers. To those of a number the general ones are added: its sign, a factor of two, and so on.
    options : mapping of str to sequence of str, optional
        What a text may name, each with its spellings: beginnings of words that must all occur. A text that is asked
        for is one of these.
    share : bool, default False
        Whether the answer is a share: then 30 and "30 %" are .3.
    tolerance : float, default 0.01
        Largest relative error of a number (of the largest entry for an array), so that rounding does no harm.
    counted : str, default ""
        What the answer counts, in the singular, where that word would be read as a number: "3 quarters" is then 3. Or
        what may follow the number, such as "of 100".
    """

    expected: Callable[[], Any]
    hint: str
    mistakes: tuple[Mistake, ...] = ()
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    share: bool = False
    tolerance: float = 0.01
    counted: str = ""

    @cached_property
    def sheet(self) -> Sheet:
        """All it takes to judge an answer, as numbers and text; computed once."""
        expected = self.expected()
        if isinstance(expected, str):
            mistakes = [{"option": each.answer, "hint": each.hint} for each in self.mistakes]
            options = {name: list(spellings) for name, spellings in self.options.items()}
            return {"kind": "words", "right": expected, "options": options, "mistakes": mistakes, "hint": self.hint}
        sheet = {
            "kind": "numbers",
            "targets": _listed(expected),
            "share": self.share,
            "tolerance": self.tolerance,
            "mistakes": [{"values": _listed(each.answer), "hint": each.hint} for each in self.mistakes],
            "hint": self.hint,
        } | ({"counted": self.counted} if self.counted else {})
        for values, hint in _general_mistakes(np.array(sheet["targets"]), self.share, self.tolerance):
            known = [sheet["targets"], *(each["values"] for each in sheet["mistakes"])]
            if all(error_of(sheet, [values], other) > 2 for other in known):
                sheet["mistakes"].append({"values": values, "hint": hint})
        return sheet

    def verdict(self, answer: Any) -> Verdict:
        """Return whether ``answer`` is right, with a message."""
        if answer is Ellipsis or answer is None:
            return Verdict(False, "No answer yet: put yours in place of the dots.")
        if isinstance(answer, str):
            return Verdict(*judge_text(self.sheet, answer))
        if self.sheet["kind"] == "words":
            return Verdict(*judge_words(self.sheet, _text(answer)))
        return Verdict(*judge_numbers(self.sheet, _readings(answer)))


def _general_mistakes(target: np.ndarray, share: bool, tolerance: float) -> list[tuple[list[float], str]]:
    """Return the mistakes one can make with any number."""
    found = [(-target, "the size is right, the sign is not.")]
    if share:
        found.append((target / 100, "the number is right as a share, but then it carries no per cent sign."))
        found += [(1 - target, "this is the rest, what is missing to the whole.")] * (target.size == 1)
    else:
        found.append((100 * target, "a hundred times too large: is it asked for in per cent?"))
    with np.errstate(all="ignore"):
        found.append((1 / target, "this is the reciprocal of what is asked for."))
        twos = "this is twice or half of what it should be."
        found += [(2 * target, twos), (target / 2, twos)]
        found.append((target**2, "this is the square of what is asked for."))
        found.append((np.sqrt(target), "this is the square root of what is asked for."))
    if tolerance == EXACT:
        found = [(values, hint) for values, hint in found if (values == values.round()).all()]
        found += [(target + step, "off by one: where does the counting begin?") for step in (1, -1)]
    return [(values.tolist(), hint) for values, hint in found if np.isfinite(values).all()]


def _listed(values: Any) -> list[float]:
    return np.asarray(values() if callable(values) else values, dtype=float).ravel().tolist()


def _array(answer: Any) -> np.ndarray | None:
    """Return an answer as a flat array, or None when it is none; a tensor may carry a gradient."""
    try:
        return np.asarray(answer.detach() if hasattr(answer, "detach") else answer).ravel()
    except (TypeError, ValueError, RuntimeError, OverflowError):
        return None


def _text(answer: Any) -> str:
    """Return the text of an answer in words, which may stand alone in a list or be an object such as a quarter."""
    array = _array(answer)
    return str(array[0] if array is not None and array.size == 1 else "")


def _readings(answer: Any) -> list[list[float]]:
    """Return the ways to read an answer as numbers: many for texts, one for numbers, none for what is neither."""
    array = _array(answer)
    if array is None or array.dtype.kind in "bcmM" or not array.size:
        return []
    if array.dtype.kind in "US" or any(isinstance(entry, str | bool) for entry in array.tolist()):
        return numbers_in("; ".join(map(str, array))) if array.dtype.kind != "S" else []
    try:
        values = array.astype(float)
    except (TypeError, ValueError, OverflowError):
        return []
    return [values.tolist()] if np.isfinite(values).all() else []
