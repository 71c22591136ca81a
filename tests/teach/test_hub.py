"""A class on one machine: three users follow one link at the same time, run a chapter, and move an explorer."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import psutil
import pytest

from tools import hub
from tools.hub import BRANCH, CHAPTER, HUB, ROOT, Hub

USERS = ["ada", "ben", "cho"]


def code_cells(path: Path) -> int:
    """Return how many cells of a notebook hold code."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return sum(cell["cell_type"] == "code" and bool("".join(cell["source"]).strip()) for cell in cells)


@pytest.mark.long
@pytest.mark.browser
def test_three_users_follow_one_link_at_once_run_the_chapter_and_move_an_explorer(tmp_path):
    course = hub.publish(tmp_path / "book.git")
    family: list[psutil.Process] = []
    homes: dict[str, bool] = {}
    with hub.running(tmp_path / "hub", hub.find_proxy(tmp_path / "proxy")) as here:

        def settled() -> None:
            family.extend(here.family())
            assert len(hub.servers(here)) == len(USERS)
            for user in USERS:
                homes[user] = (tmp_path / "hub" / "home" / user / "book" / CHAPTER).is_file()

        visits = asyncio.run(hub.class_of(here, USERS, here.link(str(course), BRANCH, CHAPTER), settled))
    assert homes == dict.fromkeys(USERS, True)
    for visit in visits:
        assert visit.errors == []
        assert visit.cells == code_cells(ROOT / CHAPTER)
        before, after = visit.moved
        assert before != after
    assert len(family) > 2 * len(USERS)  # a server and a kernel each, the hub and its proxy
    assert [process for process in family if process.is_running() and process.status() != psutil.STATUS_ZOMBIE] == []


def test_the_link_brings_a_copy_and_opens_a_page_of_it():
    link = Hub("http://127.0.0.1:8100", "", psutil.Process()).link("https://example.org/a/book.git", "main", CHAPTER)
    address, query = urlparse(link), parse_qs(urlparse(link).query)
    assert address.path == "/hub/user-redirect/git-pull"
    assert query["repo"] == ["https://example.org/a/book.git"]
    assert query["urlpath"] == [f"lab/tree/{query['targetpath'][0]}/{CHAPTER}"]
    assert (ROOT / CHAPTER).exists()


def test_the_proxy_is_pinned_and_its_lock_names_no_registry():
    wanted = json.loads((HUB / "package.json").read_text(encoding="utf-8"))["dependencies"]
    lock = json.loads((HUB / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for name, version in wanted.items():
        assert lock[f"node_modules/{name}"]["version"] == version
    assert [name for name, each in lock.items() if "resolved" in each] == []
    assert all(each["integrity"].startswith("sha512-") for name, each in lock.items() if name)


def test_without_node_the_hub_says_what_it_needs(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match="needs Node 18 or newer with npm, which installs configurable-http-proxy"):
        hub.find_proxy(tmp_path)


@pytest.mark.long
def test_who_ends_the_command_ends_the_hub_and_all_it_started():
    command = [sys.executable, "-m", "tools.hub"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert "git-pull" in process.stdout.readline()
        family = psutil.Process(process.pid).children(recursive=True)
        process.terminate()
        process.wait(60)
    assert len(family) >= 2  # the hub and its proxy
    assert [each for each in family if each.is_running() and each.status() != psutil.STATUS_ZOMBIE] == []
