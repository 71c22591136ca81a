"""The HeadExplorer's numbers from the weights and where its controls stand, by plain loops."""

import numpy as np

from regattn.widgets import HeadExplorer


def causal_weights(layers: int = 2, heads: int = 3, tokens: int = 7) -> np.ndarray:
    """Return made-up weights of words that look back."""
    weights = np.tril(np.random.default_rng(12).random((layers, heads, tokens, tokens)) ** 3)
    return weights / weights.sum(-1, keepdims=True)


def example(words=tuple("abcdefg"), **options) -> HeadExplorer:
    """Return an explorer of two layers of three heads on seven words."""
    return HeadExplorer(causal_weights(), words=list(words), **options)


def expected(traits: dict) -> dict:
    """Read the chosen head, row and pair off the nested lists."""
    weights, words = traits["data"]["weights"], traits["data"]["words"]
    query, key = traits["query"], traits["key"]
    row = [weights[traits["layer"]][traits["head"]][query][k] for k in range(len(words))]
    strongest = 0
    for k, weight in enumerate(row):
        if weight > row[strongest]:
            strongest = k
    return {
        "weights": weights[traits["layer"]][traits["head"]],
        "row": row,
        "strongest": words[strongest],
        "heads": [[head[query][key] for head in layer] for layer in weights],
    }
