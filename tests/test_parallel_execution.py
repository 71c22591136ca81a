"""Notebooks of a book are executed several at a time, each once, and none is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import nbformat
import psutil
import pytest

from tests.built import ROOT

pytestmark = pytest.mark.weekly("book/_ext/parallel_execution.py", "tests/test_parallel_execution.py")

CONF = """
import sys
sys.path.insert(0, {path!r})
extensions = ["myst_nb", "parallel_execution"]
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_show_tb = True
exclude_patterns = ["_build"]
import parallel_execution
parallel_execution.cores = lambda: 2  # on a machine with one core, too
"""
# Notes that it has begun, and waits until the other one has.
MEET = """
import time
from pathlib import Path
with Path({log!r}).open("a") as log:
    log.write({name!r} + "\\n")
begun = time.monotonic()
while len(set(Path({log!r}).read_text().split())) < 2 and time.monotonic() - begun < {patience}:
    time.sleep(0.05)
"""


@pytest.fixture
def book(tmp_path):
    """Return the folder of a book of two notebooks without any code yet."""
    (tmp_path / "conf.py").write_text(CONF.format(path=str(ROOT / "book" / "_ext")))
    (tmp_path / "requirements.txt").write_text("numpy==1.0\n")
    (tmp_path / "index.md").write_text("# Book\n\n```{toctree}\none\ntwo\n```\n")
    package = tmp_path / "regattn"
    package.mkdir()
    (package / "__init__.py").write_text("")
    return tmp_path


def write(book, name: str, code: str, patience: int = 60) -> None:
    """Write a notebook that meets the other one and then runs a code."""
    meet = MEET.format(log=str(book / "log.txt"), name=name, patience=patience)
    cells = [nbformat.v4.new_markdown_cell(f"# {name}"), nbformat.v4.new_code_cell(meet + code)]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), book / f"{name}.ipynb")


def command(book) -> list[str]:
    return [sys.executable, "-m", "sphinx", "-W", "-q", str(book), str(book / "_build" / "html")]


def begun(book) -> list[str]:
    """Return which notebooks were begun, in order."""
    log = book / "log.txt"
    return sorted(log.read_text().split()) if log.exists() else []


def test_two_notebooks_run_at_the_same_time_and_each_once(book):
    write(book, "one", "assert time.monotonic() - begun < 60, 'the other one never began'\nprint('one and', 1 + 1)")
    write(book, "two", "assert time.monotonic() - begun < 60, 'the other one never began'\nprint('two and', 2 + 1)")
    done = subprocess.run(command(book), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert begun(book) == ["one", "two"]
    for name, said in (("one", "one and 2"), ("two", "two and 3")):
        assert said in (book / "_build" / "html" / f"{name}.html").read_text()
    (book / "index.md").write_text((book / "index.md").read_text().replace("Book", "Another book"))
    subprocess.run(command(book), capture_output=True, check=True)
    assert begun(book) == ["one", "two"]


def test_one_that_fails_is_named_and_the_other_need_not_run_again(book):
    write(book, "one", "raise KeyError('what is wrong')")
    write(book, "two", "")
    done = subprocess.run(command(book), capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "what is wrong" in done.stderr
    assert "one.ipynb" in done.stderr
    write(book, "one", "print('mended')")
    subprocess.run(command(book), capture_output=True, check=True)
    assert begun(book).count("two") == 1
    assert "mended" in (book / "_build" / "html" / "one.html").read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no process groups with signals")
def test_ctrl_c_ends_every_kernel(book):
    write(book, "one", "time.sleep(600)")
    write(book, "two", "time.sleep(600)")
    build = subprocess.Popen(command(book), start_new_session=True, stderr=subprocess.PIPE, text=True)
    while len(begun(book)) < 2 and build.poll() is None:
        time.sleep(0.1)
    kernels = psutil.Process(build.pid).children(recursive=True)
    assert len(kernels) >= 4  # a process for each notebook, and its kernel
    os.killpg(build.pid, signal.SIGINT)
    build.communicate(timeout=60)
    assert build.returncode != 0
    _, alive = psutil.wait_procs(kernels, timeout=60)
    for process in alive:
        process.kill()
    assert alive == []
