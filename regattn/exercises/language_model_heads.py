"""Exercises on what the heads of a language model do."""

from functools import cache

import numpy as np

from regattn.exercises._exercise import EXACT, Exercise, Mistake


def _after_earlier_copies(text: str) -> list[int]:
    """Return the places, counted from 1, of what followed earlier copies of the last letter."""
    return [place + 2 for place, letter in enumerate(text[:-1]) if letter == text[-1]]


def _costs(whole: float, *less: float) -> list[float]:
    """Return how many nats each smaller probability of the right word costs."""
    return [float(np.log(whole / p)) for p in less]


@cache
def _told(name: str, *heads: tuple[int, int]) -> float:
    """Return the probability of a name after Tom was missed, when heads tell it as if Clara had called."""
    import torch

    from regattn.grammar.heads import patched_logits
    from regattn.grammar.sentences import Grammar
    from regattn.transformer.checkpoints import load_shipped

    grammar, (model, _) = Grammar(), load_shipped()
    told, read = (
        torch.tensor([[0, *grammar.encode([who, "called", "tom", "because", "he", "missed"])]])
        for who in ("clara", "anna")
    )
    q = patched_logits(model, read, told, heads=heads).double().softmax(-1)
    return float(q[0, grammar.encode([name])[0]])


EXERCISES = {
    1: Exercise(
        lambda: _after_earlier_copies("cadbcad"),
        "it looks for what followed the present word when that came before.",
        (
            Mistake(3, "there stands the earlier copy; the head wants to know what followed it."),
            Mistake(7, "this is the word itself."),
            Mistake(6, "this is the word before; the layer below looks there."),
            Mistake(2, "this is what stood before the earlier copy, and is behind us."),
        ),
        tolerance=EXACT,
    ),
    2: Exercise(
        lambda: (0.9 - 0.3) / (0.9 - 0.1),
        "how far are the two sentences apart, and how much of that way has the exchange gone?",
        (
            Mistake(0.6, "this is how much has moved; as a share of how much there was to move?"),
            Mistake(0.3, "this is what stays with the plural, and some of it would stay in the other sentence too."),
            Mistake(2 / 3, "the other sentence leaves something to the plural: the whole way is shorter."),
        ),
        share=True,
    ),
    3: Exercise(
        lambda: 2 * _costs(0.8, 0.1)[0] - sum(_costs(0.8, 0.7, 0.6, 0.1)),
        "a cost is a difference of logarithms: take that of both, then take away the two single ones.",
        (
            Mistake(lambda: _costs(0.8, 0.1)[0], "this is the cost of both; take away what each costs alone."),
            Mistake(lambda: sum(_costs(0.8, 0.7, 0.6)), "this is the sum of the two single costs."),
            Mistake(0.4, "this counts in probability; nats are differences of logarithms."),
            Mistake(
                lambda: (2 * _costs(0.8, 0.1)[0] - sum(_costs(0.8, 0.7, 0.6, 0.1))) / float(np.log(2)),
                "this is in bits; a nat is larger.",
            ),
        ),
    ),
    4: Exercise(
        lambda: 1 - 0.95**12,
        "how probable is it that none of the twelve stands out?",
        (
            Mistake(0.05, "this is for one head chosen beforehand."),
            Mistake(0.6, "twelve times .05 counts twice the cases in which two stand out."),
            Mistake(lambda: 0.95**12, "this is the probability that none does."),
        ),
        share=True,
    ),
    5: Exercise(
        lambda: _told("clara", (1, 1), (1, 4)),
        "text and donor differ in one word; exchange both heads at the end and read the softmax at *clara*.",
        (
            Mistake(lambda: _told("anna", (1, 1), (1, 4)), "this is what is left for *anna*."),
            Mistake(lambda: _told("clara", (1, 4)), "this exchanges head 4 alone."),
            Mistake(lambda: _told("clara", (1, 1)), "this exchanges head 1 alone."),
            Mistake(lambda: _told("clara", (2, 1), (2, 4)), "layers are counted from 1; this is another layer."),
        ),
        share=True,
    ),
}
