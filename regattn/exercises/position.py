"""Exercises on position."""

import numpy as np

from regattn.exercises._exercise import EXACT, Exercise, Mistake
from regattn.transformer import frequencies


def _opposite(*, clock: int = 1, turn: float = 0.5) -> float:
    """Return after how many places a clock of a code of four coordinates has gone so far round."""
    return float(2 * np.pi * turn / frequencies(4)[clock])


def _own_share(slope: float = 1 / 8) -> float:
    return float(1 - np.exp(-slope))


def _spread(*, width: int = 32, lag: int = 20, slip: int = 1, places: int = 200) -> float:
    """Return how far the products of places of one distance lie apart, with 2i + slip as exponent of the cosine."""
    p, j = np.arange(places)[:, None], np.arange(0, width, 2) / width
    slower = np.cos(p * 10_000.0 ** -(j + slip / width))
    code = np.concatenate([np.sin(p * 10_000.0**-j), slower], axis=1)
    return float(np.ptp((code[lag:] * code[:-lag]).sum(axis=1)))


def _to_pads(*, pads: int = 5, scores: tuple = (1.0, 0.0, -1.0), of_a_pad: float = 1.0) -> float:
    on_pads = pads * of_a_pad
    return float(on_pads / (on_pads + np.exp(scores).sum()))


def _not_round(*, width: int = 16, largest: float = 31, turn: float = 2 * np.pi) -> int:
    """Return how many pairs have not turned so far at the largest distance."""
    return int((largest * frequencies(width) < turn).sum())


EXERCISES = {
    1: Exercise(
        _opposite,
        "how fast does the second pair of four coordinates turn, and how far is half a turn?",
        (
            Mistake(_opposite(turn=1), "then the hand has gone all the way round."),
            Mistake(_opposite(clock=0), "this is the fast clock."),
            Mistake(np.pi * 10_000, "with D = 4 and i = 1 the exponent 2i/D is one half."),
            Mistake(_opposite(turn=0.25), "this is a quarter of a turn."),
            Mistake(180 / 0.01, "the angles are in radians."),
        ),
    ),
    2: Exercise(
        _own_share,
        "the weights are 1, e^(−1/8), e^(−2/8), …: one over the sum of a geometric series.",
        (
            Mistake(np.exp(-1 / 8), "this is the factor from one step to the next."),
            Mistake(1 / 8, "nearly; the series is one of exponentials, and so is the answer."),
            Mistake(1 / 9, "that is smoothing by 1/(1 + 8); here each step back multiplies by e^(−1/8)."),
            Mistake(_own_share() / np.exp(1 / 8), "this is the share of the token before."),
            Mistake(0.0, "the past is endless, but its weights have a finite sum."),
        ),
        share=True,
    ),
    3: Exercise(
        _spread,
        "a table of 200 rows with slip 1; the products of row p + 20 with row p; the range of these 180 numbers.",
        (
            Mistake(_spread(slip=0), "this is with the right exponent."),
            Mistake(_spread(places=512), "this is for 512 places."),
            Mistake(_spread(places=64), "this is for 64 places."),
        ),
    ),
    4: Exercise(
        _to_pads,
        "a pad scores 0 and weighs e⁰; add the weights of all eight.",
        (
            Mistake(0.0, "a key of zeros scores zero, and zero is not −∞."),
            Mistake(5 / 8, "the tokens do not all weigh the same."),
            Mistake(_to_pads(pads=1), "this is one pad."),
            Mistake(1 - _to_pads(), "this is what is left for the tokens."),
            Mistake(_to_pads(of_a_pad=np.e), "a pad weighs e⁰, which is not e."),
        ),
        share=True,
    ),
    5: Exercise(
        _not_round,
        "the largest distance of training is 31; compare 31 θᵢ with a full turn, for the eight pairs of a width of 16.",
        (
            Mistake(_not_round(turn=4 * np.pi), "this counts those without two turns."),
            Mistake(8 - _not_round(), "these are the ones that have been round."),
            Mistake(8, "the fastest goes round in 6.3 places."),
            Mistake(0, "and the slowest? It turns by a few hundredths of a radian in the whole window."),
        ),
        tolerance=EXACT,
        counted="pair",
    ),
}
