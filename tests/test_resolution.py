"""The pins for every Python and system that the book is for: wheels only, nothing downloaded but what they need."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from packaging.markers import Marker, default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.built import ROOT
from tools import machine, pins
from tools.pins import CUDA

OLDEST = {"3.11": "3.11.0", "3.12": "3.12.0", "3.13": "3.13.0", "3.14": "3.14.0"}  # Debian 12 has 3.11.2
SYSTEMS = {
    "x86_64-unknown-linux-gnu": ("linux", "x86_64"),
    "aarch64-unknown-linux-gnu": ("linux", "aarch64"),
    "aarch64-apple-darwin": ("darwin", "arm64"),
    "x86_64-pc-windows-msvc": ("win32", "AMD64"),
}
PAIRS = list(product(OLDEST, SYSTEMS))
PINNED = ("requirements.txt", "requirements-test.txt")
KIT = "teach/requirements.txt"
NO_INDEX = (
    "no package index answers; these tests need one: connect, then run `python -m pytest tests/test_resolution.py`"
)
UV = [sys.executable, "-m", "uv"]
asks_an_index = pytest.mark.weekly(*PINNED, KIT, "pyproject.toml", "tools/pins.py", "tests/test_resolution.py")


some_pythons = st.sets(st.sampled_from(pins.PYTHONS), min_size=1)
some_systems = st.sets(st.sampled_from(list(pins.SYSTEMS)), min_size=1)


@given(some_pythons, some_systems)
def test_a_marker_holds_where_a_package_is_needed_and_nowhere_else(pythons, systems):
    said = pins.marker(set(product(pythons, systems))).removeprefix("; ")
    for where, environment in pins.environments().items():
        needed = where[0] in pythons and where[1] in systems
        assert (not said or Marker(said).evaluate(environment)) is needed


def test_a_package_that_is_needed_in_a_corner_of_the_table_has_no_simple_marker():
    with pytest.raises(ValueError, match=r"no simple marker says .*3\.11.*linux"):
        pins.marker({("3.11", "linux"), ("3.12", "darwin")})


def test_an_extra_that_is_asked_for_late_brings_its_packages(monkeypatch):
    needs = {"a": ["c", "b"], "b": ["d; extra == 'more'"], "c": ["b[more]"], "d": []}
    monkeypatch.setattr(pins.metadata, "requires", lambda name: needs[name])
    assert pins.closure(["a"], default_environment()) == {"a", "b", "c", "d"}
    assert pins.closure(["b"], default_environment()) == {"b"}


@cache
def index_options() -> tuple[str, ...]:
    """Return how uv finds the index that pip is set to use; without one the test fails and says so."""
    url = machine.package_index()
    if not url or not machine.reachable(url):
        pytest.fail(NO_INDEX, pytrace=False)
    return ("--default-index", url) if "****" not in url else ()  # pip does not tell a password; UV_DEFAULT_INDEX does


def resolve(python: str, system: str, *options: str | Path) -> subprocess.CompletedProcess:
    """Return what uv says when it resolves the pins for a Python and a system, from wheels alone."""
    target = ["--python-version", python, "--python-platform", system, "--only-binary", ":all:"]
    command = [*UV, "pip", "compile", "--quiet", "--no-header", "--no-annotate", *target, *index_options(), *options]
    environment = {**os.environ, "MACOSX_DEPLOYMENT_TARGET": "14.0"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300)


def pinned(files: tuple[str, ...], python: str, system: str) -> set[str]:
    """Return the pins of these files that apply to a Python and a system, as name==version."""
    platform, architecture = SYSTEMS[system]
    environment = {
        **default_environment(),
        "python_version": python,
        "python_full_version": OLDEST[python],
        "sys_platform": platform,
        "platform_machine": architecture,
    }
    lines = [line.split("#")[0].strip() for file in files for line in (ROOT / file).read_text().splitlines()]
    pins = [Requirement(line) for line in lines if line and not line.startswith("-r ")]
    return {
        f"{canonicalize_name(pin.name)}{pin.specifier}"
        for pin in pins
        if pin.marker is None or pin.marker.evaluate(environment)
    }


def test_every_python_of_the_range_is_resolved_from_its_first_release():
    assert sorted(OLDEST) == sorted(machine.series())


@asks_an_index
@pytest.mark.parametrize("asked", [PINNED, ("requirements.txt", KIT)], ids=["tests", "kit"])
@pytest.mark.parametrize(("python", "system"), PAIRS)
def test_the_pins_are_exactly_what_is_installed(python, system, asked):
    done = resolve(OLDEST[python], system, asked[-1])
    assert done.returncode == 0, done.stderr
    found = re.findall(r"^(\S+==[^\s;]+)", done.stdout, re.MULTILINE)
    own = {pin for pin in found if not pin.startswith(CUDA)}
    assert own == pinned(asked, python, system)


@asks_an_index
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_readers_pins_are_enough_for_the_package(system, tmp_path):
    done = resolve("3.12.0", system, "pyproject.toml", "--extra", "book", "--constraint", "requirements.txt")
    assert done.returncode == 0, done.stderr
    found = re.findall(r"^(\S+==[^\s;]+)", done.stdout, re.MULTILINE)
    assert {pin for pin in found if not pin.startswith(CUDA)} <= pinned(("requirements.txt",), "3.12", system)


@asks_an_index
def test_a_pin_is_left_out_only_for_a_python_that_cannot_have_it(tmp_path):
    left_out = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if "python_version <" in line]
    assert [Requirement(line).name for line in left_out] == ["gensim"]
    (tmp_path / "gensim.txt").write_text(left_out[0].split(";")[0])
    done = resolve("3.14.0", "x86_64-unknown-linux-gnu", tmp_path / "gensim.txt")
    assert done.returncode != 0, "gensim has wheels for it now: take the marker away"
    assert "gensim" in done.stderr


@asks_an_index
def test_an_intel_mac_cannot_have_the_pins():
    done = resolve("3.12.0", "x86_64-apple-darwin", "requirements.txt")
    assert done.returncode != 0
    assert "torch" in done.stderr


@asks_an_index
def test_uv_creates_an_environment_and_would_install_the_pins_there(tmp_path):
    running = f"{sys.version_info.major}.{sys.version_info.minor}"
    folder = tmp_path / "venv"
    subprocess.run([*UV, "venv", "--quiet", "--python", sys.executable, folder], check=True, timeout=60)
    command = [*UV, "pip", "install", "--dry-run", "--only-binary", ":all:", "--python", folder, *index_options()]
    done = subprocess.run([*command, "-r", "requirements.txt"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (count,) = map(int, re.findall(r"Would install (\d+) packages", done.stderr))
    assert count >= len(pinned(("requirements.txt",), running, "x86_64-unknown-linux-gnu")) - 5
