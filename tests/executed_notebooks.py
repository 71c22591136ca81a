"""Pytest plugin beside nbval: a reader runs cells twice and elsewhere, and the book need not execute them again.

nbval runs a notebook from top to bottom. Here it does so in an empty folder, which must stay empty, and each quick cell
of a notebook that is looked at (`looks.py`) is run a second time at once and must print the same. Where REGATTN_CHECKS
names a folder, what the cells of a notebook showed at first goes into a cache there, from which the book of the same
`make test` is built.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
import pytest
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn

from tests.built import EXECUTED, ROOT
from tests.changes import package
from tests.looks import in_repository, of_page, untouched

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import forked_kernels
from execution_cache import key, notebook_cache

QUICK = 0.3  # seconds: a cell that took no longer is run again


def pytest_collection_finish(session: pytest.Session) -> None:
    """Fork the kernels of many notebooks from a process that has loaded what they import."""
    forked_kernels.begin(len({item.path for item in session.items}))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Run a cell of a notebook as a reader does who is elsewhere and presses the keys twice."""
    notebook = item.parent
    if not hasattr(item, "cell"):
        return (yield)
    if not hasattr(notebook, "elsewhere"):
        notebook.elsewhere, notebook.shown = TemporaryDirectory(), []
        notebook.twice = runs_twice(notebook.path)
        kernel = notebook.kernel
        kernel.await_reply(kernel.execute_cell_input(f"import os; os.chdir({notebook.elsewhere.name!r}); del os"))
        # nbval keeps cells out of the kernel's history, which then does not see that a line ends in a semicolon
        kernel.execute_cell_input = partial(kernel.kc.execute, stop_on_error=False)
    start = time.monotonic()
    result = yield
    shown = item.test_outputs
    if notebook.twice and time.monotonic() - start <= QUICK:
        item.runtest()
        assert printed(item.test_outputs) == printed(shown), f"{item.name} prints something else the second time"
    notebook.shown.append(shown)
    if len(notebook.shown) == sum(cell.cell_type == "code" for cell in notebook.nb.cells):
        assert os.listdir(notebook.elsewhere.name) == [], "a notebook leaves nothing in the reader's folder"
        keep(notebook)
    return result


def runs_twice(path: Path) -> bool:
    """Return whether the cells of a notebook are run a second time today."""
    if not path.is_relative_to(ROOT):
        return True
    return not untouched(of_page(in_repository(path.with_suffix(""))), "tests/executed_notebooks.py")


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Remove the empty folder after the last cell of a notebook."""
    if hasattr(item.parent, "elsewhere") and (nextitem is None or nextitem.parent is not item.parent):
        item.parent.elsewhere.cleanup()


def printed(outputs: list[nbformat.NotebookNode]) -> str:
    """Return what a cell printed, without what its widgets are called in this kernel."""
    return "".join(output.text for output in outputs if output.output_type == "stream" and output.name == "stdout")


def keep(file: pytest.File) -> None:
    """Put what the cells of a notebook showed into its cache, in the folder that REGATTN_CHECKS names, if any."""
    if not os.environ.get("REGATTN_CHECKS"):
        return
    notebook = nbformat.read(file.path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for count, (cell, outputs) in enumerate(zip(code, file.shown, strict=True), start=1):
        cell.update(outputs=outputs, execution_count=count)
    told = file.kernel.kc.kernel_info(reply=True, timeout=60)
    notebook.metadata.language_info = told["content"]["language_info"]  # by which a page colours code
    nbformat.validate(notebook)
    name = file.path.relative_to(file.config.rootpath).with_suffix("").as_posix()
    folder = notebook_cache(Path(os.environ["REGATTN_CHECKS"]) / EXECUTED, name, key(package(), file.path))
    bundle = CacheBundleIn(notebook, str(file.path))
    get_cache(folder).cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
