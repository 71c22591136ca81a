"""Run what chapter 13 reports of trained vectors, with seeds and splits, and make the vectors of its explorer.

    OMP_NUM_THREADS=1 python -m tools.words            # about twenty minutes of one core
    OMP_NUM_THREADS=1 python -m tools.words rank senses

Results are written after every part. Chapter 13 reads the files and runs a part of them again.
"""

from __future__ import annotations

import argparse
import base64
import json
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.sparse.linalg import svds
from scipy.special import expit, log_expit
from scipy.stats import permutation_test, rankdata, spearmanr
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import roc_auc_score

from regattn._files import write_whole
from regattn.data import load_lee_corpus, load_wikipedia_sample
from regattn.words.cooccurrence import vocabulary_scores
from regattn.words.counting import count_cooccurrences, ppmi
from regattn.words.glove import glove_vectors
from regattn.words.judging import held_out_pairs
from regattn.words.vectors import word_vectors
from regattn.words.vocabulary import Vocabulary, split_words

HOME = Path(__file__).resolve().parent.parent / "regattn" / "words"
SEEDS = (0, 1, 2)
PLAIN = {"sg": 1, "hs": 0, "min_count": 1, "workers": 1}
BARE = PLAIN | {"ns_exponent": 1.0, "sample": 0, "shrink_windows": False}  # as in the derivation
USUAL = {"ns_exponent": 0.75, "sample": 1e-3, "shrink_windows": True}  # what gensim does unless told otherwise
SETTINGS = {
    "as in the derivation": {},
    "negatives by frequency to the power .75": {"ns_exponent": USUAL["ns_exponent"]},
    "windows of chance widths": {"shrink_windows": USUAL["shrink_windows"]},
    "frequent words skipped": {"sample": USUAL["sample"]},
    "all three, gensim's defaults": USUAL,
    "a step size that does not fall": {"min_alpha": 0.025},
}
CATEGORIES = {
    "day": "monday tuesday wednesday thursday friday saturday sunday",
    "month": "january february march april june july august september october november december",
    "number": "two three four five six seven eight nine ten",
    "country": "australia afghanistan pakistan india israel china britain germany france",
    "sport": "cricket test wicket innings match tennis series captain team",
    "fire": "fire fires firefighters smoke burning bushfires",
    "law": "court judge trial charges lawyers magistrate guilty",
    "money": "bank market dollar company economic million rates",
    "war": "troops forces military fighters soldiers army war",
    "politics": "minister government opposition labor parliament leader election",
    "family": "father mother son wife children family parents",
}
FINANCE = ("rates", "market", "economy", "financial", "money")
CONFLICT = ("israeli", "palestinian", "gaza", "troops", "militants")
OFTEN = 10  # meetings of a pair
WINDOWS, NEGATIVES, RESAMPLES, LONGEST = (2, 10), (1, 5), 6, 32


def stories() -> list[list[str]]:
    """Return the words of each story of the Lee corpus."""
    return [split_words(story) for story in load_lee_corpus()]


def shuffled(documents: list[list[str]], seed: int) -> list[list[str]]:
    """Return each document with its words in another order."""
    rng = np.random.default_rng(seed)
    return [[document[k] for k in rng.permutation(len(document))] for document in documents]


def articles() -> list[list[str]]:
    """Return the Wikipedia sample in stretches of a thousand words."""
    words = (split_words(article) for article in load_wikipedia_sample())
    return [text[a : a + 1000] for text in words for a in range(0, len(text), 1000) if len(text) - a > 50]


def unit(vectors: np.ndarray) -> np.ndarray:
    """Return rows of length one; rows of zeros stay."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def trained(documents: list, **options: Any) -> Any:
    """Return gensim's word2vec of documents; gensim is not built for every Python that runs the rest."""
    from gensim.models import Word2Vec

    return Word2Vec(documents, **options)


def came_with_gensim(name: str) -> list[str]:
    """Return the lines of a file that gensim carries for its tests."""
    from gensim.test.utils import datapath

    return Path(datapath(name)).read_text(encoding="utf-8").splitlines()


def skip_gram(documents: list, vocabulary: Vocabulary, seed: int, **options: Any) -> np.ndarray:
    """Return gensim's word2vec (skip-gram with negative sampling), a row for each word, zero where there is none."""
    known = [[word for word in document if word in vocabulary] for document in documents]
    model = trained(known, seed=seed + 1, **(PLAIN | options))
    found = np.zeros((len(vocabulary), model.vector_size))
    for i, word in enumerate(vocabulary.words):
        if word in model.wv:
            found[i] = model.wv[word]
    return found


def properties() -> dict:
    """Return of fifty numbers a word, by method, what PCA would have: columns at right angles, no common mean."""
    documents = stories()
    words = Vocabulary.from_documents(documents, min_count=5, unknown="skip")
    U, s, _ = svds(ppmi(count_cooccurrences(documents, words, window=5), context_power=0.75), 50, rng=0)
    made = {"SVD": U * np.sqrt(s)}
    for epochs, seed in ((8, 1), (8, 2), (30, 1)):
        model = trained(documents, vector_size=50, min_count=5, sg=1, workers=1, epochs=epochs, seed=seed)
        made[f"word2vec, {epochs} passes, seed {seed}"] = model.wv.vectors
    return {name: _properties(X) for name, X in made.items()}


def _properties(X: np.ndarray) -> list[float]:
    """Return the largest cosine of two columns, the same once they are centred, and how long the mean vector is."""
    mean = X.mean(axis=0)
    cosines = [np.abs(unit(Y.T) @ unit(Y.T).T - np.eye(X.shape[1])).max() for Y in (X, X - mean)]
    return [*map(float, cosines), float(np.linalg.norm(mean) / np.sqrt((X**2).sum(axis=1).mean()))]


def rank(
    *, ranks: Sequence[int] = (2, 10, 25, 100), passes: Sequence[int] = (5, 50), seeds: Sequence[int] = SEEDS
) -> dict:
    """Return how near factors of each rank come to PMI on the hundred commonest words (k = 1), and gensim."""
    documents = stories()
    words = Vocabulary.from_documents(documents, max_size=100, unknown="skip")
    S = count_cooccurrences(documents, words, window=10).toarray().astype(float)
    met, noise, found = S > 0, np.outer(S.sum(axis=1), S.sum(axis=0)) / S.sum(), {}
    target = np.log(S[met] / noise[met])
    for d in ranks:
        found[f"descent, d = {d}"] = [float(np.corrcoef(_factors(S, noise, d, s)[met], target)[0, 1]) for s in seeds]
        print(d, found, flush=True)
    known = [[word for word in document if word in words] for document in documents]
    for epochs in passes:
        scores = []
        for seed in seeds:
            options = {"vector_size": 100, "window": 10, "negative": 1, "epochs": epochs}
            model = trained(known, seed=seed + 1, **BARE, **options)
            order = [model.wv.key_to_index[word] for word in words.words]
            X = model.wv.vectors[order] @ model.syn1neg[order].T
            scores.append(float(np.corrcoef(X[met], target)[0, 1]))
        found[f"gensim, d = 100, {epochs} epochs"] = scores
        print(epochs, scores, flush=True)
    return found


def settings(*, epochs: int = 50, seeds: Sequence[int] = SEEDS) -> dict:
    """Return how near gensim comes to PMI on the hundred commonest words when one setting is not the derivation's."""
    documents = stories()
    words = Vocabulary.from_documents(documents, max_size=100, unknown="skip")
    S = count_cooccurrences(documents, words, window=10).toarray().astype(float)
    met = S > 0
    target = np.log(S[met] / (np.outer(S.sum(axis=1), S.sum(axis=0)) / S.sum())[met])
    known = [[word for word in document if word in words] for document in documents]
    found: dict[str, list[float]] = {}
    for name, changed in SETTINGS.items():
        options = BARE | {"vector_size": 100, "window": 10, "negative": 1, "epochs": epochs} | changed
        for seed in seeds:
            model = trained(known, seed=seed + 1, **options)
            order = [model.wv.key_to_index[word] for word in words.words]
            X = model.wv.vectors[order] @ model.syn1neg[order].T
            found.setdefault(name, []).append(float(np.corrcoef(X[met], target)[0, 1]))
        print(name, found[name], flush=True)
    return found


def whole() -> dict:
    """Return how near inner products of a hundred numbers come to PMI on all words that occur five times."""
    documents = stories()
    words = Vocabulary.from_documents(documents, min_count=5, unknown="skip")
    S = count_cooccurrences(documents, words, window=10)
    known = [[word for word in document if word in words] for document in documents]
    rows, columns = S.nonzero()
    counts, sums = S[rows, columns], S.sum(axis=1)
    target = np.log(counts) - np.log(sums[rows] * sums[columns] / S.sum())
    U, s, Vt = svds(ppmi(S), 100, rng=0)
    found = {"cells": [len(target)], "often": [int((counts >= OFTEN).sum())]}
    fits = {"PPMI, SVD": [((U * s)[rows] * Vt.T[columns]).sum(axis=1)]}
    for epochs in (5, 50):
        for seed in SEEDS:
            model = trained(known, seed=seed + 1, **BARE, vector_size=100, window=10, negative=1, epochs=epochs)
            order = [model.wv.key_to_index[word] for word in words.words]
            A, B = model.wv.vectors[order], model.syn1neg[order]
            fits.setdefault(f"gensim, {epochs} epochs", []).append((A[rows] * B[columns]).sum(axis=1))
    for name, values in fits.items():
        found[name] = [float(np.corrcoef(x, target)[0, 1]) for x in values]
        found[f"{name}, often"] = [
            float(np.corrcoef(x[counts >= OFTEN], target[counts >= OFTEN])[0, 1]) for x in values
        ]
    for name in ("gensim, 50 epochs",):
        found["gensim with SVD"] = [float(np.corrcoef(x, fits["PPMI, SVD"][0])[0, 1]) for x in fits[name]]
    print(found, flush=True)
    return found


def _factors(S: np.ndarray, noise: np.ndarray, d: int, seed: int) -> np.ndarray:
    """Return A B' that descent (L-BFGS) finds for the loss of negative sampling."""
    V, total = len(S), S.sum()

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        A, B = parameters.reshape(2, V, d)
        X = A @ B.T
        slope = (noise * expit(X) - S * expit(-X)) / total
        value = -(S * log_expit(X) + noise * log_expit(-X)).sum() / total
        return value, np.concatenate([(slope @ B).ravel(), (slope.T @ A).ravel()])

    start = 0.1 * np.random.default_rng(seed).normal(size=2 * V * d)
    A, B = minimize(
        loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500, "ftol": 0, "gtol": 1e-12}
    ).x.reshape(2, V, d)
    return A @ B.T


def vectors(documents: list, vocabulary: Vocabulary, seed: int, which: tuple, *, size: int = 50, epochs: int) -> dict:
    """Return unit vectors by each method from one corpus."""
    S = count_cooccurrences(documents, vocabulary, window=10)
    smooth, found = ppmi(S, context_power=0.75), {}
    if "PPMI" in which:
        found["PPMI"] = unit(smooth.toarray())
    if "PPMI, SVD" in which:
        found["PPMI, SVD"] = word_vectors(smooth, rank=size)
    if "word2vec" in which:
        options = {"vector_size": size, "window": 10, "negative": 5, "epochs": epochs}
        found["word2vec"] = unit(skip_gram(documents, vocabulary, seed, **options))
    if "GloVe" in which:
        harmonic = count_cooccurrences(documents, vocabulary, window=10, weighting="harmonic")
        glove = glove_vectors(harmonic, rank=20, sweeps=10, ridge=1.0, rng=seed)
        found["GloVe"] = unit(glove.vectors + glove.contexts)
    return found


def whereabouts(documents: list, vocabulary: Vocabulary) -> np.ndarray:
    """Return for each word in which documents it stands, as tf-idf weighs it: rows of length one, no window at all."""
    counts = [np.bincount(vocabulary.indices(document), minlength=len(vocabulary)) for document in documents]
    return unit(TfidfTransformer().fit_transform(sparse.csr_array(counts)).T.toarray())


METHODS = ("PPMI", "PPMI, SVD", "word2vec", "GloVe")


def held_out() -> dict:
    """Return, for ten halvings of the stories, how well each method finds pairs that meet in the other half."""
    documents, areas, pairs = stories(), {}, []
    for seed in range(10):
        order = np.random.default_rng(seed).permutation(len(documents))
        first, second = ([documents[i] for i in order[a::2]] for a in (0, 1))
        words = Vocabulary.from_documents(first, min_count=5, unknown="skip")
        tables = [count_cooccurrences(half, words, window=10) for half in (first, second)]
        frequency = np.column_stack(
            [
                np.bincount(np.concatenate([words.indices(d) for d in half]), minlength=len(words))
                for half in (first, second)
            ]
        )
        met, never = held_out_pairs(*tables, frequency, rng=seed)
        pairs.append(len(met))
        truth, asked = np.repeat([1, 0], len(met)), np.concatenate([met, never])
        scores = {
            name: (v[asked[:, 0]] * v[asked[:, 1]]).sum(axis=1)
            for name, v in vectors(first, words, seed, METHODS, epochs=30).items()
        }
        scores["word2vec, 30 passes"] = scores.pop("word2vec")
        for passes in (5, 15):
            v = vectors(first, words, seed, ("word2vec",), epochs=passes)["word2vec"]
            scores[f"word2vec, {passes} passes"] = (v[asked[:, 0]] * v[asked[:, 1]]).sum(axis=1)
        table = ppmi(tables[0], context_power=0.75)
        for size in (2, 5, 10, 25, 100):
            v = word_vectors(table, rank=size)
            scores[f"PPMI, SVD {size}"] = (v[asked[:, 0]] * v[asked[:, 1]]).sum(axis=1)
        for name, size in (("PPMI, SVD, shuffled", 50), ("PPMI, SVD 10, shuffled", 10)):
            v = vectors(shuffled(first, seed), words, seed, ("PPMI, SVD",), size=size, epochs=0)["PPMI, SVD"]
            scores[name] = (v[asked[:, 0]] * v[asked[:, 1]]).sum(axis=1)
        stood = whereabouts(first, words)
        U, s, _ = svds(stood, 10, rng=0)
        for name, v in (("tf-idf of stories", stood), ("tf-idf, SVD 10", unit(U * s))):
            scores[name] = (v[asked[:, 0]] * v[asked[:, 1]]).sum(axis=1)
        for name, column in zip(("frequency, first half", "frequency, second half"), frequency.T, strict=True):
            scores[name] = column[asked[:, 1]]
        for name, score in scores.items():
            areas.setdefault(name, []).append(float(roc_auc_score(truth, score)))
    return {"pairs": pairs, **areas}


def human() -> dict:
    """Return odd-one-out and SimLex for both corpora, analogies for the larger one; and each method against the SVD."""
    found: dict[str, list] = {}
    items: dict[tuple[str, str], list] = {}
    for name, documents, epochs, size in (("Lee", stories(), 30, 50), ("Wikipedia", articles(), 5, 100)):
        words = Vocabulary.from_documents(documents, min_count=5, max_size=6000, unknown="skip")
        for seed in SEEDS:
            which = METHODS[: 4 if name == "Lee" else 3] if seed == 0 else ("word2vec",)
            made = vectors(documents, words, seed, which, size=size, epochs=epochs)
            again = vectors(shuffled(documents, seed), words, seed, ("PPMI, SVD",), size=size, epochs=0)
            made["PPMI, SVD, shuffled"] = again["PPMI, SVD"]
            for method, v in made.items():
                asked = {"simlex": _simlex(v, words), "odd": _odd_one_out(v, words)}
                if name == "Wikipedia":
                    asked["analogies"] = _analogies(v, words)
                found.setdefault(f"{name}, {method}", []).append({task: entry for task, (entry, _) in asked.items()})
                items.setdefault((name, method), []).append({task: each for task, (_, each) in asked.items()})
                print(name, method, seed, found[f"{name}, {method}"][-1], flush=True)
    return {"human": found, "compared": _compared(items)}


def _compared(items: dict[tuple[str, str], list]) -> list[dict]:
    """Return each method less the SVD on the same questions, averaged over its runs, with an interval and a p-value.

    Pairs of SimLex are drawn with replacement; categories of odd-one-out and sections of the analogies have few
    members, so that the p-value is that of all ways to exchange the two methods in them.
    """
    found = []
    for (name, method), runs in items.items():
        for task in runs[0] if method != "PPMI, SVD" else ():
            (rival,) = (run[task] for run in items[name, "PPMI, SVD"])
            entry = {"corpus": name, "task": task, "method": method}
            if task == "simlex":
                entry |= _by_pairs([run[task] for run in runs], rival)
            else:
                entry |= _by_groups(np.mean([run[task] for run in runs], axis=0) - rival)
            found.append(entry)
            print(entry, flush=True)
    return found


def _by_pairs(runs: list[tuple], rival: tuple) -> dict:
    """Return the difference of rank correlations, over pairs of words drawn anew."""
    said = rival[1]
    draws = np.random.default_rng(0).integers(len(said), size=(4000, len(said)))
    draws = np.concatenate([np.arange(len(said))[None], draws])  # first the pairs themselves

    def correlations(cosine: np.ndarray) -> np.ndarray:
        ranks = [rankdata(x[draws], axis=1) for x in (cosine, said)]
        x, y = (unit(r - r.mean(axis=1, keepdims=True)) for r in ranks)
        return (x * y).sum(axis=1)

    difference = np.mean([correlations(cosine) for cosine, _ in runs], axis=0) - correlations(rival[0])
    drawn = difference[1:]
    p = min(1.0, 2 * (1 + min((drawn <= 0).sum(), (drawn >= 0).sum())) / (1 + len(drawn)))
    return {"difference": difference[0], "ends": np.quantile(drawn, [0.025, 0.975]).tolist(), "p": p}


def _by_groups(differences: np.ndarray) -> dict:
    """Return the mean of differences by group, over groups drawn anew; its p-value is over all exchanges of sign."""
    rng = np.random.default_rng(0)
    test = permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=2**15, rng=rng)
    drawn = rng.choice(differences, (4000, len(differences))).mean(axis=1)
    ends = np.quantile(drawn, [0.025, 0.975]).tolist()
    return {"difference": differences.mean(), "ends": ends, "p": float(test.pvalue)}


def _simlex(v: np.ndarray, words: Vocabulary) -> tuple[dict, tuple]:
    """Return the rank correlation with what people said; and the cosines and what was said."""
    lines = [line.split("\t") for line in came_with_gensim("simlex999.txt")]
    pairs = [
        (a, b, float(s)) for a, b, s, *_ in (line for line in lines if line[0][0] != "#") if a in words and b in words
    ]
    i, j = words.indices([a for a, _, _ in pairs]), words.indices([b for _, b, _ in pairs])
    said, cosine = np.array([s for _, _, s in pairs]), (v[i] * v[j]).sum(axis=1)
    rng = np.random.default_rng(0)
    draws = [rng.integers(len(said), size=len(said)) for _ in range(1000)]
    ends = np.quantile([spearmanr(cosine[k], said[k])[0] for k in draws], [0.025, 0.975])
    entry = {"rho": float(spearmanr(cosine, said)[0]), "ends": ends.tolist(), "pairs": len(said)}
    return entry, (cosine, said)


def _odd_one_out(v: np.ndarray, words: Vocabulary) -> tuple[dict, np.ndarray]:
    """Return the share found (three of a category, one of another) with an interval over categories; and each share."""
    groups = {c: words.indices([w for w in text.split() if w in words]) for c, text in CATEGORIES.items()}
    groups = {c: k for c, k in groups.items() if len(k) >= 3}
    rng, hits = np.random.default_rng(0), {c: [] for c in groups}
    for _ in range(4000):
        c, o = rng.choice(list(groups), 2, replace=False)
        asked = np.append(rng.choice(groups[c], 3, replace=False), rng.choice(groups[o]))
        hits[c].append((v[asked] @ v[asked].T).sum(axis=1).argmin() == 3)
    shares = np.array([np.mean(h) for h in hits.values()])
    ends = np.quantile(rng.choice(shares, (2000, len(shares))).mean(axis=1), [0.025, 0.975])
    return {"share": float(shares.mean()), "ends": ends.tolist(), "categories": len(shares)}, shares


def _analogies(v: np.ndarray, words: Vocabulary) -> tuple[dict, np.ndarray]:
    """Return how often b − a + c is nearest to d, with the question's words left out and not; and by section.

    A section's entry is its share of all questions found, times the number of sections: their mean is the share found.
    """
    lines = [line.lower() for line in came_with_gensim("questions-words.txt")]
    numbers = np.cumsum([line[0] == ":" for line in lines])
    known = [
        (section, words.indices(line.split()))
        for section, line in zip(numbers, lines, strict=True)
        if line[0] != ":" and all(w in words for w in line.split())
    ]
    asked = np.array([question for _, question in known])
    _, section = np.unique([number for number, _ in known], return_inverse=True)
    a, b, c, d = asked.T
    sections = section.max() + 1
    drawn = np.random.default_rng(0).integers(sections, size=(4000, sections))

    def nearest(points: np.ndarray, *, rule: bool) -> np.ndarray:
        similarity = unit(points) @ v.T
        if rule:
            np.put_along_axis(similarity, asked[:, :3], -np.inf, axis=1)
        return similarity.argmax(axis=1)

    def over_sections(right: np.ndarray) -> list:
        shares = np.bincount(section, right)[drawn].sum(axis=1) / np.bincount(section)[drawn].sum(axis=1)
        return np.quantile(shares, [0.025, 0.975]).tolist()

    free, ruled, plain = (
        nearest(v[b] - v[a] + v[c], rule=False),
        nearest(v[b] - v[a] + v[c], rule=True),
        nearest(v[c], rule=True),
    )
    is_input = (free[:, None] == asked[:, :3]).any(axis=1)
    by_section = np.bincount(section, ruled == d) / len(asked) * sections
    king = [words.words.index(word) for word in ("king", "man", "woman")]
    order = np.argsort(-(v @ (v[king[0]] - v[king[1]] + v[king[2]])), kind="stable")
    entry = {
        "questions": len(asked),
        "sections": int(sections),
        "with the rule": float((ruled == d).mean()),
        "ends": over_sections(ruled == d),
        "c alone": float((plain == d).mean()),
        "ends, less c alone": over_sections((ruled == d) - 1.0 * (plain == d)),
        "king - man + woman": [words.words[k] for k in order[:5]],
        "rank of queen": int(np.flatnonzero(order == words.words.index("queen"))[0]) + 1,
        "without": float((free == d).mean()),
        "an input": float(is_input.mean()),
    }
    return entry, by_section


def places() -> Iterator[tuple[int, int, bool]]:
    """Yield story, place and whether it is the West Bank, for every bank."""
    for i, story in enumerate(stories()):
        yield from ((i, t, story[t - 1] == "west") for t, word in enumerate(story) if word in ("bank", "banks"))


def senses() -> dict:
    """Return, for every bank, the leaning to "west" by each method, from tables and vectors without its story."""
    documents = [["bank" if word == "banks" else word for word in story] for story in stories()]
    copies = [[j for j, other in enumerate(documents) if other == story] for story in documents]
    words = Vocabulary.from_documents(documents, min_count=2, unknown="skip")
    counts, cases = count_cooccurrences(documents, words, window=5), list(places())
    near = [words.indices(_company(documents[i], t)) for i, t, _ in cases]
    story_of, west = np.array([i for i, _, _ in cases]), np.array([is_west for _, _, is_west in cases])
    seeds = [words.indices(theme) for theme in (CONFLICT, FINANCE)]
    leanings: dict[str, list] = {"case": []}
    for own in sorted({tuple(copies[i]) for i in story_of}):
        mine = np.isin(story_of, own)
        rest = [d for j, d in enumerate(documents) if j not in own]
        table = ppmi(counts - count_cooccurrences([documents[j] for j in own], words, window=5), context_power=0.75)
        spaces = {
            "PPMI rows": table.toarray(),
            "PPMI, SVD": word_vectors(table, rank=50),
            "words themselves": np.eye(len(words)),
        }
        options = {"vector_size": 50, "window": 5, "negative": 5, "epochs": 10}
        spaces |= {f"word2vec, seed {s}": skip_gram(rest, words, s, **options) for s in SEEDS}
        leanings["case"] += [[int(i), int(t), int(is_west)] for i, t, is_west in cases if i in own]
        for name, space in spaces.items():
            rows = unit(space)
            means = np.array([rows[ids].mean(axis=0) for ids in near])
            ends = [rows[ids].mean(axis=0) for ids in seeds]
            leanings.setdefault(f"{name}, examples", []).extend(_by_examples(means, west, mine))
            leanings.setdefault(f"{name}, themes", []).extend((means[mine] @ (ends[0] - ends[1])).tolist())
        bank = words.indices(["bank"])
        E = np.array([vocabulary_scores(table, np.concatenate([bank, ids]))[0] for ids in near])
        leanings.setdefault("projection, examples", []).extend(_by_examples(E, west, mine))
        themes = E[mine][:, seeds[0]].sum(axis=1) - E[mine][:, seeds[1]].sum(axis=1)
        leanings.setdefault("projection, themes", []).extend(themes.tolist())
        print("senses", own, flush=True)
    return leanings


def _company(story: list[str], t: int) -> list[str]:
    """Return the words within five places of place t, without the one before, and without "west" and "bank"."""
    near = story[max(0, t - 5) : max(0, t - 1)] + story[t + 1 : t + 6]
    return [word for word in near if word not in ("west", "bank")]


def _by_examples(profiles: np.ndarray, west: np.ndarray, mine: np.ndarray) -> list[float]:
    """Return the cosine with the mean of the other stories' West Banks less that with the mean of their other banks."""
    rows = unit(profiles)
    ends = unit(np.array([rows[~mine & (west == is_west)].mean(axis=0) for is_west in (True, False)]))
    return (rows[mine] @ (ends[0] - ends[1])).tolist()


def neighbours() -> dict:
    """Return vectors of some seventy words by each method, window and shift: of the corpus and of resampled ones."""
    documents = stories()
    words = Vocabulary.from_documents(documents, min_count=5, unknown="skip")
    shown = [w for text in CATEGORIES.values() for w in text.split() if w in words]
    ids, rng, found = words.indices(shown), np.random.default_rng(0), {}
    draws = [np.arange(len(documents)), *(rng.integers(len(documents), size=len(documents)) for _ in range(RESAMPLES))]
    for window in WINDOWS:
        for k in NEGATIVES:
            for number, draw in enumerate(draws):
                drawn = [documents[i] for i in draw]
                S = count_cooccurrences(drawn, words, window=window)
                V = word_vectors(ppmi(S, context_power=0.75, shift=float(np.log(k))), rank=LONGEST)
                found.setdefault(f"PPMI, SVD|{window}|{k}", []).append(_packed(V[ids]))
                W = skip_gram(drawn, words, number, vector_size=LONGEST, window=window, negative=k, epochs=20)
                W = W @ np.linalg.svd(W, full_matrices=False)[2].T  # turned: most of the length first
                found.setdefault(f"word2vec|{window}|{k}", []).append(_packed(W[ids]))
            print("neighbours", window, k, flush=True)
    return {"words": shown, "longest": LONGEST, "vectors": found}


def _packed(vectors: np.ndarray) -> str:
    """Return unit vectors in whole 127ths of the largest entry, a byte each."""
    vectors = unit(vectors)
    return base64.b64encode(np.round(127 * vectors / np.abs(vectors).max()).astype(np.int8).tobytes()).decode()


PARTS = {"properties": properties, "rank": rank, "settings": settings, "whole": whole, "held_out": held_out}
PARTS |= {"human": human, "senses": senses}


def main() -> None:
    """Parse the arguments and run the parts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=[*PARTS, "neighbours"])
    for part in parser.parse_args().parts:
        start = time.process_time()
        if part == "neighbours":
            write_whole(HOME / "neighbours.json", _as_text(neighbours()))
        else:
            made = PARTS[part]()
            path = HOME / "results.json"
            known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            known |= made if part == "human" else {part: made}
            known["kinds"] = {kind: text.split() for kind, text in CATEGORIES.items()}
            known["made by"] = {
                "script": "tools/words.py",
                **{name: version(name) for name in ("gensim", "numpy", "scipy")},
            }
            known.setdefault("minutes", {})[part] = round((time.process_time() - start) / 60, 1)
            write_whole(path, _as_text(known))
        print(part, round(time.process_time() - start), "s", flush=True)


def _as_text(made: dict) -> str:
    """Return JSON with five digits, a line for each entry."""
    short = json.loads(json.dumps(made), parse_float=lambda text: float(f"{float(text):.5g}"))
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in short.items()) + "\n}\n"


if __name__ == "__main__":
    main()
