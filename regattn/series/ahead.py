"""What a forecast of one's own series returns: quantiles by date, and whom each date ahead listened to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from regattn._validation import check_real

__all__ = ["Forecast"]


@dataclass(frozen=True, eq=False)
class Forecast:
    r"""Quantiles of the dates that follow each series, with the weights of the dates that were listened to.

    .. math:: \hat y_{sj} = \sum_t w_{sjt}\, y_{st} + r_{sj}

    Made by :meth:`SeriesModel.forecast <regattn.series.SeriesModel.forecast>`. A linear model's weights are
    those of the equation, exactly; a transformer's are its attention, the mean over heads, and r is None.

    Attributes
    ----------
    quantiles : DataFrame of shape (k h, Q)
        A row for each series and date ahead, a column for each level, or "mean"; in the units of the series.
    weights : DataFrame of shape (k h, dates)
        The same rows; a column for each date of the past that some series was read at, and, where a transformer has
        covariates, for each date ahead. Every row sums to one; a date that is missing has weight zero.
    rest : Series of length k h, or None
        r: what the calendar and the covariates add, in the units of the series.
    """

    quantiles: pd.DataFrame
    weights: pd.DataFrame
    rest: pd.Series | None

    @property
    def point(self) -> pd.DataFrame:
        """The median, or the level nearest to it, or the mean: a row for each date, a column for each series."""
        levels = self.quantiles.columns
        if list(levels) == ["mean"]:
            return self._wide("mean")
        return self.at(levels[int(np.abs(np.asarray(levels, dtype=float) - 0.5).argmin())])

    def at(self, level: float) -> pd.DataFrame:
        """Return one quantile with a row for each date and a column for each series.

        Parameters
        ----------
        level : float
            One of the columns of ``quantiles``.

        Raises
        ------
        ValueError
            If there is no such level.

        Examples
        --------
        >>> from regattn.series import ForecasterDesign, PooledLinear
        >>> table = pd.DataFrame({"a": np.arange(30.0)}, pd.period_range("2020Q1", periods=30, freq="Q"))
        >>> ahead = PooledLinear(ForecasterDesign(context=9, horizon=2, period=4)).forecast(table)
        >>> ahead.at(0.9)["a"].round(3).tolist(), ahead.quantiles.index[0]
        ([30.0, 31.0], ('a', Period('2027Q3', 'Q-DEC')))
        """
        level, levels = check_real(level, "level"), list(self.quantiles.columns)
        if level not in levels:
            raise ValueError(f"level must be one of {levels}, got {level:g}")
        return self._wide(level)

    def _wide(self, column: float | str) -> pd.DataFrame:
        names = self.quantiles.index.unique(level="series")
        return self.quantiles[column].unstack("series")[names]
