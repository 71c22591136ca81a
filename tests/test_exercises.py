"""Every exercise accepts its right answer, refuses a tempting wrong one, and never gives the answer away."""

import re
import subprocess
import sys

import numpy as np
import pytest
import torch

from regattn.exercises import Exercise, check, exercises
from regattn.grammar import Grammar
from tests.built import notebooks, read_notebook

ALL = exercises()


@pytest.mark.parametrize("name", ALL)
def test_the_right_answer_is_right_and_the_wrong_one_gets_the_hint(name):
    exercise = ALL[name]
    assert check(name, exercise.expected())
    verdict = check(name, exercise.wrong)
    assert not verdict
    assert exercise.hint in repr(verdict)


@pytest.mark.parametrize("name", ALL)
def test_no_hint_gives_the_answer_away(name):
    expected, hint = ALL[name].expected(), ALL[name].hint
    if isinstance(expected, str):
        assert expected.lower() not in hint.lower()
    elif not isinstance(expected, bool):
        numbers = [float(x) for x in re.findall(r"-?\d+\.?\d*", hint)]
        targets = np.asarray(expected, float).ravel()
        assert not (targets.size == 1 and any(np.isclose(x, targets[0], rtol=1e-3) for x in numbers))


def test_every_check_in_the_book_names_an_exercise_and_every_exercise_is_checked():
    checked = {}
    for path in notebooks():
        code = "\n".join(cell.source for cell in read_notebook(path).cells if cell.cell_type == "code")
        for name in re.findall(r"""\bcheck\(\s*["']([^"']*)["']""", code):
            checked.setdefault(name, []).append(path)
    assert sorted(set(checked) - set(ALL)) == []
    assert sorted(set(ALL) - set(checked)) == []
    assert [name for name, paths in checked.items() if not all(p.name.startswith(name[:2]) for p in paths)] == []


def test_names_tell_chapter_and_number():
    assert all(re.fullmatch(r"\d\d\.\d+", name) for name in ALL)


def test_rounding_lists_and_tensors_are_accepted():
    exercise = Exercise(lambda: np.array([1 / 3, 2 / 3]), "thirds", wrong=[0.5, 0.5])
    assert exercise.verdict([0.333, 0.667])
    assert exercise.verdict(torch.tensor([1 / 3, 2 / 3]))
    assert exercise.verdict(torch.tensor([1 / 3, 2 / 3], requires_grad=True))
    assert not exercise.verdict([0.333])
    assert not exercise.verdict("a third")


def numbers_of(name) -> np.ndarray | None:
    """Return the right answer as an array, or None if it is a word or a truth value."""
    expected = ALL[name].expected()
    return None if isinstance(expected, str | bool) else np.array(expected, dtype=float)


@pytest.mark.parametrize("name", [name for name in ALL if numbers_of(name) is not None])
def test_an_answer_is_right_within_the_tolerance_and_wrong_beyond_it_whichever_number_is_off(name):
    target = numbers_of(name)
    room = ALL[name].tolerance * np.abs(target).max()
    for place in np.ndindex(target.shape):
        for sign in (-1, 1):
            inside, outside = target.copy(), target.copy()
            inside[place] += sign * 0.99 * room
            outside[place] += sign * max(1.01 * room, 1e-6)
            assert check(name, inside), f"{inside} is within {ALL[name].tolerance:.1%} of {target}"
            assert not check(name, outside), f"{outside} is not within {ALL[name].tolerance:.1%} of {target}"


@pytest.mark.parametrize("name", ALL)
def test_no_tolerance_is_wider_than_two_per_cent_and_none_lets_a_neighbouring_count_pass(name):
    assert ALL[name].tolerance <= 0.02
    expected = ALL[name].expected()
    if isinstance(expected, int) and not isinstance(expected, bool):
        assert not check(name, expected + 1)
        assert not check(name, expected - 1)


def test_the_usual_tolerance_is_one_per_cent_of_the_largest_number():
    exercise = Exercise(lambda: np.array([200.0, -1.0]), "hint", wrong=0.0)
    assert exercise.verdict([201.9, 0.9])
    assert not exercise.verdict([202.1, -1.0])
    assert not exercise.verdict([200.0, 1.1])


@pytest.mark.parametrize("depth", [0, 1])
def test_the_entropy_at_depth_two_is_told_from_that_of_a_shallower_grammar(depth):
    assert not check("18.5", Grammar(depth=depth).entropy().per_word)


def test_words_are_compared_without_case_and_spaces():
    assert Exercise(lambda: "the weights", "hint", wrong="x").verdict(" The  Weights ")


def test_a_check_of_a_regression_chapter_does_not_import_torch():
    code = "import sys; from regattn.exercises import check; check('03.1', 0.0); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_dots_are_not_an_answer():
    assert "No answer yet" in repr(check("03.1", ...))


def test_an_unknown_exercise_lists_the_nearest():
    with pytest.raises(ValueError, match=r"there is no exercise '3\.1'; the nearest are 03\.1"):
        check("3.1", 1.0)
