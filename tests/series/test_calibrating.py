"""Bands that hold what they promise: what is moved, by how much, and what that does on employment."""

import numpy as np
import pandas as pd
import pytest

from regattn._tensors import read_tensors, write_tensors
from regattn.data import load_employment
from regattn.recorded_runs import load_runs
from regattn.series import Forecaster, ForecasterDesign, PooledLinear, forecast_windows, load_forecaster
from regattn.series._calibrating import moved, widening
from regattn.series._learning import read, said
from regattn.transformer import TrainingPlan
from tools import coverage

pytestmark = pytest.mark.weekly  # and whenever what it imports differs from main

LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)
SIZES = {"context": 13, "horizon": 3}
FEW = TrainingPlan(steps=20, peak=0.01)
WALKS = pd.DataFrame(
    np.random.default_rng(5).normal(size=(83, 4)).cumsum(axis=0),
    pd.period_range("2003-05", periods=83, freq="M"),
    list("abcd"),
)


def widths(model, table):
    quantiles = model.forecast(table).quantiles
    return (quantiles[LEVELS[-1]] - quantiles[LEVELS[0]]).to_numpy()


@pytest.mark.parametrize("n", [19, 34])
def test_of_exchangeable_outcomes_a_band_holds_its_share_and_at_most_one_in_n_more(n):
    rng, trials = np.random.default_rng(n), 6000
    outcomes = rng.standard_t(3, size=(n + 1, trials))
    quantiles = np.broadcast_to(np.array([-0.2, -0.1, 0.1, 0.15, 0.2]), (n + 1, trials, 5))  # too narrow, and askew
    by = widening(quantiles[:n], outcomes[:n], LEVELS)
    found = moved(quantiles[n:], by, 2)[0]
    for low, high, share in ((0, 4, 0.8), (1, 3, 0.4)):
        held = np.mean((found[:, low] <= outcomes[n]) & (outcomes[n] <= found[:, high]))
        assert share - 0.02 < held < share + 1 / (n + 1) + 0.02


def test_a_level_without_its_counterpart_is_moved_by_what_its_own_side_misses():
    outcomes = np.arange(1.0, 10.0)[:, None]
    by = widening(np.zeros((9, 1, 2)), outcomes, (0.5, 0.8))
    assert by.tolist() == [[0.0, 8.0]]  # the eighth of nine, since 8 / 10 is 0.8
    by = widening(np.zeros((9, 1, 2)), outcomes, (0.2, 0.6))
    assert by.tolist() == [[2.0, 6.0]]  # of 0.2 too: one in five lies below the second of nine


@pytest.mark.parametrize("n", [2, 4, 9, 39])
def test_the_fewest_outcomes_that_move_a_level_move_it_to_the_farthest(n):
    """Of n outcomes the largest is the level n / (n + 1), and no other is as high; a band has both of its ends."""
    share = n / (n + 1)
    outcomes = np.random.default_rng(n).normal(size=(n, 1))
    by = widening(np.zeros((n, 1, 2)), outcomes, (0.5, share))
    assert by.tolist() == [[0.0, outcomes.max()]]
    low, high = (1 - share) / 2, (1 + share) / 2
    by = widening(np.zeros((n, 1, 3)), outcomes, (low, 0.5, high))
    assert by.tolist() == [[-np.abs(outcomes).max(), 0.0, np.abs(outcomes).max()]]
    assert widening(np.zeros((n - 1, 1, 2)), outcomes[1:], (0.5, share)) is None
    assert widening(np.zeros((n - 1, 1, 3)), outcomes[1:], (low, 0.5, high)) is None


def test_bands_that_are_too_wide_become_narrower_and_stay_in_order():
    quantiles = np.tile([-9.0, -8.0, 0.5, 8.0, 9.0], (49, 2, 1))
    outcomes = np.random.default_rng(1).normal(size=(49, 2))
    found = moved(quantiles, widening(quantiles, outcomes, LEVELS), 2)
    assert (np.diff(found, axis=-1) >= 0).all()
    assert (found[..., 2] == 0.5).all()
    assert ((found[..., 4] - found[..., 0]) < 6).all()


def test_missing_outcomes_do_not_count_and_too_few_move_nothing():
    quantiles, outcomes = np.zeros((20, 1, 5)), np.arange(20.0)[:, None]
    sparse = np.where(np.arange(20)[:, None] % 2, outcomes, np.nan)
    np.testing.assert_array_equal(
        widening(quantiles, sparse, LEVELS), widening(quantiles[1::2], outcomes[1::2], LEVELS)
    )
    assert widening(quantiles[:3], outcomes[:3], LEVELS) is None


@pytest.mark.parametrize("kind", [PooledLinear, Forecaster])
def test_the_median_stays_and_bands_are_moved_alike_in_every_unit(kind):
    design = ForecasterDesign(**SIZES, levels=LEVELS, width=8, n_heads=2, hidden=8)
    plain, moved_ = (kind(design).fit(WALKS, plan=FEW, calibrate=on) for on in (False, True))
    assert plain.widening is None
    assert moved_.widening.shape == (3, 5)
    ours, theirs = moved_.forecast(WALKS), plain.forecast(WALKS)
    pd.testing.assert_frame_equal(ours.point, theirs.point)
    assert (np.diff(ours.quantiles, axis=1) >= 0).all()
    assert not np.allclose(ours.quantiles, theirs.quantiles)
    scaled = kind(design).fit(WALKS * 2.0**-20, plan=FEW)
    np.testing.assert_allclose(widths(scaled, WALKS * 2.0**-20) * 2.0**20, widths(moved_, WALKS), rtol=1e-4)


def test_what_was_fitted_before_does_not_reach_the_twin():
    design = ForecasterDesign(**SIZES, levels=LEVELS)
    once, again = PooledLinear(design).fit(WALKS, plan=FEW), PooledLinear(design).fit(WALKS, plan=FEW, calibrate=False)
    np.testing.assert_array_equal(again.fit(WALKS, plan=FEW).widening, once.widening)


def test_the_twin_does_not_see_the_dates_that_are_kept_out():
    design, row = ForecasterDesign(**SIZES, levels=LEVELS), 83 - int(0.4 * 83)
    twin = PooledLinear(design).fit(WALKS.iloc[:row], plan=FEW, calibrate=False)
    windows = forecast_windows(WALKS, range(row, 81), **SIZES)
    reading = read(windows, period=12)
    outcomes = (windows.ahead - reading.level) / reading.scale
    by = widening(np.sort(said(twin, windows, reading), axis=-1), outcomes, LEVELS)
    found = PooledLinear(design).fit(WALKS, plan=FEW).widening
    np.testing.assert_allclose(found[0], by[0], atol=0.1 * np.abs(by[0]).max())  # two windows fewer, short of an end


def test_a_table_too_short_for_it_keeps_its_bands():
    design = ForecasterDesign(**SIZES, levels=LEVELS)
    assert PooledLinear(design).fit(WALKS.iloc[:15, :1], plan=FEW).widening is None


def test_a_single_level_that_is_not_the_median_is_what_weights_and_rest_add_up_to():
    design = ForecasterDesign(**SIZES, levels=(0.9,))
    ahead = PooledLinear(design).fit(WALKS, plan=FEW).forecast(WALKS)
    for name in WALKS:
        again = ahead.weights.loc[name] @ WALKS[name].reindex(ahead.weights.columns) + ahead.rest[name]
        np.testing.assert_allclose(again, ahead.quantiles.loc[name, 0.9], atol=1e-4)


def test_a_file_keeps_what_bands_are_moved_by_and_one_that_was_altered_is_refused(tmp_path):
    model, path = (
        PooledLinear(ForecasterDesign(**SIZES, levels=LEVELS)).fit(WALKS, plan=FEW),
        tmp_path / "own.safetensors",
    )
    model.save(path)
    pd.testing.assert_frame_equal(load_forecaster(path)[0].forecast(WALKS).quantiles, model.forecast(WALKS).quantiles)
    tensors, note = read_tensors(path)
    for odd in ([[1.0]], "wide", [[float("nan")] * 5] * 3):
        write_tensors(path, tensors, note=note | {"widening": odd})
        with pytest.raises(ValueError, match=r"own.safetensors was not loaded: its widening must be finite"):
            load_forecaster(path)


RECORDED = load_runs("coverage").runs


def test_on_employment_calibrated_bands_hold_what_they_promise():
    assert RECORDED.groupby(["offset", "calibrated"]).size().eq(len(coverage.CUTS)).all()
    assert sorted(RECORDED["offset"].unique()) == sorted(coverage.OFFSETS)
    held = RECORDED.groupby("calibrated")[list(coverage.BANDS)].mean()
    for band in coverage.BANDS:
        promised = int(band.split()[0]) / 100
        assert held.loc["no", band] < promised < held.loc["yes", band] < promised + 0.1
    often = (RECORDED["80 %"] >= 0.8).groupby(RECORDED["calibrated"]).mean()
    assert often["no"] < 0.5 < 0.8 < often["yes"]


@pytest.mark.weekly
def test_what_is_recorded_is_found_again():
    offset, cut = coverage.OFFSETS[0], coverage.CUTS[3]
    before = RECORDED[(RECORDED["offset"] == offset) & (RECORDED["from"] == str(load_employment().index[cut]))]
    again = pd.DataFrame(coverage.coverage(offset, cut))
    assert list(again["calibrated"]) == list(before["calibrated"])
    measured = [*coverage.BANDS, "width", "loss"]
    np.testing.assert_allclose(again[measured], before[measured], atol=0.02)
