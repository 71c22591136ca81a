"""The nested model as statsmodels wants it: matrices, variances, where to begin the search for them."""

from __future__ import annotations

import numpy as np
from statsmodels.tsa.statespace.mlemodel import MLEModel

__all__ = ["NestedLevels"]

SMALLEST = 1e-11  # statsmodels takes forecasts whose variance is a tenth of this for certain
ROUNDING = 1e-13  # of the largest value of a series, below which its changes differ by rounding


class NestedLevels(MLEModel):
    """An observed level and the states behind it, each a random walk driven by the next; diffuse at the start."""

    def __init__(self, endog: np.ndarray, transition: np.ndarray, names: list[str], **kit: object) -> None:
        layers = len(transition)
        there = endog[np.isfinite(endog)]
        self._scale = _scale(np.diff(there), np.abs(there).max())
        if self._scale < SMALLEST:
            raise ValueError(f"series changes by about {np.sqrt(self._scale):.0e} from date to date; change its units")
        super().__init__(endog, k_states=layers, k_posdef=layers, initialization="diffuse", **kit)
        self["design"] = np.eye(1, layers)
        self["transition"] = transition
        self["selection"] = np.eye(layers)
        self.ssm.tolerance = 0  # gains are computed at every date, not taken to be constant once they hardly change
        self._names = names
        self._init_keys += ["transition", "names"]
        self._init_kwargs = {"transition": transition, "names": names}

    def clone(self, endog: np.ndarray, **kit: object) -> NestedLevels:
        """Return the same model of another series, of which some may be missing at the end."""
        return self._clone_from_init_kwds(endog, **kit)

    @property
    def param_names(self) -> list[str]:
        """The names of the variances."""
        return self._names

    @property
    def start_params(self) -> np.ndarray:
        """Half of the variance of changes for noise and level, a tenth as much for every further layer."""
        return self._scale * np.array([0.5, 0.5, 0.05, 0.005])[: len(self._names)]

    def transform_params(self, unconstrained: np.ndarray) -> np.ndarray:
        """Square, so that no variance is negative, in units of the changes, so that a search knows no others."""
        return np.square(unconstrained) * self._scale

    def untransform_params(self, constrained: np.ndarray) -> np.ndarray:
        """Take roots."""
        return np.sqrt(constrained / self._scale)

    def update(self, params: np.ndarray, **kit: object) -> None:
        """Put the variances into the matrices."""
        variances = super().update(params, **kit)
        self["obs_cov", 0, 0] = variances[0]
        self["state_cov"] = np.diag(variances[1:])


def _scale(changes: np.ndarray, largest: float) -> float:
    """Return the variance of changes, or what stands in for it where they do not vary beyond rounding."""
    found = float(np.var(changes))
    return found if found > (ROUNDING * largest) ** 2 else float(np.mean(changes**2)) or 1.0
