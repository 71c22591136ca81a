"""The published Monte Carlo: its data, its models as published, and a script that goes on where it stopped."""

from __future__ import annotations

import csv
import math
import sys

import numpy as np
import pytest
import torch
from sklearn.linear_model import LinearRegression

from regattn.recorded_runs import load_runs
from regattn.regression import make_design
from regattn.regression.designs import DESIGNS
from tools import monte_carlo as tool
from tools.published_attention import PublishedAttention
from tools.published_network import PublishedNetwork
from tools.recorded_runs import FOLDER

pytestmark = pytest.mark.weekly  # and whenever what it imports differs from main

SLOW = {
    "linear": lambda a, b, c, d, e: 2 * (a - 0.5) - (b - 0.5) + 3 * (c - 0.5) + 1.5 * (d - 0.5) + 0.5 * (e - 0.5),
    "Friedman 1": lambda a, b, c, d, e: 10 * math.sin(math.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e,
    "Friedman 2": lambda a, b, c, d, e: math.sin(math.pi * (a + b + c)) + math.log(1 + d**2),
    "Friedman 3": lambda a, b, c, d, e: a * b + math.log(c + d + 2),
    "rotated sine": lambda a, b, c, d, e: math.sin(3 * (a + b + c + d)),
    "soft radial": lambda *x: 1 / (1 + 5 * sum((one - 0.5) ** 2 for one in x)),
}


@pytest.mark.parametrize("name", SLOW)
def test_a_design_is_its_formula_with_noise_of_the_share_asked_for(name):
    X, y, signal = make_design(name, 4001, signal_to_noise=2.0, rng=1)
    np.testing.assert_allclose(signal, [SLOW[name](*row) for row in X], rtol=1e-12)
    assert signal.var() / (y - signal).var() == pytest.approx(2.0, rel=0.1)
    assert 0 <= X.min() < 0.01
    assert 0.99 < X.max() <= 1
    again = make_design(name, 4001, signal_to_noise=2.0, rng=1)
    np.testing.assert_array_equal(again.y, y)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cubic", 10, 1.0), "name must be one of linear, Friedman 1, .* got 'cubic'"),
        (("linear", 1, 1.0), "n must be ≥ 2, got 1"),
        (("linear", 10, 0.0), "signal_to_noise must be > 0, got 0.0"),
    ],
)
def test_a_design_that_is_none_is_refused(arguments, message):
    name, n, ratio = arguments
    with pytest.raises(ValueError, match=message):
        make_design(name, n, signal_to_noise=ratio, rng=0)


def test_small_sizes_come_first_and_within_a_size_every_design_before_the_next_draw():
    order = list(tool.cells())
    assert len(order) == len(set(order)) == 6 * 4 * 4 * 10
    assert [cell.n for cell in order] == [500] * 240 + [1000] * 240 + [2500] * 240 + [5000] * 240
    assert {cell.draw for cell in order[:24]} == {0}
    assert {(cell.design, cell.signal_to_noise) for cell in order[24:48]} == {
        (design, ratio) for design in DESIGNS for ratio in (0.5, 1.0, 2.0, 3.0)
    }


def test_every_cell_has_data_of_its_own_and_the_same_each_time():
    cells = [tool.Cell(500, draw, ratio, design) for draw in (0, 1) for ratio in (0.5, 1.0) for design in DESIGNS]
    first = {cell: cell.rows() for cell in cells}
    assert len({rows[0][0, 0] for rows in first.values()}) == len(cells)
    for cell, rows in first.items():
        assert [len(part) for part in rows] == [500, 500, 1000, 1000]
        np.testing.assert_array_equal(cell.rows()[3], rows[3])


def test_no_model_sees_the_test_rows_before_it_predicts_them(monkeypatch):
    cell, seen = tool.Cell(50, 3, 1.0, "linear"), []

    def fit(X, y, seed):
        seen.append((X.copy(), y.copy(), seed))
        return LinearRegression().fit(X, y), ""

    monkeypatch.setitem(tool.MODELS, "spy", fit)
    (row,) = tool.run(cell, ("spy",))
    X, y, X_test, y_test = cell.rows()
    np.testing.assert_array_equal(seen[0][0], X)
    np.testing.assert_array_equal(seen[0][1], y)
    assert seen[0][2] == 3
    assert row["r2"] == round(LinearRegression().fit(X, y).score(X_test, y_test), 4)
    assert row["seconds"] >= 0
    assert row["megabytes"] >= 0


@pytest.mark.parametrize("name", [name for name in tool.MODELS if "head" not in name and "published" not in name])
def test_a_rival_says_what_it_chose_and_beats_the_mean(name):
    (row,) = tool.run(tool.Cell(120, 0, 3.0, "linear"), (name,))
    assert row["r2"] > 0.2
    tuned = name in ("ridge", "forest", "boosting", "histogram boosting")
    assert bool(row["setting"]) == tuned


def test_one_head_chooses_its_penalty_on_training_rows(monkeypatch):
    monkeypatch.setattr(tool, "PENALTIES", (1e-3, 100.0))
    (row,) = tool.run(tool.Cell(300, 0, 3.0, "soft radial"), ("one head with a line",))
    assert row["setting"] == "0.001"
    assert row["r2"] > 0.2


# --- a script that can be interrupted ---------------------------------------------------------------------------------


@pytest.fixture
def quick(monkeypatch):
    """Let the script run two models that take no time, and count the cells."""
    ran, real = [], tool.run

    def run(cell):
        ran.append(cell)
        return real(cell._replace(n=20), ("OLS", "ridge"))

    monkeypatch.setattr(tool, "run", lambda cell: [row | {"n": cell.n} for row in run(cell)])
    return ran


def script(monkeypatch, path, *arguments):
    monkeypatch.setattr(sys, "argv", ["monte_carlo", "--sizes", "500", "--output", str(path), *arguments])
    tool.main()


def test_the_script_goes_on_where_it_stopped(quick, monkeypatch, tmp_path, capsys):
    path = tmp_path / "trial.csv"
    script(monkeypatch, path, "--draws", "1")
    assert len(quick) == 24
    script(monkeypatch, path, "--draws", "1")
    assert len(quick) == 24
    script(monkeypatch, path, "--draws", "2")
    assert len(quick) == len(set(quick)) == 48
    assert tool.read_cells(path) == set(quick)
    assert "500 1 3.0 soft radial" in capsys.readouterr().out


def test_what_an_interrupted_writing_left_is_cut_off_and_run_again(quick, monkeypatch, tmp_path):
    path = tmp_path / "trial.csv"
    script(monkeypatch, path, "--draws", "1")
    whole = path.read_text(encoding="utf-8")
    lines = whole.splitlines(keepends=True)
    path.write_text("".join(lines[:-2]) + lines[-2][:9], encoding="utf-8")
    script(monkeypatch, path, "--draws", "1")
    assert len(quick) == 25
    assert quick[-1] == quick[23]
    assert len(path.read_text(encoding="utf-8").splitlines()) == len(lines)


# --- as published -----------------------------------------------------------------------------------------------------


def explicit(model, X):
    """Return what the formula says of the learned triangles and shares, in double precision."""
    triangles = model._triangles.detach().tril().double().numpy()
    shares, keys = model._shares.detach().double().numpy(), model._X.double().numpy()
    total = 0.0
    for L, share in zip(triangles, shares, strict=True):
        exponentials = np.exp(X @ L @ L.T @ keys.T)
        total = total + share * (exponentials / exponentials.sum(axis=1, keepdims=True)) @ model._y.double().numpy()
    return model._centre + model._unit * total


@pytest.mark.parametrize("exclude_self", [False, True])
def test_published_attention_is_its_formula_and_learns(exclude_self):
    X, y, _ = make_design("linear", 90, signal_to_noise=3.0, rng=1)
    model = PublishedAttention(exclude_self=exclude_self, max_iter=30).fit(X[:60], y[:60])
    assert tuple(model._triangles.shape) == (5, 5, 5)
    np.testing.assert_allclose(model.predict(X[60:]), explicit(model, X[60:]), rtol=1e-3, atol=1e-3)
    untrained = PublishedAttention(exclude_self=exclude_self, max_iter=0).fit(X[:60], y[:60])
    assert model.score(X[:60], y[:60]) > untrained.score(X[:60], y[:60]) + 0.1


def test_published_attention_starts_at_least_squares():
    X, y, _ = make_design("linear", 60, signal_to_noise=3.0, rng=1)
    model = PublishedAttention(max_iter=0).fit(X, y)
    L = model._start(torch.Generator().manual_seed(3)).mean(dim=0).double().numpy()
    inverse = np.linalg.inv(X.T @ X / 60)
    assert np.linalg.norm(L @ L.T - inverse) < 0.1 * np.linalg.norm(inverse)
    np.testing.assert_allclose(model._shares.detach().numpy(), 0.2)


def test_without_oneself_the_first_answer_leaves_the_row_out():
    X, y, _ = make_design("linear", 31, signal_to_noise=3.0, rng=1)
    model = PublishedAttention(max_iter=0).fit(X, y)
    rows = torch.tensor([4, 30])
    masked = model._answers(model._X[rows], rows).detach().numpy()
    for place, row in enumerate((4, 30)):
        others = np.arange(31) != row
        part = PublishedAttention(max_iter=0).fit(X, y)
        part._X, part._y = model._X[others], model._y[others]
        part._triangles, part._shares = model._triangles, model._shares
        left_out = part._answers(model._X[row : row + 1], None).detach().numpy()[0]
        assert masked[place] == pytest.approx(left_out, abs=1e-5)


def test_the_published_network_stops_early_and_draws_from_its_own_seed():
    X, y, _ = make_design("linear", 200, signal_to_noise=3.0, rng=1)
    state = torch.get_rng_state()
    first, again = (PublishedNetwork(random_state=1).fit(X, y).predict(X[:5]) for _ in range(2))
    assert torch.equal(torch.get_rng_state(), state)
    np.testing.assert_array_equal(first, again)
    assert PublishedNetwork(random_state=1).fit(X, y).score(X, y) > 0.5


# --- what was recorded ------------------------------------------------------------------------------------------------


def recorded():
    return load_runs("monte_carlo").runs


def test_recorded_cells_are_whole_and_come_in_the_order_of_the_script():
    with (FOLDER / "monte_carlo.csv").open(encoding="utf-8") as file:
        next(file)
        rows = list(csv.DictReader(file))
    found = [tool.Cell(int(row["n"]), int(row["draw"]), float(row["signal_to_noise"]), row["design"]) for row in rows]
    size = len(tool.MODELS)
    cells = found[::size]
    assert len(cells) >= 12
    assert cells == list(tool.cells())[: len(cells)]
    for start in range(0, len(rows), size):
        assert set(found[start : start + size]) == {found[start]}
        assert [row["model"] for row in rows[start : start + size]] == list(tool.MODELS)


def test_recorded_scores_are_those_of_the_models():
    kept = recorded().set_index(["n", "draw", "signal_to_noise", "design", "model"])
    for cell in list(tool.cells())[:12:4]:
        for row in tool.run(cell, ("OLS", "ridge")):
            assert row["r2"] == pytest.approx(kept.loc[(*cell, row["model"]), "r2"], abs=1e-3)
    cell = next(tool.cells())
    for name in ("histogram boosting", "one head with a line"):
        (row,) = tool.run(cell, (name,))
        assert row["r2"] == pytest.approx(kept.loc[(*cell, name), "r2"], abs=0.02)
        assert row["setting"] == str(kept.loc[(*cell, name), "setting"])
