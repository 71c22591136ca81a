"""Names of months in the languages of Europe that people keep tables in."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["in_english", "month_of"]

ENGLISH = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
BEGINS = [
    "jan ene gen",
    "feb fev",
    "mar mrz mrt mae",
    "apr avr abr",
    "may mai mei mag",
    "jun juin giu",
    "jul juil lug",
    "aug aou ago",
    "sep set",
    "oct okt ott out",
    "nov",
    "dec dez dic des",
]
"""How their names begin, without accents: English, German, French, Spanish, Italian, Portuguese, Dutch, Nordic."""

_PLACES = {begin: month for month, begins in enumerate(BEGINS, start=1) for begin in begins.split()}


def month_of(word: str) -> int | None:
    """Return the number of a month from its name or the beginning of it, or None."""
    plain = "".join(c for c in unicodedata.normalize("NFD", word.lower()) if not unicodedata.combining(c))
    return _PLACES.get(plain[:4]) or _PLACES.get(plain[:3])


def in_english(cell: str) -> str:
    """Return a cell with the names of months as the first three letters of the English ones.

    Examples
    --------
    >>> in_english("3. März 2021"), in_english("juil. 21")
    ('3. Mar 2021', 'Jul 21')
    """

    def said(found: re.Match[str]) -> str:
        month = month_of(found[1])
        return found[0] if month is None else ENGLISH[month - 1]

    return re.sub(r"([^\W\d_]{3,10})\.?", said, cell)
