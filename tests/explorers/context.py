"""The ContextExplorer's numbers by the package's own training, from where the controls of the page stand."""

from regattn.widgets import ContextExplorer


def example(**options) -> ContextExplorer:
    """Return two tied layers on twelve rows of three columns, half-way through a short training."""
    return ContextExplorer(**({"steps": 120, "step": 60, "depth": 2, "context": 12} | options))


def expected(traits: dict) -> dict:
    """Let the package take the same steps on the same tasks."""
    explorer = ContextExplorer(steps=traits["data"]["steps"], correlation=traits["data"]["correlation"])
    for name in explorer.controls:
        setattr(explorer, name, traits[name])
    return explorer.result()
