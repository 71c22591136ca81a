"""What a kernel is called decides nothing: its fields do. And `attend` is the weights times the values, by any road."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st
from scipy import sparse

from regattn import KERNELS, Kernel, attend, attention_weights, elu, nearest
from regattn.transformer import Architecture, LanguageModel, MultiHeadAttention
from regattn.transformer.inference import Decoder
from tests.bad_inputs.inputs import many

LIBRARIES = pytest.mark.parametrize("library", [np.asarray, torch.from_numpy])
m, n, d, d_v = 3, 7, 5, 2


def inputs(library) -> tuple:
    rng = np.random.default_rng(4)
    return tuple(library(rng.uniform(0.1, 1.0, size=shape)) for shape in ((m, d), (n, d), (n, d_v)))


def called(name: str):
    """Return a reader's function of the scores that has the name of a kernel of the package and is none of them."""

    def function(scores):
        return 2.0 * scores + 1.0

    function.__name__ = name
    return function


@LIBRARIES
@pytest.mark.parametrize("mask", [None, "causal"])
@pytest.mark.parametrize("name", KERNELS)
def test_a_readers_function_is_called_whatever_its_name(name, mask, library):
    queries, keys, values = inputs(library)
    scores = queries @ keys.mT  # the default scale of a function is 1
    weights = 2.0 * scores + 1.0
    if mask is not None:
        weights = weights * library(np.tri(m, n, n - m))
    np.testing.assert_allclose(attention_weights(queries, keys, kernel=called(name), mask=mask), weights, rtol=1e-12)
    np.testing.assert_allclose(
        attend(queries, keys, values, kernel=called(name), mask=mask), weights @ values, rtol=1e-12
    )


@LIBRARIES
@pytest.mark.parametrize("name", KERNELS)
def test_a_readers_kernel_weighs_as_it_says_whatever_its_name(name, library):
    queries, keys, values = inputs(library)
    kernel = Kernel(name, "s^2", lambda scores, mask: scores**2, True, False)
    expected = (queries @ keys.mT) ** 2 @ values
    np.testing.assert_allclose(attend(queries, keys, values, kernel=kernel), expected, rtol=1e-12)


@pytest.mark.parametrize("name", KERNELS)
def test_heads_of_a_transformer_do_not_ask_for_a_name(name):
    torch.manual_seed(1)
    layer = MultiHeadAttention(6, 2, kernel=called(name))
    assert layer.scale == 1.0
    x = torch.rand(2, 3, 6)
    q, k, v = (part.unflatten(-1, (2, 3)).transpose(1, 2) for part in layer.projection(x).split(6, dim=-1))
    heads = (2.0 * q @ k.mT + 1.0) @ v
    torch.testing.assert_close(layer(x), layer.output(heads.transpose(1, 2).flatten(2)))


def test_a_decoder_reads_softmax_and_nothing_that_is_called_so():
    sizes = {"vocabulary": 11, "layers": 1, "context": 7, "width": 6, "n_heads": 3}
    tokens = [3, 1, 4]
    model = LanguageModel(Architecture(**sizes, kernel=KERNELS["softmax"]))
    expected = model(torch.tensor([tokens]))[0].detach()
    np.testing.assert_allclose(Decoder(model, capacity=7).read(tokens), expected, rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="softmax weights, got kernel <function"):
        Decoder(LanguageModel(Architecture(**sizes, kernel=called("softmax"))), capacity=7)


@pytest.mark.parametrize("call", [attention_weights, lambda q, k, **how: attend(q, k, np.ones(2), **how)])
def test_sparse_codes_go_with_the_identity_kernel_and_with_nothing_that_is_called_so(call):
    codes = sparse.csr_array(np.eye(2))
    np.testing.assert_array_equal(call(codes, codes, kernel=KERNELS["identity"]), call(codes, codes, kernel="identity"))
    with pytest.raises(ValueError, match="sparse codes go with the identity kernel"):
        call(codes, codes, kernel=called("identity"))


def test_the_fields_of_a_kernel_decide():
    queries, keys, values = inputs(torch.from_numpy)
    wide = replace(KERNELS["identity"], name="mine", scaled_by_width=True, average=None)
    expected = queries @ keys.mT @ values / d**0.5
    torch.testing.assert_close(attend(queries, keys, values, kernel=wide), expected)
    ours = replace(KERNELS["softmax"], average=lambda q, k, v, scale, mask: torch.full((m, d_v), scale))
    assert torch.equal(attend(queries, keys, values, kernel=ours), torch.full((m, d_v), 1 / d**0.5))
    none = replace(ours, average=lambda *_: None)
    torch.testing.assert_close(attend(queries, keys, values, kernel=none), attend(queries, keys, values))


def test_softmax_without_its_short_road_has_second_derivatives():
    tensors = [x.requires_grad_() for x in inputs(torch.from_numpy)]
    plain = replace(KERNELS["softmax"], average=None)
    assert torch.autograd.gradgradcheck(lambda q, k, v: attend(q, k, v, kernel=plain), tensors)


@many(300)
@given(st.data())
def test_attend_is_the_weights_times_the_values_for_every_kernel_mask_and_shape(data):
    kernels = [*KERNELS.values(), elu(0.5), nearest(2), np.abs, called("identity"), called("softmax")]
    kernel = data.draw(st.sampled_from(kernels))
    m, d, d_v = (data.draw(st.integers(1, 5)) for _ in range(3))
    n = m + data.draw(st.integers(1, 3))
    shapes = [(m, d), (n, d), (n, d_v)]
    for axis in range(data.draw(st.integers(0, 3))):  # leading axes: each input has its own, or one that repeats
        size = data.draw(st.integers(1, 3))
        shapes = [(data.draw(st.sampled_from([1, size])) if axis else size, *shape) for shape in shapes]
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    queries, keys, values = (rng.uniform(0.1, 2.0, size=shape) for shape in shapes)
    allowed = rng.random((m, n)) < 0.6
    allowed[:, [0, -1]] = True
    mask = data.draw(st.sampled_from([None, "causal", allowed, np.broadcast_to(allowed[:1], (m, n))]))
    scale = data.draw(st.sampled_from([None, 1.0, 0.3]))
    options = {"kernel": kernel, "mask": mask, "scale": scale}
    if data.draw(st.booleans()) and kernel is not np.abs:
        queries, keys, values = map(torch.from_numpy, (queries, keys, values))
    expected = attention_weights(queries, keys, **options) @ values
    np.testing.assert_allclose(attend(queries, keys, values, **options), expected, rtol=1e-10, atol=1e-12)


@LIBRARIES
@pytest.mark.parametrize("kernel", [k for k in KERNELS if k not in ("identity", "exponential")])
def test_rows_that_promise_to_sum_to_one_do_at_extreme_scales(kernel, library):
    queries, keys, _ = inputs(library)
    for scale in (1e-12, 1e-3, 1.0, 1e3, 1e12):
        weights = attention_weights(queries, keys, kernel=kernel, scale=scale)
        np.testing.assert_allclose(weights.sum(-1), 1.0, rtol=1e-12)


@LIBRARIES
@pytest.mark.parametrize("copies", [1, 60])  # few distances are taken from differences, many are repaired by them
@pytest.mark.parametrize("far", [1e4, 1e9])
def test_distances_to_keys_near_each_other_survive_a_key_far_away(far, copies, library):
    keys = library(np.array([[0.0], [1.0], [3.0], [far]]))
    queries = library(np.tile([[0.9]], (copies * 100, 1)))
    np.testing.assert_array_equal(attention_weights(queries, keys, kernel="nearest")[-1], [0, 1, 0, 0])
    g = np.exp(-np.square([0.9, 0.1, 2.1]) / 2)
    found = attention_weights(queries, keys, kernel="gaussian")
    np.testing.assert_allclose(found[-1], [*g / g.sum(), 0.0], rtol=1e-12)


def test_single_precision_finds_the_nearest_of_keys_that_differ_in_size():
    keys = np.float32([[0], [1], [1e4]])
    for copies in (1, 20_000):
        weights = attention_weights(np.full((copies, 1), 0.9, np.float32), keys, kernel="nearest")
        np.testing.assert_array_equal(weights[-1], [0, 1, 0])


@many(100)
@given(seed=st.integers(0, 999), offset=st.sampled_from([0.0, 1e3, 1e6]), spread=st.sampled_from([1e-4, 1.0]))
def test_the_gaussian_kernel_is_that_of_extended_precision_however_far_from_zero(seed, offset, spread):
    rng = np.random.default_rng(seed)
    rows = offset + spread * rng.integers(-20, 20, size=(83, 3))  # more differences than are taken at once
    exact = rows.astype(np.longdouble)
    squared = ((exact[:, None] - exact[None]) ** 2).sum(axis=-1)
    g = np.exp(-squared / 2)
    expected = (g / g.sum(axis=1, keepdims=True)).astype(float)
    np.testing.assert_allclose(attention_weights(rows, rows, kernel="gaussian"), expected, rtol=1e-9, atol=1e-300)


def test_gradients_pass_through_distances_that_are_recomputed():
    generator = torch.Generator().manual_seed(2)
    keys = torch.rand(67, 2, dtype=torch.float64, generator=generator)
    keys[-1] = 1e7
    queries = torch.rand(131, 2, dtype=torch.float64, generator=generator)
    tensors = [queries.requires_grad_(), keys.requires_grad_()]
    attention_weights(*tensors, kernel="gaussian")[:, 0].sum().backward()
    close = keys.detach()[:-1].clone().requires_grad_()  # without the far key, which has no weight
    other = queries.detach().clone().requires_grad_()
    g = torch.exp(-torch.cdist(other, close).square() / 2)
    (g / g.sum(-1, keepdim=True))[:, 0].sum().backward()
    torch.testing.assert_close(tensors[0].grad, other.grad, rtol=1e-7, atol=1e-9)
    torch.testing.assert_close(tensors[1].grad[:-1], close.grad, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("scale", [np.array(0.5), np.float32(0.5), torch.tensor(0.5), torch.tensor(0.5).double()])
def test_a_scale_may_be_an_array_without_axes(scale):
    for library in (np.asarray, torch.from_numpy):
        queries, keys, values = inputs(library)
        np.testing.assert_array_equal(
            attend(queries, keys, values, scale=scale), attend(queries, keys, values, scale=0.5)
        )


@pytest.mark.parametrize(
    ("scale", "message"),
    [
        (torch.tensor(0.5, requires_grad=True), r"scale requires grad, but no gradient passes here; give scale.detach"),
        (np.array([0.5]), r"scale must be a finite number, got array\(\[0.5\]\)"),
        (np.array(np.inf), "scale must be a finite number, got inf"),
        (np.array(True), "scale must be a finite number, got True"),
        (np.datetime64("2020-01-01", "ns"), "scale must be a finite number, got"),
        (torch.tensor(0.5, device="meta"), "scale must be a finite number, got"),
        (10**400, "scale must be a finite number, got 10000"),
    ],
)
def test_a_scale_that_is_no_number_is_named(scale, message):
    with pytest.raises(ValueError, match=message):
        attend(*inputs(np.asarray), scale=scale)


def test_heads_that_do_not_broadcast_are_named_with_their_numbers():
    queries, keys = torch.rand(2, 6, 3, 5), torch.rand(2, 3, 7, 5)
    with pytest.raises(ValueError, match=r"must be equal, or 1 .* got \(2, 6\) of queries, \(2, 3\) of keys, \(2, 3\)"):
        attend(queries, keys, keys)
    with pytest.raises(ValueError, match=r"got \(2, 6\) of queries, \(2, 3\) of keys$"):
        attention_weights(queries.numpy(), keys.numpy())
