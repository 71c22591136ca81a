"""Where a training stands, written to a file and read back, so that going on ends in the same bits."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from regattn._tensors import check_numbers, read_tensors, write_tensors
from regattn.transformer._plan import TrainingPlan

MOMENTS = ("exp_avg", "exp_avg_sq")


@dataclass
class TrainingState:
    """Where training stands: rows of the history, losses since the last of them, steps done."""

    rows: list[dict[str, float]]
    losses: list[float]
    step: int


def save_state(
    path: Any, named: dict[str, Tensor], optimiser: torch.optim.Optimizer, plan: TrainingPlan, state: TrainingState
) -> None:
    """Write where training stands; a state that would not be resumed leaves what was there."""
    tensors = {f"weight/{name}": p for name, p in named.items()}
    for name, p in named.items():
        tensors |= {f"{key}/{name}": value for key, value in optimiser.state[p].items()}
    note = {"plan": _essentials(plan), **_frozen(named), **asdict(state)}
    try:
        _check(tensors, note, named)
    except ValueError as error:
        raise ValueError(f"training was not saved at step {state.step}: {error}") from error
    write_tensors(path, tensors, note=note)


def resume(path: Any, named: dict[str, Tensor], optimiser: torch.optim.Optimizer, plan: TrainingPlan) -> TrainingState:
    tensors, note = read_tensors(path)
    if not isinstance(note, dict) or not {"plan", "rows", "losses", "step"} <= note.keys():
        raise ValueError(f"checkpoint {os.path.basename(path)} is not one of a training: its note says {note!r:.200}")
    if note["plan"] != _essentials(plan):
        raise ValueError(f"the checkpoint was made with another plan: {note['plan']}, not {_essentials(plan)}")
    _check(tensors, note, named)
    for name, p in named.items():
        p.data.copy_(tensors[f"weight/{name}"])
        if f"step/{name}" in tensors:
            optimiser.state[p] = {key: tensors[f"{key}/{name}"].to(p.device) for key in ("step", *MOMENTS)}
    return TrainingState(note["rows"], note["losses"], note["step"])


def _check(tensors: dict[str, Tensor], note: dict[str, Any], named: dict[str, Tensor]) -> None:
    """Raise a ValueError unless a training of the parameters ``named`` can go on from what a file holds.

    A parameter that no gradient has reached, frozen or not, has no moments.
    """
    found = {name: (tuple(tensor.shape), tensor.dtype) for name, tensor in tensors.items()}
    moved = [name for name in named if any(f"{key}/{name}" in found for key in ("step", *MOMENTS))]
    wanted = {f"weight/{name}": (tuple(p.shape), p.dtype) for name, p in named.items()}
    wanted |= {f"{key}/{name}": wanted[f"weight/{name}"] for key in MOMENTS for name in moved}
    wanted |= {f"step/{name}": ((), torch.float32) for name in moved}
    odd = sorted(name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name))
    if odd:
        name = odd[-1]  # a weight, if one is odd
        theirs, ours = (f"{part[name][1]} {part[name][0]}" if name in part else "none" for part in (found, wanted))
        raise ValueError(f"the checkpoint belongs to another model: its {name} is {theirs}, here {ours}")
    theirs, ours = (set(part.get("frozen", [])) for part in (note, _frozen(named)))
    if theirs != ours:
        name, (there, here) = min(theirs ^ ours), ("frozen", "trained") if theirs - ours else ("trained", "frozen")
        raise ValueError(f"the checkpoint belongs to another model: its {name} is {there}, here it is {here}")
    check_numbers(tensors)


def _frozen(named: dict[str, Tensor]) -> dict[str, list[str]]:
    """Return the entry of the note that names what is not trained; none where all is, as older files have it."""
    names = [name for name, p in named.items() if not p.requires_grad]
    return {"frozen": names} if names else {}


def _essentials(plan: TrainingPlan) -> dict[str, Any]:
    left = {"progress", "save_every"} | ({"precision"} if plan.precision == "full" else set())  # as older files have it
    return {name: value for name, value in asdict(plan).items() if name not in left}
