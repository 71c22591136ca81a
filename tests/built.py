"""The book as its tests see it: the pages of the table of contents, the notebooks, and one fresh build of the HTML."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup

ROOT = Path(__file__).parents[1]
JUPYTER_BOOK = Path(sys.executable).with_name("jupyter-book")


def toc_pages(toc: dict | None = None) -> list[str]:
    """Return the pages of the table of contents in reading order, root first, without suffix."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8")) if toc is None else toc
    pages = [toc[key] for key in ("root", "file") if key in toc]
    for key in ("parts", "chapters", "sections", "subtrees", "entries"):
        for entry in toc.get(key, []):
            pages += toc_pages(entry)
    return pages


def source(page: str) -> Path:
    """Return the file that a page of the table of contents is written in."""
    found = [ROOT / f"{page}{suffix}" for suffix in (".ipynb", ".md") if (ROOT / f"{page}{suffix}").exists()]
    if len(found) != 1:
        pytest.fail(f"{page} is in _toc.yml, but {len(found)} files are called so")
    return found[0]


def notebooks() -> list[Path]:
    """Return every notebook of the book."""
    return sorted(path for path in (ROOT / "book").rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)


def read_notebook(path: Path) -> nbformat.NotebookNode:
    """Return a notebook, as it is on disk."""
    return nbformat.read(path, as_version=4)


def label(page: str | Path) -> str:
    """Return the short name of a page or notebook, for the name of a test: its folder and its file."""
    return "-".join(Path(page).with_suffix("").parts[-2:])


def run_book(folder: Path, *options: str | Path, repository: str = "") -> subprocess.CompletedProcess:
    """Build the book below `folder` with the plain command, as that repository or as none."""
    command = [JUPYTER_BOOK, "build", ROOT, "--path-output", folder, *options]
    environment = {**os.environ, "REGATTN_REPOSITORY": repository}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=1800)


def build(folder: Path) -> Path:
    """Return the folder of the HTML, built afresh in `folder` with warnings as errors; fail with what the build said.

    While writing a page, REGATTN_BOOK=_build/html looks at what `make book` left instead.
    """
    if os.environ.get("REGATTN_BOOK"):
        return ROOT / os.environ["REGATTN_BOOK"]
    done = run_book(folder, "-W", "--keep-going")
    if done.returncode != 0:
        pytest.fail(f"the book does not build:\n{(done.stdout + done.stderr)[-6000:]}", pytrace=False)
    shutil.rmtree(folder / "_build" / ".doctrees", ignore_errors=True)
    return folder / "_build" / "html"


def soup(path: Path) -> BeautifulSoup:
    """Return a built page, parsed."""
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def article(path: Path) -> BeautifulSoup:
    """Return what a built page says, without what the theme puts around it."""
    return soup(path).select_one("article.bd-article")
