"""The InductionExplorer: two layers built by hand, and two trained ones, continue a pattern in a text one types."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from regattn.attention import attention_weights
from regattn.widgets._kit import Choice, Explorer, Slider, Tick, TypedText

if TYPE_CHECKING:
    from regattn.transformer.language_model import LanguageModel

__all__ = ["InductionExplorer"]

LONGEST = 24  # words that are read, here and in numbers.js
START = "<start>"
BETWEEN = re.compile(r"[ \t\n\r\f\v]+")  # as numbers.js cuts


class InductionExplorer(Explorer, panels=["slots", "next", "next_trained"]):
    r"""Show how two layers copy: the first fetches the word before, the second finds where its own word was fetched.

    .. math:: \omega_{ts} \propto e^{\tau\, [s = t - 1]} \;\text{(layer 1)}, \qquad
              \omega_{ts} \propto e^{\tau \langle z_t, f_s\rangle} \;\text{(layer 2)}

    with z the one-hot code of a token's own word, f what layer 1 has fetched for it, τ the sharpness, and s at most t
    behind the mask. Layer 2 hands over own words: the shares of what comes next.

    Parameters
    ----------
    model : LanguageModel, optional
        Two trained blocks of one head each, of the design that ModelExplorer takes, which are shown beside. The words
        of the text get the numbers 1, 2, … in the order in which they come; 0 is the start mark. Its weights are
        rounded to half precision, in the page and here. Where layer 1 looks at itself its head may look nowhere else;
        a layer that is taken away keeps its feed-forward layer.

    Raises
    ------
    ValueError
        If a control is out of its range, or the model is of another design, has other blocks or heads, or fewer than
        25 words.

    Examples
    --------
    >>> explorer = InductionExplorer(text="wug dax fep wug")
    >>> found = explorer.result()
    >>> found["vocabulary"][int(np.argmax(found["shares"]))]
    'dax'
    >>> from regattn.transformer import load_shipped
    >>> both = InductionExplorer(load_shipped("induction")[0], text="wug dax fep wug").result()
    >>> both["score"] > 0.99, both["trained_score"] > 0.8
    (True, True)
    """

    text = TypedText("Text: type your own", default="wug dax fep wug dax blick fep wug", wide=True, first=True)
    back = Choice(
        "Layer 1 looks",
        {"1": "one place back", "0": "at itself", "off": "nowhere: taken away"},
        first=True,
        help="What it finds there is written into the token's second slot. The trained one has learned where to look.",
    )
    match = Tick("layer 2", default=True, help="Without it nothing is written into the slot for the next word.")
    causal = Tick("mask", default=True, help="Without it a token looks ahead, too.")
    sharpness = Slider(
        "Sharpness τ of what is built by hand",
        0,
        100,
        default=40.0,
        shown=(0.1, 100),
        log=True,
        notes={0: "all weights equal"},
        help="All its scores are multiplied by it.",
    )

    def __init__(self, model: LanguageModel | None = None, **kit: Any) -> None:
        self.model, packed = (None, None) if model is None else _in_the_page(model)
        alt = (
            "Two layers of attention over a text: which word the first fetches for each token, where the last token "
            "looks in the second, and which word it expects next."
        )
        super().__init__(**{"data": {"model": packed}, "alt": alt} | kit)

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            The ``words`` read and their ``vocabulary`` (V words, the start mark first); ``fetched`` (a row of V shares
            for each token); ``looks``, the weights of the last token in layer 2, and ``shares``, of V words, what it
            expects next (zeros without layer 2); ``previous``, the mean weight of layer 1 on the token before;
            ``score``, the mean weight that a token whose word came before has, in layer 2, on what followed there, and
            ``right``, the mean share of the word that did come after it; None where there is none. Where there is a
            model the same of its layers, ``trained_fetched`` and so on, which expect ``trained_other`` words with the
            share that is left.
        """
        words = [START, *[word for word in BETWEEN.split(self.text) if word][:LONGEST]]
        vocabulary = list(dict.fromkeys(words))
        codes = np.array([vocabulary.index(word) for word in words])
        trained = {} if self.model is None else {f"trained_{k}": v for k, v in self._trained(codes).items()}
        return {"words": words, "vocabulary": vocabulary} | self._by_hand(codes) | trained

    def _by_hand(self, codes: np.ndarray) -> dict[str, Any]:
        n, own = len(codes), np.eye(codes.max() + 1)[codes]
        how = {"scale": self.sharpness, "mask": "causal" if self.causal else None}
        before = looks = np.zeros((n, n))
        if self.back != "off":
            before = attention_weights(np.eye(n, k=-int(self.back)), np.eye(n), **how)
        if self.match:
            looks = attention_weights(own, before @ own, **how)
        return _measured(codes, before, looks, looks @ own)

    def _trained(self, codes: np.ndarray) -> dict[str, Any]:
        import torch

        from regattn.transformer._experiments import trace_under

        ahead = "causal" if self.causal else None
        first = {"1": ahead, "0": np.eye(len(codes), dtype=bool), "off": False}[self.back]
        trace = trace_under(self.model, torch.tensor(codes[None]), [first, ahead if self.match else False])
        before, looks = trace.weights[:, 0, 0].numpy()
        shares = torch.softmax(trace.logits[0], dim=-1).numpy()
        found, size = _measured(codes, before, looks, shares), codes.max() + 1
        return found | {"shares": found["shares"][:size], "other": float(shares[-1, size:].sum())}


def _in_the_page(model: LanguageModel) -> tuple[LanguageModel, dict[str, Any]]:
    """Return the model in half precision, and as it travels; raise a ValueError if the page cannot show it."""
    from regattn.transformer._halves import check_design, in_halves, packed

    a = check_design(model).architecture
    if (a.layers, a.n_heads) != (2, 1):
        raise ValueError(f"model must have two blocks with one head each, got {a.layers} with {a.n_heads}")
    if a.vocabulary <= LONGEST:
        raise ValueError(f"model must have {LONGEST + 1} words at least, got {a.vocabulary}")
    rounded = in_halves(model)
    return rounded, packed(rounded)


def _measured(codes: np.ndarray, before: np.ndarray, looks: np.ndarray, shares: np.ndarray) -> dict[str, Any]:
    """Return what two layers come to, from their weights and the shares of the next word after each token."""
    n = len(codes)
    earlier = np.tril(codes[:, None] == codes, k=-1)  # (t, j): the word of t came at j
    again = np.flatnonzero(earlier.any(axis=1))
    followed = np.pad(earlier, ((0, 0), (1, 0)))[:, :n]  # (t, j + 1)
    came = [shares[t, codes[t + 1]] for t in again if t < n - 1]
    return {
        "fetched": (before @ np.eye(codes.max() + 1)[codes]).tolist(),
        "looks": looks[-1].tolist(),
        "shares": shares[-1].tolist(),
        "previous": float(np.diagonal(before, -1).mean()) if n > 1 else None,
        "score": float((looks * followed).sum(axis=1)[again].mean()) if len(again) else None,
        "right": float(np.mean(came)) if came else None,
    }
