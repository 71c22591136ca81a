"""The ProjectionExplorer: its traits in Python, and its numbers and words in a real browser, offline."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from regattn.data import load_seven_words
from regattn.widgets import ProjectionExplorer
from regattn.words import context_weights, ppmi, predict_next, project, vocabulary_scores
from tests.explorers.projection import chosen_example, counted, example, expected
from tests.widgets.harness import FIGURE, SET, STATE, assert_same, barriers, opened, sweep

RIVERSIDE = ["river", "bank", "flooded"]
RESULT = f"{FIGURE}.model.result()"
HOSTILE = ['<img src=x onerror="document.title=1">', "שלום", "🦊", "x" * 200, "two words", "&amp;", "'\""]


# ---- in Python ------------------------------------------------------------------------------------------------------


def test_the_result_is_the_packages_answer():
    made = example(normaliser="softmax", unit=4.0)
    S = load_seven_words() / 4
    result = made.result()
    np.testing.assert_array_equal(result["counts"], S)
    np.testing.assert_array_equal(result["scores"], project(S, RIVERSIDE))
    np.testing.assert_array_equal(result["weights"], context_weights(S, RIVERSIDE, normaliser="softmax"))
    np.testing.assert_array_equal(result["vocabulary_scores"], vocabulary_scores(S, RIVERSIDE, normaliser="softmax"))
    np.testing.assert_array_equal(result["probabilities"], predict_next(S, RIVERSIDE, normaliser="softmax"))
    assert example().result()["next_word"] == "shore"


def test_an_empty_sentence_and_an_isolated_word_have_no_answer_but_no_error():
    empty = example(sentence=[]).result()
    assert empty["scores"] is None
    assert empty["next_word"] is None
    alone = example(sentence=["bank"], normaliser="log softmax").result()
    assert alone["scores"] == [[0.0]]
    assert alone["weights"] is None
    assert example(sentence=["bank"]).result()["probabilities"] == [1 / 7] * 7


def test_the_cell_to_edit_is_first_that_of_the_first_two_words():
    assert (example().row, example().column) == (0, 1)
    assert (example(sentence=["loan", "loan", "bank"]).row, example(sentence=["loan", "loan", "bank"]).column) == (
        2,
        1,
    )
    assert (example(sentence=[]).row, example(sentence=["rely"]).column) == (0, 0)


@pytest.mark.parametrize(("trait", "value", "message"), [
    ("sentence", "river bank", "got 'river bank'"),
    ("sentence", ["river", "zebra"], "'zebra', which is not in the table"),
    ("sentence", ["river"] * 13, "sentence has 13 words; an explorer has room for 12"),
    ("counts", np.ones((3, 3)), "counts has 3 rows but there are 7 words"),
    ("counts", np.triu(np.ones((7, 7))), "counts must be symmetric, got 1 and 0"),
    ("counts", -np.ones((7, 7)), "got -1"),
    ("counts", np.full((7, 7), np.nan), "got nan"),
    ("normaliser", "sparsemax", "got 'sparsemax'"),
    ("unit", 0.0, "unit must be ≥ 0.1, got 0.0"),
    ("unit", 1000.0, "unit must be ≤ 100, got 1000.0"),
    ("row", 7, "row must be ≤ 6"),
    ("column", -1, "column must be ≥ 0, got -1"),
])  # fmt: skip
def test_a_bad_trait_is_refused_and_the_old_value_stays(trait, value, message):
    made = example()
    before = getattr(made, trait)
    with pytest.raises(ValueError, match=message):
        setattr(made, trait, value)
    assert getattr(made, trait) == before


@pytest.mark.parametrize(("S", "message"), [
    (np.eye(3), "got ndarray"),
    (pd.DataFrame(np.eye(2), ["a", "b"], ["b", "a"]), "same words"),
    (pd.DataFrame(np.eye(2), ["a", "a"], ["a", "a"]), "must differ"),
    (pd.DataFrame(np.eye(2001)), "S has 2001 words; an explorer has room for 2000"),
    (pd.DataFrame(np.triu(np.ones((21, 21)))), r"S must be symmetric, got 1 and 0 at \(0, 1\)"),
    (pd.DataFrame(np.triu(np.ones((2, 2))), ["a", "b"], ["a", "b"]), "symmetric"),
])  # fmt: skip
def test_a_table_that_does_not_fit_is_refused(S, message):
    with pytest.raises(ValueError, match=message):
        ProjectionExplorer(S, sentence=[])


# ---- in the browser -------------------------------------------------------------------------------------------------


@pytest.mark.browser
def test_numbers_equal_the_packages_over_a_grid(browser, tmp_path):
    made = example()
    edited = load_seven_words().to_numpy(dtype=float).copy()
    edited[1, 2] = edited[2, 1] = 18
    with opened(browser, tmp_path, made) as page:
        for sentence in (RIVERSIDE, ["bank", "loan"], ["bank", "river", "bank"], ["bank"], ["river", "loan"], []):
            for normaliser in ("counts", "softmax", "log softmax"):
                for unit, counts in ((1.0, edited), (0.1, edited), (3.7, made.counts), (100.0, made.counts)):
                    made.sentence, made.normaliser, made.unit, made.counts = sentence, normaliser, unit, counts
                    values = {name: getattr(made, name) for name in ("sentence", "normaliser", "unit", "counts")}
                    assert_same(page.evaluate(SET, [values, 0]), made.result())


@pytest.mark.browser
def test_a_typed_sentence_is_read_and_what_is_unknown_is_named(browser, tmp_path):
    with opened(browser, tmp_path, example()) as page:
        page.fill("[data-control=sentence]", "The Bank, <b>loan</b> loan!")
        assert page.evaluate(f"{FIGURE}.model.get('sentence')") == ["bank", "loan"]
        message = page.inner_text("[data-output=message]")
        assert "money" in message
        assert "Not in the table: \u2068The\u2069, \u2068<b>loan</b>\u2069." in message
        assert page.locator("figure.regattn b").count() == 0
        assert page.input_value("[data-control=sentence]") == "The Bank, <b>loan</b> loan!"


@pytest.mark.browser
def test_words_join_and_leave_the_sentence_by_their_buttons(browser, tmp_path):
    with opened(browser, tmp_path, example()) as page:
        page.click("[data-control=word-2]")
        page.click("[data-control=word-0]")
        assert page.evaluate(f"{FIGURE}.model.get('sentence')") == ["bank", "flooded", "loan"]
        assert page.input_value("[data-control=sentence]") == "bank flooded loan"
        pressed = page.eval_on_selector_all(".ra-word", "(all) => all.map((b) => b.getAttribute('aria-pressed'))")
        assert pressed == ["false", "true", "true", "false", "true", "false", "false"]


@pytest.mark.browser
def test_a_cell_of_e_lights_the_weights_and_the_counts_that_make_it(browser, tmp_path):
    made = example(normaliser="log softmax")
    cells = "(all) => all.map((td) => [td.parentElement.rowIndex - 1, td.cellIndex - 1])"
    with opened(browser, tmp_path, made) as page:
        page.locator("[data-panel=mixed] tbody tr").nth(1).locator("td").nth(5).hover()  # bank, shore
        assert page.eval_on_selector_all("[data-panel=weights] .ra-lit", cells) == [[1, 0], [1, 1], [1, 2]]
        assert page.eval_on_selector_all("[data-panel=table] .ra-lit", cells) == [[0, 5], [1, 5], [4, 5]]
        lit = [np.array(made.result()[key]) for key in ("weights", "counts", "vocabulary_scores")]
        assert lit[0][1] @ lit[1][[0, 1, 4], 5] == pytest.approx(lit[2][1, 5])
        said = page.inner_text("[data-panel=mixed] .ra-below")
        assert said.startswith("\u2068bank\u2069, \u2068shore\u2069: ")
        assert float(said.split("= ")[1]) == pytest.approx(lit[2][1, 5], rel=0.01)
        page.mouse.move(5, 5)
        assert page.locator(".ra-lit").count() == 0
        page.locator("[data-panel=mixed] td[tabindex='0']").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowRight")
        assert page.eval_on_selector_all("[data-panel=table] .ra-lit", cells) == [[0, 1], [1, 1], [4, 1]]
        page.keyboard.press("Enter")  # holds it
        page.locator("[data-control=sentence]").focus()
        assert page.locator("[data-panel=weights] .ra-lit").count() == 3


@pytest.mark.browser
def test_a_cell_of_m_chooses_the_count_it_was_read_from(browser, tmp_path):
    with opened(browser, tmp_path, example()) as page:
        page.locator("[data-panel=scores] tbody tr").nth(2).locator("td").nth(1).click()  # flooded, bank
        assert page.evaluate(f"['row', 'column'].map((n) => {FIGURE}.model.get(n))") == [4, 1]


@pytest.mark.browser
def test_a_click_picks_a_cell_and_the_slider_edits_it_with_its_mirror(browser, tmp_path):
    with opened(browser, tmp_path, example()) as page:
        before = page.evaluate(RESULT)
        page.locator("[data-panel=table] tbody tr").nth(5).locator("td").nth(6).click()  # shore, rely
        page.fill("[data-control=count]", "9")
        after = page.evaluate(RESULT)
        assert after["counts"][5][6] == after["counts"][6][5] == 9
        assert after["scores"] == before["scores"], "a cell outside the sentence is not read by M"
        assert "9" in page.inner_text("[data-output=count]")
        assert page.locator(".ra-picked").count() == 2
        assert page.locator("[data-panel=table] [data-control=count]").count() == 1, "the slider stands below the table"


@pytest.mark.browser
def test_where_a_word_is_nearly_certain_the_mean_scores_tell_nothing_from_too_little_to_see(browser, tmp_path):
    with opened(browser, tmp_path, example()) as page:
        said = lambda: page.inner_text("[data-output=message]")  # noqa: E731
        first = said()
        assert "(mean of E: 40.3, next \u2068river\u2069 22.7)" in first
        page.locator("[data-panel=table] tbody tr").nth(5).locator("td").nth(6).click()  # shore, rely
        page.fill("[data-control=count]", "10")
        assert said() == first
        page.locator("[data-panel=table] tbody tr").nth(0).locator("td").nth(2).click()  # river, loan
        page.fill("[data-control=count]", "5")
        assert "> 0.999 (mean of E: 40.3, next \u2068loan\u2069 29.0)" in said()
        page.select_option("[data-control=normaliser]", "log softmax")
        assert "mean of E" not in said()


@pytest.mark.browser
def test_what_has_no_answer_is_said_in_words(browser, tmp_path):
    with opened(browser, tmp_path, example()) as page:
        page.fill("[data-control=sentence]", "")
        assert "no word of the table" in page.inner_text("[data-output=message]")
        page.fill("[data-control=sentence]", "bank")
        assert "No two words of this sentence have met" in page.inner_text("[data-output=message]")
        page.select_option("[data-control=normaliser]", "log softmax")
        assert "met none of these words" in page.inner_text("[data-output=message]")
        assert "NaN" not in page.inner_text("figure.regattn")
        page.fill("[data-control=sentence]", "bank " * 14)
        assert "Only the first 12 words are used" in page.inner_text("[data-output=message]")


@pytest.mark.browser
def test_a_tie_has_no_winner_and_is_said_to_be_one(browser, tmp_path):
    words = ["loan", "shore", "rely"]
    S = pd.DataFrame([[0, 1, 1], [1, 0, 2], [1, 2, 0]], words, words)
    with opened(browser, tmp_path, ProjectionExplorer(S, sentence=["shore", "rely"])) as page:
        assert page.locator(".ra-best").count() == 0
        said = page.inner_text("[data-output=message]")
        assert said.startswith("3 words are equally probable beside them: ")
        page.fill("[data-control=sentence]", "loan shore")
        assert page.locator(".ra-best").count() == 1
        page.fill("[data-control=sentence]", "loan")
        assert page.locator(".ra-best").count() == 0


@pytest.mark.browser
def test_hostile_words_are_shown_as_text(browser, tmp_path):
    S = pd.DataFrame(np.ones((7, 7)), HOSTILE, HOSTILE)
    made = ProjectionExplorer(S, sentence=HOSTILE[:3])
    with opened(browser, tmp_path, made, width=390) as page:
        assert page.title() == "An explorer"
        assert page.locator("figure.regattn img").count() == 0
        assert page.inner_text("[data-control=word-0]") == HOSTILE[0]
        page.click("[data-control=word-4]")
        assert page.evaluate(f"{FIGURE}.model.get('sentence')") == [*HOSTILE[:3], "two words"]
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert_same(page.evaluate(RESULT), ProjectionExplorer(S, sentence=[*HOSTILE[:3], "two words"]).result())


@pytest.mark.browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_serious(browser, tmp_path, dark):
    twenty = [f"word {i}" for i in range(20)]  # wide enough to scroll inside itself
    made = ProjectionExplorer(pd.DataFrame(np.ones((20, 20)), twenty, twenty), sentence=twenty[:12])
    for each in (example(), made):
        with opened(browser, tmp_path, each, dark=dark, width=390) as page:
            if dark:
                page.evaluate("document.body.style.background = '#121212'; document.body.style.color = '#eee'")
            assert barriers(page) == []


# ---- words of the reader's choice -----------------------------------------------------------------------------------


def test_of_a_larger_vocabulary_the_sentence_and_whom_it_meets_most_stand_first():
    S, made = counted(), chosen_example()
    meets = S.loc[["w3", "w17"]].sum()
    assert made.shown[:2] == ["w3", "w17"]
    others = meets.drop(["w3", "w17"])
    assert others[made.shown[2:]].min() >= others.drop(made.shown[2:]).max()
    assert made.result()["words"] == made.shown
    np.testing.assert_array_equal(made.result()["counts"], S.loc[made.shown, made.shown])


def test_the_numbers_are_those_of_the_table_of_the_chosen_words():
    made = chosen_example(shown=["w1", "w2", "w3", "w4", "w5"], normaliser="softmax")
    words = ["w1", "w2", "w3", "w4", "w5", "w17"]  # a word of the sentence joins
    S = counted().loc[words, words]
    assert made.result()["words"] == words
    np.testing.assert_array_equal(made.result()["probabilities"], predict_next(S, ["w3", "w17"], normaliser="softmax"))
    made.shown = [f"w{k}" for k in range(20)]
    made.sentence = ["w28", "w29", "w19"]
    assert made.result()["words"] == [*(f"w{k}" for k in range(17)), "w19", "w28", "w29"]  # others make room


@pytest.mark.parametrize(("shown", "message"), [
    ("w1 w2", "shown must be a list of words, got 'w1 w2'"),
    (["zebra"], "shown has the word 'zebra', which is not in S"),
    (["w1", "w1"], "shown has the word 'w1' twice"),
    ([f"w{k}" for k in range(21)], "shown has 21 words; a table has room for 20"),
])  # fmt: skip
def test_words_that_no_table_can_have_are_refused(shown, message):
    with pytest.raises(ValueError, match=message):
        chosen_example(shown=shown)
    with pytest.raises(ValueError, match="counts of more than 20 words cannot be edited"):
        chosen_example(counts=np.ones((30, 30)))


@pytest.mark.browser
def test_a_reader_chooses_the_words_of_the_table_and_the_numbers_are_the_packages(browser, tmp_path):
    with opened(browser, tmp_path, chosen_example(), width=390) as page:
        assert sweep(page, expected) in ([], ["shown"])  # once the sentence has all its words, these stand anyway
        page.fill("[data-control=sentence]", "w28 w3 zebra")
        page.fill("[data-control=shown]", "w1 w2 zebra W5, w2")
        assert page.evaluate(f"{FIGURE}.model.get('shown')") == ["w1", "w2", "w5"]
        assert_same(page.evaluate(RESULT), expected(page.evaluate(STATE)))
        assert page.evaluate(f"{RESULT}.words") == ["w1", "w2", "w5", "w28", "w3"]
        assert page.locator(".ra-word").all_inner_texts() == ["w1", "w2", "w5", "w28", "w3"]
        page.click("[data-control=word-1]")
        assert page.evaluate(f"{FIGURE}.model.get('sentence')") == ["w28", "w3", "w2"]
        assert_same(page.evaluate(RESULT), expected(page.evaluate(STATE)))
        page.fill("[data-control=shown]", "w1 w2")
        page.locator("[data-control=shown]").press("End")
        page.keyboard.type(" w2")
        assert "w1 w2 w20" in page.eval_on_selector_all("datalist option", "(all) => all.map((o) => o.value)")
        page.fill("[data-control=shown]", "")
        page.fill("[data-control=sentence]", "")
        assert page.evaluate(f"{RESULT}.words") == []
        assert_same(page.evaluate(RESULT), expected(page.evaluate(STATE)))
        assert "NaN" not in page.inner_text("figure.regattn")
        assert page.locator("[data-control=count], [data-control=row]").count() == 0
        assert barriers(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_table_that_only_rounding_left_asymmetric_is_taken():
    for S in (counted(), load_seven_words()):
        near = ppmi(S)
        near.iloc[0, 1] = near.iloc[1, 0] * (1 + 1e-15)
        made = ProjectionExplorer(near, sentence=list(S.columns[:2]))
        table = np.array(made.result()["counts"])
        np.testing.assert_array_equal(table, table.T)
        words = made.result()["words"]
        np.testing.assert_allclose(table, near.loc[words, words], rtol=1e-12, atol=1e-14)
