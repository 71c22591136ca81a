"""The TokenExplorer's numbers by the library, from the tokens and merges that the page carries."""

from functools import cache
from itertools import accumulate, pairwise

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


def whole_numbers(text: str) -> list[int]:
    """Return the numbers of a text of digits to the base 46: more digits follow one of the second half of the signs."""
    signs = [chr(k) for k in range(32, 127) if chr(k) not in '"\\<']
    digits = [signs.index(sign) for sign in text]
    ends = [k for k, digit in enumerate(digits, 1) if digit < 46]
    parts = [digits[start:end] for start, end in pairwise([0, *ends])]
    return [sum(digit % 46 * 46**place for place, digit in enumerate(reversed(part))) for part in parts]


def unpacked(packed: dict) -> dict:
    """Return a tokeniser of a page with lists in place of text."""
    parts = whole_numbers(packed["merges"])
    found = {**packed, "tokens": packed["tokens"].split(" "), "counts": whole_numbers(packed["counts"])}
    found["merges"] = list(zip(parts[::2], parts[1::2], strict=True))
    if "scores" in packed:
        steps = [(n + 1) // -2 if n % 2 else n // 2 for n in whole_numbers(packed["scores"])]
        found["scores"] = [below / -1e6 for below in accumulate(steps)]
    return found


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
    packed = [unpacked(each) for each in traits["data"]["tokenizers"]]
    explorer = TokenExplorer(
        {each["name"]: rebuilt(each) for each in packed}, [], **{name: traits[name] for name in TokenExplorer.controls}
    )
    for each in packed:
        explorer.packed[each["name"]]["counts"] = each["counts"]
    return explorer.result()
