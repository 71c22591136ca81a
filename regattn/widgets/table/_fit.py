"""The package's own answer to what the page computes: six models as weights on outcomes."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from regattn import attention_weights
from regattn.kernels import nearest
from regattn.regression import spectrum
from regattn.widgets.table._design import NEIGHBOURS

KNOBS = {
    "ridge": "ridge",
    "components": "rank",
    "neighbours": "neighbours",
    "gaussian": "temperature",
    "softmax": "temperature",
}
STEPS = ("1", "1.5", "2", "3", "5", "7")
ALIKE = 1e-9  # difference of two singular values that are one
SINGLE = 1 - 1e-10  # leverage of a row without which a fit is not determined


def powers(low: int, high: int) -> list[float]:
    """Return 1, 1.5, 2, 3, 5, 7 times the powers of ten from ``low`` to below ``high``."""
    return [float(f"{step}e{power}") for power in range(low, high) for step in STEPS]


class Fit:
    """Rows X with outcomes y, standardised, and the weights and errors that six models have there."""

    def __init__(self, X: np.ndarray, y: np.ndarray) -> None:
        self.y, self.n = y, len(y)
        self.mean = X.mean(axis=0)
        spread = X.std(axis=0)
        varied = spread > 1e-12 * np.abs(X).max(axis=0, initial=0)
        self.spread = np.where(varied, spread, np.inf)
        self.Z = self.code(X)
        self.spectrum = spectrum(self.Z) if varied.any() and self.n > 1 else None

    def code(self, rows: np.ndarray) -> np.ndarray:
        """Return rows in standard deviations from the mean."""
        return (rows - self.mean) / self.spread

    @property
    def rank(self) -> int:
        """Number of directions of the predictors."""
        return 0 if self.spectrum is None else self.spectrum.rank

    @cached_property
    def ends(self) -> np.ndarray:
        """Where the run of directions of one size ends that each stands in: they are kept or left together."""
        values = self.spectrum.singular_values
        last = np.r_[values[1:] <= values[:-1] * (1 - ALIKE), True]
        stops = np.flatnonzero(last) + 1
        return stops[np.searchsorted(stops, np.arange(self.rank), side="right")]

    def linear(self, model: str, knob: Any) -> dict[str, Any]:
        """Return penalty and rank as the methods of a spectrum take them."""
        return {
            "ridge": knob if model == "ridge" else 0.0,
            "rank": int(self.ends[min(knob, self.rank) - 1]) if model == "components" else None,
        }

    def weights(self, model: str, knob: Any, *, row: np.ndarray, place: int | None = None) -> np.ndarray:
        """Return the weight of every outcome for a row, shape (n,); ``place`` is where it stands if it is one of them.

        Of its own rows it knows the orthonormal codes, which keep digits that those of a new row lose.
        """
        if self.spectrum is None:
            return np.full(self.n, 1 / self.n)
        if model in ("neighbours", "gaussian", "softmax"):
            return self._similar(model, knob, self.code(row)[None])[0]
        how = self.linear(model, knob)
        queries = (
            self.spectrum.codes(**how)[[place]]
            if place is not None
            else self.spectrum.codes(self.code(row)[None], **how)
        )
        return 1 / self.n + attention_weights(queries, self.spectrum.codes(**how), kernel="identity")[0]

    def _similar(self, model: str, knob: Any, queries: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
        if model != "neighbours":
            kernel = "softmax" if model == "softmax" else "gaussian"
            return attention_weights(queries, self.Z, kernel=kernel, scale=1 / knob, mask=mask)
        apart = np.stack([-0.5 * ((self.Z - query) ** 2).sum(axis=1) for query in queries]).round(9)
        return nearest(min(knob, self.n - (mask is not None))).weights(apart, mask)

    @cached_property
    def _others(self) -> np.ndarray:
        return ~np.eye(self.n, dtype=bool)

    def left_out(self, model: str, knob: Any) -> float | None:
        """Return the root mean square of the errors at each row from the others, or None where a row stands alone."""
        if self.n < 2:
            return None
        if self.spectrum is None:
            residuals = (self.y - self.y.mean()) / (1 - 1 / self.n)
        elif model in ("neighbours", "gaussian", "softmax"):
            residuals = self.y - self._similar(model, knob, self.Z, self._others) @ self.y
        else:
            how = self.linear(model, knob)
            if self.spectrum.leverage(**how).max() >= SINGLE:
                return None
            residuals = self.spectrum.loo_residuals(self.y, **how)
        return float(np.sqrt(np.mean(residuals**2)))

    def tried(self, model: str) -> list[Any]:
        """Return what leave-one-out tries."""
        if model == "ridge":
            return [*powers(-6, 6), 1e6]
        if model == "components":
            return list(range(1, self.rank + 1))
        if model == "neighbours":
            return list(range(1, min(NEIGHBOURS, self.n - 1) + 1))
        return [*powers(-2, 2), 100.0]

    def best(self, model: str, otherwise: Any) -> tuple[Any, bool]:
        """Return the knob with the smallest leave-one-out error, and whether there is one."""
        if model == "least squares" or self.spectrum is None or self.n < 3:
            return otherwise, False
        errors = [self.left_out(model, knob) for knob in self.tried(model)]
        merits = [0.0 if error is None else 1 / max(error, 1e-300) for error in errors]
        if not any(merits):
            return otherwise, False
        return self.tried(model)[next(k for k, merit in enumerate(merits) if merit >= max(merits) * (1 - 1e-9))], True

    def summary(self, model: str, knob: Any) -> dict[str, Any]:
        """Return degrees of freedom, shares kept of each direction, and both errors of the fit of all rows."""
        if self.spectrum is None:
            hat, kept = np.full((self.n, self.n), 1 / self.n), np.empty(0)
            dof = 1.0
        elif model in ("neighbours", "gaussian", "softmax"):
            hat = self._similar(model, knob, self.Z)
            U = self.spectrum.scores
            dof, kept = float(np.trace(hat)), np.einsum("ik,ij,jk->k", U, hat, U, optimize=True)
            kept = np.array([kept[self.ends == end].mean() for end in self.ends])
        else:
            how = self.linear(model, knob)
            hat, kept = self.spectrum.weights(**how), self.spectrum.filter(**how)
            dof = float(self.spectrum.effective_dof(**how))
        error = float(np.sqrt(np.mean((self.y - hat @ self.y) ** 2)))
        return {"dof": dof, "kept": kept.tolist(), "error": error, "loo": self.left_out(model, knob)}
