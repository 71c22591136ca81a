"""The report on answers that are alike: what it sees through, what it does not see, and that it says so."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tools import similar

NAME = "graded_x"
ONE = '''
import numpy as np

def weights(X, row):
    """Return the weights."""
    centred = X - X.mean(axis=0)  # as in the chapter
    inverse = np.linalg.inv(centred.T @ centred)
    return 1 / len(X) + (row - X.mean(axis=0)) @ inverse @ centred.T
'''
RENAMED = """
import numpy

def weights(table, asked):
    # my own idea
    c = table - table.mean(axis=0)
    omega = numpy.linalg.inv(c.T @ c)

    return 1 / len(table) + (asked - table.mean(axis=0)) @ omega @ c.T
"""
OTHER = """
import numpy as np

def weights(X, row):
    A = np.column_stack([np.ones(len(X)), X])
    found = []
    for each in np.eye(len(X)):
        found.append(np.linalg.lstsq(A, each, rcond=None)[0] @ np.append(1.0, row))
    return np.array(found)
"""


def hand_in(course: Path, **sources: str) -> None:
    """Hand in an answer for each student."""
    for student, source in sources.items():
        path = course / "submitted" / student / NAME / f"{NAME}.ipynb"
        path.parent.mkdir(parents=True)
        place = {"nbgrader": {"grade_id": "q", "solution": True, "schema_version": 3}}
        nbformat.write(new_notebook(cells=[new_code_cell(source, metadata=place), new_code_cell("1 + 1")]), path)


def test_names_comments_and_docstrings_do_not_matter_and_what_is_done_does():
    one, renamed, other = map(similar.read, (ONE, RENAMED, OTHER))
    assert similar.alike(one, renamed) == 1
    assert similar.alike(one, other) < 0.6
    assert similar.alike(one, similar.read(ONE.replace("inv(", "pinv("))) < 1
    assert similar.read("def f(:") == []


def test_one_name_in_two_places_is_not_two_names():
    assert similar.read("a = b + b") == similar.read("c = d + d") != similar.read("a = b + c")
    assert similar.read("x.mean()") != similar.read("x.sum()")
    assert similar.read("f(axis=0)") != similar.read("f(ddof=0)")


def test_a_copy_is_told_with_what_is_usual_and_a_short_answer_is_not_compared(tmp_path):
    hand_in(tmp_path, ada=ONE, ben=RENAMED, cho=OTHER, dee="weights = ...", eve="def weights(:")
    (pair,), short = similar.compare(tmp_path, NAME)
    assert (pair.question, pair.students, pair.share) == ("q", ("ada", "ben"), 1)
    assert pair.usual < 0.9
    assert short == ["q: dee", "q: eve"]
    text = similar.report(tmp_path, NAME)
    assert "100%  q: ada and ben" in text
    assert "Too short to compare, or no Python: q: dee, q: eve." in text
    assert "What this cannot see" in text


def test_what_it_cannot_see_is_not_seen(tmp_path):
    head, centred, inverse, last = ONE.rsplit("\n    ", 3)
    mean = (
        f"{head}\n    unused = inverse_of = None\n    middle = X.mean(axis=0)\n    {centred}\n    {inverse}\n    {last}"
    )
    hand_in(tmp_path, ada=ONE, ben=OTHER, cho=mean)
    assert similar.compare(tmp_path, NAME)[0] == []


def test_nothing_handed_in_is_said(tmp_path):
    with pytest.raises(ValueError, match="no submission of 'graded_x'"):
        similar.compare(tmp_path, NAME)


def test_the_guide_says_what_the_report_says():
    guide = (Path(__file__).parents[2] / "teach" / "guide" / "grading.md").read_text(encoding="utf-8")
    for words in ("written anew", "in another order", "into other functions", "a web page or a language model"):
        assert words in guide
        assert words in " ".join(similar.BLIND.split())
