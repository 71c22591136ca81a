"""The BlockExplorer's numbers by the package, from where its controls stand."""

import numpy as np

from regattn.widgets import BlockExplorer


def example(**options) -> BlockExplorer:
    """Return five words, one of them twice, and three in their place."""
    return BlockExplorer(["the", "dogs", "near", "the", "gate"], others=[["the", "dog", "is"]], **options)


def expected(traits: dict) -> dict:
    """Let the package follow the same sentence."""
    data = traits["data"]
    written = {name: np.array(rows) for name, rows in data["written"].items()} if data.get("written") else None
    settings = {name: traits[name] for name in BlockExplorer.controls}
    first, *others = data["sentences"]
    return BlockExplorer(
        first, others=others, trained=data["trained"] is not None, written=written, **settings
    ).result()
