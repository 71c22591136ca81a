"""The SamplingExplorer's numbers by the package, from the logits and where its controls stand."""

from regattn.widgets import SamplingExplorer


def expected(traits: dict) -> dict:
    """Let the package sharpen, cut off and renormalise."""
    data = traits["data"]
    knobs = {name: traits[name] for name in ("context", "temperature", "top_k", "top_p")}
    return SamplingExplorer(data["logits"], contexts=data["contexts"], words=data["words"], **knobs).result()
