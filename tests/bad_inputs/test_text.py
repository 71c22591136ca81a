"""Any text at every entrance that reads text: drawn by hypothesis, and sought by atheris where that can be had."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from packaging.requirements import Requirement

from tests.bad_inputs.inputs import many
from tests.bad_inputs.text_properties import PROPERTIES
from tests.built import ROOT

PROGRAM = Path(__file__).with_name("text_properties.py")
RUNS = {"words": 6000, "vocabulary": 20_000, "tokens": 6000, "grammar": 6000, "answers": 20_000}
PINS = (ROOT / "requirements-test.txt").read_text().splitlines()
(PIN,) = (Requirement(line) for line in PINS if "atheris==" in line)
where_it_is_built = pytest.mark.skipif(
    not PIN.marker.evaluate(), reason=f"atheris is built for {PIN.marker} only; hypothesis draws texts everywhere"
)

SIGNS = st.one_of(st.characters(), st.sampled_from("ab/' \n\0_’<>&\\\ud800\udfff٣Ǆßİ🏳️‍🌈"))
TEXTS = st.text(SIGNS, max_size=30)


def sought(name: str, runs: int, folder: Path) -> subprocess.CompletedProcess:
    """Return what atheris says of a property, always from the same seed; what breaks it would be left in `folder`."""
    command = [sys.executable, PROGRAM, name, str(runs)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, errors="replace", timeout=120
    )


@pytest.mark.parametrize("name", PROPERTIES)
@many(200)
@given(text=TEXTS, number=st.integers(0, 255))
def test_property_holds_for_texts_that_are_drawn(name, text, number):
    PROPERTIES[name](text, number)


@pytest.mark.weekly
@where_it_is_built
@pytest.mark.parametrize("name", PROPERTIES)
def test_property_holds_for_texts_that_are_sought(name, tmp_path):
    done = sought(name, RUNS[name], tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert f"Done {RUNS[name]} runs" in done.stderr


@pytest.mark.weekly
@where_it_is_built
def test_a_planted_fault_is_found(tmp_path):
    done = sought("planted", 20_000, tmp_path)
    assert done.returncode != 0
    assert "AssertionError" in done.stdout + done.stderr
