"""The copy of the repository for students: it holds no key, and all that the book's build reads."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

from tests.built import ROOT
from tools import students
from tools.archive import write_zip
from tools.assignments import BEGIN, PUBLIC, read_question

FOR_TEACHERS = ("teach/questions", "teach/quizzes", "teach/example_private", "teach/hub", "teach/slides", ".github")
LONG = 30  # characters of a key that no other text says by chance
COPY = {name.removeprefix(f"{students.TOP}/"): content for name, content in students.copy()}


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory) -> Path:
    """Return the folder that the archive unpacks to."""
    folder = tmp_path_factory.mktemp("students")
    write_zip(folder / "copy.zip", students.copy())
    with ZipFile(folder / "copy.zip") as archive:
        archive.extractall(folder)
    return folder / students.TOP


def keys() -> dict[str, str]:
    """Return what only teachers may read, each with the file that it stands in."""
    found = {}
    for path in [*PUBLIC.glob("*/*.py"), *(ROOT / "teach" / "example_private").rglob("*.py")]:
        question = read_question(path)
        found |= {each.because: path.name for each in question.bank}
        found |= {test.source: path.name for test in question.tests if test.hidden and not test.judges}
        found[question.answer.partition(BEGIN)[2]] = path.name
    for path in [*(ROOT / "teach").glob("*/*.yml"), *(ROOT / "teach" / "example_private").rglob("*.yml")]:
        found |= {line.strip(): path.name for line in path.read_text(encoding="utf-8").splitlines() if "key:" in line}
    for path in (ROOT / "teach" / "guide").glob("*.md"):
        found |= dict.fromkeys(re.findall(r"\*Expected, of 100:\*.+", path.read_text(encoding="utf-8")), path.name)
    return {key: name for key, name in found.items() if len(key) > LONG}


def test_no_file_of_the_copy_is_a_teachers_or_holds_a_key():
    assert [name for name in COPY if name.startswith(FOR_TEACHERS)] == []
    assert "book/reference/teaching.md" not in COPY
    assert not any("assignments" in name or "variants" in name or "statements" in name for name in COPY)
    secret = keys()
    assert {"a_map_and_a_row.py", "time_series.yml", "08_time_series.md"} <= set(secret.values())
    assert len(secret) > 300
    together = b"\n".join(COPY.values())
    said = {key: (key, json.dumps(key, ensure_ascii=False)[1:-1]) for key in secret}  # on a page, in a notebook
    assert {secret[key] for key, forms in said.items() if any(form.encode() in together for form in forms)} == set()


def test_of_a_page_for_teachers_it_has_what_the_chapter_shows():
    pages = {name: content.decode() for name, content in COPY.items() if name.startswith("teach/")}
    assert len(pages) == len(list((ROOT / "teach" / "guide").glob("[0-9]*.md")))
    for name, text in pages.items():
        whole = (ROOT / name).read_text(encoding="utf-8")
        assert re.findall(r"(?m)^## .+", text) == ["## Outcomes"]
        assert students.OUTCOMES.search(text)[0] == students.OUTCOMES.search(whole)[0]
        assert students.NEEDS.search(text)[0] == students.NEEDS.search(whole)[0]


def test_the_build_finds_what_it_reads():
    contents = yaml.safe_load(COPY["_toc.yml"])
    pages = [contents["root"], *(entry["file"] for part in contents["parts"] for entry in part["chapters"])]
    assert [page for page in pages if not {f"{page}.md", f"{page}.ipynb"} & set(COPY)] == []
    assert {"_config.yml", "pyproject.toml", "requirements.txt", "requirements-test.txt"} <= set(COPY)
    assert {"binder/requirements.txt", "binder/runtime.txt", "book/references.bib", "README.md"} <= set(COPY)
    needed = {name for name in students.tracked(ROOT) if name.startswith(("regattn/", "book/", "benchmarks/results/"))}
    assert needed - set(COPY) == {"book/reference/teaching.md"}
    tests = re.findall(r"tests/\w+/\w+\.py", COPY["book/ledger.yml"].decode())
    assert set(tests) <= set(COPY)
    local = yaml.safe_load(COPY["_config.yml"])["sphinx"]["local_extensions"]
    assert {f"{folder}/{name}.py" for name, folder in local.items()} <= set(COPY)


def imported(source: str) -> set[str]:
    """Return the modules that Python code imports, by their full names."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def test_what_its_tools_and_extensions_import_is_in_it_and_every_script_that_pages_name():
    for name, content in COPY.items():
        if name.startswith(("tools/", "book/_ext/")) and name.endswith(".py"):
            for module in imported(content.decode()):
                there = [f"tools/{path.stem}.py" for path in (ROOT / "tools").glob("*.py")
                         if module == f"tools.{path.stem}"]  # fmt: skip
                there += [f"book/_ext/{path.name}" for path in (ROOT / "book" / "_ext").glob(f"{module}.py")]
                assert set(there) <= set(COPY), name
    told = "\n".join(COPY[name].decode() for name in COPY if name.startswith("book/") and name.endswith(students.PAGES))
    assert set(re.findall(r"tools/\w+\.py", told)) <= set(COPY)
    assert set(COPY) >= students.TOOLS


def test_no_page_of_the_copy_leads_to_a_page_for_teachers():
    for name, content in COPY.items():
        if name.startswith("book/") and name.endswith(students.PAGES):
            assert re.findall(r"\]\([^)]*(?:teaching\.md|teach/guide)", content.decode()) == [], name
    readme = COPY["README.md"].decode()
    assert "teaching.md" not in readme
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", readme):
        assert link in COPY or any(name.startswith(f"{link}/") for name in COPY), link
    assert set(re.findall(r"(?:`|^ {4})make ([a-z-]+)", readme, re.MULTILINE)) <= {*students.TARGETS, "test"}


def test_the_same_state_makes_the_same_archive(tmp_path):
    for name in ("one", "two"):
        write_zip(tmp_path / f"{name}.zip", students.copy())
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with ZipFile(tmp_path / "one.zip") as archive:
        assert archive.namelist() == sorted(archive.namelist())
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}


def test_where_it_is_unpacked_make_and_the_launcher_know_what_to_do(unpacked):
    def said(*command: str) -> str:
        done = subprocess.run(command, cwd=unpacked, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "-m tools.book build --here" in said("make", "-n", "book", "AUDIENCE=students")
    assert "execute the notebooks and build the book" in said(sys.executable, "-m", "tools.book", "--help")
    listed = re.findall(r"(?m)^make ([a-z-]+)", said("make"))
    assert listed == [name for name in students.TARGETS if name in listed]
    assert {"book", "zip", "lab"} <= set(listed)


def test_its_readme_and_settings_name_nothing_that_it_does_not_have():
    readme = COPY["README.md"].decode()
    (launcher,) = re.findall(r"The same commands are (.+?) of a launcher", readme)
    assert re.findall(r"`(\w+)`", launcher) == ["setup", "build", "lab", "serve", "zip"]
    rules = tomllib.loads(COPY["pyproject.toml"].decode())["tool"]["ruff"]["lint"]["per-file-ignores"]
    assert "book/**" in rules
    for pattern in rules:
        assert any(name.startswith(pattern.removesuffix("**")) for name in COPY), pattern


def test_it_goes_where_one_says_and_help_writes_nothing(tmp_path):
    def said(*options: str | Path) -> str:
        command = [sys.executable, str(ROOT / "tools" / "students.py"), *map(str, options)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    usual = students.TARGET / students.NAME
    before = usual.stat().st_mtime_ns if usual.exists() else None
    assert "--folder" in said("--help")
    assert re.fullmatch(r"here/regattn-students-source\.zip: \d+ MB\n", said("--folder", "here"))
    assert [path.name for path in (tmp_path / "here").iterdir()] == [students.NAME]
    assert (usual.stat().st_mtime_ns if usual.exists() else None) == before


def test_a_folder_that_is_no_checkout_is_said_to_be_none(tmp_path):
    with pytest.raises(ValueError, match="is no git checkout"):
        students.tracked(tmp_path)
