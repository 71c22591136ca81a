"""A page is written again when the number of an equation that it may refer to has changed."""

from __future__ import annotations

import sys
from types import SimpleNamespace

from tests.built import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import equation_numbers

CHAPTER = "book/part3-attention/06_learning_the_embedding"


def counted(env, *names):
    """Return the pages to write again after Sphinx has counted the equations of a chapter, in this order."""
    env.toc_fignumbers = {CHAPTER: {"displaymath": {name: (70 + k,) for k, name in enumerate(names)}}}
    return equation_numbers.number(None, env)


def test_all_pages_are_written_again_when_a_number_has_changed_and_only_then():
    env = SimpleNamespace(found_docs={CHAPTER, "book/solutions/06_learning_the_embedding"})
    assert counted(env, "first", "second") == []  # the first build writes all as it is
    assert env.toc_fignumbers[CHAPTER]["displaymath"] == {"first": (6, 1), "second": (6, 2)}
    assert counted(env, "first", "second") == []
    assert counted(env, "first", "between", "second") == sorted(env.found_docs)
    assert env.toc_fignumbers[CHAPTER]["displaymath"]["second"] == (6, 3)
