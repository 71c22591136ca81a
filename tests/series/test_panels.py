"""Panels: pooled, partial and local weights against statsmodels, and what is refused by name."""

import numpy as np
import pytest
import statsmodels.api as sm
from statsmodels.regression.mixed_linear_model import VCSpec

from regattn.series import panel_weights

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
