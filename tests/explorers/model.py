"""The ModelExplorer's numbers by the package, from where its controls stand."""

from functools import cache

from regattn.grammar import Grammar
from regattn.transformer import Architecture, LanguageModel, load_shipped
from regattn.widgets import ModelExplorer

WORDS = "anna called tom because she missed"


@cache
def untrained() -> LanguageModel:
    """Return a small model whose numbers are as chance made them."""
    sizes = {"vocabulary": 105, "layers": 2, "context": 32, "width": 12, "n_heads": 3}
    return LanguageModel(Architecture(**sizes, positions="rotary"), rng=5)


def example(**options) -> ModelExplorer:
    """Return an untrained model on a sentence of the grammar."""
    return ModelExplorer(untrained(), Grammar(), **({"sentence": WORDS} | options))


@cache
def reader(width: int) -> ModelExplorer:
    """Return the package's own reader of the model that is so wide: the untrained one or the shipped one."""
    return ModelExplorer(untrained() if width == 12 else load_shipped()[0], Grammar())


def expected(traits: dict) -> dict:
    """Let the package read the same sentence with the same parts silent, by the model that the page carries."""
    found = reader(traits["data"]["model"]["width"])
    for name in ModelExplorer.controls:
        setattr(found, name, traits[name])
    return found.result()
