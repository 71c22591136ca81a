"""Faults in, refusals or true weights out: attention, kernels and masks."""

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st

from regattn import KERNELS, attend, attention_weights, causal_mask, elu, nearest, others_mask
from tests.bad_inputs.inputs import ODD, REFUSED, many, matrices, outcome

pytestmark = pytest.mark.weekly  # and whenever what it imports differs from main

NAMES = [*KERNELS]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("kernel", NAMES)
def test_odd_queries_keys_and_values_are_refused_or_answered(odd, kernel):
    for call in (
        lambda x: attention_weights(x, x, kernel=kernel),
        lambda x: attend(x, x, x, kernel=kernel),
        lambda x: attend(x, x, x, kernel=kernel, mask="causal"),
        lambda x: attend(np.ones((3, 2)), np.ones((3, 2)), x, kernel=kernel),
        lambda x: attend(torch.ones(3, 2), torch.ones(3, 2), x, kernel=kernel),
    ):
        outcome(call, ODD[odd]())


@pytest.mark.parametrize("odd", ODD)
def test_odd_settings_are_refused_or_answered(odd):
    x = np.ones((3, 2))
    for call in (
        lambda odd: attention_weights(x, x, mask=odd),
        lambda odd: attention_weights(x, x, scale=odd),
        lambda odd: attention_weights(x, x, kernel=odd),
        lambda odd: attend(torch.ones(3, 2), torch.ones(3, 2), torch.ones(3), mask=odd),
        causal_mask,
        others_mask,
        nearest,
        elu,
    ):
        outcome(call, ODD[odd]())


def _exact(q, k, scale, kernel, allowed):
    """Weights in extended precision and range, by the formula, key by key; None where they are not determined."""
    q, k = q.astype(np.longdouble), k.astype(np.longdouble)
    scores = np.array([[np.sum(a * b) for b in k] for a in q]) * scale
    if kernel == "gaussian":
        scores = np.array([[-np.sum((a - b) ** 2) / 2 for b in k] for a in q]) * scale
    scores = np.where(allowed, scores, -np.inf if kernel in ("softmax", "gaussian") else 0)
    if kernel in ("softmax", "gaussian"):
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    elif kernel == "relu":
        scores = np.maximum(scores, 0)
    elif kernel == "exponential":
        scores = np.where(allowed, np.exp(scores), 0)
    if kernel in ("softmax", "gaussian", "relu"):
        totals = scores.sum(axis=1, keepdims=True)
        return scores / np.where(totals > 0, totals, 1)
    return scores


@many(700)
@given(st.data())
def test_weights_of_any_size_are_refused_or_equal_to_extended_precision(data):
    d, kernel = data.draw(st.integers(1, 4)), data.draw(st.sampled_from(NAMES))
    q, k = (data.draw(matrices(columns=d, exponents=e)) for e in (data.draw(st.sampled_from([1, 3, 8, 150])),) * 2)
    scale = data.draw(st.sampled_from([None, 1.0, 0.0, -2.0, 1e-8, 1e8]))
    allowed = np.ones((len(q), len(k)), dtype=bool)
    if data.draw(st.booleans()):
        allowed = np.random.default_rng(data.draw(st.integers(0, 99))).random(allowed.shape) < 0.6
    found = outcome(lambda q, k, m: attention_weights(q, k, kernel=kernel, scale=scale, mask=m), q, k, allowed)
    if found is REFUSED:
        return
    assert np.isfinite(q).all()
    assert np.isfinite(k).all()
    assert allowed.any(axis=1).all()
    assert not found[~allowed].any()
    if KERNELS[kernel].rows_sum_to_one and kernel != "elu":
        assert (found >= 0).all()
        np.testing.assert_allclose(found.sum(axis=1), 1, rtol=10 * len(k) * float(np.finfo(found.dtype).eps))
    if kernel in ("nearest", "elu"):
        return
    tau = (1 / np.sqrt(d) if kernel == "softmax" else 1.0) if scale is None else scale
    exact = _exact(q, k, tau, kernel, allowed)
    eps = float(np.finfo(found.dtype).eps)
    extent = np.abs(q.astype(np.longdouble)) @ np.abs(k.astype(np.longdouble)).T
    if kernel == "gaussian":
        extent = extent + (q.astype(np.longdouble) ** 2).sum() + (k.astype(np.longdouble) ** 2).sum()
    room = 8 * (d + 2) * eps * float(np.max(extent) * abs(tau))  # rounding of the scores
    if kernel in ("softmax", "gaussian", "exponential") and room < 0.1:
        tiny = float(np.finfo(found.dtype).smallest_normal)
        np.testing.assert_allclose(found, exact.astype(float), rtol=4 * room + 20 * len(k) * eps, atol=tiny)
    if kernel == "identity":
        assert (np.abs(found - exact) <= room + float(np.finfo(found.dtype).smallest_normal)).all()


@many(300)
@given(st.data())
def test_tensors_in_any_layout_give_what_arrays_give_and_pass_gradients(data):
    d, kernel = data.draw(st.integers(1, 3)), data.draw(st.sampled_from(NAMES))
    q, k = (np.array(data.draw(matrices(columns=d, exponents=2)), dtype=float) for _ in range(2))
    v = np.linspace(-1, 1, 2 * len(k)).reshape(len(k), 2)
    expected = outcome(lambda *x: attend(*x, kernel=kernel), q, k, v)
    tensors = [torch.from_numpy(np.ascontiguousarray(x.T)).T.requires_grad_() for x in (q, k, v)]
    found = outcome(lambda *x: attend(*x, kernel=kernel), *tensors)
    assert (found is REFUSED) == (expected is REFUSED)
    if found is REFUSED or (np.abs(q).max() * np.abs(k).max() > 1e3 and kernel != "identity"):
        return  # rounding of large scores moves weights
    np.testing.assert_allclose(
        found.detach().numpy(), expected, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(expected).max())
    )
    found.sum().backward()
    assert torch.isfinite(tensors[2].grad).all()


@pytest.mark.parametrize("library", [np.array, torch.tensor])
@pytest.mark.parametrize("size", [1e8, -1e8])
def test_extreme_scores_put_all_weight_on_the_largest(library, size):
    weights = attention_weights(library([[size]]), library([[1.0], [-1.0], [0.5]]), scale=1.0)
    assert weights.tolist() == [[1.0, 0.0, 0.0] if size > 0 else [0.0, 1.0, 0.0]]


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("mask", [None, "causal", np.ones((3, 3), dtype=bool)])
def test_fused_softmax_refuses_scores_that_overflow(sign, mask):
    # torch's own kernel answers these with NaN, or with zeros, and says nothing
    q, k = torch.full((3, 2), 1e30), torch.full((3, 2), sign * 1e30)
    with pytest.raises(ValueError, match=r"scores must be finite, got queries up to 1e\+30 and keys up to 1e\+30"):
        attend(q, k, torch.ones(3), mask=mask)


def test_neighbours_are_not_ranked_by_distances_that_overflow():
    with pytest.raises(ValueError, match="must be finite"):
        attention_weights(np.array([[0.0]]), np.array([[1e200], [3e200]]), kernel="nearest")


def test_masked_entries_are_not_read_as_numbers():
    hidden = np.ma.masked_array([[1.0], [1e6]], [[False], [True]])
    with pytest.raises(ValueError, match="keys must have no masked entries, got 1"):
        attention_weights([[1.0]], hidden)
    assert attention_weights([[1.0]], np.ma.masked_array([[1.0], [1.0]])).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda s: None, "must return an array like its scores, got NoneType"),
        (lambda s: s.tolist(), "must return an array like its scores, got list"),
        (lambda s: s * 1j, "must return real numbers, got dtype complex128"),
        (lambda s: s[0], r"returned shape \(2,\) for scores of shape \(1, 2\)"),
        (np.log, "must be finite, got nan"),
        (lambda s: s / 0, "must be finite, got"),
    ],
)
def test_a_function_as_kernel_must_return_finite_weights(function, message):
    with pytest.raises(ValueError, match=message):
        attention_weights([[1.0]], [[1.0], [-1.0]], kernel=function)


def test_a_function_as_kernel_may_answer_yes_or_no():
    assert attend([[1.0]], [[1.0], [-1.0]], [2.0, 7.0], kernel=lambda s: s > 0).tolist() == [2.0]


@pytest.mark.parametrize("tensor", [torch.ones(2, 2).to_sparse(), torch.ones(2, 2, device="meta")])
def test_tensors_that_are_not_dense_numbers_are_refused_by_name(tensor):
    with pytest.raises(ValueError, match="keys must be a dense tensor that holds numbers, got torch"):
        attend(torch.ones(2, 2), tensor, torch.ones(2))


def test_an_empty_batch_is_refused_by_name():
    with pytest.raises(ValueError, match=r"queries is empty: its shape is \(0, 3, 2\)"):
        attend(torch.ones(0, 3, 2), torch.ones(0, 3, 2), torch.ones(0, 3, 2))


@pytest.mark.parametrize("kernel", ["softmax", "gaussian", "nearest", "relu", elu(0.5)])
def test_one_key_gets_all_the_weight(kernel):
    assert attention_weights([[2.0], [3.0]], [[1.5]], kernel=kernel).tolist() == [[1.0], [1.0]]
