"""What is called a call of the package in an answer for marks, and that a student is told on the spot."""

from __future__ import annotations

import pytest
from IPython.core.interactiveshell import InteractiveShell

from regattn.exercises import refuse_package
from regattn.exercises._letters import judged_wrong
from regattn.exercises._marking import package_call


@pytest.mark.parametrize(("source", "told"), [
    ("import regattn", "line 1: imports regattn"),
    ("import numpy as np, regattn.series as s", "line 1: imports regattn"),
    ("def f(x):\n    from regattn.regression import spectrum\n    return 1", "line 2: imports regattn"),
    ("%matplotlib inline\nimport regattn", "line 2: imports regattn"),
    ("x = regattn.attend", "line 1: imports regattn"),
    ("import importlib\nm = importlib.import_module('reg' + 'attn')", "line 1: importlib can import what is not named"),
    ("m = __import__('reg' + 'attn')", "line 1: __import__ can import what is not named"),
    ("exec('import reg' 'attn')", "line 1: exec can import what is not named"),
    ("import sys\nm = sys.modules['reg' + 'attn']", "line 2: sys.modules can import what is not named"),
    ("from sys import modules\nm = modules['reg' + 'attn']", "line 1: sys.modules can import what is not named"),
    ("get_ipython().run_cell('import reg' 'attn')", "line 1: get_ipython can import what is not named"),
])  # fmt: skip
def test_a_call_of_the_package_is_found_however_it_is_written(source, told):
    assert package_call(source) == told


@pytest.mark.parametrize("source", [
    "# as regattn has it\nanswer = 1", '"""Not regattn.attend."""', "print('regattn')", "def f(:", "",
    "import numpy as np\nregattn_free = np.eye(2)", "weights.importlib_free = 1", "import sys; sys.stderr.write('x')",
])  # fmt: skip
def test_what_only_speaks_of_the_package_is_let_through(source):
    assert package_call(source) is None


@pytest.fixture
def shell(monkeypatch):
    """Return a shell as a notebook has it, in which the first cell of an assignment was run."""
    shell = InteractiveShell()
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    monkeypatch.delenv("REGATTN_MARKING", raising=False)
    refuse_package()
    return shell


def test_a_cell_that_would_get_no_marks_says_so_and_is_not_run(shell, capsys):
    shell.run_cell("before = 1\nimport regattn")
    assert "This cell would get no marks. line 2: imports regattn." in capsys.readouterr().out
    assert "before" not in shell.user_ns
    assert shell.run_cell("after = 2").success
    assert shell.user_ns["after"] == 2


def test_where_answers_are_marked_tests_may_call_the_package(shell, monkeypatch):
    fresh = InteractiveShell()
    monkeypatch.setattr("IPython.get_ipython", lambda: fresh)
    monkeypatch.setenv("REGATTN_MARKING", "1")
    refuse_package()
    assert fresh.run_cell("import regattn").success


KEY = {"A": (True, "it is so"), "B": (False, "it is not"), "C": (True, "of course")}


@pytest.mark.parametrize(("letters", "told"), [
    ({"A", "C"}, []),
    (frozenset("AC"), []),
    (set("ABC"), ["B (does not hold: it is not)"]),
    (set(), ["A (holds: it is so)", "C (holds: of course)"]),
    ({"B"}, ["A (holds: it is so)", "B (does not hold: it is not)", "C (holds: of course)"]),
])  # fmt: skip
def test_every_letter_that_was_judged_wrong_is_named_with_its_reason(letters, told):
    assert judged_wrong(lambda: letters, KEY) == told


class Speechless:
    """What cannot say how it looks."""

    def __repr__(self):
        raise TypeError


@pytest.mark.parametrize(("answer", "told"), [
    (lambda: ..., "the answer has nothing"),
    (lambda: "AC", "the answer has 'AC'"),
    (lambda: ["A", "C"], r"the answer has \['A', 'C'\]"),
    (lambda: {"D"}, r"from A to C, .*; the answer has \{'D'\}"),
    (lambda: {1}, r"the answer has \{1\}"),
    (lambda: list(range(1000)), "the answer has .{60}…$"),
    (Speechless, "the answer has something of the type Speechless"),
    (lambda: ()[3], r"the answer has none \(IndexError: tuple index out of range\)"),
])  # fmt: skip
def test_an_answer_that_is_no_set_of_letters_is_told_so(answer, told):
    with pytest.raises(AssertionError, match=told) as refused:
        judged_wrong(answer, KEY)
    assert refused.value.__suppress_context__ or refused.value.__context__ is None
