"""The notebooks as committed: no outputs, short cells, one home for every function.

`make notebooks` runs each from top to bottom, quick cells twice. `make restarts` is a reader who begins, restarts the
kernel in another folder, and runs every cell twice.
"""

from __future__ import annotations

import ast
import asyncio
import os
import re
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from nbclient import NotebookClient

from tests.built import ROOT, label, notebooks, read_notebook, toc_pages
from tests.executed_notebooks import printed

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from dependencies import code_of

every_notebook = pytest.mark.parametrize("path", notebooks(), ids=label)
LINES = 25


def code_cells(path):
    return [cell for cell in read_notebook(path).cells if cell.cell_type == "code"]


def python_of(cell) -> str:
    """Return a cell's Python, without the lines that are IPython's."""
    return "\n".join(line for line in cell.source.splitlines() if not line.lstrip().startswith(("%", "!")))


def functions_of(path) -> list[str]:
    trees = [ast.parse(python_of(cell)) for cell in code_cells(path)]
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return [node.name for tree in trees for node in tree.body if isinstance(node, kinds)]


def test_there_are_notebooks():
    assert notebooks()


@every_notebook
def test_notebook_is_committed_without_outputs(path):
    for cell in code_cells(path):
        assert cell.outputs == [], "run `make strip` before committing"
        assert cell.execution_count is None, "run `make strip` before committing"


@every_notebook
def test_notebook_runs_on_the_plain_python_kernel(path):
    assert read_notebook(path).metadata.kernelspec.name == "python3"


@every_notebook
def test_no_cell_is_longer_than_a_screen(path):
    for cell in code_cells(path):
        assert len(cell.source.splitlines()) <= LINES, cell.source.splitlines()[0]


@every_notebook
def test_cells_have_names_that_survive_an_edit(path):
    names = [cell.id for cell in read_notebook(path).cells]
    assert len(names) == len(set(names))


def test_no_function_is_defined_twice_in_the_book():
    defined = Counter(name for path in notebooks() for name in functions_of(path))
    assert [name for name, times in defined.items() if times > 1] == []


@every_notebook
def test_notebook_does_not_hide_a_failing_cell(path):
    for cell in code_cells(path):
        assert not {"raises-exception", "skip-execution", "nbval-skip", "nbval-raises-exception"} & set(
            cell.metadata.get("tags", [])
        )


@pytest.mark.parametrize("path", [*notebooks(), ROOT / "book" / "index.md"], ids=label)
def test_notebook_imports_nothing_private(path):
    private = []
    for node in ast.walk(ast.parse(code_of(path))):
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        private += [name for name in names if re.search(r"(^|\.)_(?!_)", name)]
    assert private == []


CHAPTERS = [page for page in toc_pages() if page.split("/")[1].startswith("part")]


@pytest.mark.parametrize("page", CHAPTERS, ids=label)
def test_chapter_with_exercises_has_its_solutions_on_a_page_of_their_own(page):
    text = "\n".join(cell.source for cell in read_notebook(ROOT / f"{page}.ipynb").cells)
    if "> **Exercise " in text:
        assert f"book/solutions/{page.split('/')[-1]}" in toc_pages()


@every_notebook
def test_every_exercise_is_followed_by_its_check(path):
    cells = read_notebook(path).cells
    for cell, after in zip(cells, [*cells[1:], None], strict=True):
        for number in re.findall(r"^> \*\*Exercise (\d+)\*\*$", cell.source, re.MULTILINE):
            name = f"{path.stem[3:]}.{number}"
            assert after is not None, name
            assert f'check("{name}"' in after.source, name


SECONDS = 600  # for one cell, on a slow machine


async def run_as_a_reader_might(path: Path, folder: Path) -> None:
    """Run half of a notebook, restart the kernel in another folder, and run every cell twice: it prints the same."""
    notebook = read_notebook(path)
    where = {"metadata": {"path": str(ROOT)}}
    client = NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", resources=where)
    cells = [(number, cell) for number, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    async with client.async_setup_kernel(env={**os.environ, "OMP_NUM_THREADS": "1"}):
        for number, cell in cells[: len(cells) // 2]:
            await client.async_execute_cell(cell, number)
        await client.km.restart_kernel(cwd=str(folder))
        await client.kc.wait_for_ready(timeout=60)
        for number, cell in cells:
            first, second = [printed((await client.async_execute_cell(cell, number)).outputs) for _ in range(2)]
            assert first == second


@pytest.mark.skipif(os.environ.get("REGATTN_NOTEBOOKS") != "all", reason="takes long: `make restarts` does it")
@every_notebook
def test_notebook_survives_a_restart_cells_run_twice_and_another_folder(path, tmp_path):
    with ThreadPoolExecutor(1) as pool:  # this thread may have a loop that runs
        pool.submit(asyncio.run, run_as_a_reader_might(path, tmp_path)).result()
    assert list(tmp_path.iterdir()) == [], "a notebook leaves nothing in the reader's folder"
