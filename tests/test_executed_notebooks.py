"""What `make notebooks` finds beside a cell that fails, and that it hands on what cells showed."""

from __future__ import annotations

import os
import subprocess
import sys

import nbformat
import pytest
from jupyter_cache import get_cache

from tests.built import EXECUTED, ROOT, hand_over, left_to_the_build, notebooks
from tests.executed_notebooks import QUICK, forked_kernels

runs_notebooks = pytest.mark.weekly(
    "tests/executed_notebooks.py", "book/_ext/forked_kernels.py", "tests/test_executed_notebooks.py", "requirements"
)


def run(folder, *cells: str, copies: int = 0) -> subprocess.CompletedProcess:
    """Have nbval run a notebook of these cells, and keep what it showed below `folder`."""
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    written = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells], metadata=kernel)
    nbformat.write(written, folder / "one.ipynb")
    others = [f"copy{number}.ipynb" for number in range(copies)]
    for name in others:
        nbformat.write(written, folder / name)
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "--nbval", "-q", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "REGATTN_CHECKS": str(folder)}
    where = {"cwd": folder, "env": environment, "capture_output": True, "text": True}
    return subprocess.run([*command, "-p", "tests.executed_notebooks", "one.ipynb", *others], check=False, **where)


@runs_notebooks
def test_what_cells_showed_at_first_is_kept(tmp_path):
    slow = f"import time\ntime.sleep({QUICK + 0.1})\nagain += 1\nprint(again)"
    done = run(tmp_path, "again = 1\n7;", "print('said')\nagain", slow, "print(again)")
    assert "4 passed" in done.stdout, done.stdout
    (folder,) = (tmp_path / EXECUTED / "one").iterdir()
    cache = get_cache(folder)
    found = cache.match_cache_notebook(nbformat.read(tmp_path / "one.ipynb", as_version=4))
    shown = [cell.outputs for cell in cache.get_cache_bundle(found.pk).nb.cells]
    assert shown[0] == []  # a semicolon hides the last value
    assert [output.get("text") or output.data["text/plain"] for output in shown[1]] == ["said\n", "1"]
    assert [cell[0].text for cell in shown[2:]] == ["2\n", "2\n"]  # what is slow was run once


@runs_notebooks
@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("again += 1\nprint(again)", "prints something else the second time"),
        ("open('left.txt', 'w').close()", "leaves nothing in the reader's folder"),
    ],
)
def test_a_reader_who_is_elsewhere_and_runs_a_cell_twice_is_not_surprised(tmp_path, cell, why):
    done = run(tmp_path, "again = 1", cell)
    assert "1 failed, 1 passed" in done.stdout
    assert why in done.stdout
    assert not (tmp_path / EXECUTED).exists()


LOADED = "'torch' in sys.modules, 'regattn' in sys.modules"
OWN = "__name__, sys.argv[1:2], os.getsid(0) == os.getpid(), os.listdir(), sys.stdin.isatty()"
PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"


@pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux")
@runs_notebooks
def test_kernels_of_many_notebooks_begin_with_libraries_loaded_and_are_otherwise_like_those_of_one(tmp_path):
    cells = (f"import os, sys\n{LOADED}", "sys.path", "sorted(os.environ)", PLOT, OWN)
    shown = []
    for copies in (0, forked_kernels.MANY - 1):
        done = run(tmp_path, *cells, copies=copies)
        assert f"{len(cells) * (copies + 1)} passed" in done.stdout, done.stdout
        (cache,) = (tmp_path / EXECUTED / "one").iterdir()
        found = get_cache(cache).get_cache_bundle(1).nb
        shown.append([[output.data for output in cell.outputs] for cell in found.cells])
    (alone, *same), (forked, *others) = shown
    assert [cell[0]["text/plain"] for cell in (alone, forked)] == ["(False, False)", "(True, False)"]
    assert same == others


def test_the_build_executes_some_notebooks_itself_in_forked_kernels(tmp_path):
    left = left_to_the_build()
    assert len(left) == forked_kernels.MANY
    for path in notebooks():
        name = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", "-")
        (tmp_path / EXECUTED / name / "key").mkdir(parents=True)
    hand_over(tmp_path / EXECUTED, tmp_path / "checkout")
    assert len(list((tmp_path / "checkout" / "_build" / ".jupyter_cache").iterdir())) == len(notebooks()) - len(left)
