"""The InductionExplorer's numbers by loops over places, and by the blackboard where nothing is taken away."""

import numpy as np

from regattn.widgets import InductionExplorer


def example(**options) -> InductionExplorer:
    """Return one on the text of the chapter, a little less sharp, so that every control can be felt."""
    return InductionExplorer(**({"sharpness": 4.0} | options))


def expected(traits: dict) -> dict:
    """Weigh place by place."""
    words = ["<start>", *traits["text"].split()[:24]]
    vocabulary, n = list(dict.fromkeys(words)), len(words)
    own = np.array([vocabulary.index(word) for word in words])

    def layer(scores: np.ndarray) -> np.ndarray:
        allowed = np.tri(n) if traits["causal"] else np.ones((n, n))
        exponentials = np.exp(traits["sharpness"] * (scores - scores.max(axis=1, keepdims=True))) * allowed
        return exponentials / exponentials.sum(axis=1, keepdims=True)

    codes = np.eye(len(vocabulary))[own]
    fetched = np.zeros_like(codes)
    if traits["back"] != "off":
        fetched = layer(np.eye(n, k=-int(traits["back"]))) @ codes
    looks = layer(codes @ fetched.T) if traits["match"] else np.zeros((n, n))
    shares = looks @ codes
    again = [shares[t, own[t + 1]] for t in range(2, n - 1) if own[t] in own[1:t]]
    return {
        "words": words,
        "vocabulary": vocabulary,
        "fetched": fetched.tolist(),
        "looks": looks[-1].tolist(),
        "shares": shares[-1].tolist(),
        "right": float(np.mean(again)) if again else None,
    }
