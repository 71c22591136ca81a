"""Every exercise accepts its right answer in any spelling, knows the typical mistakes, and never gives itself away."""

import ast
import builtins
import json
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from regattn.exercises import check, exercises
from regattn.exercises._exercise import Exercise, Mistake
from regattn.exercises._judging import MESSAGES, judge_text, mentions
from regattn.exercises._reading import TABLES, numbers_in, words_in
from regattn.grammar import Grammar
from tests.built import label, notebooks, read_notebook

ALL = exercises()
OUTCOMES = ("right", "empty", "several", "negated", "near", "none", "count")
CASES = [
    pytest.param(group["sheet"], text, outcome, id=f"{name}-{outcome}-{text}")
    for name, group in json.loads((Path(__file__).parent / "spellings.json").read_text(encoding="utf-8")).items()
    for outcome, texts in group.items()
    if outcome != "sheet"
    for text in texts
]
WORDS = [name for name, exercise in ALL.items() if exercise.options]
NUMBERS = [name for name in ALL if name not in WORDS]

PLACEHOLDERS = {"c", "unit", "sentence", "query", "keys", "std"}  # what a hint leaves to the reader

# What a reader may write round a text that names the right thing.
AROUND = ["{}", " {}. ", "“{}”", "I say {}!", "it is the {}, I think"]


def spellings(values: list[float]) -> dict[str, object]:
    """Return ways to write numbers: as text, and as what a notebook computes."""
    shown = [f"{value:.6g}" for value in values]
    text = {
        "digits": "; ".join(shown),
        "comma": "; ".join(shown).replace(".", ","),
        "minus sign": "; ".join(shown).replace("-", "−"),
        "list": str([float(one) for one in shown]),
        "exponent": " ".join(f"{value:.5e}" for value in values),
        "fraction": ", ".join(str(Fraction(value).limit_denominator(100_000)) for value in values),
        "per cent": "; ".join(f"{100 * value:.6g} %" for value in values),
        "thousands": "; ".join(f"{value:,.6f}" for value in values),
    }
    computed = {
        "array": np.array(values),
        "column": np.array(values)[:, None],
        "tensor": torch.tensor(values, dtype=torch.float64, requires_grad=True),
        "series": pd.Series(values),
        "texts": [f"{value:.6g}" for value in values],
    }
    if len(values) == 1:
        text |= {"words": f"about {shown[0]} points", "equation": f"theta = {shown[0]}"}
        computed |= {"scalar": np.float64(values[0]), "of no dimension": np.array(values[0]), "Python": values[0]}
    return text | computed


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_is_right_however_it_is_written(name):
    for how, answer in spellings(ALL[name].sheet["targets"]).items():
        assert ALL[name].verdict(answer), f"{how}: {answer}"


@pytest.mark.parametrize("name", NUMBERS)
def test_a_share_may_be_given_in_per_cent_and_another_number_may_not(name):
    sheet = ALL[name].sheet
    in_per_cent = [100 * value for value in sheet["targets"]]
    large = all(abs(value) > 1 for value in in_per_cent)
    assert bool(ALL[name].verdict(in_per_cent)) == (sheet["share"] and large)


@pytest.mark.parametrize("name", WORDS)
def test_words_are_right_in_every_spelling_and_with_words_around(name):
    exercise, sheet = ALL[name], ALL[name].sheet
    synonyms = [spelling for spelling in sheet["options"][sheet["right"]] if " " not in spelling]
    for word in (sheet["right"], sheet["right"].upper(), *synonyms):
        for around in AROUND:
            assert exercise.verdict(around.format(word)), word


@pytest.mark.parametrize("name", ALL)
def test_at_least_three_typical_mistakes_have_hints_of_their_own(name):
    assert len({mistake["hint"] for mistake in ALL[name].sheet["mistakes"]} - {ALL[name].sheet["hint"]}) >= 3
    assert len(ALL[name].mistakes) >= 2


@pytest.mark.parametrize("name", ALL)
def test_every_mistake_gets_its_hint_as_a_number_and_as_a_text(name):
    for mistake in ALL[name].sheet["mistakes"]:
        if "option" in mistake:
            spelled = [mistake["option"], mistake["option"].upper(), f"is it {mistake['option']}?"]
        else:
            values = mistake["values"]
            spelled = [np.array(values), "; ".join(map(str, values)), "; ".join(f"{v:.12g}" for v in values)]
        for answer in spelled:
            verdict = check(name, answer)
            assert not verdict
            assert str(verdict) == MESSAGES["hint"] + mistake["hint"]


@pytest.mark.parametrize("name", NUMBERS)
def test_a_wrong_sign_is_told(name):
    verdict = check(name, [-value for value in ALL[name].sheet["targets"]])
    assert not verdict
    assert "sign" in str(verdict)


@pytest.mark.parametrize("name", ALL)
def test_no_hint_gives_the_answer_away(name):
    sheet = ALL[name].sheet
    for hint in (sheet["hint"], *(mistake["hint"] for mistake in sheet["mistakes"])):
        if sheet["kind"] == "words":
            assert not mentions(words_in(hint), sheet["options"][sheet["right"]]), hint
        elif len(sheet["targets"]) == 1:
            said = [float(number) for number in re.findall(r"-?(?:\d*\.)?\d+", hint)]
            said += [numeral for numeral, word in enumerate(TABLES["numerals"]) if word in words_in(hint)]
            assert not np.isclose(said, sheet["targets"], rtol=1e-3).any(), hint


@pytest.mark.parametrize("name", ALL)
def test_what_a_hint_names_is_there_in_the_chapter(name):
    sheet = ALL[name].sheet
    hints = " ".join([sheet["hint"], *(mistake["hint"] for mistake in sheet["mistakes"])])
    named = {
        node.id
        for code in re.findall("`([^`]+)`", hints)
        for node in ast.walk(ast.parse(code.replace("λ", "1")))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in PLACEHOLDERS
    }
    assert named <= known_in_chapter(name.partition(".")[0]), named


@pytest.mark.parametrize("path", [path for path in notebooks() if "part" in path.parent.name], ids=label)
def test_every_exercise_says_whether_it_is_done_by_hand_or_in_the_notebook(path):
    text = "\n\n".join(cell.source for cell in read_notebook(path).cells)
    titles = re.findall(r"^> \*\*Exercise \d\*\*$", text, re.MULTILINE)
    tagged = re.findall(r"^> \*\*Exercise \d\*\*\n>\n> \*(?:By hand|Notebook)\.\* [^a-z]", text, re.MULTILINE)
    assert len(tagged) == len(titles) >= 5


def known_in_chapter(chapter: str) -> set[str]:
    """Return the names that the code cells of a chapter bind at its top level, and those of Python."""
    path = next(path for path in notebooks() if path.stem[3:] == chapter and "part" in path.parent.name)
    cells = (cell.source for cell in read_notebook(path).cells if cell.cell_type == "code")
    nodes = [node for source in cells for node in ast.walk(ast.parse(source))]
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    imported = {
        alias.asname or alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    return bound | imported | set(dir(builtins))


@pytest.mark.parametrize(("sheet", "text", "outcome"), CASES)
def test_a_text_is_read_and_judged(sheet, text, outcome):
    right, message = judge_text(sheet, text)
    hint = MESSAGES["order"] if outcome == "order" else outcome
    assert message == (MESSAGES[outcome] if outcome in OUTCOMES else MESSAGES["hint"] + hint)
    assert right == (outcome == "right")


def test_every_check_in_the_book_names_an_exercise_and_every_exercise_is_checked():
    checked = {}
    for path in notebooks():
        code = "\n".join(cell.source for cell in read_notebook(path).cells if cell.cell_type == "code")
        for name in re.findall(r"""\bcheck\(\s*["']([^"']*)["']""", code):
            checked.setdefault(name, []).append(path)
    assert sorted(set(checked) - set(ALL)) == []
    assert sorted(set(ALL) - set(checked)) == []
    assert [
        name for name, paths in checked.items() if not all(p.stem[3:] == name.partition(".")[0] for p in paths)
    ] == []


@pytest.mark.parametrize("odd", [True, np.array([True]), 1j, [], {"a": 1}, len, np.nan, "2020-01-01", b"1", 10**400])
def test_what_is_no_number_is_not_taken_for_one(odd):
    verdict = Exercise(lambda: 1.0, "think", (Mistake(0.0, "more"),)).verdict(odd)
    assert not verdict
    assert str(verdict)


@pytest.mark.parametrize("name", ALL)
def test_an_answer_has_options_when_it_is_a_word_and_is_no_truth_value(name):
    assert ALL[name].sheet["kind"] == ("words" if name in WORDS else "numbers")
    assert not isinstance(ALL[name].expected(), bool)


@pytest.mark.parametrize("name", NUMBERS)
def test_an_answer_is_right_within_the_tolerance_and_wrong_beyond_it_whichever_number_is_off(name):
    target = np.array(ALL[name].expected(), dtype=float)
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
    if isinstance(expected, int):
        assert not check(name, expected + 1)
        assert not check(name, expected - 1)


def test_tolerances_other_than_a_hundredth_are_these():
    odd = {name: exercise.tolerance for name, exercise in ALL.items() if exercise.tolerance not in (0, 0.01)}
    assert odd == {
        "shrinkage_and_rank.4": 0.02,
        "cooccurrence_projection.4": 0.02,
        "tokens.2": 0.002,
        "tokens.5": 0.02,
        "latent_codes.5": 0.003,
        "language_model.5": 0.001,
    }


def test_the_usual_tolerance_is_one_per_cent_of_the_largest_number():
    exercise = Exercise(lambda: np.array([200.0, -1.0]), "hint", (Mistake([0.0, 0.0], "more"),))
    assert exercise.verdict([201.9, 0.9])
    assert not exercise.verdict([202.1, -1.0])
    assert not exercise.verdict([200.0, 1.1])


@pytest.mark.parametrize("depth", [0, 1])
def test_the_entropy_at_depth_two_is_told_from_that_of_a_shallower_grammar(depth):
    assert not check("language_model.5", Grammar(depth=depth).entropy().per_word)


def test_words_may_stand_alone_in_a_list_or_be_a_quarter():
    assert check("ols_proximity.4", ["1980Q1"])
    assert check("ols_proximity.4", pd.Period("1980Q1"))
    assert check("ols_proximity.4", np.array("1980Q1"))
    assert not check("ols_proximity.4", ["1980Q1", "1980Q3"])


def test_brackets_without_end_are_read_without_an_error():
    assert numbers_in("(" * 10_000 + "1") == []
    assert numbers_in("-" * 10_000) == []


def test_a_check_of_a_regression_chapter_does_not_import_torch():
    code = "import sys; from regattn.exercises import check; check('masks.1', 0.0); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_dots_are_not_an_answer():
    assert "No answer yet" in repr(check("ols_proximity.1", ...))


def test_an_unknown_exercise_lists_the_nearest():
    with pytest.raises(ValueError, match=r"there is no exercise 'ols\.1'; the nearest are .*ols_proximity\.1"):
        check("ols.1", 1.0)
