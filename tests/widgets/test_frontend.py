"""An explorer where nobody can move a trait: in the HTML that nbconvert makes of a notebook."""

from __future__ import annotations

import subprocess
import sys

import nbformat
import pytest

from regattn.widgets import AverageExplorer
from regattn.widgets._kit.frontend import WIDGET_VIEW, has_editor
from tests.browser import open_offline

CELL = """from regattn.widgets import AverageExplorer
AverageExplorer([0.0, 1.0, 2.0], [1.0, 3.0, 2.0], query=0.5)"""


@pytest.fixture(scope="module")
def converted(tmp_path_factory):
    """Return the HTML that plain `jupyter nbconvert --execute` makes of a notebook with one explorer."""
    folder = tmp_path_factory.mktemp("nbconvert")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    nbformat.write(notebook, folder / "one.ipynb")
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "--execute", "one.ipynb"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder / "one.html"


@pytest.mark.browser
def test_an_explorer_moves_in_the_page_that_nbconvert_makes(browser, converted):
    with open_offline(browser, converted) as page:
        figure = page.wait_for_selector("figure.regattn")
        page.wait_for_function("(figure) => figure.model && figure.model.result()", arg=figure)
        before = figure.evaluate("(figure) => figure.model.result().prediction")
        figure.evaluate("(figure) => { figure.model.set('query', 1.75); figure.model.save_changes(); }")
        assert figure.evaluate("(figure) => figure.model.result().prediction") != before


def test_outside_a_kernel_a_widget_stays_a_widget():
    assert has_editor()
    content, _ = AverageExplorer([0.0, 1.0], [1.0, 3.0], query=0.5)._repr_mimebundle_()
    assert WIDGET_VIEW in content
    assert '<figure class="regattn"' in content["text/html"]
