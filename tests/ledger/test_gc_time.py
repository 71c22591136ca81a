"""Goulet Coulombe's §§4.2, 4.3 and 5: attention in time, computed again on US inflation, 1959 to 2009."""

from itertools import product

import numpy as np
import pytest
import scipy.optimize
import torch
from scipy.special import log_expit
from scipy.stats import spearmanr
from sklearn.linear_model import LinearRegression
from statsmodels.tsa.api import VAR, AutoReg

from regattn import attend, attention_weights, causal_mask
from regattn.data import load_macro
from regattn.grammar import Grammar
from regattn.regression import proximity_weights, spectrum
from regattn.series import expanding_least_squares, expanding_window_forecasts, lag_matrix
from regattn.transformer import load_shipped

MACRO = load_macro()[["inflation", "unemployment", "bill_rate"]]
INFLATION = MACRO["inflation"].to_numpy()


def hat(X):
    return proximity_weights(X, X, centre=False)


def without_intercept(y):
    return y[:-1, None], y[1:]


def with_lags(series, lags, *, first="1959Q1"):
    """Return the rows of an autoregression with intercept, their targets, and the quarters of the targets."""
    lagged = lag_matrix(series, max_lag=lags - 1)
    X = np.column_stack([np.ones(len(lagged) - 1), lagged.to_numpy()[:-1]])
    kept = lagged.index[1:] >= first
    return X[kept], lagged["inflation"].to_numpy()[1:][kept], lagged.index[1:][kept]


def masked_sums(weights, *, strict=False):
    kept = np.tril(weights, -1 if strict else 0)
    return kept, kept.sum(axis=1)


def masked_fit(weights, y, *, strict=False):
    kept, sums = masked_sums(weights, strict=strict)
    with np.errstate(invalid="ignore", divide="ignore"):
        return kept @ y / sums


def autoregression(rng, n, rho, *, paths=1, start=0.0):
    y = np.empty((paths, n))
    y[:, 0] = start + rng.normal(size=paths)
    for t in range(1, n):
        y[:, t] = rho * y[:, t - 1] + rng.normal(size=paths)
    return y


# --- §4.2: self-attention and autoregressions -------------------------------------------------------------------------


def test_gc_4_2a_the_identity_kernel_can_be_bracketed_the_cheap_way():
    rng = np.random.default_rng(42)
    queries, keys, values = (rng.normal(size=(2000, width)) for width in (7, 7, 3))
    weights = queries @ keys.T
    assert weights.size == 4_000_000
    np.testing.assert_allclose(attend(queries, keys, values, kernel="identity"), weights @ values, rtol=1e-8, atol=1e-8)
    with_softmax = attention_weights(queries[:5], keys[:11], kernel="softmax") @ values[:11]
    assert not np.allclose(with_softmax, queries[:5] @ (keys[:11].T @ values[:11]))


def test_gc_33_the_first_autoregression_is_a_matrix_of_rank_one_without_unit_row_sums():
    x, y = without_intercept(INFLATION)
    a = x @ np.linalg.inv(x.T @ x) @ x.T
    assert a.shape == (202, 202)
    assert np.linalg.matrix_rank(a) == 1
    np.testing.assert_allclose(a @ y, AutoReg(INFLATION, 1, trend="n").fit().fittedvalues, atol=1e-12)
    np.testing.assert_allclose(a, hat(x), atol=1e-13)
    assert [a.sum(axis=1).min(), a.sum(axis=1).max()] == pytest.approx([-1.325, 2.204], abs=5e-4)


def test_gc_4_2b_the_two_cross_products_differ_by_the_end_points():
    gap = INFLATION @ INFLATION - INFLATION[:-1] @ INFLATION[:-1]
    assert gap == pytest.approx(INFLATION[-1] ** 2)
    assert INFLATION[1:] @ INFLATION[1:] - INFLATION[:-1] @ INFLATION[:-1] == pytest.approx(
        INFLATION[-1] ** 2 - INFLATION[0] ** 2
    )


@pytest.mark.parametrize(("rho", "start"), [(0.5, 0.0), (1.0, 0.0), (1.02, 5.0)])
def test_gc_4_2b_the_gap_vanishes_for_stationary_and_for_unit_root_series_alone(rho, start):
    lengths = [50, 100, 200, 400, 800, 1600]
    gaps = []
    for n in lengths:
        y = autoregression(np.random.default_rng(n), n, rho, paths=400, start=start)
        gaps.append(np.median(np.abs(y[:, -1] ** 2 - y[:, 0] ** 2) / (y[:, :-1] ** 2).sum(axis=1)))
    slope = np.polyfit(np.log(lengths), np.log(gaps), 1)[0]
    if rho > 1:
        assert gaps[-1] == pytest.approx(0.0404, abs=1e-4)
        assert rho**2 - 1 == pytest.approx(0.0404)
    else:
        assert slope == pytest.approx(-1, abs=0.15)  # medians of 400 paths: sampling error of the slope is near 0.04


def test_gc_4_2c_the_transpose_belongs_outside_the_brackets():
    x, _ = without_intercept(INFLATION)
    lagged = x.ravel()
    printed, meant = lagged * (1 / (INFLATION @ INFLATION)) * lagged, np.outer(lagged, lagged) / (INFLATION @ INFLATION)
    assert printed.shape == (202,)
    assert meant.shape == (202, 202)
    moving = np.outer(lagged, lagged) != 0
    gap = np.abs(meant[moving] / hat(x)[moving] - 1)
    np.testing.assert_allclose(gap, INFLATION[-1] ** 2 / (INFLATION @ INFLATION), rtol=1e-9)


def test_gc_4_2d_and_4_2f_a_vector_autoregression_is_attention_with_shifted_values():
    Y = MACRO.to_numpy()
    past, now = Y[:-1], Y[1:]
    A = hat(past)
    fitted = VAR(Y).fit(1, trend="n").fittedvalues
    np.testing.assert_allclose(A @ now, fitted, atol=1e-11)
    one_by_one = np.column_stack([spectrum(past, centre=False).predict(past, now[:, k]) for k in range(3)])
    np.testing.assert_allclose(one_by_one, fitted, atol=1e-11)
    np.testing.assert_allclose(A @ past, past, atol=1e-11)  # attention to itself in the strict sense returns the input


def test_gc_4_2e_the_exchange_of_cross_products_is_approximate():
    Y = MACRO.to_numpy()
    past, now = Y[:-1], Y[1:]
    A = hat(past)
    later = past @ np.linalg.inv(now.T @ now) @ past.T
    assert np.linalg.norm(later - A) / np.linalg.norm(A) == pytest.approx(0.037, abs=5e-4)
    moved = np.abs((later - A) @ now)
    np.testing.assert_allclose(np.median(moved, axis=0), [0.02, 0.08, 0.01], atol=0.005)
    assert moved.max() == moved[-1, 1] == pytest.approx(0.53, abs=0.005)
    assert np.linalg.eigvalsh(later)[-1] == pytest.approx(1.008, abs=5e-4)
    np.testing.assert_allclose(A @ A, A, atol=1e-12)
    assert not np.allclose(later @ later, later, atol=1e-3)


def test_gc_4_2g_negative_sampling_has_its_optimum_at_shifted_mutual_information():
    rng = np.random.default_rng(5)
    counts, k = rng.integers(1, 30, size=(5, 7)).astype(float), 5
    words, contexts, total = counts.sum(axis=1), counts.sum(axis=0), counts.sum()
    shifted = np.log(counts * total / np.outer(words, contexts)) - np.log(k)
    for i, j in product(range(5), range(7)):
        negatives = k * words[i] * contexts[j] / total

        def loss(x, pairs=counts[i, j], negatives=negatives):
            return -pairs * log_expit(x) - negatives * log_expit(-x)

        best = scipy.optimize.minimize_scalar(loss, bounds=(-12, 12), method="bounded", options={"xatol": 1e-10}).x
        assert best == pytest.approx(shifted[i, j], abs=1e-6)


# --- §4.3: masking ----------------------------------------------------------------------------------------------------


def test_gc_34_a_fit_is_a_combination_of_all_dates_with_weights_of_both_signs():
    x, y = without_intercept(INFLATION)
    a = hat(x)
    t = 100
    assert AutoReg(INFLATION, 1, trend="n").fit().fittedvalues[t] == pytest.approx(sum(a[t] * y))
    assert a[t, t + 1 :].any()
    assert (a < 0).any()
    assert (a > 0).any()
    assert not np.allclose(a[t], a[t + 1])  # the weight needs both dates


def test_gc_4_3a_the_rows_do_not_sum_to_one_before_they_are_masked():
    x, _ = without_intercept(INFLATION)
    sums = hat(x).sum(axis=1)
    assert [sums.min(), sums.max()] == pytest.approx([-1.325, 2.204], abs=5e-4)
    with_ones = hat(np.column_stack([np.ones(202), x])).sum(axis=1)
    np.testing.assert_allclose(with_ones, 1, atol=1e-12)


def test_gc_35_without_an_intercept_the_query_cancels_and_denominators_change_sign():
    x, y = without_intercept(INFLATION)
    a = hat(x)
    _, sums = masked_sums(a)
    assert (sums <= 0).sum() == 7
    assert (np.abs(sums) < 0.1).sum() == 52
    assert [sums.min(), sums.max()] == pytest.approx([-1.318, 1.327], abs=5e-4)
    past = x.ravel()
    cancelled = np.cumsum(past * y)[1:] / np.cumsum(past)[1:]
    np.testing.assert_allclose(masked_fit(a, y)[1:], cancelled, rtol=1e-9)
    assert sums[0] == 0  # inflation in 1959Q1 is zero, so the first row is 0/0


def test_gc_35_with_an_intercept_the_first_fit_is_perfect_and_a_later_one_absurd():
    X, y, quarters = with_lags(MACRO[["inflation"]], 1)
    _, sums = masked_sums(hat(X))
    fit = masked_fit(hat(X), y)
    assert fit[0] == pytest.approx(y[0])
    assert sums.min() == pytest.approx(0.0123, abs=5e-5)
    assert (sums < 0.1).sum() == 13
    assert str(quarters[fit.argmin()]) == "1986Q2"
    assert sums[fit.argmin()] == pytest.approx(0.161, abs=5e-4)
    assert fit.min() == pytest.approx(-21.5, abs=0.05)
    assert fit.min() < y.min() - 12


def test_gc_35_even_with_an_intercept_a_denominator_can_be_negative():
    x = np.array([-3.0, -3, -3, 3, 1, 1, 1, 1, 1, 1])
    _, sums = masked_sums(hat(np.column_stack([np.ones(10), x])))
    assert sums[3] == pytest.approx(0.4 - 18 / 42)
    assert sums[3] < 0


def test_gc_35_a_strict_mask_is_worse():
    X, y, quarters = with_lags(MACRO[["inflation"]], 4)
    fit = masked_fit(hat(X), y, strict=True)[1:]
    assert str(quarters[1:][np.abs(fit).argmax()]) == "1974Q3"
    assert np.abs(fit).max() == pytest.approx(215, abs=1)


def test_gc_4_3b_zero_and_renormalise_equals_minus_infinity_before_softmax():
    X, _, _ = with_lags(MACRO[["inflation"]], 2)
    codes = spectrum(X, centre=False).codes()
    weights = attention_weights(codes, codes, kernel="softmax", scale=30.0)
    zeroed = np.tril(weights)
    assert zeroed[:-1].sum(axis=1).max() < 1
    masked = attention_weights(codes, codes, kernel="softmax", scale=30.0, mask=causal_mask(len(X)))
    np.testing.assert_allclose(zeroed / zeroed.sum(axis=1, keepdims=True), masked, atol=1e-15)


def test_gc_4_3c_the_mask_leaks_through_omega_unless_omega_cancels():
    moved = MACRO[["inflation"]].copy()
    after = moved.index > "1978Q1"
    moved.loc[after, "inflation"] += np.random.default_rng(0).normal(scale=10.0, size=after.sum())
    target = list(MACRO.index.astype(str)).index("1978Q1") - 1

    def both(series):
        x, y = without_intercept(series["inflation"].to_numpy())
        X = np.column_stack([np.ones(len(x)), x])
        return masked_fit(hat(x), y)[target], masked_fit(hat(X), y)[target]

    (plain, with_ones), (plain_moved, with_ones_moved) = both(MACRO), both(moved)
    assert plain == pytest.approx(5.819247, abs=5e-7)
    assert plain_moved == pytest.approx(plain, rel=1e-12)
    assert with_ones == pytest.approx(6.0886, abs=5e-5)
    assert abs(with_ones_moved - with_ones) > 0.1


SIX = list(product((["inflation"], list(MACRO)), (1, 2, 4)))


def errors_from_1970(columns, lags):
    """Return errors of the masked fit, of the strict one and of the expanding window, (3, 159), and their quarters."""
    X, y, quarters = with_lags(MACRO[columns], lags)
    first = list(quarters.astype(str)).index("1970Q1")
    said = [masked_fit(hat(X), y)[first:], masked_fit(hat(X), y, strict=True)[first:]]
    said.append(expanding_window_forecasts(LinearRegression(), X[:, 1:], y, start=first))
    return np.array(said) - y[first:], quarters[first:]


def sizes(errors, quarters, first, last="2009Q3"):
    """Return root mean squares of some quarters."""
    return np.sqrt(np.mean(errors[:, (quarters >= first) & (quarters <= last)] ** 2, axis=1))


@pytest.mark.parametrize(("columns", "lags"), SIX)
def test_gc_4_3d_the_masked_fit_is_worse_than_an_honest_one_from_1970_and_better_from_1990(columns, lags):
    errors, quarters = errors_from_1970(columns, lags)
    early, late = sizes(errors, quarters, "1970Q1"), sizes(errors, quarters, "1990Q1")
    assert (early[0] > early[2]) == (lags * len(columns) < 12)  # the one exception has twelve slopes
    assert late[0] < late[2]
    if len(columns) == 1:
        known = {1: [3.43, 2.71, 2.53, 2.55], 2: [2.92, 2.66, 2.52, 2.59], 4: [3.14, 2.61, 2.39, 2.52]}
        assert [*early[::2], *late[::2]] == pytest.approx(known[lags], abs=0.005)


@pytest.mark.parametrize(("columns", "lags"), SIX)
def test_gc_4_3d_what_flatters_it_is_the_outcome_of_the_date_and_not_the_leak(columns, lags):
    errors, quarters = errors_from_1970(columns, lags)
    late, before_the_crash = sizes(errors, quarters, "1990Q1"), sizes(errors, quarters, "1990Q1", "2007Q4")
    assert late[0] < late[2] < late[1]  # without the outcome worse, although Ω leaks as before
    assert before_the_crash[0] > before_the_crash[2]
    ratios = [late[0] / late[2], late[1] / late[2], before_the_crash[0] / before_the_crash[2]]
    ends = [(0.888, 0.996), (1.011, 1.060), (1.017, 1.037)]
    assert all(low - 6e-4 < ratio < high + 6e-4 for ratio, (low, high) in zip(ratios, ends, strict=True))


def test_gc_4_3e_recursive_least_squares_is_attention_with_a_causal_omega():
    X, y, _ = with_lags(MACRO, 1)
    first = 40
    P = np.linalg.inv(X[:first].T @ X[:first])
    b = P @ X[:first].T @ y[:first]
    by_updates, by_attention = [], []
    for t in range(first, len(y)):
        by_attention.append(proximity_weights(X[:t], X[[t]], centre=False)[0] @ y[:t])
        by_updates.append(X[t] @ b)
        gain = P @ X[t] / (1 + X[t] @ P @ X[t])
        b = b + gain * (y[t] - X[t] @ b)
        P = P - np.outer(gain, X[t] @ P)
    honest = expanding_window_forecasts(LinearRegression(), X[:, 1:], y, start=first)
    np.testing.assert_allclose(by_updates, honest, rtol=1e-8)
    np.testing.assert_allclose(by_attention, honest, rtol=1e-8)
    at_once = expanding_least_squares(X[:, 1:], y, start=first)
    np.testing.assert_allclose(at_once.forecasts, honest, rtol=1e-8)
    triangle = at_once.weights()
    np.testing.assert_allclose(triangle @ y, honest, rtol=1e-8)
    np.testing.assert_allclose(np.triu(triangle, first), 0, atol=1e-12)
    np.testing.assert_allclose(triangle.sum(axis=1), 1, rtol=1e-9)


def weights_of_1974(first):
    """Return N times the weight of 1974 in 1978Q1, known in 1977 and with the whole sample, in 12 specifications."""
    then, today = [], []
    for columns, lags in product((1, 3), (1, 2, 4)):
        X, _, quarters = with_lags(MACRO.iloc[:, :columns], lags, first=first)
        names = list(quarters.astype(str))
        query = names.index("1978Q1")
        for key in ("1974Q1", "1974Q2"):  # the quarter that is explained, or the last one that explains
            for found, n in ((then, query), (today, len(X))):
                found.append(n * proximity_weights(X[:n], X[[query]], centre=False)[0, names.index(key)])
    return np.array(then), np.array(today)


@pytest.mark.parametrize(
    ("first", "larger", "below_one", "medians"),
    [("1959Q1", 7, 3, [2.79, 2.74]), ("1966Q1", 11, 3, [1.71, 2.35]), ("1970Q1", 11, 5, [1.10, 2.21])],
)
def test_gc_4_3f_from_the_starts_of_the_paper_the_direction_holds_and_quite_distant_seldom(
    first, larger, below_one, medians
):
    then, today = weights_of_1974(first)
    assert [len(then), (today > then).sum(), (then < 1).sum()] == [12, larger, below_one]
    assert [np.median(then), np.median(today)] == pytest.approx(medians, abs=0.005)


@pytest.mark.parametrize("first", ["1968Q1", "1971Q1", "1972Q1"])
def test_gc_4_3f_the_direction_holds_from_other_starts_of_that_time(first):
    then, today = weights_of_1974(first)
    assert (today > then).sum() == 11


def test_gc_4_3f_over_36_specifications_almost_any_weight_can_be_had():
    then = np.concatenate([weights_of_1974(first)[0] for first in ("1959Q1", "1966Q1", "1970Q1")])
    today = np.concatenate([weights_of_1974(first)[1] for first in ("1959Q1", "1966Q1", "1970Q1")])
    assert [(then > 1).sum(), ((then > 0) & (then < 1)).sum(), (then < 0).sum(), len(then)] == [25, 5, 6, 36]
    assert [(today > then).sum(), ((today > 1) & (then < 1)).sum()] == [29, 5]
    assert [then.min(), then.max()] == pytest.approx([-7.95, 6.72], abs=0.005)


@pytest.mark.parametrize(
    ("first", "full", "known"), [("1959Q1", 2.89, 3.08), ("1966Q1", 2.51, 1.97), ("1970Q1", 2.38, 1.38)]
)
def test_gc_4_3f_whether_1974_looks_close_to_1978_depends_on_the_start(first, full, known):
    X, _, quarters = with_lags(MACRO[["inflation"]], 1, first=first)
    names = list(quarters.astype(str))
    key, query = names.index("1974Q1"), names.index("1978Q1")
    weights = [n * proximity_weights(X[:n], X[[query]], centre=False)[0, key] for n in (len(X), query)]
    assert weights == pytest.approx([full, known], abs=0.005)


# --- §5: exogeneity, effects, shocks ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "bias"), [(50, -0.031), (100, -0.017)])
def test_gc_5a_an_autoregression_is_biased_although_its_errors_are_uncorrelated_with_the_lag(n, bias):
    y = autoregression(np.random.default_rng(n), n + 100, 0.9, paths=20_000)[:, 100:]
    x, target = y[:, :-1], y[:, 1:]
    estimates = (x * target).sum(axis=1) / (x**2).sum(axis=1)
    standard_error = estimates.std() / np.sqrt(len(y))
    assert estimates.mean() - 0.9 == pytest.approx(bias, abs=0.001 + 4 * standard_error)
    assert bias == pytest.approx(-2 * 0.9 / n, rel=0.15)
    moment = (x * (target - 0.9 * x)).mean(axis=1)
    assert abs(moment.mean()) < 4 * moment.std() / np.sqrt(len(y))


def test_gc_5a_an_orthogonal_error_that_depends_on_x_biases_a_small_sample_only():
    rng = np.random.default_rng(10)

    def bias(n, samples):
        x = rng.exponential(size=(samples, n))
        errors = (x * (x**2 - 3 * x)).sum(axis=1) / (x**2).sum(axis=1)
        return errors.mean(), errors.std() / np.sqrt(samples)

    small, error = bias(10, 40_000)
    assert small == pytest.approx(-0.676, abs=0.0005 + 4 * error)
    large, error = bias(20_000, 100)
    assert abs(large) < 0.002 + 4 * error


def test_gc_5b_a_coefficient_is_the_difference_of_two_predictions():
    X, y, _ = with_lags(MACRO, 1)
    s, x, k = spectrum(X, centre=False), X[[17]], 2
    step = np.eye(4)[[k]]
    difference = s.weights(x + step) - s.weights(x)
    np.testing.assert_allclose(difference @ y, np.linalg.lstsq(X, y, rcond=None)[0][k], rtol=1e-8)
    assert difference.sum() == pytest.approx(0, abs=1e-12)
    dummy = np.column_stack([np.ones(len(y)), y > np.median(y)]).astype(float)
    weights = spectrum(dummy, centre=False).weights([[1.0, 1.0]]) - spectrum(dummy, centre=False).weights([[1.0, 0.0]])
    in_group = dummy[:, 1] == 1
    np.testing.assert_allclose(weights[0, in_group], 1 / in_group.sum(), rtol=1e-9)
    np.testing.assert_allclose(weights[0, ~in_group], -1 / (~in_group).sum(), rtol=1e-9)


def test_gc_5c_a_shock_is_orthogonal_to_its_context_in_the_linear_case():
    Y = MACRO.to_numpy()
    shocks = Y[1:] - hat(Y[:-1]) @ Y[1:]
    np.testing.assert_allclose(Y[:-1].T @ shocks, 0, atol=1e-7)
    assert np.abs(shocks).max() > 1


@pytest.mark.parametrize("seed", [3, 8])
def test_gc_5c_in_a_language_model_the_forecasters_shock_follows_surprisal_and_the_literal_difference_hardly(seed):
    model, _ = load_shipped()
    texts = torch.from_numpy(Grammar().sample_tokens(np.random.default_rng(seed), texts=30, length=64))
    with torch.no_grad():
        trace = model.trace(texts)
        expected = torch.softmax(trace.logits[:, :-1], dim=-1)
        came = texts[:, 1:]
        surprisal = -torch.log(expected.gather(-1, came[..., None])[..., 0])
        forecast = (model.embedding.weight[came] - expected @ model.embedding.weight).norm(dim=-1)
        literal = (trace.streams[-1] - trace.streams[0])[:, 1:].norm(dim=-1)  # own embedding, after all blocks
    with_surprisal = [spearmanr(surprisal.flatten(), size.flatten()).statistic for size in (forecast, literal)]
    assert with_surprisal[0] > 0.8  # 0.87 and 0.89 for these texts
    assert abs(with_surprisal[1]) < 0.3
    drawn = torch.randn(model.embedding.weight.shape, generator=torch.Generator().manual_seed(seed))
    at_random = (drawn[came] - expected @ drawn).norm(dim=-1).flatten()
    assert spearmanr(surprisal.flatten(), at_random).statistic > with_surprisal[0]  # the definition does it
