"""The rules of the grammar: one method per symbol, its features as arguments, yielding probabilities and replacements.

Features are how a sentence remembers: the number of a noun travels to its verb, a name to the place where it comes
back, the sense of *bank* to the words that may follow it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from regattn.grammar._lexicon import Lexicon

__all__ = ["Rules", "State", "Symbol", "Word"]

Symbol = tuple  # ("name", feature, …): what a rule rewrites
State = tuple  # the symbols and words still to come, left to right


class Word(NamedTuple):
    """A word of a sentence: what it is called there, and the name of the earlier word it depends on.

    Examples
    --------
    >>> Word("is", role="verb", depends_on="subject")
    Word(text='is', role='verb', depends_on='subject')
    """

    text: str
    role: str
    depends_on: str | None = None


class Rules:
    """The rules for one depth of clauses and one lexicon."""

    def __init__(self, depth: int, clause: float, lexicon: Lexicon) -> None:
        self.words, self.depth, self.clause = lexicon, depth, clause

    def _choice(self, texts: Sequence[str], role: str, depends_on: str | None = None) -> Iterator:
        for text in texts:
            yield 1 / len(texts), (Word(text, role, depends_on),)

    def S(self) -> Iterator:
        yield 0.5, (("NP", "subject", 0), Word(".", "stop"))
        yield 0.3, (("FIRST",), Word(".", "stop"))
        yield 0.2, (("SENSE",), Word(".", "stop"))

    # -- agreement: a noun phrase carries its verb phrase along, so that the number is passed on

    def NP(self, name: str, level: int) -> Iterator:
        for number in ("sg", "pl"):
            yield 0.5 * 0.7, (Word("the", "article"), ("NOUN", name, number), ("POST", name, number, level))
            yield (
                0.5 * 0.3,
                (Word("the", "article"), ("ADJ",), ("NOUN", name, number), ("POST", name, number, level)),
            )

    def ADJ(self) -> Iterator:
        yield from self._choice(self.words.adjectives, "adjective")

    def NOUN(self, name: str, number: str) -> Iterator:
        yield from self._choice(self.words.nouns[number], name)

    def POST(self, name: str, number: str, level: int) -> Iterator:
        after = ("VP", name, number) if level == 0 else ("GAP", name, number)
        clause = self.clause if level < self.depth else 0.0
        yield (1 - clause) * 0.6, (after,)
        yield (1 - clause) * 0.4, (("PREP",), Word("the", "article"), ("PLACE",), after)
        if clause:
            inner = f"inner{level + 1}"
            yield clause * 0.5, (Word("that", "that"), ("GAP_OBJECT", name, number), after)
            yield clause * 0.5, (Word("that", "that"), ("NP", inner, level + 1), after)

    def PREP(self) -> Iterator:
        yield from self._choice(self.words.prepositions, "preposition")

    def PLACE(self) -> Iterator:
        yield from self._choice([*self.words.places["sg"], *self.words.places["pl"]], "place")

    def VP(self, name: str, number: str) -> Iterator:
        be = Word({"sg": "is", "pl": "are"}[number], "verb", name)
        yield 0.4, (be, ("ADJ",))
        yield 0.3, (("VERB", "intransitive", name, number),)
        yield 0.3, (("VERB", "transitive", name, number), ("OBJECT",))

    def GAP(self, name: str, number: str) -> Iterator:
        # the verb inside a relative clause whose object is the noun outside
        yield from self._choice(self.words.transitive[number], f"verb of {name}", name)

    def GAP_OBJECT(self, name: str, number: str) -> Iterator:
        # the verb inside a relative clause whose subject is the noun outside, and its object
        for text in self.words.transitive[number]:
            yield 1 / len(self.words.transitive[number]), (Word(text, f"clause verb of {name}", name), ("OBJECT",))

    def VERB(self, kind: str, name: str, number: str) -> Iterator:
        yield from self._choice(getattr(self.words, kind)[number], "verb", name)

    def OBJECT(self) -> Iterator:
        for noun in [*self.words.nouns["sg"], *self.words.nouns["pl"]]:
            p = 1 / (2 * len(self.words.nouns["sg"]))
            yield p, (Word("the", "article"), Word(noun, "object"))

    # -- reference: names are features, so that they can come back

    def FIRST(self) -> Iterator:
        for gender in ("she", "he"):
            for name in self.words.names[gender]:
                yield 0.5 / len(self.words.names[gender]), (Word(name, "first name"), ("SECOND", name, gender))

    def SECOND(self, first: str, gender: str) -> Iterator:
        other = "he" if gender == "she" else "she"
        for name in self.words.names[other]:
            p = 1 / len(self.words.names[other])
            yield p, (("PAST",), Word(name, "second name"), ("WHEN",), ("BECAUSE", first, name, gender, other))

    def PAST(self) -> Iterator:
        yield from self._choice(self.words.past, "verb past")

    def WHEN(self) -> Iterator:
        yield 0.5, ()
        for text in self.words.times:
            yield 0.5 / len(self.words.times), (Word(text, "time"),)

    def BECAUSE(self, first: str, second: str, gender: str, other: str) -> Iterator:
        because, past = Word("because", "because"), ("PAST",)
        yield 0.6, (because, Word(gender, "pronoun", "first name"), past, Word(second, "repeated name", "second name"))
        yield 0.4, (because, Word(other, "pronoun", "second name"), past, Word(first, "repeated name", "first name"))

    # -- sense: shore or lender

    def SENSE(self) -> Iterator:
        for sense in ("shore", "lender"):
            yield 0.5 * 0.7, (("CUE", sense), Word(",", "comma"), ("BANK", sense, "cue"))
            yield 0.5 * 0.3, (("BANK", sense, None),)

    def CUE(self, sense: str) -> Iterator:
        for preposition, noun in self.words.cues[sense]:
            p = 1 / len(self.words.cues[sense])
            yield p, (Word(preposition, "preposition"), Word("the", "article"), Word(noun, "cue"))

    def BANK(self, sense: str, cue: str | None) -> Iterator:
        bank = (Word("the", "article"), Word("bank", f"bank ({sense})", cue))
        link = [Word(text, "link") for text in self.words.links]
        for linking in link:
            yield 0.7 / len(link), (*bank, linking, ("STATE", sense))
        for text in self.words.events[sense]:
            yield 0.3 / len(self.words.events[sense]), (*bank, Word(text, "event", f"bank ({sense})"))

    def STATE(self, sense: str) -> Iterator:
        yield from self._choice(self.words.states[sense], "state", f"bank ({sense})")
