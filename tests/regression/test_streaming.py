"""Rows folded chunk by chunk, or in parts elsewhere, give the fit of all rows in memory."""

import numpy as np
import pytest

from regattn.regression import Factor, spectrum

RIDGES = np.array([0.0, 3.0, 1e4])


def rows(n: int = 3000, p: int = 6, targets: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return a design whose columns differ in mean and size and hang together, and targets."""
    rng = np.random.default_rng(7)
    Z = rng.normal(size=(n, p))
    Z[:, 1:] += 0.9 * Z[:, :-1]
    X = Z * np.logspace(0, 2, p) + np.linspace(-50, 1000, p)
    y = 3 + Z @ rng.normal(size=(p, targets or 1)) + rng.normal(size=(n, targets or 1))
    return X, y if targets else y[:, 0]


def chunks(X, y, *at):
    return list(zip(np.split(X, at), np.split(y, at), strict=True))


@pytest.fixture(scope="module")
def folded():
    X, y = rows()
    return Factor.accumulate(iter(chunks(X, y, 3, 700, 701, 2500))), spectrum(X, centre=True), X, y


def close(found, expected, digits=1e-10):
    """Compare with memory: both lose a few digits to columns a thousand spreads away from zero."""
    np.testing.assert_allclose(found, expected, rtol=digits, atol=digits * np.abs(expected).max())


def test_coefficients_for_every_penalty_and_rank(folded):
    factor, memory, _, y = folded
    for options in ({}, {"ridge": 2.0}, {"ridge": RIDGES}, {"rank": 2}, {"ridge": RIDGES, "rank": 4}):
        found, expected = factor.coefficients(**options), memory.coefficients(y, **options)
        close(found.coef, expected.coef)
        close(found.intercept, expected.intercept)
        assert found.coef.shape == expected.coef.shape
        assert found.intercept.shape == expected.intercept.shape


def test_singular_values_means_and_degrees_of_freedom(folded):
    factor, memory, X, _ = folded
    close(factor.spectrum.singular_values, memory.singular_values)
    close(factor.means, X.mean(axis=0))
    close(factor.effective_dof(ridge=RIDGES), memory.effective_dof(ridge=RIDGES))
    assert factor.n == len(X)


def test_residual_sum_of_squares(folded):
    factor, memory, X, y = folded
    expected = ((y - memory.predict(X, y, ridge=RIDGES)) ** 2).sum(axis=-1)
    close(factor.residual_sum_of_squares(ridge=RIDGES), expected)
    assert np.shape(factor.residual_sum_of_squares()) == ()


def test_weights_leverages_and_leave_one_out_chunk_by_chunk(folded):
    factor, memory, X, y = folded
    parts = chunks(X, y, 1000, 1001)
    new = X[:4] + 1.0
    for ridge in (0.0, RIDGES):
        weights = [factor.weights(new, part, ridge=ridge) for part, _ in parts]
        close(np.concatenate(weights, axis=-1), memory.weights(new, ridge=ridge), 1e-9)
        leverages = [factor.leverage(part, ridge=ridge) for part, _ in parts]
        close(np.concatenate(leverages, axis=-1), memory.leverage(ridge=ridge), 1e-9)
        errors = [factor.loo_residuals(*part, ridge=ridge) for part in parts]
        close(np.concatenate(errors, axis=-1), memory.loo_residuals(y, ridge=ridge), 1e-9)


@pytest.mark.parametrize("targets", [None, 1, 3])
def test_parts_folded_apart_are_one_whatever_their_order(targets):
    X, y = rows(targets=targets)
    parts = [Factor.accumulate([part]) for part in chunks(X, y, 10, 1200, 2999)]
    tree, turned = (parts[0] + parts[1]) + (parts[2] + parts[3]), parts[3] + parts[2] + parts[1] + parts[0]
    expected = spectrum(X, centre=True).coefficients(y, ridge=RIDGES)
    for whole in (tree, turned):
        close(whole.coefficients(ridge=RIDGES).coef, expected.coef)
        close(whole.coefficients(ridge=RIDGES).intercept, expected.intercept)
    assert np.shape(tree.residual_sum_of_squares(ridge=RIDGES)) == ((3,) if targets is None else (3, targets))


def test_a_column_that_repeats_another_is_left_out_and_the_shortest_answer_given():
    X, y = rows(400, 3)
    X = np.column_stack((X, X[:, 0] - 2 * X[:, 1]))
    factor = Factor.accumulate(chunks(X, y, 7, 9))
    assert factor.spectrum.rank == 3
    close(factor.coefficients().coef, spectrum(X, centre=True).coefficients(y).coef, 1e-8)


def test_memory_does_not_grow_with_the_rows():
    held = []

    def stream():
        for i in range(50):
            held.append(i)
            rng = np.random.default_rng(i)
            yield rng.normal(size=(100, 4)), rng.normal(size=100)

    factor = Factor.accumulate(stream())
    assert (factor.n, factor.triangle.shape, len(held)) == (5000, (6, 6), 50)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ((np.ones((2, 5)), np.ones(2)), "chunk 1: both parts must have the same number of columns of X, got 6 and 5"),
        ((np.ones((2, 6)), np.ones((2, 2))), "chunk 1: both parts must have the same number of targets, got 1 and 2"),
        ((np.full((2, 6), np.nan), np.ones(2)), "chunk 1: X .*nan"),
        ((np.ones((2, 6)), np.ones(3)), "chunk 1: y"),
        ((np.ones((0, 6)), np.ones(0)), "chunk 1: X"),
    ],
)
def test_a_bad_chunk_is_named_with_what_is_wrong(second, message):
    with pytest.raises(ValueError, match=message):
        Factor.accumulate([rows(), second])


def test_no_chunk_and_no_factor_are_named():
    with pytest.raises(ValueError, match="there is no chunk"):
        Factor.accumulate([])
    with pytest.raises(TypeError):
        Factor.accumulate([rows()]) + 1


def test_several_targets_have_no_leave_one_out():
    X, y = rows(targets=2)
    with pytest.raises(ValueError, match="one target, got 2"):
        Factor.accumulate([(X, y)]).loo_residuals(X, y)
