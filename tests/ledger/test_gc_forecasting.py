"""Goulet Coulombe's §4.4 on real series: what one model for all of them gives, as found by tools/forecasts.py."""

import numpy as np

from regattn.recorded_runs import load_runs


def test_gc_4_4e_on_us_employment_one_linear_forecaster_for_all_beats_local_autoregressions():
    runs = load_runs("forecasts", "employment").runs
    errors = {name: np.mean(part["mase"].tolist()) for name, part in runs.groupby("model")}
    assert errors["pooled linear"] < errors["local AR(13)"] < errors["naive"]
    assert abs(errors["transformer"] - errors["pooled linear"]) < 0.01
    assert errors["transformer"] < errors["local AR(13)"]
