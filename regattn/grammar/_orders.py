"""What a reader who remembers only a few words can have of the grammar's text, exactly."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache

import numpy as np

from regattn.grammar._states import states
from regattn.grammar.sentences import Grammar

__all__ = ["ngram_entropy"]


@lru_cache(maxsize=16)
def ngram_entropy(grammar: Grammar, order: int) -> float:
    r"""Return the entropy of the next word given the ``order - 1`` before it, in nats, in a long text.

    .. math:: H(w_t \mid w_{t-n+1}, \dots, w_{t-1})

    No n-gram model of this order pays less per word, whatever it has counted.

    Examples
    --------
    >>> grammar = Grammar()
    >>> [round(ngram_entropy(grammar, order), 3) for order in (1, 2, 3)], round(grammar.entropy().per_word, 3)
    ([3.898, 1.963, 1.607], 1.349)
    """
    table = states(grammar)
    contexts = {(): _long_run(table)}
    for _ in range(order - 1):
        longer: dict[tuple[int, ...], dict[int, float]] = defaultdict(lambda: defaultdict(float))
        for context, belief in contexts.items():
            for state, mass in belief.items():
                for word, p, after in table[state]:
                    longer[*context, word][after] += mass * p
        contexts = longer
    total = 0.0
    for belief in contexts.values():
        joint: dict[int, float] = defaultdict(float)
        for state, mass in belief.items():
            for word, p, _ in table[state]:
                joint[word] += mass * p
        shares = np.array(list(joint.values()))
        total -= float(shares @ np.log(shares / shares.sum()))
    return total


def _long_run(table: list[list[list]]) -> dict[int, float]:
    """Return how often a text is in each state: visits of one sentence, which begins in state 0, over its length."""
    visits: dict[int, float] = defaultdict(float)
    now = {0: 1.0}
    while now:
        following: dict[int, float] = defaultdict(float)
        for state, mass in now.items():
            visits[state] += mass
            for _, p, after in table[state]:
                if after:
                    following[after] += mass * p
        now = following
    length = sum(visits.values())
    return {state: count / length for state, count in visits.items()}
