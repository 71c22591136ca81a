"""How far a language model is from the grammar it learned, and what its heads look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch

from regattn._validation import check_count
from regattn.grammar.sentences import Grammar, Sentence
from regattn.transformer.language_model import LanguageModel

__all__ = ["Links", "agreement", "as_tokens", "excess_nats", "find_links", "head_scores"]


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


@torch.no_grad()
def excess_nats(model: LanguageModel, grammar: Grammar, tokens: np.ndarray) -> np.ndarray:
    r"""Return how many nats each prediction costs beyond the floor, shape (B, T).

    .. math:: D(p \,\|\, q) = \sum_v p_v \log \frac{p_v}{q_v} \ge 0

    with p the grammar's exact conditional distribution and q the model's.

    Parameters
    ----------
    model : LanguageModel
        Over the grammar's vocabulary.
    grammar : Grammar
        Gives p.
    tokens : ndarray of int, shape (B, T)
        Texts that start with a full stop.

    Returns
    -------
    ndarray of shape (B, T)
        One divergence for the prediction after every token.

    Raises
    ------
    ValueError
        If the vocabularies differ in size.

    Examples
    --------
    >>> from regattn.transformer.language_model import Architecture
    >>> grammar = Grammar()
    >>> model = LanguageModel(Architecture(vocabulary=105, layers=1, context=16, width=8, n_heads=2))
    >>> tokens = grammar.sample_tokens(np.random.default_rng(0), texts=2, length=5)
    >>> bool((excess_nats(model, grammar, tokens) > 0).all())
    True
    """
    if model.architecture.vocabulary != len(grammar.vocabulary):
        raise ValueError(
            f"the model knows {model.architecture.vocabulary} tokens, the grammar {len(grammar.vocabulary)} words"
        )
    p = grammar.conditionals(tokens)
    log_q = torch.log_softmax(model(torch.as_tensor(tokens)).double(), dim=-1).numpy()
    log_p = np.log(np.where(p > 0, p, 1.0))
    return (p * (log_p - log_q)).sum(-1)


def as_tokens(sentences: Sequence[Sentence], grammar: Grammar) -> torch.Tensor:
    """Return sentences as a batch of texts: a full stop, the sentence, and those after it as far as there is room.

    Parameters
    ----------
    sentences : sequence of B Sentence
        From :meth:`regattn.grammar.sentences.Grammar.sample`.
    grammar : Grammar
        Whose words they are.

    Returns
    -------
    Tensor of int, shape (B, T)
        Word i of sentence b stands at position (b, i + 1); T leaves room for the longest. The last sentence is followed
        by the first.

    Raises
    ------
    ValueError
        If there are no sentences, or a word is not the grammar's.

    Examples
    --------
    >>> grammar, rng = Grammar(), np.random.default_rng(4)
    >>> tokens = as_tokens([grammar.sample(rng) for _ in range(2)], grammar)
    >>> [" ".join(grammar.decode(text)) for text in tokens.tolist()]
    ['. after the crash , the bank was insured . the', '. the cats that the nurses like help the horse .']
    """
    if not sentences:
        raise ValueError("sentences must hold at least one, got none")
    length = 1 + max(len(sentence.words) for sentence in sentences)
    tokens = torch.zeros(len(sentences), length, dtype=torch.long)
    for b, row in enumerate(tokens):
        words, following = ["."], b
        while len(words) < length:
            words.extend(sentences[following % len(sentences)].words)
            following += 1
        row[:] = torch.tensor(grammar.encode(words[:length]))
    return tokens


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


def head_scores(
    weights: torch.Tensor | np.ndarray, links: Links, *, rng: np.random.Generator, permutations: int = 200
) -> pd.DataFrame:
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
    rng : numpy.random.Generator
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
    permutations = check_count(permutations, "permutations")
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


@torch.no_grad()
def agreement(model: LanguageModel, grammar: Grammar, *, clauses: int, rng: np.random.Generator, n: int = 200) -> float:
    """Return how often a model gives more mass to verb forms of the subject's number than to those of the other.

    Parameters
    ----------
    model : LanguageModel
        Over the grammar's vocabulary.
    grammar : Grammar
        Samples the sentences; those with exactly ``clauses`` clauses between subject and verb are kept.
    clauses : int
        Number of clauses, at least 0 and at most the grammar's depth.
    rng : numpy.random.Generator
        Draws the sentences.
    n : int, default 200
        Number of sentences, at least 1.

    Returns
    -------
    float
        A share in [0, 1]; a model that guesses gets about one half.

    Raises
    ------
    ValueError
        If a number is out of its range.

    Examples
    --------
    >>> from regattn.transformer.checkpoints import load_shipped
    >>> agreement(load_shipped()[0], Grammar(), clauses=0, rng=np.random.default_rng(0), n=5)
    1.0
    """
    clauses = check_count(clauses, "clauses", least=0, most=grammar.depth, bound="the grammar's depth")
    n = check_count(n, "n")
    lexicon, right = grammar.lexicon, []
    forms = {
        number: grammar.encode([be, *lexicon.intransitive[number], *lexicon.transitive[number]])
        for number, be in (("sg", "is"), ("pl", "are"))
    }
    while len(right) < n:
        sentence = grammar.sample(rng)
        if "verb" not in sentence.roles or sentence.words.count("that") != clauses:
            continue
        tokens = [0, *grammar.encode(sentence.words[: sentence.roles.index("verb")])]  # 0 is the full stop
        q = torch.softmax(model(torch.tensor([tokens]))[0, -1], dim=-1)
        singular = sentence.words[sentence.roles.index("subject")] in lexicon.nouns["sg"]
        own, other = ("sg", "pl") if singular else ("pl", "sg")
        right.append(bool(q[forms[own]].sum() > q[forms[other]].sum()))
    return float(np.mean(right))
