"""Where a training stands, written to a file and read back, so that going on ends in the same bits."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from regattn._tensors import read_tensors, write_tensors
from regattn.transformer._plan import TrainingPlan


@dataclass
class TrainingState:
    """Where training stands: rows of the history, losses since the last of them, steps done."""

    rows: list[dict[str, float]]
    losses: list[float]
    step: int


def save_state(
    path: Any, named: dict[str, Tensor], optimiser: torch.optim.Optimizer, plan: TrainingPlan, state: TrainingState
) -> None:
    tensors = {f"weight/{name}": p for name, p in named.items()}
    for name, p in named.items():
        tensors |= {f"{key}/{name}": value for key, value in optimiser.state[p].items()}
    write_tensors(path, tensors, note={"plan": _essentials(plan), **asdict(state)})


def resume(path: Any, named: dict[str, Tensor], optimiser: torch.optim.Optimizer, plan: TrainingPlan) -> TrainingState:
    tensors, note = read_tensors(path)
    if not isinstance(note, dict) or not {"plan", "rows", "losses", "step"} <= note.keys():
        raise ValueError(f"checkpoint {os.path.basename(path)} is not one of a training: its note says {note!r:.200}")
    if note["plan"] != _essentials(plan):
        raise ValueError(f"the checkpoint was made with another plan: {note['plan']}, not {_essentials(plan)}")
    keys = ("step", "exp_avg", "exp_avg_sq")
    found = {name: (tuple(tensor.shape), tensor.dtype) for name, tensor in tensors.items()}
    wanted = {f"{key}/{name}": (tuple(p.shape), p.dtype) for key in ("weight", *keys[1:]) for name, p in named.items()}
    wanted |= {f"step/{name}": ((), torch.float32) for name in named}
    odd = sorted(name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name))
    if odd:
        name = odd[-1]  # a weight, if one is odd
        theirs, ours = (f"{part[name][1]} {part[name][0]}" if name in part else "none" for part in (found, wanted))
        raise ValueError(f"the checkpoint belongs to another model: its {name} is {theirs}, here {ours}")
    for name, p in named.items():
        p.data.copy_(tensors[f"weight/{name}"])
        optimiser.state[p] = {key: tensors[f"{key}/{name}"].to(p.device) for key in keys}
    return TrainingState(note["rows"], note["losses"], note["step"])


def _essentials(plan: TrainingPlan) -> dict[str, Any]:
    left = {"progress", "save_every"} | ({"precision"} if plan.precision == "full" else set())  # as older files have it
    return {name: value for name, value in asdict(plan).items() if name not in left}
