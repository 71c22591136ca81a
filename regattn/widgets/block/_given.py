"""What the BlockExplorer refuses: sentences, steps and heads by hand that do not fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from regattn._types import Table
from regattn._validation import check_matrix
from regattn.widgets._kit import check_labels

__all__ = ["BY_HAND", "LONGEST", "check_known", "check_sentence", "check_steps", "check_written"]

LONGEST = 8  # words; a page has no room for more
BY_HAND = ["queries", "keys", "values"]


def check_sentence(words: Sequence[str]) -> list[str]:
    if isinstance(words, str) or not isinstance(words, Sequence):
        raise ValueError(f"words must be a list of 1 to {LONGEST} words, got {words!r}")
    if not 0 < len(words) <= LONGEST:
        raise ValueError(f"words must be a list of 1 to {LONGEST} words, got {len(words)}")
    return check_labels(words, len(words), "words", rows="words")


def check_known(words: list[str], known: list[str]) -> list[str]:
    """Return the words of the trained block, or raise a ValueError that names one it does not know."""
    for word in words:
        if word not in known:
            raise ValueError(f"the trained block knows the words {', '.join(known)}, got {word!r}")
    return known


def check_steps(steps: Sequence[str] | None, known: list[str]) -> list[str]:
    """Return the steps that are offered, or raise a ValueError that names them."""
    if steps is None:
        return known
    if isinstance(steps, str) or not len(steps) or not set(steps) <= set(known):
        raise ValueError(f"steps must be a list of some of {', '.join(known)}, got {steps!r}")
    return list(steps)


def check_written(
    written: Mapping[str, Table] | None, T: int
) -> tuple[dict[str, np.ndarray] | None, dict[str, list[str]]]:
    """Return the arrays of a head that is written by hand, and the names of its columns where they have any."""
    if written is None:
        return None, {}
    if list(written) != BY_HAND:
        raise ValueError(f"written must hold {', '.join(BY_HAND)}, in this order, got {', '.join(written)}")
    found = {}
    for name, rows in written.items():
        found[name] = check_matrix(rows, name)
        if len(found[name]) != T:
            raise ValueError(f"{name} has {len(found[name])} rows but there are {T} words")
    if found["keys"].shape != found["queries"].shape:
        widths = [found[name].shape[1] for name in ("queries", "keys")]
        raise ValueError(f"queries have {widths[0]} columns but keys have {widths[1]}")
    return found, {name: [str(c) for c in rows.columns] for name, rows in written.items() if hasattr(rows, "columns")}
