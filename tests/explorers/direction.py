"""The DirectionExplorer's numbers by the package, from the page's counts and where its controls stand."""

import pandas as pd

from regattn.widgets import DirectionExplorer

WORDS = ["dog", "man", "bites", "sees", "the", "sleeps"]
COUNTS = [
    [0, 2, 9, 5, 1, 4],
    [1, 0, 4, 7, 2, 3],
    [2, 6, 0, 0, 5, 0],
    [3, 4, 1, 0, 6, 0],
    [8, 7, 1, 1, 0, 0],
    [0, 1, 0, 0, 2, 0],
]
KNOBS = ("order", "table", "rank", "zsz", "zsp", "psz", "psp", "masked", "kernel")


def example(**options) -> DirectionExplorer:
    """Return six made-up words and "dog bites man", with the places already looking at words."""
    counts = pd.DataFrame(COUNTS, WORDS, WORDS)
    return DirectionExplorer(counts, **({"order": ["man", "bites", "dog"], "psz": True} | options))


def expected(traits: dict) -> dict:
    """Rebuild the table, the positions and the sentence from what the page carries, and let the package answer."""
    data = traits["data"]
    counts = pd.DataFrame(data["counts"], data["words"], data["words"])
    knobs = {name: traits[name] for name in KNOBS}
    return DirectionExplorer(counts, data["positions"], data["sentence"], **knobs).result()
