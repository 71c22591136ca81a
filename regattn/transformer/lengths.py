r"""The grid of chapter 17: five position schemes, trained at one length and asked at once, twice and four times that.

Three tasks. *Text* is real: the next character of a news story. In *copying* position is the whole answer: say which
token stood k places ago, among tokens drawn at random. In *sorting* it is no part of it: say the numbers you have read
in order, whatever place they stood at.

Letters: T is the length of training, B windows of a batch, a multiple m of T is a length a model is asked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn
from torch.nn import functional

from regattn._rng import Rng, seed_from
from regattn.data import load_lee_corpus
from regattn.transformer._plan import TrainingPlan
from regattn.transformer.language_model import Architecture, LanguageModel
from regattn.transformer.training import text_batches, train

__all__ = [
    "LengthTask",
    "length_scores",
    "length_task",
    "train_at_one_length",
]

MULTIPLES = (1, 2, 4)
SILENT = -100  # the target of a place that is not asked
BATCH, WINDOWS = 32, 512  # of training, and of a test
LATER = 2**31  # steps that no training reaches, for the tests


@dataclass(frozen=True, kw_only=True)
class LengthTask:
    """What is learned at one length, and asked at others.

    Parameters
    ----------
    vocabulary : int
        V.
    length : int
        T, tokens a model reads in training.
    batches : callable
        Step -> tokens and targets of shape (B, T); a target of −100 is not asked. The place at which the tokens begin
        may follow, where it is not 0.
    tests : mapping of int to pair of Tensors
        Multiple of T -> tokens and targets of that length.
    """

    vocabulary: int
    length: int
    batches: Callable[[int], tuple]
    tests: Mapping[int, tuple[Tensor, Tensor]]

    @property
    def longest(self) -> int:
        """The number of tokens in the longest window that is ever read."""
        return max(tokens.shape[1] for tokens, _ in self.tests.values())


def length_task(name: str, *, stories: Sequence[str] | None = None, rng: Rng = 0) -> LengthTask:
    """Return one of the three tasks of the grid, with batches of 32 windows.

    - "news": say the next character of a news story. T is 32; the last fifty stories are the test. Characters met fewer
      than twenty times in the others share one number.
    - "copying": say which token stood eight places ago, among tokens drawn from sixteen, all equally likely. Nothing
      but the distance tells which is meant. T is 32.
    - "sorting": read twelve different numbers below 64 and a token that ends them, then say them from the least to the
      greatest. T is 24; at twice the length there are twice as many numbers, from the same range.

    Of news and copying the last T / 2 places of 512 windows are asked, the same ones at every length: only what stands
    before them grows. Of sorting every number that is to be said is asked.

    Parameters
    ----------
    name : {"news", "copying", "sorting"}
        Which task.
    stories : sequence of str, optional
        Of the news; by default the 300 stories of :func:`regattn.data.load_lee_corpus`.
    rng : int or Generator, default 0
        What batches are drawn with, and the tests of the two that are made up.

    Returns
    -------
    LengthTask
        With tests at once, twice and four times the length of training.

    Raises
    ------
    ValueError
        If there is no such task.

    Examples
    --------
    >>> tokens, targets = length_task("copying").batches(0)
    >>> torch.equal(targets[:, 8:], tokens[:, :-8]), int(targets[0, 7])
    (True, -100)
    >>> {m: tokens.shape[1] for m, (tokens, _) in length_task("sorting").tests.items()}
    {1: 24, 2: 48, 4: 96}
    """
    if name not in TASKS:
        raise ValueError(f"name must be one of {', '.join(TASKS)}, got {name!r}")
    seed = seed_from(rng)
    if name == "news":
        return _news(load_lee_corpus() if stories is None else stories, seed)
    return TASKS[name](seed)


def _copying(seed: int, *, lag: int = 8, length: int = 32, symbols: int = 16) -> LengthTask:
    def draw(step: int, rows: int, width: int) -> tuple[Tensor, Tensor]:
        tokens = torch.from_numpy(np.random.default_rng([seed, step]).integers(0, symbols, size=(rows, width)))
        targets = torch.full_like(tokens, SILENT)
        targets[:, lag:] = tokens[:, :-lag]
        return tokens, targets

    tests = _last_places(*draw(LATER, WINDOWS, max(MULTIPLES) * length), length)
    return LengthTask(vocabulary=symbols, length=length, batches=lambda step: draw(step, BATCH, length), tests=tests)


def _sorting(seed: int, *, items: int = 12, largest: int = 64) -> LengthTask:
    def draw(step: int, rows: int, count: int) -> tuple[Tensor, Tensor]:
        keys = np.random.default_rng([seed, step]).random((rows, largest))
        read = keys.argsort(axis=1)[:, :count]
        said = np.sort(read, axis=1)
        tokens = np.concatenate([read, np.full((rows, 1), largest), said[:, :-1]], axis=1)
        targets = np.concatenate([np.full((rows, count), SILENT), said], axis=1)
        return torch.from_numpy(tokens), torch.from_numpy(targets)

    tests = {m: draw(LATER + m, WINDOWS, m * items) for m in MULTIPLES}
    length = 2 * items
    return LengthTask(vocabulary=largest + 1, length=length, batches=lambda step: draw(step, BATCH, items), tests=tests)


def _news(stories: Sequence[str], seed: int, *, held_out: int = 50, length: int = 32) -> LengthTask:
    before, after, vocabulary = _letters(stories, held_out)
    windows = text_batches(before, batch_size=BATCH, context=length, rng=seed)
    longest = max(MULTIPLES) * length
    ends = np.linspace(longest, len(after) - 1, WINDOWS).astype(int)
    asked = torch.from_numpy(after[ends[:, None] + np.arange(-longest, 1)])
    return LengthTask(
        vocabulary=vocabulary,
        length=length,
        batches=lambda step: (windows(step)[:, :-1], windows(step)[:, 1:]),
        tests=_last_places(asked[:, :-1], asked[:, 1:], length),
    )


def _letters(stories: Sequence[str], held_out: int = 50) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the characters of the stories to learn from and of those to test on, as numbers below the third, V."""
    before, after = "\n".join(stories[:-held_out]), "\n".join(stories[-held_out:])
    known = sorted(character for character, n in Counter(before).items() if n >= 20)
    alphabet = {character: i for i, character in enumerate(known, start=1)}
    first, second = (np.array([alphabet.get(character, 0) for character in text]) for text in (before, after))
    return first, second, len(alphabet) + 1


TASKS = {"news": _news, "copying": _copying, "sorting": _sorting}


def _last_places(tokens: Tensor, targets: Tensor, length: int) -> dict[int, tuple[Tensor, Tensor]]:
    """Return windows of every length that end alike, of which the last T / 2 places are asked."""
    targets = targets.clone()
    targets[:, : -(length // 2)] = SILENT
    return {m: (tokens[:, -m * length :], targets[:, -m * length :]) for m in MULTIPLES}


def train_at_one_length(
    task: LengthTask, positions: str, *, steps: int, peak: float = 2e-3, base: float = 10_000.0, rng: Rng = 0
) -> tuple[LanguageModel, pd.DataFrame]:
    """Return a small model that has read nothing longer than T, and the history of its training.

    Two blocks of width 64 with four heads. A learned table gets a row for every place that will be asked, of which
    training reaches the first T only.

    Parameters
    ----------
    task : LengthTask
        What is learned.
    positions : {"none", "sinusoidal", "learned", "rotary", "alibi"}
        How a place is told.
    steps : int
        Updates of the weights, one for each batch of the task.
    peak : float, default 0.002
        Largest learning rate.
    base : float, default 10000
        b of rotary positions.
    rng : int or Generator, default 0
        Draws the starting weights.

    Returns
    -------
    model : LanguageModel
        Trained.
    history : DataFrame
        As of :func:`train`.

    Examples
    --------
    >>> model, history = train_at_one_length(length_task("copying"), "rotary", steps=2)
    >>> model.architecture.context, list(history.index)
    (32, [2])
    """
    context = task.longest if positions == "learned" else task.length
    design = Architecture(
        vocabulary=task.vocabulary, layers=2, context=context, width=64, n_heads=4, positions=positions, base=base
    )
    model = LanguageModel(design, rng=rng)
    plan = TrainingPlan(steps=steps, peak=peak, warmup=steps // 10, final=0.05, weight_decay=0.01)
    return model, train(model, task.batches, plan, loss=_asked_loss)


def _asked_loss(model: nn.Module, batch: tuple) -> Tensor:
    """Return the cross-entropy of the places that are asked, in nats."""
    tokens, targets, *start = batch
    scores = model(tokens, start=start[0]) if start else model(tokens)
    return functional.cross_entropy(scores.flatten(0, 1), targets.flatten(), ignore_index=SILENT)


@torch.no_grad()
def length_scores(model: nn.Module, task: LengthTask) -> pd.DataFrame:
    """Return, for each multiple of T, the loss in nats and the share of answers that are right.

    Examples
    --------
    >>> copy = lambda tokens: 50.0 * functional.one_hot(tokens.roll(8, dims=1), 16)
    >>> length_scores(copy, length_task("copying"))["right"].to_dict()
    {1: 1.0, 2: 1.0, 4: 1.0}
    """
    rows = {}
    for m, (tokens, targets) in task.tests.items():
        parts = [(model(t), y) for t, y in zip(tokens.split(64), targets.split(64), strict=True)]
        logits = torch.cat([scores[y != SILENT] for scores, y in parts])
        truth = torch.cat([y[y != SILENT] for _, y in parts])
        rows[m] = {
            "loss": functional.cross_entropy(logits, truth).item(),
            "right": (logits.argmax(-1) == truth).float().mean().item(),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("multiple")
