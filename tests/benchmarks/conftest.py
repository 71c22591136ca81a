"""How the tests of the benchmarks find them: the scripts stand in a folder, not in a package."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import give_back_threads

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Return a function that imports a script by its name; what it times, it runs once: no test looks at seconds."""
    monkeypatch.syspath_prepend(BENCHMARKS)

    def load(name: str) -> ModuleType:
        module = importlib.import_module(name)
        give_back_threads()
        assert Path(module.__file__).parent == BENCHMARKS, f"{name} is not a benchmark but {module.__file__}"
        if name != "measure" and hasattr(module, "repeated"):
            monkeypatch.setattr(module, "repeated", lambda run, times: run)
        return module

    yield load
    for name, module in list(sys.modules.items()):  # names like "weights" are not ours to keep
        if Path(getattr(module, "__file__", None) or "/").parent == BENCHMARKS:
            del sys.modules[name]
