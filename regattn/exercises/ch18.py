"""Exercises of chapter 18, a language model and its truth."""

import numpy as np

from regattn.exercises._exercise import Exercise


def _tempered() -> float:
    """Probability of the first of three tokens with logits 2, 1, 0 at temperature one half."""
    import torch

    from regattn.transformer.generation import next_token_distribution

    return float(next_token_distribution(torch.tensor([2.0, 1.0, 0.0]), temperature=0.5)[0])


def _entropy_after(context: str) -> float:
    """Exact entropy of the next word of the grammar, in nats."""
    from regattn.grammar.sentences import Grammar

    p = np.array([q for q in Grammar().next_word(context.split()).values() if q])
    return float(-(p * np.log(p)).sum())


def _entropy_at_depth_two() -> float:
    from regattn.grammar.sentences import Grammar

    return Grammar(depth=2).entropy().per_word


EXERCISES = {
    "18.1": Exercise(
        lambda: float(-np.log([1 / 2, 1 / 4, 1 / 8]).mean()),
        "take minus the natural logarithm of each probability, then the mean, not the sum.",
        wrong=float(-np.log([1 / 2, 1 / 4, 1 / 8]).sum()),
    ),
    "18.2": Exercise(
        lambda: float((np.array([0.5, 0.5]) * np.log(np.array([0.5, 0.5]) / [0.8, 0.2])).sum()),
        "average log(truth / model) over the truth, not over the model.",
        wrong=float((np.array([0.8, 0.2]) * np.log(np.array([0.8, 0.2]) / 0.5)).sum()),
    ),
    "18.3": Exercise(
        _tempered,
        "divide the logits by the temperature before the softmax: the gaps between them grow.",
        wrong=0.665,
    ),
    "18.4": Exercise(
        lambda: _entropy_after("the bank was"),
        "both senses are still open, and every word that may follow is equally probable: how many are there?",
        wrong=float(np.log(4)),
    ),
    "18.5": Exercise(
        _entropy_at_depth_two,
        "`Grammar(depth=2).entropy()` gives it to any number of digits; the differences are small.",
        wrong=1.3,
        tolerance=0.001,
    ),
}
