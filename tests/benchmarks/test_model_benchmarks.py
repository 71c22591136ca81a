"""The benchmarks of attention, counting and the language model, run small: what they hand over and refuse to time."""

import inspect

import pytest

from tests.benchmarks.cases import check_cases, check_goal, concerns, rows_of

pytestmark = pytest.mark.weekly(*concerns(__file__))

TINY = {
    "attend_softmax": {"sizes": (397, 1021), "memory_sizes": (397, 1021)},
    "attend_identity": {"sizes": (31, 61, 127, 508)},
    "counting": {"tokens": 1009, "many": 2003, "windows": (2, 3), "articles": 1},
    "training": {"width": 16, "tokens": 11, "batch": 3, "steps": 1},
    "generation": {"lengths": (7, 13), "width": 16},
    "page_model": {"words": 5, "times": 1},
    "gpu": {"device": "cpu", "sizes": (31,), "heads": 2, "width": 16, "tokens": 11, "batch": 3},
}
ASKED = {
    "attend_softmax": {"sizes": (512, 1024, 2048, 4096, 8192), "memory_sizes": (2048, 8192)},
    "attend_identity": {"sizes": (1000, 8000, 100_000, 1_000_000)},
    "counting": {"tokens": 1_000_000, "many": 10_000_000, "windows": (5, 15), "articles": 106},
    "training": {"width": 128, "tokens": 128, "batch": 32},
    "generation": {"lengths": (127, 255), "width": 128},
    "page_model": {"words": 24},
    "gpu": {"device": "cuda", "sizes": (2048, 16384)},
}
PEERS = {
    "attend_softmax": {"scaled_dot_product_attention", "torch, plain", "MultiheadAttention"},
    "training": {"nn.TransformerEncoder", "by hand"},
    "generation": {"nanoGPT", "with a cache, torch", "without the cache", "reading the weights"},
    "page_model": {"JavaScript", "NumPy", "torch", "the matrix products alone", "reading the weights"},
    "gpu": {""},
}


def check_peers(name, cases, runs):
    check_cases(cases)
    for case, times in zip(cases, runs, strict=True):
        assert case["goals"]
        for peer in PEERS[name]:
            assert any(peer in contender for contender in rows_of(case)), f"{peer} is missing from {case['case']}"
        assert all(row["runs"] == times and row["seconds"] > 0 for row in case["rows"])


@pytest.mark.parametrize("name", ["training", "generation", "page_model", "gpu"])
def test_cases_have_the_peers_that_the_question_asks_for(name, benchmark):
    cases = benchmark(name).measure(**TINY[name], rounds=1)
    check_peers(name, cases, [1] * len(cases))


def test_softmax_has_its_peers_and_without_the_matrix_takes_less_memory_than_with_it(benchmark, monkeypatch):
    module = benchmark("attend_softmax")
    monkeypatch.setattr(module, "SHORT", 397)
    cases = module.measure(**TINY["attend_softmax"], rounds=1)
    check_peers("attend_softmax", cases, [3, 1, 3, 1])
    few, many = cases[:2]
    memory = {name: row.get("peak memory MB") for name, row in rows_of(many).items()}
    matrix = 4 * module.HEADS * 1021**2 / 1e6
    assert memory[module.OURS] < matrix < memory[module.PLAIN]
    assert [len(case["goals"]) for case in cases] == [1, 2, 1, 1]
    assert "peak memory MB" in rows_of(few)[module.OURS]


def test_the_identity_kernel_is_timed_in_both_libraries_and_its_memory_only_at_the_largest_size(benchmark):
    cases = benchmark("attend_identity").measure(**TINY["attend_identity"], rounds=1)
    check_cases(cases)
    assert [len(case["goals"]) for case in cases] == 2 * [0, 0, 0, 1, 1]
    assert ["peak memory MB" in case["rows"][0] for case in cases] == 2 * [False, False, False, True, False]
    linear = [case for case in cases if "linear" in case["case"]]
    assert all([row["ours"] for row in case["rows"]] == 3 * [True] + 3 * [False] for case in linear)


def test_counting_is_compared_where_the_peers_have_the_time_and_measured_alone_beyond(benchmark):
    cases = benchmark("counting").measure(**TINY["counting"], rounds=1)
    check_cases(cases[:3])
    assert [len(case["rows"]) >= 3 for case in cases] == [True, True, True, False, False]
    assert [len(case["goals"]) for case in cases] == [2, 0, 1, 1, 1]
    for case in cases[3:]:
        check_goal(case["goals"][0])
        [row] = case["rows"]
        assert row["ours"]
        assert case["goals"][0]["measured"] == pytest.approx(row["peak memory MB"] / 1e3)
    assert any("dictionary" in contender for contender in rows_of(cases[0]))
    assert all("pandas groupby" in rows_of(case) for case in cases[:3])


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("attend_softmax", "attend"),
        ("attend_identity", "attend"),
        ("counting", "count_cooccurrences"),
        ("training", "next_token_loss"),
    ],
)
def test_contenders_that_differ_from_ours_are_not_timed(name, ours, benchmark, monkeypatch):
    module = benchmark(name)
    right = getattr(module, ours)
    monkeypatch.setattr(module, ours, lambda *inputs, **options: right(*inputs, **options) * (1 + 1e-3))
    monkeypatch.setattr(module, "alternate", lambda *_, **__: pytest.fail("it was timed"))
    with pytest.raises(AssertionError):
        module.measure(**TINY[name], rounds=1)


def test_a_text_that_differs_without_the_cache_is_not_timed(benchmark, monkeypatch):
    module = benchmark("generation")
    right = module.generate

    def other_draws(*inputs, rng, cached=True):
        return right(*inputs, cached=cached, rng=rng + cached)

    monkeypatch.setattr(module, "generate", other_draws)
    monkeypatch.setattr(module, "alternate", lambda *_, **__: pytest.fail("it was timed"))
    with pytest.raises(AssertionError, match="not equal"):
        module.measure(**TINY["generation"], rounds=1)


@pytest.mark.parametrize("reading", ["read_on", "read_whole"])
def test_a_page_that_finds_other_logits_than_numpy_is_not_timed(reading, benchmark, monkeypatch):
    module = benchmark("page_model")
    right = getattr(module, reading)
    monkeypatch.setattr(module, reading, lambda *inputs: lambda: right(*inputs)() + 1e-8)
    timed = []
    monkeypatch.setattr(module, "alternate", lambda runs, **_: timed.append(runs) or {name: [1.0] for name in runs})
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        module.measure(**TINY["page_model"], rounds=1)
    assert len(timed) == (reading == "read_whole")  # the other case is first, and right


def test_models_that_are_trained_side_by_side_have_equally_many_parameters(benchmark):
    [case] = benchmark("training").measure(**TINY["training"], rounds=1)
    assert len({row["parameters"] for row in case["rows"]}) == 1


@pytest.mark.parametrize("name", ASKED)
def test_the_sizes_are_those_of_the_question(name, benchmark):
    defaults = {key: p.default for key, p in inspect.signature(benchmark(name).measure).parameters.items()}
    assert defaults["rounds"] >= 7
    assert ASKED[name].items() <= defaults.items()
