"""Results of statsmodels: mixed models, formulas, and filters, held to what they predict and to other roads to it."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from functools import cache

import numpy as np
import pandas as pd
import pytest

from regattn import observation_weights
from regattn.series import filter_weights, local_trend, panel_weights

api = pytest.importorskip("statsmodels.api", reason="the extra data")
formulas = pytest.importorskip("statsmodels.formula.api")

AHEAD = 4


def fitted(model, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # short searches, which are as good as long ones here
        return model.fit(disp=0, maxiter=15, **more)


@cache
def series(name, seed=0):
    rng = np.random.default_rng(seed)
    n = 47
    if name == "walk":
        return 50 + np.cumsum(rng.normal(size=n))
    if name == "seasons":
        return 10 * np.sin(np.arange(n) * np.pi / 2) + rng.normal(size=n) + 0.2 * np.arange(n)
    return rng.normal(size=n)


PREDICTORS = np.random.default_rng(9).normal(size=(47 + AHEAD, 2))
PREDICTORS[:, 0] = 1.0
TREND = {"level": "lltrend", "use_exact_diffuse": True}
FILTERS = {
    "level": (lambda y: api.tsa.UnobservedComponents(y, "llevel"), False),
    "level and slope, exactly diffuse": (lambda y: api.tsa.UnobservedComponents(y, **TREND), False),
    "seasons": (lambda y: api.tsa.UnobservedComponents(y, "llevel", seasonal=4), False),
    "cycle": (lambda y: api.tsa.UnobservedComponents(y, "rwalk", cycle=True, stochastic_cycle=True), False),
    "predictors": (
        lambda y: api.tsa.UnobservedComponents(y, "llevel", exog=PREDICTORS[:47, 1:], mle_regression=False),
        True,
    ),
    "ARIMA": (lambda y: api.tsa.SARIMAX(y, order=(2, 1, 1)), False),
    "seasonal ARIMA": (lambda y: api.tsa.SARIMAX(y, order=(1, 0, 1), seasonal_order=(1, 0, 0, 4)), False),
    "ARIMA, concentrated": (lambda y: api.tsa.SARIMAX(y, order=(1, 1, 1), concentrate_scale=True), False),
    "ARMA around a mean": (
        lambda y: api.tsa.SARIMAX(y, order=(1, 0, 1), exog=PREDICTORS[:47], mle_regression=False),
        True,
    ),
    "nested levels": (lambda y: local_trend(pd.Series(y), layers=2), False),
}


@pytest.mark.parametrize("name", ["walk", "seasons", "noise"])
@pytest.mark.parametrize("family", FILTERS)
def test_a_filter_averages_the_series_into_its_forecasts(family, name):
    make, with_exog = FILTERS[family]
    for seed in range(3):
        y = series(name, seed)
        results = fitted(make(y))
        columns = results.model.exog.shape[1] if with_exog else 0
        dates = PREDICTORS[:, -columns:] if with_exog else np.arange(47.0 + AHEAD)[:, None]
        later = {"exog": dates[47:]} if with_exog else {}
        ahead = observation_weights(results, dates[:47], dates[47:], y_train=y)
        room = 1e-8 * (np.abs(ahead) @ np.abs(y)).max()
        np.testing.assert_allclose(ahead @ y, results.forecast(AHEAD, **later), rtol=0, atol=room)
        before = observation_weights(results, dates[:47])
        np.testing.assert_allclose(before @ y, results.predict(), rtol=0, atol=1e-8 * np.abs(y).sum())
        assert not np.triu(before).any()


def test_forecasts_take_the_weights_of_a_smoother_that_statsmodels_computes():
    from statsmodels.tsa.statespace.tools import compute_smoothed_state_weights

    results = fitted(api.tsa.UnobservedComponents(series("walk"), "lltrend"))
    longer = results.apply(np.r_[series("walk"), np.full(AHEAD, np.nan)])
    states, _, _ = compute_smoothed_state_weights(longer, resmooth=True)
    expected = np.nan_to_num(states[-AHEAD:, :47, 0, 0])  # what the level, all that is observed, listens to
    found = observation_weights(results, np.arange(47)[:, None], 47 + np.arange(AHEAD)[:, None])
    np.testing.assert_allclose(found, expected, atol=1e-5)  # its diffuse start is approximate: 1e6 for infinity


def test_the_next_date_of_nested_levels_listens_as_the_book_says():
    y = pd.Series(series("walk"), pd.period_range("2001-01", periods=47, freq="M"))
    results = fitted(local_trend(y))
    dates = pd.DataFrame({"place": range(48)}, y.index.append(y.index[-1:] + 1))
    found = observation_weights(results, dates.iloc[:47], dates.iloc[47:])
    np.testing.assert_allclose(found.iloc[0], filter_weights(y, results.params), atol=1e-9)
    assert (found.index[0], found.columns[0]) == (pd.Period("2004-12", "M"), pd.Period("2001-01", "M"))


def test_a_date_without_an_outcome_has_no_weight():
    y = series("walk").copy()
    y[[0, 20]] = np.nan
    results = fitted(api.tsa.UnobservedComponents(y, **TREND))
    found = observation_weights(results, np.arange(47)[:, None], np.arange(49)[:, None])
    assert not found[:, [0, 20]].any()
    np.testing.assert_allclose(found @ np.nan_to_num(y), results.predict(0, 48), atol=1e-6)


def places(*rows):
    return np.array(rows, dtype=float)[:, None]


@pytest.mark.parametrize("unit", [1.0, 1e3, 1e6])
def test_what_a_model_predicts_from_zeros_is_held_against_the_size_of_the_series(unit):
    y = series("noise") * unit
    for constant, refused in ((0.0, False), (1e-9, False), (1e-5, True), (0.1, True)):
        results = api.tsa.SARIMAX(y, order=(1, 0, 0), trend="c").smooth([constant * np.std(y), 0.5, np.var(y)])
        with pytest.raises(ValueError, match="from outcomes of zero") if refused else nullcontext():
            observation_weights(results, places(*range(47)), places(47))


@pytest.mark.parametrize(
    ("make", "X_new", "message"),
    [
        (lambda y: api.tsa.SARIMAX(y, order=(1, 0, 0), trend="c"), places(47), "from outcomes of zero it would still"),
        (lambda y: api.tsa.UnobservedComponents(y, "llevel", exog=PREDICTORS[:47, 1:]), PREDICTORS[47:, 1:],
         "give such columns as exog, a column of ones among them, and fit with mle_regression=False"),
        (lambda y: api.tsa.SARIMAX(y, order=(1, 1, 0), simple_differencing=True), places(47), "simple_differencing"),
        (lambda y: api.tsa.VARMAX(np.c_[y, y[::-1]], order=(1, 0)), places(47), "it has 2 series; fit one at a time"),
        (lambda y: api.tsa.UnobservedComponents(y, "llevel"), places(47.5), "a whole number from 0 to 10047, got 47.5"),
        (lambda y: api.tsa.UnobservedComponents(y, "llevel"), places(-1), "got -1"),
        (lambda y: api.tsa.UnobservedComponents(y, "llevel"), places(1e9), "got 1e.09"),
    ],
)  # fmt: skip
def test_what_is_no_average_is_refused(make, X_new, message):
    results = fitted(make(series("walk")))
    exog = getattr(results.model, "exog", None)
    with pytest.raises(ValueError, match=message):
        observation_weights(results, places(*range(47)) if exog is None else exog, X_new)


def test_dates_that_are_not_those_of_the_fit_are_refused():
    results = fitted(api.tsa.UnobservedComponents(series("walk"), "llevel"))
    with pytest.raises(ValueError, match="row 0 differs"):
        observation_weights(results, places(*range(1, 48)), places(48))
    with pytest.raises(ValueError, match="X_train has 46 rows but"):
        observation_weights(results, places(*range(46)), places(48))


@cache
def panel(seed):
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.arange(90) % 9)
    X = api.add_constant(rng.normal(size=(90, 2)))
    slopes = np.c_[rng.normal(size=(9, 2)), np.zeros(9)] + [1.0, 2.0, -1.0]
    return X, (X * slopes[groups]).sum(axis=1) + 0.3 * rng.normal(size=90), groups


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("slopes", [False, True])
def test_fixed_effects_of_a_mixed_model(slopes, seed):
    X, y, groups = panel(seed)
    results = api.MixedLM(y, X, groups=groups, exog_re=X[:, :2] if slopes else None).fit()
    found = observation_weights(results, X, X[:4] + 0.5, y_train=y)
    np.testing.assert_allclose(found @ y, results.predict(X[:4] + 0.5))
    with pytest.raises(ValueError, match="needs X_new: the rows of its group"):
        observation_weights(results, X)


def test_a_mixed_model_of_new_groups_is_a_panel_of_the_book():
    X, y, groups = panel(0)
    ones = X[:, :1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whatever variances are found, the panel is given their ratio
        alone = api.MixedLM(y, ones, groups=groups).fit()
    spread = float(np.sqrt(alone.cov_re[0, 0] / alone.scale))
    found = observation_weights(alone, ones, ones[:1])
    np.testing.assert_allclose(found, panel_weights(ones, groups, ones[:1], [99], spread=spread), atol=1e-8)


FRAME = pd.DataFrame(
    {
        "x": panel(0)[0][:, 1],
        "y": panel(0)[1],
        "firm": panel(0)[2],
        "kind": np.array(["a", "b", "c"])[np.arange(90) % 3],
    },
    pd.period_range("1990-01", periods=90, freq="M"),
)


@pytest.mark.parametrize(
    "fit",
    [
        lambda: formulas.ols("y ~ x + C(kind) + np.exp(x / 9)", FRAME).fit(),
        lambda: formulas.wls("y ~ x * kind", FRAME, weights=np.linspace(1, 2, 90)).fit(),
        lambda: formulas.mixedlm("y ~ x", FRAME, groups=FRAME["firm"], re_formula="~x").fit(),
        lambda: formulas.mixedlm("y ~ x", FRAME, groups=FRAME["firm"], vc_formula={"kind": "0 + C(kind)"}).fit(),
    ],
)
def test_what_a_formula_was_fitted_with_takes_tables_with_its_columns(fit):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # variances at the edge
        results = fit()
    new = FRAME.iloc[5:9][["kind", "x"]].assign(x=0.3)
    found = observation_weights(results, FRAME, new, y_train=FRAME["y"][::-1])
    np.testing.assert_allclose(found @ FRAME["y"], results.predict(new), rtol=1e-9)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert found.columns.equals(FRAME.index)
    with pytest.raises(ValueError, match="X_train is not what"):
        observation_weights(results, FRAME.assign(x=0.0), new)
    with pytest.raises(ValueError, match="X_new must be a table with the columns of the formula"):
        observation_weights(results, FRAME, new.to_numpy())
    with pytest.raises(ValueError, match="1 of 4 rows lack what the formula needs"):
        observation_weights(results, FRAME, new.assign(x=[1.0, np.nan, 2.0, 3.0]))


def test_a_table_without_columns_for_a_series_alone_is_refused_with_what_its_rows_are():
    dates = pd.period_range("2020-01", periods=47, freq="M")
    results = fitted(api.tsa.UnobservedComponents(pd.Series(series("walk"), dates), "llevel"))
    with pytest.raises(ValueError, match=r"X_train is empty: .*np\.arange\(47\)\[:, None\]"):
        observation_weights(results, pd.DataFrame(index=dates), pd.DataFrame(index=dates[-1:]))
    weights = np.asarray(observation_weights(results, np.arange(47)[:, None], [[47]]))
    assert weights @ series("walk") == pytest.approx(results.forecast(1).to_numpy())
