"""Rivals of latent codes at the same number of bits, and the experiments of chapter 21 that were kept."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

from regattn.recorded_runs import load_runs
from regattn.transformer import CodeAutoencoder, quantised_pca, residual_kmeans
from tools import codes as tool

torch.set_num_threads(1)
rng = np.random.default_rng(3)
X = rng.normal(size=(211, 7)) * np.geomspace(4, 0.2, 7)
X_new = rng.normal(size=(53, 7)) * np.geomspace(4, 0.2, 7)


def kept(part: str) -> pd.DataFrame:
    return load_runs("codes", part).runs


# ---- rivals ---------------------------------------------------------------------------------------------------------


def test_one_part_is_k_means():
    model = KMeans(13, n_init=4, random_state=2).fit(X)
    expected = model.cluster_centers_[model.predict(X_new)]
    np.testing.assert_allclose(residual_kmeans(X, X_new, n_codes=13, rng=2), expected)


def test_a_second_part_is_k_means_of_what_the_first_left():
    first = residual_kmeans(X, X, n_codes=5), residual_kmeans(X, X_new, n_codes=5)
    second = residual_kmeans(X - first[0], X_new - first[1], n_codes=5)
    np.testing.assert_allclose(residual_kmeans(X, X_new, n_codes=5, n_parts=2), first[1] + second)


def test_parts_together_can_send_as_many_rows_as_their_codes_have_combinations():
    sent = residual_kmeans(X, X, n_codes=4, n_parts=2)
    assert 4 < len(np.unique(sent.round(9), axis=0)) <= 16


@pytest.mark.parametrize("bits", [1, 5, 9])
def test_quantised_components_take_no_more_values_than_their_bits_can_tell(bits):
    scores = PCA().fit(X).transform(quantised_pca(X, X, bits=bits))
    values = [len(np.unique(column.round(7))) for column in scores.T]
    assert np.log2(values).sum() == pytest.approx(bits)


def test_bits_are_spent_where_they_take_off_most():
    """The product of variances over 4^bits is that of the best way to spend them, by trying all."""
    scores = PCA().fit(X).transform(quantised_pca(X, X, bits=5))
    given = [int(np.log2(len(np.unique(column.round(7))))) for column in scores.T]
    variances = PCA().fit(X).explained_variance_
    ways = [w for w in np.ndindex((6,) * 4) if sum(w) == 5]
    left = [(variances[:4] / 4.0 ** np.array(w)).sum() for w in ways]
    assert tuple(given[:4]) == ways[int(np.argmin(left))]


def test_with_many_bits_both_come_near_the_rows():
    for sent in (quantised_pca(X, X, bits=30), residual_kmeans(X, X, n_codes=64, n_parts=5)):
        assert np.mean((sent - X) ** 2) < 0.01 * X.var()


@pytest.mark.parametrize(("call", "message"), [
    (lambda: quantised_pca(X, X_new[:, :5], bits=3), "X has 7 columns but X_new has 5"),
    (lambda: quantised_pca(X, X_new, bits=0), "bits must be ≥ 1, got 0"),
    (lambda: quantised_pca(X[:3], X_new, bits=9), "9 bits give component 0 32 centres, more than it has values"),
    (lambda: residual_kmeans(X, X_new, n_codes=300), r"n_codes must be ≤ 211 \(the number of training rows\), got 300"),
    (lambda: residual_kmeans(X, X_new, n_codes=3, n_parts=0), "n_parts must be ≥ 1, got 0"),
    (lambda: residual_kmeans(X * np.nan, X_new, n_codes=3), "X must be finite, got nan"),
])  # fmt: skip
def test_what_makes_no_sense_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# ---- the experiments -------------------------------------------------------------------------------------------


def test_every_experiment_was_run_with_every_seed():
    runs, card = load_runs("codes")
    assert card["script"] == "tools/codes.py"
    assert sorted(card["seeds"]) == list(tool.SEEDS)
    seeds = {part: tool.SEEDS_OF.get(part, tool.SEEDS) for part in tool.EXPERIMENTS}
    assert set(card["seconds"]) == {f"{part} {seed}" for part in seeds for seed in seeds[part]}
    for (part, _), rows in runs.groupby(["part", "name"]):
        sizes = rows.groupby(["n_codes", "n_parts", "bits", "width", "hidden"], dropna=False)
        assert (sizes["seed"].nunique() == len(seeds[part])).all()


def test_the_width_of_the_hidden_layers_was_chosen_on_training_rows_and_not_at_an_end_of_the_list():
    by_width = kept("hidden").groupby("hidden")["error"].mean()
    assert by_width.index.tolist() == list(tool.HIDDEN)
    assert by_width.idxmin() == tool.WIDE
    assert tool.HIDDEN[0] < tool.WIDE < tool.HIDDEN[-1]
    assert not set(tool.OTHERS) & set(tool.SEEDS)


def test_the_decay_of_averages_was_chosen_on_training_rows_and_not_at_an_end_of_the_list():
    by_decay = kept("decays").groupby("decay")["error"].mean()
    assert by_decay.index.tolist() == list(tool.DECAYS)
    assert by_decay.idxmin() == tool.DECAY
    assert tool.DECAYS[0] < tool.DECAY < tool.DECAYS[-1]


def test_each_part_holds_every_setting_of_the_script():
    assert set(kept("dead")["name"]) == set(tool.STARTS)
    assert set(kept("ablation")["name"]) == set(tool.ABLATIONS)
    assert set(kept("afterwards")["name"]) == set(tool.ENCODERS)
    assert set(kept("restarts")["hidden"]) == {128, tool.WIDE}
    assert set(kept("bottleneck")["width"]) == set(tool.WIDTHS)
    sizes = kept("bits").dropna(subset="n_parts")[["n_codes", "n_parts"]].drop_duplicates()
    assert {tuple(map(int, row)) for row in sizes.to_numpy()} == set(tool.SIZES)


@pytest.mark.parametrize("name", ["residual k-means", "quantised PCA"])
def test_a_rival_run_again_gives_what_was_kept(name):
    found, rows = tool.digits(3), kept("bits")
    [row] = rows[(rows["name"] == name) & (rows["bits"] == 10) & (rows["seed"] == 3)].to_dict("records")
    if name == "quantised PCA":
        sent = quantised_pca(found.X, found.X_new, bits=10, rng=3)
    else:
        sent = residual_kmeans(found.X, found.X_new, n_codes=32, n_parts=2, rng=3)
    assert tool.measured(found, sent)["error"] == pytest.approx(row["error"], rel=0.02)  # ties of k-means elsewhere


def test_the_reference_run_again_gives_about_what_was_kept():
    """Other machines add in another order, and 2,100 steps carry it far: the band is that of other seeds."""
    found, rows = tool.digits(1), kept("ablation")
    wanted = rows[rows["name"] == "as it should be"]["error"]
    error = tool.of_coder(tool.coder(1), found)["error"]
    assert wanted.min() - 0.002 < error < wanted.max() + 0.002


def test_dead_codes_run_again_briefly_are_as_dead():
    model = tool.coder(2, epochs=6, start="normal")
    assert len(model.codes(tool.tensor(tool.digits(2).X)).unique()) <= 5


def test_a_decoder_fitted_afterwards_to_an_encoder_that_was_never_trained_gives_what_was_kept():
    rows = kept("afterwards")
    [row] = rows[(rows["name"] == "never trained") & (rows["seed"] == 2)].to_dict("records")
    found = {found["name"]: found for found in tool.afterwards(2, epochs=1)}
    assert set(found) == set(tool.ENCODERS)
    assert found["never trained"]["error"] == pytest.approx(row["error"], rel=0.02)
    assert found["never trained"]["live"] == 32


def test_counted_chances_sum_to_one_and_know_what_they_are_told():
    sequences = np.column_stack([np.arange(40) % 10, np.arange(40) % 32, np.arange(40) % 5])
    for label in (True, False):
        for before in (True, False):
            first, second = tool.chances(sequences, label=label, before=before)
            np.testing.assert_allclose(first.sum(axis=-1), 1)
            np.testing.assert_allclose(second.sum(axis=-1), 1)
            assert first.shape == (10, 1, 32)
            assert second.shape == (10 if label else 1, 32 if before else 1, 32)


def test_nats_of_chances_that_know_nothing_are_the_logarithm_of_the_codes():
    even = [np.full((1, 1, 32), 1 / 32)] * 4
    assert tool.nats(even, np.zeros((7, 5), dtype=int)) == pytest.approx(np.log(32))


def test_what_is_drawn_follows_the_chances():
    certain = np.zeros((10, 1, 32))
    certain[np.arange(10), 0, np.arange(10)] = 1
    onwards = np.zeros((1, 32, 32))
    onwards[0, np.arange(32), (np.arange(32) + 1) % 32] = 1
    drawn = tool.drawn([certain, onwards], np.array([3, 7]), rng=np.random.default_rng(0))
    np.testing.assert_array_equal(drawn, [[3, 4], [7, 8]])


def test_a_short_generation_reports_every_way_of_drawing():
    rows = list(tool.generation(0, epochs=2, steps=5))
    assert {row["name"] for row in rows} == set(kept("generation")["name"])
    for row in rows:
        assert 0 <= row.get("read", 0) <= 1
        assert 0 <= row["copies"] <= 1


def test_results_are_written_and_not_run_twice(tmp_path, monkeypatch):
    runs, path = [], tmp_path / "trial.json"

    def trial(seed):
        runs.append(seed)
        yield {"name": "β", "error": 0.5}

    monkeypatch.setattr(tool, "EXPERIMENTS", {"a": trial})
    monkeypatch.setattr("sys.argv", ["codes.py", "--output", str(path), "--only", "a"])
    for _ in range(2):
        tool.main()
    assert runs == list(tool.SEEDS)
    assert len(pd.read_json(path, typ="series")["runs"]) == 5


def test_the_model_of_the_script_is_that_of_the_chapter():
    model = tool.coder(0, epochs=1)
    assert isinstance(model, CodeAutoencoder)
    assert model.bits == 20
