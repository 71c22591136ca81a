"""Autoregressions as attention: the dates of a series are rows, and each date attends to all of them by their pasts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from regattn._tables import numbers
from regattn._types import Label
from regattn._validation import check_count
from regattn.regression.least_squares import spectrum
from regattn.regression.spectral import Spectrum
from regattn.series._dates import as_table, check_lags, check_series, following, place_of
from regattn.series.lags import lag_matrix

__all__ = ["Autoregression", "autoregression"]


@dataclass(frozen=True, eq=False)
class Autoregression:
    r"""A vector autoregression of p lags, read as attention among the n = T - p dates that have a full past.

    .. math:: \hat Y = A\,Y, \qquad A = X (X^\top X)^{-1} X^\top

    Row t of X, the past, makes the query and the key of date t; row t of Y, the present, is its value. Made by
    :func:`autoregression`. Implements :eq:`lag-attention`; source: eq. (33) of [GC]_ and the vector form below it.

    Attributes
    ----------
    past : DataFrame of shape (n, k p)
        X: "inflation, 1 back", …, all series at one lag together, without a column of ones.
    present : DataFrame of shape (n, k)
        Y: the series at the same dates.
    max_lag : int
        p, the longest lag.
    intercept : bool
        Whether every row has a one besides. Rows of A then sum to one.
    spectrum : Spectrum
        The factorisation of X, centred if there is an intercept.
    lags : tuple of int
        1 to p, or those that were chosen.

    Examples
    --------
    >>> model = autoregression(pd.DataFrame({"x": [1.0, 2.0, 4.0, 8.0]}), max_lag=1, intercept=False)
    >>> model.weights().round(3).to_numpy()
    array([[0.048, 0.095, 0.19 ],
           [0.095, 0.19 , 0.381],
           [0.19 , 0.381, 0.762]])
    """

    past: pd.DataFrame
    present: pd.DataFrame
    max_lag: int
    intercept: bool
    spectrum: Spectrum
    lags: tuple[int, ...]

    def weights(self) -> pd.DataFrame:
        """Return the map A: the weight that each date gives every date.

        Returns
        -------
        DataFrame of shape (n, n)
            Rows are the dates that ask, columns the dates that answer. Of rank k p, plus one with an intercept.

        Examples
        --------
        >>> model = autoregression(pd.DataFrame({"x": [1.0, 2.0, 4.0, 8.0]}), max_lag=1)
        >>> model.weights().sum(axis=1).round(9).tolist()
        [1.0, 1.0, 1.0]
        """
        dates = self.past.index
        return pd.DataFrame(self.spectrum.weights(), index=dates, columns=dates)

    def weights_at(self, date: Label) -> pd.Series:
        """Return the row of the map that belongs to one date.

        Parameters
        ----------
        date : label of the index, such as "1981Q4"
            A date with a full past.

        Returns
        -------
        Series of length n
            Indexed by date.

        Raises
        ------
        ValueError
            If ``date`` is not one of the n dates.

        Examples
        --------
        >>> model = autoregression(pd.DataFrame({"x": [1.0, 2.0, 4.0, 8.0]}), max_lag=1)
        >>> model.weights_at(2).round(3).tolist()
        [0.429, 0.357, 0.214]
        """
        return self._row(self.past.iloc[[place_of(date, self.past.index)]].to_numpy())

    def weights_after(self, history: pd.DataFrame | pd.Series) -> pd.Series:
        """Return the weights of the date that follows ``history``, whether or not its value is known.

        Parameters
        ----------
        history : DataFrame of shape (at least p, k)
            The same series, found by name, oldest first and in the same steps; its last p dates are the query.

        Returns
        -------
        Series of length n
            Indexed by date; times ``present`` it gives the forecast.

        Raises
        ------
        ValueError
            If columns or steps differ from the model's, there are fewer than p dates, or a date or a number is missing.

        Examples
        --------
        >>> series = pd.DataFrame({"x": [1.0, 2.0, 4.0, 8.0]})
        >>> weights = autoregression(series, max_lag=1).weights_after(series)
        >>> weights.round(3).tolist(), round(float(weights @ series["x"].loc[1:]), 6)
        ([-1.286, -0.071, 2.357], 16.0)
        """
        return self._row(self._query(self._check_history(history)))

    def average(self, values: pd.DataFrame | None = None) -> pd.DataFrame:
        """Return the weighted averages, A times ``values``: what each date hears, whatever the values are.

        The map is never made: the cost grows with n, not with its square.

        Parameters
        ----------
        values : DataFrame with one row for each of the n dates, optional
            In any order; rows of other dates are left out. By default ``present``: the averages are the fitted values.

        Returns
        -------
        DataFrame of shape (n, d_v)
            In units of ``values``.

        Raises
        ------
        ValueError
            If ``values`` has no row, or more than one, for one of the dates, or a number is missing.

        Examples
        --------
        >>> model = autoregression(pd.DataFrame({"x": [1.0, 2.0, 4.0, 8.0]}), max_lag=1)
        >>> model.average()["x"].round(6).tolist()
        [2.0, 4.0, 8.0]
        """
        if values is None:
            values = self.present
        else:
            values = as_table(values, "values")
            absent = self.past.index.difference(values.index)
            if len(absent):
                raise ValueError(f"values has no row for {absent[0]}, one of {len(absent)} dates it lacks")
            values = values[values.index.isin(self.past.index)]
            twice = values.index[values.index.duplicated()]
            if len(twice):
                raise ValueError(f"values has more than one row for {twice[0]}")
            values = values.loc[self.past.index]
        found = self.spectrum.predict(None, numbers(values, "values"))
        return pd.DataFrame(found, index=values.index, columns=values.columns)

    def continuation(self, history: pd.DataFrame | pd.Series, *, steps: int) -> pd.DataFrame:
        """Return how ``history`` goes on when each average is taken as the next date, and asks in its turn.

        The difference of two continuations, of a history with and without a change on its last date, is the impulse
        response to that change.

        Parameters
        ----------
        history : DataFrame of shape (at least p, k)
            The same series, oldest first.
        steps : int
            How many dates, at least 1.

        Returns
        -------
        DataFrame of shape (steps, k)
            In the units of the series, indexed by the dates that follow.

        Raises
        ------
        ValueError
            As in :meth:`weights_after`, or if ``steps`` is below 1.

        Examples
        --------
        >>> series = pd.DataFrame({"x": [1.0, 2.0, 4.0, 8.0]})
        >>> autoregression(series, max_lag=1, intercept=False).continuation(series, steps=2)["x"].round(6).tolist()
        [16.0, 32.0]
        """
        steps, values = check_count(steps, "steps"), self.present.to_numpy()
        recent = self._check_history(history)
        for _ in range(steps):
            heard = self.spectrum.weights(self._query(recent))[0] @ values
            recent = np.vstack([recent, heard])
        dates = following(history.index, steps, like=self.past.index)
        return pd.DataFrame(recent[-steps:], index=dates, columns=self.present.columns)

    def _check_history(self, history: pd.DataFrame | pd.Series) -> np.ndarray:
        """Return the last p rows of a history that the model can continue."""
        history = check_series(history, "history", like=self.present)
        if len(history) < self.max_lag:
            raise ValueError(f"history has {len(history)} dates, but {self.max_lag} lags were fitted")
        return history.to_numpy()[-self.max_lag :]

    def _query(self, recent: np.ndarray) -> np.ndarray:
        """Return the row of the date that follows: the rows of ``recent`` at the lags, latest first."""
        return recent[[-lag for lag in self.lags]].reshape(1, -1)

    def _row(self, query: np.ndarray) -> pd.Series:
        return pd.Series(self.spectrum.weights(query)[0], index=self.past.index, name="weight")


def autoregression(
    series: pd.DataFrame | pd.Series,
    *,
    max_lag: int | None = None,
    lags: Iterable[int] | None = None,
    intercept: bool = True,
) -> Autoregression:
    r"""Return the least-squares autoregression of ``series`` on its last ``max_lag`` dates, read as attention.

    One series gives an AR(p), several give a VAR(p): the same regressors in every equation. The estimates are those of
    statsmodels' ``AutoReg`` and ``VAR``.

    .. math:: y_t \approx c + \sum_{l=1}^{p} B_l\, y_{t-l}

    Source: eq. (33) of [GC]_.

    Parameters
    ----------
    series : DataFrame of shape (T, k), or a Series, indexed by date
        Oldest first, without gaps; the index holds periods, times or numbers.
    max_lag : int, optional
        Number p of lags, at least 1; :func:`lag_scores` helps to choose.
    lags : iterable of int, optional
        In place of ``max_lag``: which lags, rising, as [1, 12].
    intercept : bool, default True
        Whether there is a constant c.

    Returns
    -------
    Autoregression
        With n = T - p rows.

    Raises
    ------
    ValueError
        If ``series`` is no table of numbers, dates are not in order or one is left out, a number is missing,
        names repeat, ``max_lag`` or a lag is below 1, both or neither are given, the dates are too few for the
        coefficients, or no past varies.

    Examples
    --------
    >>> model = autoregression(pd.DataFrame({"x": [1.0, 2.0, 4.0, 8.0]}), max_lag=1, intercept=False)
    >>> model.present["x"].tolist(), model.average()["x"].round(6).tolist()
    ([2.0, 4.0, 8.0], [2.0, 4.0, 8.0])
    """
    series = check_series(series, "series")
    if not isinstance(intercept, bool):
        raise ValueError(f"intercept must be True or False, got {intercept!r}")
    length, width = series.shape
    if max_lag is not None and lags is None:
        max_lag = check_count(max_lag, "max_lag")
        _check_length(length, max_lag, max_lag * width + intercept)
    lags = check_lags(max_lag, lags, length, least=1)
    _check_length(length, lags[-1], len(lags) * width + intercept)
    lagged = lag_matrix(series, lags=lags)
    past, present = lagged.iloc[:, width:], lagged.iloc[:, :width]
    return Autoregression(past, present, lags[-1], intercept, spectrum(past.to_numpy(), centre=intercept), lags)


def _check_length(length: int, max_lag: int, columns: int) -> None:
    """Raise unless more dates are left than coefficients."""
    rows = length - max_lag
    if rows <= columns:
        raise ValueError(
            f"max_lag {max_lag} leaves {max(rows, 0)} of {length} dates for {columns} coefficients of each equation; "
            "there must be more dates than coefficients"
        )
