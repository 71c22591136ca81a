"""Which chapters are meant: by number, by name, or by a part of a name."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
from chapters import Chapter, chapters  # noqa: E402, where the extensions of the book are


def meant(word: str, one: Chapter) -> bool:
    """Return whether a number, a name or a part of a name means a chapter."""
    return int(word) == one.number if word.isdecimal() else word in one.name


def chosen(words: Iterable[str], root: Path = ROOT) -> list[Chapter]:
    """Return the chapters that words mean, in the order of the words and each once.

    Raises
    ------
    ValueError
        If a word means no chapter.

    Examples
    --------
    >>> [one.name for one in chosen(["8", "ols", "03"])]
    ['08_time_series', '03_ols_proximity']
    """
    every = chapters(root)
    found: dict[Chapter, None] = {}
    for word in words:
        of = [one for one in every if meant(word, one)]
        if not of:
            raise ValueError(f"no chapter is {word!r}; there are {', '.join(one.name for one in every)}")
        found |= dict.fromkeys(of)
    return list(found)
