"""The ridge regression on a network's last layer: its weights are its own, and it says how far the network is."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.neural_network import MLPRegressor
from sklearn.preprocessing import StandardScaler

from regattn import observation_weights
from regattn.attribution import last_layer
from tests.attribution.models import DATA, data


def trained(name, seed, **more):
    X, y, new = data(name)
    scale = StandardScaler().fit(X)
    X, new, y = scale.transform(X), scale.transform(new), (y - y.mean()) / y.std()
    settings = {"hidden_layer_sizes": (9, 5), "solver": "lbfgs", "alpha": 1.0, "random_state": seed, "max_iter": 400}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MLPRegressor(**settings | more).fit(X, y), X, y, new


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", DATA)
def test_weights_are_those_of_ridge_on_the_hidden_units_and_near_the_network(name, seed):
    network, X, y, new = trained(name, seed)
    model = last_layer(network, X, y, ridge=network.alpha)
    found = observation_weights(model, X, new, y_train=y)
    fit = Ridge(network.alpha).fit(model.hidden(X), y)
    np.testing.assert_allclose(found @ y, fit.predict(model.hidden(new)), atol=1e-8)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert model.miss == pytest.approx(
        np.sqrt(np.mean((fit.predict(model.hidden(X)) - network.predict(X)) ** 2)), rel=1e-6
    )
    assert model.miss < 0.02  # trained to the end, the last layer is that ridge regression
    left_out = observation_weights(model, X)
    assert not np.diag(left_out).any()


@pytest.mark.parametrize("activation", ["identity", "logistic", "tanh", "relu"])
def test_the_last_layer_of_what_is_handed_to_it_is_the_network(activation):
    network, X, y, _ = trained("waves", 0, activation=activation, max_iter=20)
    hidden = last_layer(network, X, y, ridge=1.0).hidden(X)
    np.testing.assert_allclose(hidden @ network.coefs_[-1][:, 0] + network.intercepts_[-1], network.predict(X))


def test_a_module_of_torch_is_asked_by_the_linear_that_is_called_last():
    torch = pytest.importorskip("torch", reason="the extra torch")
    torch.manual_seed(0)
    X, y, new = data("waves")
    network = torch.nn.Sequential(torch.nn.Linear(6, 7), torch.nn.Tanh(), torch.nn.Dropout(0.5), torch.nn.Linear(7, 1))
    model = last_layer(network, X, y, ridge=2.0)
    with torch.no_grad():
        hidden = torch.tanh(network[0](torch.tensor(X, dtype=torch.float32))).double().numpy()
    np.testing.assert_allclose(model.hidden(X), hidden, atol=1e-6)
    np.testing.assert_allclose(observation_weights(model, X, new) @ y, model.predict(new))
    assert network.training
    assert model.miss > 0.1  # nobody has trained it


def test_a_network_itself_is_refused_and_told_the_way():
    network, X, _, new = trained("waves", 0, max_iter=5)
    with pytest.raises(
        ValueError, match=r"MLPRegressor has no weights on observations .*regattn\.attribution\.last_layer asks"
    ):
        observation_weights(network, X, new)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda n, X, y: last_layer(n, X, y, ridge=-1.0), "ridge must be ≥ 0, got -1"),
        (lambda n, X, y: last_layer(n, X, y[1:], ridge=1.0), "y_train has 109 entries"),
        (lambda n, X, y: last_layer(n, X, np.c_[y, y], ridge=1.0), r"y_train must have shape \(n,\), one target"),
        (lambda n, X, y: last_layer(Ridge(), X, y, ridge=1.0), "a fitted MLPRegressor or a torch Module, got Ridge"),
        (lambda n, X, y: last_layer(MLPRegressor(), X, y, ridge=1.0), "a fitted MLPRegressor"),
        (lambda n, X, y: observation_weights(last_layer(n, X, y, ridge=1.0), X[::-1], X), "row 0 differs"),
    ],
)
def test_refusals_name_what_is_wrong(call, message):
    network, X, y, _ = trained("waves", 0, max_iter=5)
    with pytest.raises(ValueError, match=message):
        call(network, X, y)
