"""A language model of text: a tokeniser and the model of its tokens, trained on a file, kept in a file."""

from __future__ import annotations

import copy
import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from tokenizers import Tokenizer
from torch import Tensor

from regattn._rng import Rng, seed_from, torch_generator
from regattn._text import check_text
from regattn._validation import check_count
from regattn.transformer._text_files import Parts, check_known, parted, read_text, unknown_token
from regattn.transformer._text_scores import counting_scores, surprisals
from regattn.transformer.checkpoints import load_model, save_model
from regattn.transformer.generation import generate, next_token_distribution
from regattn.transformer.language_model import Architecture, LanguageModel
from regattn.transformer.training import TrainingPlan, text_batches, train
from regattn.words.tokens import train_tokenizer

__all__ = ["TextModel"]

SPACES = ("Ġ", "▁")  # how tokenisers write the space before a word


class TextModel:
    r"""A tokeniser and the language model of its tokens: text in, text out.

    Before every text the model reads a line break, :attr:`start`, so that its first token has a probability too.

    Parameters
    ----------
    tokenizer : tokenizers.Tokenizer
        Such as :func:`regattn.words.train_tokenizer` makes.
    model : LanguageModel
        Of as many tokens as the tokeniser has.
    card : dict, optional
        Where it comes from: anything JSON can hold. Of a model that :meth:`train_on` made it has the history and the
        scores.

    Raises
    ------
    ValueError
        If one of the two is of another make, or they differ in their number of tokens.

    Examples
    --------
    >>> small = {"vocabulary": 260, "context": 8, "width": 8, "layers": 1, "n_heads": 2}
    >>> model = TextModel.train_on(text="to be or not to be, that is the question. " * 9, steps=4, **small)
    >>> written = model.generate("to be", 5, rng=1)
    >>> written[:5], len(model.tokenizer.encode(written).ids) > 2
    ('to be', True)
    """

    def __init__(self, tokenizer: Tokenizer, model: LanguageModel, *, card: dict[str, Any] | None = None) -> None:
        if not isinstance(tokenizer, Tokenizer):
            raise ValueError(f"tokenizer must be a tokenizers.Tokenizer, got {type(tokenizer).__name__}")
        if not isinstance(model, LanguageModel):
            raise ValueError(f"model must be a LanguageModel, got {type(model).__name__}")
        theirs, ours = tokenizer.get_vocab_size(), model.architecture.vocabulary
        if theirs != ours:
            raise ValueError(f"the tokeniser has {theirs} tokens, but the model {ours}")
        self.tokenizer, self.model, self.card = tokenizer, model, dict(card or {})

    @classmethod
    def train_on(  # noqa: PLR0913 - what a reader may want to turn, each with a default that does
        cls,
        path: str | os.PathLike | None = None,
        *,
        text: str | None = None,
        steps: int = 500,
        vocabulary: int = 512,
        kind: str = "bytes",
        context: int = 128,
        width: int = 128,
        layers: int = 2,
        n_heads: int = 4,
        batch_size: int = 8,
        peak: float = 3e-3,
        held_out: float = 0.1,
        encoding: str = "utf-8",
        rng: Rng = 0,
        progress: bool = False,
    ) -> TextModel:
        """Return a model of a text: a tokeniser that learned from it, and a transformer that was trained on it.

        The last part of the text is held out. One half of that says where to stop: of ten moments of the training the
        one is kept whose weights cost it the fewest bits. The other half gives :meth:`scores`, beside those of models
        that only count.

        Parameters
        ----------
        path : path, optional
            A text file.
        text : str, optional
            The text itself, in place of a file.
        steps : int, default 500
            Updates of the weights.
        vocabulary, kind : int, {"bytes", "characters", "unigram"}
            As in :func:`regattn.words.train_tokenizer`; of a short text there may be fewer tokens.
        context, width, layers, n_heads : int
            As in :class:`Architecture`; all else is as the pages of the book can read it, with rotary positions.
        batch_size : int, default 8
            Stretches of the text in a step, each of ``context`` tokens.
        peak : float, default 3e-3
            Largest learning rate, as in :class:`TrainingPlan`.
        held_out : float, default 0.1
            Share of the text, from 0 to 0.5; with 0 all steps are taken and nothing is scored.
        encoding : str, default "utf-8"
            Of the file.
        rng : int or Generator, default 0
            For the weights at the start and the order of the stretches.
        progress : bool, default False
            Whether to show a progress bar.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If the text is empty or shorter than the context, the file is in another encoding, the held-out part has a
            character that the tokeniser does not know, or a setting is out of range.
        """
        parts = parted(read_text(path, text=text, encoding=encoding), held_out)
        tokenizer = train_tokenizer([parts.train], vocabulary=vocabulary, kind=kind)
        V = tokenizer.get_vocab_size()
        sizes = {"context": context, "width": width, "layers": layers, "n_heads": n_heads}
        seed = seed_from(rng)
        made = cls(tokenizer, LanguageModel(Architecture(vocabulary=V, positions="rotary", **sizes), rng=seed))
        tokens = made._check_parts(parts)
        every = max(1, check_count(steps, "steps") // 10)
        plan = TrainingPlan(steps=steps, peak=peak, warmup=min(20, steps // 2), evaluate_every=every, progress=progress)
        batches = text_batches(tokens, batch_size=batch_size, context=context, rng=seed)
        history = made._train(batches, plan, parts.watch)
        name = "text" if path is None else Path(path).name
        made.card = {"text": name, "characters": len(parts.train), "history": _rows(history)}
        if parts.test:
            cut = [made._encoded(part, "text")[0].tolist() for part in (parts.train, parts.test)]
            counted = counting_scores(*cut, V, train=parts.train, test=parts.test)
            made.card["scores"] = {"transformer": made.bits_per_byte(parts.test)} | counted
        return made

    def __repr__(self) -> str:
        a, scores = self.model.architecture, self.card.get("scores", {})
        held = f", {scores['transformer']:.2f} bits per byte held out" if "transformer" in scores else ""
        return f"TextModel({a.vocabulary} tokens, {a.layers} layers of width {a.width}{held})"

    @property
    def start(self) -> int:
        """The token that the model reads before a text: a line break; the first token where there is none."""
        found = self.tokenizer.encode("\n").ids
        return found[0] if len(found) == 1 and found[0] != unknown_token(self.tokenizer) else 0

    def generate(
        self,
        prompt: str = "",
        n_new: int = 50,
        *,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        rng: Rng = 0,
    ) -> str:
        """Return a text continued by ``n_new`` tokens drawn from the model.

        It reads at most as many tokens as it was trained on: where a text outgrows the context, its beginning is
        forgotten. A space at the end of ``prompt`` is written, and belongs to the word that follows.

        Parameters
        ----------
        prompt : str, default ""
            What the text begins with.
        n_new : int, default 50
            Tokens to draw.
        temperature, top_k, top_p
            As in :func:`next_token_distribution`.
        rng : int or Generator, default 0
            Seed or source of chance; with a seed a call repeats.

        Raises
        ------
        ValueError
            If the prompt has a character that the tokeniser does not know, or a setting is out of range.
        """
        n_new = check_count(n_new, "n_new")
        check_text(prompt, "prompt")
        generator, cuts = torch_generator(rng), {"temperature": temperature, "top_k": top_k, "top_p": top_p}
        words = self._begins_words() if prompt.endswith(" ") and not prompt.endswith("  ") else []
        tokens = self._encoded(prompt[:-1] if words else prompt, "prompt")
        wanted = tokens.shape[1] + n_new
        if words:
            tokens = self._with_word(tokens, torch.tensor(words, device=tokens.device), generator, cuts)
        context = self.model.architecture.context
        while tokens.shape[1] < wanted:
            kept = tokens if wanted <= context + 1 else tokens[:, -max(1, context // 2) :]
            room = min(context - kept.shape[1] + 1, wanted - tokens.shape[1])
            tokens = torch.cat([tokens, generate(self.model, kept, room, rng=generator, **cuts)[:, -room:]], dim=1)
        return self.tokenizer.decode(tokens[0, 1:].tolist())

    def bits_per_byte(self, text: str) -> float:
        r"""Return what a text costs in bits, divided by its bytes: smaller is better, 8 is no model at all.

        .. math:: -\frac{1}{\text{bytes}} \sum_t \log_2 P(w_t \mid w_{t-c}, \dots, w_{t-1})

        Where the text is longer than the context, it is read in stretches that overlap by half, and of each only the
        later half counts. It can be compared across tokenisers (:eq:`bits-per-byte`).

        Raises
        ------
        ValueError
            If the text is empty or has a character that the tokeniser does not know.
        """
        tokens = self._encoded(text, "text")
        if tokens.shape[1] < 2:
            raise ValueError("text must have at least one token, got an empty text")
        return float(surprisals(self.model, tokens[0]).sum()) / math.log(2) / len(text.encode())

    def scores(self) -> pd.DataFrame:
        """Return what the held-out text costs by this model and by models that only count, in bits per byte.

        Returns
        -------
        DataFrame
            A row for the transformer, and for n-gram models (:func:`regattn.words.count_ngrams`) of the same tokens
            and of single bytes, all of which learned from the same part of the text; column ``bits_per_byte``.

        Raises
        ------
        ValueError
            If nothing was held out, or the model was not made by :meth:`train_on`.
        """
        if "scores" not in self.card:
            raise ValueError("nothing was held out when this model was trained; bits_per_byte scores any text")
        return pd.DataFrame({"bits_per_byte": self.card["scores"]}).rename_axis("model")

    def history(self) -> pd.DataFrame:
        """Return how the training went: a row for each evaluation, as :func:`train` has it.

        Raises
        ------
        ValueError
            If the model was not made by :meth:`train_on`.
        """
        if "history" not in self.card:
            raise ValueError("this model was not made by train_on: its card has no history")
        return pd.DataFrame(self.card["history"]).set_index("step")

    def save(self, path: str | os.PathLike) -> None:
        """Write tokeniser, model and card to one file, as :func:`save_model` does: whole or not at all.

        Raises
        ------
        ValueError
            If the model could not be loaded again, or the card holds what JSON cannot.
        FileNotFoundError
            If the folder does not exist.
        """
        card = {"tokenizer": json.loads(self.tokenizer.to_str()), "card": self.card}
        save_model(self.model, path, card=card)

    @classmethod
    def load(cls, path: str | os.PathLike) -> TextModel:
        """Return what :meth:`save` wrote.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If the file is damaged, altered, or has no tokeniser.
        """
        model, card = load_model(path)
        if not isinstance(card, dict) or not {"tokenizer", "card"} <= card.keys():
            raise ValueError(f"{Path(path).name} holds a language model without tokeniser; load_model reads it")
        try:
            tokenizer = Tokenizer.from_str(json.dumps(card["tokenizer"]))
        except Exception as error:  # the library raises nothing narrower
            raise ValueError(f"{Path(path).name} has a tokeniser that cannot be read: {error}") from error
        return cls(tokenizer, model, card=card["card"])

    def _encoded(self, text: str, name: str) -> Tensor:
        """Return the start and the tokens of a text, shape (1, T + 1), where the model is."""
        ids = [self.start, *check_known(self.tokenizer, text, name).tolist()]
        return torch.tensor([ids], device=self.model.embedding.weight.device)

    def _begins_words(self) -> list[int]:
        """Return the tokens that begin with a space, which is how a word after a space is written."""
        named = ((i, self.tokenizer.id_to_token(i)) for i in range(self.tokenizer.get_vocab_size()))
        return [i for i, token in named if token and token.startswith(SPACES)]

    def _with_word(self, tokens: Tensor, words: Tensor, generator: torch.Generator, cuts: dict[str, Any]) -> Tensor:
        """Return a text and one more token, drawn from those that begin with a space."""
        with torch.no_grad():
            logits = self.model(tokens[:, -self.model.architecture.context :])[0, -1, words]
        if cuts["top_k"] is not None:
            check_count(cuts["top_k"], "top_k", most=self.model.architecture.vocabulary, bound="the vocabulary")
            cuts = cuts | {"top_k": min(cuts["top_k"], len(words))}
        drawn = torch.multinomial(next_token_distribution(logits, **cuts).cpu(), 1, generator=generator)
        return torch.cat([tokens, words[drawn][None]], dim=1)

    def _check_parts(self, parts: Parts) -> np.ndarray:
        """Return the tokens to train on; raise, before a step is taken, if there are too few or too strange ones."""
        context = self.model.architecture.context
        for part in parts[1:]:
            check_known(self.tokenizer, part, "the held-out text")
        tokens = check_known(self.tokenizer, parts.train, "text")
        if len(tokens) <= context:
            raise ValueError(
                f"the text has {len(tokens)} tokens to train on, and a context of {context} needs more; "
                "give a smaller context= or a longer text"
            )
        if parts.test and not (parts.test.strip() and parts.watch.strip()):
            raise ValueError(f"the text is too short to hold some of it out: {len(parts.test)} characters were left")
        return tokens

    def _train(self, batches: Any, plan: TrainingPlan, watch: str) -> pd.DataFrame:
        """Train, and keep the weights that cost the watched text the fewest bits; return the history."""
        if not watch:
            return train(self.model, batches, plan)
        best: dict[str, Any] = {"bits": math.inf}

        def evaluate(model: LanguageModel) -> dict[str, float]:
            bits = self.bits_per_byte(watch)
            if bits < best["bits"]:
                best.update(bits=bits, weights=copy.deepcopy(model.state_dict()))
            return {"bits_per_byte": bits}

        history = train(self.model, batches, plan, evaluate=evaluate)
        self.model.load_state_dict(best["weights"])
        return history


def _rows(history: pd.DataFrame) -> list[dict[str, float]]:
    return history.reset_index().to_dict("records")
