"""What ``tools/words.py`` kept for chapter 13: scores of vectors that take minutes to train, and vectors themselves."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["load_word_results"]


def load_word_results(name: str) -> dict[str, Any]:
    """Return one part of what ``tools/words.py`` kept.

    Parameters
    ----------
    name : str
        One of properties, rank, settings, whole, held_out, human, compared, senses, kinds, neighbours, made by:

        - ``properties``: by method, the largest cosine of two of its fifty columns, the same once they are centred, and
          the length of the mean vector beside a typical one
        - ``rank``: correlations of factors, and of gensim's word2vec, with PMI on the hundred commonest words, by
          setting, one for each seed
        - ``settings``: the same for gensim with one setting that is not the derivation's, after fifty passes
        - ``whole``: the same for all words that occur five times, beside the SVD; ``often``: pairs that met ten times
        - ``held_out``: areas under the curve by method, one for each of ten halvings of the stories
        - ``human``: SimLex, odd-one-out and analogies by corpus and method, one entry for each seed
        - ``compared``: for each of these the method less the SVD on the same questions, with an interval and a p-value
        - ``senses``: a leaning for every "bank" by method, with its story, its place and whether it is the West Bank
        - ``kinds``: the words of each category of odd-one-out
        - ``neighbours``: ``words``, and ``spaces``, vectors by method, window and number of negatives, of the corpus
          and of resampled ones
        - ``made by``: the script and the versions of its libraries

    Returns
    -------
    dict
        As the list says; numbers to five digits.

    Raises
    ------
    ValueError
        If there is no such part.

    Examples
    --------
    >>> sorted(load_word_results("made by"))
    ['gensim', 'numpy', 'scipy', 'script']
    """
    if name == "neighbours":
        return _neighbours()
    known = json.loads(Path(__file__).with_name("results.json").read_text(encoding="utf-8"))
    if name not in known:
        raise ValueError(f"name must be one of {', '.join(known)}, neighbours, got {name!r}")
    return known[name]


def _neighbours() -> dict[str, Any]:
    card = json.loads(Path(__file__).with_name("neighbours.json").read_text(encoding="utf-8"))
    spaces = {}
    for key, copies in card["vectors"].items():
        method, window, negatives = key.split("|")
        rows = [np.frombuffer(base64.b64decode(text), dtype=np.int8) for text in copies]
        spaces[method, int(window), int(negatives)] = np.reshape(rows, (len(rows), -1, card["longest"])).astype(float)
    return {"words": card["words"], "spaces": spaces}
