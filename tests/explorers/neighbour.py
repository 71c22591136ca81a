"""The NeighbourExplorer's numbers by plain loops, from the bytes that the page carries and where its controls stand."""

import base64
import math

import numpy as np

from regattn.widgets import NeighbourExplorer

GROUPS = ["day", "day", "fire", "fire", "law", "law", "money", "money", "war", "war", "number", "number", "none"]
WORDS = ["monday", "friday", "fire", "smoke", "court", "judge", "bank", "rates", "war", "army", "two", "three", "test"]


def example(words=tuple(WORDS), **options) -> NeighbourExplorer:
    """Return thirteen words by two methods, two windows and two shifts, with five copies, one word absent from one."""
    rng, spaces = np.random.default_rng(12), {}
    for method in ("counted", "trained"):
        for window in (2, 10):
            for negatives in (1, 5):
                centre = rng.normal(size=(len(words), 7))
                spaces[method, window, negatives] = centre + 0.6 * rng.normal(size=(5, len(words), 7))
    spaces["counted", 2, 1][3, 4] = 0.0
    return NeighbourExplorer(spaces, words=list(words), groups=GROUPS, **options)


def expected(traits: dict) -> dict:
    """Compare and count word by word."""
    data, query, rank = traits["data"], traits["query"], traits["rank"]
    count, longest = len(data["words"]), data["longest"]
    raw = np.frombuffer(
        base64.b64decode(data["spaces"]["|".join(traits[k] for k in ("method", "window", "shift"))]), np.int8
    )
    vectors = raw.reshape(-1, count, longest).astype(int).tolist()

    def cosine(copy, a, b):
        u, v = copy[a][:rank], copy[b][:rank]
        size = math.sqrt(sum(x * x for x in u) * sum(x * x for x in v))
        return sum(x * y for x, y in zip(u, v, strict=True)) / size if size else -1.0

    others = [k for k in range(count) if k != query]
    nearest = sorted(others, key=lambda k: (-cosine(vectors[0], k, query), k))[: data["listed"]]
    copies = [vectors[0], *(copy for copy in vectors[1:] if any(copy[query][:rank]))]
    ranks = [
        [1 + sum(cosine(copy, o, query) > cosine(copy, k, query) for o in others) for copy in copies] for k in nearest
    ]
    places = [[row[axis] / (math.sqrt(sum(x * x for x in row)) or 1.0) for axis in (0, 1)] for row in vectors[0]]
    kinds = data["groups"]
    return {
        "neighbours": [data["words"][k] for k in nearest],
        "cosines": [cosine(vectors[0], k, query) for k in nearest],
        "least": [min(each) for each in ranks],
        "most": [max(each) for each in ranks],
        "stay": sum(max(each) <= data["listed"] for each in ranks),
        "alike": sum(kinds[k] == kinds[query] for k in nearest) if kinds else 0,
        "places": places,
    }
