"""What a row of weights says: the loudest rows, for and against, how many speak, how steadily, and how far away."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from regattn._extras import needed_by
from regattn._files import atomic_write, check_place
from regattn._tables import as_pandas, in_digits, read_table, read_targets
from regattn._types import Table
from regattn._validation import check_count, check_real
from regattn.attribution._additive import by_predictor, columns_of_numbers
from regattn.attribution._distance import distances
from regattn.attribution._document import page

if TYPE_CHECKING:
    from matplotlib.axes import Axes
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
    predictors : DataFrame of shape (m, 1 + p), str or None
        What :meth:`by_predictor` returns, or why it cannot, where the model was given.

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
    predictors: DataFrame | str | None = None

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

    def by_predictor(self) -> DataFrame:
        r"""Return what each predictor adds to the predictions of a model that is a sum of them, as linear models are.

        .. math:: \hat y_j = \hat f(\bar x) + \sum_k \bigl(\hat f(\bar x_1, \dots, x_{jk}, \dots, \bar x_p)
                  - \hat f(\bar x)\bigr)

        Each is moved alone from its mean over the training rows to where it stands; of a linear model these are the
        coefficients times the distances. Whether they add up is held to the model's own predictions.

        Returns
        -------
        DataFrame of shape (m, 1 + p)
            The prediction at the means, then a column for each predictor; each row adds up to the prediction.

        Raises
        ------
        ValueError
            If :func:`forecast_report` was not given the model, or its predictors act together.

        Examples
        --------
        >>> from sklearn.linear_model import LinearRegression
        >>> from regattn import observation_weights
        >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]]), np.array([1.0, 2.0, 6.0])
        >>> model, new = LinearRegression().fit(X, y), [[3.0, 1.0]]
        >>> report = forecast_report(observation_weights(model, X, new), y, X_train=X, X_new=new, model=model)
        >>> report.by_predictor().round(6)
           at the means    0    1
        0           3.0  4.0  0.0
        """
        if self.predictors is None:
            raise ValueError("by_predictor needs the model: forecast_report(…, X_train=…, X_new=…, model=…)")
        if isinstance(self.predictors, str):
            raise ValueError(f"by_predictor has nothing to say: {self.predictors}")
        return self.predictors

    def plot(self, *, prediction: int = 0, top: int = 20, ax: Axes | None = None) -> Axes:
        """Draw what each training row adds to one prediction, at its date or number; of names the loudest.

        Parameters
        ----------
        prediction : int, default 0
            Place of the prediction.
        top : int, default 20
            How many rows are drawn where they have names, not dates or numbers.
        ax : Axes, optional
            Where to draw.

        Returns
        -------
        Axes
            With a bar for each row.

        Raises
        ------
        ValueError
            If ``prediction`` or ``top`` is out of range.
        """
        import pandas as pd

        with needed_by("ForecastReport.plot"):
            from regattn.figures._style import bar_width
            from regattn.figures.least_squares import plot_weights

        j = check_count(prediction, "prediction", least=0, most=len(self.weights) - 1, bound="the last one")
        found = pd.Series(self.contributions()[j], self.columns)
        lying = bar_width(self.columns) is None
        ax = plot_weights(found, top=check_count(top, "top") if lying else None, ax=ax)
        (ax.set_xlabel if lying else ax.set_ylabel)(f"contribution to {self.rows[j]}")
        return ax

    def save(self, path: str | os.PathLike, *, title: str = "Whom it listens to", notes: Iterable[str] = ()) -> Path:
        """Write the report as one HTML document that needs nothing else: no network, no script, no other file.

        Parameters
        ----------
        path : path
            Where to write; what is there is replaced once all is written.
        title : str
            Its heading.
        notes : iterable of str
            Paragraphs below the heading.

        Returns
        -------
        Path
            Where it was written.

        Raises
        ------
        FileNotFoundError
            If the folder does not exist.
        IsADirectoryError
            If ``path`` is a folder.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = forecast_report([[0.5, 0.5]], [1.0, 3.0]).save(f"{folder}/forecast.html")
        ...     path.read_text(encoding="utf-8").splitlines()[0]
        '<!doctype html>'
        """
        path = check_place(path)
        with atomic_write(path) as file:
            file.write(page(self, title, notes).encode("utf-8"))
        return path

    def _repr_html_(self) -> str:
        """Return the table of predictions, and the loudest rows of the first, as a notebook shows them."""
        look = {"float_format": in_digits, "na_rep": "–"}
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
    model: object = None,
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
    model : object, optional
        The fitted model, if its predictions are to be taken apart by predictors, too; it needs ``X_train`` and
        ``X_new``, of which columns that are no numbers are left out of the distance.

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
        weights = pd.DataFrame(table.to_numpy(float), table.index, table.columns)  # rows may share a label
    values, rows, columns = read_table(_filled(weights), "weights")
    outcomes = read_targets(y_train, values.shape[1], "y_train", index=columns, of="weights' columns").values
    if outcomes.ndim != 1:
        raise ValueError(f"y_train must have shape (n,), one target, got shape {outcomes.shape}")
    predictors_read = (X_train, X_new) if model is None else map(columns_of_numbers, (X_train, X_new))
    distance = distances(*predictors_read, columns, rows, values.shape)
    rows, columns = (
        pd.RangeIndex(size) if index is None else index
        for size, index in zip(values.shape, (rows, columns), strict=True)
    )
    predictors = None if model is None else by_predictor(model, X_train, X_new, values @ outcomes, rows)
    return ForecastReport(values, outcomes, share, rows, columns, distance, predictors)


def _filled(weights: Any) -> Any:
    return weights.toarray() if hasattr(weights, "tocsr") else weights
