"""The tool that alters the package: it reaches every room, alters each place once, and says what went unnoticed."""

from __future__ import annotations

import pytest

from tests.built import ROOT
from tools.mutants import (
    LEAST,
    ROOMS,
    UNTESTED,
    Alteration,
    Outcome,
    choose,
    is_mark,
    modules,
    report,
    room_of,
    verdict,
    what_runs_for,
)

APART = {
    "figures",
    "widgets",
    "exercises",
    "recorded_runs",
    "from_scratch",
}  # they compute no model, or are what it is held to
POSSIBLE = [
    Alteration(module, operator, number, (number // 2, 5))
    for module in modules()
    for operator in ("AddNot", "NumberReplacer")
    for number in range(10)
]


def outcomes(killed: int, survived: int, untried: int = 0) -> list[Outcome]:
    fates = ["killed"] * killed + ["survived"] * survived + ["untried"] * untried
    return [Outcome(POSSIBLE[0], fate, "-x < 1\n+x <= 1") for fate in fates]


def test_every_room_of_the_package_that_computes_is_altered():
    rooms = {path.parent.name for path in (ROOT / "regattn").glob("*/*.py")} - APART
    assert rooms == set(ROOMS)
    assert {room_of(module) for module in modules()} == {"core", *ROOMS}
    assert len(modules()) == len(set(modules())) > 30
    assert all((ROOT / module).is_file() for module in modules())


@pytest.mark.parametrize("room", ["core", *ROOMS])
def test_the_tests_of_a_room_are_there_its_own_first(room):
    paths = what_runs_for(room)
    assert all((ROOT / path).exists() for path in paths)
    assert paths[0] in (f"tests/{room}", "tests/test_attention.py")
    assert {path for path in modules() if room_of(path) == room} <= {
        found.relative_to(ROOT).as_posix() for path in paths for found in [ROOT / path, *(ROOT / path).glob("*.py")]
    }


@pytest.mark.parametrize("count", [LEAST, 97])
def test_a_sample_alters_each_place_once_and_every_module_before_any_twice(count):
    chosen = choose(POSSIBLE, count, seed=3)
    assert len(chosen) == len({(each.module, each.place) for each in chosen}) == count
    assert set(chosen) <= set(POSSIBLE)
    per_module = [sum(each.module == module for each in chosen) for module in modules()]
    assert max(per_module) - min(per_module) <= 1


def test_a_seed_repeats_a_sample_in_any_order_of_the_modules_and_another_gives_another():
    assert choose(POSSIBLE, 50, seed=3) == choose(POSSIBLE, 50, seed=3)
    assert choose(POSSIBLE, 50, seed=3) != choose(POSSIBLE, 50, seed=4)


def test_a_star_that_multiplies_nothing_is_left_alone():
    lines = ["def f(x, *, y):", "    return x * y"]
    assert is_mark(lines, Alteration("m.py", "ReplaceBinaryOperator_Mul_Div", 0, (1, 9)))
    assert not is_mark(lines, Alteration("m.py", "ReplaceBinaryOperator_Mul_Div", 1, (2, 13)))
    assert not is_mark(lines, Alteration("m.py", "AddNot", 0, (1, 9)))


def test_what_is_imported_for_annotations_alone_is_left_alone():
    lines = ["if TYPE_CHECKING:", "    import pandas", "if not x:"]
    assert is_mark(lines, Alteration("m.py", "AddNot", 0, (1, 0)))
    assert not is_mark(lines, Alteration("m.py", "AddNot", 1, (3, 0)))


def test_a_module_whose_tests_are_left_out_is_left_alone():
    pins = (ROOT / "requirements-test.txt").read_text() + (ROOT / "requirements.txt").read_text()
    for name in UNTESTED:
        assert name[1:].removesuffix(".py") not in pins  # else its tests run
        assert (ROOT / "regattn" / "attribution" / name).is_file()
        assert f"regattn/attribution/{name}" not in modules()


def test_the_report_counts_and_shows_the_survivors():
    text = report(outcomes(41, 2, untried=3), seed=9)
    assert "43 alterations tried (seed 9): 41 noticed, 2 not." in text
    assert "3 others" in text
    assert text.count("-x < 1\n+x <= 1") == 2
    assert text.count(f"`{POSSIBLE[0].module}:0`") == 2


@pytest.mark.parametrize(
    ("killed", "survived", "why"),
    [(40, 0, ""), (30, 10, ""), (29, 11, "11 of 40"), (39, 0, "only 39"), (0, 0, "only 0"), (0, 40, "40 of 40")],
)
def test_a_run_fails_when_it_tries_too_little_or_too_much_goes_unnoticed(killed, survived, why):
    said = verdict(outcomes(killed, survived, untried=7))
    assert said.startswith(why)
    assert bool(said) == bool(why)
