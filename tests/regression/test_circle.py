"""The experiments of chapter 22: whole, within the chapter's bars, and the same when a part runs again."""

from __future__ import annotations

import numpy as np
import pytest

from regattn.recorded_runs import load_runs
from tools import circle as tool

pytestmark = pytest.mark.weekly  # and whenever what it imports differs from main


def risks(part, **chosen):
    """Return the risks of one part, of the rows that agree with what is chosen."""
    rows = load_runs("circle", part).runs
    for name, value in chosen.items():
        rows = rows[rows[name] == value]
    return rows["risk"].to_numpy()


def test_every_job_kept_is_one_of_the_plan():
    planned = {tuple(known_by) for *known_by, _ in tool.jobs()}
    for part in {part for part, *_ in planned}:
        kept = load_runs("circle", part).runs
        assert {(row.part, row.job, row.seed) for row in kept.itertuples()} <= planned


def test_four_layers_beat_least_squares_on_few_noisy_rows_in_each_of_ten_seeds():
    trained = risks("few", name="tied, GD++", depth=4)
    assert len(trained) == 10
    assert trained.max() <= 0.80 < 0.7 * risks("few", name="OLS")[0]
    assert trained.min() > risks("few", name="Bayes")[0]


def test_they_learn_a_prior_and_lose_to_least_squares_where_noise_is_less():
    rows = load_runs("circle", "few").runs.query("name == 'tied, GD++' and depth == 4")
    quiet = [place[1] for place in rows["elsewhere"]]
    known = load_runs("circle", "elsewhere").runs
    assert min(quiet) > 2 * known.query("noise == 0.3")["OLS"].item()


def test_softmax_needs_two_heads():
    linear = risks("softmax", name="linear", intercept=0.0)[0]
    assert risks("softmax", name="softmax, 1", intercept=0.0).min() >= 1.5 * linear
    assert risks("softmax", name="softmax, 2", intercept=0.0).max() <= 1.12 * linear
    pairs = load_runs("circle", "softmax").runs.query("name == 'softmax, 2' and intercept == 0")
    assert pairs["mirror"].min() > 0.998
    assert pairs["optimum"].min() > 0.9998


def test_with_an_intercept_two_heads_beat_a_linear_layer_with_ones():
    two = risks("softmax", name="softmax, 2", intercept=2.0).max()
    assert two < 0.85 * risks("softmax", name="linear, column of ones", intercept=2.0)[0]
    assert two < 0.3 * risks("softmax", name="linear", intercept=2.0)[0]


def test_one_linear_layer_has_the_risk_of_the_formula():
    formula = risks("many", name="formula")[0]
    assert risks("softmax", name="linear", intercept=0.0)[0] == pytest.approx(formula, rel=0.01)
    assert risks("many", name="tied", depth=1).max() == pytest.approx(formula, rel=0.01)


@pytest.mark.weekly
def test_what_needs_no_training_runs_again_to_the_same_figures():
    kept = load_runs("circle", "few").runs.query("job == 'known'").reset_index(drop=True)
    for again, (_, row) in zip(list(tool.baseline_risks(tool.FEW))[:4], kept.iterrows(), strict=False):
        assert again["name"] == row["name"]
        assert again["risk"] == pytest.approx(row["risk"], rel=1e-4)


@pytest.mark.weekly
def test_a_training_runs_again_to_nearly_the_same_risk():
    again = tool.layers_risk(0, tool.FEW, 2, "tied, GD++")
    kept = load_runs("circle", "few").runs.query("name == 'tied, GD++' and depth == 2 and seed == 0")
    assert again["risk"] == pytest.approx(kept["risk"].item(), rel=0.02)  # sums are taken in another order elsewhere


def test_real_tasks_are_learned_by_people_and_by_series():
    training, test = tool.macro_tasks()
    assert training["X"].shape[1:] == test["X"].shape[1:] == (32, 6)
    errors = {row["name"]: row["error"] for row in tool.real_errors("macro", 0, 0)}
    kept = load_runs("circle", "macro").runs.set_index("name")["error"]
    assert errors == {name: pytest.approx(kept[name], rel=1e-4) for name in errors}


def test_full_matrices_are_far_from_the_formula_after_a_few_steps():
    row = tool.full_matrices(0, 0.1, steps=20)
    assert row["error"] > 0.5
    assert np.isfinite(row["losses"]).all()


def test_layers_told_one_noisy_outcome_of_each_task_end_where_those_told_the_expected_error_end():
    told = load_runs("circle", "outcomes").runs
    expected = load_runs("circle", "few").runs.query("name == 'tied, GD++' and depth == 4")
    assert sorted(told["seed"]) == sorted(expected["seed"]) == list(range(10))
    assert abs(told["risk"].mean() - expected["risk"].mean()) < 0.01
    assert np.isfinite(tool.told_outcomes(0, steps=5)["risk"])
