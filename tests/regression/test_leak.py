"""Five heads under a mask fit pure noise: the script of *The race*, a part of it run again."""

from __future__ import annotations

import numpy as np

from regattn.recorded_runs import load_runs
from tools.leak import STEPS, measure, settings
from tools.published_attention import PublishedAttention


def test_under_the_mask_five_heads_learn_to_subtract_what_they_may_not_hear():
    found = measure({"part": "noise", "mask": True, "steps": 150, "seed": 0})
    assert found["fitted"] > 0.99
    assert found["new"] < 0
    assert -520 < found["shares"] < -450


def test_what_heads_hear_in_training_leaves_out_the_row_itself():
    X, y = np.random.default_rng(0).uniform(size=(40, 2)), np.arange(40.0)
    hears, masked = (PublishedAttention(exclude_self=own, max_iter=1).fit(X, y) for own in (False, True))
    assert np.allclose(hears.heard(X)[0], hears.predict(X))
    assert not np.allclose(masked.heard(X)[0], masked.predict(X), atol=0.1)


def test_the_file_holds_every_run_once():
    runs = load_runs("leak").runs
    assert len(runs) == len(settings(3)) == 3 * (len(STEPS) + 12)
    assert not runs.duplicated(["part", "design", "mask", "steps", "seed"]).any()
