"""Series of one's own: forecasts beyond the last date, gaps, unequal lengths, any period, covariates, files."""

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, strategies as st

from regattn._tensors import read_tensors, write_tensors
from regattn.data import load_employment
from regattn.series import (
    Forecaster,
    ForecasterDesign,
    PooledLinear,
    forecast_pass,
    forecast_quantiles,
    forecast_windows,
    load_forecaster,
    train_forecaster,
)
from regattn.series._cut import cut, normalise_seen, own_units, read_panel, sources
from regattn.series._dates import phases
from regattn.series.windows import normalise
from regattn.transformer import TrainingPlan
from tests.bad_inputs.inputs import many

DATES = pd.period_range("2011Q2", periods=47, freq="Q", name="quarter")
RNG = np.random.default_rng(12)
WHOLE = pd.DataFrame(RNG.normal(size=(47, 5)).cumsum(axis=0) * [1, 50, 0.01, 3, 7], DATES, list("abcde"))
GAPS = WHOLE.mask(RNG.random(WHOLE.shape) < 0.15)
GAPS.iloc[:20, 1], GAPS.iloc[40:, 2], GAPS.iloc[-1, 0] = np.nan, np.nan, np.nan
PROMO = pd.DataFrame(RNG.normal(size=(53, 5)), pd.period_range("2011Q2", periods=53, freq="Q"), list("abcde"))
FEW = TrainingPlan(steps=30, peak=0.01)
SIZES = {"context": 13, "horizon": 6, "period": 4}
SMALL = SIZES | {"width": 8, "n_heads": 2, "hidden": 8}
INDICES = [
    (pd.period_range("2001-03", periods=71, freq="M"), 12),
    (pd.date_range("2001-03-31", periods=71, freq="ME"), 12),
    (pd.date_range("2001-03-01", periods=71, freq="QS"), 4),
    (pd.period_range("1901", periods=71, freq="Y"), 1),
    (pd.date_range("2019-01-07", periods=171, freq="W-MON"), 52),
    (pd.date_range("2019-01-07", periods=71, freq="D"), 7),
    (pd.bdate_range("2019-01-07", periods=71), 5),
    (pd.date_range("2019-01-07", periods=99, freq="h"), 24),
    (pd.RangeIndex(3, 74), 6),
    (pd.Index(np.arange(71) / 4 + 1990.25), 4),
]
NAMES = ["months", "ends", "quarters", "years", "weeks", "days", "business days", "hours", "numbers", "decimal years"]


def made(kind, **more):
    model = (PooledLinear if kind == "linear" else Forecaster)(ForecasterDesign(**SMALL | more))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(3))
    return model


@pytest.mark.parametrize(("dates", "period"), INDICES, ids=NAMES)
def test_at_any_period_it_starts_as_the_seasonal_naive_forecast_with_drift(dates, period):
    values = np.random.default_rng(1).normal(size=len(dates)).cumsum()
    model = PooledLinear(ForecasterDesign(context=period + 9, horizon=5, period=period)).double()
    ahead = model.forecast(pd.Series(values, dates, name="x"), 3)
    path = list(values)
    drift = values[-1] - values[-1 - period]
    for _ in range(3):
        path.append(path[-period] + drift)
    np.testing.assert_allclose(ahead.point["x"], path[-3:])
    step = dates[-1] - dates[-2]
    assert ahead.point.index[0] == (dates[-1] + (dates.freq or step) if hasattr(dates, "freq") else dates[-1] + step)
    assert list(ahead.quantiles.columns) == list(model.design.levels)


@pytest.mark.parametrize(("dates", "period"), INDICES, ids=NAMES)
def test_places_in_a_period_rise_by_one_and_do_not_depend_on_where_a_table_begins(dates, period):
    found = phases(dates, period, "x")
    np.testing.assert_array_equal(phases(dates[5:], period, "x"), found[5:])
    steps = np.diff(found) % period if period > 1 else np.zeros(len(dates) - 1)
    odd = steps != (1 if period > 1 else 0)
    assert odd.sum() <= (3 if period == 52 else 0)  # a year of 53 weeks counts its last twice
    assert set(found) == set(range(period))


@pytest.mark.parametrize("first", ["2003-02", "2019-07", "2096-01"])
@pytest.mark.parametrize(
    ("freq", "period", "place"),
    [
        ("D", 365, lambda d: d.day_of_year - 1),
        ("W", 52, lambda d: d.week - 1),
        ("M", 12, lambda d: d.month - 1),
        ("2M", 6, lambda d: (d.month - 1) // 2),
        ("Q", 4, lambda d: d.quarter - 1),
        ("2Q", 2, lambda d: (d.quarter - 1) // 2),
    ],
)
@pytest.mark.parametrize("years", [1, 2, 11])
def test_a_period_of_one_year_is_the_calendars_whatever_the_leap_years(first, freq, period, place, years):
    dates = pd.period_range(first, periods=years * period + 2, freq=freq)
    wanted = [min(place(date), period - 1) for date in dates]
    assert phases(dates, period, "x").tolist() == wanted
    assert phases(dates.to_timestamp(), period, "x").tolist() == wanted


@pytest.mark.parametrize(("dates", "period"), INDICES, ids=NAMES)
def test_a_period_that_is_not_given_is_that_of_the_dates(dates, period):
    y, sizes = pd.Series(np.arange(len(dates)) % 3.0, dates), {"context": period + 9, "horizon": 5}
    model = PooledLinear(ForecasterDesign(**sizes)).double()
    if isinstance(dates, pd.PeriodIndex | pd.DatetimeIndex):
        told = PooledLinear(ForecasterDesign(**sizes, period=period)).double()
        np.testing.assert_array_equal(model.forecast(y).quantiles, told.forecast(y).quantiles)
        assert model.design == told.design
    else:
        with pytest.raises(ValueError, match=r"Y is indexed by numbers \(.*\), which tells no period: give one"):
            model.forecast(y)


def test_a_period_stays_once_it_is_learned_and_is_taken_anew_by_the_next_fit():
    months = pd.Series(RNG.normal(size=60).cumsum(), pd.period_range("2001-03", periods=60, freq="M"))
    model = Forecaster(ForecasterDesign(context=14, horizon=3, width=8, n_heads=2, hidden=8), rng=4)
    first = model.value.weight.detach().clone()
    model.forecast(WHOLE)
    assert model.design.period == 4
    assert torch.equal(model.value.weight, first)  # the same seed draws the same weights
    assert model.fit(months, plan=FEW).design.period == 12
    with pytest.raises(ValueError, match=r"period 12 is that of months, but the dates of Y are quarters \(2011Q2, 201"):
        model.forecast(WHOLE)
    assert model.fit(WHOLE, plan=FEW).forecast(WHOLE).point.shape == (3, 5)


def test_a_model_that_has_learned_from_windows_keeps_their_period():
    months = pd.DataFrame({"x": RNG.normal(size=60).cumsum()}, pd.period_range("2001-03", periods=60, freq="M"))
    model = PooledLinear(ForecasterDesign(context=14, horizon=3))
    windows = forecast_windows(months, range(14, 58), context=14, horizon=3)
    train_forecaster(model, windows, FEW, unit=[1.0])
    learned = model.lags.weight.clone()
    assert model.forecast(months.reset_index(drop=True)).point.shape == (3, 1)
    assert torch.equal(model.lags.weight, learned)
    with pytest.raises(ValueError, match="period 12 is that of months, but the dates of Y are quarters"):
        model.forecast(WHOLE)


@pytest.mark.parametrize(
    ("freq", "period", "other"),
    [("M", 4, "quarters"), ("Q", 12, "months"), ("D", 12, "months"), ("B", 7, "days"), ("W", 12, "months")],
)
def test_a_period_of_another_calendar_is_refused(freq, period, other):
    y = pd.Series(
        RNG.normal(size=60), pd.date_range("2001-01-31", periods=60, freq={"M": "ME", "Q": "QE"}.get(freq, freq))
    )
    with pytest.raises(ValueError, match=rf"period {period} is that of {other}, but .* leave period out"):
        PooledLinear(ForecasterDesign(context=20, horizon=3, period=period)).fit(y)


def test_quarters_that_are_read_as_months_are_refused():
    months = WHOLE.set_axis(pd.PeriodIndex([str(quarter) for quarter in DATES], freq="M"))
    with pytest.raises(
        ValueError, match=r"period 12 is that of months, but the dates of Y are quarters \(2011-04, 201"
    ):
        PooledLinear(ForecasterDesign(context=13, horizon=6, period=12)).fit(months)


def test_a_cycle_of_its_own_is_no_other_calendar():
    years = pd.Series(RNG.normal(size=60), pd.period_range("1901", periods=60, freq="Y"))
    hours = pd.Series(RNG.normal(size=60), pd.date_range("2001-01-01", periods=60, freq="h"))
    for y, period in ((years, 11), (hours, 12), (years, 1)):
        assert len(PooledLinear(ForecasterDesign(context=20, horizon=3, period=period)).forecast(y).point) == 3


def test_months_begin_in_january_and_weeks_on_monday():
    assert phases(INDICES[0][0], 12, "x")[0] == phases(INDICES[1][0], 12, "x")[0] == 2
    assert phases(INDICES[5][0], 7, "x")[0] == phases(INDICES[6][0], 5, "x")[0] == 0
    assert phases(INDICES[7][0], 24, "x")[0] == 0


@many(30)
@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(2, 17))
def test_what_is_missing_is_read_from_the_nearest_year_that_has_it(seed, period, C):
    seen = np.random.default_rng(seed).random((4, C)) < 0.5
    seen[:, seed % C] = True
    found = sources(seen, period=period)
    for row, there in enumerate(seen):
        for place in range(C):
            same = [p for p in np.flatnonzero(there) if (p - place) % period == 0 and period > 1]
            among = [place] if there[place] else same or list(np.flatnonzero(there))
            assert found[row, place] == min(among, key=lambda p: (abs(p - place), p))


def test_a_window_without_gaps_is_normalised_as_ever_and_one_with_gaps_by_what_is_there():
    past = WHOLE.to_numpy().T[:, :20]
    for ours, theirs in zip(normalise_seen(past, period=4)[:3], normalise(past, period=4), strict=True):
        np.testing.assert_allclose(ours, theirs)
    past = past.copy()
    past[:, [3, 11, 19]] = np.nan
    _, level, scale, source = normalise_seen(past, period=4)
    np.testing.assert_array_equal(level[:, 0], past[:, 18])
    yearly, single = (np.nanmean(np.abs(past[:, step:] - past[:, :-step]), axis=1) for step in (4, 1))
    np.testing.assert_allclose(scale[:, 0], yearly + single + 1e-4)
    assert source[0, [3, 11, 19]].tolist() == [7, 7, 15]


def test_a_unit_is_the_seasonal_naive_error_or_what_stands_in_for_it():
    y = pd.DataFrame({"long": np.arange(30.0), "short": [*range(3), *[np.nan] * 27], "still": 1.0, "apart": np.nan})
    y.loc[[0, 2], "apart"] = [1.0, 5.0]
    panel = read_panel(y, ahead=0, period=12)
    assert own_units(panel, period=12).tolist() == [12.0, 1.0, 1.0, 2.0]


@pytest.mark.parametrize("table", [WHOLE, GAPS], ids=["whole", "gaps"])
@pytest.mark.parametrize("covariates", [0, 1])
def test_a_linear_forecast_is_what_it_listened_to_times_its_weights(table, covariates):
    model = made("linear", covariates=covariates)
    given = {"covariates": {"promo": PROMO}} if covariates else {}
    ahead = model.fit(table, plan=FEW, **given).forecast(table, **given)
    assert ahead.weights.index.equals(ahead.quantiles.index)
    np.testing.assert_allclose(ahead.weights.sum(axis=1), 1, atol=1e-5)
    for name in table:
        y = table[name].reindex(ahead.weights.columns)
        weights = ahead.weights.loc[name]
        assert (weights.loc[:, y.isna()] == 0).all(axis=None)
        again = weights @ y.fillna(0) + ahead.rest[name]
        np.testing.assert_allclose(again, ahead.quantiles.loc[name, 0.5], rtol=1e-4, atol=1e-4 * table[name].std())


@pytest.mark.parametrize("kind", ["linear", "transformer"])
def test_each_series_goes_on_after_its_own_last_number(kind):
    model = made(kind)
    ahead = model.forecast(GAPS, 2)
    for name in GAPS:
        alone = GAPS[[name]].loc[: GAPS[name].last_valid_index()]
        first = alone.index[-1] + 1
        assert list(ahead.quantiles.loc[name].index) == [first, first + 1]
        np.testing.assert_allclose(ahead.quantiles.loc[name], model.forecast(alone, 2).quantiles.loc[name], rtol=1e-5)
    assert ahead.point.index.name == "quarter"
    assert ahead.point["a"].first_valid_index() == DATES[-1]  # whose last number is missing


def test_a_date_left_out_is_a_number_missing():
    months = pd.date_range("2001-01-31", periods=60, freq="ME")
    y = pd.DataFrame({"x": RNG.normal(size=60).cumsum()}, months)
    model = PooledLinear(ForecasterDesign(context=25, horizon=3))
    for table, place in ((y, 41), (y.set_axis(months.to_period("M")), 41), (WHOLE, 30)):
        whole = table.copy()
        whole.iloc[place] = np.nan
        model_ = model if table is not WHOLE else made("linear")
        left = model_.forecast(table.drop(table.index[place]))
        np.testing.assert_allclose(left.quantiles, model_.forecast(whole).quantiles)
        assert list(left.point.index) == list(model_.forecast(whole).point.index)


@pytest.mark.parametrize("covariates", [0, 2])
def test_nobody_listens_to_a_masked_date_whatever_stands_there(covariates):
    model = made("transformer", covariates=covariates).double()
    x, first = torch.randn(3, 13, dtype=torch.float64), torch.tensor([0, 1, 3])
    seen = torch.rand(3, 13) < 0.6
    seen[:, 2] = True
    told = {"seen": seen} | ({"known": torch.randn(3, 19, 2, dtype=torch.float64)} if covariates else {})
    other = torch.where(seen, x, 100.0)
    assert torch.equal(model(x, first, **told), model(other, first, **told))
    weights = model.cross_weights(x, first, **told)
    assert weights.shape == (3, 2, 6, 19 if covariates else 13)
    assert (weights[..., :13][~seen[:, None, None].expand(3, 2, 6, 13)] == 0).all()
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(3, 2, 6, dtype=torch.float64))
    keep = np.tri(6, 13, 3, dtype=bool)
    assert (model.cross_weights(x, first, keep=keep, **told)[..., :13] * ~torch.tensor(keep)).abs().max() == 0


def test_the_masked_pass_in_numpy_is_the_module():
    model = made("transformer", layers=2).double()
    x, seen = np.random.default_rng(2).normal(size=13), np.arange(13) % 3 > 0
    there = forecast_pass(model.state_dict(), x, 2, design=model.design, seen=seen)
    told = {"x": torch.tensor(x)[None], "first": torch.tensor([2]), "seen": torch.tensor(seen)[None]}
    np.testing.assert_allclose(model(**told)[0].detach(), there.outputs, atol=1e-12)
    np.testing.assert_allclose(model.cross_weights(**told)[0], there.cross, atol=1e-12)
    with pytest.raises(ValueError, match="reads no covariates, but the design has 1"):
        forecast_pass({}, x, 2, design=ForecasterDesign(**SMALL, covariates=1))


def test_the_forecaster_that_comes_along_says_of_the_future_what_it_says_of_windows():
    table, (model, _) = np.log(load_employment()).iloc[:, :7], load_forecaster()
    windows = forecast_windows(table, [300], context=36, horizon=12)
    ahead = model.forecast(table.iloc[:300])
    expected = forecast_quantiles(model, windows)
    np.testing.assert_allclose(ahead.quantiles.to_numpy().reshape(expected.shape), expected)
    assert str(ahead.point.index[0]) == str(table.index[300])
    cross = model.cross_weights(
        torch.tensor(normalise(windows.past)[0], dtype=torch.float32), torch.tensor(windows.season)
    )
    np.testing.assert_allclose(ahead.weights.to_numpy().reshape(7, 12, 36), cross.mean(dim=1), atol=1e-6)
    assert list(ahead.weights.columns) == list(table.index[264:300])
    assert ahead.rest is None


@pytest.mark.parametrize("kind", ["linear", "transformer"])
@pytest.mark.parametrize("covariates", [0, 1])
def test_a_fitted_model_comes_back_from_its_file(kind, covariates, tmp_path):
    model, path = made(kind, covariates=covariates), tmp_path / "own.safetensors"
    given = {"covariates": {"promo": PROMO}} if covariates else {}
    model.fit(GAPS, plan=FEW, **given).save(path, card={"seed": 0})
    again, card = load_forecaster(path)
    assert card == {"seed": 0}
    assert type(again) is type(model)
    assert again.design == model.design
    assert type(model).load(path).design == model.design
    other = Forecaster if kind == "linear" else PooledLinear
    with pytest.raises(ValueError, match=f"it holds a '{type(model).__name__}', not {other.__name__}"):
        other.load(path)
    ours, theirs = (each.forecast(GAPS, **given) for each in (model, again))
    pd.testing.assert_frame_equal(ours.quantiles, theirs.quantiles)
    pd.testing.assert_frame_equal(ours.weights, theirs.weights)


def test_a_file_that_holds_no_such_model_is_refused(tmp_path):
    path = tmp_path / "own.safetensors"
    made("linear").save(path)
    tensors, note = read_tensors(path)
    for change, message in (({"kind": "Oracle"}, "'Oracle'"), ({"kind": "Forecaster"}, "does not fit")):
        write_tensors(path, tensors, note=note | change)
        with pytest.raises(ValueError, match=rf"own.safetensors was not loaded: .*{message}"):
            load_forecaster(path)
    with pytest.raises(FileNotFoundError):
        made("linear").save(tmp_path / "nowhere" / "own.safetensors")
    broken = made("linear")
    broken.lags.weight.data[0, 0] = np.nan
    with pytest.raises(ValueError, match=r"lags.weight has numbers that are not finite"):
        broken.save(tmp_path / "broken.safetensors")


@pytest.mark.parametrize("kind", ["linear", "transformer"])
def test_units_change_a_fitted_forecast_by_their_factor_alone(kind):
    plain, scaled = (made(kind).fit(table, plan=FEW).forecast(table) for table in (GAPS, GAPS * 2.0**-30))
    np.testing.assert_allclose(scaled.quantiles * 2.0**30, plain.quantiles, rtol=1e-6)
    np.testing.assert_allclose(scaled.weights, plain.weights, atol=1e-7)


def test_windows_reach_over_the_ends_and_hold_what_is_there():
    panel = read_panel(GAPS, ahead=6, period=4)
    windows = cut(panel, np.array([3, 45, 47]), np.array([0, 3, 1]), context=13, horizon=6)
    padded = np.full((13 + 47 + 6, 5), np.nan)
    padded[13:60] = GAPS
    for row, (origin, series) in enumerate([(3, 0), (45, 3), (47, 1)]):
        np.testing.assert_array_equal(windows.past[row], padded[origin : origin + 13, series])
        np.testing.assert_array_equal(windows.ahead[row], padded[origin + 13 : origin + 19, series])
    assert windows.season.tolist() == [0, 2, 0]


@pytest.mark.parametrize("kind", ["linear", "transformer"])
def test_what_is_known_of_dates_ahead_is_learned(kind):
    rng, dates = np.random.default_rng(0), pd.period_range("2015-01", periods=90, freq="M")
    push = pd.DataFrame((rng.random((90, 6)) < 0.3).astype(float), dates, list("uvwxyz"))
    y = (5 + 2 * push + 0.1 * rng.normal(size=(90, 6))) * [1, 3, 10, 30, 100, 300]
    plan = TrainingPlan(steps=600 if kind == "linear" else 300, peak=0.02, warmup=30, final=0.02, weight_decay=0.01)
    sizes = {"width": 16, "n_heads": 2, "hidden": 16, "layers": 0}
    context = 12 if kind == "linear" else 4
    design = ForecasterDesign(context=context, horizon=3, covariates=1, period=1, levels=(0.5,), **sizes)
    model = (PooledLinear if kind == "linear" else Forecaster)(design)
    known = y.iloc[:87]
    ahead = model.fit(known, covariates={"push": push}, plan=plan).forecast(known, covariates={"push": push})
    missed = ((ahead.point - y.iloc[87:]) / y.std()).abs().mean(axis=None)
    blind = ((known.mean() - y.iloc[87:]) / y.std()).abs().mean(axis=None)
    assert missed < 0.6 * blind
    if kind == "transformer":
        assert (ahead.weights.loc[:, dates[87:]].sum(axis=1) > 0).all()


SHARED = pd.DataFrame({"holiday": np.arange(53.0) % 3}, PROMO.index)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.forecast(GAPS, 7), r"horizon must be ≤ 6 \(the model's own\), got 7"),
        (
            lambda m: Forecaster(ForecasterDesign(context=4, horizon=3)).forecast(GAPS),
            "context must be above the period of 4 dates, got 4",
        ),
        (lambda m: m.forecast(GAPS, 0), "horizon must be ≥ 1, got 0"),
        (lambda m: m.forecast(GAPS.to_numpy()), "Y must be a DataFrame"),
        (
            lambda m: m.forecast(GAPS.reset_index(names="when").astype({"when": str})),
            r"index the table by them: Y.set_index\('when'\)",
        ),
        (lambda m: m.forecast(GAPS.iloc[:0]), r"Y is empty: its shape is \(0, 5\)"),
        (lambda m: m.forecast(GAPS.iloc[:9]), "series 'b' has 0 numbers; a forecast needs two"),
        (lambda m: m.forecast(GAPS.iloc[::-1]), "the dates of Y must rise"),
        (lambda m: m.forecast(GAPS.set_axis(["a", "b", "c", "d", "a"], axis=1)), "differ in name, got 'a' twice"),
        (lambda m: m.forecast(GAPS.replace(GAPS.iloc[3, 0], np.inf)), "inf is not finite"),
        (lambda m: m.forecast(GAPS, covariates=SHARED), "the model has 0 covariates, got 1"),
        (lambda m: m.fit(WHOLE.iloc[-5:]), "no series has 5 numbers and one that follows within 6 dates"),
        (lambda m: m.forecast(GAPS).at(0.25), r"level must be one of \[0.1, .*\], got 0.25"),
        (lambda m: made("linear", covariates=1).fit(GAPS), "the model has 1 covariates, got 0"),
        (
            lambda m: made("linear", covariates=1).fit(GAPS, covariates=SHARED.drop(DATES[9])),
            "covariate 'holiday' has no row for 2013Q3, one of 1 dates it lacks",
        ),
        (
            lambda m: made("linear", covariates=1).forecast(GAPS, covariates=SHARED.iloc[:50]),
            "covariate 'holiday' has no row for 2023Q4, one of 3 dates it lacks; it must be known of the dates ahead",
        ),
        (
            lambda m: made("linear", covariates=1).fit(GAPS, covariates={"push": PROMO[["a", "b"]]}),
            "covariate 'push' has no column for series 'c'",
        ),
        (
            lambda m: made("linear", covariates=2)(torch.zeros(1, 13), torch.tensor([0])),
            r"shape \(1, 19, 2\), got None",
        ),
    ],
)
def test_what_cannot_be_forecast_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call(made("linear"))


def test_covariates_of_all_series_and_of_each_are_two_spellings():
    model = made("transformer", covariates=1)
    shared = model.forecast(GAPS, covariates=SHARED)
    each = {"holiday": pd.DataFrame(dict.fromkeys(GAPS, SHARED["holiday"]))}
    pd.testing.assert_frame_equal(model.forecast(GAPS, covariates=each).quantiles, shared.quantiles)
    assert str(shared.weights.columns[-1]) == "2024Q2"  # a date ahead that is listened to
    fewer = model.forecast(GAPS, 2, covariates=SHARED.iloc[:49])
    assert len(fewer.quantiles) == 10


def test_a_model_of_the_mean_says_one_number():
    design = ForecasterDesign(**SMALL, levels=())
    ahead = Forecaster(design).fit(WHOLE, plan=FEW).forecast(WHOLE)
    assert list(ahead.quantiles.columns) == ["mean"]
    assert ahead.point.shape == (6, 5)
