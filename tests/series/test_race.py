"""The race of chapter 7: nobody sees the future, kept errors are those of the models, p-values are corrected."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

from regattn.data import load_macro
from regattn.series import corrected_t_test, diebold_mariano, load_race, race_models, race_table
from tools import race as tool

every_race = pytest.mark.parametrize("data", ["diabetes", "inflation"])


def test_neither_a_split_nor_a_fold_of_the_series_sees_the_future():
    X, _, splits, folds = tool.inflation()
    assert splits[0][1][0] == 100
    np.testing.assert_array_equal(np.concatenate([test for _, test in splits]), np.arange(100, len(X)))
    for train, test in splits:
        assert train.max() < test.min()
        for fit, check in folds.split(X[train]):
            assert fit.max() < check.min()


def test_errors_of_the_series_belong_to_its_last_hundred_quarters():
    past = load_macro()["inflation"]
    forecasts = past[-100:].to_numpy() - load_race("inflation").errors["mean"][0]  # the mean of what was known
    means = [past[: -100 + start][-100 - start :].mean() for start in range(0, 100, 8)]
    np.testing.assert_allclose(forecasts, np.repeat(means, 8)[:100], atol=1e-4)


@every_race
def test_every_contender_ran_on_every_row_with_every_seed(data):
    race = load_race(data)
    assert set(race.errors) == set(race_models(folds=3, n_features=8))
    for name, errors in race.errors.items():
        random = re.match("forest|network|attention", name)
        assert errors.shape == (3 if random else 1, sum(race.sizes))
        assert np.isfinite(errors).all()
        assert not random or (np.ptp(errors, axis=0) > 0).any()


@every_race
def test_every_choice_kept_is_one_of_the_grid(data):
    race, models = load_race(data), race_models(folds=3, n_features=8 if data == "inflation" else 10)
    for name, picks in race.picks.items():
        grid = getattr(models[name], "param_grid", {})
        for setting, values in grid.items():
            key = setting.split("__")[-1]
            chosen = {pick: times for pick, times in picks.items() if pick.startswith(f"{key}=")}
            assert set(chosen) <= {f"{key}={value:g}" for value in values}
            assert sum(chosen.values()) == len(race.sizes)


def an_end_that_was_chosen(race, models):
    """Yield each model's setting that stands at an end of its grid and was chosen, and what a step further would be."""
    for name, model in models.items():
        for setting, values in getattr(model, "param_grid", {}).items():
            key = setting.split("__")[-1]
            for end, further in ((values[0], values[0] / 10), (values[-1], values[-1] * 10)):
                if f"{key}={end:g}" in race.picks[name]:
                    yield model.estimator, setting, end, further


@every_race
def test_where_the_end_of_a_grid_was_chosen_a_step_further_is_the_same_model(data):
    X, y, splits, folds = tool.RACES[data]()
    train, test = splits[0]
    chosen = list(an_end_that_was_chosen(load_race(data), race_models(folds=folds, n_features=X.shape[1])))
    assert chosen
    for model, setting, end, further in chosen:
        if setting.endswith(("n_components", "min_samples_leaf", "n_neighbors")) and end in (1, X.shape[1]):
            continue  # no fewer than one, no more components than columns
        here, there = (
            clone(model).set_params(**{setting: value}).fit(X[train], y[train]).predict(X[test])
            for value in (end, further)
        )
        assert np.sqrt(np.mean((here - there) ** 2)) < 0.03 * y.std(), setting


def test_neighbours_are_at_most_everybody():
    X, y = np.arange(30.0).reshape(10, 3), np.arange(10.0)
    search = race_models(folds=2, n_features=3)["nearest neighbours"]
    (setting,) = search.param_grid
    everybody = search.estimator.set_params(**{setting: 377}).fit(X, y)
    np.testing.assert_allclose(everybody.predict(X[:4]), y.mean())


@every_race
def test_errors_kept_are_those_of_least_squares_fitted_by_hand(data):
    X, y, splits, _ = tool.RACES[data]()
    by_hand = [y[test] - LinearRegression().fit(X[train], y[train]).predict(X[test]) for train, test in splits]
    np.testing.assert_allclose(load_race(data).errors["OLS"][0], np.concatenate(by_hand), atol=1e-4)


@pytest.mark.parametrize("name", ["mean", "ridge", "attention, softmax"])
@every_race
def test_running_a_split_again_gives_the_errors_kept(data, name):
    X, y, splits, folds = tool.RACES[data]()
    train, test = splits[0]
    model = race_models(folds=folds, n_features=X.shape[1])[name].fit(X[train], y[train])
    kept = load_race(data).errors[name][0, : len(test)]
    np.testing.assert_allclose(y[test] - model.predict(X[test]), kept, atol=0.02 * y.std())


def test_losses_are_means_over_seeds_and_over_splits():
    race = load_race("diabetes")
    rows = race.losses(by_split=False)
    np.testing.assert_allclose(rows["forest"], np.mean(race.errors["forest"] ** 2, axis=0))
    first = rows["forest"][: race.sizes[0]].mean()
    assert race.losses(by_split=True)["forest"].iloc[0] == pytest.approx(first, rel=1e-12)
    assert len(race.losses(by_split=True)) == len(race.sizes) == 10


def test_an_unknown_race_is_named():
    with pytest.raises(ValueError, match="name must be one of diabetes, inflation, got 'boston'"):
        load_race("boston")


def test_a_table_compares_all_with_the_baseline_and_corrects_as_holm_does():
    rng = np.random.default_rng(0)
    losses = pd.DataFrame(rng.chisquare(2, size=(40, 4)) + np.array([0, 0.4, 1.2, 0]), columns=["OLS", "a", "b", "c"])
    table = race_table(losses, lambda one, other: corrected_t_test(one, other, test_share=0.2))
    assert table["rmse"].is_monotonic_increasing
    assert table.loc["OLS", ["difference", "standard_error", "p_value", "holm"]].tolist() == [0, 0, 1, 1]
    p = table.drop(index="OLS")["p_value"].sort_values()
    by_hand = np.minimum(np.maximum.accumulate(p * [3, 2, 1]), 1)
    pd.testing.assert_series_equal(table["holm"].drop("OLS")[p.index], by_hand, check_names=False)
    assert not table.isna().any(axis=None)


def test_losses_averaged_over_seeds_are_compared_as_errors_are():
    rng = np.random.default_rng(1)
    errors, rival = rng.normal(size=(2, 50))
    direct = diebold_mariano(errors, rival)
    by_losses = diebold_mariano(errors**2, rival**2, squared=True)
    assert by_losses == pytest.approx(direct, rel=1e-12)
