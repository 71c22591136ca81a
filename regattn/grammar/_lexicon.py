"""The words of the grammar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

__all__ = ["LEXICON", "Lexicon"]

FIXED = (".", ",", "the", "that", "is", "are", "because", "she", "he", "bank")


@dataclass(frozen=True, eq=False, kw_only=True)
class Lexicon:
    """Words by class; those that agree are given as "sg" and "pl", those of the two senses of bank by sense.

    Two lexicons are equal only if they are the same object.
    """

    nouns: Mapping[str, Sequence[str]]
    places: Mapping[str, Sequence[str]]
    adjectives: Sequence[str]
    prepositions: Sequence[str]
    intransitive: Mapping[str, Sequence[str]]
    transitive: Mapping[str, Sequence[str]]
    names: Mapping[str, Sequence[str]]
    past: Sequence[str]
    times: Sequence[str]
    links: Sequence[str]
    cues: Mapping[str, Sequence[tuple[str, str]]]
    states: Mapping[str, Sequence[str]]
    events: Mapping[str, Sequence[str]]

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """All words once: the fixed ones first, the full stop at their head, then the rest by class."""
        words = list(FIXED)
        for field in fields(self):
            words.extend(_flat(getattr(self, field.name)))
        return tuple(dict.fromkeys(words))


def _flat(words: Any) -> list[str]:
    if isinstance(words, str):
        return [words]
    parts = words.values() if isinstance(words, Mapping) else words
    return [text for part in parts for text in _flat(part)]


LEXICON = Lexicon(
    nouns={
        "sg": ("dog", "cat", "farmer", "child", "teacher", "horse", "baker", "nurse"),
        "pl": ("dogs", "cats", "farmers", "children", "teachers", "horses", "bakers", "nurses"),
    },
    places={"sg": ("mill", "gate", "garden", "barn"), "pl": ("hills", "walls", "fields", "stables")},
    adjectives=("old", "young", "quiet", "happy", "tired", "clever"),
    prepositions=("near", "behind", "beside"),
    intransitive={"sg": ("sleeps", "waits", "sings", "runs"), "pl": ("sleep", "wait", "sing", "run")},
    transitive={"sg": ("sees", "likes", "follows", "helps"), "pl": ("see", "like", "follow", "help")},
    names={
        "she": ("anna", "clara", "emma", "ruth", "maria", "helen"),
        "he": ("tom", "paul", "felix", "hugo", "peter", "simon"),
    },
    past=("called", "thanked", "missed", "visited", "trusted", "invited"),
    times=("yesterday", "today", "again"),
    links=("was", "seemed", "looked"),
    cues={
        "shore": (("near", "stream"), ("near", "lake"), ("after", "flood"), ("after", "rain")),
        "lender": (("in", "city"), ("in", "market"), ("after", "audit"), ("after", "crash")),
    },
    states={
        "shore": ("muddy", "steep", "grassy", "eroded"),
        "lender": ("closed", "solvent", "insured", "profitable"),
    },
    events={"shore": ("flooded", "crumbled"), "lender": ("failed", "merged")},
)
"""The lexicon of the book's grammar."""
