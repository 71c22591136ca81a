"""The page of formulas in R: each block prints what Python prints below it; R runs the blocks where it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.built import ROOT, read_notebook

PAGE = ROOT / "book" / "reference" / "in_r.ipynb"
BLOCK = re.compile(r"```r\n(.+?)```", re.DOTALL)
NUMBER = re.compile(r"(?<!\w)-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?!\w)")
END = "end of block"


def numbers(text: str) -> list[float]:
    """Return the numbers that R or Python printed, without the places that R puts before a line."""
    return [float(number) for number in NUMBER.findall(re.sub(r"(?m)^ *\[\d+\]", "", text))]


@cache
def pairs() -> list[tuple[str, str]]:
    """Return each block of R with the cell of Python below it."""
    cells = read_notebook(PAGE).cells
    return [
        (block, below.source)
        for cell, below in pairwise(cells)
        if cell.cell_type == "markdown"
        for block in BLOCK.findall(cell.source)
    ]


@cache
def printed() -> tuple[Path, list[list[float]]]:
    """Return the folder with the data of the page, and the numbers that each cell of Python prints."""
    data = next(cell for cell in read_notebook(PAGE).cells if cell.cell_type == "code")
    space: dict = {}
    exec(data.source, space)
    told = []
    for _, source in pairs():
        with redirect_stdout(StringIO()) as out:
            exec(source, space)
        told.append(numbers(out.getvalue()))
    return space["folder"], told


def test_every_block_of_r_is_followed_by_a_cell_that_prints_as_often():
    blocks = [block for cell in read_notebook(PAGE).cells for block in BLOCK.findall(cell.source)]
    assert [block for block, _ in pairs()] == blocks
    assert all(told for told in printed()[1])
    for block, source in pairs():
        assert block.count("print(") == source.count("print(") > 0


def test_numbers_are_read_as_r_and_python_print_them():
    assert numbers("[1] -4.4000  1.0000\n[3] 79") == [-4.4, 1, 79]
    assert numbers("       200 \n-4.4001 ") == [200, -4.4001]
    assert numbers("[-4.4  1. 79.]\n(199, 3)") == [-4.4, 1, 79, 199, 3]


@pytest.mark.skipif(not shutil.which("Rscript"), reason="R is not installed")
def test_r_prints_what_python_prints(tmp_path):
    folder, told = printed()
    ended = f'\ncat("{END}\\n")\n'
    script = folder / "page.R"
    script.write_text("options(digits = 10)\n" + ended.join([*(block for block, _ in pairs()), ""]), encoding="utf-8")
    done = subprocess.run(["Rscript", script.name], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = [numbers(part) for part in done.stdout.split(END)[:-1]]
    assert len(found) == len(told)
    for (block, _), of_r, of_python in zip(pairs(), found, told, strict=True):
        of_r = of_r[-len(of_python) :]  # a named number comes below its name, which may be one
        np.testing.assert_allclose(of_r, of_python, atol=1.01e-4, err_msg=block)
