"""Nested models of level, slope and acceleration against statsmodels' own, and their filters as weights."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from regattn.series import filter_weights, local_trend, shared_variances

DATES = pd.period_range("1990Q1", periods=37, freq="Q")
SERIES = pd.Series(np.cumsum(np.cumsum(np.random.default_rng(43).normal(size=37))), index=DATES, name="y")
VARIANCES = [1.0, 0.5, 0.1, 0.02]


@pytest.mark.parametrize(("layers", "name"), [(1, "llevel"), (2, "lltrend")])
def test_one_and_two_layers_are_models_of_statsmodels(layers, name):
    theirs = sm.tsa.UnobservedComponents(SERIES.to_numpy(), name, use_exact_diffuse=True)
    theirs.ssm.tolerance = 0  # as ours: no steady state is assumed
    ours = local_trend(SERIES, layers=layers)
    variances = VARIANCES[: layers + 1]
    assert ours.loglike(variances) == pytest.approx(theirs.loglike(variances), rel=1e-10)
    np.testing.assert_allclose(
        ours.smooth(variances).filtered_state, theirs.smooth(variances).filtered_state, rtol=1e-8
    )
    assert ours.fit(disp=0).llf == pytest.approx(theirs.fit(disp=0).llf, abs=1e-3)


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_the_search_begins_at_shares_of_the_variance_of_changes(layers, unit):
    model = local_trend(SERIES * unit, layers=layers)
    shares = model.start_params / np.var(np.diff(SERIES * unit))
    np.testing.assert_allclose(shares, [0.5, 0.5, 0.05, 0.005][: layers + 1])
    np.testing.assert_allclose(model.transform_params(model.untransform_params(model.start_params)), model.start_params)


def test_three_layers_without_noise_in_the_states_fit_a_parabola():
    times = np.arange(37.0)
    seen = local_trend(SERIES, layers=3).smooth([1.0, 0.0, 0.0, 0.0]).filtered_state[0]
    for last in (5, 20, 36):
        parabola = np.polyval(np.polyfit(times[: last + 1], SERIES.iloc[: last + 1], 2), times[last])
        assert seen[last] == pytest.approx(parabola, rel=1e-7)


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("date", ["1992Q3", "1995Q4", None])
def test_weights_times_observations_are_the_filtered_level(layers, date):
    variances = VARIANCES[: layers + 1]
    weights = filter_weights(SERIES, variances, date=date)
    seen = local_trend(SERIES, layers=layers).smooth(variances).filtered_state[0]
    assert weights @ SERIES[weights.index] == pytest.approx(seen[len(weights) - 1], rel=1e-9)
    assert weights.index[-1] == (DATES[-1] if date is None else pd.Period(date))
    ages = np.arange(len(weights))[::-1]
    moments = [weights @ ages**power for power in range(layers)]  # a filter of L layers returns polynomials below L
    np.testing.assert_allclose(moments, np.eye(layers)[0], atol=1e-9)


def test_the_weights_of_a_level_are_geometric_and_those_with_a_slope_not_all_positive():
    level = filter_weights(pd.Series(np.zeros(90)), [1.0, 0.1]).to_numpy()[::-1]
    np.testing.assert_allclose(level[1:20] / level[:19], 1 - level[0], rtol=1e-6)
    assert level.min() > 0 > filter_weights(SERIES, [1.0, 0.1, 0.01]).min()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: local_trend(SERIES, layers=4), "layers must be ≤ 3"),
        (lambda: local_trend(SERIES.to_frame()), "series must be a Series, got DataFrame"),
        (lambda: local_trend(SERIES.iloc[:6], layers=3), "series has 6 dates, too few for 3 layers: need 7"),
        (lambda: local_trend(SERIES.drop(DATES[9])), "1992Q3 follows 1992Q1: a gap"),
        (lambda: local_trend(SERIES.replace(SERIES.iloc[4], np.inf)), "series, column y, row 1991Q1: inf is not fin"),
        (
            lambda: local_trend(SERIES.where(DATES < "1991Q1"), layers=2),
            "series has 4 dates, too few for 2 layers: need 5",
        ),
        (lambda: filter_weights(SERIES, [1.0, 0.5], date="1989Q4"), "'1989Q4' is not one of the 37 dates"),
        (lambda: filter_weights(SERIES, VARIANCES, date="1991Q2"), "1991Q2 is date 6 of series; 3 layers need 7"),
        (lambda: filter_weights(SERIES, [1.0, -0.5]), r"≥ 0 and not all zero, got \[1.0, -0.5\]"),
        (lambda: filter_weights(SERIES, [0.0, 0.0]), "not all zero"),
        (lambda: filter_weights(SERIES, [1.0]), r"1 to 3 layers, got shape \(1,\)"),
        (lambda: filter_weights(SERIES.to_frame(), [1.0, 1.0]), "got DataFrame"),
    ],
)
def test_what_cannot_be_filtered_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def noisy(rng, layers=1, dates=50):
    blank = local_trend(pd.Series(np.zeros(dates)), layers=layers)
    return pd.Series(blank.simulate(VARIANCES[: layers + 1], dates, initial_state=np.zeros(layers), rng=rng))


def test_variances_shared_by_one_series_are_its_own():
    model = local_trend(noisy(np.random.default_rng(5)))
    np.testing.assert_allclose(shared_variances([model]), model.fit(disp=0).params, rtol=1e-2)  # a flat top


def test_no_variances_nearby_are_likelier_for_all_series_together():
    rng = np.random.default_rng(6)
    models = [local_trend(noisy(rng, 2), layers=2) for _ in range(7)]
    found = shared_variances(models, start=[1.0, 0.3, 0.2])

    def likelihood(variances):
        return sum(model.loglike(variances) for model in models)

    best = likelihood(found)
    for k in range(3):
        for factor in (0.8, 1.25):
            other = found.copy()
            other[k] *= factor
            assert likelihood(other) < best
    np.testing.assert_allclose(found[:2], VARIANCES[:2], rtol=0.5)  # 350 dates


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: shared_variances([]), "at least one model, got none"),
        (
            lambda: shared_variances([local_trend(SERIES), local_trend(SERIES, layers=2)]),
            "as many layers each, got 1, 2",
        ),
        (lambda: shared_variances([local_trend(SERIES)], start=[1.0]), r"2 positive variances, got \[1.0\]"),
        (lambda: shared_variances([local_trend(SERIES)], start=[1.0, 0.0]), r"2 positive variances, got \[1.0, 0.0\]"),
    ],
)
def test_what_cannot_share_variances_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


GAPS = SERIES.where(~np.isin(np.arange(37), [4, 5, 20, 36]))


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_a_series_with_numbers_missing_is_filtered_as_statsmodels_does(layers):
    variances = VARIANCES[: layers + 1]
    seen = local_trend(GAPS, layers=layers).smooth(variances)
    if layers < 3:
        name = ["llevel", "lltrend"][layers - 1]
        theirs = sm.tsa.UnobservedComponents(GAPS.to_numpy(), name, use_exact_diffuse=True)
        theirs.ssm.tolerance = 0
        np.testing.assert_allclose(seen.smoothed_state, theirs.smooth(variances).smoothed_state, rtol=1e-7)
    weights = filter_weights(GAPS, variances)
    assert weights @ GAPS.fillna(0) == pytest.approx(seen.filtered_state[0, -1], rel=1e-8)
    assert (weights[GAPS.isna()] == 0).all()
    assert weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("series", [SERIES, GAPS], ids=["whole", "gaps"])
@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("date", ["1993Q2", None])
def test_smoothed_weights_times_observations_are_the_smoothed_level(series, layers, date):
    variances = VARIANCES[: layers + 1]
    weights = filter_weights(series, variances, date=date, smoothed=True)
    level = local_trend(series, layers=layers).smooth(variances).smoothed_state[0]
    assert weights @ series.fillna(0) == pytest.approx(level[36 if date is None else 13], rel=1e-7)
    assert len(weights) == 37
    assert weights.sum() == pytest.approx(1)


def test_a_fitted_model_gives_its_variances():
    fitted = local_trend(noisy(np.random.default_rng(5)), layers=1).fit(disp=0)
    series = noisy(np.random.default_rng(5))
    pd.testing.assert_series_equal(filter_weights(series, fitted), filter_weights(series, fitted.params))
    with pytest.raises(ValueError, match=r"that local_trend made, got one with \['sigma2.irregular', 'sigma2.level'\]"):
        filter_weights(series, sm.tsa.UnobservedComponents(series.to_numpy(), "llevel").fit(disp=0))
    with pytest.raises(ValueError, match="smoothed must be True or False, got 1"):
        filter_weights(series, [1.0, 0.5], smoothed=1)
