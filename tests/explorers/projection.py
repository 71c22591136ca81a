"""The ProjectionExplorer's numbers by the package, from the table and the sentence where its controls stand."""

import numpy as np
import pandas as pd

from regattn.data import load_seven_words
from regattn.widgets import ProjectionExplorer


def example(**options) -> ProjectionExplorer:
    """Return the seven words of the paper with its first sentence."""
    return ProjectionExplorer(load_seven_words(), **({"sentence": ["river", "bank", "flooded"]} | options))


def counted() -> pd.DataFrame:
    """Return counts of thirty words, of which most have not met."""
    words = [f"w{k}" for k in range(30)]
    counts = np.triu(np.random.default_rng(2).poisson(0.8, size=(30, 30)), 1)
    return pd.DataFrame(counts + counts.T, words, words)


def chosen_example(**options) -> ProjectionExplorer:
    """Return a larger vocabulary, of which the reader chooses."""
    return ProjectionExplorer(counted(), **({"sentence": ["w3", "w17"]} | options))


def expected(traits: dict) -> dict:
    """Rebuild the table, edited or chosen, and let the package answer."""
    words = traits["data"]["words"]
    knobs = {name: traits[name] for name in ("sentence", "normaliser", "unit")}
    if "pairs" in traits["data"]:
        return ProjectionExplorer(counted(), shown=traits["shown"], **knobs).result()
    S = pd.DataFrame(traits["counts"], words, words)
    return ProjectionExplorer(S, **knobs).result()
