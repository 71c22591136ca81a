"""The BlockExplorer's numbers by the package, from where its controls stand."""

import numpy as np

from regattn.widgets import BlockExplorer


def example(**options) -> BlockExplorer:
    """Return five words, one of them twice."""
    return BlockExplorer(["the", "dogs", "near", "the", "gate"], **options)


def expected(traits: dict) -> dict:
    """Let the package follow the same sentence."""
    data = traits["data"]
    written = {name: np.array(rows) for name, rows in data["written"].items()} if data.get("written") else None
    settings = {name: traits[name] for name in BlockExplorer.controls}
    return BlockExplorer(data["words"], written=written, **settings).result()
