"""Tokenisers as they travel in a page, where _numbers/tokens.js cuts as they do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tokenizers import Tokenizer

KINDS = {("BPE", "ByteLevel"): "bytes", ("BPE", "Metaspace"): "characters", ("Unigram", "Metaspace"): "unigram"}


def packed_tokenizer(name: str, tokenizer: Tokenizer) -> dict[str, Any]:
    """Return what the page needs to cut as this tokeniser does."""
    made = json.loads(tokenizer.to_str()) if isinstance(tokenizer, Tokenizer) else {}
    parts = [(made.get(part) or {}).get("type") for part in ("model", "pre_tokenizer")]
    if tuple(parts) not in KINDS or made["normalizer"] or made["added_tokens"]:
        raise ValueError(f"the tokeniser {name!r} is none that train_tokenizer makes")
    vocabulary, kind = made["model"]["vocab"], KINDS[tuple(parts)]
    if kind == "unigram":
        tokens, scores = zip(*vocabulary, strict=True)
        return {"name": name, "kind": kind, "tokens": list(tokens), "scores": list(scores), "merges": []}
    merges = [[vocabulary[part] for part in pair] for pair in made["model"]["merges"]]
    return {"name": name, "kind": kind, "tokens": sorted(vocabulary, key=vocabulary.get), "merges": merges}


def light(packed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same without the tokens that the merges spell: the page makes them again, in this order."""
    tokens = list(packed["tokens"])
    spelled = [tokens[a] + tokens[b] for a, b in packed["merges"]]
    kept = tokens[: len(tokens) - len(set(spelled))]
    made = list(dict.fromkeys([*kept, *spelled]))
    return {**packed, "tokens": kept if made == tokens else tokens}
