"""A corpus in many files: counted apart, here or by Dask, it has the table of one pass; a stopped run goes on."""

from __future__ import annotations

import gzip
import operator
import os
from collections import Counter
from functools import partial
from pathlib import Path

import dask.sizeof
import numpy as np
import pyarrow as pa
import pytest
from distributed import Client, LocalCluster
from distributed.spill import SpillBuffer
from pyarrow import parquet

from regattn.words import PartialCounts, ShardedCorpus, Vocabulary, count_cooccurrences, shards, split_words
from tests.words.test_totals import same

TEXTS = ["The river flooded the bank.\nA loan from the bank", "\nThe the river", "no such words", "A bank, a river"]
HOW = {"window": 3, "weighting": "harmonic"}


@pytest.fixture
def files(tmp_path) -> list[Path]:
    """Return the files of a corpus, one of them compressed."""
    paths = [tmp_path / f"{i}.txt{'.gz' * (i == 1)}" for i in range(len(TEXTS))]
    for path, text in zip(paths, TEXTS, strict=True):
        path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return paths


@pytest.fixture
def folder(tmp_path) -> Path:
    """Return an empty folder for finished shards."""
    (tmp_path / "done").mkdir()
    return tmp_path / "done"


@pytest.fixture(scope="module")
def client():
    """Return two workers of Dask, in threads: what crosses between them is pickled all the same when it is spilt."""
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    with LocalCluster(**options, protocol="tcp", host="127.0.0.1") as cluster, Client(cluster) as found:
        yield found


def documents() -> list[list[str]]:
    return [split_words(line) for text in TEXTS for line in text.splitlines()]


def one_pass(vocabulary: Vocabulary):
    return count_cooccurrences(documents(), vocabulary, **HOW)


def spied(monkeypatch) -> list[str]:
    """Return a list of the files that will be read."""
    read, inner = [], shards._documents
    monkeypatch.setattr(shards, "_documents", lambda shard, **how: read.append(Path(shard).name) or inner(shard, **how))
    return read


def test_two_passes_over_shards_have_the_vocabulary_and_the_table_of_one_corpus(files):
    corpus = ShardedCorpus(files)
    counts = corpus.word_counts()
    assert list(counts.items()) == list(Counter(word for document in documents() for word in document).items())
    for order in ("count", "first", "alphabet"):
        how = {"min_count": 2, "order": order, "unknown": "gap"}
        vocabulary = Vocabulary.from_counts(counts, **how)
        assert vocabulary == Vocabulary.from_documents(documents(), **how)
        assert same(corpus.cooccurrences(vocabulary, **HOW).table(), one_pass(vocabulary))


def test_the_workers_of_dask_count_the_same_bits(files, folder, client):
    corpus = ShardedCorpus(files, client=client, folder=folder)
    words = corpus.word_counts()
    assert list(words.items()) == list(ShardedCorpus(files).word_counts().items())
    vocabulary = Vocabulary.from_counts(words, min_count=2, unknown="gap")
    for _ in range(2):  # counted, and then read from the folder
        assert same(corpus.cooccurrences(vocabulary, **HOW).table(), one_pass(vocabulary))
    assert len(list(folder.iterdir())) == 2 * len(files)


def test_workers_of_dask_name_a_shard_that_cannot_be_read(files, folder, client):
    files[2].write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match=r"1 of 4 shards could not be counted: .*2\.txt \(UnicodeDecodeError"):
        ShardedCorpus(files, client=client, folder=folder).word_counts()
    assert len(list(folder.iterdir())) == len(files) - 1


def test_dask_takes_counts_for_as_large_as_they_are_and_puts_them_on_disk(tmp_path):
    rng = np.random.default_rng(5)
    vocabulary = Vocabulary([f"w{i}" for i in range(101)])
    parts = {f"p{i}": PartialCounts.of([rng.integers(0, 101, 997)], vocabulary, window=3) for i in range(5)}
    outcomes = {key: shards._Outcome(part) for key, part in parts.items()}
    size = dask.sizeof.sizeof(outcomes["p0"])
    assert dask.sizeof.sizeof(shards._Outcome(Counter({"x" * 10_000: 1}))) > 10_000  # the words as well
    assert size > 12 * parts["p0"].table().nnz / 2  # a number and its column for each cell of the lower triangle
    held = SpillBuffer(str(tmp_path), target=2 * size)
    for key, outcome in outcomes.items():
        held[key] = outcome
    assert held.spilled_total.memory > 0
    for key, part in parts.items():
        assert same(held[key].counts.table(), part.table())


def test_a_second_run_reads_no_shard_again(files, folder, monkeypatch):
    corpus = ShardedCorpus(files, folder=folder)
    words = Vocabulary.from_counts(corpus.word_counts())
    first = corpus.cooccurrences(words, **HOW).table()
    read = spied(monkeypatch)
    assert same(corpus.cooccurrences(words, **HOW).table(), first)
    assert corpus.word_counts() == Counter(word for document in documents() for word in document)
    assert read == []


def test_a_run_that_was_stopped_half_way_counts_the_rest(files, folder, monkeypatch):
    words = Vocabulary.from_documents(documents())

    def interrupted(shard):
        if shard == files[2]:
            raise KeyboardInterrupt
        return shards._documents(shard, column="text")

    interrupted.__qualname__ = "reads"
    with pytest.raises(KeyboardInterrupt):
        ShardedCorpus(files, read=interrupted, folder=folder).cooccurrences(words, **HOW)
    read = []

    def whole(shard):
        read.append(shard)
        return shards._documents(shard, column="text")

    whole.__qualname__ = "reads"  # the same reader, in the next process
    found = ShardedCorpus(files, read=whole, folder=folder).cooccurrences(words, **HOW)
    assert read == files[2:]
    assert same(found.table(), one_pass(words))


@pytest.mark.parametrize(
    "change",
    [
        lambda words, how: (words, how | {"window": 2}),
        lambda words, how: (words, how | {"weighting": "uniform"}),
        lambda words, how: (words, how | {"directed": True}),
        lambda words, how: (Vocabulary(words.words[::-1], words.unknown), how),
        lambda words, how: (Vocabulary(words.words[1:], words.unknown), how),
        lambda words, how: (Vocabulary(words.words, "gap"), how),
    ],
)
def test_counts_of_another_kind_are_kept_apart(files, folder, change):
    corpus = ShardedCorpus(files, folder=folder)
    words = Vocabulary.from_documents(documents(), min_count=2, unknown="skip")
    first = corpus.cooccurrences(words, **HOW).table()
    other, how = change(words, HOW)
    found = corpus.cooccurrences(other, **how).table()
    assert same(found, count_cooccurrences(documents(), other, **how))
    assert not same(found, first)  # so that a file taken for the other would be noticed


def test_columns_of_one_file_are_kept_apart(tmp_path, folder):
    parquet.write_table(pa.table({"text": ["a"], "title": ["b"]}), tmp_path / "a.parquet")
    for _ in range(2):  # counted, and then read from the folder
        for column, word in {"text": "a", "title": "b"}.items():
            assert ShardedCorpus([tmp_path / "a.parquet"], column=column, folder=folder).word_counts() == Counter(word)
    assert len(list(folder.iterdir())) == 2


def test_a_shard_is_kept_for_every_corpus_that_it_is_part_of(files, folder, client, monkeypatch):
    ShardedCorpus(files, folder=folder).word_counts()
    read = spied(monkeypatch)
    ShardedCorpus(files[::-1][:3], folder=folder).word_counts()
    ShardedCorpus(files, folder=folder, client=client).word_counts()  # whoever counts
    assert read == []


@pytest.mark.parametrize(
    ("written", "later"),
    [(lambda text: text[::-1], 1), (lambda text: f"{text} loan", 0)],
    ids=["of one size", "of one moment"],
)
def test_a_file_that_has_changed_is_counted_again(files, folder, written, later):
    corpus, stat = ShardedCorpus(files, folder=folder), files[0].stat()
    before = corpus.word_counts()
    files[0].write_text(written(files[0].read_text()))
    os.utime(files[0], ns=(stat.st_atime_ns, stat.st_mtime_ns + later))
    assert corpus.word_counts() == ShardedCorpus(files).word_counts() != before


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["the river", None, "the bank, the river"]),
        pa.array([["the", "river"], [], ["the", "bank", "the", "river"]]),
    ],
)
def test_a_column_of_parquet_is_read_as_documents(tmp_path, column):
    parquet.write_table(pa.table({"text": column, "other": [1, 2, 3]}), tmp_path / "a.parquet", row_group_size=2)
    corpus = ShardedCorpus([tmp_path / "a.parquet"])
    assert corpus.word_counts() == Counter(the=3, river=2, bank=1)


@pytest.mark.parametrize(
    ("kind", "lengths"),
    [
        (pa.list_(pa.int32()), (3, 0, 41, 7, 1, 29)),
        (pa.large_list(pa.int64()), (3, 0, 41, 7, 1, 29)),
        (pa.list_(pa.int16(), 5), (5, 5, 5, 5, 5)),
    ],
    ids=["lists", "large lists", "lists of one length"],
)
def test_a_column_of_word_numbers_is_read_in_rows_of_any_length(tmp_path, kind, lengths):
    rng, words = np.random.default_rng(6), Vocabulary(["a", "b", "c"])
    rows = [rng.integers(-1, 3, n) for n in lengths]
    table = pa.table({"numbers": pa.array([row.tolist() for row in rows], type=kind)})
    parquet.write_table(table, tmp_path / "a.parquet", row_group_size=4)
    found = ShardedCorpus([tmp_path / "a.parquet"], column="numbers").cooccurrences(words, **HOW)
    assert same(found.table(), count_cooccurrences(rows, words, **HOW))


def test_parts_are_added_in_order_and_never_more_than_a_few_wait():
    waiting, most = 0, 0

    class Part:
        def __init__(self, text):
            nonlocal waiting, most
            self.text, waiting = text, waiting + 1
            most = max(most, waiting)

        def __add__(self, other):
            nonlocal waiting
            waiting -= 2
            return Part(self.text + other.text)

    letters = "abcdefghijklmnopqrstuvwxyz"
    assert shards._added_up(map(Part, letters)).text == letters
    assert most <= 6  # about log2 of 26


def reads_one(shard):
    yield ["a", "b"]


def reads_two(shard, *, word="c"):
    yield ["a", word]


def test_counts_of_one_reader_are_not_taken_for_those_of_another(folder):
    for read, words in (
        (reads_one, "ab"),
        (reads_two, "ac"),
        (partial(reads_two, word="d"), "ad"),
        (partial(reads_two, word="e"), "ae"),
    ):
        for _ in range(2):  # counted, and then read from the folder
            assert ShardedCorpus(["s"], read=read, folder=folder).word_counts() == Counter(words)
    assert len(list(folder.iterdir())) == 4


@pytest.mark.parametrize("read", [lambda shard: [["a"]], partial(map, object())])
def test_a_reader_that_has_no_name_of_its_own_keeps_no_counts(folder, read):
    ShardedCorpus(["s"], read=read)
    with pytest.raises(ValueError, match="read must have a name by which counts in folder are known, got"):
        ShardedCorpus(["s"], read=read, folder=folder)


def test_a_shard_of_a_long_name_is_kept_too(tmp_path, folder, monkeypatch):
    path = tmp_path / f"{'é' * 120}.txt"
    path.write_text("a b")
    corpus = ShardedCorpus([path], folder=folder)
    assert corpus.word_counts() == Counter("ab")
    read = spied(monkeypatch)
    assert corpus.word_counts() == Counter("ab")
    assert read == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shards": []}, "at least one shard, got none"),
        ({"shards": "a.txt"}, "a sequence of files, got 'a.txt'"),
        ({"shards": ["a.txt", "a.txt"]}, "got a.txt twice"),
        ({"shards": ["a.txt"], "folder": "no/such/folder"}, "there is none at no/such/folder"),
    ],
)
def test_a_corpus_names_what_is_wrong(options, message):
    with pytest.raises(ValueError, match=message):
        ShardedCorpus(**options)


def test_wrong_arguments_are_named_before_a_shard_is_read(files, monkeypatch):
    read = spied(monkeypatch)
    with pytest.raises(ValueError, match="window must be ≥ 1, got 0"):
        ShardedCorpus(files).cooccurrences(Vocabulary(["a"]), window=0)
    assert read == []


def test_a_client_that_is_none_is_named(files):
    with pytest.raises(ValueError, match=r"must be a dask\.distributed\.Client, got 3"):
        ShardedCorpus(files, client=3).word_counts()


def test_adding_outcomes_keeps_what_was_damaged_on_either_side():
    good, bad = shards._Outcome(Counter(a=1)), shards._Outcome(None, (("x", "why"),))
    assert (good + good).counts == Counter(a=2)
    assert [pair.damaged for pair in (operator.add(good, bad), bad + good, bad + bad)] == [
        (("x", "why"),),
        (("x", "why"),),
        (("x", "why"),) * 2,
    ]
