"""The InductionExplorer's numbers by loops over places, for the layers built by hand and for trained ones."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import erf, softmax

from regattn.transformer import Architecture, LanguageModel, load_shipped
from regattn.widgets import InductionExplorer


@cache
def untrained() -> LanguageModel:
    """Return a small model whose numbers are as chance made them."""
    return LanguageModel(
        Architecture(vocabulary=29, layers=2, context=25, width=12, n_heads=1, hidden=7, positions="rotary"), rng=5
    )


@cache
def numbers(width: int) -> dict[str, np.ndarray]:
    """Return the parameters of the model that is so wide, the untrained one or the shipped one, from half precision."""
    model = untrained() if width == 12 else load_shipped("induction")[0]
    return {name: p.detach().numpy().astype(np.float16).astype(float) for name, p in model.named_parameters()}


def example(**options) -> InductionExplorer:
    """Return one on the text of the chapter, a little less sharp, so that every control can be felt."""
    return InductionExplorer(untrained(), **({"sharpness": 4.0} | options))


def expected(traits: dict) -> dict:
    """Weigh place by place."""
    words = ["<start>", *traits["text"].split()[:24]]
    vocabulary, n = list(dict.fromkeys(words)), len(words)
    own = [vocabulary.index(word) for word in words]
    allowed = np.tri(n, dtype=bool) if traits["causal"] else np.ones((n, n), dtype=bool)
    model = traits["data"]["model"]
    trained = by_parameters(numbers(model["width"]), own, allowed, traits) if model else {}
    named = {f"trained_{key}": value for key, value in trained.items()}
    return {"words": words, "vocabulary": vocabulary} | by_hand(own, allowed, traits) | named


def by_hand(own: list[int], allowed: np.ndarray, traits: dict) -> dict:
    """Return what the layers built by hand come to."""
    n, codes = len(own), np.eye(max(own) + 1)[own]
    before = looks = np.zeros((n, n))
    if traits["back"] != "off":
        before = weights(traits["sharpness"] * np.eye(n, k=-int(traits["back"])), allowed)
    if traits["match"]:
        looks = weights(traits["sharpness"] * codes @ (before @ codes).T, allowed)
    return measured(own, before, looks, looks @ codes)


def by_parameters(p: dict[str, np.ndarray], own: list[int], allowed: np.ndarray, traits: dict) -> dict:
    """Return what two trained blocks come to, from their parameters."""
    n, width = len(own), p["embedding.weight"].shape[1]
    stream, found = np.sqrt(width) * p["embedding.weight"][own], []
    masks = [np.eye(n, dtype=bool) if traits["back"] == "0" else allowed, allowed]
    for layer, (mask, there) in enumerate(zip(masks, (traits["back"] != "off", traits["match"]), strict=True)):
        part = {name.removeprefix(f"blocks.{layer}."): value for name, value in p.items()}
        look = np.zeros((n, n))
        if there:
            queries, keys, values = np.split(
                linear(part, "attention.projection", norm(part, "norm_1", stream)), 3, axis=1
            )
            look = weights(turned(queries) @ turned(keys).T / np.sqrt(width), mask)
            stream = stream + linear(part, "attention.output", look @ values)
        hidden = linear(part, "feed_forward.keys", norm(part, "norm_2", stream))
        stream = stream + linear(part, "feed_forward.values", hidden * (1 + erf(hidden / np.sqrt(2))) / 2)
        found.append(look)
    shares = softmax(norm(p, "final_norm", stream) @ p["embedding.weight"].T, axis=1)
    size = max(own) + 1
    return measured(own, *found, shares) | {
        "shares": shares[-1, :size].tolist(),
        "other": float(shares[-1, size:].sum()),
    }


def weights(scores: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """Return the softmax of the scores over what may be seen."""
    return softmax(np.where(allowed, scores, -np.inf), axis=1)


def linear(part: dict[str, np.ndarray], name: str, x: np.ndarray) -> np.ndarray:
    """Return W x + b."""
    return x @ part[f"{name}.weight"].T + part[f"{name}.bias"]


def norm(part: dict[str, np.ndarray], name: str, x: np.ndarray) -> np.ndarray:
    """Return a layer norm."""
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5) * part[f"{name}.weight"] + part[f"{name}.bias"]


def turned(x: np.ndarray) -> np.ndarray:
    """Return every pair of coordinates, as one complex number, turned by an angle that grows with the place."""
    n, width = x.shape
    angles = np.arange(n)[:, None] * 10000.0 ** (-np.arange(0, width, 2) / width)
    pairs = (x[:, ::2] + 1j * x[:, 1::2]) * np.exp(1j * angles)
    return np.stack([pairs.real, pairs.imag], axis=2).reshape(n, width)


def measured(own: list[int], before: np.ndarray, looks: np.ndarray, shares: np.ndarray) -> dict:
    """Return the numbers that are shown of either pair of layers."""
    n = len(own)
    again = [t for t in range(n) if own[t] in own[:t]]
    score = [sum(looks[t, j + 1] for j in range(t) if own[j] == own[t]) for t in again]
    came = [shares[t, own[t + 1]] for t in again if t < n - 1]
    return {
        "fetched": [[sum(row[s] for s in range(n) if own[s] == v) for v in range(max(own) + 1)] for row in before],
        "looks": looks[-1].tolist(),
        "shares": shares[-1].tolist(),
        "previous": float(np.mean([before[t, t - 1] for t in range(1, n)])) if n > 1 else None,
        "score": float(np.mean(score)) if score else None,
        "right": float(np.mean(came)) if came else None,
    }
