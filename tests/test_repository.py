"""The repository as a newcomer finds it: commands that exist, pins that agree, nothing of one machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib import metadata

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import regattn
from tests.built import ROOT, label, toc_pages
from tools.book import COMMANDS

PINNED = ("requirements.txt", "requirements-test.txt")
KIT = "teach/requirements.txt"
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
CPU_INDEX = "download." + "pytorch.org"  # in two pieces, so that this file does not name it
FORBIDDEN = [
    r"(?<![\w.])/(work|tmp|root|Users)/",  # a path of one machine
    r"pypi\.org|pythonhosted|anaconda\.(org|com)|" + re.escape(CPU_INDEX),  # a package registry
    r"\b(TO" + "DO|FIX" + r"ME|XX" + r"X)\b|lorem ipsum|it is important to note",  # a loose end
]
LIGHT = {  # what a reader imports, and what that must not load
    "import regattn": ["torch", "sklearn", "pandas", "scipy"],
    "import regattn.attention": ["torch", "sklearn", "pandas"],
    "from regattn.regression import spectrum": ["torch", "sklearn", "pandas"],
    "import regattn.data": ["torch", "sklearn"],
    "import regattn.figures": ["torch", "sklearn"],
    "import regattn.widgets": ["torch", "sklearn"],
}


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def tracked() -> list[str]:
    """Return the files under version control."""
    if not (ROOT / ".git").exists():
        pytest.skip("this copy is not a git checkout, so no file is tracked")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [path for path in listed.stdout.split("\0") if path and (ROOT / path).exists()]


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))


def pins(*files: str) -> dict[str, Requirement]:
    """Return the pins of these files, without those of the files they name; of both files when none is given."""
    text = "\n".join(map(read, files or PINNED))
    lines = [line.split("#")[0].strip() for line in text.splitlines() if not line.startswith("-r ")]
    return {canonicalize_name(pin.name): pin for pin in map(Requirement, filter(None, lines))}


def dependencies(*extras: str) -> list[Requirement]:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    lines = [*project["dependencies"], *(line for extra in extras for line in project["optional-dependencies"][extra])]
    needs = list(map(Requirement, lines))
    return [need for need in needs if need.name != "regattn"] + [
        inner for need in needs if need.name == "regattn" for inner in dependencies(*need.extras)
    ]


@pytest.mark.parametrize("statement", LIGHT)
def test_an_import_does_not_wait_for_what_it_does_not_need(statement):
    code = f"{statement}; import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "regattn" in loaded
    assert [name for name in LIGHT[statement] if name in loaded] == []


def test_importing_the_package_takes_a_fifth_of_a_second_at_most():
    code = "import time; start = time.process_time(); import regattn; print(time.process_time() - start)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(5)]
    assert min(float(run.stdout) for run in runs) <= 0.2  # of the processor, and the best of five: 0.003 s when written


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_make_command_in_the_documents_exists(document):
    assert set(re.findall(r"(?:`|^ {4})make ([a-z-]+)", read(document), re.MULTILINE)) <= targets()


@pytest.mark.parametrize("path", WORKFLOWS, ids=label)
def test_every_command_in_a_workflow_exists(path):
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    runs = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert runs
    for run in runs:
        assert set(re.findall(r"^make ([a-z-]+)", run)) <= targets()
        assert set(re.findall(r"tools\.book (\S+)", run)) <= set(COMMANDS)
        assert not run.startswith(".") or os.access(ROOT / run, os.X_OK)


@pytest.mark.parametrize("path", WORKFLOWS, ids=label)
def test_a_workflow_may_write_only_where_a_job_publishes_and_leaves_no_credentials(path):
    flow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert flow["permissions"] in ({}, {"contents": "read"})
    writing = {name for name, job in flow["jobs"].items() if "write" in str(job.get("permissions"))}
    assert writing <= {"publish", "release"}
    for job in flow["jobs"].values():
        assert "timeout-minutes" in job
        checkouts = [step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")]
        assert all(step["with"]["persist-credentials"] is False for step in checkouts)
        assert len(checkouts) <= 1  # none where a job passes on what another one made


def test_the_ci_command_is_the_test_command_of_the_readme():
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert "    make test " in read("README.md")
    assert read(".ci/run").strip().splitlines()[-1] == "exec make test"


def test_make_explains_itself_and_every_target_it_lists():
    done = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True)
    listed = set(re.findall(r"^make ([\w-]+)", done.stdout, re.MULTILINE))
    assert {"setup", "book", "serve", "zip", "lab", "test", "lint", "bench", "clean"} <= listed <= targets()


def test_every_pin_is_exact():
    for pin in pins(*PINNED, KIT).values():
        assert [specifier.operator for specifier in pin.specifier] == ["=="], pin
        assert pin.url is None


@pytest.mark.parametrize(
    "need", sorted(set(dependencies("book", "scale", "test")), key=str), ids=lambda need: need.name
)
def test_pin_satisfies_the_bounds_of_the_package(need):
    (pin,) = pins()[canonicalize_name(need.name)].specifier
    assert need.specifier.contains(pin.version)


def test_readers_install_nothing_that_only_the_tests_need():
    testers = pins("requirements-test.txt")
    assert set(testers) & set(pins("requirements.txt")) == set()
    assert {"atheris", "hypothesis", "jupyter-repo2docker", "playwright", "pytest", "ruff"} <= set(testers)
    assert read("requirements-test.txt").count("\n-r requirements.txt\n") == 1


def test_the_teaching_kit_keeps_every_pin_of_the_book_and_of_its_tests():
    kit, others = pins(KIT), pins()
    assert set(kit) & set(pins("requirements.txt")) == set()
    assert [name for name in set(kit) & set(others) if str(kit[name]) != str(others[name])] == []
    assert {"jupyterhub", "nbgrader", "nbgitpuller", "sphinx-revealjs"} <= set(kit)
    assert read(KIT).count("\n-r ../requirements.txt\n") == 1


def test_what_is_installed_is_what_is_pinned():
    for name, pin in pins().items():
        if pin.marker is None or pin.marker.evaluate():
            assert pin.specifier.contains(metadata.version(name).split("+")[0]), pin


def test_pytorchs_own_index_is_named_in_one_file_only():
    naming = [path for path in tracked() if CPU_INDEX in (ROOT / path).read_text(encoding="utf-8", errors="ignore")]
    assert naming == ["binder/requirements.txt"]


def test_nothing_built_is_tracked():
    built = re.compile(r"(^|/)(_build|__pycache__|\.ipynb_checkpoints|[\w.]+\.egg-info|\.venv)/|\.(pyc|html|whl)$")
    assert [path for path in tracked() if built.search(path)] == []


@pytest.mark.parametrize("pattern", FORBIDDEN)
def test_no_file_speaks_of_one_machine_a_registry_or_a_loose_end(pattern):
    found = []
    for path in tracked():
        content = (ROOT / path).read_bytes()
        if path in ("tests/test_repository.py", "binder/requirements.txt") or b"\0" in content:
            continue
        text = content.decode("utf-8", errors="ignore")
        found += [f"{path}: {hit.group()}" for hit in re.finditer(pattern, text)]
    assert found == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_file_a_document_links_to_exists(document):
    links = re.findall(r"\]\((?!https?://)([^)#]+)", read(document))
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_readme_lists_the_chapters_of_the_table_of_contents():
    listed = re.findall(r"\((book/part\d[^)]+)\.ipynb\)", read("README.md"))
    assert listed == [page for page in toc_pages() if page.startswith("book/part")]


def test_code_and_text_carry_their_licences():
    assert read("LICENSE").startswith("MIT License")
    assert read("LICENSE-text").startswith("Attribution 4.0 International")
    assert "Creative Commons Attribution-ShareAlike 3.0" in read("LICENSE-wikipedia")


def test_the_readme_begins_with_the_published_site_or_with_no_address_at_all():
    addresses = re.findall(r"https?://[^\s)>]+", read("README.md"))
    site = tomllib.loads(read("pyproject.toml"))["project"].get("urls", {}).get("Documentation")
    if site is None:
        assert "This copy has no published site yet" in read("README.md")
        assert [address for address in addresses if "github.io" in address] == []
    else:
        assert addresses[0] == site


def test_the_citation_gives_the_version_of_the_package():
    citation = yaml.safe_load(read("CITATION.cff"))
    assert citation["version"] == regattn.__version__
