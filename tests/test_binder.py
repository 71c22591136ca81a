"""The ways to run a page elsewhere: what repo2docker makes of `binder/`, and where the launch buttons lead."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import nbformat
import pytest

from tests.built import ROOT, label, read_notebook, run_book, soup, source, toc_pages

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from launch import repository

NOTEBOOKS = [page for page in toc_pages() if source(page).suffix == ".ipynb"]


@pytest.fixture(scope="module")
def dockerfile() -> str:
    """Return the Dockerfile that repo2docker writes for this repository; Docker itself is not needed for that."""
    command = [Path(sys.executable).with_name("jupyter-repo2docker"), "--no-build", "--debug", "."]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_repo2docker_installs_the_requirements_of_the_binder_folder(dockerfile):
    assert re.search(r'^RUN \S+/pip install --no-cache-dir -r "binder/requirements.txt"$', dockerfile, re.MULTILINE)


def test_repo2docker_copies_the_repository_before_it_installs(dockerfile):
    copied, installed = dockerfile.index("COPY --chown=0:0 src/ ${REPO_DIR}/"), dockerfile.index('-r "binder/req')
    assert copied < installed


def test_repo2docker_takes_the_python_that_the_package_asks_for(dockerfile):
    version = re.search(r"Building conda environment for python=(\d+)\.(\d+)", dockerfile)
    wanted = re.search(r'requires-python = ">=(\d+)\.(\d+)"', (ROOT / "pyproject.toml").read_text())
    assert tuple(map(int, version.groups())) >= tuple(map(int, wanted.groups()))


def test_binder_installs_the_pins_the_package_and_the_small_torch():
    lines = (ROOT / "binder" / "requirements.txt").read_text().splitlines()
    asked = [line for line in lines if line and not line.startswith("#")]
    assert len([line for line in asked if re.fullmatch(r"--extra-index-url https://\S+/cpu", line)]) == 1
    pins = [line.removeprefix("-r ") for line in asked if line.startswith("-r ")]
    assert [(ROOT / "binder" / pin).resolve() for pin in pins] == [ROOT / "requirements.txt"]
    assert "-e ." in asked


@pytest.mark.parametrize(
    ("environment", "remote", "expected"),
    [
        ({}, "", None),
        ({}, "/srv/copy", None),
        ({}, "https://gitlab.com/owner/name.git", None),
        ({}, "https://github.com/owner/name.git", "owner/name"),
        ({}, "git@github.com:owner/name.git", "owner/name"),
        ({"GITHUB_REPOSITORY": "a/b"}, "https://github.com/owner/name", "a/b"),
        ({"REGATTN_REPOSITORY": "c/d", "GITHUB_REPOSITORY": "a/b"}, "", "c/d"),
        ({"REGATTN_REPOSITORY": "", "GITHUB_REPOSITORY": "a/b"}, "git@github.com:owner/name.git", None),
    ],
)
def test_the_repository_is_what_the_nearest_source_says(environment, remote, expected):
    assert repository(environment, remote) == expected


def test_a_repository_that_is_no_owner_and_name_is_refused():
    with pytest.raises(ValueError, match="got 'not a repository'"):
        repository({"REGATTN_REPOSITORY": "not a repository"}, "")


def write_titles(folder: Path) -> None:
    """Write every page of the book below `folder` with its title alone, and what its extensions read."""
    for page in toc_pages():
        file = folder / source(page).relative_to(ROOT)
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".ipynb":
            notebook = read_notebook(source(page))
            notebook.cells = notebook.cells[:1]
            lines = notebook.cells[0].source.splitlines()
            notebook.cells[0].source = next(line for line in lines if line.startswith("# "))
            nbformat.write(notebook, file)
        else:
            file.write_text("# Title\n", encoding="utf-8")
    for name in ("_config.yml", "_toc.yml", "requirements.txt", "book/ledger.yml", "book/references.bib"):
        shutil.copy(ROOT / name, folder / name)
    for name in ("book/_ext", "book/_static"):
        shutil.copytree(ROOT / name, folder / name)


@pytest.fixture(scope="module")
def known_book(tmp_path_factory) -> Path:
    """Return the HTML of the book as the repository owner/name would build it, of each page the title alone."""
    folder = tmp_path_factory.mktemp("known")
    write_titles(folder / "titles")
    done = run_book(folder, repository="owner/name", root=folder / "titles")
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return folder / "_build" / "html"


def launches(path: Path) -> dict[str, str]:
    """Return the addresses of a page's launch buttons by the name of their host."""
    links = [tag["href"] for tag in soup(path).select(".dropdown-launch-buttons a[href]")]
    return {urlsplit(link).netloc: link for link in links}


@pytest.mark.weekly("_config.yml", "_toc.yml", "binder/", "book/_ext/launch.py", "tests/test_binder.py")
@pytest.mark.book
@pytest.mark.parametrize("page", NOTEBOOKS, ids=label)
def test_launch_buttons_open_the_notebook_of_the_page(known_book, page):
    found = launches(known_book / f"{page}.html")
    assert set(found) == {"mybinder.org", "colab.research.google.com"}
    binder, colab = urlsplit(found["mybinder.org"]), urlsplit(found["colab.research.google.com"])
    assert binder.path == "/v2/gh/owner/name/main"
    assert colab.path.startswith("/github/owner/name/blob/main/")
    opened = {
        parse_qs(binder.query)["urlpath"][0].removeprefix("lab/tree/"),
        colab.path.removeprefix("/github/owner/name/blob/main/"),
    }
    assert opened == {source(page).relative_to(ROOT).as_posix()}
