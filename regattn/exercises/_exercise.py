"""What an exercise is: how its answer is computed, how closely it must be met, and what to say when it is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


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
class Exercise:
    """One exercise of the book.

    Parameters
    ----------
    expected : callable
        Computes the right answer with the package: a number, an array, a bool or a word. Nothing is stored.
    hint : str
        What to say to a wrong answer; must not give the right one away.
    wrong : object
        A tempting wrong answer, which the tests try.
    tolerance : float, default 0.01
        Largest relative error of a number (of the largest entry for an array), so that rounding does no harm.
    """

    expected: Callable[[], Any]
    hint: str
    wrong: Any
    tolerance: float = 0.01

    def verdict(self, answer: Any) -> Verdict:
        """Return whether ``answer`` is right, with a message."""
        if answer is Ellipsis or answer is None:
            return Verdict(False, "No answer yet: put yours in place of the dots.")
        if self._matches(answer):
            return Verdict(True, "Right.")
        return Verdict(False, f"Not yet. Hint: {self.hint}")

    def _matches(self, answer: Any) -> bool:
        expected = self.expected()
        if isinstance(expected, str):
            return isinstance(answer, str) and _plain(answer) == _plain(expected)
        if isinstance(expected, bool):
            return isinstance(answer, bool | np.bool_) and bool(answer) == expected
        if hasattr(answer, "detach"):
            answer = answer.detach()  # a tensor that carries a gradient is an answer too
        try:
            given, target = np.asarray(answer), np.asarray(expected, dtype=float)
            if given.dtype.kind == "c":
                return False
            given = given.astype(float)
        except (TypeError, ValueError, RuntimeError, OverflowError):
            return False
        if given.size != target.size or isinstance(answer, bool):
            return False
        room = self.tolerance * np.abs(target).max()
        return bool(np.all(np.abs(given.ravel() - target.ravel()) <= max(room, 1e-9)))


def _plain(text: str) -> str:
    return "".join(text.lower().split())
