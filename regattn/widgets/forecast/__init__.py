"""The ForecastExplorer: a trained encoder and decoder on a series, whom it listens to, and a past with gaps in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from regattn._types import Label
from regattn.series._dates import check_series, place_of
from regattn.widgets._kit import Choice, Count, Explorer, check_labels

if TYPE_CHECKING:
    from regattn.series.forecaster import Forecaster
    from regattn.series.forecasting import PooledLinear

__all__ = ["ForecastExplorer"]

YEAR = 12
LARGEST = 50.0  # of a logarithm: what is beyond has no place on an axis
SEASONS = YEAR * np.arange(1, 4)
PRESETS = {
    "nothing deleted": {"deleted": "nothing"},
    "delete 12, 24, 36": {"deleted": "lags", "lag": 12},
    "delete 10, 22, 34": {"deleted": "lags", "lag": 10},
    "delete the last year": {"deleted": "span", "start": 12, "length": 12},
}
DELETED = {"nothing": "nothing", "lags": "a lag, and those 12 and 24 later", "span": "a span of months"}


def _cut(label: str, most: Any, kind: str, **more: Any) -> Count:
    """Return a control of what is deleted, which chooses its kind when it is moved."""
    return Count(label, least=1, most=most, default=YEAR, sets={"deleted": kind}, used={"deleted": [kind]}, **more)


class ForecastExplorer(Explorer, panels=["fan", "weights", "errors", "costs", "lags", "places", "heads"]):
    r"""Show what a trained forecaster expects of a series, and whose weights made it expect that.

    Choose a series and the last month that is read: a fan of quantiles stands beside what came. A month ahead asks, and
    one head of the cross-attention answers with its weights on the past. Press a month to delete it, and those a year
    apart, from what the decoder hears: the forecast moves, and the error beside that of a forecast without a parameter,
    last year's months plus what a year has added. The model's weights are rounded to half precision, in the page and
    here.

    .. math:: \text{MASE} = \frac{\frac1h \sum_{k=1}^h |y_{t+k} - \hat y_{t+k}|}{\text{mean}_s |y_s - y_{s-12}|}

    with y in logs, the median as forecast, and the mean below over the months s before ``first``.

    Parameters
    ----------
    model : Forecaster
        Of months: period 12, at most 12 of them ahead, more than 12 read, and an odd number of quantiles.
    logs : DataFrame of shape (T, series), indexed by month
        The logarithms of the series, oldest first; the columns are what the menu says.
    first : month, default "2010-01"
        The first that is forecast: the model should have been trained on what is before it.
    query : int or month, default 0
        The last month that is read: counted from the one before ``first``, or its label.
    units : str, default "thousands"
        Units of the series, not of their logarithms.
    rival : PooledLinear, optional
        Of the same design, drawn and measured beside the model: the linear map.

    Raises
    ------
    ValueError
        If the model is of another design, ``logs`` is no whole table of months with enough of them before and after
        ``first``, a series does not vary before it, or a control is out of its range.

    Examples
    --------
    >>> from regattn.series.forecaster import Forecaster, ForecasterDesign
    >>> months = pd.period_range("2007-01", periods=72, freq="M")
    >>> logs = pd.DataFrame({"a": np.sin(np.arange(72.0))}, index=months)
    >>> explorer = ForecastExplorer(Forecaster(ForecasterDesign(context=36, horizon=12)), logs, query="2010-06")
    >>> round(explorer.result()["chance"], 3), explorer.result()["covered"]
    (0.083, 0)
    """

    series = Choice("Series", lambda self: {name: name for name in self.logs.columns}, bound="series")
    query = Count(
        "Last month that is read",
        most=lambda self: len(self.logs) - self.before - self.design.horizon,
        bound="the last with all months ahead known",
        names="labels",
        find=lambda self, label: _place(label, self.logs.index[self.before - 1 :], "query"),
        help="Counted from the one before the first that may be forecast.",
    )
    horizon = Count(
        "Month that asks",
        least=1,
        most=lambda self: self.design.horizon,
        default=lambda self: min(6, self.design.horizon),
        bound="the months that are forecast",
        help="The one whose weights are shown.",
        first=True,
    )
    head = Count(
        "Head",
        least=1,
        most=lambda self: self.design.n_heads,
        bound="the heads of the cross-attention",
        of=True,
        help="The one whose weights are shown.",
        first=True,
    )
    deleted = Choice("Deleted from what the decoder hears", DELETED)
    lag = _cut(
        "Lag deleted", lambda self: 2 * YEAR, "lags", bound="24", help="12 stands for 12, 24 and 36 months before each."
    )
    start = _cut("Span begins, months back", lambda self: self.design.context, "span", bound="the months read")
    length = _cut("Months in the span", lambda self: self.design.context - 1, "span", bound="all but one")

    def __init__(
        self,
        model: Forecaster,
        logs: pd.DataFrame,
        *,
        first: Label = "2010-01",
        query: Label = 0,
        units: str = "thousands",
        rival: PooledLinear | None = None,
        **kit: Any,
    ) -> None:
        from regattn.series.windows import seasonal_scale  # torch: only where there is a model
        from regattn.transformer._halves import in_halves, travelling

        self.design = _check_design(model)
        self.rival = None if rival is None else in_halves(_check_rival(rival, self.design))
        rounded = in_halves(model)
        self.weights = {name: value.numpy() for name, value in rounded.state_dict().items()}
        table, at = _check_logs(logs, first, self.design)
        self.before = self.design.context
        self.scale = pd.Series(seasonal_scale(table.iloc[:at]), table.columns)
        if not (self.scale > 0).all():
            raise ValueError(f"logs must vary from year to year before {first}, got none in {self.scale.idxmin()!r}")
        self.logs = table.iloc[at - self.before :]
        names = check_labels(list(table.columns), table.shape[1], "columns of logs", rows="columns")
        labels = [str(date) for date in self.logs.index]
        data = {
            "model": travelling(rounded) | {"width": self.design.width, "heads": self.design.n_heads},
            "rival": self.rival and travelling(self.rival),
            "layers": self.design.layers,
            "levels": list(self.design.levels),
            "context": self.before,
            "steps": self.design.horizon,
            "names": names,
            "logs": self.logs.to_numpy().T,
            "scale": self.scale.to_numpy(),
            "months": self.logs.index.month.to_numpy() - 1,
            "dates": labels,
            "labels": labels[self.before - 1 :],
            "units": units,
        }
        alt = (
            f"A forecast of {self.design.horizon} months of one of {len(names)} series, as a fan of quantiles beside "
            "what came and a forecast without a parameter; the weights of the cross-attention on the months before, by "
            "month, by lag and by head; and the forecast and its error when some of those months are deleted."
        )
        super().__init__(**{"data": data, "alt": alt, "query": query, "presets": PRESETS} | kit)

    def _keep(self) -> np.ndarray:
        """Return whether each month ahead hears each month of the past, shape (h, C)."""
        from regattn.series.windows import lag_visibility

        C, h = self.before, self.design.horizon
        if self.deleted == "lags":
            return lag_visibility(self.lag + SEASONS - YEAR, context=C, horizon=h)
        back = np.arange(C, 0, -1)  # months back from the origin
        gone = (back <= self.start) & (back > self.start - self.length) & (self.deleted == "span")
        return np.tile(~gone, (h, 1))

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            The ``quantiles`` of each month ahead (h × Q) in units of the series, the median ``before`` anything was
            deleted, and the ``sceptic``, the same month last year plus the change over the last year; the ``weights``
            of the chosen head and month on the past, that head's mean weight on each lag from 1 to C + h - 1,
            ``by_lag``, and on each month before the last one read, ``by_place``, and what every head gives to lags 12,
            24 and 36 together, ``masses``. Of the chosen month that ``mass``, and what it is by ``chance``, with equal
            weights on all it hears, and the ``change``, its weight on the months one and two years before the last one
            read; the ``mase`` of the median, that ``mase_before`` the deletion, ``mase_rival`` (None without one) and
            ``mase_naive``, of the sceptic; and how many months are ``covered`` by the widest band.
        """
        from regattn.series.forecasting import forecast_quantiles
        from regattn.series.in_numpy import forecast_pass
        from regattn.series.windows import Windows, drift_forecasts, lag_visibility, normalise

        C, h, at = self.before, self.design.horizon, self.horizon - 1
        y = self.logs[self.series].to_numpy()[self.query : self.query + C + h]
        month = int(self.logs.index[self.query + C].month) - 1
        x, level, size = normalise(y[:C])
        keep, seasonal = self._keep(), ~lag_visibility(SEASONS, context=C, horizon=h)
        now, before = (forecast_pass(self.weights, x, month, design=self.design, keep=k) for k in (keep, None))
        fan, whole = (np.sort(found.outputs, axis=1) * size + level for found in (now, before))
        median = len(self.design.levels) // 2
        windows = Windows(*(np.array([part]) for part in (y[:C], y[C:], 0, C, month)))
        paths = {"mase": fan[:, median], "mase_before": whole[:, median], "mase_naive": drift_forecasts(windows)[0]}
        if self.rival is not None:
            paths["mase_rival"] = forecast_quantiles(self.rival, windows)[0, :, median]
        weights, lags = now.cross[self.head - 1], C + np.arange(h)[:, None] - np.arange(C)
        mase = {name: float(np.abs(path - y[C:]).mean() / self.scale[self.series]) for name, path in paths.items()}
        return {"mase_rival": None, **mase} | {
            "quantiles": np.exp(fan).tolist(),
            "before": np.exp(whole[:, median]).tolist(),
            "sceptic": np.exp(paths["mase_naive"]).tolist(),
            "weights": weights[at].tolist(),
            "by_lag": (np.bincount(lags.ravel(), weights.ravel())[1:] / h).tolist(),
            "by_place": weights.mean(axis=0)[::-1].tolist(),
            "masses": (now.cross * seasonal).sum(axis=2).mean(axis=1).tolist(),
            "mass": float(weights[at] @ seasonal[at]),
            "change": float(weights[at][::-1][[back for back in (YEAR, 2 * YEAR) if back < C]].sum()),
            "chance": float((seasonal & keep)[at].sum() / keep[at].sum()),
            "covered": int(((fan[:, 0] <= y[C:]) & (y[C:] <= fan[:, -1])).sum()),
        }


def _place(month: Any, months: pd.PeriodIndex, name: str) -> int:
    """Return where a month stands, or raise a ValueError that names it."""
    if not isinstance(month, str | pd.Period):
        raise ValueError(f"{name} must be a month, got {month!r}")
    return place_of(pd.Period(month, freq="M"), months)


def _check_design(model: Any) -> Any:
    """Return the design of a forecaster that the page can run; raise a ValueError that names what is another."""
    from regattn.series.forecaster import Forecaster

    if not isinstance(model, Forecaster):
        raise ValueError(f"model must be a Forecaster, got {type(model).__name__}")
    design = model.design
    if design.period != YEAR or not design.horizon <= YEAR < design.context:
        found = f"period {design.period}, horizon {design.horizon} and context {design.context}"
        raise ValueError(f"a page shows models of months, period 12, horizon ≤ 12 and context > 12, got {found}")
    if 0.5 not in design.levels or len(design.levels) % 2 == 0 or len(design.levels) < 3:
        raise ValueError(f"levels must be three or more with 0.5 in their middle, got {design.levels}")
    return design


def _check_rival(rival: Any, design: Any) -> Any:
    """Return a linear model of the same windows and quantiles; raise a ValueError that names what is another."""
    from regattn.series.forecasting import PooledLinear

    if not isinstance(rival, PooledLinear):
        raise ValueError(f"rival must be a PooledLinear, got {type(rival).__name__}")
    for name in ("context", "horizon", "levels", "period"):
        ours, theirs = getattr(design, name), getattr(rival.design, name)
        if ours != theirs:
            raise ValueError(f"rival must have the model's {name}, {ours}, got {theirs}")
    return rival


def _check_logs(logs: Any, first: Any, design: Any) -> tuple[pd.DataFrame, int]:
    """Return a table of months whose numbers can be shown, and the place of the first month that may be forecast."""
    table = check_series(logs, "logs")
    if not isinstance(table.index, pd.PeriodIndex) or table.index.freqstr != "M":
        raise ValueError(f"logs must be indexed by months, got an index of {table.index.dtype}")
    if not table.columns.is_unique:
        raise ValueError(f"columns of logs must differ, got {list(table.columns)}")
    if (largest := float(table.abs().to_numpy().max())) > LARGEST:
        raise ValueError(f"logs must be logarithms, of at most {LARGEST:g} in size, got {largest:g}")
    at = _place(first, table.index, "first")
    if not design.context <= at <= len(table) - design.horizon:
        needed = f"{design.context} months before {first} and {design.horizon} from it on"
        raise ValueError(f"logs must have {needed}, got {at} and {len(table) - at}")
    return table, at
