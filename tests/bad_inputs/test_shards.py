"""Faults in a corpus of many files: damaged shards, damaged counts, a full disk, two runs in one folder."""

from __future__ import annotations

import gzip
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from regattn.words import PartialCounts, ShardedCorpus, Vocabulary, _parts, shards
from tests.bad_inputs.inputs import ODD, REFUSED, many, outcome
from tests.built import ROOT
from tests.words.test_totals import same

pytestmark = pytest.mark.weekly  # and whenever what it imports differs from main

WORDS = Vocabulary(["a", "b", "c"])
HOW = {"window": 30, "weighting": "harmonic"}
TEXTS = ["a b a c", "b b", "c a", "a a c b a"]

ENTRANCES = {
    "shards": lambda x: ShardedCorpus(x).word_counts(),
    "shard": lambda x: ShardedCorpus([x]).word_counts(),
    "documents": lambda x: PartialCounts.of(x, WORDS, window=2).words,
    "vocabulary": lambda x: PartialCounts.of([["a"]], x, window=2).words,
    "weighting": lambda x: PartialCounts.of([["a"]], WORDS, window=2, weighting=x).words,
    "counts": lambda x: Vocabulary.from_counts(x).words,
    "read": lambda x: ShardedCorpus(["s"], read=lambda shard: x).word_counts(),
}


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_odd_inputs_are_refused_or_answered(entrance):
    for odd in ODD.values():
        outcome(ENTRANCES[entrance], odd())


@pytest.fixture
def files(tmp_path) -> list[Path]:
    """Return the files of a corpus, all compressed."""
    paths = [tmp_path / f"{i}.txt.gz" for i in range(len(TEXTS))]
    for path, text in zip(paths, TEXTS, strict=True):
        path.write_bytes(gzip.compress(text.encode()))
    return paths


@pytest.fixture
def folder(tmp_path) -> Path:
    """Return an empty folder for finished shards."""
    (tmp_path / "done").mkdir()
    return tmp_path / "done"


DAMAGE = {
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-9]),
    "altered": lambda path: path.write_bytes(path.read_bytes()[:-8] + b"\0" * 8),
    "no gzip": lambda path: path.write_bytes(b"a b c"),
    "no text": lambda path: path.write_bytes(gzip.compress(b"\xff\xfe")),
    "another word": lambda path: path.write_bytes(gzip.compress(b"a zebra")),
    "missing": lambda path: path.unlink(),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_shard_is_named_and_the_others_are_kept(files, folder, damage, monkeypatch):
    whole, healthy = ShardedCorpus(files).cooccurrences(WORDS, **HOW), files[2].read_bytes()
    DAMAGE[damage](files[2])
    corpus = ShardedCorpus(files, folder=folder)
    with pytest.raises(ValueError, match=r"1 of 4 shards could not be counted: \S*2\.txt\.gz .*the others are kept in"):
        corpus.cooccurrences(WORDS, **HOW)
    assert len(list(folder.iterdir())) == 3
    if files[2].is_dir():
        files[2].rmdir()
    files[2].write_bytes(healthy)
    read, inner = [], shards._documents
    monkeypatch.setattr(shards, "_documents", lambda shard, **how: read.append(shard) or inner(shard, **how))
    assert same(corpus.cooccurrences(WORDS, **HOW).table(), whole.table())
    assert read == [files[2]]


def test_many_damaged_shards_are_counted_and_a_few_named(tmp_path):
    files = [tmp_path / f"{i}.txt" for i in range(9)]
    files[4].write_text("a b")
    with pytest.raises(ValueError, match=r"8 of 9 shards could not .*5\.txt \(FileNotFoundError.* and 3 more"):
        ShardedCorpus(files).word_counts()


def test_running_out_of_memory_is_no_damaged_shard(files):
    def hungry(shard):
        raise MemoryError

    with pytest.raises(MemoryError):
        ShardedCorpus(files, read=hungry).word_counts()


@many(150)
@given(place=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255), cut=st.booleans())
def test_an_altered_file_of_counts_is_refused_or_holds_the_same_counts(tmp_path_factory, place, flip, cut):
    path = tmp_path_factory.mktemp("altered") / "part.npz"
    part = PartialCounts.of([["a", "b", "c", "a"]], WORDS, **HOW)
    part.save(path)
    data = bytearray(path.read_bytes())
    data[int(place * len(data))] ^= flip
    path.write_bytes(data[: int(place * len(data))] if cut else data)
    found = outcome(lambda path: PartialCounts.load(path).table(), path)
    assert found is REFUSED or same(found, part.table())


@pytest.mark.parametrize(
    ("arrays", "note", "message"),
    [
        ({}, {}, "holds no partial counts: 'window'"),
        ({}, [1], "holds no partial counts"),
        ({}, {"window": 1, "weighting": "uniform", "directed": True, "words": 2, "vocabulary": ""}, "0.0.data"),
        ({}, {"window": 10**15, "weighting": "harmonic", "directed": True, "words": 2, "vocabulary": ""}, "≤ 100000"),
        ({}, {"window": 1, "weighting": "uniform", "directed": True, "words": "2", "vocabulary": ""}, "whole number"),
    ],
)
def test_a_file_of_something_else_is_refused(tmp_path, arrays, note, message):
    _parts.write_arrays(tmp_path / "part.npz", arrays, note=note)
    with pytest.raises(ValueError, match=message):
        PartialCounts.load(tmp_path / "part.npz")


@pytest.mark.parametrize(
    "change",
    [
        {"0.0.data": np.array([-1, 1])},
        {"0.0.data": np.array([0.5, 1])},
        {"0.0.indices": np.array([0, 7], dtype=np.int32)},
        {"0.0.indptr": np.array([0, 1], dtype=np.int32)},
        {"0.0.data": np.array([{}], dtype=object)},
    ],
)
def test_a_table_that_is_none_of_counts_is_refused(tmp_path, change):
    path = tmp_path / "part.npz"
    PartialCounts.of([["a", "b", "c"]], WORDS, window=1, directed=True).save(path)
    arrays, note = _parts.read_arrays(path)
    _parts.write_arrays(path, arrays | change, note=note)
    with pytest.raises(ValueError, match=r"part\.npz"):
        PartialCounts.load(path)


def test_counts_that_are_not_there_are_missed_by_name(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no partial counts at .*none\.npz"):
        PartialCounts.load(tmp_path / "none.npz")


def test_damaged_counts_of_a_finished_shard_are_counted_again(files, folder):
    corpus = ShardedCorpus(files, folder=folder)
    whole, words = corpus.cooccurrences(WORDS, **HOW), corpus.word_counts()
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes()[:-40])
    assert same(corpus.cooccurrences(WORDS, **HOW).table(), whole.table())
    assert corpus.word_counts() == words
    for path in folder.iterdir():
        _parts.read_arrays(path)  # whole again


def test_two_counts_into_one_folder_leave_whole_files_and_the_same_counts(files, folder):
    whole = ShardedCorpus(files).cooccurrences(WORDS, **HOW).table()
    wide = ShardedCorpus(files).cooccurrences(WORDS, window=2).table()

    def count(i):
        how = HOW if i % 2 else {"window": 2}
        return ShardedCorpus(files, folder=folder).cooccurrences(WORDS, **how).table()

    with ThreadPoolExecutor(6) as pool:  # three of one kind and three of another, at once
        found = list(pool.map(count, range(6)))
    assert all(same(table, whole if i % 2 else wide) for i, table in enumerate(found))
    assert len(list(folder.iterdir())) == 2 * len(files)
    for path in folder.iterdir():
        PartialCounts.load(path)


FULL = """
import resource, signal, sys
from regattn.words import PartialCounts, ShardedCorpus, Vocabulary
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
corpus = ShardedCorpus(sys.argv[3:], folder=sys.argv[1])
corpus.cooccurrences(Vocabulary(["a", "b", "c", *map(str, range(60))]), window=30)
"""


def test_a_full_disk_ends_the_run_and_leaves_what_was_whole(files, folder):
    files[2].write_bytes(gzip.compress(" ".join(map(str, range(60))).encode()))  # its table needs more than the others'
    words = Vocabulary(["a", "b", "c", *map(str, range(60))])
    whole = ShardedCorpus(files).cooccurrences(words, window=30).table()
    command = [sys.executable, "-c", FULL, str(folder), "6000", *map(str, files)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode != 0
    assert "OSError: " in done.stderr
    assert "could not be counted" not in done.stderr  # the shard is as good as the others
    assert sorted(path.name[0] for path in folder.iterdir()) == ["0", "1"]  # and nothing half written
    assert same(ShardedCorpus(files, folder=folder).cooccurrences(words, window=30).table(), whole)


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_an_interrupted_write_leaves_the_counts_that_were_there(tmp_path, monkeypatch, error):
    path = tmp_path / "part.npz"
    part = PartialCounts.of([["a", "b"]], WORDS, window=1)
    part.save(path)

    def half(file, **arrays):
        file.write(b"PK")
        raise error

    monkeypatch.setattr(_parts.np, "savez", half)
    with pytest.raises(type(error)):
        (part + part).save(path)
    monkeypatch.undo()
    assert same(PartialCounts.load(path).table(), part.table())
    assert [path.name for path in tmp_path.iterdir()] == ["part.npz"]
