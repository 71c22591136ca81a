"""Exercises on full circle."""

import numpy as np

from regattn.exercises._exercise import Exercise, Mistake
from regattn.regression.in_context import design_flow, population_embedding


def _end(target: str) -> float:
    """Ω after very many steps on one column with X'X = 2 and noise of variance 2."""
    settings = {"noise": np.sqrt(2), "steps": 10_000, "learning_rate": 0.01}
    return float(design_flow([[1.0], [1.0]], target=target, **settings)[0, 0])


def _best(n: int, noise: float) -> float:
    """Ω for all contexts of n rows of one column of variance 1."""
    return float(population_embedding([[1.0]], n=n, noise=noise)[0, 0])


def _answered(layers: int, *, n: int = 2) -> float:
    """Return what layers with A = 1/4, which leave the rows where they are, answer at x = 4."""
    x, r = np.array([1.0, -1.0, 4.0]), np.array([3.0, -1.0, 0.0])
    for _ in range(layers):
        r = r - x * (x[:2] @ r[:2]) / (4 * n)
    return float(-r[2])


def _steps(times: float) -> float:
    """Return the steps, if it was 10,000 before, that are needed once the condition number has grown."""
    return 10_000.0 * times**3


def _first_order(factor: float, omega: float, n: int) -> float:
    """Weight that two mirrored softmax heads give an outcome one above the mean when 2 asks, to first order."""
    return 2 * factor * omega * 2.0 / n


EXERCISES = {
    1: Exercise(
        lambda: _end("clean"),
        "the target has no noise, so this is the denoiser: what is added to X'X before it is inverted?",
        (
            Mistake(lambda: _end("own"), "this is least squares, for a target that repeats the noise."),
            Mistake(1 / (2 + np.sqrt(2)), "the variance is added, not the standard deviation."),
            Mistake(1 / (2 + 2**2), "two is the variance already."),
        ),
    ),
    2: Exercise(
        lambda: _best(8, 1.0),
        "put n, the variance and the noise into the formula for the population; the trace of one column is itself.",
        (
            Mistake(1 / 8, "this is (nC)⁻¹, without the ridge that stands for what is not known."),
            Mistake(1 / 9, "n + 1 is right; what is added to it?"),
            Mistake(1 / 10, "one of trace, noise and the one beside n is missing."),
        ),
    ),
    3: Exercise(
        lambda: _answered(2),
        "the first layer changes every r, of the context too; the second goes on with what is left.",
        (
            Mistake(_answered(1), "this is one layer."),
            Mistake(_answered(1000), "this is least squares: two such steps do not get as far."),
            Mistake(_answered(2, n=1), "the sum over the context is divided by n."),
            Mistake(2 * _answered(1), "the second layer meets a smaller r in the context than the first."),
        ),
    ),
    4: Exercise(
        lambda: _steps(2),
        "how does the number of steps grow with the condition number?",
        (
            Mistake(_steps(2 ** (1 / 3)), "for a regression it would be twice as many; here z carries the curvature."),
            Mistake(_steps(2 ** (2 / 3)), "z carries the curvature twice; the rows bend the loss once more."),
            Mistake(10_000, "the step and the weakest direction no longer fit together as they did."),
        ),
        tolerance=0.01,
    ),
    5: Exercise(
        lambda: _first_order(3.0, 0.1, 10),
        "to first order softmax weighs by 1/n + xΩ(x_i − x̄)/n; take the difference of the heads, times the factor.",
        (
            Mistake(_first_order(3.0, 0.1, 10) / 2, "both heads add to it: their difference is twice that of one."),
            Mistake(_first_order(3.0, 0.1, 1), "softmax shares out over ten rows: where is the n?"),
            Mistake(_first_order(1.0, 0.1, 10), "where is the factor of the heads?"),
            Mistake(_first_order(3.0, 0.1, 10) + 1 / 10, "the uniform weights of the two heads cancel."),
        ),
    ),
}
