"""The training that a TrainingExplorer shows, by the package: the same draws, steps and judgements as walk.js has."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from regattn.transformer._by_hand import Adam, Sizes, Weights, first_weights, heads_weights, logits, loss_and_gradient
from regattn.widgets._kit.page_rng import drawn_place, mulberry32
from regattn.words.ngrams import count_ngrams

__all__ = ["Task", "Walk", "expected", "grammar_task", "text_task", "walk", "written_on"]

HELD = 2026  # the seed of held-out sentences; here as in tasks.js
SAYS = 7  # sets the chance of samples apart from that of batches; as in walk.js
LOW = 0xFFFFFFFF


class Task(NamedTuple):
    """What is learned."""

    vocabulary: int
    batch: Callable[[int, int], np.ndarray]
    held: np.ndarray
    cost: Callable[[np.ndarray], float]
    begin: list[int]
    end: int | None
    longest: int
    looked: np.ndarray
    rungs: list[float]
    text: Callable[[list[int]], str]
    lawful: Callable[[list[int]], int]
    copied: Callable[..., int]
    begun: Callable[[str], list[int]]
    own: np.ndarray | None = None
    counted: Callable[[list[int]], np.ndarray] | None = None


class Walk(NamedTuple):
    """Where a training has come to, and what was seen on its way."""

    weights: Weights
    loss: float
    losses: list[float]
    learnt: list[float]
    samples: list[list[int]]
    likeliest: list[list[int]]
    on_men: list[float]


def chance_at(seed: int, step: int) -> Iterator[float]:
    """Return the numbers in [0, 1) of one step of one seed."""
    return mulberry32(((seed * 0x9E3779B1) & LOW) ^ (((step + 1) * 0x85EBCA6B) & LOW))


def grammar_task(data: dict[str, Any]) -> Task:
    """Return the task of the grammar's sentences, whose truth is known."""
    table, T, V = data["states"], data["length"], len(data["words"])
    shares = [np.array([p for _, p, _ in row]) for row in table]

    def drawn(chance: Iterator[float], rows: int) -> tuple[np.ndarray, np.ndarray]:
        tokens, after = np.zeros((rows, T + 1), dtype=int), np.zeros((rows, T + 1), dtype=int)
        for b in range(rows):
            for t in range(1, T + 1):
                row = after[b, t - 1]
                tokens[b, t], _, after[b, t] = table[row][drawn_place(shares[row], next(chance))]
        return tokens, after

    held, after = drawn(mulberry32(HELD), data["held"])
    truth = _truth(table, after[:, :-1], V)
    certain = np.log(np.where(truth > 0, truth, 1))
    return Task(
        vocabulary=V,
        batch=lambda seed, step: drawn(chance_at(seed, step), data["batch"])[0],
        held=held,
        cost=lambda log_q: data["floor"] + float((truth * (certain - log_q)).sum(-1).mean()),
        begin=[0],
        end=0,
        longest=T,
        looked=np.array(data["looked"]),
        rungs=[level for _, level in data["rungs"]],
        text=lambda tokens: " ".join(data["words"][token] for token in tokens[1:]),
        lawful=lambda words: _lawful(table, words),
        copied=lambda _: 0,
        begun=lambda _: [],
    )


def _truth(table: list[list[list]], after: np.ndarray, V: int) -> np.ndarray:
    """Return the distribution of the next word in each state, shape (B, T, V)."""
    truth = np.zeros((*after.shape, V))
    for place in np.ndindex(after.shape):
        for word, p, _ in table[after[place]]:
            truth[*place, word] = p
    return truth


def _lawful(table: list[list[list]], words: list[int]) -> int:
    """Return how many words of a sentence the grammar can have written, up to the first that it cannot."""
    state = 0
    for k, word in enumerate(words):
        step = next((step for step in table[state] if step[0] == word), None)
        if step is None:
            return k
        state = step[2]
    return len(words)


def text_task(data: dict[str, Any], text: str) -> Task:
    """Return the task of the bytes of a text, of which the last tenth is held out."""
    found = np.frombuffer(text.encode(), dtype=np.uint8)
    known, tokens = np.unique(found, return_inverse=True)
    V, T = len(known), data["length"]
    cut = len(tokens) - max(T + 1, len(tokens) // 10)
    windows = min(data["held"], (len(tokens) - cut - 1) // T)
    held = np.array([tokens[cut + b * T : cut + (b + 1) * T + 1] for b in range(windows)])
    own = np.array([tokens[b * T : (b + 1) * T + 1] for b in range(min(data["held"], (cut - 1) // T))])

    def batch(seed: int, step: int) -> np.ndarray:
        chance = chance_at(seed, step)
        starts = [int(next(chance) * (cut - T)) for _ in range(data["batch"])]
        return np.array([tokens[start : start + T + 1] for start in starts])

    def begun(text: str) -> list[int]:
        read = "".join(char for char in text if all(byte in known for byte in char.encode()))
        numbers = np.searchsorted(known, np.frombuffer(read.encode(), dtype=np.uint8))
        return numbers[-(T - data["written"] + data["given"]) :].tolist()

    def counted(order: int) -> float:
        model = count_ngrams(tokens[:cut], order=order, vocabulary=V)
        nats = model.surprisals(tokens[cut - order : cut + windows * T + 1])
        return float(nats[-windows * T :].mean()) / math.log(2)

    return Task(
        vocabulary=V,
        batch=batch,
        held=held,
        cost=lambda log_q: _bits(log_q, held),
        begin=tokens[: data["given"]].tolist(),
        end=None,
        longest=data["written"],
        looked=tokens[cut : cut + data["shown"]],
        rungs=[counted(order) for order in data["orders"]],
        text=lambda tokens: bytes(known[token] for token in tokens).decode(errors="replace"),
        lawful=len,
        copied=lambda written, given=data["given"]: _copied(bytes(written[given:]), bytes(tokens[:cut].tolist())),
        begun=begun,
        own=own,
        counted=count_ngrams(tokens[:cut], order=max(data["orders"]), vocabulary=V).probabilities,
    )


def _bits(log_q: np.ndarray, rows: np.ndarray) -> float:
    return -float(np.take_along_axis(log_q, rows[:, 1:, None], -1).mean()) / math.log(2)


def _copied(written: bytes, learned: bytes) -> int:
    """Return the length of the longest piece of what was written that stands in the text that is learned."""
    longest = 0
    for begin in range(len(written)):
        while begin + longest < len(written) and written[begin : begin + longest + 1] in learned:
            longest += 1
    return longest


def walk(task: Task, data: dict[str, Any], *, seed: int, learning_rate: float, step: int) -> Walk:
    """Return the training after ``step`` steps."""
    sizes = Sizes(task.vocabulary, *(data[name] for name in Sizes._fields[1:]))
    weights = first_weights(sizes, mulberry32(seed))
    adam, steps, rise = Adam(weights), data["steps"], data["rise"]
    losses, learnt = [_judged(sizes, weights, task)], _learnt(sizes, weights, task)
    samples, on_men = [_written(sizes, weights, task, chance_at(SAYS * seed, 0))], _on_men(data, weights, task)
    likeliest = _surest(sizes, weights, task)
    for t in range(step):
        _, gradient = loss_and_gradient(sizes, weights, task.batch(seed, t))
        adam.move(weights, gradient, learning_rate * min((t + 1) / rise, (steps - t) / (steps - rise)))
        if (t + 1) % data["every"] == 0:
            losses.append(_judged(sizes, weights, task))
            learnt += _learnt(sizes, weights, task)
            on_men += _on_men(data, weights, task)
        if (t + 1) % data["says"] == 0:
            samples.append(_written(sizes, weights, task, chance_at(SAYS * seed, t + 1)))
            likeliest += _surest(sizes, weights, task)
    return Walk(weights, _judged(sizes, weights, task), losses, learnt, samples, likeliest, on_men)


def head_map(task: Task, data: dict[str, Any], weights: Weights, head: int) -> np.ndarray:
    """Return one head's weights on the tokens of the attention picture; heads are counted from 1 through the blocks."""
    sizes = Sizes(task.vocabulary, *(data[name] for name in Sizes._fields[1:]))
    layer, number = divmod(head - 1, sizes.n_heads)
    return heads_weights(sizes, weights, task.looked[None])[layer][0, number]


def answered(task: Task, data: dict[str, Any], weights: Weights) -> np.ndarray:
    """Return the probabilities of the next word behind the sentence that is asked."""
    sizes = Sizes(task.vocabulary, *(data[name] for name in Sizes._fields[1:]))
    return np.exp(_log_q(logits(sizes, weights, np.array([data["asked"]]))[0, -1]))


def expected(task: Task, data: dict[str, Any], weights: Weights, behind: list[int]) -> list[list[float]]:
    """Return the probabilities of the next byte by the model and by counting, and what each byte held out costs."""
    if task.counted is None:
        return [[], [], []]
    sizes = Sizes(task.vocabulary, *(data[name] for name in Sizes._fields[1:]))
    following = np.exp(_log_q(logits(sizes, weights, np.array([behind]))[0, -1]))
    first = task.held[:1]
    bits = _log_q(logits(sizes, weights, first[:, :-1]))[0, np.arange(data["length"]), first[0, 1:]] / -math.log(2)
    return [following.tolist(), task.counted(behind).tolist(), bits.tolist()]


def _on_men(data: dict[str, Any], weights: Weights, task: Task) -> list[float]:
    """Return how probable all men together are behind the sentence that is asked, nothing of a text."""
    return [float(answered(task, data, weights)[data["men"]].sum())] if "asked" in data else []


def _judged(sizes: Sizes, weights: Weights, task: Task) -> float:
    return task.cost(_log_q(logits(sizes, weights, task.held[:, :-1])))


def _learnt(sizes: Sizes, weights: Weights, task: Task) -> list[float]:
    """Return the loss on some of the text that is learned, nothing where no text comes twice."""
    return [] if task.own is None else [_bits(_log_q(logits(sizes, weights, task.own[:, :-1])), task.own)]


def written_on(
    task: Task, data: dict[str, Any], weights: Weights, begun: list[int], *, seed: int | None, step: int
) -> list[int]:
    """Return what is written behind the tokens ``begun``, by the chance of the sample at ``step``, or the likeliest."""
    sizes = Sizes(task.vocabulary, *(data[name] for name in Sizes._fields[1:]))
    chance = None if seed is None else chance_at(SAYS * seed, step)
    longest = len(begun) + task.longest - len(task.begin)
    return _written(sizes, weights, task._replace(begin=begun, longest=longest), chance)


def _written(sizes: Sizes, weights: Weights, task: Task, chance: Iterator[float] | None) -> list[int]:
    """Return a sample: each token drawn, or without chance the likeliest."""
    tokens = list(task.begin)
    while len(tokens) < task.longest:
        q = np.exp(_log_q(logits(sizes, weights, np.array([tokens]))[0, -1]))
        tokens.append(int(q.argmax()) if chance is None else drawn_place(q, next(chance)))
        if tokens[-1] == task.end:
            break
    return tokens


def _surest(sizes: Sizes, weights: Weights, task: Task) -> list[list[int]]:
    """Return the sample of the likeliest tokens, of a text alone."""
    return [] if task.own is None else [_written(sizes, weights, task, None)]


def _log_q(scores: np.ndarray) -> np.ndarray:
    scores = scores - scores.max(axis=-1, keepdims=True)
    return scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))
