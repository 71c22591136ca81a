"""A text to train on: read from a file or given, and cut into what is trained on and what is held out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from regattn._text import check_text
from regattn._validation import check_real

SHOWN = 300  # characters of a path that a message shows


class Parts(NamedTuple):
    """The parts of a text, in its order: what is learned from, what says when to stop, what gives the scores."""

    train: str
    watch: str
    test: str


def read_text(path: Any, *, text: str | None, encoding: str) -> str:
    """Return the text of a file, or the one given; raise, naming the file, where there is none.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If both or neither is given, the file is in another encoding, or the text is empty.
    """
    if (path is None) == (text is None):
        raise ValueError("give the path of a text file or text=, one of the two")
    if path is None:
        name, text = "text", check_text(text, "text")
    else:
        name, text = _read(path, encoding)
    if not text.strip():
        raise ValueError(f"{name} is empty: there is nothing to learn from in its {len(text)} characters")
    return text


def parted(text: str, held_out: float) -> Parts:
    """Return a text without its last part, and the halves of that, each cut where a word begins.

    Examples
    --------
    >>> parted("one two three four five six", 0.5)
    Parts(train='one two three', watch=' four five', test=' six')
    """
    held_out = check_real(held_out, "held_out", least=0.0, most=0.5)
    if held_out == 0:
        return Parts(text, "", "")
    first, second = (_word_at(text, len(text) - round(share * len(text))) for share in (held_out, held_out / 2))
    return Parts(text[:first], text[first:second], text[second:])


def check_known(tokenizer: Any, text: str, name: str) -> np.ndarray:
    """Return the tokens of a text; raise a ValueError that names a character which the tokeniser does not know."""
    encoded = tokenizer.encode(check_text(text, name))
    if (number := unknown_token(tokenizer)) in encoded.ids:
        start, stop = encoded.offsets[encoded.ids.index(number)]
        raise ValueError(
            f"{name} has {text[start:stop]!r} at character {start}, which the tokeniser does not know; "
            'one of kind "bytes" knows every character'
        )
    return np.array(encoded.ids, dtype=np.int64)


def unknown_token(tokenizer: Any) -> int | None:
    """Return the token that stands for every unknown character, None of a tokeniser that knows them all."""
    name = getattr(tokenizer.model, "unk_token", "<unk>")  # one of pieces has the name, and does not tell it
    return None if name is None else tokenizer.token_to_id(name)


def _read(path: Any, encoding: str) -> tuple[str, str]:
    if not isinstance(path, str | os.PathLike):
        raise ValueError(f"path must be that of a text file, got {path!r:.80}")
    shown = str(path) if len(str(path)) <= SHOWN else f"{str(path)[:SHOWN]}…"
    if "\n" in str(path) or len(str(path)) > 1000:  # no file is called so
        raise FileNotFoundError(f"no text file at {shown!r}; a text itself is given as text=")
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{shown} is a folder; give one text file, or the text of several as text=")
    if not path.is_file():
        raise FileNotFoundError(f"no text file at {shown}; a text itself is given as text=")
    try:
        return path.name, path.read_text(encoding=encoding)
    except UnicodeDecodeError as error:
        byte = f"byte {error.object[error.start]:#04x} at position {error.start}"
        raise ValueError(f'{path.name} is no {encoding} ({byte}); give its encoding=, such as "latin-1"') from None


def _word_at(text: str, place: int) -> int:
    """Return the first place from ``place`` on where white space stands, or ``place`` where none follows."""
    return next((k for k in range(place, len(text)) if text[k].isspace()), place)
