"""Panels: pooled, partial and local weights against statsmodels, and what is refused by name."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from statsmodels.regression.mixed_linear_model import VCSpec

from regattn.series import mixed_spread, panel_weights

RNG = np.random.default_rng(41)
UNITS = np.repeat(["c", "a", "b", "d", "e"], [7, 5, 11, 3, 13])
X = np.column_stack([np.ones(39), RNG.normal(size=(39, 2))])
EFFECTS = dict(zip("abcde", RNG.normal(size=(5, 3)), strict=True))
SHORT = np.repeat(["a", "b"], [37, 2])
Y = np.array([x @ (1 + EFFECTS[unit]) for x, unit in zip(X, UNITS, strict=True)]) + 0.4 * RNG.normal(size=39)


def test_the_predictions_at_the_estimated_spread_are_those_of_the_mixed_model():
    blocks = [X[unit == UNITS] for unit in "abcde"]
    parts = VCSpec(["unit"], [[["0", "1", "2"]] * 5], [blocks])
    theirs = sm.MixedLM(Y, X, groups=UNITS, exog_vc=parts).fit()
    spread = float(np.sqrt(theirs.vcomp[0] / theirs.scale))
    assert 0.3 < spread < 10
    np.testing.assert_allclose(panel_weights(X, UNITS, X, UNITS, spread=spread) @ Y, theirs.fittedvalues, atol=1e-8)


def test_at_zero_the_panel_is_pooled_and_at_infinity_each_unit_stands_alone():
    pooled = panel_weights(X, UNITS, X, UNITS, spread=0) @ Y
    np.testing.assert_allclose(pooled, sm.OLS(Y, X).fit().fittedvalues, atol=1e-10)
    local = panel_weights(X, UNITS, X, UNITS, spread=np.inf)
    for unit in "abcde":
        rows = unit == UNITS
        np.testing.assert_allclose((local @ Y)[rows], sm.OLS(Y[rows], X[rows]).fit().fittedvalues, atol=1e-10)
        assert not local[np.ix_(rows, ~rows)].any()


@pytest.mark.parametrize(("spread", "end"), [(1e-5, 0.0), (1e4, np.inf)])
def test_between_the_ends_the_weights_go_to_them(spread, end):
    near, limit = (panel_weights(X, UNITS, X, UNITS, spread=tau) for tau in (spread, end))
    np.testing.assert_allclose(near, limit, atol=1e-4)  # the limit is reached like 1/spread²


def test_rows_sum_to_one_and_a_unit_not_seen_before_gets_the_common_line():
    weights = panel_weights(X, UNITS, X[:3], ["new", "a", "b"], spread=1.7)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    whitened = np.linalg.inv(np.eye(39) + 1.7**2 * (X @ X.T) * (UNITS[:, None] == UNITS))
    common = np.linalg.solve(X.T @ whitened @ X, X.T @ whitened @ Y)
    assert (weights @ Y)[0] == pytest.approx(X[0] @ common)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"spread": -1.0}, "spread must be ≥ 0.* got -1.0"),
        ({"units": UNITS[:38]}, r"units has shape \(38,\), need one unit for each of 39 rows"),
        ({"X_new": X[:, :2]}, "X has 3 columns but X_new has 2"),
        (
            {"spread": np.inf, "units": np.repeat(["a", "b"], [37, 2]), "units_new": ["b"] * 39},
            "unit 'b' has 2 rows for 3",
        ),
    ],
)
def test_what_does_not_fit_is_refused_by_name(change, message):
    given = {"X": X, "units": UNITS, "X_new": X, "units_new": UNITS, "spread": 1.0} | change
    with pytest.raises(ValueError, match=message):
        panel_weights(given["X"], given["units"], given["X_new"], given["units_new"], spread=given["spread"])


FRAME = pd.DataFrame(X, index=[f"row {i}" for i in range(39)], columns=["one", "a", "b"])


@pytest.mark.parametrize("spread", [0.0, 1.7, np.inf])
def test_tables_come_back_as_tables_whatever_the_order_of_their_columns_and_labels(spread):
    expected = panel_weights(X, UNITS, X[:4], UNITS[:4], spread=spread)
    named = pd.Series(UNITS, FRAME.index)
    found = panel_weights(FRAME, named[::-1], FRAME.iloc[:4][["b", "one", "a"]], named[:4], spread=spread)
    assert isinstance(expected, np.ndarray)
    pd.testing.assert_frame_equal(found, pd.DataFrame(expected, FRAME.index[:4], FRAME.index))
    mixed = panel_weights(FRAME, UNITS, X[:4], UNITS[:4], spread=spread)
    pd.testing.assert_index_equal(mixed.columns, FRAME.index)


def test_a_number_and_its_digits_are_two_units():
    ones, units = np.ones((4, 1)), [1, 1, "1", "1"]
    np.testing.assert_allclose(panel_weights(ones, units, ones[:2], [1, "1"], spread=np.inf)[0], [0.5, 0.5, 0, 0])
    as_names = panel_weights(ones, list("aabb"), ones[:2], list("ab"), spread=1.3)
    np.testing.assert_allclose(panel_weights(ones, units, ones[:2], [1, "1"], spread=1.3), as_names)


@pytest.mark.parametrize("absent", [None, np.nan, pd.NA, pd.NaT])
def test_a_unit_that_is_missing_is_refused(absent):
    with pytest.raises(ValueError, match=r"units must not be missing, got .* at index 2"):
        panel_weights(np.ones((3, 1)), ["a", "b", absent], np.ones((1, 1)), ["a"], spread=1.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"X_new": FRAME.rename(columns={"b": "c"})},
            r"the columns of X_new are not those of X: b is missing, c is not",
        ),
        ({"units": pd.Series(UNITS, FRAME.index[::-1].str.upper())}, "the rows of units are not those of X"),
    ],
)
def test_tables_that_do_not_match_are_refused_naming_both(change, message):
    given = {"X": FRAME, "units": UNITS, "X_new": FRAME, "units_new": UNITS} | change
    with pytest.raises(ValueError, match=message):
        panel_weights(*given.values(), spread=1.0)


def test_a_unit_whose_inputs_are_all_zero_gets_the_common_line():
    rows, units = np.array([[1.0], [2.0], [0.0]]), ["a", "a", "b"]
    weights = panel_weights(rows, units, [[3.0]], ["b"], spread=2.0)
    np.testing.assert_allclose(weights, panel_weights(rows, units, [[3.0]], ["new"], spread=2.0))


@pytest.mark.parametrize("spread", [0.5, 1e3, 1e6, np.inf])
def test_a_unit_whose_inputs_have_not_varied_borrows_its_slope_from_the_others(spread):
    x = np.array([3.0, 3.0, 3.0, 0.0, 1.0, 4.0])
    X, firms = np.column_stack([np.ones(6), x]), list("aaabbb")
    weights = panel_weights(X, firms, [[1.0, 5.0]], ["a"], spread=spread)
    np.testing.assert_allclose(weights @ (1 + 2 * x), 11)
    np.testing.assert_allclose(weights.sum(), 1)
    assert np.abs(weights[0, 3:]).max() > 0.1


def test_columns_of_sizes_that_rounding_cannot_hold_together_are_named():
    units = np.array([1.0, 1e9, 1.0])  # at 1e9 rows still sum to one
    np.testing.assert_allclose(panel_weights(X * units, UNITS, X[:5] * units, UNITS[:5], spread=1.0).sum(axis=1), 1)
    with pytest.raises(
        ValueError, match=r"columns of X must be within a factor 1e\+12 in size, .*; change their units"
    ):
        panel_weights(X * [1.0, 1e30, 1.0], UNITS, X[:1], UNITS[:1], spread=1.0)


def test_the_estimated_spread_is_that_of_the_mixed_model():
    blocks = [X[unit == UNITS] for unit in "abcde"]
    theirs = sm.MixedLM(Y, X, groups=UNITS, exog_vc=VCSpec(["unit"], [[["0", "1", "2"]] * 5], [blocks])).fit()
    spread = mixed_spread(X, UNITS, Y)
    assert spread == pytest.approx(float(np.sqrt(theirs.vcomp[0] / theirs.scale)), rel=1e-4)
    assert mixed_spread(X * 1e3, UNITS, Y * 1e9) == pytest.approx(spread / 1e3, rel=1e-5)
    named = mixed_spread(FRAME, pd.Series(UNITS, FRAME.index)[::-1], pd.Series(Y, FRAME.index)[::-1])
    assert named == pytest.approx(spread, rel=1e-6)


def test_the_spread_of_units_alike_is_zero_and_of_a_doubled_column_that_of_the_plain():
    rng = np.random.default_rng(2)
    flat = [mixed_spread(np.ones((40, 1)), np.repeat(np.arange(8), 5), rng.normal(size=40)) for _ in range(30)]
    assert 5 < np.sum(np.array(flat) == 0) < 28  # about half: the likelihood falls from zero on
    doubled = np.column_stack([X, X[:, 2]])  # of rank three: a slope shared by two columns
    scaled = np.column_stack([X[:, :2], np.sqrt(2) * X[:, 2]])
    assert mixed_spread(doubled, UNITS, Y) == pytest.approx(mixed_spread(scaled, UNITS, Y), rel=1e-5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"units": ["a"] * 39}, "needs two units at least, got 'a' alone"),
        ({"y": Y[:38]}, "y has 38 entries but X has 39 rows"),
        ({"X": np.eye(39)}, "39 rows are too few for a rank of 39"),
    ],
)
def test_a_spread_that_cannot_be_found_is_refused_by_name(change, message):
    given = {"X": X, "units": UNITS, "y": Y} | change
    with pytest.raises(ValueError, match=message):
        mixed_spread(given["X"], given["units"], given["y"])
