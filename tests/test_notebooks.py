"""The notebooks as committed: no outputs, short cells, one home for every function. `make notebooks` runs them."""

from __future__ import annotations

import ast
import re
from collections import Counter

import pytest

from tests.built import ROOT, label, notebooks, read_notebook, toc_pages

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


CHAPTERS = [page for page in toc_pages() if page.split("/")[1].startswith("part")]


@pytest.mark.parametrize("page", CHAPTERS, ids=label)
def test_chapter_with_exercises_has_its_solutions_on_a_page_of_their_own(page):
    text = "\n".join(cell.source for cell in read_notebook(ROOT / f"{page}.ipynb").cells)
    if "{exercise" in text:
        assert f"book/solutions/{page.split('/')[-1]}" in toc_pages()


@every_notebook
def test_every_exercise_is_followed_by_its_check(path):
    cells = read_notebook(path).cells
    for cell, after in zip(cells, [*cells[1:], None], strict=True):
        for chapter, number in re.findall(r":label: ex-(\d\d)-(\d)", cell.source):
            name = f"{chapter}.{number}"
            assert after is not None, name
            assert f'check("{name}"' in after.source, name
