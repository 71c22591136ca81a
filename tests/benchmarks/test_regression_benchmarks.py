"""The benchmarks of regression, run small: what they hand over, and that they refuse to time contenders that differ."""

import mpmath
import numpy as np
import pytest

from tests.benchmarks.cases import check_cases, check_goal, concerns, rows_of

pytestmark = pytest.mark.weekly(*concerns(__file__))

TINY = {
    "ridge_path": ({(31, 3): None, (47, 5): 30.0}, (29, 4)),
    "leave_one_out": ({(37, 3): None, (53, 5): 5.0},),
    "slider": (41, 5, 7),
    "weights": ((29, 3), (23, 5)),
}
PEERS = {
    "ridge_path": {"Ridge, a loop", "one penalty per target", "RidgeCV", "statsmodels", "numpy solve", "QR"},
    "leave_one_out": {"RidgeCV"},
    "slider": {"Ridge", "numpy solve"},
    "weights": {"Ridge on the identity", "numpy solve", "products alone"},
}


@pytest.mark.parametrize("name", TINY)
def test_cases_have_the_peers_and_goals_that_the_question_asks_for(name, benchmark):
    cases = benchmark(name).measure(*TINY[name], rounds=2)
    check_cases(cases)
    for case in cases:
        peers = {"Ridge, a loop"} if "p = 4:" in case["case"] else PEERS[name]
        for peer in peers:
            assert any(peer in contender for contender in rows_of(case)), f"{peer} is missing from {case['case']}"
        assert all(row["runs"] == 2 and row["seconds"] > 0 for row in case["rows"])
    wanted = {"ridge_path": [0, 3, 1, 1, 1], "leave_one_out": [0, 1], "slider": [2], "weights": [1, 1]}[name]
    assert [len(case["goals"]) for case in cases] == wanted


@pytest.mark.parametrize("name", TINY)
def test_contenders_that_differ_from_ours_are_not_timed(name, benchmark, monkeypatch):
    module = benchmark(name)
    spectrum = module.spectrum
    monkeypatch.setattr(module, "spectrum", lambda X, **centre: spectrum(X * (1 + 1e-6), **centre))
    with pytest.raises(AssertionError):
        module.measure(*TINY[name], rounds=1)


@pytest.mark.parametrize("name", TINY)
def test_a_peer_that_differs_is_not_timed(name, benchmark, monkeypatch):
    module = benchmark(name)
    peer = {"leave_one_out": "RidgeCV"}.get(name, "Ridge")
    right = getattr(module, peer)
    shifted = {
        "Ridge": lambda *, alpha, **rest: right(alpha=alpha * (1 + 1e-5), **rest),
        "RidgeCV": lambda *, alphas, **rest: right(alphas=alphas * (1 + 1e-5), **rest),
    }
    monkeypatch.setattr(module, peer, shifted[peer])
    with pytest.raises(AssertionError):
        module.measure(*TINY[name], rounds=1)


def test_goals_follow_the_sizes_they_are_named_for(benchmark):
    assert benchmark("ridge_path").SIZES == {(200, 8): None, (2000, 50): 30.0, (20_000, 200): 70.0}
    assert benchmark("leave_one_out").SIZES == {(200, 8): None, (2000, 50): 5.0, (20_000, 200): 5.0}


def test_what_is_left_out_is_said(benchmark, monkeypatch):
    module = benchmark("ridge_path")
    monkeypatch.setattr(module, "ENTRIES", 31 * 3)
    with_statsmodels, without, *_ = module.measure({(31, 3): None, (47, 5): None}, (29, 4), rounds=1)
    assert any("statsmodels" in name for name in rows_of(with_statsmodels))
    assert "note" not in with_statsmodels
    assert not any("statsmodels" in name for name in rows_of(without))
    assert "statsmodels" in without["note"]


def test_the_path_is_held_against_its_loop_undisturbed_without_rest_and_beside_a_busy_core(benchmark, monkeypatch):
    module, resting, running = benchmark("ridge_path"), [], []
    alternate, start = module.alternate, benchmark("measure").subprocess.Popen

    def noted(*arguments, **options):
        resting.append(options.get("resting", True))
        return alternate(*arguments, **options)

    def started(*arguments, **options):
        running.append(start(*arguments, **options))
        return running[-1]

    monkeypatch.setattr(module, "alternate", noted)
    monkeypatch.setattr(benchmark("measure").subprocess, "Popen", started)
    cases = module.measure({}, (29, 4), rounds=2)
    assert [case["case"].split(": ")[1] for case in cases] == list(module.STRAINS)
    assert resting == [True, False, True]
    assert [process.poll() is not None for process in running] == [True]  # one neighbour, and it is gone
    assert module.STRAINED == (2000, 50)
    assert module.LEAST == 25.0


# --- digits -----------------------------------------------------------------------------------------------------------


def test_digits_are_counted_for_every_contender(benchmark):
    cases = benchmark("digits").measure(orders=2)
    check_cases(cases)
    assert [case["case"].split(": ")[1] for case in cases] == ["coefficients", "weights"] * 2
    assert [len(case["goals"]) for case in cases] == [1, 0, 1, 0]
    for case in cases:
        assert len(case["rows"]) == 7
        for row in case["rows"]:
            assert 0 <= row["digits_low"] <= row["digits"] <= row["digits_high"] <= 15
    for case in (cases[0], cases[2]):
        assert case["goals"][0]["measured"] == rows_of(case)["regattn"]["digits"]


def test_one_code_keeps_the_digits_of_both_data_sets(benchmark):
    longley, _, filip, _ = benchmark("digits").measure(orders=5)
    assert longley["goals"][0]["met"]
    assert rows_of(filip)["regattn"]["digits"] > 6.5  # condition number 3e9 leaves that many; the goal is stricter
    for name, row in rows_of(longley).items():
        assert name == "regattn" or row["digits"] < 13 or rows_of(filip)[name]["digits"] < 1


def test_the_data_sets_are_those_of_the_certificates(benchmark):
    digits = benchmark("digits")
    values = digits.FILIP.replace(",", " ").split()
    with mpmath.workdps(digits.WORKING):  # in decimals, so that no power is rounded
        y, x = ([mpmath.mpf(text) for text in values[start::2]] for start in (0, 1))
        A = mpmath.matrix([[power**k for k in range(11)] for power in x])
        found = mpmath.lu_solve(A.T * A, A.T * mpmath.matrix(y))
        found = np.array([float(value) for value in found])
    np.testing.assert_allclose(found, digits.certificate(digits.FILIP_CERTIFIED), rtol=2e-14)
    solution, hat = digits.exact(*digits.longley())
    np.testing.assert_allclose(solution, digits.certificate(digits.LONGLEY_CERTIFIED), rtol=1e-12)
    assert np.trace(hat) == pytest.approx(7, rel=1e-14)


@pytest.mark.parametrize(
    ("error", "digits"), [(0.0, 15.0), (1e-17, 15.0), (1e-3, 3.0), (0.5, -np.log10(0.5)), (9.0, 0)]
)
def test_digits_are_the_negative_logarithm_of_the_error_and_stay_between_0_and_15(error, digits, benchmark):
    assert benchmark("digits").log_relative_error(error) == pytest.approx(digits)


def test_the_worst_coefficient_counts_by_itself_and_the_worst_weight_beside_the_largest(benchmark):
    digits = benchmark("digits")
    truth, found = np.array([1000.0, 1.0]), np.array([1000.0, 1.01])
    assert digits.digits_of_each(found, truth) == pytest.approx(2)
    assert digits.digits_of_all(found, truth) == pytest.approx(5)


# --- the estimator ----------------------------------------------------------------------------------------------------

SMALL = ("regattn, softmax", "regattn, identity (ridge)", "scikit-learn KernelRidge")


def test_the_estimator_is_compared_on_time_error_and_memory(benchmark):
    estimator = benchmark("estimator")
    cases = estimator.measure(rows=211, test_rows=53, subset=101, keys=31, queries=(7,), rounds=1, contenders=SMALL)
    check_cases(cases)
    fits = [case for case in cases if case["case"].endswith("fit")]
    assert len(fits) == 2
    for case in fits:
        assert all(row["test R²"] < 1 for row in case["rows"])
    assert {row["contender"]: row["training rows"] for row in fits[1]["rows"]} == {
        "regattn, softmax": 101,
        "regattn, identity (ridge)": 211,
        "scikit-learn KernelRidge": 101,
    }
    assert all("peak bytes" in row for row in cases[-1]["rows"])
    assert [goal["most"] for goal in cases[-1]["goals"]] == [64e6]


def test_predicting_does_not_hold_the_weights_of_all_queries(benchmark):
    measure, estimator = benchmark("measure"), benchmark("estimator")
    m, n = 40_000, 500  # 160 MB of weights
    ours = measure.peak_memory(estimator.prediction, "regattn, softmax", n, m)
    assert ours < estimator.BOUND
    assert ours < measure.peak_memory(estimator.prediction, "scikit-learn KernelRidge", n, m) / 2


def test_many_rows_are_learned_from_batches_beside_peers(benchmark):
    many = benchmark("many_rows")
    (case,) = many.measure(rows=400, test_rows=53, subset=101, steps=5)
    check_cases([case])
    assert [row["training rows"] for row in case["rows"]] == [400, 101, 400]
    assert [goal["most"] for goal in case["goals"]] == [24e9, 600.0]


# --- more rows than memory --------------------------------------------------------------------------------------------


def test_folded_rows_are_compared_on_time_memory_and_digits(benchmark):
    module = benchmark("out_of_core")
    timed, compared, largest = cases = module.measure((4000, 6000, 8000), rows=1000, rounds=2)
    for case in (timed, largest):
        check_cases([case])
    assert [len(case["goals"]) for case in cases] == [1, 3, 1]
    for aim in compared["goals"]:
        check_goal(aim)
        assert aim["met"]  # few rows are easier
    assert all(row["peak bytes"] > 0 for row in timed["rows"])
    assert len(compared["rows"]) == 6
    assert module.LARGEST == 100_000_000


def test_chunks_are_the_rows_in_memory(benchmark):
    module = benchmark("out_of_core")
    X, y = module.rows_in_memory(3000, 1000)
    np.testing.assert_array_equal(X[1000:2000], module.chunk(1, 1000)[0])
    np.testing.assert_array_equal(y[2000:], module.chunk(2, 1000)[1])


def test_a_fold_that_misses_the_truth_is_not_reported(benchmark, monkeypatch):
    module = benchmark("out_of_core")

    found = module.Factor.coefficients

    def shifted(*arguments, **options):
        fit = found(*arguments, **options)
        return fit._replace(coef=fit.coef * (1 + 1e-6))

    monkeypatch.setattr(module.Factor, "coefficients", shifted)
    with pytest.raises(AssertionError, match="differs by"):
        module.timed(4000, 1000, 1)


def test_the_weights_of_a_forest_are_timed_beside_its_own_walk(benchmark):
    module = benchmark("listeners")
    cases = module.measure((90, 7, 5), leaves=(3,), rounds=1)
    check_cases(cases)
    assert [set(rows_of(case)) for case in cases] == [{module.OURS, module.WALK}]
    assert [len(case["goals"]) for case in cases] == [1]
