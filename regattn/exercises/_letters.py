"""Which statements an answer judged wrong, and why: the tests of an assignment ask it, where answers are marked."""

from __future__ import annotations

from collections.abc import Callable, Mapping

SHOWN = 60  # characters of an answer that is no set of letters


def judged_wrong(answer: Callable[[], object], statements: Mapping[str, tuple[bool, str]]) -> list[str]:
    """Return the letters that an answer judged wrong, each with the reason.

    Parameters
    ----------
    answer
        What returns the letters of the statements that are said to hold.
    statements
        For each letter whether its statement holds, and because of what.

    Raises
    ------
    AssertionError
        If the answer is no set of these letters: then nothing was judged, and the error says what was found.

    Examples
    --------
    >>> statements = {"A": (True, "two and two are four"), "B": (False, "one is odd")}
    >>> judged_wrong(lambda: {"A", "B"}, statements)
    ['B (does not hold: one is odd)']
    """
    asked = f"a set of the letters of statements, from {min(statements)} to {max(statements)}, as in {{'A', 'D'}}"
    try:
        found = answer()
    except Exception as error:  # whatever a student's code raises
        said = f"{type(error).__name__}: {error}"
        raise AssertionError(f"expected {asked}; the answer has none ({said})") from None
    if not isinstance(found, set | frozenset) or not found <= set(statements):
        raise AssertionError(f"expected {asked}; the answer has {short(found)}")
    return [
        f"{letter} ({'holds' if holds else 'does not hold'}: {because})"
        for letter, (holds, because) in statements.items()
        if holds != (letter in found)
    ]


def short(answer: object) -> str:
    """Return the beginning of how an answer looks; it may be long, and may not be able to say."""
    try:
        said = "nothing" if answer is None or answer is ... else repr(answer)
    except Exception:
        said = f"something of the type {type(answer).__name__}"
    return said if len(said) <= SHOWN else f"{said[:SHOWN]}…"
