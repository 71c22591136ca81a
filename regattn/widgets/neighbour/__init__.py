"""The NeighbourExplorer: a map of words, the nearest words of one of them, and how sure their ranks are."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from regattn._text import check_text
from regattn._validation import check_array
from regattn.widgets._kit import Choice, Count, Explorer, check_labels

__all__ = ["NeighbourExplorer"]

LISTED = 10  # nearest words
MOST_WORDS = 200


class NeighbourExplorer(Explorer, panels=["ranks", "map"]):
    r"""Show words by two directions of their vectors, and the nearest words of one with intervals on their rank.

    .. math:: \cos(i, j) = \frac{v_i^\top v_j}{\lVert v_i\rVert\,\lVert v_j\rVert}
              \quad\text{over the first } L \text{ directions}

    A rank counts the words shown that are nearer. Its interval runs over vectors made again from resampled corpora. On
    the map two words are near where their rays from the origin are.

    Parameters
    ----------
    spaces : mapping of (str, int, int) to array-like of shape (1 + B, V, D)
        Vectors by method, window and number of negatives (shift): first those of the corpus, then those of B resampled
        ones, where a word that is absent is a row of zeros. Every combination must be there. Kept as whole numbers of
        127ths of the largest entry of rows of length one.
    words : sequence of V strings
        The words, at most 200.
    query : int or str, default 0
        The word that asks, or its number.
    groups : sequence of V strings, optional
        A category for each word: the map names them, and words of the one that asks stand out.

    Raises
    ------
    ValueError
        If the shapes do not fit or differ, a combination is missing, a number is not finite, there are too many words,
        or a control is out of its range.

    Examples
    --------
    >>> vectors = np.array([[[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]]])
    >>> explorer = NeighbourExplorer({("counts", 2, 1): vectors}, words=["one", "two", "fire"], query="two")
    >>> explorer.result()["neighbours"]
    ['one', 'fire']
    """

    query = Count(
        "Word that asks",
        most=lambda self: len(self.words) - 1,
        bound="the last word",
        names="words",
        menu=True,
        find=lambda self, word: self._number_of(word),
        first=True,
    )
    method = Choice("Method", lambda self: {name: name for name in self.menus[0]}, bound="methods", first=True)
    window = Choice("Window", lambda self: {name: f"{name} places" for name in self.menus[1]}, bound="windows")
    shift = Choice(
        "Shift, as negatives k",
        lambda self: {name: "none (k = 1)" if name == "1" else f"log {name}" for name in self.menus[2]},
        bound="shifts",
    )
    rank = Count("Dimension L", least=2, most=lambda self: self.longest, default=lambda self: self.longest, bound="D")

    def __init__(
        self,
        spaces: Mapping[tuple[str, int, int], Any],
        *,
        words: Sequence[str],
        query: int | str = 0,
        groups: Sequence[str] | None = None,
        **kit: Any,
    ) -> None:
        if not isinstance(spaces, Mapping) or not spaces:
            raise ValueError("spaces must map (method, window, negatives) to vectors, and hold at least one")
        parts = [tuple(str(part) for part in key) for key in spaces if isinstance(key, tuple)]
        if len(parts) < len(spaces) or {len(key) for key in parts} != {3}:
            raise ValueError(f"keys of spaces must be (method, window, negatives), got {next(iter(spaces))!r}")
        self.menus = [list(dict.fromkeys(names)) for names in zip(*parts, strict=True)]
        if len(parts) != np.prod([len(names) for names in self.menus]):
            raise ValueError(f"spaces has {len(parts)} combinations; some of {self.menus} are missing")
        arrays = [np.asarray(check_array(np.asarray(rows), "vectors"), dtype=float) for rows in spaces.values()]
        shapes = {array.shape for array in arrays}
        if len(shapes) > 1 or arrays[0].ndim != 3 or not arrays[0].size:
            raise ValueError(f"vectors must all have one shape (1 + B, V, D), got {sorted(shapes)}")
        copies, count, self.longest = arrays[0].shape
        if not 2 <= count <= MOST_WORDS:
            raise ValueError(f"there are {count} words; an explorer has room for 2 to {MOST_WORDS}")
        self.words = check_labels(words, count, "words", rows="rows of vectors")
        self.groups = [] if groups is None else _groups(groups, count)
        self.spaces = {"|".join(key): _whole(array) for key, array in zip(parts, arrays, strict=True)}
        data = {
            "words": self.words,
            "copies": copies,
            "longest": self.longest,
            "listed": min(LISTED, count - 1),
            "groups": self.groups,
            "spaces": {key: base64.b64encode(whole.tobytes()).decode() for key, whole in self.spaces.items()},
        }
        alt = (
            f"{count} words on a map of the first two directions of their vectors, and the nearest of one of them, "
            f"with the ranks that they have in vectors from {copies - 1} resampled corpora."
        )
        super().__init__(**{"data": data, "alt": alt, "query": query} | kit)

    def _number_of(self, word: Any) -> int:
        if word not in self.words:
            raise ValueError(f"query must be one of the {len(self.words)} words, got {word!r}")
        return self.words.index(word)

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            The ``neighbours`` of the word that asks, nearest first, at most ten; their ``cosines``; the ``least`` and
            ``most`` rank that each has over all vectors, those of the corpus included; how many ``stay`` among the
            first so many in all of them; how many are ``alike``, of the category of the word that asks; and the
            ``places`` of all words on the map, shares of a vector's length.
        """
        whole = self.spaces[f"{self.method}|{self.window}|{self.shift}"].astype(np.int64)
        cut = whole[:, :, : self.rank]
        squares = (cut**2).sum(axis=2)
        products = (cut * cut[:, [self.query]]).sum(axis=2)
        sizes = np.sqrt((squares * squares[:, [self.query]]).astype(float))
        cosines = np.where(sizes > 0, products / np.where(sizes > 0, sizes, 1.0), -1.0)
        others = np.delete(np.arange(len(self.words)), self.query)
        nearest = others[np.argsort(-cosines[0, others], kind="stable")][: self.data["listed"]]
        asks = np.append(True, squares[1:, self.query] > 0)  # a resampled corpus without the word has no say
        nearer = (cosines[asks][:, None, others] > cosines[asks][:, nearest, None]).sum(axis=2)  # (copies, listed)
        ranks = 1 + nearer
        lengths = np.sqrt((whole[0] ** 2).sum(axis=1).astype(float))
        places = whole[0][:, :2] / np.where(lengths > 0, lengths, 1.0)[:, None]
        return {
            "neighbours": [self.words[k] for k in nearest],
            "cosines": cosines[0, nearest].tolist(),
            "least": ranks.min(axis=0).tolist(),
            "most": ranks.max(axis=0).tolist(),
            "stay": int((ranks.max(axis=0) <= self.data["listed"]).sum()),
            "alike": sum(self.groups[k] == self.groups[self.query] for k in nearest) if self.groups else 0,
            "places": places.tolist(),
        }


def _groups(groups: Sequence[str], count: int) -> list[str]:
    """Return the category of each word, or raise a ValueError that says how many are missing."""
    if isinstance(groups, str) or not isinstance(groups, Sequence):
        raise ValueError(f"groups must be a list of {count} categories, got {groups!r}")
    if len(groups) != count:
        raise ValueError(f"groups names {len(groups)} categories for {count} words")
    return [check_text(group, "a category") for group in groups]


def _whole(vectors: np.ndarray) -> np.ndarray:
    """Return rows of length one as whole numbers of 127ths of their largest entry, a byte each."""
    largest = np.abs(vectors).max(axis=-1, keepdims=True)
    rows = vectors / np.where(largest > 0, largest, 1.0)  # first, so that no square is too large
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    rows = rows / np.where(lengths > 0, lengths, 1.0)
    return np.round(127 * rows / (np.abs(rows).max() or 1.0)).astype(np.int8)
