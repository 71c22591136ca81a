"""The ProjectionExplorer's numbers by the package, from the table and the sentence where its controls stand."""

import pandas as pd

from regattn.data import load_seven_words
from regattn.widgets import ProjectionExplorer


def example(**options) -> ProjectionExplorer:
    """Return the seven words of the paper with its first sentence."""
    return ProjectionExplorer(load_seven_words(), **({"sentence": ["river", "bank", "flooded"]} | options))


def expected(traits: dict) -> dict:
    """Rebuild the edited table and let the package answer."""
    words = traits["data"]["words"]
    S = pd.DataFrame(traits["counts"], words, words)
    knobs = {name: traits[name] for name in ("sentence", "normaliser", "unit")}
    return ProjectionExplorer(S, **knobs).result()
