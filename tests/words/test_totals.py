"""Parts of a corpus, counted apart and added: equal, bit for bit, to one pass."""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse

from regattn.words import PartialCounts, Vocabulary, count_cooccurrences

WORDS = Vocabulary(["a", "b", "c", "d", "e"])
DOCUMENTS = st.lists(st.lists(st.integers(-1, 4), max_size=40), min_size=1, max_size=7)


def same(a: sparse.csr_array, b: sparse.csr_array) -> bool:
    """Return whether two tables are equal to the last bit, in the same cells, of the same type."""
    parts = [(x.data.tobytes(), x.data.dtype, x.indices.tolist(), x.indptr.tolist()) for x in (a, b)]
    return parts[0] == parts[1]


def arrays(documents) -> list[np.ndarray]:
    return [np.array(document, dtype=np.int64) for document in documents]


@settings(max_examples=150, deadline=None)
@given(
    documents=DOCUMENTS,
    order=st.randoms(use_true_random=False),
    window=st.sampled_from([1, 3, 22, 23, 37]),
    weighting=st.sampled_from(["uniform", "harmonic"]),
    directed=st.booleans(),
)
def test_the_sum_of_parts_in_any_order_is_one_pass_to_the_last_bit(documents, order, window, weighting, directed):
    how = {"window": window, "weighting": weighting, "directed": directed}
    whole = count_cooccurrences(arrays(documents), WORDS, **how)
    parts = [PartialCounts.of([document], WORDS, **how) for document in arrays(documents)]
    order.shuffle(parts)
    cut = order.randrange(len(parts)) or 1
    halves = [reduce(add, part) for part in (parts[:cut], parts[cut:]) if part]
    assert same(reduce(add, halves).table(), whole)


def test_finished_tables_of_fractions_do_not_add_up_so():
    documents = arrays(np.random.default_rng(3).integers(0, 5, (13, 97)))
    how = {"window": 11, "weighting": "harmonic"}
    tables = [count_cooccurrences([document], WORDS, **how) for document in documents]
    assert not same(reduce(add, tables), count_cooccurrences(documents, WORDS, **how))


@pytest.mark.parametrize("weighting", ["uniform", "harmonic"])
@pytest.mark.parametrize("window", [5, 29])
def test_counts_in_a_file_are_those_that_were_written(tmp_path, window, weighting):
    documents = arrays(np.random.default_rng(4).integers(-1, 5, (3, 61)))
    part = PartialCounts.of(documents, WORDS, window=window, weighting=weighting)
    part.save(tmp_path / "part.npz")
    again = PartialCounts.load(tmp_path / "part.npz")
    assert same(again.table(), part.table())
    assert same((again + part).table(), (part + part).table())
    assert [path.name for path in tmp_path.iterdir()] == ["part.npz"]


def test_asking_for_the_table_changes_no_counts():
    part = PartialCounts.of([["a", "b", "a"]], WORDS, window=2, directed=True)
    part.table().data[:] = 99
    np.testing.assert_array_equal(part.table().data, [1, 1, 1])


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"window": 3}, "must have the same window, got 2 and 3"),
        ({"weighting": "harmonic"}, "must have the same weighting, got 'uniform' and 'harmonic'"),
        ({"directed": True}, "must have the same directed, got False and True"),
        ({"vocabulary": Vocabulary(["a", "b"])}, "must have the same words, got 5 and 2"),
        ({"vocabulary": Vocabulary(["a", "b", "c", "e", "d"])}, "must have the same vocabulary"),
        ({"vocabulary": Vocabulary(WORDS.words, "gap")}, "must have the same vocabulary"),
    ],
)
def test_parts_that_were_counted_in_different_ways_are_not_added(other, message):
    part = PartialCounts.of([["a", "b"]], WORDS, window=2)
    another = PartialCounts.of([["a", "b"]], **({"vocabulary": WORDS, "window": 2} | other))
    with pytest.raises(ValueError, match=message):
        part + another


def test_only_parts_are_added():
    with pytest.raises(TypeError):
        PartialCounts.of([["a", "b"]], WORDS, window=2) + 1


def test_a_count_that_would_run_over_is_an_error_and_no_other_number():
    part = PartialCounts.of([["a", "a", "b"]], WORDS, window=1)
    for _ in range(61):
        part = part + part
    assert part.table()[0, 1] == 2**61
    assert part.table()[0, 0] == 2**62
    part = part + part
    with pytest.raises(ValueError, match="may add up to more than 2⁶²"):
        part + part
