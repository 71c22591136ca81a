"""NetworkClassifier: torch's training by hand, an estimator to scikit-learn, and codes with a linear rule on them."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict
from torch import nn
from torch.nn import functional

from regattn.regression import NetworkClassifier

N, P = 83, 5
torch.set_num_threads(1)


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, P))
    return X, np.array(["a", "b", "c"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)]


@pytest.fixture
def network():
    return nn.Sequential(nn.Linear(P, 7), nn.ReLU(), nn.Linear(7, 3))


def test_it_is_the_loop_of_torch_from_the_same_start(data, network):
    X, y = data
    options = {"learning_rate": 0.02, "weight_decay": 0.1, "batch_size": 16, "random_state": 9}
    begin = NetworkClassifier(network, epochs=0, **options).fit(X, y).network_
    ours = NetworkClassifier(network, epochs=3, **options).fit(X, y)
    x, target = torch.tensor(X, dtype=torch.float32), torch.tensor(np.unique(y, return_inverse=True)[1])
    theirs, chance = copy.deepcopy(begin).train(), torch.Generator().manual_seed(9)
    optimiser = torch.optim.AdamW(theirs.parameters(), lr=0.02, weight_decay=0.1)
    for _ in range(3):
        for rows in torch.randperm(N, generator=chance).split(16):
            optimiser.zero_grad()
            functional.cross_entropy(theirs(x[rows]), target[rows]).backward()
            optimiser.step()
    with torch.no_grad():  # single precision: sums in another order differ in the last digits
        np.testing.assert_allclose(ours.logits(X), theirs(x), rtol=1e-3, atol=1e-4)


def test_it_learns_and_works_where_scikit_learn_takes_an_estimator(data, network):
    X, y = data
    model = NetworkClassifier(network, epochs=60)
    read = cross_val_predict(model, X, y, cv=4)
    assert np.mean(read == y) > 0.75 > np.mean(y == "b") + 0.2
    again = clone(model).fit(X, y)
    assert again.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(again.predict_proba(X).sum(axis=1), 1)


def test_the_last_layer_is_a_linear_rule_on_the_codes(data, network):
    model = NetworkClassifier(network, epochs=2).fit(*data)
    last = model.network_[-1]
    by_hand = model.codes(data[0]) @ last.weight.detach().numpy().T + last.bias.detach().numpy()
    np.testing.assert_allclose(model.logits(data[0]), by_hand, rtol=1e-4, atol=1e-5)  # single precision


def test_the_seed_decides_and_nothing_outside_is_touched(data, network):
    before, state = copy.deepcopy(network.state_dict()), torch.random.get_rng_state()
    fits = [NetworkClassifier(network, epochs=1, random_state=seed).fit(*data).logits(data[0]) for seed in (4, 4, 5)]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert not np.allclose(fits[0], fits[2])
    assert torch.equal(torch.random.get_rng_state(), state)
    assert all(torch.equal(value, before[name]) for name, value in network.state_dict().items())


def test_weights_begin_as_asked(data, network):
    drawn = NetworkClassifier(network, epochs=0, initial=nn.init.uniform_).fit(*data).network_
    assert all(0 <= layer.weight.min() < layer.weight.max() <= 1 for layer in (drawn[0], drawn[2]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epochs": -1}, "epochs must be ≥ 0, got -1"),
        ({"batch_size": 0}, "batch_size must be ≥ 1, got 0"),
        ({"learning_rate": 0.0}, "learning_rate must be > 0, got 0"),
        ({"weight_decay": -0.5}, "weight_decay must be ≥ 0, got -0.5"),
        ({"random_state": -1}, "random_state must be ≥ 0, got -1"),
        ({"network": nn.Linear(P, 3)}, "network must be a torch.nn.Sequential, got Linear"),
        ({"network": nn.Sequential(nn.Linear(P, 4))}, "the network has 4 outputs but y has 3 classes"),
    ],
)
def test_bad_settings_are_refused(data, network, options, message):
    with pytest.raises(ValueError, match=message):
        NetworkClassifier(**({"network": network} | options)).fit(*data)


def test_rows_of_another_width_are_refused(data, network):
    model = NetworkClassifier(network, epochs=0).fit(*data)
    with pytest.raises(ValueError, match="X has 4 features, but NetworkClassifier is expecting 5"):
        model.predict(data[0][:, :4])
