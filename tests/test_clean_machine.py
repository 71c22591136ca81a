"""A stranger's machine: the checkout alone, an empty home, nothing left over, and `make book`."""

from __future__ import annotations

import os
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.built import BUILT, ROOT, build, clean_environment, copy_checkout, read_notebook, toc_pages

CACHES = {".cache", ".config", ".ipython", ".jupyter", ".local"}  # what fontconfig, matplotlib and Jupyter make
CACHES |= {".cargo", ".rustup"}  # pip asks a Rust compiler, if there is one, for its version


@pytest.fixture
def checkout(built_book) -> Path:
    """Return the folder in which `make book` ran; the fixture has built there, or failed with what make said."""
    if os.environ.get("REGATTN_BOOK"):
        pytest.skip("REGATTN_BOOK names a book that was built elsewhere")
    return built_book.parents[1]


def test_only_what_is_under_version_control_reaches_the_other_machine(tmp_path):
    copy = copy_checkout(tmp_path / "checkout")
    assert [name for pattern in BUILT for name in copy.rglob(pattern)] == []
    for path in ("Makefile", "requirements.txt", "_toc.yml", "regattn/__init__.py", "book/index.md"):
        assert (copy / path).read_bytes() == (ROOT / path).read_bytes()
    assert os.access(copy / ".ci" / "run", os.X_OK)


def test_nothing_of_this_machine_is_handed_on_but_the_way_to_the_packages(tmp_path, monkeypatch):
    own = Path(sys.prefix) / "bin"
    given = {
        "HOME": str(tmp_path),
        "PATH": f"{own}:/usr/bin",
        "LANG": "C.UTF-8",
        "PIP_FIND_LINKS": "/wheels",
        "https_proxy": "http://proxy",
        "SSL_CERT_FILE": "/certificates.pem",
        **dict.fromkeys(("PYTHONPATH", "VIRTUAL_ENV", "REGATTN_REPOSITORY", "MPLCONFIGDIR", "JUPYTER_PATH"), "x"),
        **dict.fromkeys(("XDG_CACHE_HOME", "PYTHONHOME", "IPYTHONDIR", "GITHUB_REPOSITORY", "MAKEFLAGS"), "x"),
    }
    environment = clean_environment(tmp_path / "home", given)
    assert environment == {
        "HOME": str(tmp_path / "home"),
        "PATH": "/usr/bin",
        "LANG": "C.UTF-8",
        "PIP_FIND_LINKS": "/wheels",
        "https_proxy": "http://proxy",
        "SSL_CERT_FILE": "/certificates.pem",
    }
    (tmp_path / ".config" / "pip").mkdir(parents=True)
    (tmp_path / ".config" / "pip" / "pip.conf").write_text("[global]\n")
    for tool in ("pip", "uv"):
        (tmp_path / ".cache" / tool).mkdir(parents=True)
    found = clean_environment(tmp_path / "home", given)
    assert found["PIP_CONFIG_FILE"] == str(tmp_path / ".config" / "pip" / "pip.conf")
    assert found["PIP_CACHE_DIR"] == str(tmp_path / ".cache" / "pip")
    assert found["UV_CACHE_DIR"] == str(tmp_path / ".cache" / "uv")


def test_a_book_is_built_once_and_a_failure_is_told_to_everyone(tmp_path, monkeypatch):
    monkeypatch.delenv("REGATTN_BOOK", raising=False)
    log = tmp_path / "make.log"
    log.write_text("0\nbuilt\n")
    assert build(tmp_path) == tmp_path / "checkout" / "_build" / "html"
    log.write_text("2\nno such page\n")
    for _ in range(2):
        with pytest.raises(pytest.fail.Exception, match="no such page"):
            build(tmp_path)


@pytest.mark.book
def test_a_stranger_gets_every_page(built_book, checkout):
    assert [page for page in toc_pages() if not (built_book / f"{page}.html").stat().st_size] == []
    assert (built_book / "index.html").exists()


@pytest.mark.book
def test_building_leaves_nothing_in_the_home_but_caches(checkout):
    home = checkout.with_name("home")
    assert {path.name for path in home.iterdir()} <= CACHES


@pytest.mark.book
def test_building_changes_nothing_that_is_under_version_control(checkout):
    for path in (path for path in checkout.rglob("*") if path.is_file()):
        here = path.relative_to(checkout)
        if not any(fnmatch(part, pattern) for part in here.parts for pattern in BUILT):
            assert (ROOT / here).exists(), f"{here} is new"
            assert path.suffix != ".ipynb" or not any(cell.get("outputs") for cell in read_notebook(path).cells), here


@pytest.mark.book
def test_no_page_knows_where_it_was_built(built_book, checkout):
    for path in [*built_book.rglob("*.html"), *built_book.rglob("*.js")]:
        assert str(checkout.parent) not in path.read_text(encoding="utf-8", errors="ignore"), path.name
