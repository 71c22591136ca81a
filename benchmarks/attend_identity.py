"""Attention with the identity kernel: ours, the n × n way and the plain product, up to a million keys."""

from functools import partial

import numpy as np
import torch
from measure import ROUNDS, THREADS, alternate, goal, peak_memory, ratio_to, repeated, summary, write

from regattn import attend

WIDTH = 16
OURS, PRODUCT, SQUARE = "regattn attend", "Q (KᵀV)", "(Q Kᵀ) V"
LIBRARIES = ("numpy", "torch")
LARGEST_SQUARE = 8000  # half a gigabyte of weights


def inputs(library, n):
    """Return as many queries as keys and values, in float64."""
    arrays = np.random.default_rng(n).normal(size=(3, n, WIDTH))
    return tuple(arrays) if library == "numpy" else tuple(map(torch.from_numpy, arrays))


def ours(q, k, v):
    return attend(q, k, v, kernel="identity")


def product(q, k, v):
    return q @ (k.T @ v)


def square(q, k, v):
    return (q @ k.T) @ v


WAYS = {OURS: ours, PRODUCT: product, SQUARE: square}


def contenders(library, n):
    """Return the calls, after checking that they agree up to the rounding of n terms in float64."""
    names = [name for name in WAYS if name != SQUARE or n <= LARGEST_SQUARE]
    runs = {name: partial(WAYS[name], *inputs(library, n)) for name in names}
    found = np.asarray(runs[OURS]())
    for name, run in runs.items():
        np.testing.assert_allclose(np.asarray(run()), found, rtol=0, atol=1e-11 * n, err_msg=name)
    return runs


def prepare(name, library, n):
    """Return a call to be measured for memory; a small one before it starts the threads and loads what is needed."""
    torch.set_num_threads(THREADS)
    way = WAYS[name]
    way(*inputs(library, 1000))
    return partial(way, *inputs(library, n))


def with_memory(rows, library, n):
    """Add to each row its peak, inputs and all, and return ours as a multiple of the inputs."""
    size = 3 * n * WIDTH * 8
    for row in rows:
        row["peak memory MB"] = (size + peak_memory(prepare, row["contender"], library, n)) / 1e6
    return next(row["peak memory MB"] for row in rows if row["ours"]) * 1e6 / size


def linearity(library, few, many, rounds):
    """Return a case: the largest number of keys, and the same number in lots of two sizes, in turn.

    The plain product is there to tell what is due to us and what to a result too large for memory already at hand.
    """
    runs = {}
    for name in (OURS, PRODUCT):
        for n in (many, many // 2, few):
            lots = many // n
            text = f"{name}, {n:,} keys" + (f", {lots} times" if lots > 1 else "")
            runs[text] = repeated(partial(WAYS[name], *inputs(library, n)), lots)
    at_once, in_halves, in_lots = list(runs)[:3]
    rows = summary(alternate(runs, rounds=rounds), ours=at_once, also=(in_halves, in_lots))
    aims = [goal(f"≤ 1.5 times as long for each key as with {many // 2:,}", 1 / ratio_to(rows, in_halves), most=1.5)]
    return {
        "case": f"{library}, whether time is linear in the keys",
        "rows": rows,
        "goals": aims,
        "note": (
            "A result of more than 32 MB gets new memory from the system in every call, and fetching it page by page "
            f"can take as long as the arithmetic: that is why {few:,} keys at a time can be quicker, for the plain "
            "product as well."
        ),
    }


@torch.inference_mode()
def measure(*, sizes=(1000, 8000, 100_000, 1_000_000), rounds=ROUNDS):
    cases = []
    few, many = sizes[-2:]
    for library in LIBRARIES:
        for n in sizes:
            times = max(1, 100_000 // n)
            seconds = alternate(
                {name: repeated(run, 1 if name == SQUARE else times) for name, run in contenders(library, n).items()},
                rounds=rounds,
            )
            if SQUARE in seconds:  # long enough to be timed once
                seconds[SQUARE] = [s * times for s in seconds[SQUARE]]
            rows = summary(seconds, ours=OURS, times=times)
            aims = []
            if n == many:
                share = with_memory(rows, library, n)
                aims = [goal("≤ 3 times the memory of the inputs, at the peak and with them", share, most=3.0)]
            cases.append({"case": f"{library}, {n:,} queries and keys", "rows": rows, "goals": aims})
        cases.append(linearity(library, few, many, rounds))
    return cases


def main():
    torch.set_num_threads(THREADS)
    question = f"Attention with the identity kernel, width {WIDTH}, float64"
    write("attend_identity", question, measure(), "torch")


if __name__ == "__main__":
    main()
