"""Several processes that train one model: which of them this is, its rows of a batch, and what all of them agree on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel


@dataclass(frozen=True)
class Ranks:
    """Which process of how many; alone, everything here returns what it is given."""

    model: nn.Module
    rank: int
    count: int
    group: Any = None

    @property
    def first(self) -> bool:
        """Whether this process is the one that writes and shows progress."""
        return self.rank == 0

    def rows(self, batch: Any) -> Any:
        """Return this process's rows of a batch of tensors, on the device of the model."""
        device = next(self.model.parameters()).device
        return _each(lambda tensor: self._own(tensor).to(device, non_blocking=True), batch)

    def mean(self, numbers: dict[str, float]) -> dict[str, float]:
        """Return the mean over the processes of each number, the same bits everywhere; not finite if one is not."""
        if self.count == 1 or not numbers:
            return numbers
        values = torch.tensor(list(numbers.values()), dtype=torch.float64, device=next(self.model.parameters()).device)
        dist.all_reduce(values, group=self.group)
        values /= self.count
        dist.broadcast(values, src=dist.get_global_rank(self.group, 0), group=self.group)
        return dict(zip(numbers, values.tolist(), strict=True))

    def check_together(self, step: int) -> None:
        """Raise in every process unless all of them stand at the same step."""
        found = self.mean({"step": step, "square": step * step})
        if found["square"] != found["step"] ** 2:  # of whole numbers, exact: the variance is not zero
            raise ValueError(f"processes begin at different steps, this one at {step}: all must see the checkpoint")

    def _own(self, tensor: Tensor) -> Tensor:
        if not tensor.ndim:
            return tensor
        if len(tensor) % self.count:
            raise ValueError(f"a batch of {len(tensor)} rows cannot be shared evenly by {self.count} processes")
        share = len(tensor) // self.count
        return tensor[self.rank * share : (self.rank + 1) * share]


def ranks_of(model: nn.Module) -> Ranks:
    """Return who trains a model: the processes of its DistributedDataParallel, or this one alone."""
    shared = getattr(model, "_orig_mod", model)  # torch.compile may stand outside
    if isinstance(shared, DistributedDataParallel):
        group = shared.process_group
        return Ranks(shared.module, dist.get_rank(group), dist.get_world_size(group), group)
    return Ranks(model, 0, 1)


def unwrapped(model: nn.Module) -> nn.Module:
    """Return the model that ``torch.compile`` and DistributedDataParallel have wrapped, in whichever order."""
    while within := getattr(model, "_orig_mod", model.module if isinstance(model, DistributedDataParallel) else None):
        model = within
    return model


def _each(change: Callable[[Tensor], Tensor], batch: Any) -> Any:
    if isinstance(batch, Tensor):
        return change(batch)
    if isinstance(batch, tuple | list):
        parts = [_each(change, part) for part in batch]
        return type(batch)(*parts) if hasattr(batch, "_fields") else type(batch)(parts)  # named tuples
    if isinstance(batch, dict):
        return {name: _each(change, part) for name, part in batch.items()}
    return batch
