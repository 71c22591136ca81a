"""The SamplingExplorer's numbers by the package, from the logits and where its controls stand."""

import numpy as np

from regattn.widgets import SamplingExplorer

LOGITS = np.random.default_rng(8).normal(scale=2.0, size=(3, 29))


def example(**options) -> SamplingExplorer:
    """Return made-up scores of 29 words after three contexts."""
    words = [f"word {k}" for k in range(29)]
    return SamplingExplorer(LOGITS, contexts=["one", "two", "three"], words=words, **options)


def expected(traits: dict) -> dict:
    """Let the package sharpen, cut off and renormalise."""
    data = traits["data"]
    knobs = {name: traits[name] for name in SamplingExplorer.controls}
    made = SamplingExplorer(data["logits"], contexts=data["contexts"], words=data["words"], **knobs)
    made.fed = traits["fed"]  # by a ModelExplorer of the page
    return made.result()
