"""What is known about a text at one of its places, exactly: a distribution over what may still be to come."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np

from regattn.grammar._rules import State, Symbol, Word

__all__ = ["Belief", "Known", "frozen", "known_at_start", "remaining", "successors"]

Belief = dict  # state -> probability


class _Grammar(Protocol):
    """What is asked of a grammar here."""

    @property
    def vocabulary(self) -> tuple[str, ...]: ...
    def encode(self, words: Sequence[str]) -> list[int]: ...
    def decode(self, tokens: Sequence[int]) -> list[str]: ...
    def expand(self, symbol: Symbol) -> list[tuple[float, State]]: ...
    def start(self) -> Belief: ...
    def advance(self, belief: Belief, word: str) -> Belief: ...


class Known:
    """What is known at a place of a text: the chances of the next word, and what will be known after each word.

    Texts meet in the same places again and again, so a place is found once and remembered.
    """

    def __init__(self, grammar: _Grammar, belief: tuple) -> None:
        self.belief, self.chances = belief, np.zeros(len(grammar.vocabulary))
        found = successors(grammar, belief)
        self.chances[grammar.encode(list(found))] = [p for p, _ in found.values()]
        self._after: dict[int, Known] = {}

    def after(self, grammar: _Grammar, token: int) -> Known:
        """Return what is known after one more word, or raise the error of :meth:`Grammar.advance`."""
        if token not in self._after:
            belief = grammar.advance(dict(self.belief), grammar.decode([token])[0])
            self._after[token] = _known(grammar, frozen(belief))
        return self._after[token]


def known_at_start(grammar: _Grammar) -> Known:
    """Return what is known at the beginning of a sentence."""
    return _known(grammar, frozen(grammar.start()))


@lru_cache(maxsize=100_000)
def _known(grammar: _Grammar, belief: tuple) -> Known:
    return Known(grammar, belief)


def frozen(belief: Belief) -> tuple:
    return tuple(sorted(belief.items(), key=repr))


@lru_cache(maxsize=200_000)
def _first_words(grammar: _Grammar, state: State) -> tuple[tuple[float, str, State], ...]:
    """Return what a state may begin with: probability, word, and the state after it."""
    if not state:
        return _first_words(grammar, (("S",),))  # a sentence has ended; the next begins
    first, rest = state[0], state[1:]
    if isinstance(first, Word):
        return ((1.0, first.text, rest),)
    return tuple(
        (p * q, word, after)
        for p, replacement in grammar.expand(first)
        for q, word, after in _first_words(grammar, (*replacement, *rest))
    )


@lru_cache(maxsize=200_000)
def successors(grammar: _Grammar, belief: tuple) -> dict[str, tuple[float, Belief]]:
    """Return, for every word that may come next, its probability and the belief after it."""
    joint: dict[str, Belief] = {}
    for state, p in belief:
        for q, word, after in _first_words(grammar, state):
            states = joint.setdefault(word, {})
            states[after] = states.get(after, 0.0) + p * q
    found = {}
    for word, states in joint.items():
        mass = sum(states.values())
        found[word] = (mass, {state: p / mass for state, p in states.items()})
    return found


@lru_cache(maxsize=200_000)
def remaining(grammar: _Grammar, belief: tuple) -> tuple[float, float]:
    """Return the entropy of the rest of the sentence and its mean length."""
    nats = length = 0.0
    for word, (p, after) in successors(grammar, belief).items():
        rest = (0.0, 0.0) if word == "." else remaining(grammar, frozen(after))
        nats += p * (rest[0] - np.log(p))
        length += p * (rest[1] + 1.0)
    return float(nats), float(length)
