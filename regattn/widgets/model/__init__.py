"""The ModelExplorer: a trained language model in the page, opened up, silenced in parts, and beside the truth."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from regattn._validation import check_count
from regattn.grammar.sentences import Grammar
from regattn.widgets._kit import Choice, Control, Count, Explorer, TypedText
from regattn.widgets._kit.page_rng import drawn_place, mulberry32
from regattn.widgets._kit.sampling_controls import CUTS, temperature_slider, top_k_count, top_p_slider
from regattn.widgets.model._exchange import exchanged
from regattn.widgets.model._reading import LONGEST, OfGrammar, OfText
from regattn.widgets.model._writing import WRITTEN, write

if TYPE_CHECKING:
    from regattn.transformer.language_model import LanguageModel
    from regattn.transformer.text_model import TextModel

__all__ = ["ModelExplorer"]

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
    """The number of a draw, from 1 to 999: in the browser a button that writes the drawn word, or all anew."""

    kind = "draw"

    def validate(self, obj: Any, value: Any) -> int:
        """Return ``value`` as an int or raise a ValueError that names it."""
        return check_count(value, self.name, least=1, most=999, bound="the last draw")

    def _more(self, explorer: Any) -> dict[str, Any]:
        return {"min": 1, "max": 999}


class ModelExplorer(Explorer, panels=["next", "parts", "map", "lens", "text"]):
    r"""Show what a language model makes of a sentence, beside the grammar that wrote its texts, if there is one.

    Type a sentence, or choose one. At any of its words there are the distribution of the next word (the model's and
    the true one), what every head looks at most, the weights of one head, and what the stream says after each block
    when it is read as the last one is (a logit lens). Silence heads and feed-forward layers and read what it costs;
    draw words and go on. Given another sentence, the ``donor``, the parts pressed are not silent: at the word asked
    they write what they write there in the donor (activation patching). The model's weights are rounded to half
    precision, in the page and here. A model of any text has no truth beside it: words are then tokens, and what is
    silenced costs what it moves the prediction.

    With ``written``, given here or in a preset, it writes instead: words are drawn one after the other, each by a
    number in [0, 1), its luck, which falls on a strip of the words from the likeliest down. The same luck at another
    temperature, or behind a cut, draws other words; those that the grammar cannot write are struck out.

    .. math:: D(p \,\|\, q) = \sum_v p_v \log \frac{p_v}{q_v}

    Parameters
    ----------
    model : LanguageModel or TextModel
        With the design of the shipped one: order "pre", layer norm, GELU, rotary positions, a tied unembedding.
    grammar : Grammar, optional
        Gives the truth; its vocabulary is the model's. A TextModel needs none, and takes none.
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
    place = _Place("The next word after", default=LONGEST, help="Where the prediction is made.")
    donor = TypedText(
        "Exchange with: another sentence",
        default="",
        wide=True,
        help="A part that is pressed writes what it writes in this sentence; without one it is silent.",
        first=True,
    )
    head = Choice(
        "Look through",
        lambda self: {part: _called(part) for part in self.parts if FEED_FORWARD not in part},
        bound="heads",
        help="The head whose weights are shown.",
    )
    temperature = temperature_slider()
    top_k = top_k_count(lambda self: self.words)
    top_p = top_p_slider()
    seed = _Draw(
        lambda self: "Draw the next word" if "written" in self.hidden else "Draw again",
        default=1,
        help="Which word is drawn: another number, another draw.",
    )
    silenced = _Parts("Silenced", default=[], help="Parts that write nothing into the stream.")
    written = Count(
        "Words written",
        most=lambda self: WRITTEN,
        bound="as many as fit",
        play=2,
        runs=False,
        help="How many words are drawn, one after the other.",
    )

    def __init__(
        self, model: LanguageModel | TextModel, grammar: Grammar | None = None, *, borrow: bool = False, **kit: Any
    ) -> None:
        self.reading = OfText(model) if grammar is None else OfGrammar(model, grammar)
        from regattn.transformer._halves import in_halves, packed  # torch: only where there is a model

        read = self.reading.model
        self.words, self.model, self.borrow = self.reading.words, in_halves(read), borrow
        a = read.architecture
        last = [*(str(head + 1) for head in range(a.n_heads)), FEED_FORWARD]
        self.parts = [f"{layer + 1}.{part}" for layer in range(a.layers) for part in last]
        alt = (
            f"A language model of {a.layers} blocks with {a.n_heads} heads each, on a sentence: the probabilities of "
            f"the next word{self.reading.beside}, what each head looks at, one head's weights, and what the stream "
            "says after each block."
        )
        data = {"model": packed(read)} | self.reading.data
        given = [kit, *(kit.get("presets") or {}).values()]
        hide = [*kit.pop("hide", ()), *([] if any(settings.get("donor") for settings in given) else ["donor"])]
        writes = any("written" in settings for settings in given)
        hide += ["place", "head", *self.panels[:-1]] if writes else ["written", "text"]
        super().__init__(**{"data": data, "alt": alt, "hide": hide} | kit)
        if writes:  # then the temperature stands in front; the sentence does so by itself
            front = {"temperature": True, "sentence": False}
            specs = [
                spec | {"first": front.get(spec["name"], spec.get("first", False))} for spec in self.kit["controls"]
            ]
            self.set_trait("kit", self.kit | {"controls": specs})

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            The words ``read``; at the place asked, ``truth`` (None where the grammar could not have written the
            beginning), ``model`` and ``drawn_from``, one probability for each word of the vocabulary;
            ``entropy_truth``, ``entropy_model``, the ``excess`` of this prediction and the ``cost`` of what is
            silenced, in nats; the share of the prediction that ``goes_over`` to words which may follow the ``donor``
            and not the sentence, None without a donor; the mean excess of all predictions of the sentence that have a
            truth, ``mean_excess``, and that of the whole model, ``mean_excess_whole``; the ``weights`` of the chosen
            head (T × T), the ``lens`` (V × (L + 1)), and the word that would be drawn, ``next_word``. Of a TextModel
            ``read`` is a list of tokens; in place of what needs a truth there are the divergence of the prediction from
            that of the whole model, ``cost``, and what a token of the text costs on average, ``surprisal`` and
            ``surprisal_whole``. Where it writes, the words ``written``, the ``luck`` of each, the probability that it
            was ``drawn_with``, how many words were ``possible`` there, and the grammar's ``true_shares``, -1 behind a
            word that it cannot write.
        """
        import torch

        from regattn.transformer.generation import next_token_distribution

        tokens = self.reading.tokens(self.sentence)
        at = min(self.place, len(tokens) - 1)
        trace, whole = self._read(tokens, at), self.model.trace(torch.tensor([tokens]))
        cuts = {name: getattr(self, name) for name in CUTS}
        q = torch.softmax(trace.logits[0, at], dim=-1).numpy()
        drawn_from = next_token_distribution(trace.logits[0, at], **cuts).numpy()
        layer, head = (int(part) - 1 for part in self.head.split("."))
        with torch.no_grad():
            lens = torch.softmax(self.model.unembedding(self.model.final_norm(trace.streams[:, 0, at])), dim=-1)
        beside = self._beside_text if isinstance(self.reading, OfText) else self._beside_truth
        return (
            beside(tokens, at, trace.logits[0], whole.logits[0])
            | {
                "model": q.tolist(),
                "drawn_from": drawn_from.tolist(),
                "entropy_model": _entropy(q),
                "weights": trace.weights[layer, 0, head].tolist(),
                "lens": lens.T.tolist(),
                "next_word": self.words[drawn_place(drawn_from, next(mulberry32(self.seed)))],
            }
            | ({} if "written" in self.hidden else self._written(tokens[: at + 1], cuts))
        )

    def _written(self, begun: list[int], cuts: dict[str, Any]) -> dict[str, Any]:
        """Return the words that are drawn behind a beginning, and how."""
        found = write(self._without(self.silenced), begun, count=self.written, seed=self.seed, cuts=cuts)
        truth = self.reading.truth(found.tokens) if isinstance(self.reading, OfGrammar) else [None] * len(found.tokens)
        drawn = found.tokens[len(begun) :]
        before = truth[len(begun) - 1 : -1]
        shares = [-1.0 if p is None else float(p[token]) for p, token in zip(before, drawn, strict=True)]
        return {
            "written": [self.words[token] for token in drawn],
            "luck": found.luck,
            "drawn_with": found.shares,
            "possible": found.possible,
            "true_shares": shares,
        }

    def _beside_truth(self, tokens: list[int], at: int, logits: Any, whole: Any) -> dict[str, Any]:
        """Return what compares the predictions with the grammar."""
        truth = self.reading.truth(tokens)
        loss, loss_whole = (_divergences(truth, found) for found in (logits, whole))
        p, q = truth[at], logits[at].softmax(-1).numpy()
        donor = self.reading.tokens(self.donor)
        there = self.reading.truth(donor)[min(at, len(donor) - 1)] if len(donor) > 1 else None
        over = None if p is None or there is None else float(q[(there > 0) & ~(p > 0)].sum())
        return {
            "read": " ".join(self.words[token] for token in tokens),
            "truth": None if p is None else p.tolist(),
            "entropy_truth": None if p is None else _entropy(p),
            "excess": loss[at],
            "cost": None if p is None else loss[at] - loss_whole[at],
            "goes_over": over,
            "mean_excess": float(np.mean([x for x in loss if x is not None])),
            "mean_excess_whole": float(np.mean([x for x in loss_whole if x is not None])),
        }

    def _beside_text(self, tokens: list[int], at: int, logits: Any, whole: Any) -> dict[str, Any]:
        """Return what compares the predictions with the text itself, and with those of the whole model."""
        import torch

        (cost,) = _divergences([torch.softmax(whole[at], dim=-1).numpy()], logits[at : at + 1])
        after = torch.tensor(tokens[1:])
        costs = [-torch.log_softmax(z[:-1], dim=-1).gather(-1, after[:, None]) for z in (logits, whole)]
        mean, mean_whole = (each.mean().item() if len(after) else None for each in costs)
        return {
            "read": [self.words[token] for token in tokens],
            "cost": cost if self.silenced else 0.0,
            "surprisal": mean,
            "surprisal_whole": mean_whole,
        }

    def _page_state(self) -> dict[str, Any]:
        """Return what a piece of a page holds, without the model where it is borrowed."""
        return self.state() | ({"data": None} if self.borrow else {})

    def _read(self, tokens: list[int], at: int) -> Any:
        """Return what the model makes of tokens with some parts silent, or exchanged at one place."""
        import torch

        donor, read = self.reading.tokens(self.donor), torch.tensor([tokens])
        if len(donor) == 1:
            return self._without(self.silenced).trace(read)
        other = torch.tensor([donor[: at + 1]])
        with exchanged(self.model, other, self.silenced, place=at):
            return self.model.trace(read)

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
