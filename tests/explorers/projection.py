"""The ProjectionExplorer's numbers by the package, from the table and the sentence where its controls stand."""

import pandas as pd

from regattn.widgets import ProjectionExplorer


def expected(traits: dict) -> dict:
    """Rebuild the edited table and let the package answer."""
    words = traits["data"]["words"]
    S = pd.DataFrame(traits["counts"], words, words)
    knobs = {name: traits[name] for name in ("sentence", "normaliser", "unit")}
    return ProjectionExplorer(S, **knobs).result()
