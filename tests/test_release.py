"""What stands against a release is named, file and line, and nothing does once the owner has filled it in."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import tomllib

import pytest
import yaml

from tests.built import ROOT
from tools.release import FILLED, missing, version

FILLED_IN = {
    "OWNER/NAME": "someone/attention",
    "OWNER.github.io": "someone.github.io",
    "AUTHOR": "A. Someone",
    "AFFILIATION": "A school",
    "ORCID": "0000-0002-1825-0097",
    "CONTACT": "someone@example.org",
    "MAINTAINER": "someone",
}
OTHERS = ("CHANGELOG.md", "regattn/__init__.py")


@pytest.fixture
def copy(tmp_path):
    """Return a copy of what is filled in before a release."""
    for name in (*FILLED, *OTHERS):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def fill(root):
    """Fill in every name and the addresses."""
    for name in FILLED:
        text = (root / name).read_text(encoding="utf-8").replace("# [project.urls]", "[project.urls]")
        for word, value in FILLED_IN.items():
            text = re.sub(rf"\b{re.escape(word)}\b", value, text)
        (root / name).write_text(text, encoding="utf-8")


def test_every_name_that_the_owner_has_to_fill_in_is_told_with_its_file_and_line(copy):
    found = missing(f"v{version()}", copy)
    told = {name: [line for line in found if line.startswith(f"{name}, line ")] for name in FILLED}
    assert [name for name, lines in told.items() if not lines] == []
    assert any(re.fullmatch(r"CITATION\.cff, line \d+: fill in AUTHOR", line) for line in found)
    assert "pyproject.toml has no [project.urls]" in found


def test_nothing_is_missing_once_all_is_filled_in(copy):
    fill(copy)
    assert missing(f"v{version()}", copy) == []


@pytest.mark.parametrize(("name", "of", "to", "told"), [
    ("regattn/__init__.py", r'^__version__ = ".*"$', '__version__ = "9"', "the tag is v{}, regattn/__init__.py says 9"),
    ("CITATION.cff", r"^version: .*$", "version: 0.0.1", "CITATION.cff does not give version {}"),
    ("recipe/meta.yaml", r"^{% set version = .*$", "", "recipe/meta.yaml does not give version {}"),
    ("CHANGELOG.md", r"^## \[\d.*$", "", "CHANGELOG.md has no section [{}]"),
])  # fmt: skip
def test_versions_that_differ_stop_a_release(copy, name, of, to, told):
    fill(copy)
    text = (copy / name).read_text(encoding="utf-8")
    (copy / name).write_text(re.sub(of, to, text, flags=re.MULTILINE), encoding="utf-8")
    assert told.format(version()) in missing(f"v{version()}", copy)


def test_a_release_asks_first_and_publishes_afterwards():
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))["jobs"]
    runs = [step.get("run", "") for step in jobs["release"]["steps"]]
    asked = next(place for place, run in enumerate(runs) if "tools.release" in run)
    assert [run for run in runs[:asked] if run] == []
    assert jobs["publish"]["needs"] == "release"


def test_what_the_page_for_teachers_links_is_what_a_release_carries(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book" / "_ext")
    released = importlib.import_module("released")
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))["jobs"]
    (carried,) = [run for step in jobs["release"]["steps"] if "gh release create" in (run := step.get("run", ""))]
    assert [f"_build/{file}" for file in released.FILES.values() if f" _build/{file} " not in carried] == []
    text = (ROOT / f"{released.PAGE}.md").read_text(encoding="utf-8")
    shown = released.linked(text, "someone/attention")
    for what, file in released.FILES.items():
        assert f"\n| [{what}](https://github.com/someone/attention/releases/latest/download/{file}) |" in shown
    assert "releases/latest" not in text  # without a repository there is no link that leads nowhere


def test_the_recipe_asks_for_what_the_package_asks_for():
    text = (ROOT / "recipe" / "meta.yaml").read_text(encoding="utf-8")
    assert f'{{% set version = "{version()}" %}}' in text
    run = text.partition("  run:\n")[2].partition("\ntest:")[0]
    asked = {line.strip("- ").replace(" ", "") for line in run.splitlines() if line.strip()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert asked - {"python>={{python_min}}"} == set(project["dependencies"])


def test_what_an_archive_reads_is_whole():
    deposit = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    assert {"title", "upload_type", "description", "creators", "license", "keywords"} <= set(deposit)
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["title"] == deposit["title"]
