"""Run what chapter 12 reports of trained vectors, with seeds and splits, and make the vectors of its explorer.

    OMP_NUM_THREADS=1 python tools/words.py            # about ten minutes of one core
    OMP_NUM_THREADS=1 python tools/words.py rank senses

Results are written after every part. Chapter 12 reads the files and runs a part of them again.
"""

from __future__ import annotations

import argparse
import base64
import json
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from gensim.models import Word2Vec
from gensim.test.utils import datapath
from scipy.optimize import minimize
from scipy.sparse.linalg import svds
from scipy.special import expit, log_expit
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from regattn.data import load_lee_corpus, load_wikipedia_sample
from regattn.words.cooccurrence import vocabulary_scores
from regattn.words.counting import count_cooccurrences, ppmi
from regattn.words.glove import glove_vectors
from regattn.words.judging import held_out_pairs
from regattn.words.vocabulary import Vocabulary, split_words

HOME = Path(__file__).resolve().parent.parent / "regattn" / "words"
SEEDS = (0, 1, 2)
PLAIN = {"sg": 1, "hs": 0, "min_count": 1, "workers": 1}
BARE = PLAIN | {"ns_exponent": 1.0, "sample": 0, "shrink_windows": False}  # as in the derivation
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


def svd_vectors(table: Any, rank: int) -> np.ndarray:
    """Return the left singular vectors, each times the root of its singular value, largest first."""
    U, s, _ = svds(table.astype(float), rank, rng=0)
    return U[:, ::-1] * np.sqrt(s[::-1])


def unit(vectors: np.ndarray) -> np.ndarray:
    """Return rows of length one; rows of zeros stay."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def skip_gram(documents: list, vocabulary: Vocabulary, seed: int, **options: Any) -> np.ndarray:
    """Return gensim's word2vec (skip-gram with negative sampling), a row for each word, zero where there is none."""
    known = [[word for word in document if word in vocabulary] for document in documents]
    model = Word2Vec(known, seed=seed + 1, **(PLAIN | options))
    found = np.zeros((len(vocabulary), model.vector_size))
    for i, word in enumerate(vocabulary.words):
        if word in model.wv:
            found[i] = model.wv[word]
    return found


def rank() -> dict:
    """Return how near factors of each rank come to PMI on the hundred commonest words (k = 1), and gensim."""
    documents = stories()
    words = Vocabulary.from_documents(documents, max_size=100, unknown="skip")
    S = count_cooccurrences(documents, words, window=10).toarray().astype(float)
    met, noise, found = S > 0, np.outer(S.sum(axis=1), S.sum(axis=0)) / S.sum(), {}
    target = np.log(S[met] / noise[met])
    for d in (2, 10, 25, 100):
        found[f"descent, d = {d}"] = [float(np.corrcoef(_factors(S, noise, d, s)[met], target)[0, 1]) for s in SEEDS]
        print(d, found, flush=True)
    known = [[word for word in document if word in words] for document in documents]
    for epochs in (5, 50):
        scores = []
        for seed in SEEDS:
            options = {"vector_size": 100, "window": 10, "negative": 1, "epochs": epochs}
            model = Word2Vec(known, seed=seed + 1, **BARE, **options)
            order = [model.wv.key_to_index[word] for word in words.words]
            X = model.wv.vectors[order] @ model.syn1neg[order].T
            scores.append(float(np.corrcoef(X[met], target)[0, 1]))
        found[f"gensim, d = 100, {epochs} epochs"] = scores
        print(epochs, scores, flush=True)
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
        found["PPMI, SVD"] = unit(svd_vectors(smooth, size))
    if "word2vec" in which:
        options = {"vector_size": size, "window": 10, "negative": 5, "epochs": epochs}
        found["word2vec"] = unit(skip_gram(documents, vocabulary, seed, **options))
    if "GloVe" in which:
        harmonic = count_cooccurrences(documents, vocabulary, window=10, weighting="harmonic")
        glove = glove_vectors(harmonic, rank=20, sweeps=10, ridge=1.0, rng=seed)
        found["GloVe"] = unit(glove.vectors + glove.contexts)
    return found


METHODS = ("PPMI", "PPMI, SVD", "word2vec", "GloVe")


def held_out() -> dict:
    """Return, for ten halvings of the stories, how well each method finds pairs that meet in the other half."""
    documents, areas, pairs = stories(), {}, []
    for seed in range(10):
        order = np.random.default_rng(seed).permutation(len(documents))
        first, second = ([documents[i] for i in order[a::2]] for a in (0, 1))
        words = Vocabulary.from_documents(first, min_count=5, unknown="skip")
        tables = [count_cooccurrences(half, words, window=10) for half in (first, second)]
        frequency = np.bincount(np.concatenate([words.indices(d) for d in first]), minlength=len(words))
        met, never = held_out_pairs(*tables, frequency, rng=seed)
        pairs.append(len(met))
        truth, asked = np.repeat([1, 0], len(met)), np.concatenate([met, never])
        scores = {
            name: (v[asked[:, 0]] * v[asked[:, 1]]).sum(axis=1)
            for name, v in vectors(first, words, seed, METHODS, epochs=30).items()
        }
        table = ppmi(tables[0], context_power=0.75)
        for size in (2, 5, 10, 25, 100):
            v = unit(svd_vectors(table, size))
            scores[f"PPMI, SVD {size}"] = (v[asked[:, 0]] * v[asked[:, 1]]).sum(axis=1)
        v = vectors(shuffled(first, seed), words, seed, ("PPMI, SVD",), epochs=0)["PPMI, SVD"]
        scores["PPMI, SVD, shuffled"] = (v[asked[:, 0]] * v[asked[:, 1]]).sum(axis=1)
        scores["frequency"] = np.log(frequency[asked]).sum(axis=1)
        for name, score in scores.items():
            areas.setdefault(name, []).append(float(roc_auc_score(truth, score)))
    return {"pairs": pairs, **areas}


def human() -> dict:
    """Return odd-one-out and SimLex for both corpora, analogies for the larger one."""
    found: dict[str, list] = {}
    for name, documents, epochs, size in (("Lee", stories(), 30, 50), ("Wikipedia", articles(), 5, 100)):
        words = Vocabulary.from_documents(documents, min_count=5, max_size=6000, unknown="skip")
        for seed in SEEDS:
            which = METHODS[: 4 if name == "Lee" else 3] if seed == 0 else ("word2vec",)
            made = vectors(documents, words, seed, which, size=size, epochs=epochs)
            again = vectors(shuffled(documents, seed), words, seed, ("PPMI, SVD",), size=size, epochs=0)
            made["PPMI, SVD, shuffled"] = again["PPMI, SVD"]
            for method, v in made.items():
                entry = {"simlex": _simlex(v, words), "odd": _odd_one_out(v, words)}
                if name == "Wikipedia":
                    entry["analogies"] = _analogies(v, words)
                found.setdefault(f"{name}, {method}", []).append(entry)
                print(name, method, seed, entry, flush=True)
    return found


def _simlex(v: np.ndarray, words: Vocabulary) -> dict:
    lines = [line.split("\t") for line in Path(datapath("simlex999.txt")).read_text(encoding="utf-8").splitlines()]
    pairs = [
        (a, b, float(s)) for a, b, s, *_ in (line for line in lines if line[0][0] != "#") if a in words and b in words
    ]
    i, j = words.indices([a for a, _, _ in pairs]), words.indices([b for _, b, _ in pairs])
    said, cosine = np.array([s for _, _, s in pairs]), (v[i] * v[j]).sum(axis=1)
    rng = np.random.default_rng(0)
    draws = [rng.integers(len(said), size=len(said)) for _ in range(1000)]
    ends = np.quantile([spearmanr(cosine[k], said[k])[0] for k in draws], [0.025, 0.975])
    return {"rho": float(spearmanr(cosine, said)[0]), "ends": ends.tolist(), "pairs": len(said)}


def _odd_one_out(v: np.ndarray, words: Vocabulary) -> dict:
    """Return the share found by category (three of one, one of another); the interval resamples categories."""
    groups = {c: words.indices([w for w in text.split() if w in words]) for c, text in CATEGORIES.items()}
    groups = {c: k for c, k in groups.items() if len(k) >= 3}
    rng, hits = np.random.default_rng(0), {c: [] for c in groups}
    for _ in range(4000):
        c, o = rng.choice(list(groups), 2, replace=False)
        asked = np.append(rng.choice(groups[c], 3, replace=False), rng.choice(groups[o]))
        hits[c].append((v[asked] @ v[asked].T).sum(axis=1).argmin() == 3)
    shares = np.array([np.mean(h) for h in hits.values()])
    ends = np.quantile(rng.choice(shares, (2000, len(shares))).mean(axis=1), [0.025, 0.975])
    return {"share": float(shares.mean()), "ends": ends.tolist(), "categories": len(shares)}


def _analogies(v: np.ndarray, words: Vocabulary) -> dict:
    """Return how often b − a + c is nearest to d, with the question's words left out and not."""
    lines = Path(datapath("questions-words.txt")).read_text(encoding="utf-8").lower().splitlines()
    asked = np.array(
        [words.indices(q) for q in (line.split() for line in lines if line[0] != ":") if all(w in words for w in q)]
    )
    a, b, c, d = asked.T
    similarity = unit(v[b] - v[a] + v[c]) @ v.T
    free = similarity.argmax(axis=1)
    np.put_along_axis(similarity, asked[:, :3], -np.inf, axis=1)
    ruled = similarity.argmax(axis=1)
    is_input = (free[:, None] == asked[:, :3]).any(axis=1)
    return {
        "questions": len(asked),
        "with the rule": float((ruled == d).mean()),
        "without": float((free == d).mean()),
        "an input": float(is_input.mean()),
    }


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
            "PPMI, SVD": svd_vectors(table, 50),
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
    """Return vectors of some sixty words by each method, window and shift: of the corpus and of resampled ones."""
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
                V = svd_vectors(ppmi(S, context_power=0.75, shift=float(np.log(k))), LONGEST)
                found.setdefault(f"PPMI, SVD|{window}|{k}", []).append(_packed(V[ids]))
                W = skip_gram(drawn, words, number, vector_size=LONGEST, window=window, negative=k, epochs=10)
                W = W @ np.linalg.svd(W, full_matrices=False)[2].T  # turned: most of the length first
                found.setdefault(f"word2vec|{window}|{k}", []).append(_packed(W[ids]))
            print("neighbours", window, k, flush=True)
    return {"words": shown, "longest": LONGEST, "vectors": found}


def _packed(vectors: np.ndarray) -> str:
    """Return unit vectors in whole 127ths of the largest entry, a byte each."""
    vectors = unit(vectors)
    return base64.b64encode(np.round(127 * vectors / np.abs(vectors).max()).astype(np.int8).tobytes()).decode()


PARTS = {"rank": rank, "held_out": held_out, "human": human, "senses": senses}


def main() -> None:
    """Parse the arguments and run the parts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=[*PARTS, "neighbours"])
    for part in parser.parse_args().parts:
        start = time.process_time()
        made = neighbours() if part == "neighbours" else PARTS[part]()
        path = HOME / ("neighbours.json" if part == "neighbours" else "results.json")
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() and part != "neighbours" else {}
        known |= {part: made} if part != "neighbours" else made
        if part != "neighbours":
            known["made by"] = {
                "script": "tools/words.py",
                **{name: version(name) for name in ("gensim", "numpy", "scipy")},
            }
            known.setdefault("minutes", {})[part] = round((time.process_time() - start) / 60, 1)
        path.write_text(_as_text(known), encoding="utf-8")
        print(part, round(time.process_time() - start), "s", flush=True)


def _as_text(made: dict) -> str:
    """Return JSON with five digits, a line for each entry."""
    short = json.loads(json.dumps(made), parse_float=lambda text: float(f"{float(text):.5g}"))
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in short.items()) + "\n}\n"


if __name__ == "__main__":
    main()
