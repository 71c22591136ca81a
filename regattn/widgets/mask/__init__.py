"""The MaskExplorer: what a date of an autoregression may know, and what moves when the future is changed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from regattn._types import Label
from regattn._validation import check_count
from regattn.attention import attention_weights
from regattn.masks import causal_mask, others_mask
from regattn.regression.least_squares import spectrum
from regattn.series._dates import as_table, place_of
from regattn.series.expanding import expanding_least_squares
from regattn.series.time_attention import Autoregression, autoregression
from regattn.widgets._kit import Choice, Count, Explorer, Seed, check_labels
from regattn.widgets._kit.page_rng import mulberry32

__all__ = ["MaskExplorer"]

MASKS = {
    "none": "none: all dates",
    "others": "others: all but itself",
    "causal": "causal: itself and before",
    "own": "before, each date its own Ω",
}
KERNELS = {"identity": "identity: least squares", "softmax": "softmax of n times the weight"}
SHOCK = 6.0  # width of the shocks, in standard deviations of the series
STILL = 1e-9  # share of a standard deviation; what moves by less does not move


class MaskExplorer(Explorer, panels=["fit", "history", "weights"]):
    r"""Show an autoregression behind a mask: what a date hears of past and future, and what a changed future moves.

    .. math:: \hat y_t = \sum_{\tau \in M_t} w_{t\tau}\, y_\tau, \qquad
              w_{t\tau} = \frac{a_{t\tau}}{\sum_{\tau' \in M_t} a_{t\tau'}}
              \quad\text{or}\quad \operatorname{softmax}_{\tau \in M_t}(n\, a_{t\tau})

    where A is the map of the whole sample or, with Ω of its own, each date's row from the sample before it. Implements
    :eq:`masked-fit` and :eq:`causal-omega-fit`; source: eqs. (34)-(35) of [GC]_. A row whose weights sum to zero
    exactly is left at zero.

    Parameters
    ----------
    series : DataFrame of shape (T, 1), indexed by date
        Oldest first, without gaps.
    max_lag : int, default 1
        Lags of the autoregression, which has an intercept.
    known : int, default 12
        Dates with a full past that lie before the first one that can ask.
    query : int or label of the index, default 0
        The date that asks: counted from the first that can, or its label.
    units : str
        Units of the series.

    Raises
    ------
    ValueError
        If ``series`` is not what :func:`regattn.series.autoregression` takes, has more than one column or too few dates
        for ``known``, does not vary before the first date that can ask, or if a control is out of its range.

    Examples
    --------
    >>> series = pd.DataFrame({"x": [1.0, 2.0, 4.0, 3.0, 5.0, 4.0, 6.0]})
    >>> explorer = MaskExplorer(series, known=3, query=1)
    >>> round(explorer.result()["ahead"], 3)
    0.211
    >>> explorer.mask = "own"
    >>> explorer.shock = 1
    >>> explorer.result()["ahead"], explorer.result()["moved"]
    (0.0, 0.0)
    """

    mask = Choice("Mask", MASKS, first=True)
    kernel = Choice("Kernel", KERNELS)
    query = Count(
        "Date that asks",
        most=lambda self: len(self.series) - self.max_lag - self.known - 1,
        bound="the last date",
        names="labels",
        find=lambda self, label: place_of(label, self.series.index[self.max_lag + self.known :]),
        wide=True,
        help="Counted from the first date that can ask.",
    )
    shock = Seed(
        "Shock the future", least=0, help="The number of a draw for all that comes after the date; 0: none.", first=True
    )

    def __init__(
        self, series: pd.DataFrame, *, max_lag: int = 1, known: int = 12, query: Label = 0, units: str = "", **kit: Any
    ) -> None:
        model = autoregression(series, max_lag=max_lag)
        series = as_table(series, "series")
        if series.shape[1] != 1:
            raise ValueError(f"series must have one column, got {series.shape[1]}: {list(series.columns)}")
        dates, known = model.past.index, check_count(known, "known")
        X, y = model.past.to_numpy(), model.present.iloc[:, 0].to_numpy()
        expanding_least_squares(X, y, start=known)  # refuses what cannot be shown
        self.series, self.max_lag, self.known = series.astype(float), model.max_lag, known
        labels = check_labels(list(dates), len(dates), "dates of series", rows="rows")
        name = check_labels(list(series.columns), 1, "columns of series", rows="columns")[0]
        data = {
            "series": self.series.iloc[:, 0].to_numpy(),
            "name": name,
            "dates": labels,
            "labels": labels[known:],
            "max_lag": self.max_lag,
            "known": known,
            "width": SHOCK * float(self.series.iloc[:, 0].std(ddof=0)),
            "units": units,
        }
        alt = (
            f"An autoregression of {name} on its past, {len(labels)} dates from {labels[0]} to {labels[-1]}, behind a "
            "mask: the weight that one date gives those before and after it, and the fit before and after the future "
            "is changed."
        )
        super().__init__(**{"data": data, "alt": alt, "query": query} | kit)

    def _shocked(self) -> pd.DataFrame:
        """Return the series with other values after the date that asks."""
        moved, first = self.series.copy(), self.query + self.known + self.max_lag + 1
        if self.shock:
            uniform = mulberry32(self.shock)
            noise = [self.data["width"] * (next(uniform) - 0.5) for _ in range(first, len(moved))]
            moved.iloc[first:, 0] += noise
        return moved

    def _attention(self, series: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """Return the weights of the dates that can ask, (n - known, n), and what the mask left of each row's sum."""
        model = autoregression(series, max_lag=self.max_lag)
        n, kept = len(model.past), slice(self.known, None)
        if self.mask == "own":
            return self._by_own_omega(model), np.ones(n - self.known)
        masks = {"none": np.ones((n, n), dtype=bool), "others": others_mask(n), "causal": causal_mask(n)}
        allowed = masks[self.mask]
        if self.kernel == "softmax":
            codes = model.spectrum.codes()
            left = np.where(allowed, attention_weights(codes, codes, scale=n), 0.0).sum(axis=1)
            return attention_weights(codes, codes, scale=n, mask=allowed)[kept], left[kept]
        weights = np.where(allowed, model.weights().to_numpy(), 0.0)
        left = weights.sum(axis=1, keepdims=True)
        return np.divide(weights, left, where=left != 0, out=np.zeros_like(weights))[kept], left[kept, 0]

    def _by_own_omega(self, model: Autoregression) -> np.ndarray:
        X, n = model.past.to_numpy(), len(model.past)
        if self.kernel == "identity":
            return expanding_least_squares(X, model.present.iloc[:, 0].to_numpy(), start=self.known).weights()
        weights = np.zeros((n - self.known, n))
        for t in range(self.known, n):
            before = spectrum(X[:t], centre=True)
            weights[t - self.known, :t] = attention_weights(before.codes(X[[t]]), before.codes(), scale=t)[0]
        return weights

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            The ``weights`` of the date that asks on all n dates; for the dates that can ask, the fit ``before`` the
            shock and the ``fitted`` values after it. Besides ``prediction`` and ``observed``, what the mask ``left`` of
            the sum of weights before it was divided by, the share of their sizes that lies ``ahead``, by how much a fit
            up to the date has ``moved`` at most, and ``how_many`` of them have.
        """
        at, p = self.query, self.max_lag
        shocked = self._shocked()
        (weights, left), (old, _) = self._attention(shocked), self._attention(self.series)
        fitted, before = (w @ s.iloc[p:, 0].to_numpy() for w, s in ((weights, shocked), (old, self.series)))
        step = np.abs(fitted - before)[: at + 1]
        step[step <= STILL * self.data["width"] / SHOCK] = 0.0
        row = weights[at]
        size = np.abs(row).sum()
        return {
            "weights": row.tolist(),
            "before": before.tolist(),
            "fitted": fitted.tolist(),
            "prediction": float(fitted[at]),
            "observed": float(self.series.iloc[at + self.known + p, 0]),
            "left": float(left[at]),
            "ahead": float(np.abs(row[at + self.known + 1 :]).sum() / size) if size else 0.0,
            "moved": float(step.max()),
            "how_many": int((step > 0).sum()),
        }
