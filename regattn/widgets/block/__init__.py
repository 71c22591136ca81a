"""The BlockExplorer: one sentence through one transformer block, with what every number is made of."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any

import numpy as np

from regattn._types import Table
from regattn.attention import attend, attention_weights
from regattn.from_scratch import layer_norm, softmax
from regattn.widgets._kit import Choice, Count, Explorer
from regattn.widgets._kit.page_rng import mulberry32
from regattn.widgets.block._controls import Nudges, OneOf
from regattn.widgets.block._given import BY_HAND, check_known, check_sentence, check_steps, check_written

__all__ = ["BlockExplorer"]

WIDTHS, HEADS = [8, 16], [1, 2, 4]
SEEDS = {"words": 11, "places": 12, "Q": 21, "K": 22, "V": 23, "O": 24, "1": 31, "2": 32}
STEPS = {
    "embedding": "words and places",
    "norm_1": "first norm",
    "queries": "queries",
    "keys": "keys",
    "values": "values",
    "scores": "scores",
    "mask": "mask",
    "weights": "weights",
    "average": "averages of one head",
    "output": "all heads, mixed",
    "add_1": "stream after attention",
    "norm_2": "second norm",
    "hidden": "feed-forward: hidden",
    "back": "feed-forward: written",
    "add_2": "stream after feed-forward",
}
HEAD_STEPS = [*BY_HAND, "scores", "mask", "weights", "average"]
AROUND = ["sentence", "order", "width", "n_heads", "head", "out", "nudges", "positions", "layers"]
AROUND += ["says", "row", "flow", "counts"]
"""What one head by hand has not."""
FIXED = ["order", "width", "positions"]  # as which the small block was trained
STOPS = ["embedding", "add_1", "add_2"]  # where its stream is asked for the next word
LAYERS = [1, 2, 3, 6, 12, 24, 48, 96]


class BlockExplorer(Explorer, panels=["says", "numbers", "flow", "row", "counts"]):
    r"""Show one sentence on its way through one transformer block, a step at a time.

    Choose a step in the drawing or the list; point at a number to see the products that it is made of, and what each
    part adds to the row of its word. The order of the norms, the width, the heads and the positions can be changed, a
    part can be taken out, and a table counts what a model of such blocks has in parameters. The weights are drawn by
    chance, or trained; there are no intercepts, and the hidden width is 4D, with max(0, ·).

    .. math:: u = r + A(N_1 r), \qquad u + F(N_2 u) \qquad (\text{pre})

    Parameters
    ----------
    words : sequence of at most 8 strings
        The sentence; equal words have equal vectors.
    others : sequence of such sequences, optional
        Sentences that can be chosen in its place.
    trained : bool, default False
        Weights of a block that was trained on sentences of eight words, such as "the dogs near the gate are", by
        ``tools/train_small_block.py``, in place of weights by chance. It has the order *pre*, D = 8 and no positions,
        and its stream can be asked for the next word.
    steps : sequence of str, optional
        The steps that the list offers, in its order: "embedding", "queries", "weights" and so on; by default all. The
        drawing has all of them, so a page that leaves some out hides it.
    written : mapping of "queries", "keys" and "values" to array or DataFrame of shape (T, d), optional
        One head written by hand, in place of drawn weights, with a row for each word; columns go by the names of a
        DataFrame. The steps are then those of this head, and all else is hidden.

    Raises
    ------
    ValueError
        If there are no words or too many, a setting is out of range, or what is written has another shape, an entry
        that is not finite, or steps that it does not have.

    Examples
    --------
    >>> explorer = BlockExplorer(["the", "dogs", "sleep"], step="weights")
    >>> [round(sum(row), 6) for row in explorer.result()["values"]]
    [1.0, 1.0, 1.0]
    >>> explorer.result()["feed_forward"] == 8 * 8**2
    True
    """

    hides_unused = True  # each step has controls of its own
    sentence = Count(
        "Sentence",
        most=lambda self: len(self.sentences) - 1,
        bound="the last sentence",
        names="called",
        menu=True,
        help="What is read.",
        first=True,
    )
    step = Choice(
        "Step",
        lambda self: {step: "words" if self.trained and step == "embedding" else STEPS[step] for step in self.steps},
        bound="steps",
        help="After which step the numbers are shown.",
        first=True,
    )
    order = Choice(
        "Order of the norms",
        {"pre": "pre: norm, then read", "post": "post: add, then norm", "parallel": "parallel: both read one norm"},
        help="Where the norms stand.",
    )
    width = OneOf(
        "Width D",
        least=WIDTHS[0],
        most=lambda self: WIDTHS[-1],
        bound="the widest",
        stops=lambda self: WIDTHS,
        help="The numbers of each word in the stream.",
    )
    n_heads = OneOf(
        "Heads H",
        least=1,
        most=lambda self: HEADS[-1],
        default=2,
        bound="the most",
        stops=lambda self: HEADS,
        help="Each has d = D / H of the coordinates.",
    )
    head = Count(
        "Head shown",
        least=1,
        most=lambda self: HEADS[-1],
        bound="the most heads",
        used={"step": HEAD_STEPS},
        help="Where steps have heads.",
    )
    out = Choice(
        "Take out",
        {"nothing": "nothing", "attention": "attention", "feed-forward": "feed-forward"},
        help="What then adds nothing to the stream.",
    )
    nudges = Nudges(
        "Added to a score",
        help="What is added to single scores: '1 5 2' is head 1, where word 5 asks word 2; from -6 to 6.",
    )
    positions = Choice(
        "Positions",
        {
            "none": "none",
            "learned": "learned, added to words",
            "sinusoidal": "waves, added to words",
            "rotary": "rotary: queries and keys turned",
        },
        help="How a word's place enters.",
    )
    layers = OneOf(
        "Blocks L",
        least=1,
        most=lambda self: LAYERS[-1],
        bound="the most",
        stops=lambda self: LAYERS,
        help="For the count of parameters.",
    )

    def __init__(
        self,
        words: Sequence[str],
        *,
        steps: Sequence[str] | None = None,
        written: Mapping[str, Table] | None = None,
        others: Sequence[Sequence[str]] = (),
        trained: bool = False,
        **kit: Any,
    ) -> None:
        self.sentences = [check_sentence(some) for some in (words, *others)]
        self.words = self.sentences[0]
        self.known = list(dict.fromkeys(word for some in self.sentences for word in some))
        self.trained = _trained() if trained else None
        if self.trained is not None:
            self.known = check_known(self.known, self.trained["words"])
            kit["hide"] = [*FIXED, *kit.get("hide", ())]
        elif written is None:
            kit["hide"] = ["says", "nudges", *kit.get("hide", ())]  # chance says nothing
        self.written, names = check_written(written, len(self.words))
        self.steps = check_steps(steps, list(STEPS) if written is None else HEAD_STEPS)
        if written is not None:
            kit["hide"] = [*AROUND, *kit.get("hide", ())]
        way = "a transformer block: a drawing of the steps, the numbers after one of them, what each part adds "
        way += "to a row, and the count of parameters"
        if written is not None:
            way = "one head of attention, written by hand: the numbers after one of its steps"
        alt = f"The sentence “{' '.join(self.words)}” on its way through {way}."
        data = {"sentences": self.sentences, "known": self.known, "written": self.written, "names": names}
        data |= {
            "called": [" ".join(some) for some in self.sentences],
            "trained": self.trained and self.trained["heads"],
        }
        super().__init__(**{"data": data, "alt": alt} | kit)

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            The ``step`` (the last one where the order has not that of the control), its ``values``, the ``stream``
            after the whole block, of trained weights what the last word's stream ``says``, the shares of all words as
            the next, when it enters, after attention and when it leaves, and the numbers of parameters:
            ``embedding``, ``positions``, ``attention``, ``feed_forward``, ``norms``, ``total``.
        """
        steps = self._steps()
        step = self.step if self.step in steps else list(steps)[-1]
        stream = list(steps.values())[-1]
        says = []
        if self.trained is not None and self.written is None:
            table = self._matrix("words", len(self.known), self.width)
            says = [softmax(layer_norm(steps[stop][-1:]) @ table.T)[0].tolist() for stop in STOPS]
        found = {"step": step, "values": steps[step].tolist(), "stream": stream.tolist(), "says": says}
        return found | self._counts()

    @property
    def ids(self) -> list[int]:
        """The words of the chosen sentence, as rows of the table of word vectors."""
        return [self.known.index(word) for word in self.sentences[self.sentence]]

    def _matrix(self, name: str, rows: int, columns: int, variance: float | None = None) -> np.ndarray:
        if self.trained is not None:
            return np.array(self.trained["heads"][str(self.n_heads)][name])
        return _drawn(name, rows, columns, variance)

    def _steps(self) -> dict[str, np.ndarray]:
        """Return what stands after every step, in their order."""
        if self.written is not None:
            return _head_steps(*self.written.values())
        r = self._embedded()
        found = {"embedding": r}
        if self.order == "post":
            found |= (attended := self._attention(r))
            found["add_1"] = r + attended["output"]
            u = found["norm_1"] = layer_norm(found["add_1"])
            found |= (recalled := self._feed_forward(u))
            found["add_2"] = u + recalled["back"]
            found["norm_2"] = layer_norm(found["add_2"])
            return found
        x = found["norm_1"] = layer_norm(r)
        found |= (attended := self._attention(x))
        if self.order == "parallel":
            found |= (recalled := self._feed_forward(x))
            found["add_2"] = r + attended["output"] + recalled["back"]
            return found
        u = found["add_1"] = r + attended["output"]
        found["norm_2"] = layer_norm(u)
        found |= (recalled := self._feed_forward(found["norm_2"]))
        found["add_2"] = u + recalled["back"]
        return found

    def _embedded(self) -> np.ndarray:
        from regattn.transformer.position import sinusoidal_positions  # torch comes with the room

        T, D = len(self.ids), self.width
        vectors = self._matrix("words", len(self.known), D, 1)[self.ids]
        if self.positions == "learned":
            return vectors + _drawn("places", T, D, 1)
        if self.positions == "sinusoidal":
            return vectors + math.sqrt(2) * sinusoidal_positions(range(T), D)
        return vectors

    def _attention(self, x: np.ndarray) -> dict[str, np.ndarray]:
        from regattn.transformer.position import rotate

        T, D = x.shape
        queries, keys, values = (
            (x @ self._matrix(name, D, D)).reshape(T, self.n_heads, -1).transpose(1, 0, 2) for name in ("Q", "K", "V")
        )
        if self.positions == "rotary":
            queries, keys = rotate(queries, range(T)), rotate(keys, range(T))
        h = min(self.head, self.n_heads) - 1
        added = np.zeros((self.n_heads, T, T))
        for place, by in self.nudges.items():
            k, asks, found = (int(number) - 1 for number in place.split())
            if k < self.n_heads and asks < T:
                added[k, asks, found] = by
        steps = [_head_steps(*head) for head in zip(queries, keys, values, added, strict=True)]
        together = np.hstack([found["average"] for found in steps])
        return steps[h] | {"output": together @ self._matrix("O", D, D) * (self.out != "attention")}

    def _feed_forward(self, x: np.ndarray) -> dict[str, np.ndarray]:
        hidden = np.maximum(0, x @ self._matrix("1", self.width, 4 * self.width))
        back = hidden @ self._matrix("2", 4 * self.width, self.width) * (self.out != "feed-forward")
        return {"hidden": hidden, "back": back}

    def _counts(self) -> dict[str, int]:
        D, L = self.width, self.layers
        counts = {
            "embedding": len(self.known) * D,
            "positions": len(self.ids) * D if self.positions == "learned" else 0,
            "attention": L * 4 * D**2,
            "feed_forward": L * 8 * D**2,
            "norms": {"pre": 2 * L + 1, "post": 2 * L, "parallel": L + 1}[self.order] * D,
        }
        return counts | {"total": sum(counts.values())}


def _head_steps(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, added: np.ndarray | float = 0.0
) -> dict[str, np.ndarray]:
    """Return what stands after every step of one head, to whose scores something may be added."""
    T, d = queries.shape
    asks = np.sqrt(d) * np.broadcast_to(added, (T, T))  # T more coordinates, of which each word is found by its own
    further, scale = (np.hstack([queries, asks]), np.hstack([keys, np.eye(T)])), 1 / math.sqrt(d)
    return {
        "queries": queries,
        "keys": keys,
        "values": values,
        "scores": scale * further[0] @ further[1].T,
        "mask": np.tril(np.ones((T, T))),
        "weights": attention_weights(*further, scale=scale, mask="causal"),
        "average": attend(*further, values, scale=scale, mask="causal"),
    }


@cache
def _trained() -> dict[str, Any]:
    """Return the words of the small block that was trained, and its weights for each number of heads."""
    return json.loads((files("regattn.widgets.block") / "trained.json").read_text(encoding="utf-8"))


def _drawn(name: str, rows: int, columns: int, variance: float | None = None) -> np.ndarray:
    """Return a matrix of uniform numbers with mean 0, row by row, as numbers.js draws it."""
    reach = math.sqrt(3 * (1 / rows if variance is None else variance))
    uniform = np.fromiter(islice(mulberry32(SEEDS[name]), rows * columns), float, rows * columns)
    return reach * (2 * uniform - 1).reshape(rows, columns)
