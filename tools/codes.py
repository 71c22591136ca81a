"""Run the experiments of chapter 21 with five seeds each, and keep the results: bits, bottlenecks, ablations, digits.

    OMP_NUM_THREADS=1 python -m tools.codes          # some sixteen minutes of one processor
    OMP_NUM_THREADS=1 python -m tools.codes --only dead --output trial.json

A seed divides the 1,797 digits of scikit-learn into 1,400 to learn from and 397 to be measured on, and begins every
model. Results are written after every experiment, and one that the file already holds is not run again: the work can be
interrupted. Chapter 21 reads the file, and runs a part of it again.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC
from torch.nn import functional

from regattn.transformer import (
    Architecture,
    Autoencoder,
    CodeAutoencoder,
    LanguageModel,
    LatentPlan,
    TrainingPlan,
    generate,
    quantised_pca,
    residual_kmeans,
    train,
    train_autoencoder,
)
from tools.recorded_runs import FOLDER, read_runs, write_runs

SEEDS = (0, 1, 2, 3, 4)
PLAN = LatentPlan()  # the best of three settings on 300 of the training rows of two other divisions
DECAYS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.99)
DECAY = 0.9  # of codes that are averages: the best of DECAYS on 300 of the training rows of two other divisions
SIZES = [(32, 1), (32, 2), (32, 3), (32, 4), (32, 6), (256, 1), (16, 2)]  # codes in the codebook, codes of an image
WIDTHS = (1, 2, 4, 8, 16)
HIDDEN = (64, 128, 256, 512, 1024)
WIDE = 512  # hidden units: the best of HIDDEN on 300 of the training rows of two other divisions
OTHERS = (5, 6)  # these divisions
ABLATIONS = {
    "as it should be": {},
    "no straight-through": {"straight_through": False},
    "β = 0": {"commitment": 0.0},
    "β = 25": {"commitment": 25.0},
    "no stop-gradients": {"stop_gradients": False},
    "no reconstruction": {"reconstruction": 0.0},
}
STARTS = {
    "N(0, 1)": {"start": "normal"},
    "N(0, 1), β = 0.25": {"start": "normal", "commitment": 0.25},
    "N(0, 1) · spread": {"start": "scaled"},
    "data": {},
}
ENCODERS = {"as it should be": {}, "no reconstruction": {"reconstruction": 0.0}, "never trained": None}
DRAWN = 50  # digits drawn of each class
LABELS = np.array([32, 0, 0, 0, 0])  # what makes a label the number of a token that is no code
SMOOTH, TOWARDS = 0.5, 5.0  # added to every count; the weight of the chances without the code before
SMOOTHS, TOWARDS_ALL = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0), (1.0, 2.0, 5.0, 10.0, 20.0, 40.0)
FOLDS = 5
LIBRARIES = ("numpy", "scikit-learn", "torch")


class Digits(NamedTuple):
    """A division of the digits, in shades from 0 to 1, and a judge who learned to read on its training part."""

    X: np.ndarray
    X_new: np.ndarray
    y: np.ndarray
    y_new: np.ndarray
    judge: SVC


def digits(seed: int) -> Digits:
    """Return the division of one seed."""
    X, y = load_digits(return_X_y=True)
    X, X_new, y, y_new = train_test_split(X / 16, y, train_size=1400, random_state=seed)
    return Digits(X, X_new, y, y_new, SVC(C=10).fit(X, y))


def tensor(X: np.ndarray) -> torch.Tensor:
    """Return an array as the models take it."""
    return torch.tensor(X, dtype=torch.float32)


def coder(
    seed: int, *, n_codes: int = 32, n_parts: int = 4, hidden: int = 128, epochs: int = PLAN.epochs, **plan: Any
) -> CodeAutoencoder:
    """Return a trained auto-encoder with a codebook."""
    model = CodeAutoencoder(64, n_codes=n_codes, n_parts=n_parts, hidden=hidden, rng=seed)
    train_autoencoder(model, tensor(digits(seed).X), replace(PLAN, epochs=epochs, **plan), rng=seed)
    return model


def measured(found: Digits, sent: Any) -> dict[str, float]:
    """Return the error per pixel of what came back, and the share that the judge reads right."""
    sent = np.asarray(sent)
    return {
        "error": round(float(np.mean((sent - found.X_new) ** 2)), 6),
        "read": round(found.judge.score(sent, found.y_new), 4),
    }


@torch.no_grad()
def of_coder(model: CodeAutoencoder, found: Digits) -> dict[str, float]:
    """Return the same for a model, and how many of its codes are in use."""
    live = len(model.codes(tensor(found.X)).unique())
    return measured(found, model(tensor(found.X_new))) | {"live": live}


def bits(seed: int, **options: Any) -> Iterator[dict]:
    """Yield, for each size, what comes back by three ways of sending an image, and the mean image."""
    found = digits(seed)
    yield {"name": "mean image", "bits": 0} | measured(found, np.tile(found.X.mean(axis=0), (len(found.X_new), 1)))
    yield {"name": "the image itself"} | measured(found, found.X_new)
    for n_codes, n_parts in SIZES:
        size = {"n_codes": n_codes, "n_parts": n_parts}
        row = size | {"bits": round(n_parts * np.log2(n_codes))}
        yield {"name": "latent codes"} | row | of_coder(coder(seed, **size, **options), found)
        sent = residual_kmeans(found.X, found.X_new, **size, rng=seed)
        yield {"name": "residual k-means"} | row | measured(found, sent)
        if n_codes == 32 or n_parts == 1:
            sent = quantised_pca(found.X, found.X_new, bits=row["bits"], rng=seed)
            yield {"name": "quantised PCA", "bits": row["bits"]} | measured(found, sent)


def bottleneck(seed: int, **options: Any) -> Iterator[dict]:
    """Yield, for each width, the error of principal components and of a network with a hidden layer."""
    found = digits(seed)
    for width in WIDTHS:
        pca = PCA(width, random_state=seed).fit(found.X)
        sent = pca.inverse_transform(pca.transform(found.X_new))
        yield {"name": "PCA", "width": width} | measured(found, sent)
        model = Autoencoder(64, width, hidden=128, rng=seed)
        train_autoencoder(model, tensor(found.X), replace(PLAN, **options), rng=seed)
        with torch.no_grad():
            yield {"name": "network", "width": width} | measured(found, model(tensor(found.X_new)))


def _changed(changes: dict[str, dict], seed: int, **options: Any) -> Iterator[dict]:
    found = digits(seed)
    for name, change in changes.items():
        yield {"name": name} | of_coder(coder(seed, **change, **options), found)


def afterwards(seed: int, *, epochs: int = PLAN.epochs) -> Iterator[dict]:
    """Yield, for each encoder, what a linear decoder makes of its codes that was fitted when the encoder was done.

    It is told which codes were sent and not where they stand, so that their scale is nothing to it.
    """
    found = digits(seed)
    for name, change in ENCODERS.items():
        if change is None:
            model = CodeAutoencoder(64, n_parts=4, rng=seed)
            model.start_from(tensor(found.X), rng=seed)
        else:
            model = coder(seed, epochs=epochs, **change)
        sent, sent_new = (model.codes(tensor(X)).numpy() for X in (found.X, found.X_new))
        decoder = make_pipeline(OneHotEncoder(handle_unknown="ignore"), Ridge()).fit(sent, found.X)
        yield {"name": name} | measured(found, decoder.predict(sent_new)) | {"live": len(np.unique(sent))}


def hidden(seed: int, *, epochs: int = PLAN.epochs) -> Iterator[dict]:
    """Yield, for each number of hidden units, the error at 20 bits on 300 of the training rows that were left out."""
    X = tensor(digits(seed).X)
    for units in HIDDEN:
        model = CodeAutoencoder(64, n_parts=4, hidden=units, rng=seed)
        train_autoencoder(model, X[:1100], replace(PLAN, epochs=epochs), rng=seed)
        with torch.no_grad():
            error = float((model(X[1100:]) - X[1100:]).square().mean())
        yield {"name": f"{units} hidden units", "hidden": units, "error": round(error, 6)}


def wide(seed: int, **options: Any) -> Iterator[dict]:
    """Yield what comes back through codebooks of 32 when the hidden layers are as wide as `hidden` chose."""
    found = digits(seed)
    for n_codes, n_parts in SIZES:
        if n_codes == 32:
            size = {"n_codes": n_codes, "n_parts": n_parts}
            made = of_coder(coder(seed, **size, hidden=WIDE, **options), found)
            yield {"name": "latent codes, wide"} | size | {"bits": 5 * n_parts} | made


def restarts(seed: int, **options: Any) -> Iterator[dict]:
    """Yield what 256 codes for whole images do with and without restarts of dead codes, narrow and wide."""
    found, size = digits(seed), {"n_codes": 256, "n_parts": 1}
    for units, again in ((128, False), (128, True), (WIDE, False), (WIDE, True)):
        made = of_coder(coder(seed, **size, hidden=units, restarts=again, **options), found)
        yield {"name": "restarts" if again else "none", "hidden": units, "bits": 8} | size | made


def decays(seed: int, *, epochs: int = PLAN.epochs) -> Iterator[dict]:
    """Yield, for each decay of 256 codes that are averages, the error on 300 training rows left out."""
    X = tensor(digits(seed).X)
    for decay, again in product(DECAYS, (False, True)):
        model = CodeAutoencoder(64, n_codes=256, n_parts=1, rng=seed)
        train_autoencoder(model, X[:1100], replace(PLAN, epochs=epochs, decay=decay, restarts=again), rng=seed)
        with torch.no_grad():
            error = float((model(X[1100:]) - X[1100:]).square().mean())
        name = "averages, restarts" if again else "averages"
        yield {"name": name, "decay": decay, "error": round(error, 6), "live": len(model.codes(X[:1100]).unique())}


def averages(seed: int, **options: Any) -> Iterator[dict]:
    """Yield what codes that are moving averages do: 256 for whole images, with restarts and without, and four of 32."""
    found = digits(seed)
    for n_codes, n_parts, again in ((256, 1, False), (256, 1, True), (32, 4, False)):
        size = {"n_codes": n_codes, "n_parts": n_parts}
        made = of_coder(coder(seed, **size, decay=DECAY, restarts=again, **options), found)
        bits = round(n_parts * np.log2(n_codes))
        yield {"name": "averages, restarts" if again else "averages", "bits": bits} | size | made


def two_of_each(seed: int, *, epochs: int = PLAN.epochs) -> Iterator[dict]:
    """Yield what comes back by two codes of k-means and two of a network that was trained on what those leave.

    ``first`` is the error of reconstruction in the first epoch of training.
    """
    found = digits(seed)
    sent, sent_new = (residual_kmeans(found.X, X, n_codes=32, n_parts=2, rng=seed) for X in (found.X, found.X_new))
    model = CodeAutoencoder(64, n_codes=32, n_parts=2, rng=seed)
    history = train_autoencoder(model, tensor(found.X - sent), replace(PLAN, epochs=epochs), rng=seed)
    with torch.no_grad():
        more = model(tensor(found.X_new - sent_new)).numpy()
    row = {"name": "two of each", "bits": 20, "first": round(history[0].reconstruction, 4)}
    yield row | measured(found, sent_new + more)


def chances(
    sequences: np.ndarray, *, label: bool, before: bool, smooth: float = SMOOTH, towards: float = TOWARDS
) -> list[np.ndarray]:
    """Return counted chances of each code by the label (if wanted) and the code before (if wanted), smoothed.

    ``sequences`` has the label in its first column. Entry m has shape (10 or 1, 32 or 1, 32).
    """
    found = []
    for m in range(1, sequences.shape[1]):
        own = label or m == 1  # the first code always knows the label
        table = np.zeros((10 if own else 1, 32 if before and m > 1 else 1, 32))
        places = (
            sequences[:, 0] if own else np.zeros(len(sequences), int),
            sequences[:, m - 1] if before and m > 1 else np.zeros(len(sequences), int),
        )
        np.add.at(table, (*places, sequences[:, m]), 1)
        if before and m > 1:  # smoothed towards the chances without the code before
            shorter = table.sum(axis=1, keepdims=True) + smooth
            table = table + towards * shorter / shorter.sum(axis=2, keepdims=True)
        else:
            table = table + smooth
        found.append(table / table.sum(axis=2, keepdims=True))
    return found


def drawn(tables: list[np.ndarray], labels: np.ndarray, *, rng: np.random.Generator) -> np.ndarray:
    """Return codes drawn from counted chances, one row for each label."""
    rows = []
    for label in labels:
        codes: list[int] = []
        for table in tables:
            own = table[label if len(table) > 1 else 0, codes[-1] if table.shape[1] > 1 else 0]
            codes.append(int(rng.choice(32, p=own)))
        rows.append(codes)
    return np.array(rows)


def nats(tables: list[np.ndarray], sequences: np.ndarray) -> float:
    """Return the cross-entropy of codes under counted chances, in nats per code."""
    total = 0.0
    for m, table in enumerate(tables, 1):
        label = sequences[:, 0] if len(table) > 1 else np.zeros(len(sequences), int)
        last = sequences[:, m - 1] if table.shape[1] > 1 else np.zeros(len(sequences), int)
        total -= np.log(table[label, last, sequences[:, m]]).mean()
    return total / len(tables)


def writer(sequences: np.ndarray, seed: int, *, steps: int = 300) -> LanguageModel:
    """Return a small transformer trained on labels (as tokens from 32) followed by codes."""
    tokens = torch.tensor(sequences + LABELS)
    architecture = Architecture(vocabulary=42, layers=2, context=4, width=32, n_heads=4, positions="learned")
    model = LanguageModel(architecture, rng=seed)

    def batches(step: int) -> torch.Tensor:
        return tokens[np.random.default_rng([seed, step]).integers(0, len(tokens), 128)]

    train(model, batches, TrainingPlan(steps=steps, peak=3e-3, warmup=min(20, steps)))
    return model


@torch.no_grad()
def generation(seed: int, *, epochs: int = PLAN.epochs, steps: int = 300) -> Iterator[dict]:
    """Yield, for each way of drawing codes, nats on new images, how many are read as asked, and how many are copies."""
    found = digits(seed)
    with torch.enable_grad():
        model = coder(seed, epochs=epochs)
    old, new = (
        np.column_stack([y, model.codes(tensor(X))]) for X, y in ((found.X, found.y), (found.X_new, found.y_new))
    )
    known = set(map(tuple, old[:, 1:].tolist()))
    asked, rng = np.repeat(np.arange(10), DRAWN), np.random.default_rng(seed)

    def judged(codes: np.ndarray) -> dict[str, float]:
        whole = (codes < 32).all(axis=1)  # a transformer may write a label where a code belongs: no image
        images = model.decode(torch.tensor(np.minimum(codes, 31)))
        right = whole & (found.judge.predict(images) == asked)
        copies = np.mean([tuple(row) in known for row in codes.tolist()])
        return {"read": round(float(right.mean()), 4), "copies": round(float(copies), 4)}

    yield {"name": "nothing", "nats": round(np.log(32), 4)} | judged(rng.integers(0, 32, (len(asked), 4)))
    ways = {"the label": (True, False), "the code before": (False, True), "label and code before": (True, True)}
    for name, (label, before) in ways.items():
        tables = chances(old, label=label, before=before)
        yield {"name": name, "nats": round(nats(tables, new), 4)} | judged(drawn(tables, asked, rng=rng))
    with torch.enable_grad():
        writes = writer(old, seed, steps=steps)
    loss = _nats_of(writes, new)
    for name, temperature in (("all before: a transformer", 1.0), ("a transformer at temperature ½", 0.5)):
        codes = generate(writes, torch.tensor(asked[:, None] + 32), 4, temperature=temperature, rng=seed)[:, 1:].numpy()
        yield {"name": name} | ({"nats": round(loss, 4)} if temperature == 1 else {}) | judged(codes)
    tables = [chance**2 / (chance**2).sum(axis=2, keepdims=True) for chance in chances(old, label=True, before=True)]
    yield {"name": "label and code before at temperature ½"} | judged(drawn(tables, asked, rng=rng))
    copies = np.mean([tuple(row) in known for row in new[:, 1:].tolist()])
    yield {"name": "real images", "copies": round(float(copies), 4)} | of_coder(model, found)


def smoothing(seed: int, *, epochs: int = PLAN.epochs, steps: int = 300) -> Iterator[dict]:
    """Yield nats of pairs of codes, smoothed as folds of the training rows like it best, and of a transformer."""
    found = digits(seed)
    model = coder(seed, epochs=epochs)
    old, new = (
        np.column_stack([y, model.codes(tensor(X))]) for X, y in ((found.X, found.y), (found.X_new, found.y_new))
    )
    fold = np.random.default_rng(seed).permutation(len(old)) % FOLDS
    tried = {}
    for kind in product(SMOOTHS, TOWARDS_ALL):
        options = {"label": True, "before": True} | dict(zip(("smooth", "towards"), kind, strict=True))
        tried[kind] = np.mean([nats(chances(old[fold != k], **options), old[fold == k]) for k in range(FOLDS)])
    smooth, towards = min(tried, key=tried.get)
    tables = chances(old, label=True, before=True, smooth=smooth, towards=towards)
    yield {"name": "pairs, tuned", "smooth": smooth, "towards": towards, "nats": round(nats(tables, new), 4)}
    yield {"name": "pairs", "nats": round(nats(chances(old, label=True, before=True), new), 4)}
    writes = writer(old, seed, steps=steps)
    yield {"name": "transformer", "nats": round(_nats_of(writes, new), 4)}


@torch.no_grad()
def _nats_of(writes: LanguageModel, sequences: np.ndarray) -> float:
    """Return the cross-entropy of codes under a transformer, among the codes alone, as the counted chances are."""
    logits = writes(torch.tensor(sequences + LABELS)[:, :-1])[..., :32]
    return float(functional.cross_entropy(logits.flatten(0, 1), torch.tensor(sequences[:, 1:]).flatten()))


EXPERIMENTS = {
    "bits": bits,
    "bottleneck": bottleneck,
    "dead": partial(_changed, STARTS),
    "ablation": partial(_changed, ABLATIONS),
    "afterwards": afterwards,
    "two of each": two_of_each,
    "generation": generation,
    "hidden": hidden,
    "wide": wide,
    "restarts": restarts,
    "decays": decays,
    "averages": averages,
    "smoothing": smoothing,
}
SEEDS_OF = {"hidden": OTHERS, "decays": OTHERS}


def main() -> None:
    """Parse the arguments and run what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=list(EXPERIMENTS), help=f"some of {', '.join(EXPERIMENTS)}")
    parser.add_argument("--output", type=Path, default=FOLDER / "codes.json")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    card = read_runs(arguments.output)
    rows, seconds = card["runs"], card.get("seconds", {})
    for part in arguments.only:
        for seed in SEEDS_OF.get(part, SEEDS):
            if f"{part} {seed}" in seconds:
                continue
            start = time.process_time()
            rows += [{"part": part, "seed": seed} | row for row in EXPERIMENTS[part](seed)]
            seconds[f"{part} {seed}"] = round(time.process_time() - start, 1)
            by_whom = {"script": __file__, "libraries": LIBRARIES, "seeds": SEEDS, "seconds": seconds}
            write_runs(arguments.output, rows, minutes=sum(seconds.values()) / 60, **by_whom)
            print(part, seed, seconds[f"{part} {seed}"], flush=True)


if __name__ == "__main__":
    main()
