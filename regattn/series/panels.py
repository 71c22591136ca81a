"""Panels: several units, each observed at several dates, and how much each listens to the others."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.linalg import solve_triangular
from scipy.optimize import minimize_scalar

from regattn._tables import Table, as_pandas, matched, named, read_table, read_vector
from regattn._validation import check_real, check_same_width, column_sizes
from regattn.regression._factorisation import rank_of
from regattn.regression.least_squares import spectrum

__all__ = ["mixed_spread", "panel_weights"]

WIDEST = 1e12  # of the sixteen digits of a number four are left


def panel_weights(
    X: ArrayLike, units: ArrayLike, X_new: ArrayLike, units_new: ArrayLike, *, spread: float
) -> np.ndarray | pd.DataFrame:
    r"""Return the weight of each row of a panel in the prediction at each new row, from pooled to local.

    .. math:: y_{ft} = x_{ft}^\top(\beta + b_f) + \varepsilon_{ft}, \qquad b_f \sim N(0, \tau^2\sigma^2 I)

    With :math:`R_{ij} = \tau^2 x_i^\top x_j` for two rows of one unit and zero otherwise, Σ = I + R and
    :math:`B = (X^\top \Sigma^{-1} X)^{-1} X^\top \Sigma^{-1}`, the weights are
    :math:`X_* B + R_* \Sigma^{-1} (I - X B)`: what all share, and a correction among the unit's own rows. They are the
    best linear unbiased predictions of a mixed model. Implements :eq:`panel-weights`.

    Parameters
    ----------
    X : array or DataFrame of shape (n, p)
        Inputs, one row per unit and date, with a column of ones if there is an intercept. Its rank may be below p.
    units : array or Series of shape (n,)
        The unit of each row: numbers or names, of which 1 and "1" are two. None is missing.
    X_new : array or DataFrame of shape (m, p)
        Rows to predict at; columns with names are found by them.
    units_new : array or Series of shape (m,)
        Their units; a unit without rows in ``X`` gets the pooled prediction, unless ``spread`` is infinite.
    spread : float ≥ 0, or inf
        τ, the standard deviation of the units' coefficients around the common ones, relative to that of the noise.
        At 0 the panel is pooled, at inf each unit has a least-squares fit of its own; :func:`mixed_spread` finds it.

    Returns
    -------
    ndarray of shape (m, n), or a DataFrame under the labels of the rows
        In units of target per target. Rows sum to one where both inputs have the column of ones.

    Raises
    ------
    ValueError
        If shapes or labels do not match, a unit is missing, ``spread`` is negative, sizes of columns differ by more
        than twelve digits, or, at inf, a unit has fewer rows than columns.

    Examples
    --------
    >>> ones, firms = np.ones((4, 1)), ["a", "a", "b", "b"]
    >>> for spread in (0.0, 1.0, np.inf):
    ...     print(panel_weights(ones, firms, ones[:1], ["a"], spread=spread).round(3))
    [[0.25 0.25 0.25 0.25]]
    [[0.417 0.417 0.083 0.083]]
    [[0.5 0.5 0.  0. ]]
    """
    rows = read_table(X, "X")
    new = read_table(X_new, "X_new", columns=rows.columns)
    check_same_width(rows.values, new.values, "X", "X_new")
    if spread != math.inf:
        spread = check_real(spread, "spread", least=0.0)
    units, units_new = _check_units(units, rows, "units", "X"), _check_units(units_new, new, "units_new", "X_new")
    codes, names = pd.factorize(np.concatenate([units, units_new]))
    own, asked = codes[: len(units)], codes[len(units) :]
    if spread:
        _check_sizes(rows.values)
    if spread == math.inf:
        _check_rows(own, asked, names, rows.values.shape[1])
    weights = _shared_and_own(rows.values, own, new.values, asked, spread)
    return named(weights, new.index, rows.index)


def mixed_spread(X: ArrayLike, units: ArrayLike, y: ArrayLike) -> float:
    r"""Return the spread of the units' coefficients, relative to the noise, of highest restricted likelihood.

    .. math:: (n - r) \log \hat\sigma^2_\tau + \log|\Sigma_\tau| + \log|X^\top \Sigma_\tau^{-1} X| \to \min_\tau

    with Σ = I + R as in :func:`panel_weights`, to which it is given as ``spread``. The estimate is that of statsmodels'
    ``MixedLM`` with one variance for all that units differ in. One spread is for all columns: bring them to one scale.

    Parameters
    ----------
    X : array or DataFrame of shape (n, p)
        Inputs, one row per unit and date, with a column of ones if there is an intercept.
    units : array or Series of shape (n,)
        The unit of each row.
    y : array or Series of shape (n,)
        Targets of the same rows.

    Returns
    -------
    float
        τ ≥ 0; zero where units do not differ by more than noise does.

    Raises
    ------
    ValueError
        If shapes or labels do not match, a unit is missing, there is one unit, or the rows are as few as the rank.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> firms = np.repeat(np.arange(30), 20)
    >>> y = rng.normal(size=30)[firms] + 0.5 * rng.normal(size=600)
    >>> round(mixed_spread(np.ones((600, 1)), firms, y), 1)
    1.7
    """
    rows = read_table(X, "X")
    targets = read_vector(y, "y", index=rows.index).values
    if len(targets) != len(rows.values):
        raise ValueError(f"y has {len(targets)} entries but X has {len(rows.values)} rows")
    own, names = pd.factorize(_check_units(units, rows, "units", "X"))
    if len(names) < 2:
        raise ValueError(f"a spread needs two units at least, got {names[0]!r} alone")
    _check_sizes(rows.values)
    shared, _ = _codes(rows.values, rows.values[:1])
    if len(targets) <= shared.shape[1]:
        raise ValueError(f"{len(targets)} rows are too few for a rank of {shared.shape[1]}")
    parts = [_unit(rows.values, np.flatnonzero(own == unit)) for unit in range(len(names))]
    both = np.column_stack([shared, targets / (np.abs(targets).max() or 1.0)])
    scale = np.sqrt(np.mean([(part.s**2).mean() for part in parts if len(part.s)]))
    tried = np.log(np.geomspace(1e-4, 1e4, 33) / scale)
    losses = [_restricted(spread, parts, both) for spread in np.exp(tried)]
    best = int(np.argmin(losses))
    if best in (0, len(tried) - 1):
        return 0.0 if best == 0 else math.inf
    bounds = (tried[best - 1], tried[best + 1])
    found = minimize_scalar(lambda log: _restricted(math.exp(log), parts, both), bounds=bounds, options={"xatol": 1e-9})
    spread = math.exp(found.x)
    return spread if found.fun < _restricted(0.0, parts, both) else 0.0


def _restricted(spread: float, parts: list[_Unit], both: np.ndarray) -> float:
    """Return minus twice the restricted log-likelihood of a spread, up to a constant; ``both`` are codes and y."""
    n, r = len(both), both.shape[1] - 1
    products, logs = np.zeros((r + 1, r + 1)), 0.0
    for part in parts:
        block = both[part.rows]
        inner = part.U.T @ block
        lost = (spread * part.s) ** 2 / (1 + (spread * part.s) ** 2)
        products += block.T @ block - inner.T @ (lost[:, None] * inner)
        logs += np.log1p((spread * part.s) ** 2).sum()
    G, b = products[:r, :r], products[:r, r]
    noise = max(products[r, r] - b @ np.linalg.solve(G, b), np.finfo(float).tiny)
    return float((n - r) * np.log(noise) + logs + np.linalg.slogdet(G)[1])


class _Unit(NamedTuple):
    """The rows of one unit, and their singular value decomposition U diag(s) V', of the rank they have."""

    rows: np.ndarray
    U: np.ndarray
    s: np.ndarray
    V: np.ndarray


def _shared_and_own(X: np.ndarray, own: np.ndarray, X_new: np.ndarray, asked: np.ndarray, spread: float) -> np.ndarray:
    """Return the weights of the common coefficients, plus those of each unit's own.

    In the singular directions of a unit Σ is diagonal, 1 + τ²s², so that nothing of size n × n is solved; the common
    coefficients are those of codes of X, as many as its rank.
    """
    shared, shared_new = _codes(X, X_new)
    units = [_unit(X, np.flatnonzero(own == unit)) for unit in range(own.max() + 1)]
    noise, slope = min(1.0, 1 / spread) if spread else 1.0, min(1.0, spread)  # in units of the larger of 1 and τ
    shares = [1 / np.hypot(noise, slope * unit.s)[:, None] for unit in units]
    inner = [unit.U.T @ shared[unit.rows] for unit in units]  # codes of the unit's directions, (r_u, r)
    Q, R = np.linalg.qr(np.concatenate([share * codes for share, codes in zip(shares, inner, strict=True)]))
    ends = np.cumsum([len(unit.s) for unit in units])[:-1]
    common = np.empty((shared.shape[1], len(X)))  # the coefficients of the codes that each row's target gives
    for unit, share, part in zip(units, shares, np.split(Q, ends), strict=True):
        common[:, unit.rows] = solve_triangular(R, part.T * share.T) @ unit.U.T
    weights = shared_new @ common
    for number, (unit, share, codes) in enumerate(zip(units, shares, inner, strict=True)):
        rows = np.flatnonzero(asked == number)
        trust = X_new[rows] @ unit.V * ((slope * share[:, 0]) ** 2 * unit.s)
        if noise == 0 and len(unit.s) == X.shape[1]:
            weights[rows] = 0.0  # it needs nobody else, to the last digit
        else:
            weights[rows] -= trust @ codes @ common
        weights[np.ix_(rows, unit.rows)] += trust @ unit.U.T
    return weights


def _codes(X: np.ndarray, X_new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return orthogonal codes of both, (n, r) and (m, r); a column of ones is the first, and asks no other's help."""
    same = X[0] == X
    constant = same.all(axis=0) & (X[0] != 0)
    if not constant.any():
        s = spectrum(X, centre=False)
        return s.scores, X_new @ s.directions / s.singular_values
    ones = np.ones((len(X), 1))
    one = int(np.argmax(constant))
    level = X_new[:, [one]] / X[0, one]
    if same.all():
        return ones, level
    s = spectrum(X, centre=True)
    codes_new = (X_new - level * s.centre) @ s.directions / s.singular_values
    return np.hstack([ones, s.scores]), np.hstack([level, codes_new])


def _unit(X: np.ndarray, rows: np.ndarray) -> _Unit:
    X = X[rows]
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    rank = rank_of(X, s, np.finfo(float).eps * max(X.shape)) if X.any() else 0
    return _Unit(rows, U[:, :rank], s[:rank], Vt[:rank].T)


def _check_rows(own: np.ndarray, asked: np.ndarray, names: np.ndarray, columns: int) -> None:
    """Raise if a unit that is asked has not enough rows for a fit of its own."""
    for unit in np.unique(asked):
        if (rows := (own == unit).sum()) < columns:
            raise ValueError(f"unit {names[unit]!r} has {rows} rows for {columns} coefficients of its own")


def _check_sizes(X: np.ndarray) -> None:
    """Raise if one column is so much larger than another that rounding leaves nothing of the other in a unit's fit."""
    sizes = column_sizes(X)
    least, most = sizes[sizes > 0].min(initial=np.inf), sizes.max()
    if most > WIDEST * least:
        raise ValueError(
            f"columns of X must be within a factor {WIDEST:g} in size, as spread is one for all, got {most:g} and "
            f"{least:g}; change their units"
        )


def _check_units(units: Any, table: Table, name: str, of: str) -> np.ndarray:
    """Return the units of the rows of a table, as objects, found by label where both have labels."""
    given = as_pandas(units)
    if given is not None:
        order = matched(given.index, table.index, f"the rows of {name}", f"those of {of}")
        units = given if order is None else given.iloc[order]
    units = np.asarray(units, dtype=object)
    if units.shape != (len(table.values),):
        raise ValueError(f"{name} has shape {units.shape}, need one unit for each of {len(table.values)} rows")
    if (missing := pd.isna(units)).any():
        place = int(np.argmax(missing))
        raise ValueError(f"{name} must not be missing, got {units[place]} at index {place}")
    return units
