"""What each process of `torchrun --nproc_per_node=2 worker.py FOLDER [die]` does; test_ranks reads what it leaves."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from tqdm.auto import tqdm

from regattn.transformer import Architecture, LanguageModel, TrainingPlan, next_token_loss, text_batches, train

TEXT = [(i * i) % 7 for i in range(400)]
PLAN = TrainingPlan(steps=8, peak=0.01, warmup=2, evaluate_every=4, save_every=4)
BATCHES = text_batches(TEXT, batch_size=6, context=10)


def fresh() -> LanguageModel:
    return LanguageModel(
        Architecture(vocabulary=7, layers=1, context=10, width=8, n_heads=2, positions="rotary"), rng=4
    ).double()


def held_out(model: torch.nn.Module) -> dict[str, float]:
    return {"held_out": float(next_token_loss(model, BATCHES(1000)))}


def shared() -> DistributedDataParallel:
    return DistributedDataParallel(fresh())


def error_of(**options) -> str:
    """Return what training says when it refuses."""
    try:
        train(shared(), plan=PLAN, **options)
    except ValueError as error:
        return str(error)
    return ""


def broken_on_the_second(model: torch.nn.Module, tokens: torch.Tensor) -> torch.Tensor:
    return next_token_loss(model, tokens) * (float("nan") if dist.get_rank() == 1 else 1.0)


def dies_once(folder: Path) -> Callable[[int], torch.Tensor]:
    """Return batches; when the second process first asks for the sixth, it is gone."""

    def batches(step: int) -> torch.Tensor:
        if step == 6 and dist.get_rank() == 1 and not (folder / "dead").exists():
            (folder / "dead").touch()
            os._exit(13)
        return BATCHES(step)

    return batches


def main(folder: Path, *how: str) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", timeout=timedelta(seconds=60))
    rank = dist.get_rank()
    model = shared()
    if how:
        history = train(model, dies_once(folder), PLAN, evaluate=held_out, checkpoint=folder / "died.safetensors")
        leave(folder, model, {"history": history.to_dict("list")})
        return
    bars = []
    told = replace(PLAN, progress=True)
    with patch("regattn.transformer.training.tqdm", lambda **how: bars.append(not how["disable"]) or tqdm(**how)):
        history = train(model, BATCHES, told, evaluate=held_out, checkpoint=folder / "two.safetensors")
    stopping = TrainingPlan(steps=400, peak=0.5, evaluate_every=1, patience=2)
    own = [dist.new_group([each]) for each in range(dist.get_world_size())][rank]  # everybody makes every group
    apart = train(DistributedDataParallel(fresh(), process_group=own), BATCHES, PLAN, evaluate=held_out)
    single = DistributedDataParallel(fresh().float())
    history_single = train(single, BATCHES, PLAN, evaluate=held_out)
    torch.save(single.module.state_dict(), folder / f"{rank}-single.pt")
    said = {
        "apart": apart.to_dict("list"),
        "history": history.to_dict("list"),
        "single": history_single.to_dict("list"),
        "stopped": int(train(shared(), BATCHES, stopping, evaluate=held_out).index[-1]),
        "not finite": error_of(batches=BATCHES, loss=broken_on_the_second),
        "uneven": error_of(batches=lambda step: BATCHES(step)[:5]),
        "unseen": error_of(batches=BATCHES, checkpoint=folder / ("two.safetensors" if rank == 0 else "elsewhere")),
        "bars": bars,
    }
    leave(folder, model, said)


def leave(folder: Path, model: DistributedDataParallel, said: dict) -> None:
    """Write what this process has to say, and its weights."""
    rank = dist.get_rank()
    (folder / f"{rank}.json").write_text(json.dumps(said))
    torch.save(model.module.state_dict(), folder / f"{rank}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
