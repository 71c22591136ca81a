"""Other models' ways of comparing, as queries and keys: with them the model is one call of :func:`regattn.attend`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cholesky, solve_triangular

from regattn._validation import check_matrix, check_real, check_same_width
from regattn.regression.least_squares import spectrum

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

__all__ = ["QueriesAndKeys", "forest_codes", "kernel_ridge_codes", "least_squares_codes"]


class QueriesAndKeys(NamedTuple):
    """What asks and what is compared with; weights are their inner products."""

    queries: np.ndarray
    keys: np.ndarray


def least_squares_codes(
    X: ArrayLike, X_new: ArrayLike, *, ridge: float = 0.0, rank: int | None = None
) -> QueriesAndKeys:
    r"""Return the codes under which OLS, ridge and principal-component regression are attention.

    .. math:: q = \left(\tfrac{1}{\sqrt n},\; (x - \bar x) W\right), \qquad W W^\top = (X_c^\top X_c + \lambda I)^{-1}

    The first entry is the intercept: uniform attention. Source: eqs. (17), (24) and (29) of [GC]_, after centring.

    Parameters
    ----------
    X : array of shape (n, p)
        Training rows, without a column of ones.
    X_new : array of shape (m, p)
        Rows to predict at.
    ridge : float, default 0
        Penalty λ ≥ 0 on the slopes, in squared units of ``X``.
    rank : int, optional
        Number of leading directions kept.

    Returns
    -------
    QueriesAndKeys
        Arrays of shape (m, 1 + r) and (n, 1 + r), for the identity kernel.

    Raises
    ------
    ValueError
        As :func:`regattn.regression.spectrum`.

    Examples
    --------
    >>> import regattn
    >>> codes = least_squares_codes([[0.0], [1.0], [2.0]], [[3.0]])
    >>> regattn.attend(*codes, [1.0, 3.0, 5.0], kernel="identity").round(6)
    array([7.])
    """
    s = spectrum(X, centre=True)
    ridge = check_real(ridge, "ridge", least=0.0)
    level = 1 / np.sqrt(len(s.scores))
    queries, keys = s.codes(X_new, ridge=ridge, rank=rank), s.codes(ridge=ridge, rank=rank)
    return QueriesAndKeys(_with_constant(queries, level), _with_constant(keys, level))


def _with_constant(codes: np.ndarray, level: float) -> np.ndarray:
    return np.column_stack([np.full(len(codes), level), codes])


def kernel_ridge_codes(
    X: ArrayLike, X_new: ArrayLike, *, covariance: Callable[[np.ndarray, np.ndarray], np.ndarray], ridge: float
) -> QueriesAndKeys:
    r"""Return the codes under which kernel ridge regression, and the mean of a Gaussian process, are attention.

    .. math:: q_j = L^{-1} k(X, x_j), \qquad k_i = L^{-1} e_i, \qquad K + \lambda I = L L^\top

    so that :math:`\langle q_j, k_i\rangle` is entry (j, i) of :math:`k(X_{new}, X)(K + \lambda I)^{-1}`.

    Parameters
    ----------
    X : array of shape (n, p)
        Training rows.
    X_new : array of shape (m, p)
        Rows to predict at.
    covariance : callable
        A positive semi-definite kernel: takes arrays of shape (a, p) and (b, p), returns (a, b). scikit-learn's
        pairwise kernels and Gaussian-process kernels are such functions.
    ridge : float
        λ > 0: the penalty of kernel ridge, the noise variance of a Gaussian process.

    Returns
    -------
    QueriesAndKeys
        Arrays of shape (m, n) and (n, n), for the identity kernel.

    Raises
    ------
    ValueError
        If ``ridge`` is not positive, widths differ, or the covariances have another shape, are not finite or, with
        ``ridge`` added, are not positive definite.

    Examples
    --------
    >>> import regattn
    >>> X = np.array([[0.0], [1.0]])
    >>> codes = kernel_ridge_codes(X, X, covariance=lambda a, b: a @ b.T, ridge=1.0)
    >>> regattn.attend(*codes, [5.0, 4.0], kernel="identity")
    array([0., 2.])
    """
    X, X_new = check_matrix(X, "X"), check_matrix(X_new, "X_new")
    check_same_width(X, X_new, "X", "X_new")
    ridge = check_real(ridge, "ridge", least=0.0, strictly=True)
    among, across = (check_matrix(covariance(X, other), "covariance(a, b)") for other in (X, X_new))
    if among.shape != (len(X), len(X)) or across.shape != (len(X), len(X_new)):
        raise ValueError(f"covariance(a, b) must have shape (rows of a, rows of b), got {among.shape}, {across.shape}")
    root = cholesky(among + ridge * np.eye(len(X)), lower=True)
    queries = solve_triangular(root, across, lower=True).T
    keys = solve_triangular(root, np.eye(len(X)), lower=True).T
    return QueriesAndKeys(queries, keys)


def forest_codes(forest: BaseEstimator, X: ArrayLike, X_new: ArrayLike) -> QueriesAndKeys:
    r"""Return the codes under which a fitted random forest is attention: which leaf of each tree a row falls into.

    .. math:: \omega_{ji} = \frac1B \sum_{b=1}^{B}
              \frac{c_{bi}\,[\,\text{leaf}_b(x_i) = \text{leaf}_b(x_j)\,]}{\sum_l c_{bl}\,[\,\text{leaf}_b(x_l) =
              \text{leaf}_b(x_j)\,]}

    with :math:`c_{bi}` how often tree b drew row i: once without the bootstrap, and then the count matters.

    Parameters
    ----------
    forest : fitted sklearn.ensemble.RandomForestRegressor or ExtraTreesRegressor
        Its leaves average squared-error targets.
    X : array of shape (n, p)
        The rows it was fitted to, in the same order.
    X_new : array of shape (m, p)
        Rows to predict at.

    Returns
    -------
    QueriesAndKeys
        Arrays of shape (m, leaves) and (n, leaves), for the identity kernel.

    Raises
    ------
    ValueError
        If ``X`` has another number of rows than the forest was fitted to.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> import regattn
    >>> X, y = np.arange(6.0)[:, None], np.array([1.0, 1.0, 1.0, 5.0, 5.0, 5.0])
    >>> forest = RandomForestRegressor(1, bootstrap=False, max_depth=1, random_state=0).fit(X, y)
    >>> regattn.attention_weights(*forest_codes(forest, X, [[0.5]]), kernel="identity").round(3)
    array([[0.333, 0.333, 0.333, 0.   , 0.   , 0.   ]])
    """
    X, X_new = check_matrix(X, "X"), check_matrix(X_new, "X_new")
    if forest.bootstrap and forest.estimators_samples_[0].max() >= len(X):
        raise ValueError(f"the forest was fitted to more rows than the {len(X)} of X")
    if not forest.bootstrap and forest.estimators_[0].tree_.n_node_samples[0] != len(X):
        fitted = forest.estimators_[0].tree_.n_node_samples[0]
        raise ValueError(f"the forest was fitted to {fitted} rows but X has {len(X)}")
    leaves, leaves_new = forest.apply(X), forest.apply(X_new)
    queries, keys = [], []
    for b in range(len(forest.estimators_)):
        draws = forest.estimators_samples_[b] if forest.bootstrap else np.arange(len(X))
        counts = np.bincount(draws, minlength=len(X))
        names, column = np.unique(leaves[:, b], return_inverse=True)
        drawn = np.eye(len(names))[column] * counts[:, None]
        totals = drawn.sum(axis=0)
        keys.append(np.divide(drawn, totals, out=np.zeros_like(drawn), where=totals > 0))
        queries.append((leaves_new[:, [b]] == names) / len(forest.estimators_))
    return QueriesAndKeys(np.hstack(queries), np.hstack(keys))
