"""From text to tokens, and the count-based language model that every neural one is compared with."""

from __future__ import annotations

import json
from collections.abc import Iterable

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from regattn._text import check_text
from regattn._validation import check_count

__all__ = ["train_tokenizer"]

_KINDS = ("bytes", "characters", "unigram")
_UNKNOWN = "<unk>"


def train_tokenizer(texts: Iterable[str], *, vocabulary: int, kind: str = "bytes") -> Tokenizer:
    r"""Return a tokeniser that was learned from texts.

    - ``"bytes"``: byte pairs. Starting from the 256 bytes, the most frequent neighbouring pair becomes a token, again
      and again (:eq:`pair-merge`). Every text can be encoded, and decoding gives back exactly what was encoded.
    - ``"characters"``: the same from the characters of the texts. Any other character becomes ``<unk>``.
    - ``"unigram"``: a list of pieces with probabilities; a word is cut where their product is largest
      (:eq:`unigram-cut`). Any character that is in no piece becomes ``<unk>``. Probabilities are rounded, to six
      decimals of their logarithms, so that they are the same on every machine.

    The last two write a space as ``▁`` before the word that follows it.

    Parameters
    ----------
    texts : iterable of str
        What to learn the tokens from.
    vocabulary : int
        Number of tokens: at least the 256 bytes, or the characters of the texts and one for all others. Of a short
        text there may be fewer.
    kind : {"bytes", "characters", "unigram"}, default "bytes"
        See above.

    Returns
    -------
    tokenizers.Tokenizer
        Use ``.encode(text).ids``, ``.encode(text).tokens`` and ``.decode(ids)``.

    Raises
    ------
    ValueError
        If ``vocabulary`` is too small or ``kind`` unknown, ``texts`` is one string instead of several, holds nothing
        (of the last two kinds), or one of them is no string or cannot be written as UTF-8.

    Examples
    --------
    >>> tokenizer = train_tokenizer(["low lower lowest"] * 5, vocabulary=259)
    >>> tokenizer.encode("lowly").tokens
    ['low', 'l', 'y']
    >>> tokenizer.decode(tokenizer.encode("héllo ☺").ids)
    'héllo ☺'
    >>> train_tokenizer(["low lower lowest"] * 5, vocabulary=12, kind="characters").encode("low☺").tokens
    ['low', '<unk>']
    """
    vocabulary = check_count(vocabulary, "vocabulary", least=256 if kind == "bytes" else 1)
    if kind not in _KINDS:
        raise ValueError(f"kind must be one of {', '.join(_KINDS)}, got {kind!r}")
    if isinstance(texts, str):
        raise ValueError(f"texts must be several strings, got one of {len(texts)} characters")
    checked = (check_text(text, f"text {position}") for position, text in enumerate(texts))
    if kind == "bytes":
        return _train_bytes(checked, vocabulary)
    spaced = pre_tokenizers.Metaspace(prepend_scheme="never")
    checked = list(checked)
    characters = set().union(*checked) - {" "} | {"▁"} if any(checked) else set()
    if not characters or vocabulary <= len(characters):
        needed = (
            f"more than the {len(characters)} characters of the texts" if characters else "of texts that hold something"
        )
        raise ValueError(f"vocabulary must be {needed}, got {vocabulary}")
    tokenizer = Tokenizer(models.BPE(unk_token=_UNKNOWN) if kind == "characters" else models.Unigram())
    tokenizer.pre_tokenizer = spaced
    of = {"vocab_size": vocabulary, "special_tokens": [_UNKNOWN], "show_progress": False}
    trainer = trainers.BpeTrainer(**of) if kind == "characters" else trainers.UnigramTrainer(**of, unk_token=_UNKNOWN)
    tokenizer.train_from_iterator(checked, trainer)
    learned = json.loads(tokenizer.to_str())["model"]
    if kind == "characters":
        model = models.BPE(learned["vocab"], [tuple(pair) for pair in learned["merges"]], unk_token=_UNKNOWN)
    else:
        (_, *known), unknown = learned["vocab"], (_UNKNOWN, -1000.0)  # not the best piece of a text that has "<unk>"
        model = models.Unigram([unknown, *((piece, round(score, 6)) for piece, score in known)], learned["unk_id"])
    tokenizer = Tokenizer(model)  # anew: the trained one would take "<unk>" out of any text, as a token of its own
    tokenizer.pre_tokenizer, tokenizer.decoder = spaced, decoders.Metaspace(prepend_scheme="never")
    return tokenizer


def _train_bytes(texts: Iterable[str], vocabulary: int) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer
