r"""Counts of part of a corpus, in whole numbers until the end: parts that were counted anywhere add exactly.

Weights 1/distance are counted as whole numbers too, and divided once, at the end: exactly, in units of
1/lcm(1, …, window), up to a distance of 22, and rounded to 2⁻⁵⁸ beyond. So the table depends neither on how the corpus
was cut into chunks nor on who counted which part of it.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from regattn._validation import check_count
from regattn.words._chunks import add, add_transpose, chunks, count_chunk
from regattn.words._parts import read_arrays, write_arrays
from regattn.words.vocabulary import Vocabulary

__all__ = ["PartialCounts"]

_WIDEST = 100_000  # a chunk holds what its last place looks ahead to: a wider window would fill the memory with it
_EXACT = 22  # lcm(1, …, 22) is below 2²⁸; the next one would crowd a 64-bit count
_HALF = 29  # bits in each half of a weight beyond
_KINDS = ("window", "weighting", "directed", "words", "vocabulary")


@dataclass(frozen=True, eq=False)
class PartialCounts:
    """How often words stand near each other in part of a corpus, in whole numbers; parts are added with ``+``.

    Made by :meth:`of`. The sum of parts has, bit for bit, the table that one pass over the whole corpus has, in any
    order and for every weighting. Finished tables of fractions do not add up so.

    Attributes
    ----------
    window, weighting, directed
        As in :func:`count_cooccurrences`.
    words : int
        V, the size of the vocabulary.
    vocabulary : str
        The fingerprint of its words and of its policy: only counts of the same one can be added.

    Examples
    --------
    >>> words = Vocabulary(["river", "bank", "flooded"])
    >>> one = PartialCounts.of([["river", "flooded", "bank"]], words, window=2, weighting="harmonic")
    >>> two = PartialCounts.of([["bank", "flooded"]], words, window=2, weighting="harmonic")
    >>> (one + two).table().toarray()
    array([[0. , 0.5, 1. ],
           [0.5, 0. , 2. ],
           [1. , 2. , 0. ]])
    """

    window: int
    weighting: str
    directed: bool
    words: int
    vocabulary: str
    _totals: tuple[tuple[sparse.csr_array, ...], ...]  # a table for each part of each group of distances

    @classmethod
    def of(
        cls,
        documents: Iterable[Sequence[str] | np.ndarray],
        vocabulary: Vocabulary,
        *,
        window: int,
        weighting: str = "uniform",
        directed: bool = False,
    ) -> PartialCounts:
        """Return the counts of some documents.

        Parameters
        ----------
        documents, vocabulary, window, weighting, directed
            As in :func:`count_cooccurrences`.

        Returns
        -------
        PartialCounts
            As large as the table of these documents alone.

        Raises
        ------
        ValueError
            As :func:`count_cooccurrences` does, or if a count passes 2⁶² units.
        """
        window = check_count(window, "window", most=_WIDEST)
        if not isinstance(vocabulary, Vocabulary):
            raise ValueError(f"vocabulary must be a Vocabulary, got {type(vocabulary).__name__}")
        if weighting not in ("uniform", "harmonic"):
            raise ValueError(f'weighting must be "uniform" or "harmonic", got {weighting!r}')
        if isinstance(documents, str | bytes):
            raise ValueError(f"documents must be an iterable of documents, got the string {documents[:40]!r}")
        V, groups = len(vocabulary), _distance_groups(window, weighting)
        totals = _counted(chunks(_numbered(documents, vocabulary), window, V), groups, V, directed)
        return cls(window, weighting, bool(directed), V, _fingerprint(vocabulary), totals)

    def __add__(self, other: PartialCounts) -> PartialCounts:
        """Return the counts of both parts; raise a ValueError if they were counted in different ways."""
        if not isinstance(other, PartialCounts):
            return NotImplemented
        for name in _KINDS:
            ours, theirs = getattr(self, name), getattr(other, name)
            if ours != theirs:
                raise ValueError(f"parts that are added must have the same {name}, got {ours!r} and {theirs!r}")
        pairs = zip(self._totals, other._totals, strict=True)
        totals = tuple(tuple(add(a, b) for a, b in zip(x, y, strict=True)) for x, y in pairs)
        return PartialCounts(*(getattr(self, name) for name in _KINDS), totals)

    def __sizeof__(self) -> int:  # Dask asks for it when it decides what goes to disk
        tables = list(chain.from_iterable(self._totals))
        return sum(part.nbytes for table in tables for part in (table.data, table.indices, table.indptr))

    def table(self) -> sparse.csr_array:
        """Return the finished table, as :func:`count_cooccurrences` of the same documents does."""
        totals = self._totals
        if not self.directed:
            totals = [[add_transpose(total) for total in parts] for parts in totals]
        if self.weighting == "uniform":
            return totals[0][0].copy() if self.directed else totals[0][0]
        units = [unit for _, _, units in _distance_groups(self.window, self.weighting) for unit in units]
        parts = [_divided(total, unit) for total, unit in zip(chain.from_iterable(totals), units, strict=True)]
        return sum(parts[1:], start=parts[0])

    def save(self, path: str | os.PathLike) -> None:
        """Write the counts to ``path``, an .npz whose folder exists: complete or not at all.

        Examples
        --------
        >>> import tempfile
        >>> part = PartialCounts.of([["a", "b"]], Vocabulary(["a", "b"]), window=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     part.save(Path(folder) / "part.npz")
        ...     (part + PartialCounts.load(Path(folder) / "part.npz")).table().toarray()
        array([[0, 2],
               [2, 0]])
        """
        arrays = {}
        for g, parts in enumerate(self._totals):
            for p, table in enumerate(parts):
                arrays |= {f"{g}.{p}.{name}": getattr(table, name) for name in ("data", "indices", "indptr")}
        write_arrays(path, arrays, note={name: getattr(self, name) for name in _KINDS})

    @classmethod
    def load(cls, path: str | os.PathLike) -> PartialCounts:
        """Return the counts that :meth:`save` wrote.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If it is truncated, altered or holds no partial counts.
        """
        arrays, note = read_arrays(path)
        try:
            kinds = [note[name] for name in _KINDS]
            window, V = check_count(note["window"], "window", most=_WIDEST), check_count(note["words"], "words")
            groups = _distance_groups(window, note["weighting"])
            totals = tuple(
                tuple(_table(arrays, f"{g}.{p}", V) for p in range(len(weights)))
                for g, (_, weights, _) in enumerate(groups)
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"{Path(path).name} holds no partial counts: {error}") from error
        return cls(*kinds, totals)


def _table(arrays: dict[str, np.ndarray], name: str, V: int) -> sparse.csr_array:
    """Return one of the tables of a file, after a look at whether it is one."""
    parts = [arrays[f"{name}.{part}"] for part in ("data", "indices", "indptr")]
    table = sparse.csr_array(tuple(parts), shape=(V, V))
    table.check_format(full_check=True)
    if table.data.dtype != np.int64 or (table.data < 0).any() or not table.has_canonical_format:
        raise ValueError(f"its table {name} is not one of counts")
    return table


def _fingerprint(vocabulary: Vocabulary) -> str:
    text = json.dumps([vocabulary.unknown, *vocabulary.words])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _distance_groups(window: int, weighting: str) -> list[tuple[range, list[np.ndarray | None], list[int]]]:
    """Return the distances in groups; each with its weights as whole numbers, in one part or two, and their units."""
    if weighting == "uniform":
        return [(range(1, window + 1), [None], [1])]  # None: no weights at all
    near = range(1, min(window, _EXACT) + 1)
    unit = math.lcm(*near)
    groups = [(near, [unit // np.array(near)], [unit])]
    if window > _EXACT:
        far = range(_EXACT + 1, window + 1)
        weights = (2 ** (2 * _HALF) + np.array(far) // 2) // np.array(far)  # rounded
        groups.append((far, [weights >> _HALF, weights & (2**_HALF - 1)], [2**_HALF, 2 ** (2 * _HALF)]))
    return groups


def _counted(
    stretches: Iterator[tuple], groups: list[tuple], V: int, directed: bool
) -> tuple[tuple[sparse.csr_array, ...], ...]:
    """Return the counts of all chunks, a table for each part of each group."""
    totals = [[sparse.csr_array((V, V), dtype=np.int64) for _ in weights] for _, weights, _ in groups]
    for tokens, starts, reach in stretches:
        for g, (distances, weights, _) in enumerate(groups):
            if distances[0] <= reach:
                within = distances[: reach - distances[0] + 1]
                found = count_chunk(tokens, starts, V, within, weights, directed)
                totals[g] = [add(a, b) for a, b in zip(totals[g], found, strict=True)]
    return tuple(map(tuple, totals))


def _numbered(documents: Iterable[Any], vocabulary: Vocabulary) -> Iterator[np.ndarray]:
    """Yield each document as word numbers."""
    V = len(vocabulary)
    for position, document in enumerate(documents):
        if isinstance(document, np.ndarray) and document.dtype.kind in "iu":
            if document.ndim != 1:
                raise ValueError(f"document {position} must be one-dimensional, got shape {document.shape}")
            if document.size and (document.min() < -1 or document.max() >= V):
                worst = document[(document < -1) | (document >= V)][0]
                raise ValueError(f"document {position} has word number {worst}, outside −1 to {V - 1}")
            yield document
        else:
            yield vocabulary.indices(document)


def _divided(counts: sparse.csr_array, unit: int) -> sparse.csr_array:
    return sparse.csr_array((counts.data / unit, counts.indices, counts.indptr), shape=counts.shape)
