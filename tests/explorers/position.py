"""The PositionExplorer's numbers by the package, from where its controls stand."""

from regattn.widgets import PositionExplorer


def example(**options) -> PositionExplorer:
    """Return sixteen clocks with a query and a key of their own, asked nine places apart."""
    return PositionExplorer(**({"scheme": "rotary", "dimension": 32, "lag": 9, "draw": 4, "place": 3} | options))


def expected(traits: dict) -> dict:
    """Let the package make the codes, turn the pairs and charge the distance."""
    return PositionExplorer(**{name: traits[name] for name in PositionExplorer.controls}).result()
