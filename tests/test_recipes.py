"""The recipes of the library: every line on the page runs and prints what it says, a family of models at a time."""

from __future__ import annotations

import doctest
import re

import pytest

from tests.built import ROOT

REFERENCE = ROOT / "book" / "reference"


def ran(text: str, name: str) -> doctest.TestResults:
    """Return what became of the lines of all blocks of Python, run one after the other."""
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(doctest.DocTestParser().get_doctest("\n".join(blocks), {}, name, None, 0))
    return runner.summarize(verbose=False)


@pytest.mark.parametrize(("page", "least"), [("recipes", 60), ("library", 15)])
def test_the_lines_of_a_page_run_and_print_what_it_says(page, least, tmp_path, monkeypatch):
    pytest.importorskip("statsmodels", reason="the extra data")
    monkeypatch.chdir(tmp_path)
    failed, attempted = ran((REFERENCE / f"{page}.md").read_text(encoding="utf-8"), page)
    assert failed == 0
    assert attempted >= least


def test_the_recipes_name_every_family_that_can_be_asked():
    from regattn.attribution import observation_weights

    text = (REFERENCE / "recipes.md").read_text(encoding="utf-8")
    listed = re.search(r"Models that can be asked:\n(.*?)Parameters", observation_weights.__doc__, re.DOTALL)[1]
    families = {"Ridge", "Lasso", "Pipeline", "Voting", "Stacking", "KernelRidge", "GaussianProcess", "LightGBM",
                "XGBoost", "OLS", "MixedLM", "UnobservedComponents", "Factor", "last_layer"}  # fmt: skip
    assert {each for each in families if each not in listed} == set()
    shown = {"MixedLM": "mixed models", "Pipeline": "make_pipeline"}
    assert {each for each in families if shown.get(each, each) not in text} == set()
