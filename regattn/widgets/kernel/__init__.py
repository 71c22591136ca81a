"""The KernelExplorer: one row of attention weights and the curve that attention draws, while the kernel changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from regattn._tables import read_targets, read_vector
from regattn._validation import check_count, check_matrix
from regattn.attention import attend, attention_weights
from regattn.kernels import Kernel, nearest
from regattn.masks import others_mask
from regattn.regression._heads import guarded_kernel
from regattn.widgets._kit import Choice, Count, Explorer, Slider, Tick, check_labels, label_place, name_of

__all__ = ["KernelExplorer"]

COOLING = 10.0 ** np.arange(3, -7.25, -0.25)  # temperatures at which the way from hot to cold is drawn, all there are
WEIGHING = ["softmax", "gaussian", "relu", "elu", "nearest"]  # all but least squares, which stays what it is


def _standardised_codes(x: np.ndarray) -> np.ndarray:
    r"""Return the codes (1, z) with z the standardised x, for which :math:`F^\top F = n I`.

    Examples
    --------
    >>> _standardised_codes(np.array([1.0, 2.0, 3.0])).round(3)
    array([[ 1.   , -1.225],
           [ 1.   ,  0.   ],
           [ 1.   ,  1.225]])
    """
    return np.column_stack([np.ones(len(x)), (x - x.mean()) / x.std()])


class KernelExplorer(Explorer, panels=["curve", "cooling", "weights"]):
    r"""Show self-attention on one predictor: the weights of one query, and the fit at every observation.

    .. math:: \hat y_j = \sum_i \omega_{ji}\, y_i, \qquad \omega_{ji} = g(\tau \langle F_j, F_i\rangle)

    Queries and keys are the same rows. The dashed curve is the Gaussian smoother of the same keys: softmax joins it
    when all keys have one length. Implements :eq:`kernel-smoother`; source: eq. (16) of [GC]_.

    Parameters
    ----------
    x, y : arrays of shape (n,)
        The predictor and the target.
    codes : callable, default :func:`_standardised_codes`
        Turns x into codes of shape (n, d).
    neighbours : int, default 10
        k of the nearest kernel, from 1 to n - 1.
    labels : sequence of str, optional
        Names of the observations; by default those of a Series.
    x_label, y_label : str, optional
        Names of the axes, with units; by default those of Series.
    cooling : bool, default False
        Whether a panel draws the error over all at every temperature from the hottest down to the one chosen.

    Raises
    ------
    ValueError
        If shapes disagree, x is constant, an entry is not finite, or a control is out of its range.

    Examples
    --------
    >>> explorer = KernelExplorer([1.0, 2.0, 3.0], [1.0, 2.0, 6.0], kernel="identity", query=2)
    >>> round(explorer.result()["prediction"], 6)  # least squares
    5.5
    >>> explorer.kernel, explorer.neighbours, explorer.include_self = "nearest", 1, False
    >>> explorer.result()["prediction"]
    2.0
    """

    kernel = Choice(
        "Kernel",
        {
            "identity": "identity",
            "nearest": "nearest",
            "relu": "ReLU",
            "elu": "ELU",
            "gaussian": "Gaussian",
            "softmax": "softmax",
        },
        default="softmax",
        help="What turns scores, inner products of codes, into weights. The identity kernel divides scores by n, so "
        "that on orthogonal codes it is least squares, whichever boxes are ticked. The Gaussian takes distances. ReLU "
        "and ELU are divided by their sum; where that cannot be done, a row is uniform.",
        first=True,
    )
    temperature = Slider(
        "Temperature 1/τ",
        1e-7,
        1e3,
        default=1.0,
        log=True,
        used={"kernel": ["softmax", "gaussian", "elu"]},
        help="Scores are divided by it: hot spreads the weight evenly, cold picks one observation.",
        first=True,
    )
    query = Count(
        "Query observation",
        most=lambda self: len(self.y) - 1,
        bound="the last row",
        names="labels",
        find=lambda self, label: label_place(label, self.data["labels"]),
        help="The observation that asks: its place after sorting by x, or its label.",
    )
    neighbours = Count(
        "Neighbours k",
        least=1,
        most=lambda self: len(self.y) - 1,
        bound="the other rows",
        used={"kernel": ["nearest"]},
    )
    include_self = Tick(
        "include self",
        default=True,
        used={"kernel": WEIGHING},
        help="Whether an observation may attend to itself.",
    )
    normalise_keys = Tick(
        "normalise keys to one length",
        default=False,
        used={"kernel": WEIGHING},
        help="Whether every key is given the same length, the root mean square of their lengths.",
    )
    amplify = Tick(
        "enlarge deviations from even weights 1/τ times",
        default=False,
        used={"kernel": ["softmax"]},
        help="Whether the weights of softmax are shown as 1/n + (ω - 1/n)/τ: hot, they become those of least squares.",
    )

    def __init__(  # noqa: PLR0913
        self,
        x: ArrayLike,
        y: ArrayLike,
        *,
        codes: Callable[[np.ndarray], np.ndarray] = _standardised_codes,
        neighbours: int = 10,
        labels: Sequence[Any] | None = None,
        x_label: str | None = None,
        y_label: str | None = None,
        cooling: bool = False,
        **kit: Any,
    ) -> None:
        x_label = name_of(x, "x") if x_label is None else x_label
        y_label = name_of(y, "y") if y_label is None else y_label
        labels = check_labels(labels, np.size(x), "labels", rows="rows", table=x)
        x, self.y, order = _check_sorted(x, y)
        self.codes = check_matrix(codes(x), "codes")
        if len(self.codes) != len(x) or not np.linalg.norm(self.codes, axis=1).all():
            raise ValueError(f"codes must be {len(x)} rows, none of length zero, got shape {self.codes.shape}")
        data = {
            "x": x,
            "y": self.y,
            "codes": self.codes,
            "labels": [labels[i] for i in order],
            "x_label": x_label,
            "y_label": y_label,
            "cooling": COOLING if cooling else [],
        }
        if not cooling:
            kit["hide"] = [*kit.get("hide", ()), "cooling"]
        neighbours = min(check_count(neighbours, "neighbours"), len(x) - 1)
        alt = _describe(len(x), x_label, y_label)
        super().__init__(**{"data": data, "alt": alt, "neighbours": neighbours} | kit)

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            ``weights`` of the query (n of them), their ``total``, the ``own`` weight of the query on itself, the
            ``prediction``, ``fitted`` at every observation, its root mean squared ``error``, its largest distance
            ``gap`` to the identity kernel's, and ``smoother``: the Gaussian smoother on the same codes. With
            ``cooling`` also ``cooled``, the error at each temperature that is drawn, hottest first.
        """
        n = len(self.y)
        line = attention_weights(self.codes, self.codes, kernel="identity", scale=1 / n)
        weights = self._weights(self.temperature)
        fitted = weights @ self.y
        scale, mask = 1 / self.temperature, self._mask()
        smoother = attend(self.codes, self._keys(), self.y, kernel="gaussian", scale=scale, mask=mask)
        found = {
            "weights": weights[self.query].tolist(),
            "total": float(weights[self.query].sum()),
            "own": float(weights[self.query, self.query]),
            "prediction": float(fitted[self.query]),
            "fitted": fitted.tolist(),
            "error": self._error(self.temperature),
            "gap": float(np.abs(fitted - line @ self.y).max()),
            "smoother": smoother.tolist(),
        }
        hotter = [at for at in self.data["cooling"] if at >= self.temperature]
        return found | ({"cooled": [self._error(at) for at in hotter]} if self.data["cooling"] else {})

    def _mask(self) -> np.ndarray | None:
        return None if self.include_self else others_mask(len(self.y))

    def _keys(self) -> np.ndarray:
        if not self.normalise_keys:
            return self.codes
        lengths = np.linalg.norm(self.codes, axis=1, keepdims=True)
        return self.codes * (np.sqrt(np.mean(lengths**2)) / lengths)

    def _error(self, temperature: float) -> float:
        return float(np.sqrt(np.mean((self.y - self._weights(temperature) @ self.y) ** 2)))

    def _weights(self, temperature: float) -> np.ndarray:
        """Return the weights of every observation on every other, with the controls where they stand but for one."""
        n = len(self.y)
        if self.kernel == "identity":
            return attention_weights(self.codes, self.codes, kernel="identity", scale=1 / n)
        kernel, scale = self._kernel_and_scale(temperature)
        mask = self._mask()
        weights = attention_weights(self.codes, self._keys(), kernel=kernel, scale=scale, mask=mask)
        if self.kernel == "softmax" and self.amplify:
            even = np.full((n, n), 1 / n) if mask is None else np.asarray(mask) / (n - 1)
            weights = even + temperature * (weights - even)
        return weights

    def _kernel_and_scale(self, temperature: float) -> tuple[str | Kernel, float]:
        if self.kernel == "nearest":
            return nearest(self.neighbours), 1.0
        if self.kernel in ("relu", "elu"):
            return guarded_kernel(self.kernel), 1.0 if self.kernel == "relu" else 1 / temperature
        return self.kernel, 1 / temperature


def _check_sorted(x: Any, y: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x, index, _ = read_vector(x, "x")
    if x.ndim != 1 or len(x) < 2 or x.min() == x.max() or x.std() == 0:  # numbers below 1e-162 have no spread
        raise ValueError(f"x must be two or more numbers that vary, got shape {x.shape}")
    y = read_targets(y, len(x), index=index, of="x").values
    if y.ndim != 1:
        raise ValueError(f"y must have shape ({len(x)},), got shape {y.shape}")
    order = np.argsort(x, kind="stable")
    return x[order], y[order], order


def _describe(n: int, x_label: str, y_label: str) -> str:
    return (
        f"Self-attention among {n} observations of {x_label} and {y_label}: the weights of one of them on all, and "
        "the curve fitted by a kernel that the reader chooses, beside the Gaussian smoother."
    )
