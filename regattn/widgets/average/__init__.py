"""The AverageExplorer: one prediction as a weighted average, by least squares, softmax attention or nearness."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from regattn._tables import read_vector
from regattn.attention import attend, attention_weights
from regattn.widgets._kit import Choice, Explorer, Slider, check_labels, name_of

__all__ = ["AverageExplorer"]

WAYS = {"identity": "least squares", "softmax": "softmax attention", "gaussian": "nearness (Gaussian kernel)"}
LINE = {"line": "nearness, and a line"}
SLOPE_RIDGE = 1e-3  # on the slope of a local line, so that it has one where a single case has all the weight


def _round_step(most: float) -> float:
    """Return the largest of 1, 2 and 5 times a power of ten that is no larger than ``most``."""
    power = 10.0 ** math.floor(math.log10(most))
    return next(k * power for k in (5, 2, 1) if k * power <= most or k == 1)


def _outwards(end: float, step: float, sign: int) -> float:
    """Return the first multiple of ``step`` at ``end`` or beyond it, to the left or to the right."""
    return sign * math.ceil(sign * end / step - 1e-9) * step


class AverageExplorer(Explorer, panels=["scatter", "running"]):
    r"""Show one prediction as a weighted average of past outcomes, with weights from the same codes by three kernels.

    .. math:: \omega_{ji} = \frac{s_{ji}}{n} \;\text{(least squares)}, \qquad
              \omega_{ji} = \frac{e^{\tau s_{ji}}}{\sum_l e^{\tau s_{jl}}} \;\text{(softmax)}, \qquad
              s_{ji} = 1 + z_j z_i

    where z is the input less its mean, in standard deviations, and τ the scale. The queries and keys are the codes
    :math:`(1, z)/\sqrt n` of a line with an intercept; only the kernel changes. A Gaussian one puts
    :math:`-\tau (z_j - z_i)^2 / 2` where softmax has :math:`\tau s_{ji}`. With ``line=True`` a reader can also have a
    line fitted under the Gaussian weights and read off at the query; its weights on the outcomes may be negative. A
    preset that names no query leaves it where it stands, so that methods can be compared at one question.

    Parameters
    ----------
    x, y : arrays of shape (n,)
        Input and outcome of the past cases; they are shown in the order of ``x``.
    query : float, optional
        The input to predict at, in units of ``x``; by default the mean.
    labels : sequence of str, optional
        What to call the cases; by default as a Series does.
    names : pair of str, optional
        What ``x`` and ``y`` measure, with units; by default what Series are called.
    line : bool, default False
        Whether ``kernel`` has a fourth value, "line": local linear regression.

    Raises
    ------
    ValueError
        If shapes disagree, an entry is not finite, or ``x`` is constant.

    Examples
    --------
    >>> explorer = AverageExplorer([0.0, 1.0, 2.0], [1.0, 3.0, 4.0], query=3.0)
    >>> round(explorer.result()["prediction"], 6)
    5.666667
    >>> explorer.kernel = "softmax"
    >>> round(explorer.result()["prediction"], 3)
    3.946
    """

    query = Slider(
        lambda self: f"Ask at {self.names[0]}",
        shown=lambda self: self.ends,
        step=lambda self: self.step,
        digits=2,
        default=0.0,
        first=True,
    )
    kernel = Choice(
        "Weights by",
        lambda self: WAYS | LINE if self.line else WAYS,
        bound="ways to weigh",
        help="What turns scores, or distances, into weights.",
        first=True,
    )
    sharpness = Slider(
        "Scale τ",
        0,
        100,
        default=1.0,
        shown=(0.01, 100),
        log=True,
        notes={0: "all weights equal"},
        used={"kernel": ["softmax", "gaussian", "line"]},
        help="The scores are multiplied by it: at 0 all weights are equal, far above 1 one case has them all.",
    )

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        *,
        query: float | None = None,
        labels: Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
        line: bool = False,
        **kit: Any,
    ) -> None:
        names = (name_of(x, "input"), name_of(y, "outcome")) if names is None else names
        labels = check_labels(labels, np.size(x), "labels", rows="cases", table=x)
        x, index, _ = read_vector(x, "x")
        y = read_vector(y, "y", index=index, of="x").values
        if len(x) != len(y):
            raise ValueError(f"x has {len(x)} entries but y has {len(y)}")
        order = np.argsort(x, kind="stable")
        self.x, self.y, self.line = x[order], y[order], line
        self.level, self.spread = self.x.mean(), self.x.std()
        if self.spread == 0:
            raise ValueError(f"x must vary, got {self.x[0]} in all {len(self.x)} places")
        room = 0.25 * (self.x[-1] - self.x[0])
        self.step = _round_step(6 * room / 100)
        self.ends = [_outwards(self.x[0] - room, self.step, -1), _outwards(self.x[-1] + room, self.step, 1)]
        self.names = check_labels(names, 2, "names", rows="axes")
        data = {"x": self.x, "y": self.y, "level": self.level, "spread": self.spread, "ends": self.ends}
        data |= {"slopeRidge": SLOPE_RIDGE} if line else {}
        data |= {"labels": [labels[i] for i in order], "names": self.names}
        alt = (
            f"{len(self.x)} past cases as points, larger the more weight one prediction gives them, "
            "and the prediction as the running sum of weight times outcome."
        )
        query = self.level if query is None else query
        super().__init__(**{"data": data, "alt": alt, "query": query} | kit)

    def _check_presets(self, presets: Mapping[str, Mapping[str, Any]] | None) -> list[list[Any]]:
        """Return the presets; those that name no query keep the reader's."""
        checked = super()._check_presets(presets)
        for (_, values, _), given in zip(checked, (presets or {}).values(), strict=True):
            if "query" not in given:
                del values["query"]
        return checked

    def codes(self, x: np.ndarray) -> np.ndarray:
        """Return the codes (1, z)/√n of inputs of shape (k,), shape (k, 2); orthonormal over the cases themselves."""
        return np.column_stack([np.ones(len(x)), (x - self.level) / self.spread]) / np.sqrt(len(self.x))

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            ``weights`` and ``running`` (lists of length n in the order of x, the second the running sum of weight times
            outcome) and ``prediction``.
        """
        queries, keys = self.codes(np.array([self.query])), self.codes(self.x)
        how = {"kernel": self.kernel, "scale": 1.0 if self.kernel == "identity" else self.sharpness * len(self.x)}
        if self.kernel == "line":
            weights = self._line_weights(attention_weights(queries, keys, **how | {"kernel": "gaussian"})[0])
            prediction = weights @ self.y
        else:
            weights = attention_weights(queries, keys, **how)[0]
            prediction = attend(queries, keys, self.y, **how)[0]
        return {
            "weights": weights.tolist(),
            "running": np.cumsum(weights * self.y).tolist(),
            "prediction": float(prediction),
        }

    def _line_weights(self, near: np.ndarray) -> np.ndarray:
        """Return what each outcome counts in the height at the query of a line fitted under the weights ``near``."""
        away = (self.x - self.query) / self.spread
        design = np.column_stack([np.ones(len(away)), away])
        moments = design.T @ (near[:, None] * design) + np.diag([0.0, SLOPE_RIDGE])
        return np.linalg.solve(moments, (near[:, None] * design).T)[0]
