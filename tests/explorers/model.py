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


def expected(traits: dict) -> dict:
    """Let the package read the same sentence with the same parts silent, by the model that the page carries."""
    model = untrained() if traits["data"]["model"]["width"] == 12 else load_shipped()[0]
    return ModelExplorer(model, Grammar(), **{name: traits[name] for name in ModelExplorer.controls}).result()
