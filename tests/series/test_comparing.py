"""Clark and West's test and the fixed-b test: closed forms, published critical values, and the size they keep."""

import math
import re

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from regattn.series import clark_west, diebold_mariano, expanding_least_squares, fixed_b_test

RNG = np.random.default_rng(17)
SMALL, LARGE = RNG.normal(size=(2, 71))


@pytest.mark.parametrize("max_lag", [0, 3])
def test_clark_and_west_regress_their_adjusted_difference_on_a_constant(max_lag):
    found = clark_west(SMALL, LARGE, max_lag=max_lag)
    forecasts_apart = SMALL - LARGE  # the outcome is the same
    adjusted = SMALL**2 - (LARGE**2 - forecasts_apart**2)
    kind = {"cov_type": "HAC", "cov_kwds": {"maxlags": max_lag, "use_correction": False}}
    theirs = sm.OLS(adjusted, np.ones(71)).fit(**kind)
    assert found.difference == pytest.approx(theirs.params[0])
    assert found.standard_error == pytest.approx(theirs.bse[0])
    assert found.p_value == pytest.approx(theirs.pvalues[0] / 2 if found.statistic > 0 else 1 - theirs.pvalues[0] / 2)


def test_where_the_smaller_model_is_true_the_larger_one_is_not_held_against_itself():
    nulls = np.random.default_rng(3).normal(size=(200, 120, 3))
    adjusted, plain = [], []
    for y, *x in nulls.transpose(0, 2, 1):
        larger = y[40:] - expanding_least_squares(np.column_stack(x), y, start=40, intercept=False).forecasts
        adjusted.append(clark_west(y[40:], larger, max_lag=0).p_value < 0.1)
        plain.append(diebold_mariano(y[40:], larger, max_lag=0).statistic > stats.norm.isf(0.1))
    assert 0.03 < np.mean(adjusted) < 0.15  # the authors: somewhat below the nominal size
    assert np.mean(plain) < 0.03


def test_where_the_larger_model_is_true_it_is_found():
    x = np.random.default_rng(4).normal(size=(200, 2))
    y = 0.4 * x[:, 0] + x[:, 1]
    larger = y[80:] - expanding_least_squares(x[:, :1], y, start=80, intercept=False).forecasts
    assert clark_west(y[80:], larger).p_value < 0.01


@pytest.mark.parametrize(
    ("share", "level", "published"),  # Kiefer and Vogelsang (2005), table 1, the Bartlett kernel
    [
        (b, level, a0 + a1 * b + a2 * b**2 + a3 * b**3)
        for b in (0.1, 0.5, 1.0)
        for level, (a0, a1, a2, a3) in {
            0.10: (1.6449, 2.1859, 0.3142, -0.3427),
            0.05: (1.9600, 2.9694, 0.4160, -0.5324),
        }.items()
    ],
)
def test_critical_values_are_the_published_ones(share, level, published):
    n = 200
    rng = np.random.default_rng(5)
    d = rng.normal(size=n)
    lag = int(share * n) - 1
    spread = diebold_mariano(np.abs(d) + d, np.abs(d), max_lag=lag, squared=True)
    se = spread.standard_error * np.sqrt((n - 1) / n)  # without the small-sample factor
    wanted = np.abs(d) + (d - d.mean() + published * se)  # the same spread about a mean at the published value
    shift = max(0.0, -wanted.min())
    found = fixed_b_test(wanted + shift, np.abs(d) + shift, max_lag=lag, squared=True, draws=4000)
    assert found.statistic == pytest.approx(published)
    assert found.p_value == pytest.approx(level, abs=0.02)


def test_the_fixed_b_test_keeps_its_size_where_the_normal_does_not():
    noise = np.random.default_rng(6).normal(size=(300, 41))
    for t in range(1, 41):
        noise[:, t] += 0.5 * noise[:, t - 1]
    kept, lost = [], []
    for d in noise[:, 1:]:
        found = fixed_b_test(np.abs(d) + d, np.abs(d), max_lag=19, squared=True, draws=400)
        kept.append(found.p_value < 0.1)
        lost.append(abs(found.statistic) > stats.norm.isf(0.05))
    assert np.mean(lost) > 0.3
    assert np.mean(kept) < 0.2


@pytest.mark.parametrize("n", [2, 3, 8, 9, 24, 25, 71])
def test_autocovariances_are_as_many_as_is_said_where_none_are_asked_for(n):
    first, second = SMALL[:n], LARGE[:n]
    for horizon in (1, n - 1):
        lags = min(n - 1, max(horizon - 1, int(4 * (n / 100) ** (2 / 9))))
        assert clark_west(first, second, horizon=horizon) == clark_west(first, second, max_lag=lags)
    told = {"draws": 100, "rng": 3}
    assert fixed_b_test(first, second, **told) == fixed_b_test(first, second, max_lag=math.isqrt(n) - 1, **told)


@pytest.mark.parametrize("unit", [2.0**-9, 1.0, 5.0, 1e6])
def test_a_difference_that_does_not_vary_is_told_in_squared_units_of_the_errors(unit):
    first, second = unit * np.array([3.0, -3.0, 3.0]), unit * np.array([1.0, -1.0, 1.0])
    for call, found in (
        (lambda: clark_west(first, second), 2 * 3 * (3 - 1)),
        (lambda: diebold_mariano(first, second), 9 - 1),
        (lambda: fixed_b_test(first, second), 9 - 1),
        (lambda: diebold_mariano(first**2, second**2, squared=True), 9 - 1),
    ):
        with pytest.raises(ValueError, match=rf"beyond rounding, from {re.escape(f'{found * unit**2:g}')}$"):
            call()


def test_the_two_tests_do_not_depend_on_units():
    for test in (clark_west, fixed_b_test):
        plain, scaled = test(SMALL, LARGE), test(SMALL * 1e9, LARGE * 1e9)
        assert scaled.statistic == pytest.approx(plain.statistic)
        assert scaled.p_value == pytest.approx(plain.p_value)
        assert scaled.difference == pytest.approx(plain.difference * 1e18)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: clark_west(SMALL, LARGE[1:]), r"shapes \(71,\) and \(70,\)"),
        (lambda: clark_west(SMALL, SMALL), "does not vary, beyond rounding, from 0"),
        (lambda: clark_west(SMALL, LARGE, max_lag=71), "max_lag must be ≤ 70"),
        (lambda: fixed_b_test(SMALL, LARGE, draws=99), "draws must be ≥ 100, got 99"),
        (lambda: fixed_b_test(SMALL, LARGE, squared=True), "squared errors cannot be negative"),
        (lambda: fixed_b_test(SMALL, LARGE, max_lag=-1), "max_lag must be ≥ 0, got -1"),
    ],
)
def test_what_cannot_be_compared_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()
