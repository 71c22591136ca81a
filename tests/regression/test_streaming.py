"""Rows folded chunk by chunk, or in parts elsewhere, give the fit of all rows in memory."""

import functools
import operator
import pickle
import tracemalloc

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings, strategies as st
from threadpoolctl import ThreadpoolController, threadpool_limits

from regattn.regression import Factor, _factorisation, spectrum
from tests.regression.test_least_squares import LONGLEY

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


def test_without_a_penalty_named_everything_is_least_squares(folded):
    factor, _, X, y = folded
    part = X[:5], y[:5]
    for method, asked in (
        (lambda **options: factor.coefficients(**options).coef, ()),
        (factor.residual_sum_of_squares, ()),
        (factor.effective_dof, ()),
        (factor.weights, (X[:3], X[:5])),
        (factor.leverage, part[:1]),
        (factor.loo_residuals, part),
    ):
        np.testing.assert_array_equal(method(*asked), method(*asked, ridge=0.0))


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
        ((np.full((2, 6), np.nan), np.ones(2)), "chunk 1, row 3000 of all: X must be finite, got nan at index"),
        ((np.ones((3, 6)), np.array([1.0, 2.0, -np.inf])), "chunk 1, row 3002 of all: y must be finite, got -inf"),
        ((np.ones((2, 6)), np.ones(3)), "chunk 1: y has 3 entries but there are 2 training rows"),
        ((np.ones((0, 5)), np.ones(0)), "chunk 1: both parts must have the same number of columns of X, got 6 and 5"),
        ((np.ones(6), 1.0), "chunk 1: X must have two dimensions"),
        ((np.ones((2, 6), dtype=complex), np.ones(2)), "chunk 1: X must hold real numbers"),
        (([[1.0], [1.0, 2.0]], np.ones(2)), "chunk 1: .*inhomogeneous"),
        (np.ones((2, 6)), r"chunk 1 must be a pair \(X, y\), got an array of shape \(2, 6\)"),
        ((np.ones((2, 6)), np.ones(2), None), r"chunk 1 must be a pair \(X, y\), got 3 parts"),
        (None, r"chunk 1 must be a pair \(X, y\), got None"),
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


def test_a_whole_table_given_as_chunks_is_named():
    X, y = rows(50, 3)
    with pytest.raises(ValueError, match=r"chunk 0 must be a pair \(X, y\), got an array of shape \(50, 3\)"):
        Factor.accumulate((X, y))  # the brackets of a list are missing


@pytest.mark.parametrize("targets", [1, 2])
def test_targets_with_a_second_axis_have_no_leave_one_out(targets):
    X, y = rows(targets=targets)
    with pytest.raises(ValueError, match=rf"folded y of shape \(m,\), got shape \(m, {targets}\)"):
        Factor.accumulate([(X, y)]).loo_residuals(X, y)


def test_targets_of_another_shape_than_those_folded_are_named():
    X, y = rows(50, 3)
    factor = Factor.accumulate([(X, y)])
    for wrong in (y[:, None], y[1:]):
        with pytest.raises(ValueError, match=r"y must have shape \(m,\) with the m rows of X, got \(\d+"):
            factor.loo_residuals(X, wrong)


# --- any split --------------------------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 40),
    p=st.integers(1, 6),
    shift=st.sampled_from([0.0, 1.0, -1e3, 1e6]),
    ordered=st.booleans(),
    twins=st.booleans(),
    data=st.data(),
)
def test_any_split_and_any_tree_give_the_fit_of_all_rows(seed, n, p, shift, ordered, twins, data):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X = (np.sort(X, axis=0) if ordered else X) + shift
    if twins and p > 2:
        X[:, 2] = X[:, 0]
    y = X.sum(axis=1) + rng.normal(size=n)
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=8), label="cuts"))  # chunks of no row and of one, too
    parts = [Factor.accumulate([part]) for part in chunks(X, y, *cuts)]
    order = data.draw(st.permutations(range(len(parts))), label="order")
    memory = spectrum(X, centre=True)
    # numbers near 1e6 are rounded to 1e-10, and what the two roads make of that differs less than it matters
    exact = 1e-9 if memory.singular_values.min() > 1e-3 * memory.singular_values.max() else 1e-6
    for whole in (Factor.accumulate(chunks(X, y, *cuts)), functools.reduce(operator.add, [parts[i] for i in order])):
        assert whole.n == n
        assert whole.spectrum.rank == memory.rank
        np.testing.assert_allclose(whole.leverage(X, ridge=0.1), memory.leverage(ridge=0.1), rtol=0, atol=exact)
        expected = memory.coefficients(y, ridge=0.1).coef
        np.testing.assert_allclose(whole.coefficients(ridge=0.1).coef, expected, rtol=0, atol=exact)


def test_rows_one_by_one_give_what_statsmodels_finds():
    X, y = rows(101, 5)
    factor = Factor.accumulate(chunks(X, y, *range(1, 101)))
    model = sm.OLS(y, sm.add_constant(X)).fit()
    influence = model.get_influence()
    close(factor.coefficients().coef, model.params[1:], 1e-8)  # statsmodels squares no number but starts from zero
    close(factor.residual_sum_of_squares(), model.ssr, 1e-8)
    close(factor.leverage(X), influence.hat_matrix_diag, 1e-8)
    close(factor.loo_residuals(X, y), influence.resid_press, 1e-8)


def test_longley_keeps_its_digits_in_chunks_of_fewer_rows_than_columns():
    longley = sm.datasets.longley.load_pandas()
    X, y = longley.exog.to_numpy(), longley.endog.to_numpy()
    fit = Factor.accumulate(chunks(X, y, 3, 6, 7, 12)).coefficients()
    np.testing.assert_allclose(fit.coef, LONGLEY, rtol=1e-11)  # one digit less than in memory
    np.testing.assert_allclose(fit.intercept, -3482258.63459582, rtol=1e-11)


def test_a_first_row_far_from_all_others_costs_the_others_no_digit():
    X, y = rows(500, 3)
    far = np.full((1, 3), 1e9)
    factor = Factor.accumulate([(far, np.zeros(1)), *chunks(X, y, 100)])
    expected = spectrum(np.concatenate((far, X)), centre=True)
    close(factor.leverage(X), expected.leverage()[1:], 1e-8)


def test_a_constant_column_leaves_nothing_after_centring():
    X, y = rows(300, 4)
    X[:, 1] = 0.1
    factor = Factor.accumulate(chunks(X, y, 1, 100, 177))
    assert factor.spectrum.rank == 3
    assert factor.coefficients().coef[1] == 0.0


# --- the edges --------------------------------------------------------------------------------------------------------


def test_chunks_without_rows_change_nothing():
    X, y = rows(50, 3)
    none = np.ones((0, 3)), np.ones(0)
    plain, more = Factor.accumulate([(X, y)]), Factor.accumulate([none, (X, y), none])
    assert more.n == 50
    np.testing.assert_array_equal(more.triangle, plain.triangle)
    for ask in (Factor.coefficients, Factor.residual_sum_of_squares, lambda factor: factor.means):
        with pytest.raises(ValueError, match="the factor has no rows"):
            ask(Factor.accumulate([none]))


def test_a_chunk_without_rows_has_no_weights_leverages_or_errors_in_the_second_pass_either():
    X, y = rows(50, 3)
    factor = Factor.accumulate([(X, y)])
    assert factor.leverage(X[:0]).shape == factor.loo_residuals(X[:0], y[:0]).shape == (0,)
    assert (
        factor.leverage(X[:0], ridge=RIDGES).shape == factor.loo_residuals(X[:0], y[:0], ridge=RIDGES).shape == (3, 0)
    )
    assert factor.weights(X[:2], X[:0]).shape == (2, 0)
    with pytest.raises(ValueError, match="X has 2 columns but the folded rows have 3"):
        factor.leverage(X[:0, :2])


def test_one_observation_determines_nothing():
    with pytest.raises(ValueError, match=r"X has rank 0: every column is constant, shape \(1, 2\)"):
        Factor.accumulate([([[1.0, 2.0]], [3.0])]).coefficients()


def test_two_observations_determine_one_direction():
    factor = Factor.accumulate([([[1.0, 2.0]], [3.0]), ([[2.0, 4.0]], [5.0])])
    np.testing.assert_allclose(factor.coefficients().coef, [0.4, 0.8], rtol=1e-12)  # the shortest of those that fit
    with pytest.raises(ValueError, match="row 0 of the chunk has leverage 1"):
        factor.loo_residuals([[1.0, 2.0]], [3.0])


@pytest.mark.parametrize("method", ["leverage", "weights", "loo_residuals"])
def test_a_chunk_of_another_width_is_named(method):
    X, y = rows(50, 3)
    factor = Factor.accumulate([(X, y)])
    arguments = {"leverage": (X[:, :2],), "weights": (X, X[:, :2]), "loo_residuals": (X[:, :2], y)}[method]
    with pytest.raises(ValueError, match="X has 2 columns but the folded rows have 3"):
        getattr(factor, method)(*arguments)


def test_a_factor_travels_between_processes():
    X, y = rows(50, 3)
    factor = Factor.accumulate([(X, y)])
    factor.coefficients()  # what was kept for later travels too, or not: it must not matter
    again = pickle.loads(pickle.dumps(factor))
    np.testing.assert_array_equal((again + factor).coefficients().coef, (factor + factor).coefficients().coef)


def test_folding_holds_no_copy_of_the_rows():
    X, y = np.random.default_rng(3).normal(size=(100_000, 10)), np.ones(100_000)
    Factor.accumulate([(X[:100], y[:100])])
    tracemalloc.start()
    Factor.accumulate([(X, y)])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < X.nbytes / 8  # a block of 2¹⁵ numbers, and little else


def test_small_work_takes_one_thread_and_large_work_all(monkeypatch):
    controller = ThreadpoolController().select(filepath=[x["filepath"] for x in _factorisation._SCIPY_ONLY.info()])
    if not controller.info():
        pytest.skip("NumPy and SciPy share a BLAS, whose threads are the user's to set")
    product, seen = _factorisation.blas.dgemm, []

    def noted(*arguments, **options):
        seen.append(controller.info()[0]["num_threads"])
        return product(*arguments, **options)

    monkeypatch.setattr(_factorisation.blas, "dgemm", noted)
    rng = np.random.default_rng(5)
    with threadpool_limits(2):
        for n, m in ((100, 100), (2000, 2000)):
            _factorisation.product(rng.normal(size=(n, 50)), rng.normal(size=(50, m)))
    assert seen == [1, 2]
