"""Tests of the ledger notice when their formula is altered: as printed in the source, or by one slip."""

from __future__ import annotations

import subprocess
import sys
from typing import NamedTuple
from xml.etree import ElementTree

import pytest

from tests.built import ROOT

pytestmark = pytest.mark.weekly("tests/ledger/")


class Mutation(NamedTuple):
    """A test, what to replace in its file, by what, and why that is wrong."""

    test: str
    right: str
    wrong: str
    slip: str


MUTATIONS = [
    Mutation("gc_least_squares::gc_02_to_05", "np.diag(1 / values)", "np.diag(values)", "Λ for its inverse"),
    Mutation("gc_least_squares::gc_21a", "values**-0.5", "values**0.5", "as printed: Λ is split, not its inverse"),
    Mutation("gc_least_squares::gc_21d", "np.eye(300), data.y)", "np.eye(300), 1 + 0 * data.y)", "as printed: no y"),
    Mutation("gc_least_squares::gc_08", "np.dot(f_j, f_i)", "np.linalg.norm(f_j - f_i)", "distance for proximity"),
    Mutation("gc_least_squares::gc_29_and_30", "(U / (values + ridge))", "(U / values + ridge)", "λ outside"),
    Mutation("gc_attention::gc_14", "np.exp(Q @ K.T / np.sqrt(4))", "np.exp(Q @ K.T / np.sqrt(16))", "as printed: √P"),
    Mutation("gc_time::gc_33", "np.linalg.inv(x.T @ x)", "np.linalg.inv(y[None] @ y[:, None])", "y for its lag"),
    Mutation("gc_time::gc_4_2g", "- np.log(k)", "", "the shift is left out"),
    Mutation("gc_time::gc_35_without", "np.cumsum(past * y)[1:]", "np.cumsum(y)[1:]", "a plain mean of the past"),
    Mutation("gc_panels::gc_36_to_40", "[1.0, 1.0, 0.5]", "[1.0, 0.0, 0.5]", "the level forgets its slope"),
    Mutation("gc_panels::gc_41_to_43", "[1.0, 1.0, 0.5]", "[1.0, 1.0, 1.0]", "no half before the acceleration"),
    Mutation("rk_descent::rk_02_the_sum", "(y[i] - A[i] @ best) ** 2", "(y[0] - A[0] @ best) ** 2", "as printed: no i"),
    Mutation("rk_transformer::rk_08", "sum(math.exp(x[2])", "sum(math.exp(x[1])", "another index"),
    Mutation("rk_transformer::rk_4_1c", "math.sqrt(d)", "d", "as printed: d_k for its root"),
    Mutation("mh_projection::mh_3_2b", "== [40, 36, 45]", "== [44, 49, 42]", "as printed"),
    Mutation("mh_projection::mh_3_2c", "== [24, 0, 18]", "== [24, 0, 0]", "as printed"),
    Mutation("mh_projection::mh_2_5k", "selector([BANK, LOAN], 7)", "selector([BANK, BANK], 7)", "another word"),
    Mutation("br_language::br_10_3a", "rel_entr(p, q)", "rel_entr(q, p)", "the divergence turned round"),
    Mutation("br_language::br_10_4a", "z + 0.5 * gradient", "z - 0.5 * gradient", "descent on a likelihood"),
    Mutation("bp_transformer::bp_t12_two", "pytest.approx(2 / 3)", "pytest.approx(5 / 6)", "as printed: five sixths"),
]


def write(folder, number: int | None, mutation: Mutation) -> str:
    """Write the file of a mutation, altered if it has a number, and return its name."""
    module = mutation.test.partition("::")[0]
    text = (ROOT / "tests" / "ledger" / f"test_{module}.py").read_text(encoding="utf-8")
    if number is not None:
        assert mutation.right in text, f"{mutation.test} no longer says {mutation.right!r}"
        text = text.replace(mutation.right, mutation.wrong)
    name = f"test_{module}_{'plain' if number is None else number}"
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return name


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory) -> dict[str, dict[str, str]]:
    """Return for each file, plain or altered, how its tests ended: one run of pytest for all."""
    folder = tmp_path_factory.mktemp("mutations")
    chosen = []
    for number, mutation in enumerate(MUTATIONS):
        start = f"test_{mutation.test.partition('::')[2]}"
        for name in (write(folder, None, mutation), write(folder, number, mutation)):
            chosen.append((name, start))
    tests = sorted({f"{folder / name}.py::{test}" for name, start in chosen for test in names_in(folder, name, start)})
    report = folder / "report.xml"
    options = ["-q", "-p", "no:cacheprovider", "-c", ROOT / "pyproject.toml", "--rootdir", folder]
    command = [sys.executable, "-m", "pytest", *options, "--import-mode=importlib", f"--junit-xml={report}", *tests]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout[-2000:] + done.stderr[-2000:]
    found: dict[str, dict[str, str]] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        problem = next((child for child in case if child.tag in ("failure", "error")), None)
        outcome = "passed" if problem is None else f"{problem.tag}: {problem.get('message')}"
        found.setdefault(case.get("classname").rpartition(".")[2], {})[case.get("name")] = outcome
    return found


def names_in(folder, name: str, start: str) -> list[str]:
    """Return the tests of a file whose names begin so."""
    lines = (folder / f"{name}.py").read_text(encoding="utf-8").splitlines()
    return [line[4:].partition("(")[0] for line in lines if line.startswith(f"def {start}")]


@pytest.mark.parametrize("number", range(len(MUTATIONS)), ids=[f"{m.test}, {m.slip}" for m in MUTATIONS])
def test_the_test_fails_when_its_formula_is_altered(outcomes, number):
    module = MUTATIONS[number].test.partition("::")[0]
    start = f"test_{MUTATIONS[number].test.partition('::')[2]}"
    plain = {name: how for name, how in outcomes[f"test_{module}_plain"].items() if name.startswith(start)}
    assert plain
    assert set(plain.values()) == {"passed"}
    altered = outcomes[f"test_{module}_{number}"]
    assert set(altered) == set(plain)
    assert any(how.startswith("failure: AssertionError") or "assert" in how for how in altered.values()), altered
