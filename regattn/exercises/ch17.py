"""Exercises of chapter 17, the transformer block."""

import numpy as np

from regattn.exercises._exercise import Exercise


def _row_sums_as_printed() -> np.ndarray:
    """Row sums of eqs. (12) and (13) as printed, for three tokens whose scores are all equal."""
    weights = np.tril(np.full((3, 3), 1.0) / 3)
    return weights.sum(axis=1)


def _share(width: int, hidden: int) -> float:
    """Share of the block's parameters that are in the feed-forward layer, from a block that is built."""
    import torch

    from regattn.transformer.block import Block, BlockDesign

    with torch.device("meta"):
        block = Block(BlockDesign(width=width, n_heads=4, hidden=hidden, bias=False, norm="none"))
    total = sum(p.numel() for p in block.parameters())
    return sum(p.numel() for p in block.feed_forward.parameters()) / total


def _rank() -> int:
    """Rank of the merged query-key matrix of one head of a layer of width 96 with 8 heads."""
    import torch

    from regattn.transformer.multihead import MultiHeadAttention

    with torch.random.fork_rng():
        torch.manual_seed(0)
        merged = MultiHeadAttention(96, 8).double().query_key_matrices()[0]
    return int(torch.linalg.matrix_rank(merged))


def _passes_through() -> float:
    """Length of a layer-normalised vector of 49 coordinates."""
    import torch
    from torch.nn import functional

    return float(functional.layer_norm(torch.arange(49.0, dtype=torch.float64), (49,)).norm())


EXERCISES = {
    "17.1": Exercise(
        _row_sums_as_printed,
        "each weight is one over the number of tokens in the normaliser, and row i adds up i of them.",
        wrong=[1.0, 1.0, 1.0],
    ),
    "17.2": Exercise(
        _passes_through,
        "the mean of the squared coordinates is one; how many of them are added up?",
        wrong=1.0,
    ),
    "17.3": Exercise(
        lambda: _share(64, 640),
        "the feed-forward layer has 2 · 64 · hidden weights, attention has four square matrices.",
        wrong=2 / 3,
    ),
    "17.4": Exercise(
        _rank,
        "the matrix is a product of a tall factor and a wide one; how wide is a head?",
        wrong=96,
    ),
    "17.5": Exercise(
        lambda: "parallel",
        "which order reads the stream once and writes to it twice?",
        wrong="pre",
    ),
}
