"""The InductionExplorer: two layers built by hand continue a pattern in a text that the reader types."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from regattn.attention import attention_weights
from regattn.widgets._kit import Choice, Explorer, Slider, Tick, TypedText

__all__ = ["InductionExplorer"]

LONGEST = 24  # words that are read, here and in numbers.js
START = "<start>"
BETWEEN = re.compile(r"[ \t\n\r\f\v]+")  # as numbers.js cuts


class InductionExplorer(Explorer, panels=["slots", "next"]):
    r"""Show how two layers copy: the first fetches the word before, the second finds where its own word was fetched.

    .. math:: \omega_{ts} \propto e^{\tau\, [s = t - 1]} \;\text{(layer 1)}, \qquad
              \omega_{ts} \propto e^{\tau \langle z_t, f_s\rangle} \;\text{(layer 2)}

    with z the one-hot code of a token's own word, f what layer 1 has fetched for it, τ the sharpness, and s at most t
    behind the mask. Layer 2 hands over own words: the shares of what comes next.

    Raises
    ------
    ValueError
        If a control is out of its range.

    Examples
    --------
    >>> explorer = InductionExplorer(text="wug dax fep wug")
    >>> found = explorer.result()
    >>> found["vocabulary"][int(np.argmax(found["shares"]))]
    'dax'
    """

    text = TypedText("Text: type your own", default="wug dax fep wug dax blick fep wug", wide=True, first=True)
    back = Choice(
        "Layer 1 looks",
        {"1": "one place back", "0": "at itself", "off": "nowhere: taken away"},
        first=True,
        help="What it finds there is written into the token's second slot.",
    )
    match = Tick("layer 2", default=True, help="Without it nothing is written into the slot for the next word.")
    causal = Tick("mask", default=True, help="Without it a token looks ahead, too.")
    sharpness = Slider(
        "Sharpness τ",
        0,
        100,
        default=40.0,
        shown=(0.1, 100),
        log=True,
        notes={0: "all weights equal"},
        help="All scores are multiplied by it.",
    )

    def __init__(self, **kit: Any) -> None:
        alt = (
            "Two layers of attention over a text: which word the first fetches for each token, where the last token "
            "looks in the second, and which word it expects next."
        )
        super().__init__(**{"data": {}, "alt": alt} | kit)

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            The ``words`` read and their ``vocabulary`` (V words, the start mark first); ``fetched`` (a row of V shares
            for each token); ``looks``, the weights of the last token in layer 2, and ``shares``, of V words, what it
            expects next (zeros without layer 2); and ``right``, the mean share of the word that did come, over the
            tokens whose word had come before; None where there is none.
        """
        words = [START, *[word for word in BETWEEN.split(self.text) if word][:LONGEST]]
        vocabulary = list(dict.fromkeys(words))
        codes = np.eye(len(vocabulary))[[vocabulary.index(word) for word in words]]
        places, how = np.eye(len(words)), {"scale": self.sharpness, "mask": "causal" if self.causal else None}
        if self.back == "off":
            fetched = np.zeros_like(codes)
        else:
            fetched = attention_weights(np.eye(len(words), k=-int(self.back)), places, **how) @ codes
        looks = attention_weights(codes, fetched, **how) if self.match else np.zeros((len(words), len(words)))
        shares = looks @ codes
        known = [t for t in range(1, len(words) - 1) if words[t] in words[1:t]]
        came = [shares[t, vocabulary.index(words[t + 1])] for t in known]
        return {
            "words": words,
            "vocabulary": vocabulary,
            "fetched": fetched.tolist(),
            "looks": looks[-1].tolist(),
            "shares": shares[-1].tolist(),
            "right": float(np.mean(came)) if came else None,
        }
