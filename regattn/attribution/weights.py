"""Whom a prediction listened to: the weight of each training outcome in what a fitted model predicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, issparse

from regattn._tables import as_pandas, matched, named, read_targets, read_vector
from regattn._types import Table
from regattn._validation import check_same_width
from regattn.attribution._families import read
from regattn.attribution._rows import Rows, check_fitted, has_formula, read_rows
from regattn.attribution._training import Matrix, Training
from regattn.attribution.smoother import Smoother

if TYPE_CHECKING:
    from pandas import DataFrame, Index

__all__ = ["observation_weights"]


def observation_weights(
    model: object,
    X_train: Table,
    X_new: Table | None = None,
    *,
    y_train: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    sparse: bool | str = "auto",
) -> np.ndarray | DataFrame | csr_array:
    r"""Return the weight of each training outcome in each prediction of a fitted model.

    .. math:: \hat y_j = \sum_i \omega_{ji}\, y_i

    The weights are those of the model as it was fitted: they say which outcomes it averages, not what it would have
    become had one of them been another.

    Models that can be asked:

    - ``LinearRegression``, ``Ridge``, ``RidgeCV`` and ``BayesianRidge`` (given the penalty found);
    - ``Lasso``, ``ElasticNet`` and their ``CV``, given the active set and the sizes of its coefficients: the penalty
      ``|b|`` of a coefficient is ``b²/|b|``, that of a ridge regression (Tibshirani, 1996);
    - ``PLSRegression``, given its directions;
    - trees, forests and extra trees, ``BaggingRegressor`` of any of these models;
    - ``GradientBoostingRegressor`` and ``HistGradientBoostingRegressor`` with squared errors, given the leaves;
    - neighbours, k or within a radius; ``KernelRidge`` and ``GaussianProcessRegressor``, given its kernel;
    - of classifiers trees, forests and neighbours: the weights average the indicators of a class into its probability;
    - ``Pipeline``, ``GridSearchCV``, ``RandomizedSearchCV``, ``VotingRegressor`` and ``TransformedTargetRegressor``
      (if it changes units, not shape) of these, given their transformers;
    - ``StackingRegressor`` of these with a linear final estimator, given its coefficients;
    - ``LGBMRegressor`` of LightGBM and ``XGBRegressor`` of XGBoost with squared errors, given the leaves;
    - of statsmodels OLS, WLS and GLS, and the fixed effects of ``MixedLM`` at the variances found; fitted by a formula,
      they take tables with its columns;
    - its filters, as ``UnobservedComponents`` and ``SARIMAX``, at the parameters found: rows are dates, of which a
      model with ``exog`` (fitted with ``mle_regression=False``) gives its predictors, those of ``X_new`` following the
      last date, and a model of a series alone one column, the places 0, 1, … (n is the next date). A training date is
      predicted from those before it;
    - :class:`~regattn.regression.AttentionRegressor`, autoregressions (their rows are those of ``past``), a
      :class:`~regattn.regression.Factor`, a :class:`~regattn.regression.spectral.Spectrum` (least squares; its
      ``weights`` take a penalty and a rank) and what :func:`~regattn.series.local_trend` fits;
    - a network by :func:`last_layer`, which names what it asks: the ridge regression on the last layer;
    - what is registered with :func:`regattn.attribution.smoother`.

    Parameters
    ----------
    model : object
        A fitted model. Nothing is fitted again, but for the folds that stacking does not keep (it needs ``y_train``).
    X_train : array or DataFrame of shape (n, p)
        The rows that it was fitted to, in the same order. Named columns are matched with those it was fitted to.
    X_new : array or DataFrame of shape (m, p), optional
        Rows to predict at. Without them each training row is predicted from the others, with all that is given above
        left as it is: the outcomes' own row left out (linear models, kernels, neighbours), or from the trees that did
        not draw it (forests, bagging).
    y_train : array or Series of shape (n,) or (n, t), optional
        Training outcomes, matched by label with the rows of ``X_train``. The weights times the outcomes are held to
        ``model.predict`` (to ``predict_proba`` for a classifier). Where the model keeps its outcomes this is done in
        any case.
    sample_weight : array or Series of shape (n,), optional
        The sample weights that the model was fitted with, if any.
    sparse : bool or "auto", default "auto"
        Whether the result is sparse; by default where the model leaves most rows out: trees, forests, neighbours.

    Returns
    -------
    ndarray, DataFrame or scipy.sparse.csr_array of shape (m, n)
        A DataFrame where one of the tables has labels, of sparse columns if the result is sparse.

    Raises
    ------
    ValueError
        If the model is not fitted or its predictions are no such sums (the message says why), rows, columns or
        outcomes are not those that it was fitted to, an entry is not a finite number, or the weights times the outcomes
        miss its predictions by more than 1e-8 of the sum of absolute contributions: 1e-6 where a learner adds up in
        float32, and what its own ``tol`` allows for coordinate descent.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> X, y = np.array([[0.0], [1.0], [5.0]]), np.array([1.0, 3.0, 9.0])
    >>> tree = DecisionTreeRegressor(max_depth=1).fit(X, y)
    >>> weights = observation_weights(tree, X, [[0.4]], y_train=y, sparse=False)
    >>> weights, weights @ y
    (array([[0.5, 0.5, 0. ]]), array([2.]))
    """
    if not (isinstance(sparse, bool) or sparse == "auto"):
        raise ValueError(f'sparse must be True, False or "auto", got {sparse!r}')
    check_fitted(model)
    asked = read(model)
    rows = read_rows(model, X_train, "X_train", None)
    new = None if X_new is None else read_rows(model, X_new, "X_new", rows.columns)
    if new is not None and not has_formula(model):
        check_same_width(rows.X, new.X, "X_train", "X_new")
    y = asked.outcomes if y_train is None else _outcomes(asked, y_train, rows)
    training = Training(rows.X, y, None if sample_weight is None else _sample_weight(sample_weight, rows))
    if new is None:
        if isinstance(asked.held_out, str):
            raise ValueError(f"{type(model).__name__} needs X_new: {asked.held_out}")
        if y is not None:
            _check(model, asked, asked.weights(training, rows.X), training, rows.X)
        return _labelled(asked.held_out(training), rows.index, rows.index, sparse)
    weights = asked.weights(training, new.X)
    if y is not None:
        _check(model, asked, weights, training, new.X)
    return _labelled(weights, new.index, rows.index, sparse)


def _outcomes(asked: Smoother, y: Any, rows: Rows) -> np.ndarray:
    """Return outcomes in the order of the training rows: numbers, or labels of the classes."""
    if asked.classes is None:
        return read_targets(y, rows.X.shape[0], "y_train", index=rows.index, of="X_train").values
    table = as_pandas(y)
    if table is not None:
        order = matched(table.index, rows.index, "the rows of y_train", "those of X_train")
        y = table if order is None else table.iloc[order]
    y = np.asarray(y)
    if y.shape != (rows.X.shape[0],):
        raise ValueError(
            f"y_train must have shape ({rows.X.shape[0]},), one label for each training row, got {y.shape}"
        )
    strange = ~np.isin(y, asked.classes)
    if strange.any():
        raise ValueError(f"y_train, index {int(strange.argmax())}: {y[strange][0]!r} is not a class of the model")
    return y


def _sample_weight(sample_weight: Any, rows: Rows) -> np.ndarray:
    found = read_vector(sample_weight, "sample_weight", index=rows.index, of="X_train").values
    if len(found) != rows.X.shape[0]:
        raise ValueError(f"sample_weight has {len(found)} entries but there are {rows.X.shape[0]} training rows")
    if found.min() < 0 or not found.any():
        raise ValueError(f"sample_weight must be ≥ 0 and not all zero, got {found.min():g} at {int(found.argmin())}")
    return found


def _check(model: Any, asked: Smoother, weights: Matrix, training: Training, X: Any) -> None:
    """Raise unless the weights times the outcomes are what the model predicts, but for rounding."""
    y = training.y if asked.classes is None else (training.y[:, None] == asked.classes).astype(float)
    predicted = np.asarray(asked.predict(X, training.y) if asked.asks_outcomes else asked.predict(X), dtype=float)
    if not y.size == predicted.size // len(predicted) * training.n:
        raise ValueError(f"y_train has shape {y.shape} but {type(model).__name__} predicts {predicted.shape}")
    if weights.shape[1] != training.n:
        raise ValueError(f"X_train has {training.n} rows but {type(model).__name__} was fitted to {weights.shape[1]}")
    added = np.reshape(weights @ y, predicted.shape)
    room = asked.tolerance * np.reshape(abs(weights) @ np.abs(y), predicted.shape)
    miss = np.abs(added - predicted)
    if not (miss <= room + np.finfo(float).tiny).all():
        worst = np.unravel_index(np.nanargmax(miss - room), miss.shape)
        raise ValueError(
            f"the weights of {type(model).__name__} miss its predictions by up to {miss[worst]:g}: in row "
            f"{int(worst[0])} they add up to {added[worst]:g} but it predicts {predicted[worst]:g}; "
            "are X_train, the outcomes and sample_weight what it was fitted to, and did its solver converge?"
        )


def _labelled(weights: Matrix, rows: Index | None, columns: Index | None, sparse: bool | str) -> Any:
    """Return weights under the labels of their rows and columns, dense or sparse."""
    if sparse is False or (sparse == "auto" and not issparse(weights)):
        return named(weights.toarray() if issparse(weights) else np.asarray(weights), rows, columns)
    weights = csr_array(weights)
    if rows is None and columns is None:
        return weights
    import pandas as pd

    found = pd.DataFrame.sparse.from_spmatrix(weights, rows, columns)
    if all(kind.fill_value == 0 for kind in set(found.dtypes)):
        return found
    parts = [found.iloc[:, j].array for j in range(found.shape[1])]  # pandas 3.0 takes what is not stored for missing
    zeros = [pd.arrays.SparseArray(each.sp_values, sparse_index=each.sp_index, fill_value=0.0) for each in parts]
    return pd.DataFrame(dict(enumerate(zeros)), index=found.index).set_axis(found.columns, axis=1)
