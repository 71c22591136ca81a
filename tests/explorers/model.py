"""The ModelExplorer's numbers by the package, from where its controls stand."""

from functools import cache

from regattn.grammar import Grammar
from regattn.transformer import Architecture, LanguageModel, TextModel, load_shipped
from regattn.widgets import ModelExplorer
from regattn.words import train_tokenizer

WORDS = "anna called tom because she missed"
TEXT = "The bank lends to the river.\nThe river floods the bank, the farmer said. "


@cache
def untrained() -> LanguageModel:
    """Return a small model whose numbers are as chance made them."""
    sizes = {"vocabulary": 105, "layers": 2, "context": 32, "width": 12, "n_heads": 3}
    return LanguageModel(Architecture(**sizes, positions="rotary"), rng=5)


@cache
def of_text(kind: str) -> TextModel:
    """Return a small model of a text, its numbers as chance made them."""
    tokenizer = train_tokenizer([TEXT] * 5, vocabulary=270 if kind == "bytes" else 40, kind=kind)
    sizes = {"vocabulary": tokenizer.get_vocab_size(), "layers": 2, "context": 32, "width": 12, "n_heads": 3}
    return TextModel(tokenizer, LanguageModel(Architecture(**sizes, positions="rotary"), rng=5))


def text_example(kind: str = "bytes", **options) -> ModelExplorer:
    """Return a model of a text on a beginning of it."""
    return ModelExplorer(of_text(kind), **({"sentence": "The bank lends"} | options))


def example(**options) -> ModelExplorer:
    """Return an untrained model on a sentence of the grammar."""
    return ModelExplorer(untrained(), Grammar(), **({"sentence": WORDS} | options))


@cache
def reader(width: int, *, writes: bool) -> ModelExplorer:
    """Return the package's own reader of the model that is so wide: the untrained one or the shipped one."""
    return ModelExplorer(
        untrained() if width == 12 else load_shipped()[0], Grammar(), **({"written": 0} if writes else {})
    )


def expected(traits: dict) -> dict:
    """Let the package read the same sentence with the same parts silent, by the model that the page carries."""
    data = traits["data"]
    found = (
        text_example(data["tokenizer"]["kind"])
        if "tokenizer" in data
        else reader(data["model"]["width"], writes="written" not in traits["kit"]["hide"])
    )
    for name in ModelExplorer.controls:
        setattr(found, name, traits[name])
    return found.result()
