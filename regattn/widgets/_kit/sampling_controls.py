"""The controls of drawing from a next-word distribution: temperature, the k most probable, the mass P.

They are what :func:`regattn.transformer.next_token_distribution` takes, for every explorer that draws words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from regattn.widgets._kit.controls import Count, Slider

CUTS = ("temperature", "top_k", "top_p")


def temperature_slider() -> Slider:
    """Return the control of T, by which the scores are divided."""
    return Slider(
        "Temperature",
        0,
        3,
        default=1.0,
        step=0.05,
        decimals=2,
        notes={0: "always the most probable"},
        help="The scores are divided by it: below 1 probable words gain, above 1 they lose.",
    )


def top_k_count(vocabulary: Callable[[Any], Sequence[str]]) -> Count:
    """Return the control of k; ``vocabulary`` gives an explorer's words."""
    return Count(
        "Top k",
        least=1,
        most=lambda explorer: len(vocabulary(explorer)),
        bound="the vocabulary",
        default=lambda explorer: len(vocabulary(explorer)),
        notes=lambda explorer: {len(vocabulary(explorer)): "all words"},
        help="How many of the most probable words may be drawn; by default all.",
    )


def top_p_slider() -> Slider:
    """Return the control of P, the share of the probability that is kept."""
    return Slider(
        "Top p",
        0.05,
        1,
        default=1.0,
        step=0.05,
        decimals=2,
        notes={1: "all the probability"},
        help="The share P of the probability that is kept, from the most probable word down.",
    )
