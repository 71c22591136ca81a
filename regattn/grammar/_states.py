"""The grammar as a table: every state of knowledge that a sentence can lead to, and the words that may follow."""

from __future__ import annotations

from functools import lru_cache

from regattn.grammar._knowledge import frozen, successors
from regattn.grammar.sentences import Grammar


@lru_cache(maxsize=4)
def states(grammar: Grammar, most: int = 20_000) -> list[list[list]]:
    """Return, for every state, its ``[word, probability, state after it]``; state 0 begins a sentence.

    Two states are one where their words are the same, with the same probabilities, and lead to the same states.

    Parameters
    ----------
    grammar : Grammar
        Its sentences end at the full stop, after which the next begins.
    most : int, default 20000
        The number of states that a table may have.

    Raises
    ------
    ValueError
        If there are more.
    """
    start = frozen(grammar.start())
    found, waiting = {start: 0}, [start]
    table: list[list[tuple[int, float, int]]] = []
    numbers = {word: k for k, word in enumerate(grammar.vocabulary)}
    for belief in waiting:  # it grows while it is read
        row = []
        for word, (p, after) in successors(grammar, belief).items():
            then = start if word == "." else frozen(after)
            if then not in found:
                found[then] = len(found)
                waiting.append(then)
                if len(found) > most:
                    raise ValueError(f"a table has room for {most} states, and this grammar has more")
            row.append((numbers[word], p, found[then]))
        table.append(sorted(row))
    return _merged(table)


def _merged(table: list[list[tuple[int, float, int]]]) -> list[list[list]]:
    """Return the table with states that nothing tells apart made one, the first of them kept."""
    group = [0] * len(table)
    while True:
        signatures = [tuple((word, p, group[then]) for word, p, then in row) for row in table]
        known: dict[tuple, int] = {}
        finer = [known.setdefault(signature, len(known)) for signature in signatures]
        if len(known) == max(group) + 1:
            break
        group = finer
    kept = [finer.index(k) for k in range(len(known))]
    return [[[word, p, finer[then]] for word, p, then in table[place]] for place in kept]
