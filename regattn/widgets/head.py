"""The HeadExplorer: where every head of a trained model looks in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from regattn._validation import check_array
from regattn.widgets._base import Count, Explorer, check_labels
from regattn.widgets._drawing import draw_table

__all__ = ["HeadExplorer"]

LONGEST = 24  # words; a page has no room for more


class HeadExplorer(Explorer, module="head", panels=[["map"], ["heads"]]):
    r"""Show the attention of a model on a sentence: one head as a table, and all heads on one pair of words.

    Choose a layer and a head to see its weights, and a pair of words (one that looks, one that is looked at) to see
    how much weight every head of the model puts there.

    Parameters
    ----------
    weights : array-like of shape (L, H, T, T)
        Attention weights ≥ 0, rows look and columns are looked at. Kept to six decimals.
    words : sequence of T strings
        The sentence, at most 24 words.

    Raises
    ------
    ValueError
        If the shapes do not fit, a weight is negative or not finite, there are too many words, or a position is out
        of range.

    Examples
    --------
    >>> weights = np.array([[[[1.0, 0.0], [0.25, 0.75]]]])  # one layer with one head
    >>> HeadExplorer(weights, words=["the", "dog"], query=1).result()["row"]
    [0.25, 0.75]
    """

    layer = Count("Layer", most=lambda self: self.weights.shape[0] - 1, bound="the last layer")
    head = Count("Head", most=lambda self: self.weights.shape[1] - 1, bound="the last head")
    query = Count("Word that looks", most=lambda self: len(self.words) - 1, bound="the last word")
    key = Count("Word looked at", most=lambda self: len(self.words) - 1, bound="the last word")

    def __init__(self, weights: Any, *, words: Sequence[str], **kit: Any) -> None:
        weights = np.asarray(check_array(np.asarray(weights), "weights"), dtype=np.float64)
        if weights.ndim != 4 or weights.shape[2] != weights.shape[3]:
            raise ValueError(f"weights must have shape (L, H, T, T), got {weights.shape}")
        if weights.min() < 0:
            raise ValueError(f"weights must be ≥ 0, got {weights.min()}")
        if weights.shape[2] > LONGEST:
            raise ValueError(f"there are {weights.shape[2]} words; an explorer has room for {LONGEST}")
        self.weights = weights.round(6)
        self.words = check_labels(words, weights.shape[2], "words", rows="rows of weights")
        alt = (
            f"Attention of {weights.shape[0]} layers of {weights.shape[1]} heads on the sentence "
            f"“{' '.join(self.words)}”: one head's weights as a table, and every head's weight on one pair of words."
        )
        super().__init__(**{"data": {"weights": self.weights, "words": self.words}, "alt": alt} | kit)

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown.

        Returns
        -------
        dict
            ``weights`` of the chosen head (T × T), the ``row`` of the word that looks, the word it looks at most
            (``strongest``), and the weight of every head on the chosen pair, ``heads`` (L × H).
        """
        chosen = self.weights[self.layer, self.head]
        row = chosen[self.query]
        return {
            "weights": chosen.tolist(),
            "row": row.tolist(),
            "strongest": self.words[int(np.argmax(row))],
            "heads": self.weights[:, :, self.query, self.key].tolist(),
        }

    def _draw(self, axes: dict[str, Any], found: dict[str, Any]) -> None:
        if ax := axes.get("map"):
            draw_table(ax, found["weights"], self.words, self.words)
            ax.set_title(f"Layer {self.layer + 1}, head {self.head + 1}: rows look, columns are looked at")
        if ax := axes.get("heads"):
            layers, heads = self.weights.shape[:2]
            rows, columns = [f"layer {k + 1}" for k in range(layers)], [f"head {k + 1}" for k in range(heads)]
            draw_table(ax, found["heads"], rows, columns)
            ax.set_title(f"Every head on {self.words[self.query]} and {self.words[self.key]}")
