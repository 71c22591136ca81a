"""How far a language model is from the grammar it learned: in nats, in agreement, in words that cannot be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch

from regattn._rng import Rng, numpy_generator
from regattn._validation import check_count
from regattn.grammar._divergence import check_vocabularies, divergences
from regattn.grammar._knowledge import known_at_start
from regattn.grammar.sentences import Grammar, Sentence
from regattn.transformer.language_model import LanguageModel

__all__ = ["as_tokens", "excess_nats", "lawful_lengths", "next_words", "referent_probability", "verb_mass"]


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
    check_vocabularies(model, grammar)
    return divergences(grammar.conditionals(tokens), model(torch.as_tensor(tokens)))


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


@torch.no_grad()
def next_words(model: LanguageModel, grammar: Grammar, contexts: Sequence[str]) -> pd.DataFrame:
    """Return how probable a model holds every word of the grammar after each of some contexts.

    Parameters
    ----------
    model : LanguageModel
        Over the grammar's vocabulary.
    grammar : Grammar
        Whose words they are.
    contexts : sequence of str
        Beginnings of a sentence, words and full stops separated by blanks.

    Returns
    -------
    DataFrame
        One row per context, one column per word; every row sums to one.

    Raises
    ------
    ValueError
        If a word is not the grammar's.

    Examples
    --------
    >>> from regattn.transformer.checkpoints import load_shipped
    >>> beliefs = next_words(load_shipped()[0], Grammar(), ["the dogs that the farmer sees"])
    >>> beliefs.loc["the dogs that the farmer sees"].idxmax()
    'are'
    """
    texts = [torch.tensor([[0, *grammar.encode(context.split())]]) for context in contexts]  # 0 is the full stop
    q = [torch.softmax(model(text)[0, -1].double(), dim=-1).numpy() for text in texts]
    return pd.DataFrame(q, index=list(contexts), columns=list(grammar.vocabulary))


def referent_probability(
    beliefs: pd.DataFrame, grammar: Grammar, pairs: Sequence[tuple[str, str]], pronoun: str
) -> dict[str, float]:
    """Return where predictions put a name, where the pronoun leaves one of a woman and a man to be named.

    Parameters
    ----------
    beliefs : DataFrame
        From :func:`next_words`, a row for each pair.
    grammar : Grammar
        Says whose name is whose.
    pairs : sequence of (str, str)
        The two names that came before, one a woman's and one a man's, in any order.
    pronoun : str
        "she" or "he": the other of the two is to be named.

    Returns
    -------
    dict
        Probabilities, averaged over the rows: on ``"the other name"``, and on names of ``"any man"``, ``"any woman"``.

    Raises
    ------
    ValueError
        If the pronoun is another word, the rows are not one for each pair, or a pair is not a woman and a man.

    Examples
    --------
    >>> from regattn.transformer.checkpoints import load_shipped
    >>> grammar, pairs = Grammar(), [("anna", "tom"), ("tom", "anna")]
    >>> beliefs = next_words(load_shipped()[0], grammar, [f"{a} called {b} because she missed" for a, b in pairs])
    >>> referent_probability(beliefs, grammar, pairs, "she")["any man"] > 0.99
    True
    """
    names = {who: set(grammar.lexicon.names[who]) for who in ("she", "he")}
    if pronoun not in names:
        raise ValueError(f"pronoun must be 'she' or 'he', got {pronoun!r}")
    if len(beliefs) != len(pairs):
        raise ValueError(f"beliefs must have a row for each pair, got {len(beliefs)} rows for {len(pairs)} pairs")
    others = []
    for pair in pairs:
        if [len(names[who] & set(pair)) for who in names] != [1, 1]:
            raise ValueError(f"pairs must be of a woman and a man, got {pair!r}")
        others.extend(set(pair) - names[pronoun])
    columns = beliefs.columns.get_indexer(others)
    return {
        "the other name": float(beliefs.to_numpy()[np.arange(len(pairs)), columns].mean()),
        "any man": float(beliefs[sorted(names["he"])].sum(axis=1).mean()),
        "any woman": float(beliefs[sorted(names["she"])].sum(axis=1).mean()),
    }


@torch.no_grad()
def verb_mass(model: LanguageModel, grammar: Grammar, *, clauses: int, rng: Rng, n: int = 200) -> pd.DataFrame:
    """Return where a model puts its probability at the place of the main verb.

    Parameters
    ----------
    model : LanguageModel
        Over the grammar's vocabulary.
    grammar : Grammar
        Samples the sentences; those with exactly ``clauses`` clauses between subject and verb are kept.
    clauses : int
        Number of clauses, at least 0 and at most the grammar's depth.
    rng : int or Generator
        Draws the sentences.
    n : int, default 200
        Number of sentences, at least 1.

    Returns
    -------
    DataFrame
        One row per sentence: the probability of all verb forms of the subject's number (``own``) and of those of the
        ``other``, the likeliest word (``top``) and its probability (``top_mass``).

    Raises
    ------
    ValueError
        If a number is out of its range.

    Examples
    --------
    >>> from regattn.transformer.checkpoints import load_shipped
    >>> mass = verb_mass(load_shipped()[0], Grammar(), clauses=1, rng=np.random.default_rng(0), n=5)
    >>> bool((mass["own"] > 0.9).all()), sorted(set(mass["top"]))
    (True, ['are', 'is'])
    """
    clauses = check_count(clauses, "clauses", least=0, most=grammar.depth, bound="the grammar's depth")
    n, rng = check_count(n, "n"), numpy_generator(rng)
    lexicon, rows = grammar.lexicon, []
    forms = {
        number: grammar.encode([be, *lexicon.intransitive[number], *lexicon.transitive[number]])
        for number, be in (("sg", "is"), ("pl", "are"))
    }
    while len(rows) < n:
        sentence = grammar.sample(rng)
        if "verb" not in sentence.roles or sentence.words.count("that") != clauses:
            continue
        tokens = [0, *grammar.encode(sentence.words[: sentence.roles.index("verb")])]  # 0 is the full stop
        q = torch.softmax(model(torch.tensor([tokens]))[0, -1], dim=-1)
        singular = sentence.words[sentence.roles.index("subject")] in lexicon.nouns["sg"]
        own, other = ("sg", "pl") if singular else ("pl", "sg")
        top = int(q.argmax())
        rows.append((float(q[forms[own]].sum()), float(q[forms[other]].sum()), grammar.vocabulary[top], float(q[top])))
    return pd.DataFrame(rows, columns=["own", "other", "top", "top_mass"])


def lawful_lengths(grammar: Grammar, tokens: np.ndarray) -> np.ndarray:
    """Return how many words of each text come before the first one that cannot stand where it stands.

    Parameters
    ----------
    grammar : Grammar
        Says what cannot be: a word of probability zero.
    tokens : ndarray or Tensor of int, shape (B, T)
        Texts that start with a full stop.

    Returns
    -------
    ndarray of int, shape (B,)
        T - 1 where every word after the full stop is lawful.

    Examples
    --------
    >>> grammar = Grammar()
    >>> text = [0, *grammar.encode("the dogs sleep . the bank sings".split())]
    >>> lawful_lengths(grammar, np.array([text, [0] + [1] * 7])).tolist()
    [6, 0]
    """
    return np.array([_lawful_length(grammar, words) for words in np.asarray(tokens)[:, 1:].tolist()])


def _lawful_length(grammar: Grammar, words: list[int]) -> int:
    grammar.decode(words)  # refuses a number that is no word
    known = known_at_start(grammar)
    for length, word in enumerate(words):
        if not known.chances[word] > 0:
            return length
        known = known.after(grammar, word)
    return len(words)
