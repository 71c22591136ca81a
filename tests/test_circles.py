"""The arrows between modules point one way: no module of the package leads back to itself, type checking included."""

from __future__ import annotations

import sys
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.built import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from dependencies import Package


def arrows(package: Package) -> dict[str, set[str]]:
    """Return what each module imports, wherever the import stands: at the top, in a function, for type checking.

    A room that loads its names when they are used imports nothing itself: who asks it for a name imports the module
    that its stub names.
    """
    found = {}
    for name, path in package.modules.items():
        imported = package.named(path.read_text(encoding="utf-8"), name)
        found[name] = set() if name in package.stubs else imported - set(package.stubs) - {name}
    return found


def circle(package: Package) -> list[str]:
    """Return modules each of which imports the one before it, the first and the last being the same; or nothing."""
    try:
        TopologicalSorter(arrows(package)).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_module_leads_back_to_itself():
    package = Package(ROOT)
    assert {"regattn.kernels", "regattn.masks"} < arrows(package)["regattn.attention"]
    assert circle(package) == []


@pytest.mark.parametrize(
    "back",
    [
        "from demo.first import f",
        "import demo.first",
        "from demo import f",
        "from .first import f",
        "import demo\n\ndemo.f()",
        "def g():\n    from demo.first import f",
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from demo.first import f",
    ],
)
def test_a_circle_is_found_wherever_the_import_stands(tmp_path, back):
    room = tmp_path / "demo"
    room.mkdir()
    (room / "__init__.py").write_text("import lazy_loader\n")
    (room / "__init__.pyi").write_text("from .first import f as f\nfrom .second import g as g\n")
    (room / "first.py").write_text("from demo import g\n\nf = g\n")
    (room / "second.py").write_text("g = 1\n")
    assert circle(Package(tmp_path, "demo")) == []
    (room / "second.py").write_text(back + "\n")
    assert set(circle(Package(tmp_path, "demo"))) == {"demo.first", "demo.second"}
