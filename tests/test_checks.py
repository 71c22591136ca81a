"""The checks themselves: what `make test` says at the end, what `make quick` chooses, in which order tests run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests import budget, changes, xdist_schedule
from tests.built import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import checks

P = "part2-proximity-03_ols_proximity"
SPECTRAL = ROOT / "book" / "part2-proximity" / "03_ols_proximity.ipynb"


# --- make test --------------------------------------------------------------------------------------------------------


def test_the_summary_lists_the_slowest_and_ends_with_the_number_of_tests():
    results = {"lint": (True, 2.0), "suite": (False, 600.0)}
    files = Counter({f"tests/test_{i}.py": float(i) for i in range(60)})
    tests = Counter({f"{file}::test_a": seconds for file, seconds in files.items()})
    outcomes, reruns = Counter(passed=11, failed=2, errors=1, skipped=3), Counter({"tests/test_1.py::test_a": 2})
    lines = checks.summary(results, checks.Told(files, tests, outcomes, reruns))
    assert lines[-1] == "11 passed, 3 failed, 3 skipped"
    assert "failed: suite, in 10:02" in lines[-2]
    assert lines[-3].split() == ["2", "tests/test_1.py::test_a"]
    parts, longest = lines[2 : 2 + checks.SLOWEST], lines[3 + checks.SLOWEST : -4]
    assert [line.split() for line in parts[:2]] == [["10:00", "make", "suite"], ["0:59", "tests/test_59.py"]]
    assert len(longest) == checks.SLOWEST
    assert longest[0].split() == ["0:59", "tests/test_59.py::test_a"]


@pytest.mark.parametrize(("broken", "status"), [(None, 0), ("notebooks", 1)])
def test_every_part_runs_also_after_one_that_fails(tmp_path, broken, status):
    parts = "\n".join(f"{part}:\n\t@echo {part} runs; {'false' if part == broken else 'true'}" for part in checks.PARTS)
    (tmp_path / "Makefile").write_text(parts + "\n")
    command = [sys.executable, ROOT / "tools" / "checks.py", "make"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    assert [part for part in checks.PARTS if f"{part} runs" not in done.stdout] == []
    assert done.stdout.splitlines()[-1] == "0 passed, 0 failed, 0 skipped"


def test_every_part_is_a_target_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert [part for part in checks.PARTS if f"\n{part}: " not in makefile] == []


def test_elsewhere_pytorch_has_no_vector_instructions():
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nelsewhere: ")[2]
    settings = dict(re.findall(r"([A-Z_]+)=(\S+)", recipe.partition("$(PY)")[0]))
    code = "import torch; print(torch.backends.cpu.get_cpu_capability())"
    environment = {**os.environ, **settings}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "DEFAULT"


def run_pytest(folder: Path, *options: str) -> subprocess.CompletedProcess:
    """Run pytest in a folder with no plugins but those that are named, which it would take seconds to load."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    where = {"cwd": folder, "env": environment, "capture_output": True, "text": True}
    return subprocess.run(command, check=False, **where)


def test_the_seconds_and_the_outcomes_of_each_file_are_counted(tmp_path, monkeypatch):
    tests = ["def test_a(): pass", "def test_b(): assert 0", "def test_c(): pytest.skip('x')", "def test_d(no): pass"]
    (tmp_path / "test_one.py").write_text("\n".join(["import pytest", *tests]))
    (tmp_path / "test_two.py").write_text("import time\ndef test_e(): time.sleep(0.3)\n")
    (tmp_path / "test_three.py").write_text("raise ValueError\n")
    monkeypatch.setenv("REGATTN_CHECKS", str(tmp_path))
    run_pytest(tmp_path, "-n", "2", "-p", "xdist.plugin", "-p", "tests.timings", "--continue-on-collection-errors")
    (found,) = [json.loads(path.read_text()) for path in tmp_path.glob("*.json")]
    assert found["files"]["test_two.py"] >= 0.3
    outcomes = Counter(found["outcomes"])
    assert (outcomes["passed"], outcomes["failed"], outcomes["skipped"]) == (2, 1, 1)
    assert outcomes["errors"] >= 2  # a fixture that is not there, a file that cannot be read


FLAKY = """\
import pytest
from pathlib import Path

def attempts(name):
    with Path(f"{name}.txt").open("a+") as file:
        file.write("x")
        return file.tell()

@pytest.mark.browser
def test_better_the_third_time(): assert attempts("third") == 3

@pytest.mark.browser
def test_never(): assert attempts("never") == 0

@pytest.mark.book
def test_without_a_browser(): assert attempts("other") == 2
"""


@pytest.mark.weekly("tests/conftest.py", "tests/timings.py", "requirements-test.txt", "tests/test_checks.py")
def test_what_fails_in_a_browser_is_run_twice_more_and_counted_and_nothing_else_is(tmp_path, monkeypatch):
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_collection_modifyitems\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  browser:\n  book:\n")
    (tmp_path / "test_flaky.py").write_text(FLAKY)
    monkeypatch.setenv("REGATTN_CHECKS", str(tmp_path))
    plugins = ["-p", "xdist.plugin", "-p", "rerunfailures", "-p", "tests.timings"]
    done = run_pytest(tmp_path, "-n", "2", *plugins)
    assert done.returncode == 1
    (found,) = [json.loads(path.read_text()) for path in tmp_path.glob("*.json")]
    assert Counter(found["outcomes"]) == Counter(passed=1, failed=2)
    twice = {f"test_flaky.py::{name}": 2 for name in ("test_better_the_third_time", "test_never")}
    assert found["reruns"] == twice
    assert (tmp_path / "other.txt").read_text() == "x"


# --- order ------------------------------------------------------------------------------------------------------------


def test_tests_that_share_an_opened_page_share_its_stretch():
    nodeids = [
        f"tests/test_pages.py::test_a[{P}]",
        f"tests/test_pages.py::test_b[320-{P}]",
        f"tests/test_loading.py::test_c[{P}]",
        f"tests/test_book.py::test_d[{P}]",
    ]
    assert len(set(xdist_schedule.stretches(nodeids).values())) == 1
    assert {xdist_schedule.page_of(nodeid) for nodeid in nodeids} == {f"pages {P}"}
    others = [f"tests/test_data.py::test_a[{P}]", f"tests/test_notebooks.py::test_a[{P}]"]
    others += ["tests/test_formulas.py::test_b[x^2-y]"]  # a case, and no page
    assert {xdist_schedule.page_of(nodeid) for nodeid in others} == {""}


# --- what has changed -------------------------------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Return a function that runs git in a new repository, whose branch `side` has left main by one commit."""
    monkeypatch.setattr(changes, "ROOT", tmp_path)
    monkeypatch.delenv("REGATTN_BASE", raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")

    def git(*command):
        named = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *named, *command], cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git("init", "--quiet", "--initial-branch=main")
    for name, day in (("first", "2026-01-01T00:00:00Z"), ("second", "2026-01-02T00:00:00Z")):
        (tmp_path / name).write_text(name)
        git("add", name)
        monkeypatch.setenv("GIT_COMMITTER_DATE", day)
        git("commit", "--quiet", "--message", name)
    git("checkout", "--quiet", "-b", "side")
    (tmp_path / "third").write_text("third")
    git("add", "third")
    git("commit", "--quiet", "--message", "third")
    git.folder = tmp_path
    return git


def test_changes_are_counted_from_where_a_branch_left_main(repository):
    since = changes.base()
    assert since == (repository("rev-parse", "main"), "main")
    (repository.folder / "new file").write_text("")
    (repository.folder / "first").write_text("edited")
    (repository.folder / "second").unlink()
    assert changes.changed(since) == {"first", "second", "third", "new file"}


def test_on_main_itself_they_are_counted_from_here_or_from_three_hours_before(repository, monkeypatch):
    repository("checkout", "--quiet", "main")
    assert changes.changed(changes.base()) == set()
    assert changes.changed(changes.base(behind=True)) == {"second"}
    for name, hour in (("at one", 13), ("at three", 15)):  # pushed together
        (repository.folder / name).write_text("")
        repository("add", name)
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"2026-01-02T{hour}:00:00Z")
        repository("commit", "--quiet", "--message", name)
    assert changes.changed(changes.base(behind=True)) == {"at one", "at three"}
    repository("reset", "--quiet", "--hard", "main~2")
    repository("checkout", "--quiet", "main~1")
    repository("branch", "--quiet", "--force", "main")
    assert changes.base(behind=True) is None


def test_a_base_can_be_named_and_must_exist(repository, monkeypatch):
    monkeypatch.setenv("REGATTN_BASE", "main~1")
    assert changes.changed(changes.base()) == {"second", "third"}
    monkeypatch.setenv("REGATTN_BASE", "nowhere")
    with pytest.raises(ValueError, match="REGATTN_BASE names 'nowhere'"):
        changes.base()


def test_without_git_there_is_no_base(tmp_path, monkeypatch):
    monkeypatch.setattr(changes, "ROOT", tmp_path)
    monkeypatch.delenv("REGATTN_BASE", raising=False)
    assert changes.base() is None


def differing(monkeypatch, *paths):
    """Have these paths differ from main."""
    monkeypatch.setattr(changes, "base", lambda **_: changes.Base("0" * 40, "main"))
    monkeypatch.setattr(changes, "changed", lambda since: set(paths))


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        ("regattn/words/tokens.py", {"tests/words/test_tokens.py", "regattn/words/tokens.py"}),
        ("regattn/attention.py", {"tests/test_attention.py", "tests/ledger/test_gc_attention.py"}),
        ("regattn/regression/_factorisation.py", {"tests/regression/test_least_squares.py"}),
        ("regattn/series/lags.py", {"tests/series/test_lags.py", "tests/ledger/test_gc_time.py"}),
        ("regattn/exercises/ols_proximity.py", {"tests/test_exercises.py"}),
        ("tests/test_data.py", {"tests/test_data.py"}),
        ("book/_ext/performance_pages.py", {"tests/test_performance.py"}),
    ],
)
def test_quick_tests_stand_beside_what_differs_and_in_the_ledger(monkeypatch, path, tests):
    differing(monkeypatch, path)
    files, says = changes.quick_tests()
    assert set(files) >= tests
    assert len(files) < len(list((ROOT / "tests").rglob("test_*.py"))) / 2
    assert "main" in says


def test_a_core_is_tested_when_nothing_differs(monkeypatch):
    differing(monkeypatch, "README.md", "book/_static/book.css")
    files, _ = changes.quick_tests()
    assert files == changes.CORE
    assert [file for file in files if not Path(ROOT, file).exists()] == []


@pytest.mark.parametrize(("seconds", "outcome"), [(60.0, "1 passed"), (-1.0, "1 skipped")])
def test_no_test_is_begun_after_the_deadline_and_the_summary_says_so(tmp_path, monkeypatch, seconds, outcome):
    (tmp_path / "test_one.py").write_text("def test_a(): pass\n")
    monkeypatch.setenv("REGATTN_DEADLINE", str(time.time() + seconds))
    done = run_pytest(tmp_path, "-rs", "-p", "tests.budget")
    assert outcome in done.stdout
    assert (budget.LEFT in done.stdout) == (outcome == "1 skipped")


def test_what_make_runs_keeps_what_python_compiles(tmp_path):
    (tmp_path / "more.mk").write_text(f"include {ROOT}/Makefile\nkeeps:\n\t@echo [$$PYTHONDONTWRITEBYTECODE]\n")
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = ["make", "-s", "-f", str(tmp_path / "more.mk"), "keeps"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "[]\n", done.stderr
