"""Results of benchmarks: written whole or not at all, and never with a number that is none."""

import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

from tests.built import ROOT

CASE = {"case": "small", "rows": [{"contender": "ours", "ours": True, "seconds": 0.5}], "goals": []}


@pytest.fixture
def measure(tmp_path, monkeypatch):
    """Return the module that writes results, writing into an empty folder where one result stands."""
    spec = spec_from_file_location("measure", ROOT / "benchmarks" / "measure.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "RESULTS", tmp_path)
    module.write("ours", "How fast?", [CASE])
    return module


def results(folder: Path) -> dict[str, dict]:
    return {path.name: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")}


@pytest.mark.parametrize("number", [np.nan, np.inf, float("nan")])
def test_a_number_that_is_none_is_refused_and_the_old_result_stays(measure, tmp_path, number):
    before = results(tmp_path)
    assert before["ours.json"]["cases"] == [CASE]
    spoilt = CASE | {"rows": [CASE["rows"][0] | {"seconds": number}]}
    with pytest.raises(ValueError, match="not JSON compliant"):
        measure.write("ours", "How fast?", [CASE, spoilt])
    assert results(tmp_path) == before


@pytest.mark.parametrize("error", [OSError("no space left"), KeyboardInterrupt()])
@pytest.mark.parametrize("fault", ["write_text", "replace"])
def test_an_interrupted_write_leaves_the_old_result(measure, tmp_path, monkeypatch, fault, error):
    before = results(tmp_path)

    def half(path, text, **how):
        with path.open("w", encoding="utf-8") as file:
            file.write(text[: len(text) // 2])
        raise error

    def stop(path, target):
        raise error

    monkeypatch.setattr(Path, fault, half if fault == "write_text" else stop)
    with pytest.raises(type(error)):
        measure.write("ours", "How slow?", [CASE, CASE])
    monkeypatch.undo()
    assert results(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == ["ours.json"]  # and nothing half written


def test_results_that_are_published_can_be_read():
    for path in (ROOT / "benchmarks" / "results").glob("*.json"):
        found = json.loads(path.read_text(encoding="utf-8"), parse_constant=pytest.fail)
        assert found["cases"], path.name
