r"""One training loop: AdamW, warm-up and cosine decay, clipped gradients, a history, and resuming without a trace.

Batches are a function of the step number. Nothing but the step, the weights and the optimiser's moments then decides
how training goes on, so a run that was interrupted and resumed ends in the same bits as one that was not.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn
from tqdm.auto import tqdm

from regattn._files import check_place
from regattn._rng import Rng, seed_from
from regattn._tensors import plain_parameters
from regattn._validation import check_count
from regattn.transformer._plan import TrainingPlan, learning_rate
from regattn.transformer._ranks import Ranks, ranks_of
from regattn.transformer._resuming import TrainingState, resume, save_state
from regattn.transformer.language_model import next_token_loss

__all__ = ["TrainingPlan", "text_batches", "train"]


def text_batches(tokens: ArrayLike, *, batch_size: int, context: int, rng: Rng = 0) -> Callable[[int], Tensor]:
    """Return a function of the step that cuts ``batch_size`` windows of ``context + 1`` tokens from a long text.

    Parameters
    ----------
    tokens : array-like of int, shape (N,)
        The text, longer than ``context``.
    batch_size, context : int
        B and T.
    rng : int or Generator, default 0
        Seed, or a generator that one is drawn from. Together with the step it decides where the windows start.

    Returns
    -------
    callable
        Step number -> Tensor of shape (batch_size, context + 1).

    Raises
    ------
    ValueError
        If the text is too short, not one-dimensional or not of whole numbers.

    Examples
    --------
    >>> batches = text_batches(range(100), batch_size=2, context=3)
    >>> torch.equal(batches(7), batches(7)), tuple(batches(0).shape)
    (True, (2, 4))
    """
    tokens = np.asarray(tokens)
    check_count(batch_size, "batch_size")
    check_count(context, "context")
    if tokens.ndim != 1 or len(tokens) <= context:
        raise ValueError(f"tokens must be one text of more than {context} tokens, got shape {tokens.shape}")
    if tokens.dtype.kind not in "iu":
        raise ValueError(f"tokens must be whole numbers, got dtype {tokens.dtype}")
    seed, tokens = seed_from(rng), torch.from_numpy(tokens.astype(np.int64))

    def windows(step: int) -> Tensor:
        starts = np.random.default_rng([seed, step]).integers(0, len(tokens) - context, size=batch_size)
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
    """Train the model in place, where its weights are, and return the history.

    A model in torch's ``DistributedDataParallel`` is trained by all processes of its group, each called with the same
    arguments: everyone takes its rows of each batch, losses and scores are averaged, the first process writes the
    checkpoint, under the names of the model itself, so that one process can go on from it, compiled or not. Where the
    loss is a mean over rows, the result is that of one process with the whole batch, up to the order of additions.

    Parameters
    ----------
    model : module
        Changed in place; left in evaluation mode.
    batches : callable
        Step number -> whatever ``loss`` takes, the same whenever asked; see :func:`text_batches`. Tensors, alone or in
        a tuple, list or dictionary, are moved to the device of the model. Several processes share their first axis.
    plan : TrainingPlan
        Steps, rates, evaluation.
    loss : callable, default :func:`regattn.transformer.language_model.next_token_loss`
        Model and batch -> scalar tensor.
    evaluate : callable, optional
        Model -> dict of numbers, without gradients; the first is the one ``patience`` watches (smaller is better).
    checkpoint : path, optional
        Where to save every ``plan.save_every`` steps and at the end, in a folder that exists. If the file is there,
        training goes on from it; it is replaced only by one from which training could go on.

    Returns
    -------
    DataFrame
        One row per evaluation, indexed by step: ``loss`` (mean training loss since the row before), ``learning_rate``,
        and what ``evaluate`` returned.

    Raises
    ------
    ValueError
        If the loss is not finite in any process, or its gradient is not; if the processes cannot share a batch evenly,
        or not all of them see the checkpoint; if that belongs to another model or plan, or to one with other frozen
        parameters; or if a weight is not finite when it is to be saved.
    FileNotFoundError
        If the folder of ``checkpoint`` does not exist; no step is taken.

    Examples
    --------
    >>> line = nn.Linear(1, 1)
    >>> x = torch.arange(5.0)[:, None]
    >>> history = train(line, lambda step: x, TrainingPlan(steps=400, peak=0.1, weight_decay=0.0),
    ...                 loss=lambda model, x: ((model(x) - 2 * x - 1) ** 2).mean())
    >>> bool(history.loss.iloc[-1] < 1e-3)
    True
    """
    here = ranks_of(model)
    named = plain_parameters(here.model)
    matrices = [p for p in named.values() if p.ndim > 1]
    vectors = [p for p in named.values() if p.ndim <= 1]
    optimiser = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": plan.weight_decay}, {"params": vectors, "weight_decay": 0.0}],
        lr=plan.peak,
        betas=(0.9, 0.95),
        fused=True,
    )
    state = TrainingState(rows=[], losses=[], step=0)
    if checkpoint is not None and check_place(checkpoint).exists():
        state = resume(checkpoint, named, optimiser, plan)
    here.check_together(state.step)
    bar = tqdm(total=plan.steps, initial=state.step, disable=not (plan.progress and here.first), unit="step")
    while state.step < plan.steps and not _stopped(state.rows, plan):
        model.train()
        batch = here.rows(batches(state.step))
        _update(partial(loss, model, batch), optimiser, plan, state, here)
        if state.step % plan.evaluate_every == 0 or state.step == plan.steps:
            model.eval()
            with torch.no_grad(), _precision(plan, here):
                scores = here.mean(evaluate(here.model)) if evaluate else {}
            row = {"step": state.step, "loss": float(np.mean(state.losses))}
            state.rows.append(row | {"learning_rate": optimiser.param_groups[0]["lr"]} | scores)
            state.losses.clear()
            bar.set_postfix(loss=f"{row['loss']:.3f}")
        bar.update()
        ended = state.step == plan.steps or _stopped(state.rows, plan)
        if checkpoint is not None and here.first and (ended or state.step % plan.save_every == 0):
            save_state(checkpoint, named, optimiser, plan, state)
    bar.close()
    model.eval()
    return pd.DataFrame(state.rows).set_index("step")


def _update(
    loss: Callable[[], Tensor],
    optimiser: torch.optim.Optimizer,
    plan: TrainingPlan,
    state: TrainingState,
    here: Ranks,
) -> None:
    for group in optimiser.param_groups:
        group["lr"] = learning_rate(plan, state.step)
    optimiser.zero_grad(set_to_none=True)
    with _precision(plan, here):
        value = loss()
    value.backward()
    norm = nn.utils.clip_grad_norm_(here.model.parameters(), plan.clip)  # of the gradient that all processes share
    number = here.mean({"loss": value.item()})["loss"]
    for what, found in (("loss", number), ("gradient", norm.item())):
        if not math.isfinite(found):
            raise ValueError(f"the {what} must be finite, got {found} at step {state.step}")
    optimiser.step()
    state.losses.append(number)
    state.step += 1


def _precision(plan: TrainingPlan, here: Ranks) -> torch.autocast:
    """Return where products are taken in the precision of the plan, and everything else as it is."""
    device = next(here.model.parameters()).device.type
    return torch.autocast(device, dtype=torch.bfloat16, enabled=plan.precision == "bfloat16")


def _stopped(rows: list[dict[str, float]], plan: TrainingPlan) -> bool:
    if plan.patience is None or not rows:
        return False
    watched = list(rows[0])[3] if len(rows[0]) > 3 else "loss"
    values = [row[watched] for row in rows]
    return len(values) - 1 - int(np.argmin(values)) >= plan.patience
