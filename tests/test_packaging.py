"""What `pip install` brings: with extras all that a chapter imports, and every file that the package reads."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import regattn
from tests.built import ROOT, copy_checkout, notebooks, read_notebook

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MODULES = sorted((ROOT / "regattn").rglob("*.py"))
READ = re.compile(r'find_spec\("(\w+)"\)')  # a package whose files are read without importing it
SHIPPED = {".css", ".csv", ".js", ".json", ".mplstyle", ".py", ".pyi", ".safetensors", ".typed", ".xz"}
EXTRAS = set(PROJECT["optional-dependencies"])
STRANGER = """
import json, pkgutil, sys
sys.path.insert(0, sys.argv[1])
import regattn
from regattn.transformer import checkpoints
rooms = [room.name for room in pkgutil.iter_modules(regattn.__path__) if room.ispkg]
for room in rooms:
    module = __import__(f"regattn.{room}", fromlist=["x"])
    for name in getattr(module, "__all__", []):
        getattr(module, name)
print(json.dumps([regattn.__file__, rooms, len(regattn.data.load_lee_corpus())]))
"""


def imported(code: str) -> set[str]:
    """Return the top names of the modules that code imports, but for what it can do without."""
    tree = ast.parse(code)
    spared = [node for node in ast.walk(tree) if isinstance(node, ast.Try) and "ImportError" in ast.unparse(node)]
    optional = {id(child) for node in spared for child in ast.walk(node)}
    names = set(READ.findall(code))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and id(node) not in optional:
            names |= {alias.name.split(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom) and not node.level and id(node) not in optional:
            names.add(node.module.split(".")[0])
    return names - set(sys.stdlib_module_names) - {"regattn"}


installed = cache(metadata.packages_distributions)  # it reads the files of every package


def distributions(modules: set[str]) -> dict[str, set[str]]:
    """Return the distributions that each module may come with."""
    found = installed()
    return {module: {canonicalize_name(name) for name in found.get(module, [module])} for module in modules}


def declared(*extras: str) -> set[str]:
    """Return what the package asks for, with those extras and the ones that they name in turn."""
    found, waiting = set(), [*PROJECT["dependencies"], f"regattn[{','.join(extras)}]"]
    while waiting:
        need = Requirement(waiting.pop())
        if need.name == "regattn":
            waiting += [line for extra in need.extras for line in PROJECT["optional-dependencies"][extra]]
        else:
            found.add(canonicalize_name(need.name))
    return found


def code_of(path: Path) -> str:
    """Return the code of a notebook."""
    return "\n".join(cell.source for cell in read_notebook(path).cells if cell.cell_type == "code")


def test_the_package_declares_everything_it_imports():
    needed = distributions(set().union(*(imported(path.read_text(encoding="utf-8")) for path in MODULES)))
    assert {"gensim", "lazy_loader", "torch"} <= set(needed)
    asked = {"lightgbm", "xgboost"}  # whoever has such a model has the module
    assert {module for module, names in needed.items() if not names & declared("all", "scale")} <= asked


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_notebook_imports_nothing_that_the_package_does_not_bring(path):
    needed = distributions(imported(code_of(path)))
    assert [module for module, names in needed.items() if not names & declared("all")] == []


def test_the_package_declares_nothing_that_it_does_not_use():
    used = set().union(*distributions(set().union(*map(imported, map(Path.read_text, MODULES)))).values())
    used |= set().union(*distributions(set().union(*map(imported, map(code_of, notebooks())))).values())
    # the client is the caller's; ipywidgets shows an explorer in a notebook, and anywidget imports it
    assert declared("all", "scale") - used <= {"distributed", "ipywidgets"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Return a wheel of the package, built from the files under version control alone."""
    folder = tmp_path_factory.mktemp("wheel")
    checkout = copy_checkout(folder / "checkout")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run([*command, "-w", folder, checkout], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_carries_every_file_of_the_package_and_nothing_else(wheel):
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "regattn").rglob("*") if path.suffix in SHIPPED}
    with ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert packed == files
    assert {path.suffix for path in (ROOT / "regattn").rglob("*.*") if path.is_file()} <= SHIPPED | {".pyc"}
    assert "regattn/py.typed" in packed


def test_the_wheel_asks_for_the_declared_packages_and_the_declared_python(wheel):
    with ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("/METADATA")]
        told = archive.read(name).decode()
    plain = [line for line in re.findall(r"^Requires-Dist: (.+)$", told, re.MULTILINE) if "extra ==" not in line]
    assert {canonicalize_name(Requirement(line).name) for line in plain} == declared()
    assert declared() & {"torch", "gensim", "matplotlib", "statsmodels", "anywidget", "tokenizers"} == set()
    assert set(re.findall(r"^Provides-Extra: (.+)$", told, re.MULTILINE)) == EXTRAS
    assert re.findall(r"^Version: (.+)$", told, re.MULTILINE) == [regattn.__version__]
    (python,) = re.findall(r"^Requires-Python: (.+)$", told, re.MULTILINE)
    assert sorted(python.split(",")) == sorted(PROJECT["requires-python"].split(","))


def test_every_public_name_works_from_the_wheel_alone(wheel, tmp_path):
    with ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    command = [sys.executable, "-P", "-c", STRANGER, tmp_path]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert str(tmp_path) in done.stdout
    for room in ("regression", "transformer", "widgets", "words"):
        assert f'"{room}"' in done.stdout
    assert done.stdout.strip().endswith("300]")
