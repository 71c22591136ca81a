"""The backward pass by hand is torch's, and so are its steps."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from regattn.transformer import Architecture, LanguageModel, next_token_loss
from regattn.transformer._by_hand import BETAS, Adam, Sizes, first_weights, heads_weights, logits, loss_and_gradient

THEIRS = {
    "gain_1": "norm_1.weight",
    "projection": "attention.projection.weight",
    "output": "attention.output.weight",
    "gain_2": "norm_2.weight",
    "keys": "feed_forward.keys.weight",
    "values": "feed_forward.values.weight",
}


def turned(name: str, array: np.ndarray) -> np.ndarray:
    """Return a matrix of ours as torch has it, (out, in), or back; the embedding stands alike in both."""
    return array.T if name.partition(".")[0] in ("projection", "output", "keys", "values") else array


def in_torch(sizes: Sizes, weights) -> tuple[LanguageModel, dict]:
    """Return the package's model with these weights, and its parameters by our names."""
    V, D, H, F, L = sizes
    design = Architecture(
        vocabulary=V, width=D, n_heads=H, hidden=F, layers=L, context=64, norm="rms", activation="relu", bias=False,
        positions="rotary",
    )  # fmt: skip
    model = LanguageModel(design).double()
    named = dict(model.named_parameters())
    ours = {"embedding": named["embedding.weight"], "gain": named["final_norm.weight"]}
    for name in weights:
        part, _, k = name.partition(".")
        if k:
            ours[name] = named[f"blocks.{k}.{THEIRS[part]}"]
    with torch.no_grad():
        for name, parameter in ours.items():
            turned = (
                weights[name].T
                if name.partition(".")[0] in ("projection", "output", "keys", "values")
                else weights[name]
            )
            parameter.copy_(torch.from_numpy(turned))
    return model, ours


@pytest.mark.parametrize("layers", [1, 2])
def test_loss_gradient_and_weights_are_those_of_autograd(layers):
    rng = np.random.default_rng(3)
    sizes = Sizes(vocabulary=11, width=12, n_heads=3, hidden=17, layers=layers)
    weights = first_weights(sizes, iter(rng.random(5000)))
    weights |= {name: rng.uniform(0.5, 1.5, w.shape) for name, w in weights.items() if w.ndim == 1}
    tokens = rng.integers(0, 11, (5, 8))
    model, ours = in_torch(sizes, weights)
    loss = next_token_loss(model, torch.from_numpy(tokens))
    loss.backward()
    found, gradient = loss_and_gradient(sizes, weights, tokens)
    assert found == pytest.approx(loss.item(), rel=1e-12)
    assert list(gradient) == list(weights)
    for name, parameter in ours.items():
        wanted = turned(name, parameter.grad.numpy())
        np.testing.assert_allclose(gradient[name], wanted, rtol=1e-9, atol=1e-12, err_msg=name)
    read = torch.from_numpy(tokens[:, :-1])
    np.testing.assert_allclose(logits(sizes, weights, tokens[:, :-1]), model(read).detach().numpy(), atol=1e-12)
    np.testing.assert_allclose(heads_weights(sizes, weights, tokens[:, :-1]), model.trace(read).weights, atol=1e-12)


def test_fifty_steps_are_those_of_torch_and_its_adam():
    rng = np.random.default_rng(4)
    sizes = Sizes(vocabulary=7, width=8, n_heads=2, hidden=12, layers=1)
    weights = first_weights(sizes, iter(rng.random(2000)))
    model, ours = in_torch(sizes, weights)
    optimiser, adam = torch.optim.Adam(model.parameters(), lr=0.01, betas=BETAS), Adam(weights)
    for _ in range(50):
        tokens = rng.integers(0, 7, (4, 6))
        optimiser.zero_grad()
        next_token_loss(model, torch.from_numpy(tokens)).backward()
        optimiser.step()
        adam.move(weights, loss_and_gradient(sizes, weights, tokens)[1], 0.01)
    for name, parameter in ours.items():
        wanted = turned(name, parameter.detach().numpy())
        np.testing.assert_allclose(weights[name], wanted, rtol=0, atol=1e-9, err_msg=name)
