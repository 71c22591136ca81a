"""Two processes train one model as one process does with the whole batch; what happens to one happens to both."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.distributed as dist

from regattn.transformer import load_model, save_model, train
from regattn.transformer._ranks import Ranks, ranks_of, unwrapped
from tests.built import ROOT
from tests.transformer import worker

pytestmark = pytest.mark.weekly  # and whenever what it imports differs from main


def torchrun(folder: Path, *how: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    script = [worker.__file__, str(folder), *how]
    options = {"capture_output": True, "text": True, "check": False, "timeout": 240}
    return subprocess.run([*command, *script], cwd=ROOT, env=environment, **options)


@pytest.fixture(scope="module")
def two(tmp_path_factory) -> Path:
    """Return the folder with what two processes left."""
    folder = tmp_path_factory.mktemp("two")
    done = torchrun(folder)
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


@pytest.fixture(scope="module")
def alone() -> tuple:
    """Return the model and the history of one process with the whole batch."""
    model = worker.fresh()
    return model, train(model, worker.BATCHES, worker.PLAN, evaluate=worker.held_out)


def said(two: Path) -> list[dict]:
    return [json.loads((two / f"{rank}.json").read_text()) for rank in (0, 1)]


def test_weights_and_history_are_those_of_one_process(two, alone):
    model, history = alone
    for rank in (0, 1):
        for name, weight in torch.load(two / f"{rank}.pt").items():
            # gradients differ by the order of additions; Adam divides them by their own size, eight times
            torch.testing.assert_close(weight, model.state_dict()[name], rtol=0, atol=1e-10)
    for report in said(two):
        for column, values in report["history"].items():
            np.testing.assert_allclose(values, history[column], rtol=1e-9, err_msg=column)


def test_in_single_precision_they_are_those_of_one_process_to_a_millionth(two):
    model = worker.fresh().float()
    history = train(model, worker.BATCHES, worker.PLAN, evaluate=worker.held_out)
    for rank, report in enumerate(said(two)):
        for name, weight in torch.load(two / f"{rank}-single.pt").items():
            assert weight.dtype == torch.float32
            torch.testing.assert_close(weight, model.state_dict()[name], rtol=0, atol=1e-6)
        for column, values in report["single"].items():
            np.testing.assert_allclose(values, history[column], rtol=0, atol=1e-6, err_msg=column)


def test_both_processes_tell_the_same_history_and_stop_at_the_same_step(two):
    first, second = said(two)
    assert first["history"] == second["history"]
    assert first["stopped"] == second["stopped"] < 400


def test_processes_of_different_groups_do_not_share_a_batch_or_a_history(two, alone):
    for report in said(two):
        for column, values in report["apart"].items():
            np.testing.assert_allclose(values, alone[1][column], rtol=1e-9, err_msg=column)


def test_a_loss_that_is_not_finite_in_one_process_is_an_error_in_both(two):
    assert [report["not finite"] for report in said(two)] == ["the loss must be finite, got nan at step 0"] * 2


def test_a_batch_that_cannot_be_shared_is_named(two):
    expected = "a batch of 5 rows cannot be shared evenly by 2 processes"
    assert [report["uneven"] for report in said(two)] == [expected] * 2


def test_one_process_goes_on_from_the_checkpoint_of_two(two):
    model = worker.fresh()
    history = train(model, pytest.fail, worker.PLAN, checkpoint=two / "two.safetensors")  # nothing is left to do
    assert history.index.tolist() == [4, 8]
    for name, weight in torch.load(two / "0.pt").items():
        assert torch.equal(weight, model.state_dict()[name])


def test_only_the_first_process_shows_progress(two):
    assert [report["bars"] for report in said(two)] == [[True], [False]]


def test_a_checkpoint_that_only_one_process_sees_is_an_error_in_both(two):
    reason = "processes begin at different steps, this one at {}: all must see the checkpoint"
    assert [report["unseen"] for report in said(two)] == [reason.format(8), reason.format(0)]


def test_a_killed_process_ends_the_run_with_a_message_and_the_rest_is_done_later(tmp_path, alone, two):
    done = torchrun(tmp_path, "die")
    assert done.returncode != 0
    assert "exitcode  : 13" in done.stderr
    assert not list(tmp_path.glob("*.pt"))
    shutil.copy(tmp_path / "died.safetensors", tmp_path / "kept.safetensors")
    model = worker.fresh()
    train(model, worker.BATCHES, worker.PLAN, evaluate=worker.held_out, checkpoint=tmp_path / "kept.safetensors")
    for name, weight in alone[0].state_dict().items():
        torch.testing.assert_close(model.state_dict()[name], weight, rtol=0, atol=1e-10)
    done = torchrun(tmp_path, "die")  # the same command again
    assert done.returncode == 0, done.stderr[-3000:]
    assert [report["history"] for report in said(tmp_path)] == [report["history"] for report in said(two)]
    for rank in (0, 1):  # the same bits as of two processes that nobody killed
        again, whole = (torch.load(folder / f"{rank}.pt") for folder in (tmp_path, two))
        assert all(torch.equal(again[name], whole[name]) for name in whole)


def test_a_process_takes_its_rows_of_every_tensor_in_a_batch_and_leaves_single_numbers():
    rows, scale = torch.arange(12.0).reshape(6, 2), torch.tensor(0.5)
    second = Ranks(torch.nn.Linear(1, 1), rank=1, count=3)
    found = second.rows({"x": rows, "parts": (rows, [scale])})
    assert found["x"].equal(rows[2:4])
    assert found["parts"][0].equal(rows[2:4])
    assert found["parts"][1][0].item() == 0.5


def test_half_precision_products_train_and_keep_the_weights_whole():
    model = worker.fresh().float()
    plan = worker.TrainingPlan(steps=8, peak=0.01, precision="bfloat16")
    history = train(model, worker.BATCHES, plan)
    full = train(worker.fresh().float(), worker.BATCHES, worker.TrainingPlan(steps=8, peak=0.01))
    assert {p.dtype for p in model.parameters()} == {torch.float32}
    difference = np.abs(history["loss"] - full["loss"]).iloc[0]
    assert 0 < difference < 0.02  # products of 8 bits: 2^-9 of a loss of 2, eight steps


def test_an_unknown_precision_is_named():
    with pytest.raises(ValueError, match="full, bfloat16, got 'half'"):
        worker.TrainingPlan(steps=1, precision="half")


@pytest.fixture
def group():
    """Join a group of one process, so that a model can be wrapped as in a group of several."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


@pytest.mark.filterwarnings("ignore")  # torch.compile warns of its own age and of caches in libraries
def test_a_shared_model_is_found_inside_a_compiled_one_and_saved_under_its_plain_names(group, tmp_path):
    model = worker.fresh()
    compiled = torch.compile(worker.DistributedDataParallel(model), backend="eager")
    here = ranks_of(compiled)
    assert here.model is model
    assert here.group is not None
    assert unwrapped(compiled) is model
    save_model(compiled, tmp_path / "m.safetensors")
    again, _ = load_model(tmp_path / "m.safetensors")
    assert torch.equal(again.embedding.weight, model.embedding.weight)
