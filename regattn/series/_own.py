"""Fit, forecast and save: what every model of many series does with a table of one's own."""

from __future__ import annotations

import copy
import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn

from regattn._rng import Rng, seed_from
from regattn._tensors import check_numbers, plain_parameters, write_tensors
from regattn._validation import check_count
from regattn.series._calibrating import moved, widening
from regattn.series._cut import Covariates, Panel, before, cut, in_season, own_units, read_covariates, read_panel
from regattn.series._dates import check_period, usual_period
from regattn.series._kept import read_model
from regattn.series._learning import Reading, learn, read, said
from regattn.series.ahead import Forecast
from regattn.series.windows import Windows
from regattn.transformer.training import TrainingPlan

__all__ = ["SeriesModel"]

MONTHS = 12
KEPT_OUT = 0.4  # share of the dates by which bands are widened
USUAL = TrainingPlan(steps=1000, peak=0.01, warmup=100, final=0.02, weight_decay=0.01)


class SeriesModel(nn.Module):
    """A model of many series that is fitted to a table of one's own, goes on beyond its end, and is kept in a file.

    What :class:`PooledLinear` and :class:`Forecaster` have in common; nobody makes it alone.

    Examples
    --------
    >>> from regattn.series import ForecasterDesign, PooledLinear, SeriesModel
    >>> isinstance(PooledLinear(ForecasterDesign(context=9, horizon=2, period=4)), SeriesModel)
    True
    """

    _designed: ClassVar[type]
    """Of what class a design is."""

    _stacked: ClassVar[bool] = False
    """Whether a design says how many layers there are."""

    widening: np.ndarray | None = None
    """By how much each quantile of each date ahead is moved, (h, Q), in units of a window, since :meth:`fit`."""

    in_own_units: bool = False
    """Whether every series is measured in units of its own before it is read, as :meth:`fit` does."""

    def _begin(self, design: Any, *, usual: int) -> None:
        """Build the model, of the ``usual`` period as long as neither the design nor a table tells one."""
        self._takes_period = self._period_open = design.period is None
        self.design = replace(design, period=usual) if self._takes_period else design
        self._build(self.design)

    def _build(self, design: Any) -> None:
        """Make the parameters of a design whose period is known."""
        raise NotImplementedError

    def _rebuild(self, design: Any) -> None:
        """Make the parameters of a design anew, where the old ones are and in their precision."""
        kind = next(self.parameters())
        self.design = design
        self._build(design)
        self.to(device=kind.device, dtype=kind.dtype)

    def _settle(self, dates: pd.Index, *, anew: bool) -> Any:
        """Return the design, with the period of these dates where it is open, or ``anew`` where none was given."""
        if self._period_open or (anew and self._takes_period):
            period = usual_period(dates, "Y")
            if period != self.design.period:
                self._rebuild(_checked(replace(self.design, period=period)))
        else:
            check_period(self.design.period, dates, "Y")
        return _checked(self.design)

    def _remember_units(self, covariates: int) -> None:
        """Make room for the means and the spreads of covariates, which are learned by no gradient."""
        if covariates:
            self.covariate_mean = nn.Parameter(torch.zeros(covariates), requires_grad=False)
            self.covariate_spread = nn.Parameter(torch.ones(covariates), requires_grad=False)

    def _in_units(self, known: Tensor | None, windows: int) -> Tensor:
        """Return covariates in units of their spread, (B, C + h, c), or raise."""
        shape = (windows, self.design.context + self.design.horizon, self.design.covariates)
        if known is None or known.shape != shape:
            raise ValueError(f"known must have shape {shape}, got {None if known is None else tuple(known.shape)}")
        return (known - self.covariate_mean) / self.covariate_spread

    def _listened(self, windows: Windows, reading: Reading, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the weights of the dates of the past in each date ahead, (N, h, C or C + h), and what is added.

        ``chosen`` says which output is the point forecast, (N, h).
        """
        raise NotImplementedError

    def fit(
        self,
        Y: pd.DataFrame | pd.Series,
        *,
        covariates: Covariates | None = None,
        plan: TrainingPlan = USUAL,
        batch_size: int = 64,
        rng: Rng = 0,
        calibrate: bool = True,
    ) -> Self:
        """Learn from all series of a table at once, in place, and return the model.

        Every window that has a year and a date of its past, or all of a shorter past that the design reads, teaches;
        what is missing in it does not. Each series counts in units of its own, so that units do not matter.

        Parameters
        ----------
        Y : DataFrame of shape (T, k), or a Series
            A column for each series, oldest first. Numbers may be missing, at the ends too, where a series is shorter
            than others, and dates may be left out.
        covariates : DataFrame of shape (T, c), or dict of name to DataFrame of shape (T, k), optional
            What is known of every date beforehand: of all series, or a column for each series under each name.
        plan : TrainingPlan, optional
            Steps and rates; by default 1000 steps, of a rate up to .01.
        batch_size : int, default 64
            Windows in a step.
        rng : int or Generator, default 0
            Seed of what is drawn in each step.
        calibrate : bool, default True
            Whether the bands are moved until they hold what they promise. For that a twin learns from the first three
            fifths of the dates and forecasts the others; at each date ahead the bands are widened by the quantile of
            what it missed, that of split-conformal prediction. It takes as long again. The median stays, and so do all
            where the table is too short for it: then ``widening`` is None.

        Returns
        -------
        the model itself

        Raises
        ------
        ValueError
            If the context is no longer than the period, dates do not rise in even steps, they tell no period and none
            was given, or one was given that is another calendar's, a series has fewer than two numbers, no window is
            long enough, or the covariates are not those of the design or lack a date.

        Examples
        --------
        >>> from regattn.series import ForecasterDesign, PooledLinear
        >>> dates = pd.period_range("2020Q1", periods=30, freq="Q")
        >>> table = pd.DataFrame({"a": np.arange(30.0), "b": np.arange(30.0) ** 2}, dates)
        >>> model = PooledLinear(ForecasterDesign(context=9, horizon=2, period=4))
        >>> model.fit(table, plan=TrainingPlan(steps=3)).forecast(table).point.shape
        (2, 2)
        """
        panel = read_panel(Y, ahead=0)
        design = self._settle(panel.dates, anew=True)
        panel = in_season(panel, design.period)
        panel = panel._replace(known=read_covariates(panel, covariates, design.covariates, beyond=False))
        _lessons(panel, design)
        how = {"plan": plan, "batch_size": batch_size, "rng": seed_from(rng)}
        self.widening = self._twin_missed(panel, **how) if calibrate else None
        self._learn(panel, **how)
        return self

    def _learn(self, panel: Panel, *, plan: TrainingPlan, batch_size: int, rng: int) -> None:
        """Learn from all windows of a panel, in place."""
        design = self.design
        if panel.known is not None:
            rows = torch.tensor(panel.known, dtype=torch.float32).flatten(0, 1)
            self.covariate_mean.data, spread = rows.mean(dim=0), rows.std(dim=0)
            self.covariate_spread.data = torch.where(spread > 0, spread, 1.0)
        panel = panel._replace(values=panel.values / own_units(panel, period=design.period))
        windows, self.in_own_units, self._period_open = _lessons(panel, design), True, False
        learn(self, windows, plan, unit=np.ones(len(panel.names)), batch_size=batch_size, rng=rng)

    def _twin_missed(self, panel: Panel, **how: Any) -> np.ndarray | None:
        """Return by how much bands are to be moved, (h, Q): as those of a twin that is not shown the last dates."""
        row = len(panel.values) - int(KEPT_OUT * len(panel.values))
        early, design = before(panel, row), self.design
        if not design.levels or early is None or not len(_windows(early, design).series):
            return None
        twin = copy.deepcopy(self)
        twin._rebuild(design)
        twin._learn(early, **how)
        panel = panel._replace(values=panel.values / own_units(panel, period=design.period))
        windows = _windows(panel, design)
        windows = windows.of(windows.origin >= row)
        if not len(windows.series):
            return None
        reading = read(windows, period=design.period, dtype=next(twin.parameters()).dtype)
        outcomes = (windows.ahead - reading.level) / reading.scale
        return widening(np.sort(said(twin, windows, reading), axis=-1), outcomes, design.levels)

    def forecast(
        self, Y: pd.DataFrame | pd.Series, horizon: int | None = None, *, covariates: Covariates | None = None
    ) -> Forecast:
        """Return quantiles of the dates that follow the last number of each series, and whom they listened to.

        Parameters
        ----------
        Y : DataFrame of shape (T, k), or a Series
            As in :meth:`fit`, of the same steps; the series may be others, and as short as two numbers.
        horizon : int, optional
            How many dates ahead, up to the model's own, which is the default.
        covariates : DataFrame or dict of name to DataFrame, optional
            As in :meth:`fit`, with the dates ahead.

        Returns
        -------
        Forecast
            In the units of the series.

        Raises
        ------
        ValueError
            As in :meth:`fit`, or if ``horizon`` is beyond the model's.
        """
        most = self.design.horizon
        horizon = most if horizon is None else check_count(horizon, "horizon", most=most, bound="the model's own")
        panel = read_panel(Y, ahead=most)
        design = self._settle(panel.dates, anew=False)
        panel = in_season(panel, design.period)
        known = read_covariates(panel, covariates, design.covariates, beyond=False)
        if known is not None:
            _check_ahead(panel, covariates, design.covariates, horizon)
        units = own_units(panel, period=design.period) if self.in_own_units else np.ones(len(panel.names))
        panel = panel._replace(values=panel.values / units, known=known)
        windows = cut(panel, panel.last + 1, np.arange(len(units)), context=design.context, horizon=most)
        reading = read(windows, period=design.period, dtype=next(self.parameters()).dtype)
        outputs = said(self, windows, reading)
        levels = np.array(design.levels or [0.5])
        order = outputs.argsort(axis=-1)
        chosen = order[..., int(np.abs(levels - 0.5).argmin())]
        weights, rest = self._listened(windows, reading, chosen)
        outputs = np.take_along_axis(outputs, order, axis=-1)
        if self.widening is not None:
            point = int(np.abs(levels - 0.5).argmin())
            outputs = moved(outputs, self.widening, point)
            rest = None if rest is None else rest + self.widening[:, point] * reading.scale
        quantiles = outputs * reading.scale[..., None] + reading.level[..., None]
        quantiles = (quantiles * units[:, None, None])[:, :horizon]
        rest = None if rest is None else (rest * units[:, None])[:, :horizon]
        return _tabled(panel, design.context, quantiles, weights[:, :horizon], rest, list(design.levels) or ["mean"])

    def save(self, path: str | os.PathLike, *, card: dict[str, Any] | None = None) -> None:
        """Write the model to ``path``, from where :meth:`load` or :func:`load_forecaster` reads it.

        Parameters
        ----------
        path : path
            Usually ending in .safetensors; its folder must exist.
        card : dict, optional
            Notes of your own, anything JSON can hold, which come back with the model: data, seed, steps.

        Raises
        ------
        ValueError
            If a weight is not finite; a file that was there stays.
        FileNotFoundError
            If the folder does not exist.
        """
        tensors = plain_parameters(self)
        check_numbers(tensors)
        note = {"kind": type(self).__name__, "design": asdict(self.design), "in_own_units": self.in_own_units}
        note["widening"] = None if self.widening is None else self.widening.tolist()
        write_tensors(path, tensors, note=note | {"card": card or {}})

    @classmethod
    def load(cls, path: str | os.PathLike) -> Self:
        """Return the model of this class that was saved; :func:`load_forecaster` gives its card too.

        Parameters
        ----------
        path : path
            Written by :meth:`save`.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If the file is damaged, altered, or holds no model of this class.
        """
        return read_model(Path(path), {cls.__name__: cls})[0]


def _checked(design: Any) -> Any:
    """Return a design whose past holds a period and a date, from which a unit is taken; or raise."""
    if design.context <= design.period:
        raise ValueError(
            f"context must be above the period of {design.period} dates, got {design.context}; choose a longer context "
            "or a shorter period"
        )
    return design


def _lessons(panel: Panel, design: Any) -> Windows:
    """Return every window of a panel that has enough of its past and something ahead, or raise if none has."""
    windows = _windows(panel, design)
    if not len(windows.series):
        raise ValueError(
            f"no series has {_least(design)} numbers and one that follows within {design.horizon} dates: the longest "
            f"has {np.isfinite(panel.values).sum(axis=0).max()} numbers; choose a shorter context or period"
        )
    return windows


def _least(design: Any) -> int:
    """Return how many numbers the past of a window must have to teach."""
    return min(design.context, design.period + 1)


def _windows(panel: Panel, design: Any) -> Windows:
    """Return every window of a panel that has enough of its past and something ahead."""
    rows, k = np.arange(1, len(panel.values)), len(panel.names)
    origin, series = (part.ravel() for part in np.meshgrid(rows, np.arange(k), indexing="ij"))
    inside = (origin > panel.first[series]) & (origin <= panel.last[series])
    windows = cut(panel, origin[inside], series[inside], context=design.context, horizon=design.horizon)
    there, ahead = np.isfinite(windows.past).sum(axis=1), np.isfinite(windows.ahead).any(axis=1)
    return windows.of(ahead & (there >= _least(design)))


def _check_ahead(panel: Panel, covariates: Covariates | None, count: int, horizon: int) -> None:
    """Raise unless covariates are there for so many dates after the last number of any series."""
    needed = panel._replace(dates=panel.dates[: int(panel.last.max()) + 1 + horizon])
    read_covariates(needed, covariates, count, beyond=True)


def _tabled(
    panel: Panel, context: int, quantiles: np.ndarray, weights: np.ndarray, rest: np.ndarray | None, levels: list
) -> Forecast:
    """Return arrays by series and date ahead under their labels; weights by date of the calendar."""
    k, h = quantiles.shape[:2]
    ahead = panel.last[:, None] + 1 + np.arange(h)
    rows = pd.MultiIndex.from_arrays(
        [np.repeat(panel.names, h), panel.dates[ahead.ravel()]], names=["series", panel.dates.name or "date"]
    )
    place = panel.last[:, None] + 1 - context + np.arange(weights.shape[2])  # of each column of the weights, (k, C)
    first, last = max(0, int(place.min())), int(place.max()) if weights.shape[2] > context else int(panel.last.max())
    found = np.zeros((k, h, last + 1 - first))
    for series in range(k):
        inside = (place[series] >= first) & (place[series] <= last)
        found[series][:, place[series][inside] - first] = weights[series][:, inside]
    heard = pd.DataFrame(found.reshape(k * h, -1), rows, panel.dates[first : last + 1])
    added = None if rest is None else pd.Series(rest.ravel(), rows, name="rest")
    return Forecast(pd.DataFrame(quantiles.reshape(k * h, -1), rows, levels), heard, added)
