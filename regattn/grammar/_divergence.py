"""The divergence of a model from a grammar, for the scores that need it."""

from __future__ import annotations

import numpy as np
import torch

from regattn.grammar.sentences import Grammar
from regattn.transformer.language_model import LanguageModel


def check_vocabularies(model: LanguageModel, grammar: Grammar) -> None:
    """Raise if a model has not as many tokens as a grammar has words."""
    if model.architecture.vocabulary != len(grammar.vocabulary):
        raise ValueError(
            f"the model knows {model.architecture.vocabulary} tokens, the grammar {len(grammar.vocabulary)} words"
        )


def divergences(p: np.ndarray, logits: torch.Tensor) -> np.ndarray:
    """Return D(p‖q) in nats over the last axis, with q the softmax of ``logits``."""
    log_q = torch.log_softmax(logits.double(), dim=-1).numpy()
    log_p = np.log(np.where(p > 0, p, 1.0))
    return (p * (log_p - log_q)).sum(-1)
