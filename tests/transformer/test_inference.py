"""The decoder in NumPy says what the model in torch says, and refuses what it does not know."""

import numpy as np
import pytest
import torch

from regattn.transformer import Architecture, Decoder, LanguageModel, generate, load_shipped

SIZES = {"vocabulary": 13, "layers": 2, "context": 24, "width": 12, "n_heads": 3}


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a source of tokens."""
    return np.random.default_rng(3)


def trained(dtype=torch.float64, **design) -> LanguageModel:
    """Return a model whose norms and offsets are not the ones it began with."""
    model = LanguageModel(Architecture(**{**SIZES, **design}), rng=1).to(dtype).eval()
    chance = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=chance, dtype=dtype))
    return model


def in_parts(decoder: Decoder, tokens: np.ndarray, *parts: int) -> np.ndarray:
    return np.concatenate([decoder.read(part) for part in np.split(tokens, parts)])


@pytest.mark.parametrize("positions", ["none", "sinusoidal", "learned", "rotary"])
@pytest.mark.parametrize("norm", ["layer", "rms", "none"])
@pytest.mark.parametrize("bias", [True, False])
def test_logits_are_those_of_the_model_to_rounding(positions, norm, bias, rng):
    model = trained(positions=positions, norm=norm, bias=bias)
    tokens = rng.integers(0, 13, size=20)
    expected = model(torch.from_numpy(tokens)[None])[0].detach().numpy()
    found = in_parts(Decoder(model, capacity=20), tokens, 7, 8)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_rotary_clocks_of_another_base_are_those_of_the_model(rng):
    model, usual = trained(positions="rotary", base=5.0), trained(positions="rotary")
    tokens = rng.integers(0, 13, size=20)
    expected, other = (m(torch.from_numpy(tokens)[None])[0].detach().numpy() for m in (model, usual))
    np.testing.assert_allclose(Decoder(model, 20).read(tokens), expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    assert np.abs(expected - other).max() > 1e-3
    with pytest.raises(ValueError, match="base must be > 0, got 0"):
        trained(positions="rotary", base=0.0)


@pytest.mark.parametrize("activation", ["relu", "gelu", "silu", "tanh", "softmax", "identity"])
def test_every_activation_is_that_of_the_model(activation, rng):
    model = trained(activation=activation, tied=False)
    tokens = rng.integers(0, 13, size=9)
    expected = model(torch.from_numpy(tokens)[None])[0].detach().numpy()
    np.testing.assert_allclose(Decoder(model, 9).read(tokens), expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_the_shipped_model_agrees_in_single_precision(rng):
    model, _ = load_shipped()
    tokens = rng.integers(0, 105, size=64)
    expected = model(torch.from_numpy(tokens)[None])[0].detach().numpy()
    found = in_parts(Decoder(model, 64), tokens, *range(1, 64))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_model_of_half_precision_is_read_in_single_precision(dtype, rng):
    model, tokens = trained(dtype=dtype, positions="learned"), rng.integers(0, 13, size=9)
    found = Decoder(model, 9).read(tokens)
    expected = model.float()(torch.from_numpy(tokens)[None])[0].detach().numpy()
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


def test_nothing_read_later_moves_what_was_said(rng):
    model = trained(positions="rotary")
    a, b = rng.integers(0, 13, size=(2, 10))
    b[:6] = a[:6]
    first, second = (Decoder(model, 10).read(tokens) for tokens in (a, b))
    np.testing.assert_allclose(first[:6], second[:6], rtol=0, atol=1e-13 * np.abs(first).max())
    assert np.abs(first[6:] - second[6:]).max() > 1e-3


@pytest.mark.parametrize("temperature", [1.0, 0.0])
def test_one_text_is_continued_as_by_torch(temperature):
    model = trained(positions="learned")
    prompt = torch.tensor([[3, 1]])
    options = {"temperature": temperature, "rng": 5}
    one = generate(model, prompt, 22, **options)
    assert torch.equal(one, generate(model, prompt, 22, cached=False, **options))
    assert prompt.tolist() == [[3, 1]]


@pytest.mark.parametrize("texts", [1, 2])
@pytest.mark.parametrize("cached", [True, False])
def test_the_last_learned_position_is_read_and_the_token_after_it_drawn(texts, cached):
    model, prompt = trained(positions="learned"), torch.full((texts, 2), 3)  # 24 positions
    assert generate(model, prompt, 23, cached=cached).shape == (texts, 25)
    with pytest.raises(ValueError, match="has 24 rows, got 25 tokens"):
        generate(model, prompt, 24, cached=cached)
    assert Decoder(model, 24).read([1] * 24).shape == (24, 13)


def test_weights_are_copied():
    model = trained()
    decoder, tokens = Decoder(model, 4), np.array([1, 2, 3, 4])
    expected = Decoder(model, 4).read(tokens)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    np.testing.assert_array_equal(decoder.read(tokens), expected)


@pytest.mark.parametrize(
    ("design", "reason"),
    [
        ({"order": "post"}, "order 'post'"),
        ({"kernel": "identity"}, "kernel 'identity'"),
        ({"positions": "alibi"}, "alibi"),
    ],
)
def test_another_design_is_refused_by_name_and_generated_from_all_the_same(design, reason):
    model = trained(**design)
    with pytest.raises(ValueError, match=reason):
        Decoder(model, 5)
    assert generate(model, torch.tensor([[3]]), 4).shape == (1, 5)


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ([13], "from 0 to 12, got 13"),
        ([2, -1], "from 0 to 12, got -1"),
        ([1.0], "whole numbers"),
        ([[1]], r"shape \(T,\)"),
        ([], "whole numbers"),
        ([1] * 6, "room for 5 tokens, got 6"),
    ],
)
def test_bad_tokens_are_named_and_nothing_is_read(tokens, message):
    decoder = Decoder(trained(), 5)
    with pytest.raises(ValueError, match=message):
        decoder.read(tokens)
    assert decoder.length == 0


def test_a_learned_table_of_positions_ends():
    with pytest.raises(ValueError, match="has 24 rows, got 25 tokens"):
        Decoder(trained(positions="learned"), 25)
