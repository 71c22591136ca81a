"""Forecasts of many series: windows, units, losses, rivals, training, and what the script has found."""

import importlib
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.metrics import mean_pinball_loss
from statsmodels.tsa.ar_model import AutoReg

from regattn.data import load_employment
from regattn.recorded_runs import load_runs
from regattn.series import (
    Forecaster,
    ForecasterDesign,
    PooledLinear,
    drift_forecasts,
    forecast_quantiles,
    forecast_windows,
    lag_visibility,
    load_forecaster,
    normalise,
    quantile_losses,
    seasonal_scale,
    train_forecaster,
)
from regattn.series._local import local_forecasts
from regattn.transformer import TrainingPlan

DECILES = ForecasterDesign(context=36, horizon=12).levels
SIZES = {"context": 36, "horizon": 12}


@pytest.fixture(scope="module")
def table():
    return np.log(load_employment())


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """Return the script whose results are kept; it reads its table when it is imported."""
    return importlib.import_module("tools.forecasts")


def test_employment_is_complete_and_monthly():
    employment = load_employment()
    assert employment.shape == (357, 145)
    assert employment.notna().all(axis=None)
    assert employment.index.freqstr == "M"
    assert employment.columns.is_unique
    parts = employment[["Goods-Producing", "Private Service-Providing"]].sum(axis=1)
    assert (parts - employment["Total Private"]).abs().max() <= 2  # they are rounded


def test_windows_are_cut_where_they_say(table):
    windows = forecast_windows(table, [40, 101], context=37, horizon=3)
    for row in (0, 144, 145, 289):
        series, origin = windows.series[row], windows.origin[row]
        np.testing.assert_array_equal(windows.past[row], table.iloc[origin - 37 : origin, series])
        np.testing.assert_array_equal(windows.ahead[row], table.iloc[origin : origin + 3, series])
        assert windows.season[row] == table.index[origin].month - 1


@pytest.mark.parametrize("origin", [35, 346])
def test_an_origin_without_its_past_or_its_future_is_refused(table, origin):
    with pytest.raises(ValueError, match=f"got {origin}"):
        forecast_windows(table, [100, origin], **SIZES)


def test_a_normalised_window_forgets_level_and_unit():
    past = np.random.default_rng(0).normal(size=(3, 36)).cumsum(axis=1)
    x, level, scale = normalise(past)
    np.testing.assert_allclose(x * scale + level, past)
    again, _, _ = normalise(5e4 * past + 7)  # the constant in the scale is small beside these
    np.testing.assert_allclose(again, x, rtol=1e-3, atol=1e-3)


def test_the_scaled_error_of_an_origin_is_that_of_a_slow_loop(table):
    table = table.iloc[:, :7]
    windows, unit = forecast_windows(table, [100, 113, 250], **SIZES), seasonal_scale(table.iloc[:240])
    found = windows.mase(drift_forecasts(windows), unit)
    for origin in (100, 113, 250):
        errors = []
        for name, u in zip(table, unit, strict=True):
            y = table[name].to_numpy()
            year = y[origin - 1] - y[origin - 13]
            errors += [abs(y[origin - 12 + j] + year - y[origin + j]) / u for j in range(12)]
        assert found[origin] == pytest.approx(np.mean(errors))


def test_a_scaled_error_needs_a_forecast_of_every_month_and_a_unit_of_every_series(table):
    windows = forecast_windows(table.iloc[:, :3], [100], **SIZES)
    with pytest.raises(ValueError, match=r"shape \(3, 12\), got \(3, 11\)"):
        windows.mase(windows.ahead[:, 1:], [1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match=r"each of 3 series, got \(2,\)"):
        windows.mase(windows.ahead, [1.0, 1.0])
    with pytest.raises(ValueError, match=r"positive, got 0\.0"):
        windows.mase(windows.ahead, [1.0, 0.0, 1.0])


def test_quantile_losses_are_twice_scikit_learns():
    rng = np.random.default_rng(1)
    quantiles, outcome = rng.normal(size=(13, 9)), rng.normal(size=13)
    found = quantile_losses(quantiles, outcome, levels=DECILES).mean(axis=0)
    theirs = [mean_pinball_loss(outcome, q, alpha=level) for q, level in zip(quantiles.T, DECILES, strict=True)]
    np.testing.assert_allclose(found, 2 * np.array(theirs))
    with pytest.raises(ValueError, match=r"\(13, 9\)"):
        quantile_losses(quantiles, outcome, levels=DECILES[1:])


def test_the_mean_over_many_levels_is_the_continuous_ranked_probability_score():
    sample, outcome = np.random.default_rng(2).normal(size=400), 0.7
    levels = (np.arange(400) + 0.5) / 400
    crps = np.abs(sample - outcome).mean() - np.abs(sample[:, None] - sample).mean() / 2
    found = quantile_losses(np.sort(sample), outcome, levels=levels).mean()
    assert found == pytest.approx(crps, abs=1e-9)


def test_pooled_linear_starts_as_the_seasonal_naive_forecast_with_drift(table):
    windows = forecast_windows(table, [100], **SIZES)
    model = PooledLinear(ForecasterDesign(**SIZES)).double()
    found = forecast_quantiles(model, windows)
    np.testing.assert_allclose(found, np.repeat(drift_forecasts(windows)[..., None], 9, axis=-1), atol=1e-9)


def test_local_forecasts_are_those_of_an_autoregression_fitted_before_each_origin(table):
    table = table.iloc[:, [3, 71]]
    windows = forecast_windows(table, [150, 233], **SIZES)
    found = local_forecasts(table, windows, max_lag=13)
    for row in range(4):
        known = table.iloc[: windows.origin[row], windows.series[row]].to_numpy()
        change = AutoReg(known[12:] - known[:-12], 13, trend="c").fit().forecast(12)
        np.testing.assert_allclose(found[row], known[-12:] + change, atol=1e-8)


def test_a_deleted_lag_is_counted_from_the_month_that_is_forecast():
    keep = lag_visibility([12, 24, 36], **SIZES)
    assert (~keep).sum() == 36
    for ahead in range(12):
        assert set(ahead + 36 - np.flatnonzero(~keep[ahead])) == {12, 24, 36}


def test_quantiles_come_in_order_and_obey_what_is_deleted(table):
    model, _ = load_forecaster()
    windows = forecast_windows(table.iloc[:, :7], [250], **SIZES)
    found = forecast_quantiles(model, windows)
    assert (np.diff(found, axis=-1) >= 0).all()
    assert np.abs(forecast_quantiles(model, windows, keep=lag_visibility([12], **SIZES)) - found).max() > 1e-4


def test_training_is_the_same_when_repeated_and_lowers_the_loss(table):
    table = table.iloc[:120, :5]
    windows, models = forecast_windows(table, range(36, 109), **SIZES), []
    for _ in range(2):
        model = Forecaster(ForecasterDesign(**SIZES, width=8, n_heads=2, hidden=8), rng=3)
        plan = TrainingPlan(steps=40, peak=0.01, evaluate_every=20)
        history = train_forecaster(model, windows, plan, unit=seasonal_scale(table), batch_size=16, rng=3)
        models.append(model)
    assert history["loss"].iloc[1] < history["loss"].iloc[0]
    assert torch.equal(models[0].readout.weight, models[1].readout.weight)


def test_a_step_of_no_windows_is_refused_before_the_first(table):
    windows, model = forecast_windows(table, range(36, 109), **SIZES), PooledLinear(ForecasterDesign(**SIZES))
    with pytest.raises(ValueError, match="batch_size must be ≥ 1, got 0"):
        train_forecaster(model, windows, TrainingPlan(steps=1), unit=seasonal_scale(table), batch_size=0)


def test_the_shipped_forecaster_is_the_first_seed_of_the_table(table):
    model, _ = load_forecaster()
    runs = load_runs("forecasts", "employment").runs
    kept = runs[(runs["model"] == "transformer") & (runs["seed"] == 0)]["by_series"].item()
    windows = forecast_windows(table, range(240, 346, 5), **SIZES)
    windows = windows.of(np.isin(windows.series, [0, 50, 144]))
    errors = np.abs(forecast_quantiles(model, windows)[..., 4] - windows.ahead).mean(axis=1)
    found = pd.Series(errors / seasonal_scale(table.iloc[:240])[windows.series]).groupby(windows.series).mean()
    np.testing.assert_allclose(found, np.array(kept)[[0, 50, 144]], atol=2e-3)  # rounded, and on another processor


def test_both_models_learned_from_one_ten_and_forty_series_and_forecast_those_of_the_ten(tool):
    runs = load_runs("forecasts", "pooling").runs
    planned = {tuple(label.values()) for label, _ in tool.pooling([])}
    assert set(zip(runs["model"], runs["learned"], runs["seed"], strict=True)) == planned
    for name, part in runs.groupby("model"):
        many, alone = part[~part["learned"].str.contains(":")], part[part["learned"].str.contains(":")]
        (ten,) = {frozenset(found) for found in many["by_series"]}
        assert len(ten) == 10
        assert len(alone) == tool.ALONE[name]
        assert frozenset().union(*alone["by_series"]) <= ten
        assert alone["learned"].tolist() == [f"1: {series}" for (series,) in alone["by_series"]]


@pytest.mark.weekly
def test_what_one_series_taught_a_linear_model_is_found_again(tool):
    runs = load_runs("forecasts", "pooling").runs
    kept = runs[(runs["model"] == "pooled linear") & (runs["learned"] == "1: 110")]["by_series"].item()
    made = load_runs("forecasts", "choice").runs.to_dict("records")
    again = tool._few(made, "pooled linear", np.array([110]), [110])["by_series"]
    assert again[110] == pytest.approx(kept["110"], rel=0.02)  # sums are taken in another order elsewhere


def test_a_transformer_that_learned_from_one_series_knows_it_better_than_before(tool):
    windows = tool.learned(tool.CUT).of(np.arange(100, 27_985, 145))  # of series 100
    assert set(windows.series) == {100}
    short = tool.trained("transformer", 0, windows, (60, 16, 0.01))
    before = Forecaster(tool.DESIGN, rng=0)
    assert tool.error(short, windows) < 0.7 * tool.error(before, windows)


PAST = np.arange(72.0).reshape(2, 36)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: normalise(PAST[:, :12]), "the length of past must be ≥ 13, got 12"),
        (lambda: normalise(PAST * np.nan), "past must be finite, got nan"),
        (lambda: seasonal_scale(PAST.T, period=36), r"period must be ≤ 35 \(the dates there are, less one\), got 36"),
        (lambda: seasonal_scale(PAST.T, period=0), "period must be ≥ 1, got 0"),
        (lambda: quantile_losses([[0.5]], [1.0], levels=[1.0]), "a level must lie between 0 and 1, got 1"),
        (lambda: quantile_losses([[0.5]], [1.0], levels=[-0.1]), "a level must be ≥ 0, got -0.1"),
        (lambda: quantile_losses([[0.5, 0.6]], [1.0], levels=[0.5]), r"1 in the last axis, .* got \(1, 2\)"),
        (
            lambda: quantile_losses(PAST[:, :3], [1.0] * 5, levels=[0.2, 0.5, 0.8]),
            r"shape \(2, 3\) but outcomes \(5,\)",
        ),
        (lambda: quantile_losses([[np.nan]], [1.0], levels=[0.5]), "quantiles must be finite, got nan"),
        (lambda: quantile_losses([[0.5]], [np.inf], levels=[0.5]), "outcome must be finite, got inf"),
        (lambda: lag_visibility([0], context=3, horizon=2), "a lag must be ≥ 1, got 0"),
        (lambda: lag_visibility([1], context=0, horizon=2), "context must be ≥ 1, got 0"),
    ],
)
def test_what_cannot_be_scored_or_deleted_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_same_quantiles_may_serve_many_outcomes():
    losses = quantile_losses([1.0, 2.0], [[0.0, 3.0], [1.0, 2.0]], levels=[0.25, 0.5])
    assert losses[0, 1].tolist() == [1.0, 1.0]  # .25 and .5 of what it lies above, twice
    assert losses.shape == (2, 2, 2)


def test_a_drift_needs_more_than_a_year(table):
    windows = forecast_windows(table, [36], context=12, horizon=3)
    with pytest.raises(ValueError, match=r"period must be ≤ 11 \(the dates of the past, less one\), got 12"):
        drift_forecasts(windows)


def test_a_lag_beyond_the_past_deletes_nothing():
    assert lag_visibility([np.int64(5), 99], context=3, horizon=2).all()


def test_nothing_is_deleted_for_a_model_that_has_no_attention(table):
    windows = forecast_windows(table, [100], **SIZES)
    with pytest.raises(ValueError, match="keep needs a model with attention, got a PooledLinear"):
        forecast_quantiles(PooledLinear(ForecasterDesign(**SIZES)), windows, keep=lag_visibility([12], **SIZES))


def test_every_training_of_the_table_keeps_the_bars_of_chapter_19():
    runs = load_runs("forecasts", "employment").runs
    trainings = runs[runs["model"] == "transformer"]
    assert sorted(trainings["seed"]) == [0, 1, 2, 3, 4]
    for _, run in trainings.iterrows():
        error, by_lag = np.mean(run["mase"]), np.array(run["by_lag"])
        assert error <= 0.42
        seasonal = by_lag[by_lag[:, [11, 23, 35]].sum(axis=1).argmax()]
        assert seasonal.argmax() == 11
        assert seasonal[[11, 23, 35]].sum() >= 0.25
        cost = {int(lag): found - error for lag, found in run["deleted"].items()}
        season = cost.pop(12)
        assert season >= 0.12
        assert season >= 2 * max(cost.values())


def test_one_head_finds_the_known_lags_in_proportion_to_their_slopes():
    runs = load_runs("forecasts", "known lags").runs
    found = runs[runs["model"] == "one head"]
    weights = np.array(found["by_lag"].tolist())[:, 0]
    assert len(found) == 5
    np.testing.assert_allclose(weights[:, [4, 8]], [[5 / 9, 4 / 9]] * 5, atol=0.05)
    assert (found["mse"] <= 1.02 * found["oracle"]).sum() >= 4


@pytest.mark.parametrize(("period", "horizon"), [(12, 12), (12, 29), (4, 4), (4, 11), (1, 3)])
def test_beyond_a_year_and_in_quarters_the_drift_goes_on(period, horizon):
    freq = {12: "M", 4: "Q", 1: "Y"}[period]
    rows = pd.DataFrame({"x": np.random.default_rng(1).normal(size=70).cumsum()})
    rows.index = pd.period_range("1990-01", periods=70, freq=freq)
    windows = forecast_windows(rows, [26, 31], context=25, horizon=horizon)
    found, y = drift_forecasts(windows, period=period), rows["x"].to_numpy()
    for row, origin in enumerate((26, 31)):
        path = list(y[:origin])
        drift = y[origin - 1] - y[origin - 1 - period]
        for _ in range(horizon):
            path.append(path[-period] + drift)  # each year is the year before, and as much again
        np.testing.assert_allclose(found[row], path[origin:])
    model = PooledLinear(ForecasterDesign(context=25, horizon=horizon, period=period)).double()
    np.testing.assert_allclose(forecast_quantiles(model, windows)[..., 4], found, atol=1e-9)
    plain = drift_forecasts(windows, drift=False, period=period)
    np.testing.assert_allclose(plain[0], np.resize(y[26 - period : 26], horizon))


@pytest.mark.parametrize("period", [1, 4, 7])
def test_a_seasonal_unit_is_what_the_year_before_misses(period):
    values = np.random.default_rng(2).normal(size=(23, 2))
    slow = [np.mean([abs(x[t] - x[t - period]) for t in range(period, 23)]) for x in values.T]
    np.testing.assert_allclose(seasonal_scale(values, period=period), slow)


def test_a_table_by_times_is_forecast_as_by_periods(table):
    periods, times = (forecast_windows(t, [101, 250], **SIZES) for t in (table, table.to_timestamp()))
    assert periods.season.tolist() == times.season.tolist()
    model, _ = load_forecaster()
    np.testing.assert_array_equal(forecast_quantiles(model, periods), forecast_quantiles(model, times))


def test_an_origin_may_be_a_date(table):
    by_row, by_date = (forecast_windows(table, [origin], **SIZES) for origin in (240, "2010-01"))
    assert str(table.index[240]) == "2010-01"
    for ours, theirs in zip(by_row, by_date, strict=True):
        np.testing.assert_array_equal(ours, theirs)


DAILY = pd.DataFrame({"x": np.arange(60.0)}, pd.date_range("2020-11-15", periods=60))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda table: forecast_windows(table, ["first"], **SIZES), "'first' is not one of the 357 dates"),
        (lambda table: forecast_windows(table, [40.5], **SIZES), "an origin must be a whole number, got 40.5"),
        (lambda table: forecast_windows(table.drop("1995-05"), [90], **SIZES), "1995-06 follows 1995-04: a gap"),
        (lambda table: forecast_windows(table.to_numpy(), [90], **SIZES), "table must be a DataFrame"),
        (lambda table: forecast_windows(table, [], **SIZES).mase(np.empty((0, 12)), [1.0]), "windows, got none"),
        (
            lambda table: forecast_quantiles(load_forecaster()[0], forecast_windows(DAILY, [36], **SIZES)),
            "windows begin at place 355 of the year, from 0, but the model's year has 12",
        ),
    ],
)
def test_what_cannot_be_cut_into_windows_is_named(call, message, table):
    with pytest.raises(ValueError, match=message):
        call(table)
