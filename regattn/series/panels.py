"""Panels: several units, each observed at several dates, and how much each listens to the others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cho_factor, cho_solve

from regattn._validation import check_matrix, check_real
from regattn.regression.least_squares import proximity_weights

__all__ = ["panel_weights"]


def panel_weights(
    X: ArrayLike, units: ArrayLike, X_new: ArrayLike, units_new: ArrayLike, *, spread: float
) -> np.ndarray:
    r"""Return the weight of each row of a panel in the prediction at each new row, from pooled to local.

    .. math:: y_{ft} = x_{ft}^\top(\beta + b_f) + \varepsilon_{ft}, \qquad b_f \sim N(0, \tau^2\sigma^2 I)

    With :math:`K_{ij} = \tau^2 x_i^\top x_j` for two rows of one unit and zero otherwise, V = I + K and
    :math:`B = (X^\top V^{-1} X)^{-1} X^\top V^{-1}`, the weights are
    :math:`X_* B + K_* V^{-1} (I - X B)`: what all share, and a correction among the unit's own rows. They are the
    best linear unbiased predictions of a mixed model. Implements :eq:`panel-weights`.

    Parameters
    ----------
    X : array of shape (n, p)
        Inputs, one row per unit and date, with a column of ones if there is an intercept.
    units : array of shape (n,)
        The unit of each row: numbers or names.
    X_new : array of shape (m, p)
        Rows to predict at.
    units_new : array of shape (m,)
        Their units; a unit without rows in ``X`` gets the pooled prediction, unless ``spread`` is infinite.
    spread : float ≥ 0, or inf
        τ, the standard deviation of the units' coefficients around the common ones, relative to that of the noise.
        At 0 the panel is pooled, at inf each unit has a least-squares fit of its own.

    Returns
    -------
    ndarray of shape (m, n)
        In units of target per target. Rows sum to one where both inputs have the column of ones.

    Raises
    ------
    ValueError
        If shapes do not match, ``spread`` is negative, or, at inf, a unit has fewer rows than columns.

    Examples
    --------
    >>> ones, firms = np.ones((4, 1)), ["a", "a", "b", "b"]
    >>> for spread in (0.0, 1.0, np.inf):
    ...     print(panel_weights(ones, firms, ones[:1], ["a"], spread=spread).round(3))
    [[0.25 0.25 0.25 0.25]]
    [[0.417 0.417 0.083 0.083]]
    [[0.5 0.5 0.  0. ]]
    """
    X, X_new = check_matrix(X, "X"), check_matrix(X_new, "X_new")
    units, units_new = _check_units(units, X, "units"), _check_units(units_new, X_new, "units_new")
    if X.shape[1] != X_new.shape[1]:
        raise ValueError(f"X has {X.shape[1]} columns but X_new has {X_new.shape[1]}")
    if spread != math.inf:
        spread = check_real(spread, "spread", least=0.0)
    if spread == 0:
        return proximity_weights(X, X_new, centre=False)
    own = units_new[:, None] == units
    if spread == math.inf:
        return _local_weights(X, units, X_new, units_new)
    V = np.eye(len(X)) + spread**2 * (X @ X.T) * (units[:, None] == units)
    factor = cho_factor(V)
    whitened = cho_solve(factor, X)
    B = np.linalg.solve(X.T @ whitened, whitened.T)
    correction = cho_solve(factor, spread**2 * ((X_new @ X.T) * own).T).T
    return X_new @ B + correction - (correction @ X) @ B


def _local_weights(X: np.ndarray, units: np.ndarray, X_new: np.ndarray, units_new: np.ndarray) -> np.ndarray:
    weights = np.zeros((len(X_new), len(X)))
    for unit in dict.fromkeys(units_new.tolist()):
        rows, asked = units == unit, units_new == unit
        if rows.sum() < X.shape[1]:
            raise ValueError(f"unit {unit!r} has {rows.sum()} rows for {X.shape[1]} coefficients of its own")
        weights[np.ix_(asked, rows)] = proximity_weights(X[rows], X_new[asked], centre=False)
    return weights


def _check_units(units: Any, X: np.ndarray, name: str) -> np.ndarray:
    units = np.asarray(units)
    if units.shape != (len(X),):
        raise ValueError(f"{name} has shape {units.shape}, need one unit for each of {len(X)} rows")
    return units
