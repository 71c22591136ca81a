"""Whole numbers as text: small ones take one sign, those below 2,116 two, so that a page carries thousands of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

SIGNS = "".join(chr(k) for k in range(32, 127) if chr(k) not in '"\\<')  # 92 that a page carries as they are
HALF = len(SIGNS) // 2
MILLIONTHS = 1e6  # of the scores of pieces, which have six decimals


def numerals(numbers: Iterable[int]) -> str:
    """Return whole numbers, none below zero, to the base 46; the last digit of each is one of the first 46 signs.

    Examples
    --------
    >>> numerals([0, 45, 46, 2115])
    ' OQ ~O'
    """
    told = []
    for number in numbers:
        digits, rest = SIGNS[number % HALF], number // HALF
        while rest:
            digits, rest = SIGNS[HALF + rest % HALF] + digits, rest // HALF
        told.append(digits)
    return "".join(told)


def in_numerals(packed: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tokeniser whose lists are text; each score as how far it is below the one before."""
    found = {**packed, "merges": numerals(part for pair in packed["merges"] for part in pair)}
    found |= {"counts": numerals(packed["counts"]), "tokens": " ".join(packed["tokens"])}  # none holds a space
    if "scores" in packed:
        scores = [round(-score * MILLIONTHS) for score in packed["scores"]]
        steps = [after - before for before, after in pairwise([0, *scores])]
        found["scores"] = numerals(2 * step if step >= 0 else -2 * step - 1 for step in steps)  # odd: upwards
    return found
