"""The book as its tests see it: the pages of the table of contents, the notebooks, and one build of the HTML.

That build is what a stranger gets: the checkout copied to an empty folder, an empty home, and `make book`. In
`make test` nbval has just executed the notebooks; the build then executes some and takes the others.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup, Tag

ROOT = Path(__file__).parents[1]
JUPYTER_BOOK = Path(sys.executable).with_name("jupyter-book")
FEW = 4  # notebooks, from which on kernels are forked
EXECUTED = "executed"  # what nbval has executed, in the folder that the parts of `make test` share
GIT_FILES = ("git", "ls-files", "--cached", "--others", "--exclude-standard")
BUILT = (".git", ".venv", "_build", "__pycache__", "*.egg-info", ".pytest_cache", ".ruff_cache", ".hypothesis")
PASSED_ON = re.compile(
    r"PATH|LANG|OMP_NUM_THREADS|LC_\w+|TMPDIR|PINS|PIP_\w+|UV_\w+|\w+_PROXY|SSL_CERT_\w+|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE",
    re.IGNORECASE,
)


@lru_cache
def contents() -> dict:
    """Return the table of contents."""
    return yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))


def toc_pages(toc: dict | None = None) -> list[str]:
    """Return the pages of the table of contents in reading order, root first, without suffix."""
    toc = contents() if toc is None else toc
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


def run_book(
    folder: Path, *options: str | Path, repository: str = "", root: Path = ROOT
) -> subprocess.CompletedProcess:
    """Build the book below `folder` with the plain command, as that repository or as none."""
    command = [JUPYTER_BOOK, "build", root, "--path-output", folder, *options]
    environment = {**os.environ, "REGATTN_REPOSITORY": repository}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=1800)


def copy_checkout(folder: Path) -> Path:
    """Copy what is under version control, with changes not committed yet, into a new folder; nothing built comes."""
    listed = subprocess.run([*GIT_FILES, "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        files = [path for path in listed.stdout.split("\0") if path and (ROOT / path).is_file()]
        for path in files:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, folder / path)
    else:  # a copy that is no git checkout
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*BUILT))
    return folder


def clean_environment(home: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment with that home and nothing else but the search path, language, and how pip gets packages.

    What pip reads in the old home says where packages come from on this machine, so it is named; the environment that
    runs the tests leaves the search path.
    """
    own = Path(sys.prefix)
    kept = {name: value for name, value in environment.items() if PASSED_ON.fullmatch(name)}
    places = kept.get("PATH", os.defpath).split(os.pathsep)
    kept["PATH"] = os.pathsep.join(place for place in places if not Path(place).is_relative_to(own))
    old = Path(environment.get("HOME", "/"))
    settings = old / ".config" / "pip" / "pip.conf"
    if settings.is_file():
        kept.setdefault("PIP_CONFIG_FILE", str(settings))
    for tool, cache in (("PIP", old / ".cache" / "pip"), ("UV", old / ".cache" / "uv")):
        if cache.is_dir():  # what was downloaded once need not be downloaded again
            kept.setdefault(f"{tool}_CACHE_DIR", str(cache))
    return {**kept, "HOME": str(home)}


def build(folder: Path) -> Path:
    """Return the folder of the HTML that a stranger gets from `make book` below `folder`; fail with what it said.

    The checkout is copied to `folder`/checkout, the home is `folder`/home. Warnings are errors. Called again with the
    same folder it does not build again. While writing a page, REGATTN_BOOK=_build/html looks at what `make book` left
    instead.
    """
    if os.environ.get("REGATTN_BOOK"):
        return ROOT / os.environ["REGATTN_BOOK"]
    log = folder / "make.log"
    if not log.exists():
        make_book(folder, log)
    status, _, said = log.read_text(encoding="utf-8").partition("\n")
    if status != "0":
        pytest.fail(f"the book does not build:\n{said[-6000:]}", pytrace=False)
    return folder / "checkout" / "_build" / "html"


def left_to_the_build() -> set[Path]:
    """Return the notebooks that the build executes even where nbval has just done so: the shortest ones."""
    of_book = {source(page) for page in toc_pages()}
    return set(sorted(of_book & set(notebooks()), key=lambda path: path.stat().st_size)[:FEW])


def hand_over(executed: Path, checkout: Path) -> None:
    """Give a checkout what nbval has executed, with its outputs, but for what is left to the build."""
    left = {path.relative_to(ROOT).with_suffix("").as_posix().replace("/", "-") for path in left_to_the_build()}
    for cache in sorted(executed.glob("*/*")):
        if cache.parent.name not in left:
            shutil.copytree(cache, checkout / "_build" / ".jupyter_cache" / cache.parent.name / cache.name)


def make_book(folder: Path, log: Path) -> None:
    """Run `make book` in a copy of the checkout; write its exit status and what it said to `log`."""
    checkout, home = copy_checkout(folder / "checkout"), folder / "home"
    home.mkdir()
    hand_over(folder.parent / EXECUTED, checkout)
    python = Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    command = ["make", f"PYTHON={python}", "book"]
    options = {"capture_output": True, "text": True, "check": False, "timeout": 1800}
    done = subprocess.run(command, cwd=checkout, env=clean_environment(home, os.environ), **options)
    shutil.rmtree(checkout / ".venv", ignore_errors=True)  # two gigabytes
    log.write_text(f"{done.returncode}\n{done.stdout}{done.stderr}", encoding="utf-8")


def soup(path: Path) -> BeautifulSoup:
    """Return a built page, parsed once for tests that follow each other; whoever alters it takes a copy."""
    return _soup(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _soup(path: Path, changed: int) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def head(path: Path) -> Tag:
    """Return the head of a built page, without reading the rest."""
    return BeautifulSoup(path.read_text(encoding="utf-8").partition("<body")[0], "html.parser").head


def article(path: Path) -> Tag:
    """Return what a built page says, without what the theme puts around it; whoever alters it takes a copy."""
    return soup(path).select_one("article.bd-article")
