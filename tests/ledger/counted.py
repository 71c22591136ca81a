"""What the room of words makes of a sentence, as arrays: the oracles of the ledger are written in numbers."""

from __future__ import annotations

import numpy as np

from regattn import words


def _unnamed(function):
    return lambda *arguments, **how: np.asarray(function(*arguments, **how))


project, context_weights, vocabulary_scores = map(
    _unnamed, (words.project, words.context_weights, words.vocabulary_scores)
)
