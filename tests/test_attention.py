"""The one mechanism: its definition, its parity with torch and scikit-learn, its fast roads and its errors."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st
from sklearn.neighbors import KNeighborsRegressor
from torch.nn import functional

from regattn import KERNELS, attend, attention, attention_weights, causal_mask, elu, nearest, others_mask
from regattn._validation import size

ROWS = 11


@pytest.fixture
def rng():
    return np.random.default_rng(20)


@pytest.fixture
def triple(rng):
    """Queries (2, 3, 7, 5), keys (2, 3, 11, 5), values (2, 3, 11, 13): every axis another length."""
    return rng.normal(size=(2, 3, 7, 5)), rng.normal(size=(2, 3, ROWS, 5)), rng.normal(size=(2, 3, ROWS, 13))


def slow_weights(query, keys, kernel, scale):
    """Return one row of weights by the textbook formula, one key at a time."""
    products = [scale * sum(a * b for a, b in zip(query, key, strict=True)) for key in keys]
    distances = [sum((a - b) ** 2 for a, b in zip(query, key, strict=True)) for key in keys]
    g = {
        "identity": products,
        "exponential": [np.exp(s) for s in products],
        "softmax": [np.exp(s) for s in products],
        "relu": [max(0.0, s) for s in products],
        "elu": [s if s > 0 else np.exp(s) - 1 for s in products],
        "gaussian": [np.exp(-scale * d / 2) for d in distances],
        "nearest": [float(d == min(distances)) for d in distances],
    }[kernel]
    return np.array(g) / (1 if kernel in ("identity", "exponential") else sum(g))


@pytest.mark.parametrize("kernel", KERNELS)
def test_weights_are_the_textbook_formula_one_key_at_a_time(kernel, rng):
    queries, keys = rng.normal(size=(7, 5)), rng.normal(size=(ROWS, 5))
    expected = [slow_weights(q, keys, kernel, 0.7) for q in queries]
    np.testing.assert_allclose(attention_weights(queries, keys, kernel=kernel, scale=0.7), expected, rtol=1e-10)


@pytest.mark.parametrize("mask", [None, "others"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_attend_is_weights_times_values(kernel, mask, triple):
    queries, keys, values = triple
    queries = np.abs(np.concatenate([queries, queries[..., :4, :]], axis=-2))  # relu needs a positive score in each row
    mask = others_mask(ROWS) if mask else None
    weights = attention_weights(queries, keys, kernel=kernel, mask=mask)
    np.testing.assert_allclose(
        attend(queries, keys, values, kernel=kernel, mask=mask), weights @ values, rtol=1e-9, atol=1e-11
    )


@pytest.mark.parametrize("mask", [None, "causal"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_torch_and_numpy_agree(kernel, mask, triple):
    queries, keys, values = (np.abs(x) for x in triple)
    tensors = [torch.from_numpy(x) for x in (queries, keys, values)]
    ours = attend(*tensors, kernel=kernel, mask=mask)
    assert isinstance(ours, torch.Tensor)
    np.testing.assert_allclose(ours, attend(queries, keys, values, kernel=kernel, mask=mask), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k != "nearest"])
def test_gradients_reach_queries_keys_and_values(kernel):
    generator = torch.Generator().manual_seed(3)
    tensors = [
        torch.rand(shape, dtype=torch.float64, generator=generator, requires_grad=True)
        for shape in ((3, 2), (5, 2), (5, 1))
    ]
    assert torch.autograd.gradcheck(lambda q, k, v: attend(q, k, v, kernel=kernel), tensors)


def test_weights_of_a_query_that_promise_to_sum_to_one_do(triple):
    queries, keys, _ = (np.abs(x) for x in triple)
    for name, kernel in KERNELS.items():
        sums = attention_weights(queries, keys, kernel=name).sum(axis=-1)
        assert np.allclose(sums, 1.0, atol=1e-12) == kernel.rows_sum_to_one, name


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 6), size=st.floats(1e-3, 1e3))
def test_weights_that_promise_to_be_non_negative_are(seed, n, size):
    rng = np.random.default_rng(seed)
    queries, keys = size * rng.normal(size=(n, 3)), size * rng.normal(size=(n + 1, 3))
    for name in ("softmax", "gaussian", "nearest"):
        weights = attention_weights(queries, keys, kernel=name)
        assert KERNELS[name].non_negative
        assert weights.min() >= 0
        np.testing.assert_allclose(weights.sum(axis=-1), 1.0, rtol=1e-12)


def test_softmax_equals_scaled_dot_product_attention(triple):
    queries, keys, values = (torch.from_numpy(x) for x in triple)
    expected = functional.scaled_dot_product_attention(queries, keys, values)
    torch.testing.assert_close(attend(queries, keys, values), expected, rtol=1e-12, atol=1e-12)
    allowed = torch.from_numpy(np.random.default_rng(1).random((7, ROWS)) < 0.6) | (torch.arange(ROWS) == 3)
    expected = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=allowed)
    torch.testing.assert_close(attend(queries, keys, values, mask=allowed), expected, rtol=1e-12, atol=1e-12)


def test_one_head_equals_torch_multihead_attention(rng):
    torch.manual_seed(5)
    layer = torch.nn.MultiheadAttention(6, 1, batch_first=True, dtype=torch.float64)
    x, context = torch.from_numpy(rng.normal(size=(1, 7, 6))), torch.from_numpy(rng.normal(size=(1, ROWS, 6)))
    W, b = layer.in_proj_weight.split(6), layer.in_proj_bias.split(6)
    queries, keys, values = (z @ w.T + c for z, w, c in zip((x, context, context), W, b, strict=True))
    ours = attend(queries, keys, values) @ layer.out_proj.weight.T + layer.out_proj.bias
    expected, weights = layer(x, context, context)
    torch.testing.assert_close(ours, expected, rtol=1e-10, atol=1e-10)
    torch.testing.assert_close(attention_weights(queries, keys), weights, rtol=1e-10, atol=1e-10)


def test_nearest_equals_scikit_learn_neighbours(rng):
    X, y, X_new = rng.normal(size=(53, 3)), rng.normal(size=53), rng.normal(size=(17, 3))
    expected = KNeighborsRegressor(5).fit(X, y).predict(X_new)
    np.testing.assert_allclose(attend(X_new, X, y, kernel=nearest(5)), expected, rtol=1e-12)


@pytest.mark.parametrize("kernel", ["nearest", nearest()])
def test_nearest_without_a_number_is_the_nearest_one(kernel):
    np.testing.assert_array_equal(attention_weights([[1.0]], [[5.0], [2.0], [0.5]], kernel=kernel), [[0, 0, 1]])


def test_nearest_breaks_ties_in_favour_of_the_first_key():
    weights = attention_weights([[0.0]], [[1.0], [-1.0], [1.0]], kernel=nearest(2))
    np.testing.assert_array_equal(weights, [[0.5, 0.5, 0.0]])


@pytest.mark.parametrize("convert", [np.asarray, torch.tensor])
def test_nearest_needs_k_keys_in_the_narrowest_row_of_a_mask(convert):
    queries, keys = convert([[0.0], [5.0]]), convert([[1.0], [2.0], [4.0]])
    mask = convert([[True, True, True], [False, False, True]])
    weights = attention_weights(queries, keys, kernel=nearest(1), mask=mask)
    np.testing.assert_array_equal(weights, [[1, 0, 0], [0, 0, 1]])
    with pytest.raises(ValueError, match=r"k must be ≤ 1 \(the keys a query may attend to\), got 2"):
        attention_weights(queries, keys, kernel=nearest(2), mask=mask)


def test_softmax_survives_scores_of_any_size():
    queries, keys = np.array([[1e4], [-1e8]]), np.array([[1.0], [0.5], [-1.0]])
    np.testing.assert_array_equal(attention_weights(queries, keys, scale=1.0), [[1, 0, 0], [0, 0, 1]])
    outputs = attend(torch.from_numpy(queries), torch.from_numpy(keys), torch.tensor([1.0, 2.0, 3.0]).double())
    np.testing.assert_array_equal(outputs, [1.0, 3.0])


def test_masked_keys_get_weight_exactly_zero(triple):
    queries, keys, _ = (np.abs(x) for x in triple)
    allowed = np.tri(7, ROWS, dtype=bool)
    for kernel in KERNELS:
        assert (attention_weights(queries, keys, kernel=kernel, mask=allowed)[..., ~allowed] == 0).all()


def test_a_masked_value_cannot_matter(triple):
    queries, keys, values = (torch.from_numpy(x) for x in triple)
    before = attend(queries, keys[..., :7, :], values[..., :7, :], mask="causal")
    keys[..., 4:7, :], values[..., 4:7, :] = 9.0, -9.0
    after = attend(queries, keys[..., :7, :], values[..., :7, :], mask="causal")
    assert torch.equal(before[..., :4, :], after[..., :4, :])


def test_causal_queries_are_the_last_of_the_keys(triple):
    queries, keys, values = (torch.from_numpy(x) for x in triple)
    named = attend(queries, keys, values, mask="causal")
    torch.testing.assert_close(named, attend(queries, keys, values, mask=causal_mask(7, ROWS)), rtol=0, atol=0)
    np.testing.assert_array_equal(causal_mask(2, 5), [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]])


def test_a_function_of_the_scores_is_a_kernel(triple):
    queries, keys, values = triple
    ours = attend(queries, keys, values, kernel=np.tanh, scale=0.3)
    np.testing.assert_allclose(ours, np.tanh(0.3 * queries @ keys.mT) @ values, rtol=1e-12, atol=1e-12)


def test_one_dimensional_values_give_a_one_dimensional_answer(rng):
    queries, keys, values = rng.normal(size=(7, 5)), rng.normal(size=(ROWS, 5)), rng.normal(size=ROWS)
    for kernel in ("softmax", "identity", "gaussian"):
        expected = attend(queries, keys, values[:, None], kernel=kernel)[:, 0]
        np.testing.assert_array_equal(attend(queries, keys, values, kernel=kernel), expected)


def test_identity_without_a_mask_never_forms_the_weights():
    n = 200_000  # the n × n weights would take 320 GB
    rng = np.random.default_rng(0)
    queries, keys, values = rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), rng.normal(size=n)
    outputs = attend(queries, keys, values, kernel="identity")
    np.testing.assert_allclose(outputs[:2], queries[:2] @ (keys.T @ values), rtol=1e-12)


@pytest.mark.parametrize("rows", [1, 3, 1009])
@pytest.mark.parametrize("width", [1, 2, 37])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("convert", [np.asarray, torch.from_numpy])
@pytest.mark.parametrize("which", ["queries", "keys", "values"])
def test_identity_finds_an_entry_that_is_not_finite_even_where_all_others_are_zero(rows, width, bad, convert, which):
    inputs = {name: np.zeros((rows, width)) for name in ("queries", "keys", "values")}
    inputs[which][-1, -1] = bad
    for values in (inputs["values"], inputs["values"][:, -1].copy()):
        given = {name: convert(x) for name, x in (inputs | {"values": values}).items()}
        with pytest.raises(ValueError, match=rf"{which} must be finite, got {bad} at index \({rows - 1}, "):
            attend(**given, kernel="identity")


@pytest.mark.parametrize("exponent", [-40, -24, -20, -9, 0, 18, 37])
@pytest.mark.parametrize("convert", [torch.Tensor.detach, torch.Tensor.contiguous, torch.Tensor.numpy])
def test_no_size_is_too_small_however_small_the_squares(exponent, convert):
    numbers = torch.rand(2, 7, 3, 5, generator=torch.Generator().manual_seed(1)) * 10.0**exponent
    part = numbers.unbind(2)[1].transpose(0, 1)  # apart in memory, as the heads of a projection are
    assert not part.is_contiguous()
    exact = float(torch.linalg.vector_norm(part.double()))
    found = size(convert(part), "x")
    assert 0 < exact * (1 - 1e-5) <= found
    assert found <= exact * (1 + 1e-5) or not -10 < exponent < 18


def test_half_precision_numbers_that_lie_apart_are_not_squared_one_by_one():
    apart = torch.full((3, 3), 300.0, dtype=torch.float16)[:, :2]  # 300² is beyond half precision, their size is not
    assert size(apart, "x") == pytest.approx(300 * 6**0.5, rel=1e-3)


def test_a_score_that_overflows_is_found_though_the_squares_of_the_queries_vanish():
    queries, keys = (torch.full((1, 1, 3, 5), x) for x in (1e-24, 1e38))
    with pytest.raises(ValueError, match="scores must be finite"):
        attend(queries, keys, keys, scale=1e30)


def test_lists_and_integers_are_accepted():
    np.testing.assert_array_equal(attend([[1, 0]], [[1, 0], [0, 1]], [3, 4], kernel="identity"), [3.0])


def test_float32_stays_float32(triple):
    queries, keys, values = (x.astype(np.float32) for x in triple)
    assert attend(queries, keys, values).dtype == np.float32
    assert attend(*(torch.from_numpy(x) for x in (queries, keys, values))).dtype == torch.float32


def test_importing_the_package_does_not_import_torch():
    code = "import regattn, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


Q, K, V = np.ones((7, 5)), np.ones((ROWS, 5)), np.ones((ROWS, 2))
NOT_FINITE = np.where(np.arange(35).reshape(7, 5) == 16, np.nan, 1.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"queries": np.ones((7, 4))}, "queries has 4 columns but keys has 5"),
        ({"values": np.ones((9, 2))}, "there are 11 keys but 9 values"),
        ({"queries": NOT_FINITE}, r"queries must be finite, got nan at index \(3, 1\)"),
        ({"keys": np.full((ROWS, 5), np.inf)}, r"keys must be finite, got inf at index \(0, 0\)"),
        ({"queries": np.ones((0, 5))}, r"queries is empty: its shape is \(0, 5\)"),
        ({"queries": np.ones(5)}, r"queries must have shape \(..., rows, d\), got \(5,\)"),
        ({"queries": np.ones((7, 5), complex)}, "real numbers, got dtype complex128"),
        ({"keys": torch.ones(ROWS, 5)}, "one library, got queries NumPy, keys torch, values NumPy"),
        ({"kernel": "sofmax"}, "unknown kernel 'sofmax'; choose one of identity, softmax"),
        ({"kernel": 3}, "kernel must be a name, a Kernel or a function of the scores, got 3"),
        ({"kernel": lambda scores: scores[..., :2]}, r"returned shape \(7, 2\) for scores of shape \(7, 11\)"),
        ({"kernel": "exponential", "scale": 1e3}, "weights of kernel 'exponential' must be finite, got inf"),
        ({"kernel": "relu", "scale": -1.0}, "query 0 has weights that sum to 0.0"),
        ({"kernel": nearest(12)}, r"k must be ≤ 11 \(the keys a query may attend to\), got 12"),
        ({"scale": np.nan}, "scale must be a finite number, got nan"),
        ({"mask": np.ones((7, ROWS))}, r"mask must be boolean \(True = may attend\), got dtype float64"),
        ({"mask": np.ones((6, ROWS), bool)}, r"mask has shape \(6, 11\) but the weights have shape \(7, 11\)"),
        ({"mask": np.arange(7)[:, None] != np.full(ROWS, 4)}, "query 4 has nothing to attend to"),
        ({"mask": "past"}, "mask must be a boolean array or \"causal\", got 'past'"),
    ],
)
def test_bad_input_is_named(arguments, message):
    inputs = {"queries": Q, "keys": K, "values": V} | arguments
    with pytest.raises(ValueError, match=message):
        attend(inputs.pop("queries"), inputs.pop("keys"), inputs.pop("values"), **inputs)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nearest(0), "k must be ≥ 1, got 0"),
        (lambda: nearest(1.5), "k must be a whole number, got 1.5"),
        (lambda: elu(-0.5), "nu must be ≥ 0, got -0.5"),
        (lambda: others_mask(1), "n must be ≥ 2, got 1"),
        (lambda: causal_mask(0), "n_queries must be ≥ 1, got 0"),
        (lambda: causal_mask(3, 2), "got 2 keys, 3 queries"),
    ],
)
def test_bad_kernels_and_masks_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_kernel_asked_alone_for_a_weight_that_overflows_raises_and_warns_of_nothing():
    with pytest.raises(ValueError, match="weights of kernel 'exponential' must be finite, got inf"):
        KERNELS["exponential"].weights(np.array([[1e4]]))


@pytest.mark.parametrize("kernel", KERNELS)
def test_weights_that_do_not_fit_at_once_are_taken_some_queries_at_a_time(kernel, rng, monkeypatch):
    Q, K, V = rng.normal(size=(23, 4)), rng.normal(size=(ROWS, 4)), rng.normal(size=(ROWS, 2))
    whole = attention_weights(Q, K, kernel=kernel) @ V
    made = []
    weights = attention._weights
    monkeypatch.setattr(attention, "MOST_WEIGHTS", 22 * ROWS)
    monkeypatch.setattr(attention, "PART", 5 * ROWS)
    monkeypatch.setattr(attention, "_weights", lambda *of: made.append(weights(*of).shape) or weights(*of))
    np.testing.assert_allclose(attend(Q, K, V, kernel=kernel), whole, rtol=1e-12)
    assert made == ([] if kernel == "identity" else [(5, ROWS)] * 4 + [(3, ROWS)])
