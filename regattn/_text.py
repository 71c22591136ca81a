"""Checks shared by what takes words or labels from outside."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def check_text(text: Any, name: str) -> str:
    r"""Return a text that can be written to a file, a page or a kernel; raise if it holds half of a surrogate pair.

    Such halves are left over where text was cut within a character, or read with ``errors="surrogateescape"``.

    Examples
    --------
    >>> check_text("café 🏦", "word")
    'café 🏦'
    >>> check_text("caf\udce9", "word")
    Traceback (most recent call last):
    ValueError: word must be text that UTF-8 can write, got 'caf\udce9'
    """
    if not isinstance(text, str):
        raise ValueError(f"{name} must be a string, got {text!r}")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{name} must be text that UTF-8 can write, got {text!r}") from None
    return text


def check_names(names: Iterable[Any], name: str) -> list[Any]:
    r"""Return the names of columns as they are; raise if one is a text that cannot be written.

    Names that are not texts pass: dates and numbers name columns too. pandas refuses such a text by itself only where
    pyarrow is installed, and does not say which.

    Examples
    --------
    >>> check_names(["bank", 1990], "a column")
    ['bank', 1990]
    """
    return [check_text(label, name) if isinstance(label, str) else label for label in names]
