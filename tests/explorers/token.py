"""The TokenExplorer's numbers by the library, from the tokens and merges that the page carries."""

from functools import cache

from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from regattn.widgets import TokenExplorer
from regattn.words import train_tokenizer

TEXTS = ["the unhappy man was happy in his unhappiness"] * 3 + ["a happier woman, unharmed: 12 or 2012? Café!"]
KINDS = {"bytes": 300, "characters": 60, "unigram": 60}


@cache
def trained() -> dict[str, Tokenizer]:
    """Return a small tokeniser of each kind."""
    return {kind: train_tokenizer(TEXTS, vocabulary=size, kind=kind) for kind, size in KINDS.items()}


def example(**options) -> TokenExplorer:
    """Return three tokenisers on a text of three words, one of which holds an unknown character."""
    return TokenExplorer(trained(), TEXTS, **({"text": "the unhappiness ☕s", "word": 2} | options))


def rebuilt(packed: dict) -> Tokenizer:
    """Return the library's tokeniser, from what the page carries of it."""
    tokens, kind = list(packed["tokens"]), packed["kind"]
    for a, b in packed["merges"]:  # what the merges spell is not carried
        if (token := tokens[a] + tokens[b]) not in tokens:
            tokens.append(token)
    if kind == "unigram":
        tokenizer = Tokenizer(models.Unigram(list(zip(tokens, packed["scores"], strict=True)), 0))
    else:
        unknown = {} if kind == "bytes" else {"unk_token": tokens[0]}
        merges = [tuple(tokens[part] for part in pair) for pair in packed["merges"]]
        tokenizer = Tokenizer(models.BPE({token: k for k, token in enumerate(tokens)}, merges, **unknown))
    spaced = pre_tokenizers.Metaspace(prepend_scheme="never")
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False) if kind == "bytes" else spaced
    tokenizer.decoder = decoders.ByteLevel() if kind == "bytes" else decoders.Metaspace(prepend_scheme="never")
    return tokenizer


def expected(traits: dict) -> dict:
    """Let the library cut the text again, with the page's tokens, merges and counts."""
    packed = traits["data"]["tokenizers"]
    explorer = TokenExplorer(
        {each["name"]: rebuilt(each) for each in packed}, [], **{name: traits[name] for name in TokenExplorer.controls}
    )
    for each in packed:
        explorer.packed[each["name"]]["counts"] = each["counts"]
    return explorer.result()
