"""The BlockExplorer's numbers by the package, from where its controls stand."""

from regattn.widgets import BlockExplorer


def example(**options) -> BlockExplorer:
    """Return five words, one of them twice."""
    return BlockExplorer(["the", "dogs", "near", "the", "gate"], **options)


def expected(traits: dict) -> dict:
    """Let the package follow the same sentence."""
    return BlockExplorer(traits["data"]["words"], **{name: traits[name] for name in BlockExplorer.controls}).result()
