"""One rule for dates: what goes in even steps, what follows, which date is meant, and where in the year it falls."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from sklearn.dummy import DummyRegressor

from regattn.series import (
    autoregression,
    expanding_least_squares,
    expanding_window_forecasts,
    filter_weights,
    forecast_windows,
    future_leak,
    lag_matrix,
    local_trend,
)
from regattn.series._calendar import length_of
from tests.bad_inputs.inputs import many

OFFSETS = ["D", "B", "W-FRI", "2W-WED", "h", "15min", "MS", "ME", "BME", "QS", "QE-NOV", "YS", "YE", "2D", "WOM-3FRI"]
VARIANCES = [1.0, 0.5]


def table(index):
    return pd.DataFrame({"x": np.random.default_rng(len(index)).normal(size=len(index))}, index=index)


TAKES_DATES = {
    "lag_matrix": lambda index: lag_matrix(table(index), max_lag=1),
    "autoregression": lambda index: autoregression(table(index), max_lag=1),
    "local_trend": lambda index: local_trend(table(index)["x"]),
    "filter_weights": lambda index: filter_weights(table(index)["x"], VARIANCES),
    "expanding_least_squares": lambda index: expanding_least_squares(table(index), table(index)["x"], start=2),
    "expanding_window_forecasts": lambda index: expanding_window_forecasts(
        DummyRegressor(), table(index), table(index)["x"], start=2
    ),
    "forecast_windows": lambda index: forecast_windows(table(index), [2], context=2, horizon=1),
    "future_leak": lambda index: future_leak(lambda t: t["x"], table(index), rng=0),
}
taking = pytest.mark.parametrize("call", TAKES_DATES.values(), ids=TAKES_DATES)
MONTHS = pd.period_range("1990-01", periods=24, freq="M")
HALF_YEARS = pd.PeriodIndex(["2020-01", "2020-07", "2021-01", "2021-07", "2022-01", "2022-07"], freq="M")
BUSINESS = pd.bdate_range("2020-01-01", periods=30)


@taking
@pytest.mark.parametrize(
    ("index", "message"),
    [
        (pd.Index([0, 2, 4, 7, 9]), "but 7 follows 4: a gap, one of 1"),
        (pd.Index([0.0, 2, 4, 7, 9]), "but 7.0 follows 4.0: a gap, one of 1"),
        (pd.Index([1990, 1992, 1994, 1995, 1997]), "but 1995 follows 1994"),
        (pd.Index([1990.1, 1990.2, 1990.3, 1990.4, 1991.1]), "but 1991.1 follows 1990.4"),
        (pd.Index([2**62, 2**62 + 1, 2**62 + 3, 2**62 + 4], dtype="int64"), f"but {2**62 + 3} follows {2**62 + 1}"),
        (pd.PeriodIndex(["2020-01", "2020-02", "2020-04", "2020-05"], freq="M"), "but 2020-04 follows 2020-02"),
        (MONTHS[::-1], "must rise, but 1991-11 follows 1991-12"),
        (MONTHS.delete(7), "but 1990-09 follows 1990-07: a gap, one of 1"),
        (MONTHS.to_timestamp().delete(7), "but 1990-09-01 .* follows 1990-07-01 .*: a gap, one of 1"),
        (BUSINESS.delete(11), "but 2020-01-17 .* follows 2020-01-15 .*: a gap, one of 1"),
        (pd.date_range("2020-01-03", periods=9, freq="W-FRI").delete(3), "but 2020-01-31 .* follows 2020-01-17"),
        (pd.date_range("2020-01-03", periods=9, freq="WOM-3FRI").delete(3), "but 2020-05-15 .* follows 2020-03-20"),
        (pd.Index(["1990", "1991", "1992", "1993"]), "got an index of .*; make dates of it by pandas.PeriodIndex or"),
    ],
)
def test_every_function_names_the_same_gap(call, index, message):
    with pytest.raises(ValueError, match=message):
        call(index)


def test_two_months_far_apart_do_not_tell_a_step_from_a_gap():
    with pytest.raises(ValueError, match="2020-06 follows 2020-01: a gap"):
        lag_matrix(table(pd.PeriodIndex(["2020-01", "2020-06"], freq="M")), max_lag=1)


@taking
@pytest.mark.parametrize("freq", OFFSETS)
@pytest.mark.parametrize("told", [True, False])
def test_times_of_every_kind_are_even_whether_or_not_they_say_so(call, freq, told):
    index = pd.date_range("2019-12-30", periods=8, freq=freq)
    call(index if told else pd.DatetimeIndex(list(index)))


@pytest.mark.parametrize("freq", OFFSETS)
@pytest.mark.parametrize("told", [True, False])
def test_what_follows_a_series_is_what_its_calendar_says(freq, told):
    dates = pd.date_range("2019-12-30", periods=19, freq=freq, name="date")
    index = dates[:12] if told else pd.DatetimeIndex(list(dates[:12]), name="date")
    path = autoregression(table(index), max_lag=2).continuation(table(index), steps=7)
    assert list(path.index) == list(dates[12:])
    assert path.index.name == "date"


@pytest.mark.parametrize(
    ("index", "wanted"),
    [
        (HALF_YEARS, pd.PeriodIndex(["2023-01", "2023-07"], freq="M")),
        (pd.period_range("2020", periods=6, freq="2M"), pd.PeriodIndex(["2021-01", "2021-03"], freq="2M")),
        (pd.period_range("2020-01-01", periods=6, freq="W"), pd.PeriodIndex(["2020-02-10", "2020-02-17"], freq="W")),
        (pd.Index([1988, 1992, 1996, 2000, 2004, 2008], name="games"), pd.Index([2012, 2016], name="games")),
        (pd.RangeIndex(6), pd.Index([6, 7])),
        (pd.to_datetime(["2021-01-30", "2021-02-28", "2021-03-30", "2021-04-30", "2021-05-30"]),
         pd.to_datetime(["2021-06-30", "2021-07-30"])),
        (pd.to_datetime(["2000-03-05", "2002-03-28", "2004-03-02", "2006-03-11", "2008-03-03", "2010-03-28"]),
         pd.to_datetime(["2012-03-28", "2014-03-28"])),
    ],
)  # fmt: skip
def test_what_follows_keeps_its_kind_and_its_step(index, wanted):
    model = autoregression(table(index), max_lag=1)
    path = model.continuation(table(index), steps=2)
    assert list(path.index) == list(wanted)
    assert (type(path.index), path.index.name) == (type(wanted), wanted.name)
    late = model.continuation(table(index).iloc[-2:], steps=2)  # two dates, whose step the model knows
    assert list(late.index) == list(wanted)


def test_days_go_on_through_a_night_that_loses_an_hour():
    dates = pd.DatetimeIndex(list(pd.date_range("2020-03-26", periods=8, freq="D", tz="Europe/Berlin")))
    path = autoregression(table(dates[:6]), max_lag=1).continuation(table(dates[:6]), steps=2)
    assert list(path.index) == list(dates[6:])


@pytest.mark.parametrize(
    ("history", "message"),
    [
        (MONTHS[::3], "1990-04 follows 1990-01: a gap"),
        (MONTHS.asfreq("Q").unique(), r"indexed by period\[M\] as the series, got period\[Q-DEC\]"),
        (MONTHS.to_timestamp(), r"indexed by period\[M\] as the series, got times"),
        (pd.RangeIndex(5), "got numbers"),
    ],
)
def test_a_history_in_other_steps_is_refused(history, message):
    with pytest.raises(ValueError, match=message):
        autoregression(table(MONTHS), max_lag=2).weights_after(table(history))


def test_a_history_in_another_order_of_columns_is_the_same_history():
    both = pd.DataFrame(np.random.default_rng(1).normal(size=(24, 2)), MONTHS, ["a", "b"])
    model = autoregression(both, max_lag=2)
    pd.testing.assert_frame_equal(
        model.continuation(both[["b", "a"]], steps=3), model.continuation(both, steps=3), check_exact=True
    )


@pytest.mark.parametrize("max_lag", [1, 2, 5])
def test_as_many_lags_are_meant_everywhere(max_lag):
    lagged, model = lag_matrix(table(MONTHS), max_lag=max_lag), autoregression(table(MONTHS), max_lag=max_lag)
    pd.testing.assert_frame_equal(lagged.iloc[:, 1:], model.past)
    pd.testing.assert_frame_equal(lagged.iloc[:, :1], model.present)
    assert lag_matrix(table(MONTHS), max_lag=0).equals(table(MONTHS))


@pytest.mark.parametrize("date", ["1990-05", "1990-05-01", pd.Timestamp("1990-05-01"), pd.Period("1990-05", "M")])
def test_a_month_among_times_is_the_one_time_in_it(date):
    model = autoregression(table(MONTHS.to_timestamp()), max_lag=2)
    pd.testing.assert_series_equal(model.weights_at(date), model.weights_at(pd.Timestamp("1990-05-01")))


@pytest.mark.parametrize("date", ["1990", "1990-02", "1993-05", pd.Period("1990Q2")])
def test_a_date_that_is_none_or_many_is_refused(date):
    with pytest.raises(ValueError, match=r"is not one of the 22 dates|names more than one of the dates"):
        autoregression(table(MONTHS.to_timestamp()), max_lag=2).weights_at(date)


def test_values_with_a_date_twice_are_refused():
    model = autoregression(table(MONTHS), max_lag=2)
    twice = pd.concat([table(MONTHS), table(MONTHS).iloc[[9]]])
    with pytest.raises(ValueError, match="values has more than one row for 1990-10"):
        model.average(twice)
    early = pd.concat([table(MONTHS), table(MONTHS).iloc[[0]]])  # a date that is not asked for
    pd.testing.assert_frame_equal(model.average(early), model.average(table(MONTHS)))


@pytest.mark.parametrize("freq", ["D", "3D", "h", "90min", "W", "ME", "QS", "B"])
def test_a_step_is_as_long_as_its_dates_are_apart_or_has_no_length(freq):
    """Whatever pandas says of days: from 3.0 on a day is no length of time, and 3.0 makes none of it."""
    dates = pd.date_range("2019-01-01", periods=9, freq=freq)
    if freq in ("W", "ME", "QS", "B"):
        with pytest.raises(ValueError, match="Value must be Timedelta"):
            length_of(dates.freq)
    else:
        assert (np.diff(dates) == length_of(dates.freq)).all()


def seasons_of(index):
    rows = range(1, len(index))
    return forecast_windows(table(index), rows, context=1, horizon=1).season.tolist()


@pytest.mark.parametrize(
    ("freq", "place", "year"),
    [
        ("M", lambda d: d.month - 1, 14), ("2M", lambda d: (d.month - 1) // 2, 8), ("Q", lambda d: d.quarter - 1, 6),
        ("Y", lambda d: 0, 4), ("2Y", lambda d: 0, 4), ("W", lambda d: d.week - 1, 55),
        ("D", lambda d: d.day_of_year - 1, 370),
        ("h", lambda d: 24 * (d.day_of_year - 1) + d.hour, 40),
    ],
)  # fmt: skip
def test_a_season_is_the_place_in_the_calendars_year(freq, place, year):
    periods = pd.period_range("2019-01-01" if freq != "h" else "2019-12-31", periods=year, freq=freq)
    wanted = [place(date) for date in periods[1:]]
    assert seasons_of(periods) == wanted
    assert seasons_of(periods.to_timestamp()) == wanted


PLACES = {  # of a time in its year, in steps of one
    "W-WED": lambda d: d.isocalendar().week - 1,
    "D": lambda d: d.day_of_year - 1,
    "h": lambda d: 24 * (d.day_of_year - 1) + d.hour,
    "B": lambda d: len(pd.bdate_range(f"{d.year}-01-01", d)) - 1,
    "MS": lambda d: d.month - 1,
}


@many(60)
@given(st.sampled_from(list(PLACES)), st.integers(1, 6), st.integers(0, 9_000))
def test_times_in_steps_of_several_are_counted_in_their_steps(kind, step, start):
    times = pd.date_range(pd.Timestamp("1995-01-01") + pd.Timedelta(days=start), periods=40, freq=f"{step}{kind}")
    assert seasons_of(times) == [PLACES[kind](d) // step for d in times[1:]]


@pytest.mark.parametrize("end", ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"])
def test_a_week_that_ends_on_any_day_has_the_number_of_its_middle(end):
    weeks = pd.period_range("2019-11-01", periods=90, freq=f"W-{end}")
    middles = [week.start_time + pd.Timedelta(days=3) for week in weeks]
    assert seasons_of(weeks) == [middle.isocalendar().week - 1 for middle in middles[1:]]


@pytest.mark.parametrize("freq", ["2M", "3Q", "2W", "5D"])
def test_two_periods_of_several_units_follow_each_other_by_their_own_step(freq):
    two, many_ = (pd.period_range("2019-11-01", periods=n, freq=freq) for n in (2, 9))
    assert seasons_of(two) == seasons_of(many_)[:1]


def test_seasons_of_half_years_business_days_and_numbers():
    assert seasons_of(HALF_YEARS) == [1, 0, 1, 0, 1]
    assert seasons_of(pd.bdate_range("2019-12-30", periods=7)) == [260, 0, 1, 2, 3, 4]  # 2019 had 261
    assert seasons_of(pd.RangeIndex(30)) == [0] * 29
    ends = pd.date_range("2019-01-31", periods=14, freq="ME")
    assert seasons_of(ends) == [*range(1, 12), 0, 1]


@many(80)
@given(st.sampled_from(OFFSETS), st.integers(0, 20_000), st.integers(4, 40), st.data())
def test_a_date_left_out_is_named_and_all_dates_are_taken(freq, start, n, data):
    index = pd.date_range(pd.Timestamp("1970-01-01") + pd.Timedelta(days=start), periods=n, freq=freq)
    index = pd.DatetimeIndex(list(index))
    assert len(lag_matrix(table(index), max_lag=1)) == n - 1
    if n < 6:
        return  # of few dates several steps may be meant
    missing = data.draw(st.integers(2, n - 3))
    with pytest.raises(ValueError, match=f"{index[missing + 1]} follows {index[missing - 1]}: a gap"):
        lag_matrix(table(index.delete(missing)), max_lag=1)


@many(60)
@given(st.integers(-(2**62), 2**61), st.integers(1, 2**40), st.integers(3, 12), st.integers(1, 9))
def test_whole_numbers_are_even_exactly(first, step, n, off):
    index = pd.Index(first + step * np.arange(n, dtype=np.int64))
    assert len(lag_matrix(table(index), max_lag=1)) == n - 1
    later = index[:-1].append(pd.Index([index[-1] + off]))
    with pytest.raises(ValueError, match=f"{index[-1] + off} follows {index[-2]}: a gap"):
        lag_matrix(table(later), max_lag=1)
