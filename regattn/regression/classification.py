r"""Yes or no from inputs: logistic regression and small networks by descent, and whether their probabilities come true.

.. math:: p = \sigma(z_l), \qquad z_0 = W_0 x + b_0, \quad z_k = W_k\, a(z_{k-1}) + b_k

Without a hidden layer this is logistic regression. The same few lines of NumPy are the reference for the network that
trains in the reader's browser. Layers for real work are torch's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from regattn._activations import ACTIVATIONS
from regattn._rng import Rng, numpy_generator
from regattn._tables import Table, named, read_table, read_vector
from regattn._validation import check_count, check_finite, check_matrix, check_real, check_vector
from regattn.regression._walking import LearningRate, walk
from regattn.regression.trajectory import Trajectory

if TYPE_CHECKING:
    from pandas import Index, Series

__all__ = ["Network", "make_network", "network_descent"]

Layers = tuple[tuple[np.ndarray, np.ndarray], ...]
Passed = tuple[list[np.ndarray], list[np.ndarray]]  # the sums z of every layer, and what each layer took in
GAINS = {"relu": 2.0, "leaky_relu": 2.0, "gelu": 2.0, "silu": 2.0}  # they halve the signal; the others keep it


@dataclass(frozen=True, eq=False)
class Network:
    r"""A network for a yes or no: linear layers, an activation between them and none after the last.

    .. math:: z_0 = W_0 x + b_0, \qquad z_k = W_k\, a(z_{k-1}) + b_k, \qquad p = \sigma(z_l)

    Implements :eq:`network`; source: BP's perceptron, without the activation after the last layer.

    Attributes
    ----------
    layers : tuple of pairs (W, b)
        Weights of shape (outputs, inputs) and biases of shape (outputs,), from the first layer on; the last has one
        output.
    activation : {"tanh", "relu", "leaky_relu", "gelu", "silu", "identity"}
        What stands between the layers; "identity" is nothing, and then the whole is one linear layer.

    Examples
    --------
    >>> xor = Network((([[1, 1], [1, 1]], [0, -1]), ([[1, -2]], [-0.5])), activation="relu")
    >>> (xor.probabilities([[0, 0], [0, 1], [1, 0], [1, 1]]) > 0.5).tolist()
    [False, True, True, False]
    """

    layers: Layers
    activation: str = "tanh"

    def __post_init__(self) -> None:
        _check_activation(self.activation)
        if not self.layers:
            raise ValueError("a network needs at least one layer, got 0")
        checked = tuple((check_matrix(W, "W"), check_vector(b, "b")) for W, b in self.layers)
        for k, (W, b) in enumerate(checked):
            if len(W) != len(b):
                raise ValueError(f"layer {k} has {len(W)} rows of weights but {len(b)} biases")
            if k and W.shape[1] != len(checked[k - 1][1]):
                raise ValueError(f"layer {k} takes {W.shape[1]} inputs but layer {k - 1} has {len(checked[k - 1][1])}")
        if len(checked[-1][1]) != 1:
            raise ValueError(f"the last layer must have 1 output, got {len(checked[-1][1])}")
        object.__setattr__(self, "layers", checked)

    @property
    def parameters(self) -> np.ndarray:
        """Weights and biases in one vector, layer by layer, the weights row by row before the biases."""
        return np.concatenate([part.ravel() for layer in self.layers for part in layer])

    def at(self, parameters: ArrayLike) -> Network:
        """Return the network of the same shape with these parameters, in the order of :attr:`parameters`."""
        values = check_vector(parameters, "parameters", "(p,)")
        if len(values) != len(self.parameters):
            raise ValueError(f"the network has {len(self.parameters)} parameters, got {len(values)}")
        return Network(_unflatten(values, self.layers), self.activation)

    def hidden(self, X: ArrayLike) -> list[np.ndarray]:
        """Return what the units of each hidden layer answer to the rows of X: arrays of shape (n, width)."""
        return _forward(self.layers, self.activation, self._check(X).values)[1][1:]

    def logits(self, X: ArrayLike) -> np.ndarray | Series:
        """Return the number before the sigmoid for each row of X: shape (n,)."""
        X, index, _ = self._check(X)
        return named(self._logits(X), index)

    def probabilities(self, X: ArrayLike) -> np.ndarray | Series:
        """Return the probability of a yes for each row of X: shape (n,), each from 0 to 1."""
        X, index, _ = self._check(X)
        return named(expit(self._logits(X)), index)

    def loss(self, X: ArrayLike, y: ArrayLike) -> float:
        r"""Return the cross-entropy :math:`-\frac1n\sum_i y_i\log p_i + (1-y_i)\log(1-p_i)`, in nats."""
        X, index, _ = self._check(X)
        return _cross_entropy(self._logits(X), _check_classes(y, len(X), index=index))

    def gradient(self, X: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Return the gradient of :meth:`loss` by the parameters, in the order of :attr:`parameters`."""
        X, index, _ = self._check(X)
        passed = _forward(self.layers, self.activation, X)
        return _gradient(self.layers, self.activation, passed, _check_classes(y, len(X), index=index))

    def _logits(self, X: np.ndarray) -> np.ndarray:
        z = _forward(self.layers, self.activation, X)[0][-1][:, 0]
        check_finite(z, "the logits")
        return z

    def _check(self, X: ArrayLike) -> Table:
        table, width = read_table(X, "X"), self.layers[0][0].shape[1]
        if table.values.shape[1] != width:
            raise ValueError(f"X has {table.values.shape[1]} columns but the network takes {width}")
        return table


def make_network(
    sizes: Sequence[int], *, activation: str = "tanh", rng: Rng = 0, draws: Iterable[float] | None = None
) -> Network:
    r"""Return a network with random weights around zero, of the size that keeps the signal, and biases of zero.

    .. math:: W_k \sim U(-a, a), \qquad a = \sqrt{3 g / \text{inputs}}

    The variance is g over the number of inputs, with g = 2 for ReLU and its relatives and 1 otherwise. Source: eq. (3)
    of [RK]_ starts from U(0, 1), which a deep network does not survive.

    Parameters
    ----------
    sizes : sequence of int
        Inputs and widths of the hidden layers, such as (2, 4, 4); (2,) is logistic regression. The output is added.
    activation : str, default "tanh"
        As in :class:`Network`.
    rng : int or Generator, default 0
        Seed or source of chance.
    draws : iterable of float, optional
        Numbers from 0 to 1, in the order in which the weights take them, in place of chance.

    Returns
    -------
    Network
        The start of a descent.

    Raises
    ------
    ValueError
        If a size is below 1, the activation is unknown, or ``draws`` ends too early.

    Examples
    --------
    >>> network = make_network((2, 3), rng=np.random.default_rng(0))
    >>> [W.shape for W, _ in network.layers], len(network.parameters)
    ([(3, 2), (1, 3)], 13)
    """
    _check_activation(activation)
    sizes = [check_count(size, "a size") for size in sizes]
    if not sizes:
        raise ValueError("sizes must name at least the number of inputs, got none")
    rng, chance = numpy_generator(rng), None if draws is None else iter(draws)
    layers = []
    for into, out in pairwise([*sizes, 1]):
        count = into * out
        drawn = rng.uniform(size=count) if chance is None else np.array(list(islice(chance, count)), dtype=float)
        if len(drawn) < count:
            raise ValueError(f"draws ends after {len(drawn)} of the {count} weights of a layer")
        reach = math.sqrt(3 * GAINS.get(activation, 1.0) / into)
        layers.append((((2 * drawn - 1) * reach).reshape(out, into), np.zeros(out)))
    return Network(tuple(layers), activation)


def network_descent(  # noqa: PLR0913
    start: Network,
    X: ArrayLike,
    y: ArrayLike,
    *,
    learning_rate: LearningRate,
    steps: int | None = None,
    batches: Iterable[Any] | None = None,
    weight_decay: float = 0.0,
) -> Trajectory:
    r"""Return the trajectory of gradient descent on the cross-entropy of a network.

    .. math:: \theta_{t+1} = \theta_t - \eta\, (\nabla\mathcal{L}(\theta_t) + \delta\, W_t)

    With no hidden layer it is logistic regression by ascent on the log-likelihood. Implements :eq:`network-descent`;
    source: section 10.4 of [BR]_, with the sign of a loss.

    Parameters
    ----------
    start : Network
        Where it begins, such as :func:`make_network` returns.
    X : array of shape (n, p)
        Inputs; standardise them.
    y : array of shape (n,)
        Zeros and ones.
    learning_rate : float or callable
        The step size η > 0, or a function of the step number that returns it.
    steps : int, optional
        Number of full-batch steps; give this or ``batches``.
    batches : iterable of arrays of int, optional
        The rows of each step, such as :func:`regattn.regression.batches` yields.
    weight_decay : float, default 0
        δ ≥ 0: every step also takes ηδ of each weight away; biases are left alone.

    Returns
    -------
    Trajectory
        ``parameters`` as :attr:`Network.parameters`; ``losses`` are the cross-entropy over all rows, without the
        decay, in nats; ``diverged_at`` as in :func:`regattn.regression.gradient_descent`.

    Raises
    ------
    ValueError
        If shapes disagree, ``y`` holds anything but zeros and ones, a number is out of range, or neither or both of
        ``steps`` and ``batches`` are given.

    Examples
    --------
    >>> X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    >>> start = make_network((2, 4), rng=np.random.default_rng(1))
    >>> path = network_descent(start, X, y, learning_rate=1.0, steps=2000)
    >>> start.at(path.parameters[-1]).probabilities(X).round(1).tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    X, index, _ = start._check(X)
    y = _check_classes(y, len(X), index=index)
    decay = check_real(weight_decay, "weight_decay", least=0.0)
    if (steps is None) == (batches is None):
        raise ValueError(f"give either steps or batches, got steps={steps!r} and batches={type(batches).__name__}")
    if batches is None:
        batches = (slice(None) for _ in range(check_count(steps, "steps")))
    layers, point = start.layers, start.parameters
    decays = decay * np.concatenate([np.r_[np.ones(W.size), np.zeros(len(b))] for W, b in layers])
    passed = _forward(layers, start.activation, X)

    def step(point: np.ndarray, rows: Any, eta: float) -> tuple[np.ndarray, float]:
        nonlocal layers, passed
        through = passed if isinstance(rows, slice) else _forward(layers, start.activation, X[rows])
        point = point - eta * (_gradient(layers, start.activation, through, y[rows]) + decays * point)
        layers = _unflatten(point, layers)
        passed = _forward(layers, start.activation, X)
        return point, _cross_entropy(passed[0][-1][:, 0], y)

    loss = start.loss(X, y)
    return walk(step, point, loss, batches, n=len(X), learning_rate=learning_rate, scale=math.log(2))


def _forward(layers: Layers, activation: str, X: np.ndarray) -> Passed:
    """Return the sums z of every layer, and what each layer took in."""
    apply = ACTIVATIONS[activation].value
    sums, taken = [], [X]
    for k, (W, b) in enumerate(layers):
        sums.append(taken[-1] @ W.T + b)
        if k < len(layers) - 1:
            taken.append(apply(sums[-1]))
    return sums, taken


def _gradient(layers: Layers, activation: str, passed: Passed, y: np.ndarray) -> np.ndarray:
    """Return the gradient of the cross-entropy on rows that have passed: from the last layer back."""
    slope = ACTIVATIONS[activation].slope
    sums, taken = passed
    error = (expit(sums[-1]) - y[:, None]) / len(y)  # by the logit: probability minus outcome
    parts: list[np.ndarray] = []
    for k in reversed(range(len(layers))):
        parts = [(error.T @ taken[k]).ravel(), error.sum(axis=0), *parts]
        if k:
            error = (error @ layers[k][0]) * slope(sums[k - 1])
    return np.concatenate(parts)


def _cross_entropy(z: np.ndarray, y: np.ndarray) -> float:
    """Return the mean of log(1 + e^z) − yz, in the form that does not overflow."""
    return float(np.mean(np.maximum(z, 0) - y * z + np.log1p(np.exp(-np.abs(z)))))


def _unflatten(values: np.ndarray, like: Layers) -> Layers:
    layers, place = [], 0
    for W, b in like:
        middle = place + W.size
        layers.append((values[place:middle].reshape(W.shape), values[middle : middle + len(b)]))
        place = middle + len(b)
    return tuple(layers)


def _check_activation(activation: str) -> None:
    if not isinstance(activation, str) or activation not in ACTIVATIONS:
        raise ValueError(f"activation must be one of {', '.join(ACTIVATIONS)}, got {activation!r}")


def _check_classes(y: ArrayLike, n: int, name: str = "y", *, index: Index | None = None) -> np.ndarray:
    y = read_vector(y, name, index=index).values
    if len(y) != n:
        raise ValueError(f"{name} has {len(y)} entries but there are {n} rows")
    wrong = (y != 0) & (y != 1)
    if wrong.any():
        raise ValueError(f"{name} must hold zeros and ones, got {y[wrong][0]:g}")
    return y
