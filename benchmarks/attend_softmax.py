"""Softmax attention on torch: ours against torch's fused kernel, plain softmax, NumPy and torch's own module."""

import math
from functools import partial
from itertools import product

import numpy as np
import torch
from measure import ROUNDS, THREADS, alternate, goal, peak_memory, ratio_to, repeated, summary, write
from torch import nn
from torch.nn import functional

from regattn import attend

HEADS, PER_HEAD = 4, 32
CAUSAL = 2048  # the most tokens for which the causal mask is measured as well
SHORT = 1024  # the most tokens that take so little time, and vary so much, that three times the rounds are run
OURS, FUSED, PLAIN = "regattn attend", "torch scaled_dot_product_attention", "torch, plain softmax"
NUMPY, MODULE = "NumPy, plain softmax", "torch nn.MultiheadAttention, with its four projections"


def inputs(tokens):
    """Return queries, keys and values, one sequence in float32."""
    generator = torch.Generator().manual_seed(tokens)
    return torch.randn(3, 1, HEADS, tokens, PER_HEAD, generator=generator).unbind()


def ours(q, k, v, *, causal):
    return attend(q, k, v, mask="causal" if causal else None)


def fused(q, k, v, *, causal):
    return functional.scaled_dot_product_attention(q, k, v, is_causal=causal)


def plain(q, k, v, *, causal):
    scores = q @ k.mT / math.sqrt(PER_HEAD)
    if causal:
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    return torch.softmax(scores, dim=-1) @ v


def plain_numpy(q, k, v):
    scores = q @ k.mT / np.float32(math.sqrt(PER_HEAD))
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores @ v


def module(q, *, causal):
    """Return the module's own attention on tokens of the same width; of other weights, so its numbers differ."""
    tokens, width = q.shape[-2], HEADS * PER_HEAD
    attention = nn.MultiheadAttention(width, HEADS, batch_first=True).eval()
    x = q.transpose(1, 2).reshape(1, tokens, width)
    mask = nn.Transformer.generate_square_subsequent_mask(tokens) if causal else None
    return partial(attention, x, x, x, need_weights=False, attn_mask=mask, is_causal=causal)


def contenders(tokens, *, causal):
    """Return the calls, after checking that they agree; float32 sums of thousands of terms differ by a few 1e-6."""
    q, k, v = inputs(tokens)
    runs = {name: partial(run, q, k, v, causal=causal) for name, run in ((OURS, ours), (FUSED, fused), (PLAIN, plain))}
    if not causal:
        runs[NUMPY] = partial(plain_numpy, q.numpy(), k.numpy(), v.numpy())
    found = runs[OURS]().numpy()
    for name, run in runs.items():
        np.testing.assert_allclose(np.asarray(run()), found, rtol=0, atol=2e-5, err_msg=name)
    return runs | {MODULE: module(q, causal=causal)}


def prepare(name, tokens):
    """Return a call to be measured for memory; a small one before it starts the threads and loads what is needed."""
    torch.set_num_threads(THREADS)
    run = partial({OURS: ours, PLAIN: plain}[name], causal=False)
    run(*inputs(256))
    return partial(run, *inputs(tokens))


def timed(runs, times, rounds):
    """Return the rows; each runs often enough to be timed well, but for NumPy, for which once is long enough."""
    seconds = alternate({n: run if n == NUMPY else repeated(run, times) for n, run in runs.items()}, rounds=rounds)
    if NUMPY in seconds:
        seconds[NUMPY] = [s * times for s in seconds[NUMPY]]
    return summary(seconds, ours=OURS, times=times)


def with_memory(rows, tokens):
    """Add to the rows with and without the matrix of weights how far a process of its own grows; return ours."""
    for row in rows:
        if row["contender"] in (OURS, PLAIN):
            row["peak memory MB"] = peak_memory(prepare, row["contender"], tokens) / 1e6
    return next(row["peak memory MB"] for row in rows if row["ours"])


@torch.inference_mode()
def measure(*, sizes=(512, 1024, 2048, 4096, 8192), memory_sizes=(2048, 8192), rounds=ROUNDS):
    cases, peaks = [], []
    few, many = memory_sizes
    for causal, tokens in product((False, True), sizes):
        if causal and tokens > CAUSAL:
            continue
        times = max(1, 2048 // tokens) ** 2
        rows = timed(contenders(tokens, causal=causal), times, 3 * rounds if tokens <= SHORT else rounds)
        behind = 1 / min(ratio_to(rows, FUSED), ratio_to(rows, PLAIN))
        aims = [goal("≤ 1.05 times as long as the faster of fused and plain torch", behind, most=1.05)]
        if tokens in memory_sizes and not causal:
            peaks.append(with_memory(rows, tokens))
        if tokens == many and not causal:
            most = 1.1 * many / few  # as many times the memory as tokens, and a tenth for what comes in whole pages
            growth = peaks[-1] / max(peaks[0], 0.1)  # what a process happens to take is not less than 0.1 MB
            aims.append(goal(f"≤ {most:g} times the memory at {few:,} tokens", growth, most=most))
        cases.append({"case": f"{tokens:,} tokens{', causal' if causal else ''}", "rows": rows, "goals": aims})
    return cases


def main():
    torch.set_num_threads(THREADS)
    question = f"Softmax attention on torch, one sequence, {HEADS} heads of width {PER_HEAD}, float32"
    write("attend_softmax", question, measure(), "torch")


if __name__ == "__main__":
    main()
