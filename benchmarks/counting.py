"""Counting which words stand near which: ours against a dictionary, pandas, SciPy and, where installed, GloVe."""

from collections import defaultdict
from functools import partial
from importlib.metadata import PackageNotFoundError, version

import numpy as np
import pandas as pd
from measure import ROUNDS, alternate, goal, peak_memory, ratio_to, summary, write
from scipy import sparse

from regattn.data import load_wikipedia_sample
from regattn.words import Vocabulary, count_cooccurrences, split_words

WORDS = 20_000
OURS, DICTIONARY, COO = "regattn", "Python dictionary, a loop", "SciPy COO to CSR"
ALONE = 3  # rounds at most where nobody is compared with: there are no ratios
GLOVE = "bicleaner-ai-glove"  # a compiled counter; no part of the requirements, for it has wheels for few machines


def text(n):
    """Return n word numbers by Zipf's law: the word of rank r has a probability proportional to 1/r."""
    rates = 1 / np.arange(1, WORDS + 1)
    return np.random.default_rng(7).choice(WORDS, size=n, p=rates / rates.sum())


def has_glove():
    try:
        return bool(version(GLOVE))
    except PackageNotFoundError:
        return False


def sample(articles):
    """Return the words of articles of Wikipedia as numbers, one behind the other."""
    texts = [split_words(article) for article in load_wikipedia_sample()[:articles]]
    words = Vocabulary.from_documents(texts)
    return np.concatenate([words.indices(text) for text in texts]), len(words)


def vocabulary(size=WORDS):
    return Vocabulary([f"w{number}" for number in range(size)])


def ours(tokens, words, window):
    return count_cooccurrences([tokens], words, window=window, weighting="harmonic")


def pairs(tokens, window):
    """Return earlier word, later word and weight of every pair."""
    distances = np.arange(1, window + 1)
    earlier = np.concatenate([tokens[:-d] for d in distances])
    later = np.concatenate([tokens[d:] for d in distances])
    return earlier, later, np.repeat(1 / distances, len(tokens) - distances)


def coo(tokens, window, size=WORDS):
    """Return the table by SciPy; adding the transpose at the end is twice as fast as listing every pair twice."""
    earlier, later, weights = pairs(tokens.astype(np.int32), window)
    counts = sparse.coo_array((weights, (earlier, later)), shape=(size, size)).tocsr()
    return counts + counts.T


def grouped(tokens, window, size=WORDS):
    """Return the counts of ordered pairs by pandas; one key of whole numbers is faster than two columns."""
    earlier, later, weights = pairs(tokens, window)
    return pd.Series(weights).groupby(earlier * size + later, sort=False).sum()


def dictionary(tokens, window):
    counts = defaultdict(float)
    words = tokens.tolist()
    for place, word in enumerate(words):
        for distance, other in enumerate(words[place + 1 : place + 1 + window], 1):
            counts[word, other] += 1 / distance
    return counts


def glove(words, window, size=WORDS):
    """Return the table by the counter of GloVe in Cython: its upper triangle, without pairs of a word with itself."""
    from glove import Corpus

    corpus = Corpus(dictionary={f"w{number}": number for number in range(size)})
    corpus.fit([words], window=window)
    return corpus.matrix


def from_directed(first, second, counts, size=WORDS):
    """Return the table both ways from counts of ordered pairs."""
    table = sparse.coo_array((counts, (first, second)), shape=(size, size)).tocsr()
    return (table + table.T).tocsr()


def check(table, other, rtol):
    other.sort_indices()
    np.testing.assert_array_equal(table.indices, other.indices)
    np.testing.assert_allclose(table.data, other.data, rtol=rtol)


def contenders(tokens, window, *, loop, size=WORDS):
    """Return the calls, after checking that they agree; rtol is for adding up tens of thousands of fractions."""
    words = vocabulary(size)
    table = ours(tokens, words, window)
    check(table, coo(tokens, window, size).tocsr(), 1e-10)
    series = grouped(tokens, window, size)
    keys = series.index.to_numpy()
    check(table, from_directed(keys // size, keys % size, series.to_numpy(), size), 1e-10)
    runs = {
        OURS: partial(ours, tokens, words, window),
        COO: partial(coo, tokens, window, size),
        "pandas groupby": partial(grouped, tokens, window, size),
    }
    if loop:
        counts = dictionary(tokens, window)
        check(table, from_directed(*np.array(list(counts)).T, list(counts.values()), size), 1e-10)
        runs[DICTIONARY] = partial(dictionary, tokens, window)
    if has_glove():
        strings = [f"w{number}" for number in tokens.tolist()]
        upper = sparse.triu(table, k=1).tocsr()
        check(upper, sparse.csr_array(glove(strings, window, size)).tocsr(), 1e-3)  # it adds up in single precision
        runs[GLOVE] = partial(glove, strings, window, size)
    return runs


def prepare(counter, n, window):
    """Return a count to be measured for memory; a small one before it loads whatever has to be loaded once."""
    tokens = text(n)
    run = partial(ours, words=vocabulary(), window=window) if counter == OURS else partial(coo, window=window)
    run(tokens[:1000])
    return partial(run, tokens)


def memory(rows, n, window):
    """Add to the rows that hold a whole table how far a process of its own grows beyond the text; return ours in GB."""
    for row in rows:
        if row["contender"] in (OURS, COO):
            row["peak memory MB"] = peak_memory(prepare, row["contender"], n, window) / 1e6
    return next(row["peak memory MB"] for row in rows if row["ours"]) / 1e3


def with_rates(rows, n):
    for row in rows:
        row["tokens per second"] = n / row["seconds"]
    return rows


def real_text(articles, window, rounds):
    """Return the case of the book's larger corpus, with all its words."""
    tokens, size = sample(articles)
    seconds = alternate(contenders(tokens, window, loop=False, size=size), rounds=rounds, warm=False)
    rows = with_rates(summary(seconds, ours=OURS), len(tokens))
    goals = [goal("≥ 1.5 times as fast as SciPy from COO to CSR", ratio_to(rows, COO), least=1.5)]
    name = f"{articles} articles of Wikipedia, {len(tokens):,} words, {size:,} different ones, window {window}"
    return {"case": name, "rows": rows, "goals": goals}


def measure(*, tokens=1_000_000, many=10_000_000, windows=(5, 15), articles=106, rounds=ROUNDS):
    cases = []
    short, long = text(tokens), text(many)
    for window in windows:
        loop = window == min(windows)
        seconds = alternate(contenders(short, window, loop=loop), rounds=rounds, warm=False)  # checking warms up
        rows = with_rates(summary(seconds, ours=OURS), tokens)
        memory(rows, tokens, window)
        goals = []
        if loop:
            goals = [
                goal("≥ 15 times as fast as a dictionary loop", ratio_to(rows, DICTIONARY), least=15.0),
                goal("≥ 1.5 times as fast as SciPy from COO to CSR", ratio_to(rows, COO), least=1.5),
            ]
        case = {"case": f"{tokens:,} tokens, window {window}", "rows": rows, "goals": goals}
        if has_glove():
            case["note"] = (
                f"`{GLOVE}` is GloVe's counter in Cython, in single precision. It is built for few machines and so not "
                "among the requirements: install it to measure it again."
            )
        cases.append(case)
    cases.append(real_text(articles, min(windows), rounds))
    for window in windows:
        seconds = alternate({OURS: partial(ours, long, vocabulary(), window)}, rounds=min(rounds, ALONE), warm=False)
        rows = with_rates(summary(seconds, ours=OURS), many)
        goals = [goal("≤ 2 GB of memory beyond the text, at the peak", memory(rows, many, window), most=2.0)]
        cases.append({"case": f"{many:,} tokens, window {window}, ours alone", "rows": rows, "goals": goals})
    return cases


def main():
    peers = ("pandas", GLOVE) if has_glove() else ("pandas",)
    write(
        "counting",
        f"Counting co-occurrences in text by Zipf's law, {WORDS:,} words, weight 1/distance",
        measure(),
        *peers,
    )


if __name__ == "__main__":
    main()
