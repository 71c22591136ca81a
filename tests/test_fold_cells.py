"""In JupyterLab what the pages fold is folded, too, and nothing else."""

from __future__ import annotations

import copy
import json

import pytest

from tests.built import ROOT, label
from tools.fold_cells import fold

NOTEBOOKS = sorted((ROOT / "book").rglob("*.ipynb"))
CELL = {"cell_type": "code", "source": ["import numpy as np"], "metadata": {"tags": ["hide-input"]}}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=label)
def test_imports_data_and_checks_of_a_notebook_open_folded(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert not fold(notebook), "run .venv/bin/python -m tools.fold_cells"


@pytest.mark.parametrize("tag", ["hide-input", "checks"])
def test_a_cell_with_the_tag_is_folded_and_opened_again_when_it_loses_it(tag):
    cell = copy.deepcopy(CELL) | {"metadata": {"tags": [tag, "other"], "jupyter": {"outputs_hidden": True}}}
    assert fold({"cells": [cell]})
    assert cell["metadata"] == {"jupyter": {"outputs_hidden": True, "source_hidden": True}, "tags": [tag, "other"]}
    cell["metadata"]["tags"] = ["other"]
    assert fold({"cells": [cell]})
    assert cell["metadata"] == {"jupyter": {"outputs_hidden": True}, "tags": ["other"]}
    assert not fold({"cells": [cell]})


def test_text_is_never_folded():
    assert not fold({"cells": [copy.deepcopy(CELL) | {"cell_type": "markdown"}]})
