"""The ContextExplorer: attention trained on many small regressions in the reader's browser, beside their theory."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from regattn._validation import check_count, check_real
from regattn.regression import _context_training as training
from regattn.regression.trajectory import GROWTH_LIMIT
from regattn.widgets._kit import Choice, Count, Explorer, Seed, Slider, Tick, TypedText

__all__ = ["ContextExplorer"]

FIRST = {"step": 0, "kept": "", "begun": 0}  # what another setting does to the training
LINEAR = {"attention": ["linear", "plus"]}
ALONE = {"attention": "linear", "depth": 1, "tied": True, "dimension": 3, "context": 20, "noise": 0.5} | FIRST
ALONE |= {
    "tested": "same",
    "factor": 1.0,
    "task": 1,
    "beside": "inverse",
    "design": "random",
    "target": "noisy",
    "learning_rate": 0.1,
    "seed": 3,
    "query": 1,
}
FIXED = ALONE | {"design": "fixed", "noise": 2.0, "learning_rate": 0.3, "seed": 2}
NEW = ALONE | {"beside": "best"}
DEEP = ALONE | {"attention": "plus", "depth": 4, "dimension": 5, "context": 10, "noise": 1.0}
DEEP |= {"learning_rate": 0.05, "seed": 38, "task": 48, "query": 4}
PRESETS = {
    "same rows, own target": FIXED,
    "same rows, clean target": FIXED | {"target": "clean"},
    "new rows": NEW,
    "four layers": DEEP,
    "four layers, less noise when tested": DEEP | {"tested": "quiet"},
    "four layers, every x doubled": DEEP | {"factor": 2.0, "step": 600},
    "one softmax head": NEW | {"attention": "softmax"},
    "two softmax heads": NEW | {"attention": "pair"},
}


class _Held(Count):
    """A whole number that is set in the pictures and has no input of its own."""

    kind = "held"


class _Kept(TypedText):
    """Numbers between commas that a move keeps, or nothing."""

    kind = "kept"

    def validate(self, obj: Any, value: Any) -> str:
        """Return ``value`` or raise a ValueError that names it."""
        text = super().validate(obj, value)
        try:
            fine = all(isfinite(float(number)) for number in text.split(",")) if text else True
        except ValueError:
            fine = False
        if not fine:
            raise ValueError(f"{self.name} must be numbers between commas, or nothing, got {value!r}")
        return text

    def _words(self) -> str:
        return "str"


class ContextExplorer(Explorer, panels=["omega", "theory", "ridge", "drawn", "risk", "factors", "layers", "weights"]):
    r"""Train attention on many small regressions, and see which inverse it finds.

    .. math:: y = X\beta + \sigma\varepsilon, \qquad \hat y_q = x_q^\top \Omega X^\top y

    Nothing in the training speaks of :math:`(X^\top X)^{-1}`: the browser draws 32 tasks at every step, each with its
    own β, and descends on the squared error of the answers. Tables show n times what Ω has become (of several layers,
    the one Ω that does their work on one context) beside theory and the ridge. A press puts a cell of Ω to zero, and
    from there, or with other noise, the training goes on; dots show a task of the step, targets against answers. Curves
    show the distance to the noise-free answer on 100 new contexts, after every tenth step, and with every x multiplied;
    a band how much every layer leaves of the outcomes of one of them, and a line its answer so far; bars the weights on
    it beside those of least squares.

    Parameters
    ----------
    steps : int, default 600
        Number of steps of the whole training: the learning rate rises over the first tenth and then falls to zero.
    correlation : float from 0 to 0.95, default 0.5
        Of neighbouring columns of the rows.

    Raises
    ------
    ValueError
        If a setting is out of range.

    Examples
    --------
    >>> found = ContextExplorer(design="fixed", noise=2.0, learning_rate=0.3, seed=2, step=600).result()
    >>> round(found["gap"], 3)  # from (X'X)⁻¹, which nobody told it
    0.0
    """

    design = Choice(
        "Rows",
        {"random": "new ones for every task", "fixed": "the same for every task"},
        help="They are normal with covariance C, by default .5 to the power of how far apart two columns are.",
        sets=FIRST,
    )
    target = Choice(
        "Target it is told",
        {"noisy": "its own, with noise", "clean": "clean, without noise"},
        help="What the answers are compared with; where rows stay the same, its own are the outcomes it was shown.",
        waits=True,
    )
    attention = Choice(
        "Attention",
        {
            "softmax": "softmax, one head",
            "pair": "softmax, two heads",
            "plus": "linear, keys move too (GD++)",
            "linear": "linear",
        },
        default="linear",
        help="How a query listens: in linear layers, whose keys may move too, or in one layer of softmax.",
        sets=FIRST,
    )
    depth = Count("Layers", least=1, most=lambda self: 4, bound="the most layers", used=LINEAR, sets=FIRST)
    tied = Tick("All layers alike (tied)", default=True, used=LINEAR | {"depth": [2, 3, 4]}, sets=FIRST, waits=True)
    dimension = Count("Columns p", default=3, least=1, most=lambda self: 5, bound="the most columns", sets=FIRST)
    context = Count("Context rows n", default=20, least=8, most=lambda self: 20, bound="the most rows", sets=FIRST)
    noise = Slider(
        "Noise σ",
        0.0,
        1e3,
        default=0.5,
        shown=(0.0, 3.0),
        step=0.05,
        help="Its standard deviation. What one linear layer has learned is kept when it moves.",
        first=True,
    )
    learning_rate = Slider("Learning rate", 1e-6, 1e3, default=0.1, shown=(0.01, 1.0), log=True, sets=FIRST, waits=True)
    tested = Choice(
        "Tested with",
        {
            "same": "the noise of training",
            "quiet": "a third of its noise",
            "loud": "twice its noise",
        },
        help="Noise of the new contexts, which Bayes knows and the network does not.",
    )
    factor = Slider(
        "Every x times",
        0.5,
        2.0,
        default=1.0,
        step=0.05,
        decimals=2,
        help="Rows and queries of the new contexts in other units, of which Bayes is told and the network is not.",
    )
    beside = Choice(
        "Beside Ω",
        {"inverse": "(X′X)⁻¹: least squares", "ridge": "(X′X + σ²I)⁻¹: ridge", "best": "the best in theory"},
        help="What Ω is compared with; for one layer and new rows the mean of X′X, which is nC, stands for X′X.",
    )
    task = Count(
        "New task",
        least=1,
        most=lambda self: training.TESTED,
        bound="the number of new tasks",
        of=True,
        help="On which of the new contexts layers and weights are shown.",
    )
    query = Count(
        "Query of this task",
        least=1,
        most=lambda self: training.ASKED,
        bound="the number of queries",
        of=True,
        help="Every new task asks about a few more rows; whose weights are shown.",
    )
    seed = Seed("Draw other tasks", default=3, help="Which tasks, and where layers and heads begin.", sets=FIRST)
    kept = _Kept(
        "Ω that was kept",
        default="",
        help="Its numbers, row by row, from which the training of one linear layer goes on; without any, from zero.",
    )
    begun = _Held("Steps before", most=lambda _: 10**6, bound="a million", help="That were taken before it goes on.")
    step = Count("Step", most=lambda self: self.steps, bound="the number of steps", of=True, play=50, first=True)

    def __init__(self, *, steps: int = 600, correlation: float = 0.5, **kit: Any) -> None:
        self.steps = check_count(steps, "steps")
        self.correlation = check_real(correlation, "correlation", least=0.0, most=0.95)
        names = ("BATCH", "QUERIES", "TESTED", "ASKED", "EVERY", "CLIP", "MOMENTUM", "RISE", "STARTS")
        data = {name.lower(): getattr(training, name) for name in names} | {"scales": training.SCALES}
        data |= {"steps": self.steps, "correlation": self.correlation, "growth_limit": GROWTH_LIMIT}
        alt = (
            "Attention trained on many small regressions: Ω beside the inverse and the ridge, a task of the step, the "
            "risk on new contexts beside least squares, ridge and Bayes, also where every x is multiplied, and on one "
            "context how much each layer leaves of the outcomes, and weights beside those of least squares."
        )
        presets = {label: knobs | {"step": min(knobs["step"], self.steps)} for label, knobs in PRESETS.items()}
        super().__init__(**{"data": data, "alt": alt, "presets": presets} | kit)

    def settings(self) -> training.Settings:
        """Return what determines the training."""
        own = {name: getattr(self, name) for name in training.Settings._fields if name in self.controls}
        return training.Settings(**own, correlation=self.correlation, steps=self.steps)

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            ``parameters`` of the network; ``omega`` and ``theory``, in units of 1/X², with ``gap``, the relative
            distance, and ``cosine`` (None at zero), and ``shrunk``, the distance from the ridge; ``risks`` after every
            tenth step, of tests in the units of the training, and ``risk`` now, with every x times ``factor``;
            ``rivals``, the risks there of least squares, ridge, Bayes and one linear layer, fully trained on the
            chosen target; ``left``,
            what is left of the outcomes of the context shown, and last of the query's, before and after every layer,
            and ``answers`` to that query, of the network, of least squares (``ols``) and the ``right`` one, without
            noise, and on how many of all new contexts the network is ``nearer`` to that than least squares; ``weights``
            on its rows for the query, ``proximity``, those of least squares, and ``agreement``, their cosine;
            ``drawn``, of the first task of the next step the ``answers`` and ``targets``, and ``sums``, their
            differences times the rows that were asked about; ``diverged_at``, a step or None.
        """
        return self._found(self.step)

    def _found(self, step: int) -> dict[str, Any]:
        settings, k = self.settings(), list(training.SCALES).index(self.tested)
        walk, tasks = training.train(settings, step), training.stretched(training.tests(settings)[k], self.factor)
        X, y, asked, goals = (part[self.task - 1] for part in tasks)
        omega = training.effective(settings, walk.theta, X) / len(X)
        theory, ridge = (training.theory(settings, X, which) / len(X) for which in (self.beside, "ridge"))
        weights = training.weights(settings, walk.theta, X, asked)[self.query - 1]
        proximity = asked[self.query - 1] @ np.linalg.inv(X.T @ X) @ X.T
        left = training.left(settings, walk.theta, X, y, asked[self.query - 1])
        answers = {"network": -left[-1, -1], "ols": proximity @ y, "right": goals[self.query - 1]}
        q = self.query - 1
        answered = training.weights(settings, walk.theta, tasks.X, tasks.queries)[:, q] * tasks.y
        fitted = tasks.queries[:, [q]] @ np.linalg.inv(tasks.X.mT @ tasks.X) @ tasks.X.mT @ tasks.y[..., None]
        missed = [np.abs(answer - tasks.goals[:, q]) for answer in (answered.sum(axis=1), fitted[:, 0, 0])]
        return {
            "parameters": walk.theta.tolist(),
            "omega": omega.tolist(),
            "theory": theory.tolist(),
            "gap": float(np.linalg.norm(omega - theory) / np.linalg.norm(theory)),
            "shrunk": float(np.linalg.norm(omega - ridge) / np.linalg.norm(ridge)),
            "cosine": _cosine(omega, theory),
            "risks": walk.risks[:, k].tolist(),
            "risk": float(training.risks(settings, walk.theta, [tasks])[0]),
            "rivals": training.rivals(settings, tasks, training.SCALES[self.tested], self.factor),
            "left": left.tolist(),
            "answers": {name: float(answer) for name, answer in answers.items()},
            "nearer": int((missed[0] < missed[1]).sum()),
            "weights": weights.tolist(),
            "proximity": proximity.tolist(),
            "agreement": _cosine(weights, proximity),
            "drawn": self._drawn(settings, walk.theta, step),
            "diverged_at": walk.diverged_at,
        }

    def _drawn(self, settings: training.Settings, theta: np.ndarray, step: int) -> dict[str, list[float]]:
        batch = training.tasks(settings, training.TRAIN, self.begun + step, training.BATCH, training.QUERIES)
        X, y, queries, targets = (part[0] for part in batch)
        answers = training.weights(settings, theta, X, queries) @ y
        found = {"answers": answers, "targets": targets, "sums": queries.T @ (targets - answers)}
        return {name: part.tolist() for name, part in found.items()}


def _cosine(a: np.ndarray, b: np.ndarray) -> float | None:
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(np.sum(a * b)) / size if size else None
