"""The TrainingExplorer's numbers by the package, in NumPy, from where its controls stand."""

from regattn.widgets import TrainingExplorer

CONTROLS = ("step", "learning_rate", "seed", "head", "own", "writes", "beginning")
SMALL = {"width": 16, "steps": 60}


def example(**options) -> TrainingExplorer:
    """Return a smaller one than the book's, twelve steps on its way."""
    return TrainingExplorer(**SMALL | {"step": 12} | options)


def expected(traits: dict) -> dict:
    """Let the package take the same steps."""
    data = traits["data"]
    sizes = {name: data[name] for name in ("width", "n_heads", "layers", "steps")}
    explorer = TrainingExplorer(data["text"] if data["kind"] == "text" else None, **sizes)
    for name in CONTROLS:
        setattr(explorer, name, traits[name])
    return explorer.result()
