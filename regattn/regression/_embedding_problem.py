"""The problem of learning an Ω, checked and reduced to p dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from regattn._tables import Table, matched, named, read_table, read_targets
from regattn._validation import check_finite
from regattn.regression.least_squares import spectrum

if TYPE_CHECKING:
    from pandas import DataFrame, Index

TOLERANCE = 1e-10  # directions of Z below this share of the strongest are rounding


class Reduced(NamedTuple):
    """The problem in p dimensions, whatever n is: loss = least + ‖root'(ΩZ − B̂)‖²/M."""

    root: np.ndarray  # (p, r): V S
    Z: np.ndarray  # (p, M)
    coef: np.ndarray  # (p, M)
    least: float

    @classmethod
    def of(cls, X: np.ndarray, Y: np.ndarray) -> Reduced:
        factors = spectrum(X, centre=False)
        coef = factors.coefficients(Y).coef
        root = factors.directions * factors.singular_values
        return cls(root, moments(X, Y), coef, float(np.sum((Y - X @ coef) ** 2)) / Y.shape[1])

    def loss(self, omega: np.ndarray) -> float:
        with np.errstate(over="ignore", invalid="ignore"):
            return self.least + float(np.sum((self.root.T @ (omega @ self.Z - self.coef)) ** 2)) / self.Z.shape[1]

    def gradient(self, omega: np.ndarray) -> np.ndarray:
        return 2 / self.Z.shape[1] * self.root @ (self.root.T @ (omega @ self.Z - self.coef)) @ self.Z.T


class Problem(NamedTuple):
    """Inputs and targets, (n, p) and (n, M), matched by label, and the names of the columns of X."""

    X: np.ndarray
    Y: np.ndarray
    columns: Index | None

    def named(self, omega: np.ndarray) -> np.ndarray | DataFrame:
        """Return an Ω under the names of the columns of X, where it has any."""
        return named(omega, self.columns, self.columns)


def check_problem(X: ArrayLike, Y: ArrayLike) -> Problem:
    X, index, columns = read_table(X, "X")
    Y = read_targets(Y, len(X), "Y", index=index).values
    return Problem(X, Y.reshape(len(Y), -1), columns)


def moments(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Return Z = X'Y, shape (p, M)."""
    with np.errstate(over="ignore", invalid="ignore"):
        Z = X.T @ Y
    check_finite(Z, "X'Y")
    return Z


def check_taught(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Return Z, or raise if it teaches nothing."""
    Z = moments(X, Y)
    if not Z.any():
        raise ValueError("Y must not be orthogonal to every column of X, got X'Y = 0")
    return Z


def check_square(omega: ArrayLike, X: np.ndarray, name: str, columns: Index | None = None) -> np.ndarray:
    omega, p = _by_columns(read_table(omega, name, columns=columns), name, columns), X.shape[1]
    if omega.shape != (p, p):
        raise ValueError(
            f"{name} must have shape ({p}, {p}), one row and column for each column of X, got {omega.shape}"
        )
    return omega


def _by_columns(table: Table, name: str, columns: Index | None) -> np.ndarray:
    """Return a table with one row for each column of X, in their order."""
    order = matched(table.index, columns, f"the rows of {name}", "the columns of X")
    return table.values if order is None else table.values[order]


def check_start(
    start: Any, X: np.ndarray, columns: Index | None
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray] | None]:
    """Return Ω₀ and the factors it is made of, if it is."""
    p = X.shape[1]
    if start is None:
        return np.zeros((p, p)), None
    if not isinstance(start, tuple):
        return check_square(start, X, "start", columns), None
    if len(start) != 2:
        raise ValueError(f"start must be a matrix or a pair (W_Q, W_K), got {len(start)} parts")
    W_Q, W_K = (
        _by_columns(read_table(part, name), name, columns) for part, name in zip(start, ("W_Q", "W_K"), strict=True)
    )
    if W_Q.ndim != 2 or W_Q.shape != W_K.shape or len(W_Q) != p:
        raise ValueError(f"W_Q and W_K must both have shape ({p}, L), got {W_Q.shape} and {W_K.shape}")
    return W_Q @ W_K.T, (W_Q, W_K)
