"""A page or an explorer that nobody has touched is left for the weekly check, what was touched never is."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests import looks
from tests.built import ROOT
from tests.changes import Base
from tests.pages import CHAPTERS

CHAPTER = "book/part2-proximity/03_ols_proximity"
PAGES = "tests/test_pages.py"


@pytest.fixture
def differ(monkeypatch):
    """Return what says which paths differ from main."""
    looks.untouched.cache_clear()
    yield lambda *paths: monkeypatch.setattr(looks, "differing", lambda: (Base("0", "main"), frozenset(paths)))
    looks.untouched.cache_clear()


def looked_at(file=PAGES):
    return [page for page in CHAPTERS if not looks.untouched(looks.of_page(page), file)]


def test_a_page_is_looked_at_when_its_source_or_the_test_differs(differ):
    differ("README.md")
    assert looked_at() == []
    looks.untouched.cache_clear()
    differ(f"{CHAPTER}.ipynb")
    assert looked_at() == [CHAPTER]
    looks.untouched.cache_clear()
    differ(PAGES)
    assert looked_at() == CHAPTERS


@pytest.mark.parametrize("shared", ["book/_ext/predictions.js", "regattn/attention.py", "tests/pages.py"])
def test_of_pages_that_share_what_differs_some_are_looked_at_and_others_after_every_commit(differ, monkeypatch, shared):
    differ(shared)
    counts, seen = [], set()
    for commit in range(30):
        monkeypatch.setattr(looks, "git", lambda *_, commit=commit: [f"{commit:040x}"])
        looks.untouched.cache_clear()
        counts.append(len(looked_at()))
        seen |= set(looked_at())
    assert abs(sum(counts) / (len(counts) * len(CHAPTERS)) - 1 / looks.ONE_IN) < 0.05
    assert seen == set(CHAPTERS)


def test_an_explorer_is_its_folder_and_its_oracle_and_shares_the_kit():
    sight = looks.of_explorer("lag")
    assert "regattn/widgets/lag/" in sight.own
    assert "tests/explorers/lag.py" in sight.own
    assert {"regattn/widgets/_kit/explorer.js", "regattn/widgets/_kit/explorer.css"} <= set(sight.shared)
    assert not any(path.startswith("regattn/widgets/model/") for path in sight.shared)


def test_where_nobody_knows_what_differs_all_is_looked_at(monkeypatch):
    looks.untouched.cache_clear()
    monkeypatch.setattr(looks, "differing", lambda: (None, frozenset()))
    assert looked_at() == CHAPTERS
    looks.untouched.cache_clear()


def item(file, **params):
    """Return what pytest collects, as far as it is asked."""
    return SimpleNamespace(path=ROOT / file, callspec=SimpleNamespace(params=params))


def test_a_test_looks_at_the_page_or_the_explorer_that_its_parameters_or_its_file_name():
    assert looks.of_test(item(PAGES, opened=CHAPTER)).name == CHAPTER
    assert looks.of_test(item("tests/widgets/test_every_explorer.py", name="lag")).name == "lag"
    assert looks.of_test(item("tests/widgets/test_kernel.py")).name == "kernel"
    assert looks.of_test(item("tests/widgets/test_play.py")) is None
    assert looks.of_test(item("tests/test_lab.py", name="lag")) is None


def test_a_file_of_tests_depends_on_the_pins_itself_and_what_it_and_its_helpers_import():
    found = looks.of_file(ROOT / "tests/ledger/test_gc_attention_regression.py")
    assert {"requirements", "tests/ledger/test_gc_attention_regression.py", "tests/ledger/diabetes.py"} <= set(found)
    assert "regattn/regression/estimator.py" in found
    assert "tools/monte_carlo.py" in looks.of_file(ROOT / "tests/regression/test_monte_carlo.py")
    assert not any(path.startswith(("regattn/widgets/", "book/")) for path in found)
