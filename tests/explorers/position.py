"""The PositionExplorer's numbers by the package, from where its controls stand."""

from regattn.widgets import PositionExplorer


def example(**options) -> PositionExplorer:
    """Return the hands slowed by the base, at a place beyond the training."""
    return PositionExplorer(**({"place": 90, "hands": "base", "stretch": "4"} | options))


def expected(traits: dict) -> dict:
    """Let the package turn the hands and look the losses up."""
    return PositionExplorer(**{name: traits[name] for name in PositionExplorer.controls}).result()
