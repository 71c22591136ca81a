"""The ModelExplorer: a trained language model in the page, opened up, silenced in parts, and beside the truth."""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from regattn._validation import check_count
from regattn.grammar._states import states
from regattn.grammar.sentences import Grammar
from regattn.widgets._kit import Choice, Control, Explorer, TypedText
from regattn.widgets._kit.page_rng import drawn_place, mulberry32
from regattn.widgets._kit.sampling_controls import CUTS, temperature_slider, top_k_count, top_p_slider

if TYPE_CHECKING:
    from regattn.transformer.language_model import LanguageModel

__all__ = ["ModelExplorer"]

LONGEST = 24  # words that are read, here and in numbers.js
FEED_FORWARD = "ff"


class _Place(Control):
    """A word of the sentence, counted from 1; 0 is the full stop before it, and what is beyond the end is the end."""

    kind = "place"

    def validate(self, obj: Any, value: Any) -> int:
        """Return ``value`` as an int or raise a ValueError that names it."""
        return check_count(value, self.name, least=0, most=LONGEST, bound="the longest sentence")

    def _more(self, explorer: Any) -> dict[str, Any]:
        return {"min": 0, "max": LONGEST}


class _Parts(Control):
    """A list of parts of the model: "2.1" is head 1 of layer 2, "2.ff" its feed-forward layer."""

    kind = "parts"

    def validate(self, obj: Any, value: Any) -> list[str]:
        """Return ``value`` as a sorted list or raise a ValueError that names the unknown part."""
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise ValueError(f"{self.name} must be a list of parts, got {value!r}")
        for part in value:
            if part not in obj.parts:
                raise ValueError(f"{self.name} must be some of {', '.join(obj.parts)}, got {part!r}")
        return sorted(set(value))

    def _more(self, explorer: Any) -> dict[str, Any]:
        return {"options": explorer.parts}


class _Draw(Control):
    """The number of a draw, from 1 to 999: in the browser a button that writes the drawn word, and counts on."""

    kind = "draw"

    def validate(self, obj: Any, value: Any) -> int:
        """Return ``value`` as an int or raise a ValueError that names it."""
        return check_count(value, self.name, least=1, most=999, bound="the last draw")

    def _more(self, explorer: Any) -> dict[str, Any]:
        return {"min": 1, "max": 999}


class ModelExplorer(Explorer, panels=["next", "parts", "map", "lens"]):
    r"""Show what a language model makes of a sentence, beside the grammar that wrote its texts.

    Type a sentence, or choose one. At any of its words there are the distribution of the next word (the model's and
    the true one), what every head looks at most, the weights of one head, and what the stream says after each block
    when it is read as the last one is (a logit lens). Silence heads and feed-forward layers and read what it costs;
    draw words and go on. The model's weights are rounded to half precision, in the page and here.

    .. math:: D(p \,\|\, q) = \sum_v p_v \log \frac{p_v}{q_v}

    Parameters
    ----------
    model : LanguageModel
        With the design of the shipped one: order "pre", layer norm, GELU, rotary positions, a tied unembedding.
    grammar : Grammar
        Gives the truth; its vocabulary is the model's.
    borrow : bool, default False
        Whether a page leaves the model out here and reads it from the first ModelExplorer on it, which must be of the
        same model: the page then holds the weights once.

    Raises
    ------
    ValueError
        If the model is of another design or vocabulary, the grammar has too many states for a table, or a setting is
        out of range.

    Examples
    --------
    >>> from regattn.grammar import Grammar
    >>> from regattn.transformer import load_shipped
    >>> explorer = ModelExplorer(load_shipped()[0], Grammar(), sentence="anna called tom because she missed")
    >>> round(explorer.result()["excess"], 3)
    0.002
    >>> explorer.silenced = ["1.1", "2.ff"]
    >>> explorer.result()["cost"] > 1
    True
    """

    sentence = TypedText("Sentence: type it, or choose one", default="", wide=True, first=True)
    place = _Place("The next word after", default=LONGEST, help="Where the prediction is made.", first=True)
    head = Choice(
        "Look through",
        lambda self: {part: _called(part) for part in self.parts if FEED_FORWARD not in part},
        bound="heads",
        help="The head whose weights are shown.",
    )
    temperature = temperature_slider()
    top_k = top_k_count(lambda self: self.grammar.vocabulary)
    top_p = top_p_slider()
    seed = _Draw("Draw the next word", default=1, help="Which word is drawn: another number, another draw.")
    silenced = _Parts("Silenced", default=[], help="Parts that write nothing into the stream.")

    def __init__(self, model: LanguageModel, grammar: Grammar, *, borrow: bool = False, **kit: Any) -> None:
        from regattn.grammar._divergence import check_vocabularies
        from regattn.transformer._halves import check_design, in_halves, packed  # torch: only where there is a model

        if not isinstance(grammar, Grammar):
            raise ValueError(f"grammar must be a Grammar, got {type(grammar).__name__}")
        check_vocabularies(check_design(model), grammar)
        self.grammar, self.model, self.borrow = grammar, in_halves(model), borrow
        a = model.architecture
        last = [*(str(head + 1) for head in range(a.n_heads)), FEED_FORWARD]
        self.parts = [f"{layer + 1}.{part}" for layer in range(a.layers) for part in last]
        alt = (
            f"A language model of {a.layers} blocks with {a.n_heads} heads each, on a sentence: the probabilities of "
            "the next word beside the true ones, what each head looks at, one head's weights, and what the stream "
            "says after each block."
        )
        data = {"model": packed(model), "states": states(grammar), "words": grammar.vocabulary}
        super().__init__(**{"data": data, "alt": alt} | kit)

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            The words ``read``; at the place asked, ``truth`` (None where the grammar could not have written the
            beginning), ``model`` and ``drawn_from``, one probability for each word of the vocabulary;
            ``entropy_truth``, ``entropy_model``, the ``excess`` of this prediction and the ``cost`` of what is
            silenced, in nats; the mean excess of all predictions of the sentence that have a truth, ``mean_excess``,
            and that of the whole model, ``mean_excess_whole``; the ``weights`` of the chosen head (T × T), the
            ``lens`` (V × (L + 1)), and the word that would be drawn, ``next_word``.
        """
        import torch

        from regattn.transformer.generation import next_token_distribution

        read, truth = self._read()
        at = min(self.place, len(read) - 1)
        tokens = torch.tensor([self.grammar.encode(read)])
        parts = self._without(self.silenced)
        trace, whole = parts.trace(tokens), self.model.trace(tokens)
        loss, loss_whole = (_divergences(truth, found.logits[0]) for found in (trace, whole))
        cuts = {name: getattr(self, name) for name in CUTS}
        q = torch.softmax(trace.logits[0, at], dim=-1).numpy()
        drawn_from = next_token_distribution(trace.logits[0, at], **cuts).numpy()
        layer, head = (int(part) - 1 for part in self.head.split("."))
        with torch.no_grad():
            lens = torch.softmax(parts.unembedding(parts.final_norm(trace.streams[:, 0, at])), dim=-1)
        p = truth[at]
        return {
            "read": " ".join(read),
            "truth": None if p is None else p.tolist(),
            "model": q.tolist(),
            "drawn_from": drawn_from.tolist(),
            "entropy_truth": None if p is None else _entropy(p),
            "entropy_model": _entropy(q),
            "excess": loss[at],
            "cost": None if p is None else loss[at] - loss_whole[at],
            "mean_excess": float(np.mean([x for x in loss if x is not None])),
            "mean_excess_whole": float(np.mean([x for x in loss_whole if x is not None])),
            "weights": trace.weights[layer, 0, head].tolist(),
            "lens": lens.T.tolist(),
            "next_word": self.grammar.vocabulary[drawn_place(drawn_from, next(mulberry32(self.seed)))],
        }

    def _page_state(self) -> dict[str, Any]:
        """Return what a piece of a page holds, without the model where it is borrowed."""
        return self.state() | ({"data": None} if self.borrow else {})

    def _read(self) -> tuple[list[str], list[np.ndarray | None]]:
        """Return the words that are read, a full stop before them, and the true distribution after each."""
        known = set(self.grammar.vocabulary)
        words: list[str] = ["."]
        typed = [word for word in re.split("[ \t\r\n\xa0]+", re.sub("[.,]", r" \g<0> ", self.sentence.lower())) if word]
        for word in typed[:LONGEST]:
            if word not in known:
                break
            words.append(word)
        truth: list[np.ndarray | None] = []
        begun: list[str] = []
        for word in words:
            begun = [] if word == "." else [*begun, word]
            try:
                truth.append(np.array(list(self.grammar.next_word(begun).values())))
            except ValueError:
                truth.append(None)
        return words, truth

    def _without(self, silenced: Sequence[str]) -> Any:
        """Return the model with some parts that write nothing."""
        import torch

        model = copy.deepcopy(self.model) if silenced else self.model
        for name in silenced:
            layer, part = name.split(".")
            block = model.blocks[int(layer) - 1]
            writes = block.feed_forward.values
            with torch.no_grad():
                if part == FEED_FORWARD:
                    writes.weight.zero_()
                    writes.bias.zero_()
                else:
                    attention = block.attention
                    attention.output.weight.unflatten(1, (attention.n_heads, -1))[:, int(part) - 1] = 0
        return model


def _called(part: str) -> str:
    layer, which = part.split(".")
    return f"layer {layer}, " + ("feed-forward" if which == FEED_FORWARD else f"head {which}")


def _entropy(p: np.ndarray) -> float:
    p = p[p > 0]
    return float(-(p * np.log(p)).sum()) + 0.0


def _divergences(truth: list[np.ndarray | None], logits: Any) -> list[float | None]:
    from regattn.grammar._divergence import divergences

    return [None if p is None else float(divergences(p, z)) for p, z in zip(truth, logits, strict=True)]
