"""The DepthExplorer: layers that attend within units to what a pooled line leaves over, from pooled to local."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from regattn._tables import read_table, read_targets
from regattn._text import check_text
from regattn._validation import check_count
from regattn.attention import attention_weights
from regattn.series.panels import panel_weights
from regattn.widgets._kit import Choice, Count, Explorer, Slider, Tick, check_labels

__all__ = ["DepthExplorer"]

ROWS_DEEPEST = 40  # layers that rows themselves go through: with a residual connection they double in size at each
SPREADS = {"pooled": 0.0, "local": math.inf, "partial": 1.0}  # of lines between units, as multiples of the noise
KERNELS = {"identity": "identity: inner products", "softmax": "softmax: averages (scores over √p)"}


class DepthExplorer(Explorer, panels=["error", "apart", "units"]):
    r"""Show depth as a dial between one line for all units and a line for each, and what it makes of the rows.

    .. math:: \hat y^{(\ell+1)} = \hat y^{(\ell)} + \eta\, K \bigl(y - \hat y^{(\ell)}\bigr)

    K holds the inner products of rows, or the softmax of these over √p, two units masked. Layer 0 is the pooled line;
    each further one attends to what is left over. Every date is predicted from the few before it. Beside it the rows
    that are known at one date go through such layers themselves, queries, keys and values at once. Implements
    :eq:`residual-layer`; source: §4.5 of [GC]_, and the correction in the ledger.

    Parameters
    ----------
    X : array of shape (n, p)
        Inputs, one row per unit and date, with a column of ones.
    y : array of shape (n,)
        Targets.
    units, dates : arrays of shape (n,)
        Whose row it is, and whole numbers that count dates.
    known : int, default 4
        Dates before each prediction that are known; each unit needs as many rows there as X has columns.
    since : int, optional
        The first date to predict; by default the first with ``known`` dates before it.
    deepest : int, default 4096
        The largest number of layers; the depths shown are 0, 1, 2, 4, 8, … and 5, 10, 20, 40, …
    target : str, default "target"
        What is predicted, in words and units.

    Raises
    ------
    ValueError
        If shapes do not match, a unit has too few known rows, or a control is out of its range.

    Examples
    --------
    >>> X, dates = np.ones((6, 1)), [1, 1, 2, 2, 3, 3]
    >>> explorer = DepthExplorer(X, [1.0, 3.0, 1.0, 3.0, 1.0, 3.0], list("ababab"), dates, known=2, layers=1)
    >>> [round(error, 9) for error in explorer.result()["errors"]]
    [1.0, 0.0]
    """

    residual = Tick(
        "residual connection",
        default=True,
        help="Whether a layer adds to what the layers before made.",
        waits=True,
        first=True,
    )
    layers = Count(
        "Layers",
        most=lambda self: len(self.depths) - 1,
        bound="the deepest",
        names="labels",
        play=2,
        runs=False,
        help="Which depth, counted along 0, 1, 2, 4, 5, 8, 10, 16, 20, 32, 40, and so on.",
        first=True,
    )
    time = Count("Date shown", most=lambda self: len(self.tasks) - 1, bound="the last date", names="times")
    kernel = Choice("Kernel", KERNELS, waits=True)
    mask = Tick("only within a unit", default=True, help="Whether rows of other units are masked.", waits=True)
    step = Slider(
        "Step η, share of the largest",
        0.02,
        1,
        default=1.0,
        step=0.02,
        help="Size of a layer's step; the largest is one over the largest eigenvalue of K, which is 1 for softmax.",
        waits=True,
    )

    def __init__(  # noqa: PLR0913
        self,
        X: ArrayLike,
        y: ArrayLike,
        units: ArrayLike,
        dates: ArrayLike,
        *,
        known: int = 4,
        since: int | None = None,
        deepest: int = 4096,
        target: str = "target",
        **kit: Any,
    ) -> None:
        X, index, _ = read_table(X, "X")
        y = read_targets(y, len(X), index=index).values
        units, dates = np.asarray(units, dtype=object), np.asarray(dates)
        for name, given in (("units", units), ("dates", dates)):
            if given.shape != (len(X),):
                raise ValueError(f"{name} has shape {given.shape}, need one for each of {len(X)} rows")
        unknown = pd.isna(units)
        if unknown.any():
            raise ValueError(f"units must be known, got {units[unknown][0]} in row {int(np.argmax(unknown))}")
        if dates.dtype.kind not in "iu":
            raise ValueError(f"dates must be whole numbers, got dtype {dates.dtype}")
        known, deepest = check_count(known, "known"), check_count(deepest, "deepest")
        doubling = [first * 2**power for first in (1, 5) for power in range(deepest.bit_length())]
        self.depths = [0, *sorted(depth for depth in doubling if depth <= deepest)]
        first = int(dates.min()) + known
        times = [int(date) for date in np.unique(dates) if date >= (first if since is None else max(first, since))]
        if not times:
            raise ValueError(f"no date is left to predict from {known} before it")
        names = list(dict.fromkeys(units.tolist()))
        texts = [str(name) for name in names]
        labels = [repr(name) if texts.count(text) > 1 else name for name, text in zip(names, texts, strict=True)]
        self.tasks = [_task(X, y, units, dates, time, known) for time in times]
        ends = {}
        for end in SPREADS:
            missed = np.concatenate([task[end] - task["y_new"] for task in self.tasks])
            ends[f"{end}_error"] = math.sqrt(np.mean(missed**2))
        shown = ("asks", "y_new", "pooled", "X", "unit", "left", "gap")
        data = {
            "tasks": [{key: task[key] for key in shown} for task in self.tasks],
            "depths": self.depths,
            "rows_depths": self._rows_depths(),
            "target": check_text(target, "target"),
            "labels": [str(depth) for depth in self.depths],
            "names": check_labels(labels, len(labels), "units", rows="units"),
            "times": [str(time) for time in times],
            **ends,
        }
        alt = (
            f"Layers of attention within {len(names)} units, from one line for all to a line for each: the error for "
            f"{target} on the dates {times[0]} to {times[-1]}, each predicted from the {known} before; what tells rows "
            "apart that go through such layers; and the predictions of one date."
        )
        super().__init__(**{"data": data, "alt": alt} | kit)

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package's attention rather than by the browser.

        Returns
        -------
        dict
            ``errors`` on the predicted dates and ``distances`` from the local fit (1 at the pooled line) after 0, 1, …
            layers; how far ``apart`` rows are that went through as many, up to 40: the size of their differences from
            the mean row, as a share of the size of all; the ``predictions`` of the date shown; ``pooled_error``,
            ``local_error``, and ``partial_error`` of partial pooling with a spread of 1.
        """
        found = self._walk(self.layers) | {"apart": self._apart(self.layers)}
        return {key: np.asarray(value).tolist() for key, value in found.items()}

    def _rows_depths(self) -> list[int]:
        return [depth for depth in self.depths if depth <= ROWS_DEEPEST]

    def _apart(self, layers: int) -> list[float]:
        depths, task = self._rows_depths()[: layers + 1], self.tasks[self.time]
        rows, mask = task["X"], task["unit"][:, None] == task["unit"] if self.mask else None
        found = []
        for depth in range(depths[-1] + 1):
            if depth in depths:
                found.append(float(np.linalg.norm(rows - rows.mean(axis=0)) / np.linalg.norm(rows)))
            weights = attention_weights(rows, rows, kernel=self.kernel, mask=mask)
            heard = self.step / self._largest(weights) * weights @ rows
            rows = rows + heard if self.residual else heard
        return found

    def _largest(self, weights: np.ndarray) -> float:
        """Return the largest eigenvalue of the weights of rows on rows; rows of a softmax sum to one."""
        return float(np.linalg.eigvalsh(weights).max()) if self.kernel == "identity" else 1.0

    def _walk(self, layers: int) -> dict[str, Any]:
        depths = self.depths[: layers + 1]
        squares, far = np.zeros(layers + 1), np.zeros(layers + 1)
        for k, task in enumerate(self.tasks):
            X, unit = task["X"], task["unit"]
            masks = {part: task[part][:, None] == unit if self.mask else None for part in ("unit", "unit_new")}
            within = attention_weights(X, X, kernel=self.kernel, mask=masks["unit"])
            across = attention_weights(task["X_new"], X, kernel=self.kernel, mask=masks["unit_new"])
            eta, fit, guess = self.step / self._largest(within), np.zeros(len(X)), np.zeros(len(across))
            for depth in range(depths[-1] + 1):
                if depth in depths:
                    far[depths.index(depth)] += ((task["gap"] - fit) ** 2).sum()
                    squares[depths.index(depth)] += ((task["y_new"] - task["pooled"] - guess) ** 2).sum()
                if depth < depths[-1]:
                    left = eta * (task["left"] - fit)
                    heard, told = within @ left, across @ left
                    fit, guess = (fit + heard, guess + told) if self.residual else (heard, told)
            if k == self.time:
                predictions = task["pooled"] + guess
        count = sum(len(task["y_new"]) for task in self.tasks)
        whole = sum((task["gap"] ** 2).sum() for task in self.tasks)
        return {
            "errors": np.sqrt(squares / count),
            "distances": np.sqrt(far / whole),
            "predictions": predictions,
            **{f"{end}_error": self.data[f"{end}_error"] for end in SPREADS},
        }


def _task(X: np.ndarray, y: np.ndarray, units: np.ndarray, dates: np.ndarray, time: int, known: int) -> dict[str, Any]:
    """Return what is known before a date and what is asked at it, with the pooled and the local fit."""
    names = list(dict.fromkeys(units.tolist()))
    unit = np.array([names.index(name) for name in units.tolist()])
    rows, new = (dates < time) & (dates >= time - known), dates == time
    ends = {}
    for end, spread in SPREADS.items():
        ends[end] = np.empty(len(X))
        for part in (rows, new):
            ends[end][part] = panel_weights(X[rows], units[rows], X[part], units[part], spread=spread) @ y[rows]
    return {
        "asks": [{"unit": u, "x": x} for u, x in zip(unit[new].tolist(), X[new], strict=True)],
        "X": X[rows],
        "unit": unit[rows],
        "left": y[rows] - ends["pooled"][rows],
        "gap": ends["local"][rows] - ends["pooled"][rows],
        "X_new": X[new],
        "unit_new": unit[new],
        "y_new": y[new],
        **{end: fit[new] for end, fit in ends.items()},
    }
