"""A move of a control is drawn at once, in explorers as large as they may be (how fast: benchmarks/redraws.py)."""

from __future__ import annotations

import pytest

from regattn.grammar import Grammar
from regattn.transformer import load_shipped
from regattn.widgets import ModelExplorer
from tests.ui_actions import AT_ONCE, frames
from tests.widgets.harness import CONTROLS, EXPLORERS, MOVE, opened, oracle

pytestmark = pytest.mark.browser


def longest_sentence() -> ModelExplorer:
    words = "the dogs that the farmer near the mill sees help the cat . "
    words += "anna called tom because she missed tom . the bank was"
    return ModelExplorer(load_shipped()[0], Grammar(), sentence=words)


MAKERS = {name: oracle(name).example for name in EXPLORERS}
MAKERS["24 words"] = longest_sentence
MAKERS["202 rows"] = lambda: oracle("kernel").example(202, temperature=0.1)
MAKERS["six words"] = lambda: oracle("projection").example(
    sentence=["river", "bank", "loan", "money", "flooded", "shore"]
)


@pytest.mark.parametrize("name", MAKERS)
def test_a_move_is_drawn_at_once(browser, tmp_path, name):
    with opened(browser, tmp_path, MAKERS[name]()) as page:
        for control in page.evaluate(CONTROLS):
            assert frames(page, MOVE, control) < AT_ONCE, control
