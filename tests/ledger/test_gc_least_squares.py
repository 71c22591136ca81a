"""Every statement of Goulet Coulombe's §§1, 2.1, 2.2, 3.1 and 3.3, computed again on the diabetes data.

300 of the 442 patients train, 142 test; the ten inputs are standardised by the training rows and carry a column of
ones unless a test says otherwise.
"""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import spearmanr
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import make_pipeline

from regattn import attend
from regattn.regression import proximity_weights, scale_and_alignment, spectrum
from tests.ledger.diabetes import Split, split


@pytest.fixture(scope="module")
def raw():
    return split()


@pytest.fixture(scope="module")
def centred(raw):
    mean, sd = raw.X.mean(axis=0), raw.X.std(axis=0)
    return Split((raw.X - mean) / sd, (raw.X_new - mean) / sd, raw.y, raw.y_new)


@pytest.fixture(scope="module")
def data(centred):
    return Split(ones_before(centred.X), ones_before(centred.X_new), centred.y, centred.y_new)


def ones_before(X):
    return np.column_stack([np.ones(len(X)), X])


def rmse(errors):
    return float(np.sqrt(np.mean(np.square(errors))))


def eigen_codes(X):
    """Return Λ and U of X'X, and F = X U Λ^(-1/2), as the paper writes them."""
    values, U = np.linalg.eigh(X.T @ X)
    return values[::-1], U[:, ::-1], X @ U[:, ::-1] / np.sqrt(values[::-1])


# --- §2.1: two lives of least squares ---------------------------------------------------------------------------------


def test_gc_01_coefficients_solve_the_normal_equations(data):
    beta = spectrum(data.X, centre=False).coefficients(data.y).coef
    np.testing.assert_allclose(np.linalg.solve(data.X.T @ data.X, data.X.T @ data.y), beta, rtol=1e-9)
    np.testing.assert_allclose(sm.OLS(data.y, data.X).fit().params, beta, rtol=1e-9)


def test_gc_01_without_full_rank_there_is_a_least_norm_solution_only(data):
    doubled = np.column_stack([data.X, data.X[:, 3]])
    s = spectrum(doubled, centre=False)
    assert s.rank == 11
    np.testing.assert_allclose(s.coefficients(data.y).coef, np.linalg.pinv(doubled) @ data.y, rtol=1e-8)


def test_gc_02_to_05_four_ways_to_write_one_prediction(data):
    values, U, F = eigen_codes(data.X)
    beta = np.linalg.lstsq(data.X, data.y, rcond=None)[0]
    by_inverse = data.X_new @ np.linalg.inv(data.X.T @ data.X) @ data.X.T @ data.y
    by_eigenvectors = data.X_new @ U @ np.diag(1 / values) @ U.T @ data.X.T @ data.y
    by_codes = (data.X_new @ U / np.sqrt(values)) @ F.T @ data.y
    ours = spectrum(data.X, centre=False).predict(data.X_new, data.y)
    for other in (data.X_new @ beta, by_inverse, by_eigenvectors, by_codes):
        np.testing.assert_allclose(other, ours, rtol=1e-10)


def test_gc_21a_it_is_the_inverse_eigenvalues_that_are_split(data):
    values, U, _ = eigen_codes(data.X)
    half = np.diag(values**-0.5)
    assert not np.allclose(half @ half, np.diag(values))
    np.testing.assert_allclose(U @ half @ half @ U.T, np.linalg.inv(data.X.T @ data.X), atol=1e-12)


def test_gc_06_training_codes_are_orthonormal(data):
    F = spectrum(data.X, centre=False).codes()
    np.testing.assert_allclose(F.T @ F, np.eye(11), atol=1e-13)


def test_gc_21b_codes_have_unit_length_not_unit_variance(centred):
    F = spectrum(centred.X, centre=False).codes()
    np.testing.assert_allclose(F.std(axis=0) * np.sqrt(300), 1.0, rtol=1e-10)


def test_gc_21i_codes_are_uncorrelated_only_when_centred(raw, centred):
    off = ~np.eye(11, dtype=bool)
    with_ones = spectrum(ones_before(raw.X), centre=False).codes()
    np.testing.assert_allclose(with_ones.T @ with_ones, np.eye(11), atol=1e-10)
    assert np.abs(np.corrcoef(with_ones.T)[off]).max() == pytest.approx(0.762, abs=0.001)
    assert np.abs(np.corrcoef(spectrum(centred.X, centre=False).codes().T)[off[:10, :10]]).max() < 1e-10


def test_gc_21c_test_codes_are_near_a_multiple_of_orthonormal(data):
    F_new = spectrum(data.X, centre=False).codes(data.X_new)
    eigenvalues = np.linalg.eigvalsh(F_new.T @ F_new)
    assert eigenvalues.mean() == pytest.approx(0.509, abs=0.001)
    assert eigenvalues.mean() < 1.1 * 142 / 300  # the paper's target, one, is nowhere near
    rng, n, m, p = np.random.default_rng(1), 300, 142, 10
    draws = np.array(
        [
            (spectrum(rng.normal(size=(n, p)), centre=False).codes(rng.normal(size=(m, p))) ** 2).sum(axis=0)
            for _ in range(400)
        ]
    )  # (400, p): the diagonal, strongest direction first
    standard_error = np.std(draws.mean(axis=1)) / np.sqrt(len(draws))
    assert draws.mean() == pytest.approx(m / (n - p - 1), abs=4 * standard_error)
    assert (np.diff(draws.mean(axis=0)) > 0).all()


def test_gc_07_the_braces_belong_to_these_shapes(data):
    weights = proximity_weights(data.X, data.X_new, centre=False)
    assert weights.shape == (142, 300)
    assert (weights @ data.y).shape == (142,)


def test_gc_21d_dual_coefficients_carry_the_targets(data):
    ridge = 3.0
    alpha = np.linalg.solve(data.X @ data.X.T + ridge * np.eye(300), data.y)
    s = spectrum(data.X, centre=False)
    np.testing.assert_allclose(data.X_new @ data.X.T @ alpha, s.predict(data.X_new, data.y, ridge=ridge), rtol=1e-9)
    np.testing.assert_allclose(alpha, (data.y - s.predict(None, data.y, ridge=ridge)) / ridge, rtol=1e-7, atol=1e-9)
    assert np.linalg.matrix_rank(data.X @ data.X.T) == 11


def test_gc_08_predictions_are_inner_products_times_targets(data):
    s = spectrum(data.X, centre=False)
    F, F_new = s.codes(), s.codes(data.X_new)
    by_sum = [sum(float(np.dot(f_j, f_i)) * y_i for f_i, y_i in zip(F, data.y, strict=True)) for f_j in F_new]
    expected = LinearRegression().fit(data.X[:, 1:], data.y).predict(data.X_new[:, 1:])
    np.testing.assert_allclose(by_sum, expected, rtol=1e-10)


def test_gc_21e_weights_may_be_negative_and_sum_to_one_with_an_intercept(data):
    weights = proximity_weights(data.X, data.X_new, centre=False)
    assert (weights < 0).mean() == pytest.approx(0.371, abs=0.001)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-12)
    assert np.abs(proximity_weights(data.X[:, 1:], data.X_new[:, 1:], centre=False).sum(axis=1) - 1).min() > 0.5


def test_gc_09_a_weight_is_scale_times_cosine_and_the_squared_length_is_the_leverage(data):
    s = spectrum(data.X, centre=False)
    split = scale_and_alignment(s.codes(data.X_new), s.codes())
    np.testing.assert_allclose(split.scale * split.alignment, s.weights(data.X_new), atol=1e-14)
    leverage = sm.OLS(data.y, data.X).fit().get_influence().hat_matrix_diag
    np.testing.assert_allclose((s.codes() ** 2).sum(axis=1), leverage, rtol=1e-10)


def test_gc_21f_the_heaviest_rows_tend_to_have_length_and_alignment_but_need_not(data):
    s = spectrum(data.X, centre=False)
    split, heaviest = scale_and_alignment(s.codes(data.X_new), s.codes()), s.weights(data.X_new).argmax(axis=1)
    rows = np.arange(142)
    length, cosine = ((part < part[rows, heaviest][:, None]).mean(axis=1) for part in split)
    assert length.mean() == pytest.approx(0.867, abs=0.005)
    assert cosine.mean() == pytest.approx(0.975, abs=0.005)
    assert length.min() < 0.4


def test_gc_21g_the_length_of_the_query_changes_no_comparison(data):
    s = spectrum(data.X, centre=False)
    F, F_new = s.codes(), s.codes(data.X_new)
    shares = [w / np.abs(w).sum(axis=1, keepdims=True) for w in (F_new @ F.T, 7 * F_new @ F.T)]
    np.testing.assert_allclose(*shares, atol=1e-15)


def test_gc_1a_the_nearest_row_is_seldom_the_heaviest(data):
    s = spectrum(data.X, centre=False)
    F, F_new, weights = s.codes(), s.codes(data.X_new), s.weights(data.X_new)
    distance = np.linalg.norm(F_new[:, None] - F, axis=2)
    identity = ((F_new**2).sum(axis=1)[:, None] + (F**2).sum(axis=1) - distance**2) / 2
    np.testing.assert_allclose(weights, identity, atol=1e-14)
    assert (distance.argmin(axis=1) == weights.argmax(axis=1)).mean() == pytest.approx(0.120, abs=0.001)
    hat = s.weights()
    assert (hat.argmax(axis=1) != np.arange(300)).mean() == pytest.approx(0.537, abs=0.001)
    ranks = [spearmanr(w, -d).statistic for w, d in zip(weights, distance, strict=True)]
    assert np.mean(ranks) == pytest.approx(0.776, abs=0.001)
    np.testing.assert_allclose(
        proximity_weights([[1.0], [2.0], [10.0]], [[1.0]], centre=False), [[1 / 105, 2 / 105, 10 / 105]]
    )


def test_gc_21h_with_more_columns_than_rows_the_codes_span_a_projector():
    s = spectrum(np.random.default_rng(2).normal(size=(20, 30)), centre=False)
    assert s.rank == 20
    np.testing.assert_allclose(s.codes() @ s.codes().T, np.eye(20), atol=1e-12)


def test_gc_21j_and_12_any_square_root_gives_orthonormal_codes_and_the_same_weights(data):
    omega = np.linalg.inv(data.X.T @ data.X)
    values, U = np.linalg.eigh(omega)
    rotation = np.linalg.qr(np.random.default_rng(3).normal(size=(11, 11)))[0]
    spectral = U * np.sqrt(values)
    by_qr = np.linalg.inv(np.linalg.qr(data.X)[1])
    for W in (spectral, np.linalg.cholesky(omega), by_qr, spectral @ U.T, spectral @ rotation):
        F, F_new = data.X @ W, data.X_new @ W
        np.testing.assert_allclose(F.T @ F, np.eye(11), atol=1e-12)
        np.testing.assert_allclose(F_new @ F.T, proximity_weights(data.X, data.X_new, centre=False), atol=1e-13)


def test_gc_10_raw_inner_products_are_far_off(data):
    naive = attend(data.X_new, data.X, data.y, kernel="identity")
    assert rmse(naive - data.y_new) == pytest.approx(67_723, rel=1e-4)
    assert rmse(spectrum(data.X, centre=False).predict(data.X_new, data.y) - data.y_new) == pytest.approx(
        56.53, abs=0.005
    )


def test_gc_21k_raw_inner_products_count_a_repeated_column_twice(data):
    before, after = data.X[:, 1:4], data.X[:, [1, 2, 3, 3]]
    raw_change = np.linalg.norm(after @ after.T - before @ before.T) / np.linalg.norm(before @ before.T)
    assert raw_change > 0.4
    np.testing.assert_allclose(
        spectrum(after, centre=False).weights(), spectrum(before, centre=False).weights(), atol=1e-13
    )


def test_gc_21m_the_covariance_reading_needs_centring_and_its_own_divisor(data):
    X, X_new = data.X[:, 1:], data.X_new[:, 1:]
    d, d_new = X - X.mean(axis=0), X_new - X.mean(axis=0)
    by_covariance = 1 / 300 + d_new @ np.linalg.solve(np.cov(X, rowvar=False), d.T) / 299
    np.testing.assert_allclose(proximity_weights(data.X, data.X_new, centre=False), by_covariance, atol=1e-13)
    assert np.linalg.matrix_rank(np.cov(data.X, rowvar=False)) == 10


def test_gc_11_and_13_one_encoder_serves_both_sides(data):
    s = spectrum(data.X, centre=False)
    W = s.embedding()
    assert W.shape == (11, 11)
    np.testing.assert_allclose(data.X_new @ W, s.codes(data.X_new), atol=1e-12)
    np.testing.assert_allclose(data.X @ W, s.codes(), atol=1e-12)


def test_gc_n1_eigenvectors_of_the_cross_product_lose_digits_twice_as_fast():
    rng = np.random.default_rng(4)
    U, V = np.linalg.qr(rng.normal(size=(60, 5)))[0], np.linalg.qr(rng.normal(size=(5, 5)))[0]
    for condition in (1e2, 1e4, 1e6):
        X = (U * np.geomspace(1, 1 / condition, 5)) @ V.T
        by_eigenvectors = eigen_codes(X)[2]
        lost = np.abs(by_eigenvectors.T @ by_eigenvectors - np.eye(5)).max()
        kept = np.abs(spectrum(X, centre=False).codes().T @ spectrum(X, centre=False).codes() - np.eye(5)).max()
        assert kept < 1e-13
        assert lost > 1e-18 * condition**2
        assert lost > 10 * kept


# --- §3.1 and §3.3: rank and ridge ------------------------------------------------------------------------------------


@pytest.mark.parametrize("rank", [1, 4, 9])
def test_gc_22_to_25_reduced_rank_attention_is_principal_component_regression(rank, centred):
    s = spectrum(centred.X, centre=True)
    F, F_new = s.codes(rank=rank), s.codes(centred.X_new, rank=rank)
    np.testing.assert_allclose(F.T @ F, np.eye(rank), atol=1e-13)
    ours = attend(F_new, F, centred.y - centred.y.mean(), kernel="identity") + centred.y.mean()
    expected = make_pipeline(PCA(rank), LinearRegression()).fit(centred.X, centred.y).predict(centred.X_new)
    np.testing.assert_allclose(ours, expected, rtol=1e-10)


def test_gc_24_a_constant_among_the_columns_is_one_more_component(data, centred):
    s, free = spectrum(data.X, centre=False), spectrum(centred.X, centre=True)
    assert np.abs(s.directions[0]).argmax() == 3
    errors = [rmse(s.predict(data.X_new, data.y, rank=rank) - data.y_new) for rank in (3, 4)]
    assert errors == pytest.approx([162.0, 59.7], abs=0.05)
    ours = [rmse(free.predict(centred.X_new, centred.y, rank=rank) - centred.y_new) for rank in (1, 2, 3)]
    assert ours == pytest.approx([62.6, 61.8, 59.7], abs=0.05)


def test_gc_26_for_one_target_rank_one_fits_as_well_as_least_squares(centred):
    s, yc = spectrum(centred.X, centre=True), centred.y - centred.y.mean()
    Xc = centred.X - centred.X.mean(axis=0)
    beta = s.coefficients(centred.y).coef
    omega_one = np.outer(beta, beta) / (beta @ Xc.T @ yc)
    assert np.linalg.matrix_rank(omega_one) == 1
    fitted = Xc @ omega_one @ Xc.T @ yc
    np.testing.assert_allclose(fitted, s.predict(None, centred.y) - centred.y.mean(), rtol=1e-9, atol=1e-9)
    assert np.mean((yc - fitted) ** 2) == pytest.approx(2764.5, abs=0.05)
    by_components = np.mean((centred.y - s.predict(None, centred.y, rank=2)) ** 2)
    assert by_components == pytest.approx(3927.8, abs=0.05)


def test_gc_27_truncating_omega_keeps_the_wrong_end(centred):
    s, rank = spectrum(centred.X, centre=True), 5
    values, vectors = np.linalg.eigh(s.omega())
    eckart_young = (vectors[:, -rank:] * values[-rank:]) @ vectors[:, -rank:].T
    distance = [np.linalg.norm(s.omega() - o) / np.linalg.norm(s.omega()) for o in (s.omega(rank=rank), eckart_young)]
    assert distance == pytest.approx([0.9999, 0.0155], abs=1e-4)
    Xc, yc = centred.X - centred.X.mean(axis=0), centred.y - centred.y.mean()
    minor = (centred.X_new - centred.X.mean(axis=0)) @ eckart_young @ Xc.T @ yc + centred.y.mean()
    assert rmse(s.predict(centred.X_new, centred.y, rank=rank) - centred.y_new) == pytest.approx(57.26, abs=0.005)
    assert rmse(minor - centred.y_new) == pytest.approx(71.74, abs=0.005)


def test_gc_27a_principal_components_solve_the_problem_that_rebuilds_the_inputs(centred):
    X = centred.X / np.sqrt(300)
    s = spectrum(X, centre=False)
    for rank, least in ((2, 4.37032891), (4, 2.31959197)):
        loss = np.linalg.norm(X - X @ s.omega(rank=rank) @ X.T @ X) ** 2
        assert loss == pytest.approx((s.singular_values[rank:] ** 2).sum(), rel=1e-10)
        assert loss == pytest.approx(least, abs=1e-7)
    rng = np.random.default_rng(5)
    for _ in range(20):
        other = rng.normal(size=(10, 2)) @ rng.normal(size=(2, 10)) + s.omega(rank=2) * rng.random()
        values = np.linalg.svd(other)
        low = (values[0][:, :2] * values[1][:2]) @ values[2][:2]
        assert np.linalg.norm(X - X @ low @ X.T @ X) ** 2 > 4.3703289


def test_gc_29_and_30_ridge_is_the_filtered_spectrum(data):
    values, U, _ = eigen_codes(data.X)
    s = spectrum(data.X, centre=False)
    for ridge in (1.0, 30.0):
        np.testing.assert_allclose(s.omega(ridge=ridge), (U / (values + ridge)) @ U.T, atol=1e-13)
        expected = Ridge(alpha=ridge, fit_intercept=False).fit(data.X, data.y).predict(data.X_new)
        np.testing.assert_allclose(s.predict(data.X_new, data.y, ridge=ridge), expected, rtol=1e-9)


def test_gc_33a_it_is_lambda_times_omega_that_tends_to_the_identity(centred):
    s, identity = spectrum(centred.X, centre=False), np.eye(10)
    sizes = [np.linalg.norm(s.omega(ridge=ridge)) for ridge in (0.0, 100.0, 1e6)]
    assert sizes == pytest.approx([0.462, 0.0154, 3.2e-6], rel=0.04)
    gaps = [np.linalg.norm(r * s.omega(ridge=r) - identity) / np.linalg.norm(identity) for r in (0.0, 100.0, 1e6)]
    assert gaps == pytest.approx([1.0, 0.651, 0.0005], abs=0.001)


def test_gc_33b_codes_under_ridge_stay_orthogonal_and_shrink(centred):
    s = spectrum(centred.X, centre=False)
    F = s.codes(ridge=50.0)
    np.testing.assert_allclose(F.T @ F, np.diag(s.filter(ridge=50.0)), atol=1e-13)
    assert (F**2).sum() == pytest.approx(6.98, abs=0.005)
    assert s.filter(ridge=50.0)[[0, -1]] == pytest.approx([0.962, 0.042], abs=0.001)
    cholesky = centred.X @ np.linalg.cholesky(s.omega(ridge=50.0))
    assert np.abs(cholesky.T @ cholesky - np.diag(np.diag(cholesky.T @ cholesky))).max() == pytest.approx(
        0.19, abs=0.01
    )


def test_gc_33c_a_penalty_brings_the_map_closer_to_the_one_of_the_test_rows():
    rng, closer = np.random.default_rng(6), []
    for _ in range(50):
        mixing = rng.normal(size=(20, 20))
        X, X_new = rng.normal(size=(40, 20)) @ mixing, rng.normal(size=(400, 20)) @ mixing
        wanted = 400 * spectrum(X_new, centre=False).weights()
        s = spectrum(X, centre=False)
        gaps = []
        for ridge in (0.0, 1.0, 10.0, 30.0):
            F_new = s.codes(X_new, ridge=ridge)
            gaps.append(np.linalg.norm(40 * F_new @ F_new.T - wanted) / np.linalg.norm(wanted))
        closer.append(min(gaps[1:]) < gaps[0])
    assert np.mean(closer) > 0.95


def test_gc_33d_no_inverse_exceeds_one_over_the_penalty(data):
    noise = np.random.default_rng(7).normal(size=300)
    near_copy = np.column_stack([data.X, data.X[:, 3] + 1e-9 * noise])
    assert np.linalg.eigvalsh(spectrum(near_copy, centre=False).omega(ridge=2.0)).max() <= 0.5 * (1 + 1e-12)
    assert np.linalg.eigvalsh(spectrum(near_copy, centre=False).omega()).max() > 1e10
