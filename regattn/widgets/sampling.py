"""The SamplingExplorer: from the logits of a language model to the distribution its next word is drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import traitlets

from regattn._validation import check_matrix
from regattn.widgets._base import Count, Explorer, Real, check_labels

__all__ = ["SamplingExplorer"]


class _Context(traitlets.TraitType):
    """One of the explorer's contexts."""

    def validate(self, obj: Any, value: Any) -> str:
        """Return ``value`` or raise a ValueError that names it."""
        if value not in obj.contexts:
            raise ValueError(f"{self.name} must be one of the {len(obj.contexts)} contexts, got {value!r}")
        return value


class SamplingExplorer(Explorer, module="sampling"):
    r"""Show the next-word distribution of a language model while it is sharpened, flattened and cut off.

    .. math:: p_v \propto e^{z_v / T}, \qquad \text{then the } k \text{ largest, then those that make up the mass } P

    Parameters
    ----------
    logits : array-like of shape (C, V)
        The model's scores of the vocabulary after each context.
    contexts : sequence of C different strings
        What was read.
    words : sequence of V strings
        The vocabulary.
    context : str, optional
        The one to show first; by default the first.
    temperature : float, default 1
        T, from 0 to 3.
    top_k : int, optional
        k, from 1 to V; by default V.
    top_p : float, default 1
        P, from 0.05 to 1.
    alt : str, optional
        The explorer in words.

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

    context = _Context("").tag(sync=True)
    temperature = Real(1.0, least=0.0, most=3.0).tag(sync=True)
    top_k = Count(1, least=1, most=lambda self: len(self.words), bound="the vocabulary").tag(sync=True)
    top_p = Real(1.0, least=0.05, most=1.0).tag(sync=True)

    def __init__(  # noqa: PLR0913 - the controls, by name
        self,
        logits: Any,
        *,
        contexts: Sequence[str],
        words: Sequence[str],
        context: str | None = None,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        alt: str | None = None,
    ) -> None:
        self.logits = check_matrix(logits, "logits")
        self.contexts = check_labels(contexts, len(self.logits), "contexts", rows="rows of logits")
        self.words = check_labels(words, self.logits.shape[1], "words", rows="columns of logits")
        if len(set(self.contexts)) < len(self.contexts):
            raise ValueError(f"contexts must differ, got {self.contexts}")
        alt = alt or (
            f"The most probable next words after one of {len(self.contexts)} beginnings, as bars, with the entropy of "
            "the distribution and the number of words that can be drawn."
        )
        super().__init__(
            data={"logits": self.logits, "contexts": self.contexts, "words": self.words},
            alt=alt,
            context=self.contexts[0] if context is None else context,
            temperature=temperature,
            top_k=len(self.words) if top_k is None else top_k,
            top_p=top_p,
        )

    @traitlets.default("context")
    def _first_context(self) -> str:
        return self.contexts[0]

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            ``probabilities`` of all words, their ``entropy`` in nats, how many are ``possible``, and the (first) most
            probable ``next_word``.
        """
        import torch  # only here: a page of explorers does not wait for it

        from regattn.transformer.generation import next_token_distribution

        logits = torch.from_numpy(self.logits[self.contexts.index(self.context)])
        cuts = {"temperature": self.temperature, "top_k": self.top_k, "top_p": self.top_p}
        p = next_token_distribution(logits, **cuts).numpy()
        drawn = p[p > 0]
        return {
            "probabilities": p.tolist(),
            "entropy": float(-(drawn * np.log(drawn)).sum()) + 0.0,
            "possible": len(drawn),
            "next_word": self.words[int(np.argmax(p))],
        }
