"""Exercises on tokens."""

import math

from regattn.exercises._exercise import EXACT, Exercise, Mistake
from regattn.from_scratch import learn_merges, merge


def _tokens_of_lowest(rounds: int = 3) -> int:
    words = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    parts = list("lowest")
    for pair in learn_merges(words, len(set("".join(words))) + rounds):
        parts = merge(parts, pair)
    return len(parts)


def _perplexity_per_byte(bits: float = 6.4, length: float = 4.0) -> float:
    return 2 ** (bits / length)


def _contexts(vocabulary: int = 200_000) -> int:
    return math.ceil(80 / math.log10(vocabulary))


def _reach(windows: tuple[int, ...] = (4, 8, 16, 32)) -> int:
    return 1 + sum(window - 1 for window in windows)


def _entropy(share: float = 0.04) -> float:
    """Return the entropy of a yes or no, in bits."""
    return -share * math.log2(share) - (1 - share) * math.log2(1 - share)


EXERCISES = {
    1: Exercise(
        _tokens_of_lowest,
        "the first pair occurs nine times, in *newest* and *widest*. What does it become part of next?",
        (
            Mistake(6, "these are its letters; now apply the merges."),
            Mistake(_tokens_of_lowest(2), "this is after two merges."),
            Mistake(_tokens_of_lowest(4), "this is after four merges."),
            Mistake(1, "the word itself never occurs, so no merge makes it whole."),
        ),
        tolerance=EXACT,
    ),
    2: Exercise(
        _perplexity_per_byte,
        "divide the bits of a token among its bytes; then two to that power.",
        (
            Mistake(2**6.4, "this is the perplexity per token."),
            Mistake(2**6.4 / 4, "perplexities are not divided by a length; bits are."),
            Mistake(1.6, "these are the bits per byte; perplexity is two to that power."),
            Mistake(math.exp(1.6), "the bits are to the base of two."),
            Mistake(3.0, "this is model B's."),
        ),
        tolerance=0.002,
    ),
    3: Exercise(
        _contexts,
        "how many powers of ten does one token bring? How many of them make eighty?",
        (
            Mistake(_contexts() - 1, "so many are not quite enough."),
            Mistake(_contexts(50_000), "this is for 50,000 tokens."),
            Mistake(15.09, "tokens come whole: round up."),
            Mistake(15.1, "tokens come whole: round up."),
        ),
        tolerance=EXACT,
    ),
    4: Exercise(
        _reach,
        "how many places further back does each layer bring, beyond where the one below stands?",
        (
            Mistake(60, "the windows share a place at each step: one layer brings one less than its window."),
            Mistake(56, "and the place itself?"),
            Mistake(32, "this is the widest window; what it sees has looked back already."),
            Mistake(4 * 8 * 16 * 32, "reaches are added, not multiplied."),
        ),
        tolerance=EXACT,
    ),
    5: Exercise(
        _entropy,
        "each byte is a capital or not, with chances of .04 and .96: what is the entropy of that, in bits?",
        (
            Mistake(_entropy() * math.log(2), "this is in nats; the report counts bits."),
            Mistake(0.13, "this is the lead of the report. What would it have to pay for what it left out?"),
            Mistake(-math.log2(0.04), "this is the cost of one capital; most bytes are none."),
            Mistake(-0.04 * math.log2(0.04), "that a byte is no capital has to be said too."),
            Mistake(0.04, "this is the share of capitals; what does it cost to say which?"),
        ),
        tolerance=0.02,
    ),
}
