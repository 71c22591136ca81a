"""Self-checks for the exercises: right or wrong with a hint, and never the answer.

One module per chapter (``ch03.py`` holds the exercises of chapter 3) lists its exercises in ``EXERCISES``.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from typing import Any

from regattn.exercises._exercise import Exercise, Verdict

__all__ = ["check", "exercises"]


def exercises() -> dict[str, Exercise]:
    """Return every exercise of the book by name, such as "03.2" for the second one of chapter 3.

    Examples
    --------
    >>> "03.1" in exercises()
    True
    """
    found: dict[str, Exercise] = {}
    for chapter in _chapters():
        found |= _of_chapter(chapter)
    return found


def check(name: str, answer: Any) -> Verdict:
    """Return whether ``answer`` is right, with a hint if it is not.

    Parameters
    ----------
    name : str
        The exercise, such as "03.2".
    answer : number, array, tensor, list, bool or str
        Your answer. Numbers may be rounded; text is compared without regard to case and spaces.

    Returns
    -------
    Verdict
        True or false when used as a condition; shows its message at the end of a cell.

    Raises
    ------
    ValueError
        If there is no such exercise; the message lists the nearest names.

    Examples
    --------
    >>> check("03.1", 1.0)
    Not yet. Hint: average the three values of x first: the query sits exactly there, so what is left of the weight?
    >>> bool(check("03.1", "one third"))
    False
    """
    chapter = str(name).partition(".")[0]
    known = _of_chapter(chapter) if chapter in _chapters() else {}  # a check of chapter 3 should not wait for torch
    if name not in known:
        near = difflib.get_close_matches(str(name), exercises(), n=3, cutoff=0.0)
        raise ValueError(f"there is no exercise {name!r}; the nearest are {', '.join(near)}")
    return known[name].verdict(answer)


def _chapters() -> list[str]:
    """Return the numbers of the chapters with exercises, such as "03"."""
    return [module.name.removeprefix("ch") for module in pkgutil.iter_modules(__path__) if module.name.startswith("ch")]


def _of_chapter(chapter: str) -> dict[str, Exercise]:
    return importlib.import_module(f"{__name__}.ch{chapter}").EXERCISES
