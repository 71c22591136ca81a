"""Exercises on a language model and its truth."""

import numpy as np

from regattn.exercises._exercise import Exercise, Mistake
from regattn.grammar.sentences import Entropy, Grammar


def _divergence(truth: list[float], model: list[float]) -> float:
    """Kullback–Leibler divergence of a model from the truth, in nats."""
    return float((np.array(truth) * np.log(np.array(truth) / model)).sum())


def _tempered(temperature: float) -> float:
    """Probability of the first of three tokens with logits 2, 1, 0 at a temperature."""
    import torch

    from regattn.transformer.generation import next_token_distribution

    return float(next_token_distribution(torch.tensor([2.0, 1.0, 0.0]), temperature=temperature)[0])


def _entropy_after(context: str) -> float:
    """Exact entropy of the next word of the grammar, in nats."""
    p = np.array([q for q in Grammar().next_word(context.split()).values() if q])
    return float(-(p * np.log(p)).sum())


def _entropy_at(depth: int) -> Entropy:
    """Exact entropy of the grammar with so many relative clauses inside each other."""
    return Grammar(depth=depth).entropy()


def _spread(share: float, cases: int) -> float:
    """Return the standard deviation of a frequency over some cases that come with a probability."""
    return float(np.sqrt(share * (1 - share) / cases))


EXERCISES = {
    1: Exercise(
        lambda: float(-np.log([1 / 2, 1 / 4, 1 / 8]).mean()),
        "take minus the natural logarithm of each probability, then the mean, not the sum.",
        (
            Mistake(
                lambda: float(-np.log([1 / 2, 1 / 4, 1 / 8]).sum()), "this is for all three words; per word, please."
            ),
            Mistake(2.0, "this is in bits; a nat is larger."),
            Mistake(
                lambda: float(-np.log(7 / 24)), "this is the logarithm of the mean; take the mean of the logarithms."
            ),
        ),
    ),
    2: Exercise(
        lambda: _divergence([0.5, 0.5], [0.8, 0.2]),
        "average log(truth / model) over the truth, not over the model.",
        (
            Mistake(
                lambda: _divergence([0.8, 0.2], [0.5, 0.5]),
                "this averages over the model, and the truth writes the text.",
            ),
            Mistake(
                lambda: float(-np.log([0.8, 0.2]).mean()),
                "this is the cross-entropy; the text's own entropy is not excess.",
            ),
            Mistake(
                lambda: _divergence([0.5, 0.5], [0.8, 0.2]) / float(np.log(2)), "this is in bits; a nat is larger."
            ),
        ),
    ),
    3: Exercise(
        lambda: _tempered(0.5),
        "divide the logits by the temperature before the softmax: the gaps between them grow.",
        (
            Mistake(lambda: _tempered(1.0), "this is for temperature one."),
            Mistake(lambda: _tempered(2.0), "this multiplies by the temperature; divide by it."),
            Mistake(2 / 3, "softmax shares out exponentials of the logits, not the logits."),
        ),
        share=True,
    ),
    4: Exercise(
        lambda: _entropy_after("the bank was"),
        "both senses are still open, and every word that may follow is equally probable: how many are there?",
        (
            Mistake(lambda: float(np.log(4)), "this would be right if the sense were known; both are open."),
            Mistake(3.0, "this is in bits; a nat is larger."),
            Mistake(8.0, "this is the number of words; the entropy is its logarithm."),
            Mistake(lambda: float(np.log(2)), "this is the entropy of the sense; the words of a sense come on top."),
        ),
    ),
    5: Exercise(
        lambda: _entropy_at(2).per_word,
        "`Grammar(depth=2).entropy()` gives it to any number of digits; the differences are small.",
        (
            Mistake(lambda: _entropy_at(1).per_word, "this is still for one clause."),
            Mistake(lambda: _entropy_at(2).per_sentence, "this is per sentence; divide by its mean length."),
            Mistake(lambda: _entropy_at(2).per_word / float(np.log(2)), "this is in bits; a nat is larger."),
        ),
        tolerance=0.001,
    ),
    6: Exercise(
        lambda: _spread(0.4, 188),
        "the word of each prediction comes or does not; what is the standard deviation of a mean of such cases?",
        (
            Mistake(lambda: _spread(0.4, 188) ** 2, "this is the variance; take its root."),
            Mistake(lambda: _spread(0.4, 1), "this is the spread of one case; a bin has many."),
            Mistake(lambda: _spread(0.4, 1880), "a bin holds a tenth of the predictions."),
            Mistake(lambda: _spread(0.4, 188) * 188, "this is for the number of cases, not for their share."),
        ),
    ),
}
