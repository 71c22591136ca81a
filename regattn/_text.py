"""A check shared by what takes words or labels from outside."""

from __future__ import annotations

from typing import Any


def check_text(text: Any, name: str) -> str:
    r"""Return a text that can be written to a file, a page or a kernel; raise if it holds half of a surrogate pair.

    Such halves are left over where text was cut in the middle of a sign, or read with ``errors="surrogateescape"``.

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
