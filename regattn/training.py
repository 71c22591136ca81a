r"""One training loop: AdamW, warm-up and cosine decay, clipped gradients, a history, and resuming without a trace.

Batches are a function of the step number. Nothing but the step, the weights and the optimiser's moments then decides
how training goes on, so a run that was interrupted and resumed ends in the same bits as one that was not.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn
from tqdm.auto import tqdm

from regattn._validation import check_count, check_real
from regattn.checkpoints import read_tensors, write_tensors
from regattn.language_model import next_token_loss

__all__ = ["TrainingPlan", "learning_rate", "text_batches", "train"]


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """How long and how fast.

    Parameters
    ----------
    steps : int
        Updates of the weights.
    peak : float, default 1e-3
        Largest learning rate.
    warmup : int, default 0
        Steps over which the rate rises from zero to the peak; it then falls along a cosine.
    final : float, default 0.1
        Rate at the last step, as a share of the peak.
    decay : float, default 0.1
        Weight decay of matrices; vectors (intercepts, norms) have none.
    clip : float, default 1
        Largest norm of the gradient.
    evaluate_every : int, default 100
        Steps between evaluations; the last step is always evaluated.
    patience : int, optional
        Stop after this many evaluations in a row without a new best.
    save_every : int, default 500
        Steps between saves, when there is a checkpoint.
    progress : bool, default False
        Whether to show a progress bar.
    """

    steps: int
    peak: float = 1e-3
    warmup: int = 0
    final: float = 0.1
    decay: float = 0.1
    clip: float = 1.0
    evaluate_every: int = 100
    patience: int | None = None
    save_every: int = 500
    progress: bool = False

    def __post_init__(self) -> None:
        for name in ("steps", "evaluate_every", "save_every"):
            check_count(getattr(self, name), name)
        check_count(self.warmup, "warmup", least=0, most=self.steps, bound="the number of steps")
        if self.patience is not None:
            check_count(self.patience, "patience")
        for name in ("peak", "clip"):
            check_real(getattr(self, name), name, least=0.0, strictly=True)
        check_real(self.final, "final", least=0.0, most=1.0)
        check_real(self.decay, "decay", least=0.0)


def learning_rate(plan: TrainingPlan, step: int) -> float:
    r"""Return the learning rate of a step, counted from 0.

    .. math:: \eta_s = \eta \cdot \frac{s+1}{w} \;(s < w), \qquad
              \eta_s = \eta\Bigl[f + (1-f)\tfrac12\bigl(1+\cos\pi\tfrac{s-w}{S-1-w}\bigr)\Bigr] \;(s \ge w)

    Raises
    ------
    ValueError
        If ``step`` is not a whole number from 0 to the number of steps.

    Examples
    --------
    >>> plan = TrainingPlan(steps=11, peak=1.0, warmup=2, final=0.0)
    >>> [round(learning_rate(plan, s), 3) for s in (0, 1, 2, 6, 10)]
    [0.5, 1.0, 1.0, 0.5, 0.0]
    """
    check_count(step, "step", least=0, most=plan.steps, bound="the number of steps")
    if step < plan.warmup:
        return plan.peak * (step + 1) / plan.warmup
    done = (step - plan.warmup) / max(1, plan.steps - 1 - plan.warmup)
    return plan.peak * (plan.final + (1 - plan.final) * 0.5 * (1 + math.cos(math.pi * done)))


def text_batches(tokens: Any, *, batch: int, context: int, seed: int = 0) -> Callable[[int], Tensor]:
    """Return a function of the step that cuts ``batch`` windows of ``context + 1`` tokens from a long text.

    Parameters
    ----------
    tokens : array-like of int, shape (N,)
        The text, longer than ``context``.
    batch, context : int
        B and T.
    seed : int, default 0
        Together with the step it decides where the windows start.

    Returns
    -------
    callable
        Step number -> Tensor of shape (batch, context + 1).

    Raises
    ------
    ValueError
        If the text is too short, not one-dimensional or not of whole numbers.

    Examples
    --------
    >>> batches = text_batches(range(100), batch=2, context=3)
    >>> torch.equal(batches(7), batches(7)), tuple(batches(0).shape)
    (True, (2, 4))
    """
    tokens = np.asarray(tokens)
    check_count(batch, "batch")
    check_count(context, "context")
    if tokens.ndim != 1 or len(tokens) <= context:
        raise ValueError(f"tokens must be one text of more than {context} tokens, got shape {tokens.shape}")
    if tokens.dtype.kind not in "iu":
        raise ValueError(f"tokens must be whole numbers, got dtype {tokens.dtype}")
    tokens = torch.from_numpy(tokens.astype(np.int64))

    def windows(step: int) -> Tensor:
        starts = np.random.default_rng([seed, step]).integers(0, len(tokens) - context, size=batch)
        return tokens[torch.from_numpy(starts)[:, None] + torch.arange(context + 1)]

    return windows


def train(
    model: nn.Module,
    batches: Callable[[int], Any],
    plan: TrainingPlan,
    *,
    loss: Callable[[nn.Module, Any], Tensor] = next_token_loss,
    evaluate: Callable[[nn.Module], dict[str, float]] | None = None,
    checkpoint: str | os.PathLike | None = None,
) -> pd.DataFrame:
    """Train the model in place and return the history.

    Parameters
    ----------
    model : module
        Changed in place; left in evaluation mode.
    batches : callable
        Step number -> whatever ``loss`` takes, the same whenever asked; see :func:`text_batches`.
    plan : TrainingPlan
        Steps, rates, evaluation.
    loss : callable, default :func:`regattn.language_model.next_token_loss`
        Model and batch -> scalar tensor.
    evaluate : callable, optional
        Model -> dict of numbers, without gradients; the first is the one ``patience`` watches (smaller is better).
    checkpoint : path, optional
        Where to save every ``plan.save_every`` steps. If the file is there, training goes on from it.

    Returns
    -------
    DataFrame
        One row per evaluation, indexed by step: ``loss`` (mean training loss since the row before), ``learning_rate``,
        and what ``evaluate`` returned.

    Raises
    ------
    ValueError
        If the loss is not finite, or the checkpoint belongs to another model or plan.

    Examples
    --------
    >>> line = nn.Linear(1, 1)
    >>> x = torch.arange(5.0)[:, None]
    >>> history = train(line, lambda step: x, TrainingPlan(steps=400, peak=0.1, decay=0.0),
    ...                 loss=lambda model, x: ((model(x) - 2 * x - 1) ** 2).mean())
    >>> bool(history.loss.iloc[-1] < 1e-3)
    True
    """
    named = dict(model.named_parameters())
    matrices = [p for p in named.values() if p.ndim > 1]
    vectors = [p for p in named.values() if p.ndim <= 1]
    optimiser = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": plan.decay}, {"params": vectors, "weight_decay": 0.0}],
        lr=plan.peak,
        betas=(0.9, 0.95),
        fused=True,
    )
    state = _State(rows=[], losses=[], step=0)
    if checkpoint is not None and os.path.exists(checkpoint):
        state = _resume(checkpoint, named, optimiser, plan)
    bar = tqdm(total=plan.steps, initial=state.step, disable=not plan.progress, unit="step")
    while state.step < plan.steps and not _stopped(state.rows, plan):
        model.train()
        _update(model, batches(state.step), loss, optimiser, plan, state)
        if state.step % plan.evaluate_every == 0 or state.step == plan.steps:
            model.eval()
            with torch.no_grad():
                scores = evaluate(model) if evaluate else {}
            row = {"step": state.step, "loss": float(np.mean(state.losses))}
            state.rows.append(row | {"learning_rate": optimiser.param_groups[0]["lr"]} | scores)
            state.losses.clear()
            bar.set_postfix(loss=f"{row['loss']:.3f}")
        bar.update()
        if checkpoint is not None and (state.step % plan.save_every == 0 or state.step == plan.steps):
            _save(checkpoint, named, optimiser, plan, state)
    bar.close()
    model.eval()
    return pd.DataFrame(state.rows).set_index("step")


@dataclass
class _State:
    """Where training stands: rows of the history, losses since the last of them, steps done."""

    rows: list[dict[str, float]]
    losses: list[float]
    step: int


def _update(
    model: nn.Module, batch: Any, loss: Callable, optimiser: torch.optim.Optimizer, plan: TrainingPlan, state: _State
) -> None:
    for group in optimiser.param_groups:
        group["lr"] = learning_rate(plan, state.step)
    optimiser.zero_grad(set_to_none=True)
    value = loss(model, batch)
    value.backward()
    nn.utils.clip_grad_norm_(model.parameters(), plan.clip)
    number = value.item()
    if not math.isfinite(number):
        raise ValueError(f"the loss must be finite, got {number} at step {state.step}")
    optimiser.step()
    state.losses.append(number)
    state.step += 1


def _stopped(rows: list[dict[str, float]], plan: TrainingPlan) -> bool:
    if plan.patience is None or not rows:
        return False
    watched = list(rows[0])[3] if len(rows[0]) > 3 else "loss"
    values = [row[watched] for row in rows]
    return len(values) - 1 - int(np.argmin(values)) >= plan.patience


def _save(
    path: Any, named: dict[str, Tensor], optimiser: torch.optim.Optimizer, plan: TrainingPlan, state: _State
) -> None:
    tensors = {f"weight/{name}": p for name, p in named.items()}
    for name, p in named.items():
        tensors |= {f"{key}/{name}": value for key, value in optimiser.state[p].items()}
    write_tensors(path, tensors, note={"plan": _essentials(plan), **asdict(state)})


def _resume(path: Any, named: dict[str, Tensor], optimiser: torch.optim.Optimizer, plan: TrainingPlan) -> _State:
    tensors, note = read_tensors(path)
    if not isinstance(note, dict) or not {"plan", "rows", "losses", "step"} <= note.keys():
        raise ValueError(f"checkpoint {os.path.basename(path)} is not one of a training: its note says {note!r:.200}")
    if note["plan"] != _essentials(plan):
        raise ValueError(f"the checkpoint was made with another plan: {note['plan']}, not {_essentials(plan)}")
    keys = ("step", "exp_avg", "exp_avg_sq")
    shapes = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    wanted = {f"{key}/{name}": tuple(p.shape) for key in ("weight", *keys[1:]) for name, p in named.items()}
    if shapes != wanted | {f"step/{name}": () for name in named}:
        found = sorted(name.removeprefix("weight/") for name in shapes if name.startswith("weight/"))
        raise ValueError(f"the checkpoint belongs to another model: it has weights {found}")
    for name, p in named.items():
        p.data.copy_(tensors[f"weight/{name}"])
        optimiser.state[p] = {key: tensors[f"{key}/{name}"] for key in keys}
    return _State(note["rows"], note["losses"], note["step"])


def _essentials(plan: TrainingPlan) -> dict[str, Any]:
    return {name: value for name, value in asdict(plan).items() if name not in ("progress", "save_every")}
