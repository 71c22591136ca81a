"""Least squares as embedding, against scikit-learn, statsmodels, NIST's certified values, mpmath and refitting."""

import mpmath
import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings, strategies as st
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import make_pipeline

from regattn import attend
from regattn.regression import proximity_weights, scale_and_alignment, spectrum

N, P, M = 31, 5, 13
RIDGES = np.array([0.0, 0.3, 7.0, 1e4])


@pytest.fixture
def data():
    rng = np.random.default_rng(8)
    mixing = rng.normal(size=(P, P))
    X, X_new = rng.normal(size=(N, P)) @ mixing + 3, rng.normal(size=(M, P)) @ mixing + 3
    return X, X_new, X @ rng.normal(size=P) + rng.normal(size=N)


def with_ones(X):
    return np.column_stack([np.ones(len(X)), X])


# --- predictions ------------------------------------------------------------------------------------------------------


def test_predictions_equal_linear_regression(data):
    X, X_new, y = data
    expected = LinearRegression().fit(X, y).predict(X_new)
    np.testing.assert_allclose(spectrum(X, centre=True).predict(X_new, y), expected, rtol=1e-10)
    np.testing.assert_allclose(
        proximity_weights(with_ones(X), with_ones(X_new), centre=False) @ y, expected, rtol=1e-10
    )


@pytest.mark.parametrize("centre", [True, False])
def test_predictions_for_many_penalties_equal_ridge_fitted_one_by_one(centre, data):
    X, X_new, y = data
    expected = [Ridge(alpha=a, fit_intercept=centre, solver="svd").fit(X, y).predict(X_new) for a in RIDGES[1:]]
    np.testing.assert_allclose(spectrum(X, centre=centre).predict(X_new, y, ridge=RIDGES[1:]), expected, rtol=1e-9)


@pytest.mark.parametrize("rank", range(1, P + 1))
def test_reduced_rank_equals_principal_component_regression(rank, data):
    X, X_new, y = data
    expected = make_pipeline(PCA(rank), LinearRegression()).fit(X, y).predict(X_new)
    np.testing.assert_allclose(spectrum(X, centre=True).predict(X_new, y, rank=rank), expected, rtol=1e-9)


def test_several_targets_are_predicted_at_once(data):
    X, X_new, y = data
    s, Y = spectrum(X, centre=True), np.column_stack([y, -2 * y, y**2])
    assert s.predict(X_new, Y, ridge=RIDGES).shape == (4, M, 3)
    for column in range(3):
        expected = s.predict(X_new, Y[:, column], ridge=RIDGES)
        np.testing.assert_allclose(s.predict(X_new, Y, ridge=RIDGES)[..., column], expected, rtol=1e-10)


@pytest.mark.parametrize("centre", [True, False])
def test_weights_times_targets_are_the_predictions(centre, data):
    X, X_new, y = data
    s = spectrum(X, centre=centre)
    for rank in (2, None):
        weights = s.weights(X_new, ridge=RIDGES, rank=rank)
        assert weights.shape == (4, M, N)
        np.testing.assert_allclose(weights @ y, s.predict(X_new, y, ridge=RIDGES, rank=rank), rtol=1e-9)


@pytest.mark.parametrize("centre", [True, False])
def test_coefficients_and_intercept_give_the_predictions(centre, data):
    X, X_new, y = data
    s = spectrum(X, centre=centre)
    fit = s.coefficients(y, ridge=RIDGES)
    assert fit.coef.shape == (4, P)
    np.testing.assert_allclose(
        fit.coef @ X_new.T + fit.intercept[:, None], s.predict(X_new, y, ridge=RIDGES), rtol=1e-9
    )
    several = s.coefficients(np.column_stack([y, 3 * y]))
    assert several.coef.shape == (P, 2)
    np.testing.assert_allclose(several.coef[:, 1], 3 * s.coefficients(y).coef, rtol=1e-9)


# --- the embedding ----------------------------------------------------------------------------------------------------


def test_omega_is_the_inverse_of_the_penalised_cross_product(data):
    X = data[0]
    omegas = spectrum(X, centre=False).omega(ridge=RIDGES)
    for ridge, omega in zip(RIDGES, omegas, strict=True):
        np.testing.assert_allclose(omega @ (X.T @ X + ridge * np.eye(P)), np.eye(P), atol=1e-9)


def test_codes_are_orthonormal_without_a_penalty(data):
    F = spectrum(data[0], centre=False).codes()
    np.testing.assert_allclose(F.T @ F, np.eye(P), atol=1e-13)


def test_codes_of_training_rows_are_rows_times_embedding(data):
    X = data[0]
    s = spectrum(X, centre=True)
    for ridge in RIDGES:
        expected = (X - X.mean(axis=0)) @ s.embedding(ridge=ridge, rank=3)
        np.testing.assert_allclose(s.codes(ridge=ridge, rank=3), expected, atol=1e-12)
        np.testing.assert_allclose(s.codes(X, ridge=ridge, rank=3), expected, atol=1e-12)


def test_least_squares_is_attend_on_codes(data):
    X, X_new, y = data
    s = spectrum(with_ones(X), centre=False)
    ours = attend(s.codes(with_ones(X_new), ridge=2.0), s.codes(ridge=2.0), y, kernel="identity")
    expected = Ridge(alpha=2.0, fit_intercept=False, solver="svd").fit(with_ones(X), y).predict(with_ones(X_new))
    np.testing.assert_allclose(ours, expected, rtol=1e-9)


def test_scale_times_alignment_is_the_weight(data):
    X, X_new, _ = data
    s = spectrum(X, centre=False)
    scale, alignment = scale_and_alignment(s.codes(X_new), s.codes())
    np.testing.assert_allclose(scale * alignment, s.weights(X_new), atol=1e-12)
    assert np.abs(alignment).max() <= 1
    row = [float(mpmath.sqrt(sum(mpmath.mpf(v) ** 2 for v in code))) for code in s.codes(X_new)]
    np.testing.assert_allclose(scale[:, 0] / np.linalg.norm(s.codes()[0]), row, rtol=1e-12)


@pytest.mark.parametrize("size", [1e-9, 0.1, 1.0, 1e9])
def test_alignment_knows_no_size_and_ends_at_one(size):
    codes = np.random.default_rng(0).normal(size=(200, 3))
    alignment = scale_and_alignment(codes * size, np.vstack([codes, -codes])).alignment
    cosines = codes @ codes.T / np.outer(*[np.linalg.norm(codes, axis=1)] * 2)
    np.testing.assert_allclose(alignment, np.hstack([cosines, -cosines]), atol=1e-12)
    assert alignment.max() == 1  # some cosines of a code with itself are rounded to more
    assert alignment.min() == -1


def test_a_code_of_length_zero_has_alignment_zero():
    np.testing.assert_array_equal(scale_and_alignment([[0.0, 0.0]], [[1.0, 2.0]]).alignment, [[0.0]])


# --- leverage, degrees of freedom, leave-one-out ----------------------------------------------------------------------


def test_hat_matrix_leverage_and_press_equal_statsmodels(data):
    X, _, y = data
    influence = sm.OLS(y, with_ones(X)).fit().get_influence()
    s = spectrum(X, centre=True)
    np.testing.assert_allclose(s.leverage(), influence.hat_matrix_diag, rtol=1e-10)
    np.testing.assert_allclose(np.diag(s.weights()), influence.hat_matrix_diag, rtol=1e-10)
    np.testing.assert_allclose(s.loo_residuals(y), influence.resid_press, rtol=1e-9)


def test_effective_degrees_of_freedom_are_the_trace_of_the_hat_matrix(data):
    for centre in (True, False):
        s = spectrum(data[0], centre=centre)
        traces = np.trace(s.weights(ridge=RIDGES, rank=4), axis1=-2, axis2=-1)
        np.testing.assert_allclose(s.effective_dof(ridge=RIDGES, rank=4), traces, rtol=1e-12)
        assert s.effective_dof() == pytest.approx(P + centre)


@pytest.mark.parametrize("centre", [True, False])
def test_leave_one_out_residuals_equal_refitting_without_the_row(centre, data):
    X, _, y = data
    shortcut = spectrum(X, centre=centre).loo_residuals(y, ridge=RIDGES[1:])
    for k, ridge in enumerate(RIDGES[1:]):
        for i in range(N):
            rest = np.arange(N) != i
            model = Ridge(alpha=ridge, fit_intercept=centre, solver="svd").fit(X[rest], y[rest])
            assert shortcut[k, i] == pytest.approx(y[i] - model.predict(X[[i]])[0], rel=1e-8)


# --- hard inputs ------------------------------------------------------------------------------------------------------


def exact_fit(X, y):
    """Coefficients and hat matrix of least squares with intercept in 80 digits."""
    with mpmath.workdps(80):
        A, b = mpmath.matrix(with_ones(X).tolist()), mpmath.matrix(y.tolist())
        inverse = mpmath.inverse(A.T * A)
        return np.array((inverse * (A.T * b)).tolist(), float).ravel(), np.array((A * inverse * A.T).tolist(), float)


def digits(found, exact):
    """Log relative error: the number of correct significant digits of the worst entry."""
    return -np.log10(np.max(np.abs(found - exact)) / np.max(np.abs(exact)))


LONGLEY = [  # as NIST certifies it
    15.0618722713733,
    -0.0358191792925910,
    -2.02022980381683,
    -1.03322686717359,
    -0.0511041056535807,
    1829.15146461355,
]


def test_longley_has_more_digits_than_the_certificate():
    longley = sm.datasets.longley.load_pandas()
    X, y = longley.exog.to_numpy(), longley.endog.to_numpy()
    fit = spectrum(X, centre=True).coefficients(y)
    np.testing.assert_allclose(fit.coef, LONGLEY, rtol=1e-12)  # NIST gives 15 digits, rounding of y's mean costs two
    np.testing.assert_allclose(fit.intercept, -3482258.63459582, rtol=1e-12)


def test_a_degree_ten_polynomial_keeps_the_digits_its_conditioning_allows():
    x = np.linspace(-9.0, -3.0, 82)
    X, y = np.vander(x, 11, increasing=True)[:, 1:], np.sin(x) + x**2 / 50
    coef, hat = exact_fit(X, y)
    s = spectrum(X, centre=True)
    assert s.rank == 10  # the default of numpy.linalg.lstsq keeps fewer
    assert np.linalg.matrix_rank(with_ones(X)) < 11
    # condition number 3e9 with unit columns: 6.5 of 16 digits can survive, and none through the normal equations
    assert digits(s.coefficients(y).coef, coef[1:]) > 6
    assert digits(s.weights(), hat) > 6
    A = with_ones(X)
    assert digits(np.linalg.pinv(A.T @ A) @ (A.T @ y), coef) < 1


def test_rank_deficient_designs_say_their_rank_and_give_the_minimum_norm_answer(data):
    X, X_new, y = data
    doubled, doubled_new = np.column_stack([X, X[:, 0] - X[:, 1]]), np.column_stack([X_new, X_new[:, 0] - X_new[:, 1]])
    s = spectrum(doubled, centre=False)
    assert s.rank == P
    np.testing.assert_allclose(s.coefficients(y).coef, np.linalg.pinv(doubled, rcond=1e-10) @ y, rtol=1e-8)
    np.testing.assert_allclose(s.predict(doubled_new, y), spectrum(X, centre=False).predict(X_new, y), rtol=1e-8)


def test_more_columns_than_rows_interpolates_with_the_minimum_norm(data):
    X, _, y = data
    wide = X[:3]
    s = spectrum(wide, centre=False)
    assert s.rank == 3
    np.testing.assert_allclose(s.predict(None, y[:3]), y[:3], rtol=1e-10)
    np.testing.assert_allclose(s.coefficients(y[:3]).coef, np.linalg.pinv(wide) @ y[:3], rtol=1e-9)


def test_a_constant_column_leaves_nothing_after_centring(data):
    X = data[0]
    assert spectrum(np.column_stack([np.full(N, 0.1), X]), centre=True).rank == P


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 12), p=st.integers(1, 6), centre=st.booleans())
def test_weights_project_and_sum_as_they_must(seed, n, p, centre):
    X = np.random.default_rng(seed).normal(size=(n, p)) * 10.0 ** np.arange(p)
    s = spectrum(X, centre=centre)
    H = s.weights()
    np.testing.assert_allclose(H @ H, H, atol=1e-9)
    np.testing.assert_allclose(H, H.T, atol=1e-12)
    if centre:
        np.testing.assert_allclose(H.sum(axis=1), 1.0, atol=1e-9)
    assert s.effective_dof() == pytest.approx(np.linalg.matrix_rank(X - centre * X.mean(axis=0), tol=1e-9) + centre)


# --- bad input --------------------------------------------------------------------------------------------------------

X3, NAN = np.arange(15.0).reshape(5, 3) ** 2, np.where(np.eye(5, 3, k=-1) > 0, np.nan, 1.0)


@pytest.mark.parametrize("centre", [True, False])
@pytest.mark.parametrize("dense", [True, False])
def test_sparse_rows_get_the_weights_of_the_same_rows_filled(centre, dense):
    rng = np.random.default_rng(4)
    X, X_new = (sparse.random_array((n, 50), density=0.1, rng=rng, format="csr") for n in (30, 7))
    found = proximity_weights(X, X_new.toarray() if dense else X_new, ridge=0.3, centre=centre)
    filled = proximity_weights(X.toarray(), X_new.toarray(), ridge=0.3, centre=centre)
    assert np.abs(found - filled).max() < 1e-12
    frame = pd.DataFrame(X_new.toarray(), index=list("abcdefg"))
    assert list(proximity_weights(X, frame, ridge=0.3).index) == list("abcdefg")


SPARSE = sparse.csr_array(np.eye(3))
NOT_FINITE = sparse.csr_array(([1.0, np.nan], ([0, 2], [1, 0])), shape=(3, 3))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: proximity_weights(SPARSE, SPARSE), "a ridge above 0 and no rank, got ridge=0 and rank=None"),
        (lambda: proximity_weights(SPARSE, SPARSE, ridge=1, rank=2), "got ridge=1 and rank=2"),
        (lambda: proximity_weights(np.eye(3), SPARSE, ridge=1), r"give X_new.toarray\(\)"),
        (lambda: proximity_weights(SPARSE, np.eye(2), ridge=1), "X has 3 columns but X_new has 2"),
        (lambda: proximity_weights(SPARSE, NOT_FINITE, ridge=1), r"X_new must be finite, got nan at index \(2, 0\)"),
        (lambda: proximity_weights(sparse.csr_array((0, 3)), SPARSE, ridge=1), r"X is empty: its shape is \(0, 3\)"),
    ],
)
def test_bad_sparse_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: proximity_weights(X3, X3[:, :2], centre=False), "X_new has 2 columns but X has 3"),
        (lambda: proximity_weights(X3, X3, ridge=-1.0, centre=False), "ridge must be ≥ 0, got -1.0"),
        (lambda: proximity_weights(X3, X3, rank=0, centre=False), "rank must be ≥ 1, got 0"),
        (lambda: proximity_weights(X3, X3, rank=4, centre=False), r"rank must be ≤ 3 \(the rank of X\), got 4"),
        (lambda: proximity_weights(X3, X3, rank=2.0, centre=False), "rank must be a whole number, got 2.0"),
        (lambda: spectrum(NAN, centre=False), r"X must be finite, got nan at index \(1, 0\)"),
        (lambda: spectrum(np.ones((0, 3)), centre=False), r"X is empty: its shape is \(0, 3\)"),
        (lambda: spectrum(np.ones(3), centre=False), r"X must have two dimensions \(rows, columns\), got shape \(3,\)"),
        (lambda: spectrum(np.zeros((5, 3)), centre=False), r"X has rank 0: every column is zero, shape \(5, 3\)"),
        (lambda: spectrum(np.full((5, 3), 0.1), centre=True), "X has rank 0: every column is constant"),
        (lambda: spectrum(X3, tolerance=-0.1, centre=False), "tolerance must be ≥ 0, got -0.1"),
        (lambda: spectrum(X3, centre=False).predict(None, np.ones(4)), "y has 4 entries but there are 5 training rows"),
        (
            lambda: spectrum(X3, centre=False).predict(None, [1, 2, np.inf, 4, 5]),
            r"y must be finite, got inf at index \(2,\)",
        ),
        (lambda: spectrum(X3, centre=False).filter(ridge=[1.0, -2.0]), "ridge must be ≥ 0 and finite, got -2.0"),
        (
            lambda: spectrum(X3, centre=False).filter(ridge=np.ones((2, 2))),
            r"one-dimensional array, got shape \(2, 2\)",
        ),
        (lambda: spectrum(np.eye(3), centre=False).loo_residuals(np.ones(3)), "row 0 has leverage 1"),
        (
            lambda: spectrum(X3, centre=False).loo_residuals(np.ones((5, 2))),
            r"y must have shape \(n,\), got shape \(5, 2\)",
        ),
        (lambda: scale_and_alignment(X3, X3[:, :1]), "F_new has 3 columns but F_train has 1"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
