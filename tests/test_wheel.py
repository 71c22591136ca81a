"""The package as others install it: a wheel that stands alone and holds everything it needs."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.built import ROOT, copy_checkout

TRY = """
import sys
from pathlib import Path
import regattn
from regattn.widgets import AverageExplorer
from regattn.figures import use_style
from regattn.transformer import load_shipped
assert Path(regattn.__file__).is_relative_to(sys.argv[1]), regattn.__file__
use_style()
page = AverageExplorer([0.0, 1.0, 2.0], [1.0, 3.0, 2.0]).to_html()
print(len(page) > 10_000, load_shipped("grammar") is not None, regattn.attend([[1.0]], [[1.0], [1.0]], [2.0, 4.0]))
"""


def pip(*command: str | Path) -> None:
    done = subprocess.run([sys.executable, "-m", "pip", *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Return the wheel of the package, built from what is under version control."""
    folder = tmp_path_factory.mktemp("wheel")
    checkout = copy_checkout(folder / "checkout")
    pip("wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, checkout)
    (made,) = folder.glob("*.whl")
    return made


def test_the_wheel_holds_every_file_of_the_package_and_no_other(wheel):
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    files = [path for path in (ROOT / "regattn").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert held == {path.relative_to(ROOT).as_posix() for path in files}
    endings = {Path(name).suffix for name in held} | {Path(name).name for name in held}
    assert endings >= {".py", ".pyi", ".js", ".css", ".mplstyle", ".safetensors", ".json", "py.typed"}


def test_the_wheel_installed_alone_works(wheel, tmp_path):
    target = tmp_path / "installed"
    pip("install", "--quiet", "--no-deps", "--target", target, wheel)
    command = [
        sys.executable,
        "-W",
        "error::ImportWarning",
        "-c",
        f"import sys; sys.path.insert(0, sys.argv[1])\n{TRY}",
    ]
    done = subprocess.run([*command, str(target)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["True", "True", "[3.]"]
