"""Exercises on a real corpus."""

import math

import numpy as np
from scipy.sparse.linalg import svds

from regattn.data import load_lee_corpus
from regattn.exercises._exercise import Exercise, Mistake
from regattn.words.counting import count_cooccurrences, ppmi
from regattn.words.vocabulary import Vocabulary, split_words


def _share_held(*, window: int = 10, rank: int = 50, squared: bool = True, context_power: float = 0.75) -> float:
    """Return the share of the table that its first directions hold."""
    stories = [split_words(story) for story in load_lee_corpus()]
    words = Vocabulary.from_documents(stories, min_count=5, unknown="skip")
    table = ppmi(count_cooccurrences(stories, words, window=window), context_power=context_power)
    if not squared:
        values = np.linalg.svd(table.toarray(), compute_uv=False)
        return float(values[:rank].sum() / values.sum())
    values = svds(table, rank, return_singular_vectors=False, rng=0)
    return float((values**2).sum() / (table.data**2).sum())


EXERCISES = {
    1: Exercise(
        lambda: math.log(12 * 2400 / (40 * 60)) - math.log(5),
        "put the counts into the optimum of a free cell: how often would the pair meet by chance?",
        (
            Mistake(math.log(12), "this is the PMI; what do the negatives take off?"),
            Mistake(2.4, "take the logarithm."),
            Mistake(math.log(12) + math.log(5), "more negatives pull the cell down."),
            Mistake(math.log(12) - 5, "the logarithm of k is taken off, not k."),
            Mistake(math.log10(2.4), "logarithms are natural."),
        ),
    ),
    2: Exercise(
        lambda: math.log(0.01 / 0.02),
        "in the derivative only the number of negatives of a cell changes. By which factor?",
        (
            Mistake(math.log(0.01**0.75), "the power is already in the 2 per cent: compare the two shares."),
            Mistake(-0.5, "take the logarithm of the ratio."),
            Mistake(math.log(0.99 / 0.98), "compare the shares themselves, not what is left of one."),
            Mistake(-0.01, "the cell moves by the logarithm of a ratio, not by a difference of shares."),
        ),
    ),
    3: Exercise(
        _share_held,
        "squares of the first fifty singular values over the squares of all cells; window 10, power 0.75.",
        (
            Mistake(lambda: _share_held(window=5), "this is for a window of 5."),
            Mistake(lambda: _share_held(context_power=1.0), "this is without smoothing."),
            Mistake(lambda: _share_held(squared=False), "take squares: they add up to the squares of the cells."),
        ),
        share=True,
    ),
    4: Exercise(
        lambda: math.log(4 * 80 / (12 * 12)),
        "add the counts first, every total too, and take the logarithm once.",
        (
            Mistake(math.log(2), "this is what each shard says by itself, and their mean; the merged table says more."),
            Mistake(2 * math.log(2), "logarithms of shards do not add up; counts do."),
            Mistake(320 / 144, "take the logarithm."),
            Mistake(math.log(320) / 144, "the logarithm was taken before the division: put the ratio into brackets."),
            Mistake(math.log10(320 / 144), "logarithms are natural."),
        ),
    ),
    5: Exercise(
        lambda: 2 * 0.5**3,
        "what is one toss of the coin here: an occurrence, or a story?",
        (
            Mistake(
                2 * 0.5**9,
                "this takes the nine occurrences for nine tosses; those of one story stand or fall together.",
            ),
            Mistake(0.004, "this is the number that was printed: it takes occurrences for tosses of a coin."),
            Mistake(0.5**3, "two-sided: the other method might have won all three."),
            Mistake(0.5**9, "count stories, and both sides."),
            Mistake(3 / 61, "this is a share of occurrences, not a probability under chance."),
        ),
        share=True,
    ),
}
