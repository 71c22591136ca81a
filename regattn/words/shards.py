"""A corpus in many files, counted shard by shard: in this process, or on the workers of Dask.

A shard that was counted is kept in a folder, if there is one, so that a run which was stopped goes on where it was. A
shard that cannot be read is named at the end, and the others are kept.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from regattn._extras import needed_by
from regattn.words._checks import check_document
from regattn.words._parts import read_arrays, write_arrays
from regattn.words.totals import PartialCounts
from regattn.words.vocabulary import Vocabulary, split_words

__all__ = ["ShardedCorpus"]

_NAMED = 5  # damaged shards in a message
_SHOWN = 40  # letters of a shard's name in that of its counts: no system takes a name of more than 255 bytes
_NAMELESS = re.compile(r"<lambda>| at 0x")  # in the name of a reader that is another one in the next process
_MEANING = 2  # of kept counts: raised when the same shard would be counted otherwise


@dataclass(frozen=True, eq=False)
class ShardedCorpus:
    """A corpus in many files, each of which is counted on its own; the counts of all add up to those of one pass.

    Two passes make a table: :meth:`word_counts` for the vocabulary, with a floor of frequency in
    :meth:`Vocabulary.from_counts`, then :meth:`cooccurrences`.

    Parameters
    ----------
    shards : sequence of paths
        One file each, small enough for one worker to count. Text has one document on a line, which
        :func:`split_words` cuts, and may be compressed (``.gz``); a ``.parquet`` has one document in a row.
    column : str, default "text"
        The column of Parquet files: texts, lists of words, or lists of word numbers.
    read : callable, optional
        Shard -> iterable of documents, for anything else than these files. On Dask it must be importable by the
        workers.
    folder : path, optional
        Where the counts of finished shards are kept: an existing folder that every worker sees. A second run counts
        only what is not there. Counts of another kind, of a file that has changed, or by another reader are kept
        apart. A reader is known by its name and its module: one that was changed needs another name, or an empty
        folder.
    client : dask.distributed.Client, optional
        The workers that count. Without one, this process does, one shard after the other.

    Raises
    ------
    ValueError
        If there is no shard, one is named twice, the folder does not exist, or counts are to be kept of a reader
        without a name.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, text in {"a.txt": "the river flooded", "b.txt": "the bank flooded"}.items():
    ...         _ = (Path(folder) / name).write_text(text)
    ...     corpus = ShardedCorpus([Path(folder) / "a.txt", Path(folder) / "b.txt"])
    ...     words = Vocabulary.from_counts(corpus.word_counts(), min_count=2, unknown="gap")
    ...     counts = corpus.cooccurrences(words, window=2)
    >>> words.words, counts.table().toarray()
    (('flooded', 'the'), array([[0, 2],
           [2, 0]]))
    """

    shards: Sequence[Any]
    column: str = "text"
    read: Callable[[Any], Iterable[Any]] | None = None
    folder: str | Path | None = None
    client: Any = None

    def __post_init__(self) -> None:
        if isinstance(self.shards, str | bytes | Path):
            raise ValueError(f"shards must be a sequence of files, got {self.shards!r}")
        object.__setattr__(self, "shards", tuple(self.shards))
        if not self.shards:
            raise ValueError("a corpus needs at least one shard, got none")
        twice = [name for name, times in Counter(map(str, self.shards)).items() if times > 1]
        if twice:
            raise ValueError(f"shards must differ, got {twice[0]} twice")
        if self.folder is not None and not Path(self.folder).is_dir():
            raise ValueError(f"folder must exist, and there is none at {self.folder}")
        if self.folder is not None and _NAMELESS.search(name := _name_of(self.read)):
            raise ValueError(f"read must have a name by which counts in folder are known, got {name}; use def")

    def word_counts(self) -> Counter[str]:
        """Return how often each word occurs, in order of first appearance.

        Raises
        ------
        ValueError
            If a shard cannot be read; the message names those, and the others are kept in ``folder``.
        """
        return self._sum(_Words())

    def cooccurrences(
        self, vocabulary: Vocabulary, *, window: int, weighting: str = "uniform", directed: bool = False
    ) -> PartialCounts:
        """Return how often words stand near each other in all shards; its ``table()`` is that of one pass.

        Parameters
        ----------
        vocabulary, window, weighting, directed
            As in :func:`count_cooccurrences`.

        Raises
        ------
        ValueError
            If an argument is out of range, or a shard cannot be read or counted; the message names those, and the
            others are kept in ``folder``.
        """
        job = _Pairs(vocabulary, window, weighting, directed)
        job.count([])  # raises here what is wrong with the arguments
        return self._sum(job)

    def _sum(self, job: Any) -> Any:
        task = partial(_outcome, job=job, corpus=replace(self, shards=self.shards[:1], client=None))
        if self.client is None:
            total = _added_up(map(task, self.shards))
        else:
            total = _on_workers(task, self.shards, self.client)
        if total.damaged:
            names = "; ".join(f"{name} ({why})" for name, why in total.damaged[:_NAMED])
            more = f" and {len(total.damaged) - _NAMED} more" if len(total.damaged) > _NAMED else ""
            kept = "" if self.folder is None else f"; the others are kept in {self.folder}"
            count = f"{len(total.damaged)} of {len(self.shards)} shards"
            raise ValueError(f"{count} could not be counted: {names}{more}{kept}")
        return total.counts


@dataclass(frozen=True)
class _Outcome:
    """The counts of some shards, and which of these could not be counted, and why."""

    counts: Any
    damaged: tuple[tuple[str, str], ...] = ()

    def __add__(self, other: _Outcome) -> _Outcome:
        damaged = self.damaged + other.damaged
        if damaged:  # no sum will be asked for
            return _Outcome(None, damaged)
        return _Outcome(self.counts + other.counts)

    def __sizeof__(self) -> int:  # Dask asks for it when it decides what goes to disk
        if self.counts is None:
            return object.__sizeof__(self)
        words = self.counts if isinstance(self.counts, Counter) else ()  # a dictionary does not count what it holds
        return self.counts.__sizeof__() + sum(map(sys.getsizeof, words))


@dataclass(frozen=True)
class _Words:
    """Counting words, and how their counts are kept in a file."""

    def count(self, documents: Iterable[Any]) -> Counter[str]:
        counts: Counter[str] = Counter()
        for document in documents:
            counts.update(check_document(document))
        return counts

    def save(self, counts: Counter[str], path: Path) -> None:
        write_arrays(path, {"counts": np.fromiter(counts.values(), dtype=np.int64)}, note={"words": list(counts)})

    def load(self, path: Path) -> Counter[str]:
        arrays, note = read_arrays(path)
        return Counter(dict(zip(note["words"], arrays["counts"].tolist(), strict=True)))

    def kind(self) -> list[Any]:
        return ["words"]


@dataclass(frozen=True)
class _Pairs:
    """Counting pairs of words, and how their counts are kept in a file."""

    vocabulary: Vocabulary
    window: int
    weighting: str
    directed: bool

    def count(self, documents: Iterable[Any]) -> PartialCounts:
        how = {"window": self.window, "weighting": self.weighting, "directed": self.directed}
        return PartialCounts.of(documents, self.vocabulary, **how)

    def save(self, counts: PartialCounts, path: Path) -> None:
        counts.save(path)

    def load(self, path: Path) -> PartialCounts:
        return PartialCounts.load(path)

    def kind(self) -> list[Any]:
        none = self.count([])
        return ["pairs", none.window, none.weighting, none.directed, none.vocabulary]


def _outcome(shard: Any, *, job: Any, corpus: ShardedCorpus) -> _Outcome:
    """Return the counts of a shard: from the folder, if they are there and whole, or counted now, and then kept."""
    try:
        kept = None if corpus.folder is None else _place(shard, job, corpus)
        found = None if kept is None else _found(kept, job)
        if found is not None:
            return _Outcome(found)
        counts = job.count((corpus.read or partial(_documents, column=corpus.column))(shard))
    except MemoryError:
        raise
    except Exception as error:
        return _Outcome(None, ((str(shard), f"{type(error).__name__}: {error}"),))
    if kept is not None:
        job.save(counts, kept)  # a full disk is no damaged shard: it ends the run
    return _Outcome(counts)


def _found(kept: Path, job: Any) -> Any:
    """Return the counts in a file, or None where it is missing or damaged: its shard can be counted again."""
    try:
        return job.load(kept)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _place(shard: Any, job: Any, corpus: ShardedCorpus) -> Path:
    """Return where the counts of a shard are kept: another kind of counting or another state of it, another file."""
    path = Path(str(shard))
    state = [path.stat().st_size, path.stat().st_mtime_ns] if path.is_file() else []
    what = json.dumps([_MEANING, job.kind(), str(shard), state, corpus.column, _name_of(corpus.read)])
    return Path(corpus.folder) / f"{path.name[:_SHOWN]}.{hashlib.sha256(what.encode()).hexdigest()[:20]}.npz"


def _name_of(read: Any) -> str:
    """Return what a reader is called, in this process and in the next."""
    if isinstance(read, partial):
        return f"{_name_of(read.func)}{(*read.args, sorted(read.keywords.items()))}"
    name = getattr(read, "__qualname__", None)
    return repr(read) if name is None else f"{getattr(read, '__module__', None)}.{name}"


def _documents(shard: Any, *, column: str) -> Iterator[Any]:
    """Yield the documents of a file."""
    path = Path(shard)
    if path.suffix == ".parquet":
        yield from _rows(path, column)
    else:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield split_words(line)


def _rows(path: Path, column: str) -> Iterator[Any]:
    """Yield the documents of a Parquet file, a few thousand rows in memory at a time."""
    with needed_by("a Parquet file"):
        from pyarrow import large_list, parquet, types
    with parquet.ParquetFile(path) as file:
        names = file.schema_arrow.names
        if column not in names:
            raise ValueError(f"there is no column {column!r}, only {', '.join(names)}")
        for batch in file.iter_batches(batch_size=4096, columns=[column]):
            rows = batch.column(0)
            if _is_of_lists(rows.type, types) and types.is_integer(rows.type.value_type):
                rows = rows.cast(large_list(rows.type.value_type))  # one kind of lists for three
                offsets = rows.offsets.to_numpy()
                yield from np.split(rows.flatten().to_numpy(), offsets[1:-1] - offsets[0])
            else:
                for row in rows.to_pylist():
                    yield split_words(row) if isinstance(row, str) else row or []


def _is_of_lists(kind: Any, types: Any) -> bool:
    return types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)


def _added_up(parts: Iterable[Any]) -> Any:
    """Return the sum of parts, in their order, as a tree: each is added to one of about its own size."""
    waiting: list[tuple[int, Any]] = []
    for part in parts:
        level = 0
        while waiting and waiting[-1][0] == level:
            part, level = waiting.pop()[1] + part, level + 1
        waiting.append((level, part))
    total = waiting.pop()[1]
    while waiting:
        total = waiting.pop()[1] + total
    return total


def _on_workers(task: Callable[[Any], Any], shards: Sequence[Any], client: Any) -> Any:
    """Return the sum of what a task makes of each shard; Dask's workers make the parts and add them, two at a time."""
    with needed_by("client"):
        from dask import bag
    if not hasattr(client, "compute"):
        raise ValueError(f"client must be a dask.distributed.Client, got {client!r}")
    outcomes = bag.from_sequence(shards, npartitions=len(shards)).map(task)
    return client.compute(outcomes.fold(_plus, combine=_plus, split_every=2)).result()


def _plus(one: Any, other: Any) -> Any:
    return one + other
