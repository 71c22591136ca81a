"""Exercises on latent codes."""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split

from regattn.attention import attend
from regattn.exercises._exercise import EXACT, Exercise, Mistake


def _told(T: float = 0.5, codes: tuple[float, float] = (0.0, 2.0)) -> float:
    """Return the average of two codes that a latent vector at 0.5 is sent as."""
    keys = np.array(codes)[:, None]
    return float(attend(np.array([[0.5]]), keys, keys, kernel="gaussian", scale=1 / T)[0, 0])


def _slope(*, copy: bool = True, beta: float = 1.0) -> float:
    """Return the slope of the loss by a, for x = 2, z = ax with a = 1, b = 3 and codes 1 and 4."""
    x, z, b = 2.0, 2.0, 3.0
    e = min((1.0, 4.0), key=lambda code: abs(z - code))
    by_code = 2 * (b * e - x) * b
    return (by_code * copy + 2 * beta * (z - e)) * x


def _error(*, width: int = 5, new: bool = True, total: bool = False, intercept: bool = True) -> float:
    """Return the squared error per pixel that principal components leave; without intercept, directions from zero."""
    X, X_new = train_test_split(load_digits().data / 16, train_size=1400, random_state=0)
    pca = PCA(width).fit(X if intercept else np.concatenate([X, -X]))
    rows = X_new if new else X
    squares = (pca.inverse_transform(pca.transform(rows)) - rows) ** 2
    return float(squares.sum(axis=1).mean() if total else squares.mean())


EXERCISES = {
    1: Exercise(
        lambda: 8**4,
        "each of the four codes can be any of the eight.",
        (
            Mistake(32, "choices that follow each other multiply."),
            Mistake(12, "these are the bits; how many images can so many bits tell apart?"),
            Mistake(4**8, "four places with eight choices each, not the other way round."),
            Mistake(8, "so many codes there are; an image is four of them in a row."),
        ),
        tolerance=EXACT,
    ),
    2: Exercise(
        _told,
        "scores −d²/(2T) for the distances 0.5 and 1.5, their softmax, and the average of 0 and 2 with these weights.",
        (
            Mistake(2 - _told(), "this is told by the weights the other way round; the nearer code has more."),
            Mistake(_told(0.25), "the squared distance is divided by 2T."),
            Mistake(_told() / 2, "this is the weight of the farther code; average the codes with the weights."),
            Mistake(1 - _told() / 2, "this is the weight of the nearer code; average the codes with the weights."),
            Mistake(0.0, "so it is when the nearest is chosen; here both have their weight."),
            Mistake(0.5, "so it would be if the point itself were sent."),
        ),
    ),
    3: Exercise(
        _slope,
        "the slope by e goes on to z as it is; add that of the commitment, and multiply by dz/da = x.",
        (
            Mistake(_slope(copy=False), "the copy hands the slope of the reconstruction on to z."),
            Mistake(_slope(beta=0.0), "the commitment pulls too."),
            Mistake(_slope() / 2, "this is the slope by z; by a there is a factor x more."),
            Mistake(-_slope(), "the other sign: both terms grow when z grows."),
            Mistake(0.0, "the choice has no slope, but the copy hands one on."),
            Mistake(_slope() - 2, "the commitment's slope by z is multiplied by dz/da = x too."),
            Mistake(_slope() + 4, "the codebook term does not move the encoder: its z is stopped."),
        ),
    ),
    4: Exercise(
        _error,
        "which plane does it end in? `PCA(5)`, fitted to `X`.",
        (
            Mistake(_error(new=False), "this is the error on `X`."),
            Mistake(_error(total=True), "this is the error of an image; divide by its pixels."),
            Mistake(_error(intercept=False), "its maps have intercepts, so the mean is taken off first."),
            Mistake(_error(width=4), "this is for width 4."),
            Mistake(_error(width=6), "this is for width 6."),
        ),
        tolerance=1e-2,
    ),
    5: Exercise(
        lambda: 262 + 11,
        "a code for each digit: how long is the codebook, and how many digits share it?",
        (
            Mistake(11, "the receiver has no codebook yet; share its length among the digits."),
            Mistake(262, "this is the codebook's part; the number of the code is sent too."),
            Mistake(251, "nothing is saved: the codebook and the number of the code both have to be sent."),
            Mistake(262 * 11, "lengths of what is sent one after the other add up."),
        ),
        tolerance=0.003,  # log₂ 1400 in place of 11 is right too
    ),
}
