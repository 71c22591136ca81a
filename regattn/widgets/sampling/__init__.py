"""The SamplingExplorer: from the logits of a language model to the distribution its next word is drawn from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import traitlets
from numpy.typing import ArrayLike

from regattn._text import check_text
from regattn._validation import check_matrix, check_vector
from regattn.widgets._kit import Choice, Control, Explorer, Seed, check_labels
from regattn.widgets._kit.page_rng import drawn_place, mulberry32
from regattn.widgets._kit.sampling_controls import CUTS, temperature_slider, top_k_count, top_p_slider

__all__ = ["SamplingExplorer"]

DRAWN = 20  # words drawn at a time, here and in view.js


class _Follows(Control):
    """What a ModelExplorer is called in the page's address: "model", "model-2"; "" for none."""

    kind = "follows"

    def validate(self, obj: Any, value: Any) -> str:
        """Return ``value`` or raise a ValueError that names it."""
        if not isinstance(value, str) or not re.fullmatch(r"(model(-\d{1,3})?)?", value, re.ASCII):
            raise ValueError(f'{self.name} must be "", "model", "model-2" or the like, got {value!r}')
        return value

    def _words(self) -> str:
        return "str"


class _Fed(traitlets.TraitType):
    """What a ModelExplorer of the same page said last: the words it read and its logits; None before it did."""

    default_value = None

    def validate(self, obj: Any, value: Any) -> dict[str, Any] | None:
        """Return ``value`` with its logits as a list or raise a ValueError that names what is wrong."""
        if value is None:
            return None
        if not isinstance(value, Mapping) or set(value) != {"read", "logits"}:
            raise ValueError(f"{self.name} must have read and logits, got {value!r}")
        logits = check_vector(value["logits"], f"logits of {self.name}")
        if len(logits) != len(obj.words):
            raise ValueError(f"{self.name} has {len(logits)} logits but there are {len(obj.words)} words")
        return {"read": check_text(value["read"], f"read of {self.name}"), "logits": logits.tolist()}


class SamplingExplorer(Explorer, panels=["next"]):
    r"""Show the next-word distribution of a language model while it is sharpened, flattened and cut off.

    Where a page or a notebook has a ModelExplorer of the same words too, the list of beginnings ends with that one's
    sentence, read as it stands there: up to the place that was chosen, with the parts that were silenced.

    .. math:: p_v \propto e^{z_v / T}, \qquad \text{then the } k \text{ largest, then those that make up the mass } P

    Parameters
    ----------
    logits : array-like of shape (C, V)
        The model's scores of the vocabulary after each context.
    contexts : sequence of C different strings
        What was read.
    words : sequence of V strings
        The vocabulary.

    Raises
    ------
    ValueError
        If the numbers of contexts or words do not match the logits, a logit is not finite, or a setting is out of
        range.

    Examples
    --------
    >>> explorer = SamplingExplorer([[2.0, 1.0, 0.0]], contexts=["the"], words=["cat", "dog", "owl"], top_k=2)
    >>> [round(p, 3) for p in explorer.result()["probabilities"]]
    [0.731, 0.269, 0.0]
    """

    context = Choice(
        "After the words",
        lambda self: dict(zip(self.contexts, self.contexts, strict=True)),
        bound="contexts",
        first=True,
    )
    follows = _Follows(
        "Follow", default="", help='The ModelExplorer whose sentence is read in place of a context: "model", "model-2".'
    )
    temperature = temperature_slider(first=True)
    top_k = top_k_count(lambda self: self.words)
    top_p = top_p_slider()
    seed = Seed("Draw again", help="Which words are drawn: another number, another draw.")
    fed = _Fed().tag(sync=True)

    def __init__(self, logits: ArrayLike, *, contexts: Sequence[str], words: Sequence[str], **kit: Any) -> None:
        self.logits = check_matrix(logits, "logits")
        self.contexts = check_labels(contexts, len(self.logits), "contexts", rows="rows of logits")
        self.words = check_labels(words, self.logits.shape[1], "words", rows="columns of logits")
        if len(set(self.contexts)) < len(self.contexts):
            raise ValueError(f"contexts must differ, got {self.contexts}")
        alt = (
            f"The most probable next words after one of {len(self.contexts)} beginnings, as bars, with the entropy of "
            "the distribution and the number of words that can be drawn."
        )
        data = {"logits": self.logits, "contexts": self.contexts, "words": self.words}
        super().__init__(**{"data": data, "alt": alt} | kit)

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            The words ``read`` (and, of a ModelExplorer, what is silent there), ``probabilities`` of all words, their
            ``entropy`` in nats, how many are ``possible``, the places in the vocabulary of 20 words ``drawn``, and the
            (first) most probable ``next_word``.
        """
        import torch  # only here: a page of explorers does not wait for it

        from regattn.transformer.generation import next_token_distribution

        read, logits = self._read()
        cuts = {name: getattr(self, name) for name in CUTS}
        p = next_token_distribution(torch.from_numpy(logits), **cuts).numpy()
        drawn = p[p > 0]
        return {
            "read": read,
            "probabilities": p.tolist(),
            "entropy": float(-(drawn * np.log(drawn)).sum()) + 0.0,
            "possible": len(drawn),
            "drawn": _draw(p, self.seed),
            "next_word": self.words[int(np.argmax(p))],
        }

    def _read(self) -> tuple[str, np.ndarray]:
        """Return the words that are read and the scores of what may follow."""
        if self.follows and self.fed:
            return self.fed["read"], np.array(self.fed["logits"])
        return self.context, self.logits[self.contexts.index(self.context)]


def _draw(p: np.ndarray, seed: int) -> list[int]:
    """Return the places of 20 words drawn from the probabilities ``p``, as view.js does."""
    uniform = mulberry32(seed)
    return [drawn_place(p, next(uniform)) for _ in range(DRAWN)]
