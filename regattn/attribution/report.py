"""What a row of weights says: the loudest rows, for and against, how many speak, how steadily, and how far away."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from regattn._tables import as_pandas, matched, read_table, read_targets
from regattn._types import Table
from regattn._validation import check_count, check_real

if TYPE_CHECKING:
    from pandas import DataFrame, Index

__all__ = ["ForecastReport", "forecast_report"]


@dataclass(frozen=True, eq=False)
class ForecastReport:
    r"""Predictions taken apart into their training outcomes; made by :func:`forecast_report`.

    With weights :math:`\omega_{ji}` and the mean outcome :math:`\bar y`, a prediction is

    .. math:: \hat y_j = \bar y \sum_i \omega_{ji} + \sum_i \omega_{ji} (y_i - \bar y)

    a baseline, and contributions of rows: those above zero are *for* a higher prediction, those below *against* it.

    Attributes
    ----------
    weights : ndarray of shape (m, n)
        Those reported on.
    outcomes : ndarray of shape (n,)
        y.
    share : float
        Share of rows that :meth:`to_frame` calls the loudest.
    rows, columns : pandas.Index
        Labels of the predictions and of the training rows.
    distance : ndarray of shape (m,) or None
        How far the predictions lie from the training rows, where their predictors were given.

    Examples
    --------
    >>> report = forecast_report([[0.75, 0.5, -0.25]], [2.0, 4.0, 6.0])
    >>> report.top(2)
       weight  outcome  contribution
    0    0.75      2.0          -1.5
    2   -0.25      6.0          -0.5
    """

    weights: np.ndarray
    outcomes: np.ndarray
    share: float
    rows: Index
    columns: Index
    distance: np.ndarray | None = None

    def contributions(self) -> np.ndarray:
        r"""Return :math:`\omega_{ji} (y_i - \bar y)`: with the baseline they add up to the predictions.

        Returns
        -------
        ndarray of shape (m, n)
            In units of the outcomes.

        Examples
        --------
        >>> forecast_report([[0.75, 0.5, -0.25]], [2.0, 4.0, 6.0]).contributions()
        array([[-1.5,  0. , -0.5]])
        """
        return self.weights * (self.outcomes - self.outcomes.mean())

    def top(self, k: int, *, prediction: int = 0) -> DataFrame:
        """Return the k training rows that move one prediction most, the loudest first.

        Parameters
        ----------
        k : int
            How many, between 1 and n.
        prediction : int, default 0
            Place of the prediction.

        Returns
        -------
        DataFrame of shape (k, 3)
            Weight, outcome and contribution (above zero: for a higher prediction), under the labels of the rows.

        Raises
        ------
        ValueError
            If ``k`` or ``prediction`` is out of range.
        """
        import pandas as pd

        k = check_count(k, "k", most=len(self.outcomes), bound="the training rows")
        j = check_count(prediction, "prediction", least=0, most=len(self.weights) - 1, bound="the last one")
        contributions = self.contributions()[j]
        order = np.argsort(-np.abs(contributions), kind="stable")[:k]
        found = {"weight": self.weights[j], "outcome": self.outcomes, "contribution": contributions}
        return pd.DataFrame(found, index=self.columns).iloc[order]

    def to_frame(self) -> DataFrame:
        r"""Return one row of numbers for each prediction.

        Returns
        -------
        DataFrame of shape (m, 9) or (m, 10)
            ``prediction``; what adds up to it: ``baseline`` :math:`\bar y \sum_i \omega_{ji}`, ``for`` and ``against``,
            the sums of contributions above and below zero; ``concentration``, the part of
            :math:`\sum_i |\omega_{ji}|` that lies on the loudest rows; ``short position``
            :math:`\sum_i \min(\omega_{ji}, 0)`; ``leverage`` :math:`\sum_i \omega_{ji}`; ``turnover``
            :math:`\sum_i |\omega_{ji} - \omega_{j-1,i}|`, NaN for the first; ``effective rows``
            :math:`(\sum_i \omega_{ji})^2 / \sum_i \omega_{ji}^2` (Kish), at most n: an average of so many rows, all
            equal, would be as noisy. Where predictors were given,
            ``distance``: the Mahalanobis distance from the mean of the training rows, divided by that of the farthest
            of them; above 1 the model has seen nothing as far out, and infinite where no two training rows differ.

        Examples
        --------
        >>> frame = forecast_report([[0.5, 0.5, 0.0], [0.75, 0.5, -0.25]], [2.0, 4.0, 6.0]).to_frame()
        >>> frame[["prediction", "baseline", "for", "against", "turnover"]]
           prediction  baseline  for  against  turnover
        0         3.0       4.0  0.0     -1.0       NaN
        1         2.0       4.0  0.0     -2.0       0.5
        """
        import pandas as pd

        weights, sizes, contributions = self.weights, np.abs(self.weights), self.contributions()
        total = sizes.sum(axis=1)
        loud = max(1, round(self.share * len(self.outcomes)))
        loudest = np.sort(sizes, axis=1)[:, ::-1][:, :loud].sum(axis=1)
        spoken = np.where(total > 0, total, 1.0)
        turnover = np.r_[np.nan, np.abs(np.diff(weights, axis=0)).sum(axis=1)]
        found = {
            "prediction": weights @ self.outcomes,
            "baseline": self.outcomes.mean() * weights.sum(axis=1),
            "for": contributions.clip(min=0).sum(axis=1),
            "against": contributions.clip(max=0).sum(axis=1),
            "concentration": loudest / spoken,
            "short position": weights.clip(max=0).sum(axis=1),
            "leverage": weights.sum(axis=1),
            "turnover": turnover,
            "effective rows": weights.sum(axis=1) ** 2 / np.where(total > 0, np.square(weights).sum(axis=1), 1.0),
        }
        if self.distance is not None:
            found["distance"] = self.distance
        return pd.DataFrame(found, index=self.rows)

    def _repr_html_(self) -> str:
        """Return the table of predictions, and the loudest rows of the first, as a notebook shows them."""
        look = {"float_format": "{:.4g}".format, "na_rep": "–"}
        shown = self.to_frame().to_html(**look, max_rows=20)
        if not len(self.rows):
            return shown
        loudest = self.top(min(5, len(self.outcomes))).to_html(**look)
        return f"{shown}\n<p>Loudest in {html.escape(str(self.rows[0]))}:</p>\n{loudest}"


def forecast_report(
    weights: Table,
    y_train: ArrayLike,
    *,
    share: float = 0.05,
    X_train: Table | None = None,
    X_new: Table | None = None,
) -> ForecastReport:
    """Return what the weights of some predictions say of the training rows.

    Parameters
    ----------
    weights : array, sparse array or DataFrame of shape (m, n)
        As :func:`~regattn.attribution.observation_weights` returns them, dense or sparse.
    y_train : array or Series of shape (n,)
        Training outcomes, matched by label with the columns of ``weights``.
    share : float, default 0.05
        Share of rows, above 0 and at most 1, whose part of all weight is the concentration; one row at least.
    X_train, X_new : array or DataFrame of shapes (n, p) and (m, p), optional
        Predictors, from which the report says how far out a prediction lies. Both or none.

    Returns
    -------
    ForecastReport
        The loudest rows, and a table of summaries.

    Raises
    ------
    ValueError
        If sizes or labels differ, an entry is not a finite number, or ``share`` is out of range.

    Examples
    --------
    >>> forecast_report([[0.5, 0.5, 0.0]], [1.0, 3.0, 9.0]).to_frame()["effective rows"].tolist()
    [2.0]

    A prediction three times as far out as any row that the model has seen:

    >>> X = [[-1.0], [0.0], [1.0]]
    >>> report = forecast_report([[-1.0, 0.0, 2.0]], [1.0, 2.0, 3.0], X_train=X, X_new=[[3.0]])
    >>> report.to_frame()["distance"].tolist()
    [3.0]
    """
    import pandas as pd

    share = check_real(share, "share", least=0.0, most=1.0, strictly=True)
    table = as_pandas(weights)
    if table is not None and table.ndim == 2 and any(isinstance(kind, pd.SparseDtype) for kind in table.dtypes):
        weights = table.sparse.to_dense()
    values, rows, columns = read_table(_filled(weights), "weights")
    outcomes = read_targets(y_train, values.shape[1], "y_train", index=columns, of="weights' columns").values
    if outcomes.ndim != 1:
        raise ValueError(f"y_train must have shape (n,), one target, got shape {outcomes.shape}")
    distance = _distance(X_train, X_new, columns, rows, values.shape)
    rows, columns = (
        pd.RangeIndex(size) if index is None else index
        for size, index in zip(values.shape, (rows, columns), strict=True)
    )
    return ForecastReport(values, outcomes, share, rows, columns, distance)


def _distance(
    X_train: Table | None, X_new: Table | None, old: Index | None, asked: Index | None, shape: tuple[int, int]
) -> np.ndarray | None:
    """Return Mahalanobis distances of the new rows from the mean, in units of that of the farthest training row."""
    if (X_train is None) != (X_new is None):
        raise ValueError(f"X_train and X_new come together, got {'X_new' if X_train is None else 'X_train'} alone")
    if X_train is None:
        return None
    X, index, columns = read_table(X_train, "X_train")
    new, new_index, _ = read_table(X_new, "X_new", columns=columns, of="X_train")
    if (len(X), len(new), new.shape[1]) != (shape[1], shape[0], X.shape[1]):
        raise ValueError(
            f"X_train must have {shape[1]} rows and X_new {shape[0]}, with the same columns; "
            f"got shapes {X.shape} and {new.shape}"
        )
    matched(index, old, "X_train", "weights' columns")
    order = matched(new_index, asked, "X_new", "weights' rows")
    new = new if order is None else new[order]
    centre, scale = X.mean(axis=0), X.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    U, s, Vt = np.linalg.svd((X - centre) / scale, full_matrices=False)
    kept = s > s.max(initial=0.0) * max(X.shape) * np.finfo(float).eps
    farthest = np.sqrt(np.square(U[:, kept]).sum(axis=1)).max(initial=0.0) or 1.0
    moved = (new - centre) / scale
    within = moved @ Vt[kept].T
    beyond = np.abs(moved - within @ Vt[kept]).max(axis=1, initial=0.0)  # where no training row differs from another
    far = np.sqrt(np.square(within / s[kept]).sum(axis=1)) / farthest
    return np.where(beyond > 1e-9 * np.maximum(1.0, np.abs(moved).max(axis=1, initial=0.0)), np.inf, far)


def _filled(weights: Any) -> Any:
    return weights.toarray() if hasattr(weights, "tocsr") else weights
