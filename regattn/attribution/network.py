"""A network has no weights on observations; the ridge regression on its last layer has, and is called that."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from regattn._tables import read_table, read_targets
from regattn._types import Table
from regattn._validation import check_real
from regattn.attribution._linear import leave_one_out, ridge_matrix
from regattn.attribution._sklearn import check_rows, refuse_weights
from regattn.attribution._training import Training
from regattn.attribution.smoother import Smoother, smoother

if TYPE_CHECKING:
    from sklearn.neural_network import MLPRegressor
    from torch.nn import Module

__all__ = ["LastLayer", "last_layer"]


@dataclass(frozen=True, eq=False)
class LastLayer:
    r"""The ridge regression of the outcomes on what a network hands to its last layer; made by :func:`last_layer`.

    .. math:: \hat y(x) = \bar y + (h(x) - \bar h)^\top (H^\top H + \lambda I)^{-1} H^\top (y - \bar y)

    with hidden units h and their centred training rows H. It is another model than the network, near it where the
    network has been trained to the end.

    Attributes
    ----------
    network : object
        Whose hidden units are used, as they are.
    X, y : ndarray of shapes (n, p) and (n,)
        Training rows and outcomes.
    ridge : float
        λ.
    miss : float
        Root mean square of the difference to the network's own predictions at the training rows, in units of the
        standard deviation of the outcomes.

    Examples
    --------
    >>> from sklearn.neural_network import MLPRegressor
    >>> X = np.linspace(-1.0, 1.0, 40)[:, None]
    >>> y = X[:, 0] ** 2
    >>> network = MLPRegressor(hidden_layer_sizes=8, solver="lbfgs", alpha=0.1, random_state=0, max_iter=2000)
    >>> last_layer(network.fit(X, y), X, y, ridge=0.1).miss < 0.01
    True
    """

    network: object
    X: np.ndarray
    y: np.ndarray
    ridge: float
    miss: float = np.nan

    def hidden(self, X: Table) -> np.ndarray:
        """Return what the network hands to its last layer, shape (m, units)."""
        return _hidden(self.network, read_table(X, "X").values)

    def weights(self, X_new: Table) -> np.ndarray:
        """Return the weight of each training outcome at new rows, shape (m, n); each row sums to one."""
        return ridge_matrix(Training(self.hidden(self.X)), self.hidden(X_new), self.ridge, True)

    def predict(self, X: Table) -> np.ndarray:
        """Return the predictions of the ridge regression, which are not quite the network's, shape (m,)."""
        from sklearn.linear_model import Ridge

        fit = Ridge(self.ridge, solver="svd").fit(self.hidden(self.X), self.y)
        return fit.predict(self.hidden(X))


def last_layer(network: MLPRegressor | Module, X_train: Table, y_train: ArrayLike, *, ridge: float) -> LastLayer:
    """Return the ridge regression on the last layer of a network, whose weights on observations can be asked.

    Parameters
    ----------
    network : MLPRegressor of scikit-learn or Module of torch
        Trained. Of a module the last layer is the ``Linear`` that is called last; it must take rows of shape (m, p).
    X_train : array or DataFrame of shape (n, p)
        Training rows, in the units that the network takes.
    y_train : array or Series of shape (n,)
        Training outcomes.
    ridge : float ≥ 0
        The penalty λ on the last layer. For an MLPRegressor trained to the end it is its ``alpha``.

    Returns
    -------
    LastLayer
        Which :func:`observation_weights` takes in place of a model; its ``miss`` says how far it is from the network.

    Raises
    ------
    ValueError
        If the network is of another kind, has no hidden layer, sizes differ or a number is not finite.

    Examples
    --------
    >>> from sklearn.neural_network import MLPRegressor
    >>> from regattn import observation_weights
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.0, 1.0, 4.0, 9.0])
    >>> network = MLPRegressor(hidden_layer_sizes=3, solver="lbfgs", random_state=1, max_iter=500).fit(X, y)
    >>> observation_weights(last_layer(network, X, y, ridge=0.1), X, [[1.5]]).sum().round(9)
    np.float64(1.0)
    """
    ridge = check_real(ridge, "ridge", least=0.0)
    rows = read_table(X_train, "X_train")
    y = read_targets(y_train, len(rows.values), "y_train", index=rows.index, of="X_train").values
    if y.ndim != 1:
        raise ValueError(f"y_train must have shape (n,), one target, got shape {y.shape}")
    found = LastLayer(network, rows.values, y, ridge)
    apart = found.predict(rows.values) - _said(network, rows.values)
    return LastLayer(network, rows.values, y, ridge, float(np.sqrt(np.mean(apart**2)) / (y.std() or 1.0)))


def _hidden(network: Any, X: np.ndarray) -> np.ndarray:
    if _is_module(network):
        return _called(network, X)[0]
    if type(network).__name__ != "MLPRegressor" or not hasattr(network, "coefs_"):
        raise ValueError(f"network must be a fitted MLPRegressor or a torch Module, got {network!r:.80}")
    from sklearn.neural_network._base import ACTIVATIONS

    for weights, level in zip(network.coefs_[:-1], network.intercepts_[:-1], strict=True):
        X = X @ weights + level
        ACTIVATIONS[network.activation](X)  # in place
    return X


def _said(network: Any, X: np.ndarray) -> np.ndarray:
    """Return the predictions of the network itself."""
    return _called(network, X)[1] if _is_module(network) else np.asarray(network._predict(X)).ravel()


def _is_module(network: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(network, torch.nn.Module)


def _called(network: Any, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what a module hands to the Linear that it calls last, and what it returns, in evaluation mode."""
    import torch

    linear, seen = [each for each in network.modules() if isinstance(each, torch.nn.Linear)], []
    if not linear:
        raise ValueError(f"network must have a Linear layer, got {type(network).__name__} without one")
    hooks = [each.register_forward_pre_hook(lambda _, given: seen.append(given[0])) for each in linear]
    like, training = linear[-1].weight, network.training
    try:
        with torch.no_grad():
            out = network.eval()(torch.as_tensor(X, dtype=like.dtype, device=like.device))
    finally:
        network.train(training)
        for hook in hooks:
            hook.remove()
    hidden, out = (part.double().cpu().numpy() for part in (seen[-1], out))
    if hidden.ndim != 2 or out.size != len(X):
        raise ValueError(
            f"network must make one number of each row out of hidden units, got {out.shape} out of {hidden.shape}"
        )
    return hidden, out.ravel()


@smoother.register(LastLayer)
def _(model: Any) -> Smoother:
    def weights(training: Training, X_new: Table) -> np.ndarray:
        refuse_weights(model, training)
        check_rows(model, model.X, training)
        return model.weights(X_new)

    def held_out(training: Training) -> np.ndarray:
        return leave_one_out(weights(training, training.X))

    return Smoother(weights, model.predict, held_out, model.y)
