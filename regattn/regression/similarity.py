"""Other models' ways of comparing, as queries and keys: with them the model is one call of :func:`regattn.attend`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cholesky, solve_triangular
from scipy.sparse import csr_array

from regattn._tables import read_table
from regattn._validation import check_matrix, check_real, check_same_width
from regattn.regression.least_squares import spectrum

if TYPE_CHECKING:
    from pandas import Index
    from sklearn.base import BaseEstimator

__all__ = ["QueriesAndKeys", "forest_codes", "kernel_ridge_codes", "least_squares_codes"]


class QueriesAndKeys(NamedTuple):
    """What asks and what is compared with; weights are their inner products."""

    queries: np.ndarray | csr_array
    keys: np.ndarray | csr_array


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
    s = spectrum(X)
    ridge = check_real(ridge, "ridge", least=0.0)
    level = 1 / np.sqrt(len(s.scores))
    queries, keys = (np.asarray(s.codes(rows, ridge=ridge, rank=rank)) for rows in (X_new, None))
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
    X, _, columns = read_table(X, "X")
    X_new = read_table(X_new, "X_new", columns=columns).values
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
        Its leaves average their targets: without sample weights, and not by absolute errors.
    X : array or DataFrame of shape (n, p)
        The rows it was fitted to, in the same order.
    X_new : array or DataFrame of shape (m, p)
        Rows to predict at. Named columns are matched with those the forest was fitted to.

    Returns
    -------
    QueriesAndKeys
        Sparse arrays of shape (m, leaves) and (n, leaves), for the identity kernel: a row has one entry for each tree.

    Raises
    ------
    ValueError
        If the forest is no fitted one of these, ``X`` has another number of rows than it was fitted to, columns differ,
        or the leaves do not hold the means of the targets of their rows (sample weights, absolute errors, monotonic
        constraints that moved a leaf): then no such weights give what it predicts.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> import regattn
    >>> X, y = np.arange(6.0)[:, None], np.array([1.0, 1.0, 1.0, 5.0, 5.0, 5.0])
    >>> forest = RandomForestRegressor(1, bootstrap=False, max_depth=1, random_state=0).fit(X, y)
    >>> regattn.attention_weights(*forest_codes(forest, X, [[0.5]]), kernel="identity").round(3)
    array([[0.333, 0.333, 0.333, 0.   , 0.   , 0.   ]])
    """
    _check_forest(forest)
    names = _names(forest)
    X, _, columns = read_table(X, "X", columns=names, of="the forest")
    X_new = read_table(X_new, "X_new", columns=columns if names is None else names).values
    for name, rows in (("X", X), ("X_new", X_new)):
        if rows.shape[1] != forest.n_features_in_:
            raise ValueError(f"{name} has {rows.shape[1]} columns but the forest was fitted to {forest.n_features_in_}")
    counts = _draws(forest, len(X))
    leaves, leaves_new = (_leaves(forest, rows) for rows in (X, X_new))
    names, column = np.unique(leaves, return_inverse=True)
    column = column.reshape(leaves.shape)
    totals = np.bincount(column.ravel(), weights=counts.ravel(), minlength=len(names))
    _check_leaves(forest, names, totals)
    shares = np.divide(counts, totals[column], out=np.zeros(counts.shape), where=totals[column] > 0)
    places = np.searchsorted(names, leaves_new).clip(max=len(names) - 1)
    return QueriesAndKeys(
        _one_per_tree((names[places] == leaves_new) / leaves.shape[1], places, len(names)),
        _one_per_tree(shares, column, len(names)),
    )


def _one_per_tree(entries: np.ndarray, columns: np.ndarray, width: int) -> csr_array:
    """Return the sparse array of which each row has one entry for each tree."""
    n, trees = entries.shape
    found = csr_array((entries.ravel(), columns.ravel(), np.arange(0, n * trees + 1, trees)), shape=(n, width))
    found.eliminate_zeros()
    return found


def _check_forest(forest: Any) -> None:
    from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

    if not isinstance(forest, RandomForestRegressor | ExtraTreesRegressor):
        raise ValueError(
            f"forest must be a RandomForestRegressor or an ExtraTreesRegressor, got {type(forest).__name__}"
        )
    if not hasattr(forest, "estimators_"):
        raise ValueError(f"forest must be fitted, got {forest!r}")
    if forest.criterion == "absolute_error":
        raise ValueError("the leaves of forest must hold means, but criterion='absolute_error' gives medians")


def _names(forest: Any) -> Index | None:
    """Return the names of the columns that a forest was fitted to, None if they had none."""
    names = getattr(forest, "feature_names_in_", None)
    if names is None:
        return None
    import pandas as pd

    return pd.Index(names)


def _draws(forest: Any, n: int) -> np.ndarray:
    """Return how often each tree drew each of n rows, shape (n, trees), or raise if the forest had other rows."""
    if not forest.bootstrap:
        fitted = forest.estimators_[0].tree_.n_node_samples[0]
        if fitted != n:
            raise ValueError(f"the forest was fitted to {fitted} rows but X has {n}")
        return np.ones((n, len(forest.estimators_)))
    drawn = forest.estimators_samples_
    if max(rows.max() for rows in drawn) >= n:
        raise ValueError(f"the forest was fitted to more rows than the {n} of X")
    return np.column_stack([np.bincount(rows, minlength=n) for rows in drawn]).astype(float)


def _leaves(forest: Any, X: np.ndarray) -> np.ndarray:
    """Return the leaf of each row in each tree, shape (rows, trees), numbered through all trees."""
    rows, first, found = X.astype(np.float32), 0, []
    for tree in forest.estimators_:
        found.append(tree.tree_.apply(rows) + first)
        first += tree.tree_.node_count
    return np.column_stack(found)


def _check_leaves(forest: Any, leaves: np.ndarray, totals: np.ndarray) -> None:
    """Raise unless each leaf holds the mean of as many targets as fell into it.

    Sample weights change how much a leaf holds. Medians, and constraints that moved the value of a leaf, show where the
    mean of two children is not that of their parent.
    """
    trees = [estimator.tree_ for estimator in forest.estimators_]
    held = np.concatenate([tree.weighted_n_node_samples for tree in trees])[leaves]
    if not np.allclose(held, totals):
        raise ValueError("the forest was fitted with sample weights or to other rows than X: leaves hold other counts")
    for b, tree in enumerate(trees):
        inner = tree.children_left >= 0
        sums = tree.value[..., 0] * tree.weighted_n_node_samples[:, None]
        children = sums[tree.children_left[inner]] + sums[tree.children_right[inner]]
        if not np.allclose(children, sums[inner], atol=1e-9 * np.abs(sums).max(initial=0)):
            raise ValueError(f"the leaves of forest must hold means, but those of tree {b} do not: monotonic_cst?")
