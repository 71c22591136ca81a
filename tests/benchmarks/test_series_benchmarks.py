"""The benchmark of expanding least squares, run small: its peers and goals, and that contenders agree before a race."""

import numpy as np
import pytest

from regattn.data import load_employment
from tests.benchmarks.cases import check_cases, concerns, rows_of

pytestmark = pytest.mark.weekly(*concerns(__file__))

SMALL = {(37, 2): (None, None), (53, 3): (8.0, 60.0)}


def test_cases_have_the_peers_and_goals_that_the_question_asks_for(benchmark):
    cases = benchmark("expanding").measure(SMALL, rounds=2)
    check_cases(cases)
    assert [len(case["goals"]) for case in cases] == [0, 2]
    for case in cases:
        assert len(rows_of(case)) == 4
        assert {"RollingOLS", "RecursiveLS", "lstsq"} <= set(" ".join(rows_of(case)).replace(",", "").split())
    assert benchmark("expanding").SIZES == {(200, 3): (None, None), (2000, 10): (8.0, 60.0)}


@pytest.mark.parametrize("off", ["expanding_least_squares", "RollingOLS"])
def test_contenders_that_differ_are_not_timed(off, benchmark, monkeypatch):
    module = benchmark("expanding")
    right = getattr(module, off)
    swapped = {
        "expanding_least_squares": lambda X, y, **rest: right(X * (1 + 1e-6), y, **rest),
        "RollingOLS": lambda y, X, **rest: right(y, X * (1 + 1e-6), **rest),
    }
    monkeypatch.setattr(module, off, swapped[off])
    with pytest.raises(AssertionError):
        module.measure(SMALL, rounds=1)


def test_own_series_are_forecast_by_all_and_scored(benchmark):
    module = benchmark("own_series")
    table = np.log(load_employment()).iloc[:120, :2]
    (case,) = module.measure(table, origins=["1999-01"], rounds=1)
    check_cases([case])
    rows = rows_of(case)
    assert set(rows) == {module.OURS, module.SMOOTHING, module.NAIVE}
    assert all(row["MASE"] > 0 for row in rows.values())
    assert 0 <= rows[module.OURS]["80% covers"] <= 1
