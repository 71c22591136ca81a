"""Exercises on the transformer block."""

import numpy as np

from regattn.exercises._exercise import EXACT, Exercise, Mistake


def _weights_as_printed() -> np.ndarray:
    """Weights of eqs. (12) and (13) as printed, for three tokens whose scores are all equal."""
    return np.tril(np.full((3, 3), 1.0) / 3)


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


def _length_after_normalisation() -> float:
    """Length of a layer-normalised vector of 49 coordinates."""
    import torch
    from torch.nn import functional

    return float(functional.layer_norm(torch.arange(49.0, dtype=torch.float64), (49,)).norm())


def _unmasked(chosen: int) -> float:
    """Weight that the first word of the BlockExplorer, as it starts, would put on a word if nothing were masked."""
    from regattn.from_scratch import softmax
    from regattn.widgets.block import BlockExplorer

    scores = BlockExplorer(["the", "dogs", "near", "the", "gate"], trained=True, step="scores").result()["values"][0]
    return float(softmax(np.array(scores))[chosen])


EXERCISES = {
    1: Exercise(
        lambda: _weights_as_printed().sum(axis=1),
        "each weight is one over the number of tokens in the normaliser, and row i adds up i of them.",
        (
            Mistake([1.0, 1.0, 1.0], "so it is when the normaliser is masked as well."),
            Mistake([1 / 3, 1 / 3, 1 / 3], "this is one weight of each row; how many does the mask leave?"),
            Mistake([1.0, 1 / 2, 1 / 3], "these are the weights of a correct mask, and the sums are asked for."),
        ),
        share=True,
    ),
    2: Exercise(
        _length_after_normalisation,
        "the mean of the squared coordinates is one; how many of them are added up?",
        (
            Mistake(1.0, "this is the spread of the coordinates; the length adds up all of them."),
            Mistake(49.0, "this is the squared length."),
            Mistake(0.0, "this is the mean of the coordinates."),
        ),
    ),
    3: Exercise(
        lambda: _share(64, 640),
        "the feed-forward layer has 2 · 64 · hidden weights, attention has four square matrices.",
        (
            Mistake(lambda: _share(64, 256), "so it is with the usual hidden width of four times the block's."),
            Mistake(20 / 23, "the attention has an output matrix as well."),
            Mistake(10 / 14, "the feed-forward layer has a second matrix, which leads back."),
        ),
        share=True,
    ),
    4: Exercise(
        _rank,
        "the matrix is a product of a tall factor and a wide one; how wide is a head?",
        (
            Mistake(96, "the matrix is that large, but it is made of two narrow ones."),
            Mistake(8, "this is how many heads there are; how wide is one?"),
            Mistake(768, "the heads share the width, they do not multiply it."),
        ),
        tolerance=EXACT,
    ),
    5: Exercise(
        lambda: "parallel",
        "which order reads the stream once and writes to it twice?",
        (
            Mistake("pre", "its feed-forward layer reads the stream after attention has written."),
            Mistake("post", "its feed-forward layer reads what is normalised after attention has written."),
            Mistake("single", "its feed-forward layer reads the stream after attention has written; one norm or two."),
        ),
        options={"parallel": ("parallel", "simultan"), "pre": ("pre",), "post": ("post",), "single": ("single",)},
    ),
    6: Exercise(
        lambda: _unmasked(0),
        "the softmax now runs over all five scores of that row.",
        (
            Mistake(1.0, "so it is with the mask."),
            Mistake(1 / 5, "so it would be if all its scores were equal."),
            Mistake(1 / 2, "the two copies of the word share, but the other words get something too."),
            Mistake(lambda: _unmasked(1), "this is what it would put on the word after it."),
        ),
        share=True,
    ),
    7: Exercise(
        lambda: "mask",
        "compare with what the text costs a reader who knows all its rules: what could get below that?",
        (
            Mistake("norm", "without it a model may learn better or worse, but what comes next stays hidden from it."),
            Mistake("residual", "without it a model learns less; this one knows too much."),
            Mistake("feed-forward", "it reads one word at a time and has nothing to look ahead with."),
        ),
        options={
            "mask": ("mask", "causal"),
            "norm": ("norm",),
            "residual": ("residual", "stream"),
            "feed-forward": ("feed", "ffn", "mlp"),
        },
    ),
}
