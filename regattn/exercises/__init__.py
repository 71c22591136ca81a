"""Self-checks for the exercises: right or wrong with a hint, and never the answer.

One module per chapter, called like its notebook without the number, lists its exercises by number in ``EXERCISES``.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from typing import Any

from regattn._extras import needed_by
from regattn.exercises._exercise import Exercise, Verdict
from regattn.exercises._marking import refuse_package

__all__ = ["check", "exercises", "refuse_package"]


def exercises(chapter: str | None = None) -> dict[str, Exercise]:
    """Return the exercises of the book by name, such as "ols_proximity.2" for the second one of that chapter.

    Parameters
    ----------
    chapter : str, optional
        Only this one, such as "ols_proximity"; it has none if there is no chapter of that name.

    Examples
    --------
    >>> "ols_proximity.1" in exercises()
    True
    """
    found: dict[str, Exercise] = {}
    for each in _chapters():
        if chapter in (None, each):
            found |= _of_chapter(each)
    return found


def check(name: str, answer: Any) -> Verdict:
    """Return whether ``answer`` is right, with a hint if it is not.

    Parameters
    ----------
    name : str
        The exercise, such as "ols_proximity.2".
    answer : number, array, tensor, list or str
        Your answer. Numbers may be rounded, and written as in "1/3", "30 %", "0,33" or "about 2 ln 2"; of a text in
        words only the key words count.

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
    >>> check("ols_proximity.1", 0.5)
    Not yet. Hint: three points share the weight, not two.
    >>> check("shrinkage_and_rank.2", "about 1.4")
    Not yet. Hint: the intercept is missing, and no penalty touches it.
    """
    chapter = str(name).partition(".")[0]
    known = exercises(chapter)  # one of a regression should not wait for torch
    if name not in known:
        begun = [each for each in exercises() if each.startswith(chapter)]
        near = difflib.get_close_matches(str(name), begun or exercises(), n=3, cutoff=0.0)
        raise ValueError(f"there is no exercise {name!r}; the nearest are {', '.join(near)}")
    with needed_by(f"exercise {name}"):
        return known[name].verdict(answer)


def _chapters() -> list[str]:
    """Return the chapters with exercises, such as "ols_proximity"."""
    return [module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")]


def _of_chapter(chapter: str) -> dict[str, Exercise]:
    with needed_by(f"the chapter {chapter!r}"):
        found = importlib.import_module(f"{__name__}.{chapter}").EXERCISES
    return {f"{chapter}.{number}": exercise for number, exercise in found.items()}
