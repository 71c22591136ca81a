"""Pages are written by several processes, and what one of them warns of or fails at is heard."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from parallel_pages import FEWEST, for_each

from tests.built import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")

CONF = """
import os, sys
sys.path.insert(0, {path!r})
import parallel_execution
parallel_execution.cores = lambda: 2  # on a machine with one core, too
extensions = ["parallel_pages", "sphinx.ext.mathjax"]
root_doc = "page0"

def tell(app, pagename, templatename, context, doctree):
    if doctree is not None:
        context["metatags"] += f"<!-- written by {{os.getpid()}} -->"
        if "It warns" in doctree.astext():
            from sphinx.util import logging
            logging.getLogger("here").warning("heard of %s", pagename)

def setup(app):
    app.connect("html-page-context", tell)
"""
PAGES = 12


def called(number: int) -> tuple[int, int]:
    if number == PAGES:
        raise KeyError("what is wrong")
    return number, os.getpid()


@pytest.mark.parametrize("count", [0, 1, FEWEST - 1, FEWEST, PAGES])
def test_a_function_is_called_with_every_item_by_others_where_that_pays(count):
    found = for_each(called, range(count))
    assert [number for number, _ in found] == list(range(count))
    assert (os.getpid() in {process for _, process in found}) == (0 < count < FEWEST)


@pytest.mark.parametrize("first", [PAGES, 0])
def test_what_it_raises_is_raised(first):
    with pytest.raises(KeyError, match="what is wrong"):
        for_each(called, range(first, PAGES + 1))


@pytest.mark.parametrize("warns", [False, True])
def test_pages_are_written_by_several_processes_and_a_warning_ends_the_build(tmp_path, warns):
    (tmp_path / "conf.py").write_text(CONF.format(path=str(ROOT / "book" / "_ext")))
    names = [f"page{i}" for i in range(PAGES)]
    for name in names:
        (tmp_path / f"{name}.rst").write_text(f"{name}\n======\n\n{'It warns.' * (warns and name == names[-1])}\n")
    contents = "\n\n.. toctree::\n\n" + "".join(f"   {name}\n" for name in names[1:])
    (tmp_path / "page0.rst").write_text((tmp_path / "page0.rst").read_text() + contents)
    command = [sys.executable, "-m", "sphinx", "-W", "-q", str(tmp_path), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if warns:
        assert done.returncode != 0
        assert f"heard of {names[-1]}" in done.stderr
        return
    assert done.returncode == 0, done.stderr
    texts = [(tmp_path / "out" / f"{name}.html").read_text() for name in names]
    writers = {re.search(r"written by (\d+)", text)[1] for text in texts}
    assert len(writers) > 2  # the first page is written by the process that prepares the others
