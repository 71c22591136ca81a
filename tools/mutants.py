"""Alter the package in many places, one at a time, and report the alterations that its tests do not notice.

`make mutants` runs it. cosmic-ray parses and alters; it lives in an environment of its own, beside the pinned one in
which the tests run. Everything happens in copies of the checkout: an interrupted run leaves no altered file behind.
"""

from __future__ import annotations

import argparse
import datetime
import os
import random
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
CORE = (
    *("attention.py", "kernels.py", "masks.py"),
    *("_activations.py", "_files.py", "_rng.py", "_shortcuts.py", "_tensors.py", "_text.py", "_validation.py"),
)
UNTESTED = ("_lightgbm.py", "_xgboost.py")  # nobody installs these libraries for the tests, which leave theirs out
ROOMS = ("attribution", "regression", "series", "words", "grammar", "transformer")
FURTHER = {  # tests of a room that stand elsewhere; they run after its own
    "core": [
        "tests/test_from_scratch.py",
        "tests/test_kernels.py",
        "tests/test_transforms.py",
        "tests/test_rng.py",
        "tests/test_files.py",
        "tests/test_tensors.py",
        "tests/bad_inputs/test_mechanism.py",
        "tests/bad_inputs/test_checkpoints.py",
        "tests/ledger/test_gc_attention.py",
    ],
    "attribution": [],
    "regression": ["tests/bad_inputs/test_regression.py", "tests/ledger/test_gc_least_squares.py"],
    "series": ["tests/bad_inputs/test_checkpoints.py", "tests/ledger/test_gc_time.py"],
    "words": [
        "tests/bad_inputs/test_words.py",
        "tests/bad_inputs/test_shards.py",
        "tests/ledger/test_mh_projection.py",
    ],
    "grammar": [],
    "transformer": [
        "tests/bad_inputs/test_models.py",
        "tests/bad_inputs/test_checkpoints.py",
        "tests/ledger/test_rk_transformer.py",
    ],
}
OPERATORS = (  # of cosmic-ray's, those that leave a program that still runs
    *(f"ReplaceBinaryOperator_{pair}" for pair in ("Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "Pow_Mul")),
    *(f"ReplaceBinaryOperator_{pair}" for pair in ("FloorDiv_Div", "Mod_FloorDiv", "BitAnd_BitOr")),
    *(f"ReplaceComparisonOperator_{pair}" for pair in ("Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt", "Lt_Gt", "Gt_Lt")),
    *(f"ReplaceComparisonOperator_{pair}" for pair in ("Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is")),
    *(f"ReplaceUnaryOperator_{each}" for each in ("USub_UAdd", "Delete_USub", "Delete_Not", "Delete_Invert")),
    *("AddNot", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceAndWithOr", "ReplaceOrWithAnd"),
    *("ReplaceBreakWithContinue", "ReplaceContinueWithBreak", "NumberReplacer", "RemoveDecorator"),
    "ZeroIterationForLoop",
)
LEAST = 40  # fewer than this many alterations say too little
SHARE = 0.25  # of survivors, above which the run fails; some alterations change nothing that can be observed
NOT_COPIED = shutil.ignore_patterns(".git", ".venv", "_build", "__pycache__", "*.egg-info", ".*_cache", ".hypothesis")


class Alteration(NamedTuple):
    """What cosmic-ray is to alter: the n-th occurrence of an operator in a module; ``place`` is its line and column."""

    module: str
    operator: str
    occurrence: int
    place: tuple[int, int]


class Outcome(NamedTuple):
    """What became of an alteration: "killed", "survived", or "untried" where time was up; ``diff`` shows it."""

    alteration: Alteration
    fate: str
    diff: str


def modules() -> list[str]:
    """Return the paths of the modules that are altered."""
    found = [f"regattn/{name}" for name in CORE]
    for room in ROOMS:
        paths = sorted((ROOT / "regattn" / room).glob("*.py"))
        found += [path.relative_to(ROOT).as_posix() for path in paths if path.name not in ("__init__.py", *UNTESTED)]
    return found


def room_of(module: str) -> str:
    """Return the room a module stands in, "core" for those beside the rooms."""
    parts = Path(module).parts
    return parts[1] if len(parts) > 2 else "core"


def what_runs_for(room: str) -> list[str]:
    """Return what pytest is to run for a room: its tests, its examples, and the tests that stand elsewhere."""
    own = [f"tests/{room}", f"regattn/{room}"]
    if room == "core":
        own = ["tests/test_attention.py", *(f"regattn/{name}" for name in CORE)]
    return own + FURTHER[room]


def choose(possible: Iterable[Alteration], count: int, seed: int) -> list[Alteration]:
    """Return ``count`` alterations at as many places; every module has one before any has two."""
    chance = random.Random(seed)
    by_module: dict[str, dict[tuple[int, int], list[Alteration]]] = {}
    for each in possible:
        by_module.setdefault(each.module, {}).setdefault(each.place, []).append(each)
    rounds = []
    for _, places in sorted(by_module.items()):
        order = sorted(places)
        chance.shuffle(order)
        rounds += [(number, chance.random(), chance.choice(places[place])) for number, place in enumerate(order)]
    return [each for _, _, each in sorted(rounds)[:count]]


def possible_alterations(paths: Iterable[str]) -> list[Alteration]:
    """Return every alteration that cosmic-ray can make to some modules."""
    from cosmic_ray.ast import ast_nodes, get_ast_from_path

    found = []
    for path in paths:
        tree = get_ast_from_path(ROOT / path)
        lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
        for name in OPERATORS:
            operator = _operator(name)
            places = (start for node in ast_nodes(tree) for start, _ in operator.mutation_positions(node))
            all_of_them = (Alteration(path, name, number, place) for number, place in enumerate(places))
            found += [each for each in all_of_them if not is_mark(lines, each)]
    return found


def is_mark(lines: list[str], each: Alteration) -> bool:
    """Return whether an alteration is to what no program computes with.

    That is a star that multiplies nothing, of ``f(x, *, y)`` or ``f(*xs)``, and what is imported for annotations alone.
    """
    line, column = each.place
    star = "_Mul_" in each.operator and lines[line - 1][column + 1 : column + 2] != " "
    return star or lines[line - 1].strip() == "if TYPE_CHECKING:"


def _operator(name: str) -> Any:
    import cosmic_ray.plugins

    return cosmic_ray.plugins.get_operator(f"core/{name}")()


def _settle(folder: str) -> None:
    """Move this process into a copy of the checkout of its own."""
    own = Path(folder) / str(os.getpid())
    shutil.copytree(ROOT, own, ignore=NOT_COPIED)
    os.chdir(own)
    os.environ.update(PYTHONPATH=str(own), OMP_NUM_THREADS="1")


def _command(python: str, room: str) -> str:
    options = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not browser and not book"]
    return shlex.join([python, "-m", "pytest", *options, *what_runs_for(room)])


def unaltered(python: str, room: str) -> tuple[float, str]:
    """Return how many seconds the tests of a room take, and what they said if they fail as things are."""
    from cosmic_ray.testing import TestOutcome, run_tests

    start = time.monotonic()
    fate, said = run_tests(_command(python, room), 3600)
    return time.monotonic() - start, "" if fate is TestOutcome.SURVIVED else said[-3000:]


def try_out(python: str, alteration: Alteration, patience: float, deadline: float) -> Outcome:
    """Return whether the tests concerned notice an alteration; tests that never end have noticed."""
    from cosmic_ray.mutating import use_mutation
    from cosmic_ray.testing import TestOutcome, run_tests

    if time.time() > deadline:
        return Outcome(alteration, "untried", "")
    with use_mutation(Path(alteration.module), _operator(alteration.operator), alteration.occurrence) as (
        before,
        after,
    ):
        fate, _ = run_tests(_command(python, room_of(alteration.module)), patience)
    return Outcome(alteration, "survived" if fate is TestOutcome.SURVIVED else "killed", difference(before, after))


def difference(before: str, after: str) -> str:
    """Return the lines that differ, the old ones with a minus and the new ones with a plus."""
    import difflib

    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


def report(outcomes: list[Outcome], seed: int) -> str:
    """Return the numbers and the survivors in Markdown."""
    counts = {fate: sum(each.fate == fate for each in outcomes) for fate in ("killed", "survived", "untried")}
    tried = counts["killed"] + counts["survived"]
    lines = [f"{tried} alterations tried (seed {seed}): {counts['killed']} noticed, {counts['survived']} not."]
    if counts["untried"]:
        lines.append(f"Time was up before {counts['untried']} others.")
    for each in outcomes:
        if each.fate == "survived":
            where = f"{each.alteration.module}:{each.alteration.place[0]}"
            lines.append(f"\n`{where}` {each.alteration.operator}\n\n```diff\n{each.diff}\n```")
    return "\n".join(lines) + "\n"


def verdict(outcomes: list[Outcome]) -> str:
    """Return why the run fails, or an empty text."""
    fates = [each.fate for each in outcomes if each.fate != "untried"]
    survived = fates.count("survived")
    if len(fates) < LEAST:
        return f"only {len(fates)} alterations were tried, {LEAST} are needed"
    if survived > SHARE * len(fates):
        return f"{survived} of {len(fates)} alterations went unnoticed, more than {SHARE:.0%}"
    return ""


def run(chosen: list[Alteration], python: str, jobs: int, minutes: float, say: Callable[[str], None]) -> list[Outcome]:
    """Return what became of the alterations; stop if the tests fail without any."""
    deadline = time.time() + 60 * minutes
    rooms = sorted({room_of(each.module) for each in chosen})
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(jobs, initializer=_settle, initargs=(folder,)) as pool,
    ):
        plain = dict(zip(rooms, pool.map(unaltered, [python] * len(rooms), rooms), strict=True))
        for room, (seconds, said) in plain.items():
            if said:
                raise SystemExit(f"the tests of {room} fail as they are:\n{said}")
            say(f"{room}: {seconds:.0f} s without an alteration")
        patience = [60 + 3 * plain[room_of(each.module)][0] for each in chosen]
        count = len(chosen)
        outcomes = []
        for each in pool.map(try_out, [python] * count, chosen, patience, [deadline] * count):
            outcomes.append(each)
            say(f"{each.fate} {each.alteration.module}:{each.alteration.place[0]} {each.alteration.operator}")
        return outcomes


def main() -> None:
    """Run from the command line."""
    year, week, _ = datetime.date.today().isocalendar()
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default=".venv/bin/python", help="the Python that runs the tests")
    parser.add_argument("--count", type=int, default=60, help="how many alterations")
    parser.add_argument("--minutes", type=float, default=45, help="begin no alteration after this many")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2), help="how many at a time")
    parser.add_argument("--seed", type=int, default=100 * year + week, help="which ones; another choice every week")
    parser.add_argument("--report", type=Path, default=ROOT / "_build" / "mutants.md", help="where the report goes")
    given = parser.parse_args()
    python = os.path.abspath(given.python)  # not resolved: a link to a Python is what makes it one of an environment
    chosen = choose(possible_alterations(modules()), given.count, given.seed)
    outcomes = run(chosen, python, given.jobs, given.minutes, lambda line: print(line, flush=True))
    text = report(outcomes, given.seed)
    given.report.parent.mkdir(parents=True, exist_ok=True)
    given.report.write_text(text, encoding="utf-8")
    print(f"\n{text}")
    sys.exit(verdict(outcomes) or None)  # an empty text would be a failure, too


if __name__ == "__main__":
    main()
