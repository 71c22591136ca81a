r"""What the targets fix in an Ω: the directions they name, and how far two Ω differ where they do not."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from regattn._tables import read_table
from regattn._validation import check_finite
from regattn.regression._embedding_problem import (
    TOLERANCE,
    check_problem,
    check_square,
    check_taught,
)
from regattn.regression.least_squares import spectrum

__all__ = ["IdentifiedDirections", "identified_directions", "map_error", "target_error"]


class IdentifiedDirections(NamedTuple):
    r"""What M targets show of p directions.

    Attributes
    ----------
    strengths : ndarray of shape (min(p, M),)
        Singular values of Z = X'Y, largest first: how loudly each direction is taught.
    directions : ndarray of shape (p, r)
        Orthonormal basis of the directions of the input space on which Ω is fixed, loudest first.
    shares : ndarray of shape (k,)
        For each principal direction of X, strongest first, the part of it that lies in that span, from 0 to 1; they
        sum to at most r.
    rank : int
        Number r of directions that are fixed.
    effective_rank : float
        The number of equally strong directions with the same entropy: :math:`\exp(-\sum_k q_k \ln q_k)` with
        :math:`q_k` the share of direction k in the sum of ``strengths``.
    """

    strengths: np.ndarray
    directions: np.ndarray
    shares: np.ndarray
    rank: int
    effective_rank: float


def identified_directions(X: ArrayLike, Y: ArrayLike) -> IdentifiedDirections:
    r"""Return the directions of the input space on which the targets fix Ω, and how strongly.

    Ω is fixed on the span of :math:`Z = X^\top Y`: r directions of p, so rp numbers of p². Descent learns the loud ones
    first: along a direction of strength σ its error shrinks by a factor that goes with σ² at every step.

    Parameters
    ----------
    X, Y
        As in :func:`embedding_loss`.

    Returns
    -------
    IdentifiedDirections
        See there.

    Raises
    ------
    ValueError
        As :func:`largest_embedding_step`.

    Examples
    --------
    >>> found = identified_directions([[2.0, 0.0], [0.0, 1.0]], [1.0, 1.0])
    >>> found.rank, found.shares.round(3)  # one direction: four parts along the first, one along the second
    (1, array([0.8, 0.2]))
    """
    X, Y, _ = check_problem(X, Y)
    basis, strengths, _ = np.linalg.svd(check_taught(X, Y), full_matrices=False)
    rank = int((strengths > TOLERANCE * strengths[0]).sum())
    basis, part = basis[:, :rank], strengths[:rank] / strengths[:rank].sum()
    shares = np.sum((spectrum(X, centre=False).directions.T @ basis) ** 2, axis=1)
    return IdentifiedDirections(strengths, basis, shares, rank, float(np.exp(-np.sum(part * np.log(part)))))


def map_error(X: ArrayLike, omega: ArrayLike) -> float:
    r"""Return how far the attention map of Ω is from the hat matrix H, relative to its size.

    .. math:: \frac{\lVert X\Omega X^\top - H\rVert_F}{\lVert H\rVert_F}, \qquad H = X (X^\top X)^{-1} X^\top

    Its square is the mean squared error of the fit to a target of pure noise, relative to the size of the right fit. It
    is 1 for Ω = 0 and 0 for :math:`(X^\top X)^{-1}` alone, if X has full column rank. Implements :eq:`map-error`.

    Parameters
    ----------
    X : array of shape (n, p)
        Inputs, one row per observation.
    omega : array of shape (p, p)
        Ω, in units of 1/X².

    Returns
    -------
    float
        A share; may exceed 1.

    Raises
    ------
    ValueError
        If shapes disagree, an entry is not finite or the map overflows.

    Examples
    --------
    >>> [round(map_error([[1.0], [1.0]], [[omega]]), 6) for omega in (0.0, 0.5)]
    [1.0, 0.0]
    """
    X, _, columns = read_table(X, "X")
    omega = check_square(omega, X, "omega", columns)
    factors = spectrum(X, centre=False)
    root = factors.directions * factors.singular_values  # X = U root', and H = UU'
    with np.errstate(over="ignore", invalid="ignore"):
        error = np.linalg.norm(root.T @ omega @ root - np.eye(factors.rank)) / np.sqrt(factors.rank)
    check_finite(np.asarray(error), "the map")
    return float(error)


def target_error(X: ArrayLike, omega: ArrayLike, target: ArrayLike) -> float:
    r"""Return how far the fit of Ω to a target is from that of least squares, relative to its size.

    .. math:: \frac{\lVert X\,\Omega\,X^\top y - X\hat\beta\rVert}{\lVert X\hat\beta\rVert}

    For a target that Ω was not trained on it says what the training is worth. :func:`map_error` is the same for any
    noise, on average.

    Parameters
    ----------
    X : array of shape (n, p)
        Inputs, one row per observation.
    omega : array of shape (p, p)
        Ω, in units of 1/X².
    target : array of shape (n,)
        One target.

    Returns
    -------
    float
        A share; 1 for Ω = 0, 0 for :math:`(X^\top X)^{-1}`, and may exceed 1.

    Raises
    ------
    ValueError
        If shapes disagree, an entry is not finite, the target is orthogonal to every column of X, or the fit
        overflows.

    Examples
    --------
    >>> [round(target_error([[1.0], [1.0]], [[omega]], [1.0, 3.0]), 6) for omega in (0.0, 0.25, 0.5)]
    [1.0, 0.5, 0.0]
    """
    X, Y, columns = check_problem(X, target)
    if Y.shape[1] != 1:
        raise ValueError(f"target must be one target, got {Y.shape[1]}")
    omega, Z = check_square(omega, X, "omega", columns), check_taught(X, Y)
    coef = spectrum(X, centre=False).coefficients(Y).coef
    with np.errstate(over="ignore", invalid="ignore"):
        error = np.linalg.norm(X @ (omega @ Z - coef)) / np.linalg.norm(X @ coef)
    check_finite(np.asarray(error), "the fit")
    return float(error)
