"""The SpectralExplorer: one least-squares prediction taken apart, while the penalty and the rank move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from regattn._tables import read_table, read_targets
from regattn._text import check_text
from regattn._validation import check_same_width
from regattn.regression.alignment import scale_and_alignment
from regattn.regression.least_squares import spectrum
from regattn.widgets._kit import Choice, Count, Explorer, Slider, check_labels, label_place

__all__ = ["SpectralExplorer"]

PANELS = ("weights", "codes", "split", "sum", "path")
SAID = 6  # predictors that are told of a row


class SpectralExplorer(Explorer, panels=PANELS):
    r"""Show the weight of every training observation in one prediction, for any ridge penalty λ and rank L.

    .. math:: \omega_{ji} = \frac1n + \sum_{k \le L} F_{jk} F_{ik} \frac{s_k^2}{s_k^2 + \lambda}

    The inputs are centred here, so the intercept stands apart: 1/n is uniform attention, the rest a correction. Python
    factorises once; the browser applies the formula. Implements :eq:`proximity-weights` and :eq:`ridge-filter`;
    source: eqs. (8), (9), (27) and (30) of [GC]_.

    Parameters
    ----------
    X, y : arrays of shape (n, p) and (n,)
        Training rows (without a column of ones) and their targets, in time order if they have one. Of a DataFrame the
        first six columns are told of each row, by their names.
    X_new, y_new : arrays of shape (m, p) and (m,), optional
        Rows to predict at besides, and the targets that came true.
    rank : int, optional
        Number L of leading directions kept; all of them by default.
    query : int or str, default 0
        The observation that asks: its place, counting the training rows first and the test rows after them, or its
        label.
    labels, labels_new : sequences of str, optional
        What to call the rows; by default as the index of a DataFrame does.
    named : sequence of str, optional
        Labels of training rows whose bars and dots carry their names; without any, the highest and the lowest bar do.
        The first of them has the ring among the codes, until another is pointed at.
    row : str, optional
        What a training row is, such as "quarter".
    units : str, optional
        Units of the target, such as "% a year".
    later : str, optional
        When the target of a row is observed, such as "a quarter later".
    stretches : mapping of str to pair of labels, optional
        Training rows from one to another whose share of the running sum is told beside it, under that name.
    panels : sequence of str
        Which pictures: "weights" (every weight), "codes" (queries and keys as points), "split" (scale and cosine),
        "sum" (from the mean to the prediction, a running sum), "path" (errors and degrees of freedom against λ).

    Raises
    ------
    ValueError
        If shapes disagree, an entry is not finite, or ``ridge``, ``rank``, ``query`` or ``panels`` is out of range.

    Examples
    --------
    >>> explorer = SpectralExplorer([[0.0], [1.0], [2.0]], [1.0, 1.0, 4.0], [[3.0]], labels_new=["next"], query="next")
    >>> round(explorer.result()["prediction"], 6)
    5.0
    >>> explorer.ridge = 2.0
    >>> round(explorer.result()["prediction"], 6)
    3.5
    """

    ridge = Slider(
        "Ridge penalty λ",
        0,
        default=0.0,
        shown=lambda self: _penalties(self.spectrum.singular_values),
        log=True,
        notes={0: "least squares"},
        help="Penalty λ ≥ 0, in squared units of ``X``.",
        first=True,
    )
    rank = Count("Rank L", least=1, most=lambda self: self.spectrum.rank, bound="the rank of X", of=True, first=True)
    query = Count(
        lambda self: f"The {self.data['row']} that asks",
        most=lambda self: self.size - 1,
        bound="the last row",
        find=lambda self, label: label_place(label, self.data["labels"] + self.data["labels_test"]),
        help="The observation that asks.",
    )
    root = Choice(
        "Root of Ω",
        {
            "spectral": "spectral (principal directions)",
            "cholesky": "Cholesky (triangular)",
            "rotated": "spectral, rotated",
        },
        help="Which root W of Ω = WW' encodes queries and keys; the weights do not depend on it.",
    )
    angle = Slider(
        "Rotation",
        -360,
        360,
        default=30.0,
        shown=(0, 360),
        step=1,
        used={"root": ["rotated"]},
        sets={"root": "rotated"},
        help='Degrees by which "rotated" turns the first two coordinates of the spectral codes.',
    )
    guide = Choice(
        "Through the ring",
        {"weight": "as heavy", "near": "as near"},
        help="Whether what is as heavy as the ringed row is drawn through it, or what is as near to the query.",
    )

    def __init__(  # noqa: PLR0913
        self,
        X: ArrayLike,
        y: ArrayLike,
        X_new: ArrayLike | None = None,
        y_new: ArrayLike | None = None,
        *,
        rank: int | None = None,
        query: int | str = 0,
        labels: Sequence[Any] | None = None,
        labels_new: Sequence[Any] | None = None,
        named: Sequence[str] = (),
        row: str = "training observation",
        units: str = "",
        later: str = "",
        stretches: Mapping[str, tuple[str, str]] | None = None,
        panels: Sequence[str] = PANELS,
        hide: Sequence[str] = (),
        **kit: Any,
    ) -> None:
        X_new, tables, predictors = _aligned(X_new, X), (X, X_new), _predictors(X)
        X, index, _ = read_table(X, "X")
        self.y = _check_one_target(y, len(X), "y", index)
        self.X_new, self.y_new = _check_test(X_new, y_new, X)
        self.spectrum = spectrum(X, centre=True)
        n, m = len(X), 0 if self.X_new is None else len(self.X_new)
        self.size = n + m
        labels = check_labels(labels, n, "labels", rows="training rows", table=tables[0])
        labels_new = check_labels(labels_new, m, "labels_new", rows="test rows", first=n + 1, table=tables[1])
        data = {
            "predictors": predictors,
            "rows": np.vstack([X, *([] if m == 0 else [self.X_new])])[:, : len(predictors)],
            "predictors_hidden": X.shape[1] - len(predictors),
            "named": hasattr(tables[0], "columns"),
            "scores": self.spectrum.scores,
            "singular_values": self.spectrum.singular_values,
            "directions": self.spectrum.directions,
            "centre": self.spectrum.centre,
            "y": self.y,
            "test_scores": [] if m == 0 else self.spectrum.codes(self.X_new),
            "y_test": self.y_new,
            "labels": labels,
            "labels_test": labels_new,
            "named_rows": [label_place(label, labels, "named") for label in named],
            "stretches": [
                [check_text(words, "stretches"), *sorted(label_place(end, labels, "stretches") for end in ends)]
                for words, ends in (stretches or {}).items()
            ],
            "row": check_text(row, "row"),
            "units": units,
            "later": check_text(later, "later"),
        }
        rank = self.spectrum.rank if rank is None else rank
        hidden, shown = self._check_hidden(hide), _check_panels(panels)
        hidden += [panel for panel in PANELS if panel not in shown] + (
            ["root", "angle"] if "codes" not in shown else []
        )
        hidden += [] if {"codes", "split"} & set(shown) else ["guide"]
        alt = _describe(n, m, [panel for panel in shown if panel not in hidden])
        super().__init__(**{"data": data, "alt": alt, "rank": rank, "query": query, "hide": hidden} | kit)

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            ``weights``, ``scale`` and ``cosine`` (lists of length n, the last two of the part beyond 1/n),
            ``prediction``, ``dof``, and the root mean squared ``train_error``, ``test_error`` (None without test
            targets) and ``loo_error`` (None where a row has leverage 1).
        """
        s, n, knobs = self.spectrum, len(self.y), {"ridge": self.ridge, "rank": self.rank}
        rows, at = (None, self.query) if self.query < n else (self.X_new, self.query - n)
        split = scale_and_alignment(s.codes(rows, **knobs)[[at]], s.codes(**knobs))
        test_error = None
        if self.y_new is not None:
            test_error = _root_mean_square(self.y_new - s.predict(self.X_new, self.y, **knobs))
        try:
            loo_error = _root_mean_square(s.loo_residuals(self.y, **knobs))
        except ValueError:
            loo_error = None
        return {
            "weights": s.weights(rows, **knobs)[at].tolist(),
            "scale": split.scale[0].tolist(),
            "cosine": split.alignment[0].tolist(),
            "prediction": float(s.predict(rows, self.y, **knobs)[at]),
            "dof": float(s.effective_dof(**knobs)),
            "train_error": _root_mean_square(self.y - s.predict(None, self.y, **knobs)),
            "test_error": test_error,
            "loo_error": loo_error,
        }


def _penalties(s: np.ndarray) -> tuple[float, float]:
    """Return the range of penalties that matters, from a hundredth of the smallest s² to a hundred of the largest."""
    return 10.0 ** np.floor(np.log10(s[-1] ** 2 / 100)), 10.0 ** np.ceil(np.log10(s[0] ** 2 * 100))


def _root_mean_square(x: np.ndarray) -> float:
    return float(np.sqrt(np.mean(x**2)))


def _check_one_target(y: Any, n: int, name: str, index: Any = None) -> np.ndarray:
    y = read_targets(y, n, name, index=index).values
    if y.ndim != 1:
        raise ValueError(f"{name} must have shape ({n},), got shape {y.shape}")
    return y


def _check_test(X_new: Any, y_new: Any, X: np.ndarray) -> tuple[np.ndarray | None, np.ndarray | None]:
    if X_new is None:
        if y_new is not None:
            raise ValueError(f"y_new has {len(y_new)} entries but X_new is None")
        return None, None
    X_new, index, _ = read_table(X_new, "X_new")
    check_same_width(X_new, X, "X_new", "X")
    if y_new is None:
        return X_new, None
    if np.shape(y_new)[:1] != (len(X_new),):
        raise ValueError(f"y_new has shape {np.shape(y_new)} but there are {len(X_new)} test rows")
    return X_new, _check_one_target(y_new, len(X_new), "y_new", index)


def _check_panels(panels: Sequence[str]) -> list[str]:
    unknown = [panel for panel in panels if panel not in PANELS]
    if unknown or not panels or isinstance(panels, str):
        raise ValueError(f"panels must be some of {', '.join(PANELS)}, got {unknown[0] if unknown else panels!r}")
    return [panel for panel in PANELS if panel in panels]


def _aligned(X_new: Any, X: Any) -> Any:
    """Return the rows to predict at with the columns of a DataFrame in the order of the training rows."""
    if not hasattr(X, "columns") or not hasattr(X_new, "columns"):
        return X_new
    if sorted(map(str, X.columns)) != sorted(map(str, X_new.columns)) or not X.columns.is_unique:
        raise ValueError(f"the columns of X_new must be those of X, {list(X.columns)}, got {list(X_new.columns)}")
    return X_new[list(X.columns)]


def _predictors(X: Any) -> list[str]:
    """Return what the first columns are called."""
    if hasattr(X, "columns"):
        return check_labels(X.columns[:SAID], min(SAID, len(X.columns)), "columns of X", rows="columns")
    return [f"x{j + 1}" for j in range(min(SAID, np.shape(X)[1] if np.ndim(X) == 2 else 0))]


def _describe(n: int, m: int, panels: list[str]) -> str:
    shown = {
        "weights": "the weight of every training observation in one prediction",
        "codes": "the codes of the query and the keys as points",
        "split": "each weight split into scale and cosine",
        "sum": "the prediction as a running sum",
        "path": "errors and effective degrees of freedom against the penalty",
    }
    rows = f"{n} training rows" + (f" and {m} test rows" if m else "")
    return f"Least squares as attention on {rows}: {'; '.join(shown[panel] for panel in panels)}."
