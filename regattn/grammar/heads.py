"""What the heads of a language model look at, and what their looking is worth."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn

from regattn._rng import Rng, numpy_generator
from regattn._validation import check_count
from regattn.grammar._divergence import check_vocabularies, divergences
from regattn.grammar.sentences import Grammar, Sentence
from regattn.transformer.language_model import LanguageModel
from regattn.transformer.multihead import MultiHeadAttention

__all__ = ["Links", "ablate_head", "ablation_costs", "find_links", "head_scores", "patched_logits"]


class Links(NamedTuple):
    """Pairs of positions in a batch: in text ``text[i]``, position ``query[i]`` should look at ``key[i]``.

    Examples
    --------
    >>> Links(text=np.array([0]), query=np.array([4]), key=np.array([2])).query.tolist()
    [4]
    """

    text: np.ndarray
    query: np.ndarray
    key: np.ndarray


def find_links(sentences: Sequence[Sentence], role: str, *, predicting: bool = True) -> Links:
    """Return where a head would look that tracks the words with a given role.

    Parameters
    ----------
    sentences : sequence of Sentence
        With their parses.
    role : str
        The dependent word, such as "verb", "pronoun" or "repeated name"; its parse names the word to look at.
    predicting : bool, default True
        Whether to ask the position *before* the dependent word, where the model predicts it, or the word itself.

    Returns
    -------
    Links
        Positions in :func:`as_tokens`; only pairs with at least one word between them.

    Raises
    ------
    ValueError
        If no sentence has such a pair.

    Examples
    --------
    >>> words = ("the", "dogs", "near", "the", "gate", "sleep", ".")
    >>> roles = ("article", "subject", "preposition", "article", "place", "verb", "stop")
    >>> links = find_links([Sentence(words, roles, (None, None, None, None, None, 1, None))], "verb")
    >>> links.query.tolist(), links.key.tolist()  # from "gate" to "dogs"; position 0 is the full stop
    ([5], [2])
    """
    found = []
    for b, sentence in enumerate(sentences):
        for i, (own, head) in enumerate(zip(sentence.roles, sentence.heads, strict=True)):
            query = i if predicting else i + 1
            if own == role and head is not None and head + 1 < query - 1:
                found.append((b, query, head + 1))
    if not found:
        raise ValueError(f"no sentence has a word with role {role!r} that depends on a word further back")
    return Links(*np.array(found).T)


def head_scores(weights: torch.Tensor | np.ndarray, links: Links, *, rng: Rng, permutations: int = 200) -> pd.DataFrame:
    r"""Return how much weight every head puts on the word the parse names, against a permutation baseline.

    The baseline deals the keys out anew among links whose query stands at the same position. It keeps every habit that
    depends on position alone ("look two words back") and breaks the tie to the sentence. The p-value compares a head's
    excess over the baseline with the *largest* excess of any head under permutation, so that looking at many heads is
    paid for.

    Parameters
    ----------
    weights : Tensor of shape (L, B, H, T, T)
        Attention weights, from :meth:`regattn.transformer.language_model.LanguageModel.trace`.
    links : Links
        Who should look at whom.
    rng : int or Generator
        Deals the keys.
    permutations : int, default 200
        How often.

    Returns
    -------
    DataFrame
        One row per head, the clearest first: ``layer`` and ``head`` (counted from 1), ``weight``, ``baseline``,
        ``excess`` and ``p_value``.

    Examples
    --------
    >>> weights = np.zeros((1, 2, 1, 5, 5))  # one head; in two texts, position 4 looks where it should
    >>> weights[0, 0, 0, 4, 1] = weights[0, 1, 0, 4, 2] = 1.0
    >>> links = Links(text=np.array([0, 1]), query=np.array([4, 4]), key=np.array([1, 2]))
    >>> scores = head_scores(weights, links, rng=np.random.default_rng(0))
    >>> float(scores["weight"].iloc[0]), bool(scores["baseline"].iloc[0] < 0.7)
    (1.0, True)
    """
    permutations, rng = check_count(permutations, "permutations"), numpy_generator(rng)
    weights = np.asarray(weights)
    if weights.ndim != 5:
        raise ValueError(f"weights must have shape (L, B, H, T, T), got {weights.shape}")
    rows = weights.transpose(1, 3, 0, 2, 4)[links.text, links.query]  # (links, L, H, T)

    def mean_weight(keys: np.ndarray) -> np.ndarray:
        return np.take_along_axis(rows, keys[:, None, None, None], axis=3)[..., 0].mean(axis=0)

    groups = [np.flatnonzero(links.query == q) for q in np.unique(links.query)]

    def dealt() -> np.ndarray:
        keys = links.key.copy()
        for group in groups:
            keys[group] = rng.permutation(keys[group])
        return keys

    observed = mean_weight(links.key)
    null = np.array([mean_weight(dealt()) for _ in range(permutations)])
    baseline = null.mean(axis=0)
    excess = observed - baseline
    largest = (null - baseline).max(axis=(1, 2))
    p_values = (1 + (largest[:, None, None] >= excess).sum(axis=0)) / (1 + permutations)
    layer, head = np.indices(observed.shape) + 1
    table = {"layer": layer, "head": head, "weight": observed, "baseline": baseline, "excess": excess}
    table = pd.DataFrame({name: values.ravel() for name, values in (table | {"p_value": p_values}).items()})
    return table.sort_values("excess", ascending=False, ignore_index=True)


def ablate_head(model: LanguageModel, *, layer: int, head: int) -> LanguageModel:
    """Return a copy of a model in which one head writes nothing: its rows of W_O are zero.

    Parameters
    ----------
    model : LanguageModel
        Stays as it is.
    layer, head : int
        Which head, both counted from 1 as in :func:`head_scores`.

    Returns
    -------
    LanguageModel
        The other heads look and write as before; those of later layers read a stream without this one.

    Raises
    ------
    ValueError
        If there is no such layer or head.

    Examples
    --------
    >>> from regattn.transformer.checkpoints import load_shipped
    >>> model, _ = load_shipped()
    >>> less = ablate_head(model, layer=2, head=1)
    >>> tokens = torch.zeros(1, 3, dtype=torch.long)
    >>> torch.equal(less.trace(tokens).streams[1], model.trace(tokens).streams[1])
    True
    """
    model = copy.deepcopy(model)
    attention, place = _find_head(model, layer, head)
    attention.output.weight.data[:, place] = 0
    return model


@torch.no_grad()
def patched_logits(
    model: LanguageModel, tokens: Tensor, donors: Tensor, *, heads: Sequence[tuple[int, int]], place: int = -1
) -> Tensor:
    """Return what a model predicts when some heads have gathered, at one position, what they gather in other texts.

    This is activation patching: a head's average of values is exchanged before W_O reads it, and nothing else.

    Parameters
    ----------
    model : LanguageModel
        Stays as it is.
    tokens : Tensor of int, shape (B, T)
        The texts.
    donors : Tensor of int, shape (B, T')
        Text b takes over what the heads have gathered in donor b.
    heads : sequence of (layer, head)
        Which heads, both counted from 1 as in :func:`head_scores`.
    place : int, default -1
        The position in the texts, and in the donors; by default the last of each.

    Returns
    -------
    Tensor of shape (B, vocabulary)
        The logits at the last position.

    Raises
    ------
    ValueError
        If there is no such layer, head or position, or not one donor for each text.

    Examples
    --------
    >>> from regattn.transformer.checkpoints import load_shipped
    >>> model, _ = load_shipped()
    >>> tokens = torch.tensor([[0, 3, 5]])
    >>> torch.equal(patched_logits(model, tokens, tokens, heads=[(2, 1)]), model(tokens)[:, -1])
    True
    """
    found = [_find_head(model, layer, head) for layer, head in heads]
    if len(tokens) != len(donors):
        raise ValueError(f"donors must hold one text for each of tokens, got {len(donors)} for {len(tokens)}")
    shortest = min(tokens.shape[1], donors.shape[1])
    if not -shortest <= place < shortest:
        raise ValueError(f"place must be one of the {shortest} positions that texts and donors have, got {place}")
    gathered: dict[int, Tensor] = {}

    def note(_: nn.Module, inputs: tuple[Tensor], one: int, own: slice) -> None:
        gathered[one] = inputs[0][:, place, own].clone()

    def exchange(_: nn.Module, inputs: tuple[Tensor], one: int, own: slice) -> tuple[Tensor]:
        side_by_side = inputs[0].clone()  # (B, T, D)
        side_by_side[:, place, own] = gathered[one]
        return (side_by_side,)

    def run(texts: Tensor, hook: Callable) -> Tensor:
        with ExitStack() as hooks:
            for one, (attention, own) in enumerate(found):
                hooks.enter_context(attention.output.register_forward_pre_hook(partial(hook, one=one, own=own)))
            return model(texts)[:, -1]

    run(donors, note)
    return run(tokens, exchange)


def _find_head(model: LanguageModel, layer: int, head: int) -> tuple[MultiHeadAttention, slice]:
    """Return the attention of a layer, and which columns of what W_O reads are the head's."""
    layer = check_count(layer, "layer", most=len(model.blocks), bound="the number of layers")
    head = check_count(head, "head", most=model.architecture.n_heads, bound="the number of heads")
    attention = model.blocks[layer - 1].attention
    width = attention.width // attention.n_heads
    return attention, slice((head - 1) * width, head * width)


@torch.no_grad()
def ablation_costs(model: LanguageModel, grammar: Grammar, tokens: torch.Tensor, links: Links) -> pd.DataFrame:
    r"""Return how many nats the predictions of some positions lose when a head is silenced, for every head.

    Parameters
    ----------
    model : LanguageModel
        Over the grammar's vocabulary.
    grammar : Grammar
        Gives the true distributions.
    tokens : Tensor of int, shape (B, T)
        Texts that start with a full stop, such as :func:`regattn.grammar.scores.as_tokens` makes.
    links : Links
        Only where the predictions are made counts: ``text`` and ``query``.

    Returns
    -------
    DataFrame of shape (L, H)
        Mean rise of the divergence from the truth; a row for each layer, a column for each head, counted from 1.

    Raises
    ------
    ValueError
        If the vocabularies differ in size.

    Examples
    --------
    >>> from regattn.grammar.scores import as_tokens
    >>> from regattn.transformer.checkpoints import load_shipped
    >>> grammar, rng = Grammar(), np.random.default_rng(0)
    >>> sentences = [grammar.sample(rng) for _ in range(12)]
    >>> links = find_links(sentences, "repeated name")
    >>> costs = ablation_costs(load_shipped()[0], grammar, as_tokens(sentences, grammar), links)
    >>> costs.shape, bool(costs.loc[2, 1] > 1)
    ((3, 4), True)
    """
    check_vocabularies(model, grammar)
    tokens = torch.as_tensor(tokens)
    texts, rows = np.unique(links.text, return_inverse=True)
    at = rows, links.query
    p = grammar.conditionals(tokens[texts].numpy())[at]

    def loss(model: LanguageModel) -> float:
        return float(divergences(p, model(tokens[texts])[at]).mean())

    whole, architecture = loss(model), model.architecture
    layers, heads = range(1, architecture.layers + 1), range(1, architecture.n_heads + 1)
    costs = [[loss(ablate_head(model, layer=layer, head=head)) - whole for head in heads] for layer in layers]
    return pd.DataFrame(costs, pd.Index(layers, name="layer"), pd.Index(heads, name="head"))
