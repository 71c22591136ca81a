"""Run the race of chapter 7 and keep every error: 14 models on two data sets, three seeds for those that draw.

    OMP_NUM_THREADS=1 python -m tools.race          # a few minutes on two idle cores
    OMP_NUM_THREADS=1 python -m tools.race --only "attention, softmax" --output trial.json

Results are written after every part, and a part that the file already holds is not run again: the work can be
interrupted. Chapter 7 reads the file, and runs a part of it again.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import KFold, RepeatedKFold, TimeSeriesSplit

from regattn.data import load_diabetes, load_macro
from regattn.series import lag_matrix
from regattn.series.race import DRAWN, race_models
from tools.recorded_runs import FOLDER, minutes_of, read_runs, write_runs

SEEDS = (0, 1, 2)
START, REFIT_EVERY = 100, 8  # the first forecast, and quarters between two fits
SPLITS = {"n_splits": 5, "n_repeats": 2, "random_state": 0}
LIBRARIES = ("numpy", "scikit-learn", "scipy", "torch")


def diabetes() -> tuple[np.ndarray, np.ndarray, list, object]:
    """Return inputs, target, the splits and the folds on which a model tunes itself."""
    X, y = (part.to_numpy() for part in load_diabetes())
    return X, y, list(RepeatedKFold(**SPLITS).split(X)), KFold(3, shuffle=True, random_state=0)


def inflation() -> tuple[np.ndarray, np.ndarray, list, object]:
    """Return the same for forecasts a quarter ahead; neither a split nor a fold ever sees the future."""
    macro = load_macro().dropna()
    inputs = lag_matrix(macro[["inflation", "unemployment", "bill_rate", "gdp_growth"]], max_lag=1).iloc[:-1]
    y = macro["inflation"].shift(-1).loc[inputs.index].to_numpy()
    rows = np.arange(len(y))
    splits = [(rows[:first], rows[first : first + REFIT_EVERY]) for first in range(START, len(y), REFIT_EVERY)]
    return inputs.to_numpy(), y, splits, TimeSeriesSplit(3, test_size=15)


RACES = {"diabetes": diabetes, "inflation": inflation}


def run(race: str, name: str) -> dict:
    """Return the errors of one model on the test rows of every split, for each seed, and the settings it chose.

    A model tunes itself with the first seed; the others repeat the fit at the settings it chose.
    """
    X, y, splits, folds = RACES[race]()
    model = race_models(folds=folds, n_features=X.shape[1])[name]
    seeds = SEEDS if name.startswith(DRAWN) else SEEDS[:1]
    errors: dict[int, list] = {seed: [] for seed in seeds}
    picks, start = Counter(), time.process_time()
    for train, test in splits:
        fitted = clone(model).fit(X[train], y[train])
        chosen = getattr(fitted, "best_estimator_", fitted)
        for seed in seeds:
            fitted = chosen if seed == SEEDS[0] else with_seed(chosen, seed).fit(X[train], y[train])
            errors[seed] += (y[test] - fitted.predict(X[test])).round(4).tolist()
        for setting in getattr(model, "param_grid", {}):
            picks[f"{setting.split('__')[-1]}={chosen.get_params()[setting]:g}"] += 1
    seconds = round(time.process_time() - start, 1)
    return {"part": race, "model": name, "seconds": seconds, "picks": dict(picks), "errors": errors}


def with_seed(model: BaseEstimator, seed: int) -> BaseEstimator:
    """Return a copy of a model, unfitted, that draws from another seed."""
    places = [place for place in model.get_params() if place.endswith("random_state")]
    return clone(model).set_params(**dict.fromkeys(places, seed))


def main() -> None:
    """Parse the arguments and run what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", help="names of models")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--output", type=Path, default=FOLDER / "race.json")
    arguments = parser.parse_args()
    made = read_runs(arguments.output)["runs"]
    there = {(run["part"], run["model"]) for run in made}
    names = arguments.only or list(race_models(folds=3, n_features=2))
    missing = [(race, name) for name in names for race in RACES if (race, name) not in there]
    sizes = {race: [len(test) for _, test in data()[2]] for race, data in RACES.items()}
    by_whom = {"script": __file__, "libraries": LIBRARIES, "seeds": SEEDS, "sizes": sizes}
    for found in Parallel(arguments.jobs, return_as="generator_unordered")(delayed(run)(*one) for one in missing):
        made.append(found)
        write_runs(arguments.output, made, minutes=minutes_of(made), **by_whom)
        print(found["part"], found["model"], found["seconds"], found["picks"], flush=True)


if __name__ == "__main__":
    main()
