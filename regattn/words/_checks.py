"""Checks of tables and documents: each raises a ValueError that names the offending value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
from scipy import sparse

from regattn._tables import as_pandas, numbers
from regattn._types import Table


def nearest_word(token: Any, words: Iterable[Any]) -> str:
    """Return the known word that an unknown one may be meant for, as the end of a message, or nothing."""
    known = {word.lower(): word for word in words if isinstance(word, str)}
    near = get_close_matches(token.lower(), known, 1, cutoff=0.8) if isinstance(token, str) else []
    return f"; did you mean {known[near[0]]!r}?" if near else ""


def check_counts(counts: Table, *, negative: bool = False) -> Any:
    """Return a square table as a NumPy array or CSR array; raise if it is not square, finite and (usually) ≥ 0."""
    table = as_pandas(counts)
    if table is not None:
        S = numbers(table, "counts")
    else:
        S = counts.tocsr() if sparse.issparse(counts) else np.asarray(counts)
    entries = S.data if sparse.issparse(S) else S
    if entries.dtype.kind not in "fiub":
        raise ValueError(f"counts must hold real numbers, got dtype {entries.dtype}")
    if S.ndim != 2 or S.shape[0] != S.shape[1] or S.shape[0] == 0:
        raise ValueError(f"counts must be a square table, got shape {S.shape}")
    if not np.isfinite(entries).all():
        raise ValueError(f"counts must be finite, got {float(entries[~np.isfinite(entries)][0])}")
    if not negative and (entries < 0).any():
        raise ValueError(f"counts must be ≥ 0, got {entries[entries < 0][0]:g}")
    return S


def check_document(document: Any) -> Sequence[str]:
    """Return a document as a sequence of words; a bare string would be read letter by letter, so it is refused."""
    if isinstance(document, str | bytes):
        raise ValueError(f"a document is a sequence of words, got the string {document[:40]!r}; split it first")
    try:
        words = document if isinstance(document, list | tuple) else list(document)
        odd = [word for word in words if not isinstance(word, str)]
    except TypeError:
        raise ValueError(f"a document is a sequence of words, got {document!r}") from None
    if odd:
        raise ValueError(f"a document is a sequence of words, got {odd[0]!r} in it")
    return words
