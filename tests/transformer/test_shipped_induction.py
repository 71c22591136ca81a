"""The shipped model that copies: its card is recomputed, and what it learned is an induction head."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pytest
import torch

from regattn.transformer import load_shipped
from regattn.transformer._experiments import copying, trace_under
from tools.train_induction_model import drawn, trained


@pytest.fixture(scope="module")
def shipped():
    return load_shipped("induction")


@pytest.fixture(scope="module")
def held_out(shipped):
    metrics = shipped[1]["metrics"]
    return drawn(np.random.default_rng(metrics["held_out_seed"]), metrics["held_out_texts"])


def test_the_metrics_on_the_card_are_what_the_weights_give(shipped, held_out):
    model, card = shipped
    found = copying(model, *held_out)
    assert found == pytest.approx({name: card["metrics"][name] for name in found}, abs=2e-4)
    assert card["seeds"][card["seed"]] == {name: card["metrics"][name] for name in found}


def test_the_card_beside_the_weights_is_the_one_inside_and_the_file_is_small(shipped):
    folder = files("regattn.transformer") / "shipped"
    assert json.loads((folder / "induction.json").read_text(encoding="utf-8")) == shipped[1]
    assert len((folder / "induction.safetensors").read_bytes()) < 60_000


def test_its_first_head_looks_one_back_and_its_second_at_what_followed(shipped):
    metrics = shipped[1]["metrics"]
    assert metrics["score"] > 0.9
    assert metrics["previous"] > 0.7
    assert metrics["repeated"] < 0.05


@pytest.mark.parametrize("masks", [[False, "causal"], ["causal", False], [np.eye(25, dtype=bool), "causal"]])
def test_without_a_part_it_copies_no_better_than_chance(shipped, held_out, masks):
    model, (tokens, period) = shipped[0], held_out
    logits = trace_under(model, tokens[:, :-1], masks).logits
    surprisal = -torch.log_softmax(logits, -1).gather(-1, tokens[:, 1:, None])[..., 0]
    certain = torch.arange(25) > period[:, None]
    assert surprisal[certain].mean() > 2  # of .01 with all parts


def test_the_training_can_be_had_again_for_its_first_steps():
    models = [trained(0, 2).embedding.weight.detach() for _ in range(2)]
    assert torch.equal(*models)
