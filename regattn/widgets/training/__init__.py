"""The TrainingExplorer: a small language model that trains in the reader's browser, beside what can be had."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from regattn._text import check_text
from regattn._validation import check_count
from regattn.grammar._orders import ngram_entropy
from regattn.grammar._states import states
from regattn.grammar.sentences import Grammar
from regattn.widgets._kit import Choice, Count, Explorer, PastedText, Seed, Slider, TypedText
from regattn.widgets._kit.page import assemble
from regattn.widgets.training._walk import (
    Task,
    Walk,
    answered,
    expected,
    grammar_task,
    head_map,
    text_task,
    walk,
    written_on,
)

__all__ = ["TrainingExplorer"]

FIRST = {"step": 0}  # what another setting does to the training
LOOKED = "anna called tom because she missed tom"  # with the full stop before it eight tokens: a multiple of four
ASKED = "anna called clara because she missed"  # what no sentence of the grammar settles: two women
GRAMMAR = {"batch": 8, "length": 24, "held": 24}
TEXT = {
    "batch": 4,
    "length": 128,
    "held": 4,
    "given": 16,
    "written": 64,
    "shown": 16,
    "orders": (1, 2, 3, 4, 5),
    "says": 10,
}
LEAST = 2 * TEXT["length"] + 2  # bytes of a text, one stretch to read and one to hold out
NUMBERS = ["parameters", "losses", "learnt", "on_men", "rungs", "samples", "lawful", "copied", "weights", "asked"]
EXPECTED = ["next", "counted", "costs"]
WIDEST, DEEPEST = 128, 4
RISE, EVERY, SAYS = 30, 10, 50  # steps: of a growing rate, between two losses, between two samples


class _Run(Count):
    """A number of steps that is reached by taking them: the page shows how far it has come, and no slider."""

    kind = "run"


class _Keys(Choice):
    """A choice whose few words all stand there, as keys."""

    kind = "keys"


class _Beginning(TypedText):
    """The beginning of a text, to be written on; what the model cannot read of it is told."""

    kind = "beginning"


class TrainingExplorer(Explorer, panels=["loss", "samples", "map"]):
    r"""Train a small language model in the page: its loss beside what can be had, what it writes, one head forming.

    .. math:: \theta_{t+1} = \theta_t - \eta_t\, \text{Adam}(\nabla\mathcal{L}(\theta_t))

    The browser draws the sentences and takes the steps itself, beside the page, as NumPy takes them in
    :meth:`result`. With a grammar the loss falls towards its entropy, past what the best 2-, 3- and 4-gram models pay:
    entropies given the words just before, whatever was counted. With a text its bytes are learned; the last tenth is
    held out, and counts of up to five bytes (interpolated Kneser–Ney) stand beside. What it writes is underlined where
    it stands in the text byte for byte, so that learning by heart is seen; each byte is drawn, or the most probable
    one. From a beginning that a reader types it writes on at once, as it now stands; the next bytes that it expects
    stand beside those that the longest counts expect. What is held out is seen in the colour of what each byte costs,
    and the lowest loss on it is marked: one press goes back there. She may paste a text of her own; of one that is too
    short there are no numbers.

    Parameters
    ----------
    source : Grammar or str, optional
        What is learned: the sentences of a grammar, by default that of the book, or a text.
    width, n_heads, layers : int, default 32, 4, 1
        D, H and the number of blocks; a feed-forward layer has 4 D units.
    steps : int, default 1500
        Of the whole training: the rate rises over the first 30 and then falls to zero.

    Raises
    ------
    ValueError
        If ``source`` is neither, a text is too short to hold some of it out, ``width`` is no multiple of four times
        ``n_heads``, or a setting is out of range.

    Examples
    --------
    >>> found = TrainingExplorer(step=20, steps=60).result()
    >>> found["loss"] < found["losses"][0]
    True
    """

    own = PastedText(
        "Your own text",
        default=lambda self: self._data.get("text", ""),
        wide=True,
        help="Paste a page or more: it learns that, and counting counts it.",
        sets=FIRST,
        first=True,
    )
    learning_rate = Slider(
        "Learning rate η",
        1e-5,
        1.0,
        default=0.01,
        shown=(1e-3, 0.1),
        log=True,
        sets=FIRST,
        waits=True,
        first=True,
    )
    step = _Run("Step", most=lambda self: self.steps, bound="the number of steps", play=1)
    seed = Seed("Train another", help="Which weights it begins with, and what it reads.", sets=FIRST)
    writes = _Keys(
        "Each byte",
        {"drawn": "drawn", "likeliest": "the most probable"},
        help="How what it writes goes on: by the draw, or by the largest probability.",
    )
    beginning = _Beginning("Write on from", default="", wide=True, help="What it writes on from now, at this step.")
    head = Count(
        "Look through head",
        least=1,
        default=1,
        most=lambda self: self.layers * self.n_heads,
        bound="the number of heads",
        help="Whose weights are shown.",
    )

    def __init__(
        self,
        source: Grammar | str | None = None,
        *,
        width: int = 32,
        n_heads: int = 4,
        layers: int = 1,
        steps: int = 1500,
        **kit: Any,
    ) -> None:
        source = Grammar() if source is None else source
        self.steps = check_count(steps, "steps", least=RISE + 1)
        self.n_heads = check_count(n_heads, "n_heads")
        self.layers = check_count(layers, "layers", most=DEEPEST, bound="what a page can train")
        if check_count(width, "width", most=WIDEST, bound="what a page can train") % (4 * n_heads):
            raise ValueError(f"width must be a multiple of 4 n_heads, got width {width} and {n_heads} n_heads")
        sizes = {"width": width, "n_heads": n_heads, "hidden": 4 * width, "layers": layers, "steps": self.steps}
        self._data = sizes | {"rise": RISE, "every": EVERY, "says": SAYS} | _task_data(source)
        what = "the bytes of a text" if isinstance(source, str) else "sentences of a grammar"
        hide = [*kit.pop("hide", ()), *([] if isinstance(source, str) else ["own", "writes", "beginning"])]
        expects = "what it expects next, " if isinstance(source, str) else ""
        alt = (
            f"A language model of {layers} block{'s' if layers > 1 else ''} that trains in the page on {what}: its "
            f"loss beside that of counting, step by step, {expects}{'and ' if 'map' in hide else ''}samples of what it "
            f"writes{'.' if 'map' in hide else ', and the weights of one head.'}"
        )
        worker = re.sub(r"(?m)^ +", "", assemble("training/worker.js"))  # a page carries it with every one of these
        data = self._data | {"worker": worker}
        super().__init__(**{"data": data, "alt": alt, "hide": hide} | kit)

    def trained(self) -> tuple[Task, Walk]:
        """Return what is learned, and the training after ``step`` steps.

        Raises
        ------
        ValueError
            If the text is too short to hold some of it out.
        """
        data = self._data
        if self._too_short():
            raise ValueError(f"own must have at least {LEAST} bytes, got {len(self.own.encode())}")
        task = self._grammar_task if data["kind"] == "grammar" else text_task(data, self.own)
        return task, walk(task, data, seed=self.seed, learning_rate=self.learning_rate, step=self.step)

    def _too_short(self) -> bool:
        return self._data["kind"] == "text" and len(self.own.encode()) < LEAST

    @cached_property
    def _grammar_task(self) -> Task:
        return grammar_task(self._data)

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            ``parameters`` of the model; ``loss`` now and ``losses`` after every tenth step, on what is held out, in
            nats per word or bits per byte; of a text ``learnt``, those on the beginning of what is learned; of a
            grammar ``on_men``, as often, how probable all men are behind the sentence that is asked; ``rungs``, the
            losses of counting, at last the floor where it is known; ``samples`` after every fiftieth step, of a text
            every tenth, behind its first 16 bytes, and at last what is written now behind ``beginning``: its last 80
            bytes, without characters that the text has not; ``lawful``, how many words of each the grammar can have
            written, up to the first that it cannot; of a text ``copied``, the longest piece of each sample behind its
            beginning that stands in what is learned, in bytes; ``weights`` of the head on its tokens; of a grammar
            ``asked``, the probabilities of the next word behind a sentence with two women, which the grammar never
            writes; of a text ``next`` and ``counted``, for each of its bytes in order how probable it is behind
            ``beginning``, or the first 16 bytes, by the model and by the longest counts, and ``costs``, the bits of
            each byte of the first stretch held out. Of a text that is too short the lists are empty, and ``loss`` is
            None.
        """
        if self._too_short():
            return {name: [] for name in [*NUMBERS, *EXPECTED]} | {"loss": None}
        task, found = self.trained()
        samples = found.likeliest if self.writes == "likeliest" else found.samples
        copied = [task.copied(tokens) for tokens in samples]
        expects = expected(task, self._data, found.weights, task.begun(self.beginning) or task.begin)
        if begun := task.begun(self.beginning):
            seed = None if self.writes == "likeliest" else self.seed
            written = written_on(task, self._data, found.weights, begun, seed=seed, step=self.step)
            samples, copied = [*samples, written], [*copied, task.copied(written, len(begun))]
        return {
            "parameters": [float(x) for part in found.weights.values() for x in part.ravel()],
            "loss": found.loss,
            "losses": found.losses,
            "learnt": found.learnt,
            "on_men": found.on_men,
            "rungs": task.rungs,
            "samples": [task.text(tokens) for tokens in samples],
            "lawful": [task.lawful(tokens[1:]) for tokens in samples],
            "copied": copied,
            "weights": head_map(task, self._data, found.weights, self.head).tolist(),
            "asked": answered(task, self._data, found.weights).tolist() if "asked" in self._data else [],
        } | dict(zip(EXPECTED, expects, strict=True))


def _task_data(source: Grammar | str) -> dict[str, Any]:
    """Return what the browser needs of what is learned."""
    if isinstance(source, str):
        if len(check_text(source, "source").encode()) < LEAST:
            raise ValueError(f"source must have at least {LEAST} bytes, got {len(source.encode())}")
        return {"kind": "text", "text": source, "least": LEAST} | TEXT
    if not isinstance(source, Grammar):
        raise ValueError(f"source must be a Grammar or a text, got {type(source).__name__}")
    floor = source.entropy().per_word
    rungs = [(f"{order}-gram", ngram_entropy(source, order)) for order in (2, 3, 4)]
    looked = source.encode([".", *LOOKED.split()])
    known = {"kind": "grammar", "states": states(source), "words": source.vocabulary, "floor": floor}
    asked = {"asked": source.encode([".", *ASKED.split()]), "men": source.encode(list(source.lexicon.names["he"]))}
    return known | {"rungs": [*rungs, ("floor", floor)], "looked": looked} | asked | GRAMMAR
