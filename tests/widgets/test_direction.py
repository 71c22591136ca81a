"""The DirectionExplorer computes as chapter 12's functions do, names what it refuses, and lets a hand order words."""

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest

from regattn.widgets import DirectionExplorer
from regattn.words import context_weights, normalise_rows, predict_next, project, selector
from tests.explorers.direction import COUNTS, WORDS, example, expected
from tests.node import in_node
from tests.ui_actions import assert_same
from tests.widgets.harness import FIGURE, SET, STATE, barriers, opened

C = pd.DataFrame(COUNTS, WORDS, WORDS)
START = ["dog", "bites", "man"]
TERMS = ("zsz", "zsp", "psz", "psp")
HOSTILE = ['<img src=x onerror="document.title=1">', "שלום", "🦊", "x" * 200, "two words", "&amp;", ""]
ORDER = f"{FIGURE}.model.get('order')"
MESSAGE = "[data-output=message]"


# ---- in Python ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("table", "S"), [("symmetric", C + C.T), ("directed", C)])
@pytest.mark.parametrize("order", [START, ["man", "bites", "dog"]])
def test_without_positions_it_is_the_projection_of_chapter_11(table, S, order):
    shares = example(table=table, order=order, psz=False).result()
    np.testing.assert_allclose(shares["scores"], project(S, order))
    np.testing.assert_allclose(shares["weights"], normalise_rows(project(S, order)))
    np.testing.assert_allclose(shares["probabilities"], predict_next(S, order, normaliser="log softmax"))
    softmax = example(table=table, order=order, psz=False, kernel="softmax").result()
    np.testing.assert_allclose(softmax["weights"], context_weights(S, order, normaliser="softmax"))
    np.testing.assert_allclose(softmax["probabilities"], predict_next(S, order, normaliser="softmax"))


@pytest.mark.parametrize("given", [None, np.random.default_rng(2).normal(size=(5, 6))])
def test_all_four_terms_are_the_square_and_the_rank_is_that_of_the_truncated_decomposition(given):
    explorer = DirectionExplorer(C, given, order=["bites", "man", "dog"], zsp=True, psz=True, psp=True)
    H = selector([WORDS.index(word) for word in explorer.order], 6) + explorer.positions
    for table, S in (("symmetric", (C + C.T).to_numpy()), ("directed", C.to_numpy()), ("turned", C.T.to_numpy())):
        U, s, Vt = np.linalg.svd(S)
        for rank in range(1, 7):
            explorer.table, explorer.rank = table, rank
            found, cut = explorer.result(), U[:, :rank] * s[:rank] @ Vt[:rank]
            np.testing.assert_allclose(found["scores"], H @ cut @ H.T, atol=1e-11)
            assert found["lost"] == pytest.approx(np.linalg.norm(S - cut) / np.linalg.norm(S), abs=1e-7)


@pytest.mark.parametrize(("table", "kernel"), list(product(["symmetric", "directed"], ["identity", "softmax"])))
@pytest.mark.parametrize("order", list(permutations(START))[1:])
@pytest.mark.parametrize("rank", [2, 6])
def test_only_a_term_with_places_notices_an_order(table, kernel, order, rank):
    knobs = {"table": table, "kernel": kernel, "order": list(order), "rank": rank}
    for on in product([False, True], repeat=4):
        found = example(**knobs, **dict(zip(TERMS, on, strict=True))).result()
        if not any(on[1:]):
            assert (found["differ"], found["largest"], found["shifted"]) == (0, 0, 0)
            assert found["total"] == pytest.approx(found["total_at_start"])
        else:
            assert found["differ"] > 0


def test_no_order_has_a_higher_total_whatever_is_on():
    for order, table, term in product(permutations(START), ("symmetric", "directed"), ("zsp", "psp")):
        found = example(order=list(order), table=table, **{term: True}).result()
        assert found["total"] == pytest.approx(found["total_at_start"])


def test_turned_scores_come_from_the_words_before_and_values_from_the_words_after():
    shares = example(table="turned", order=["man", "bites", "dog"], psz=False).result()
    weights = normalise_rows(project(C.T, ["man", "bites", "dog"]))
    np.testing.assert_allclose(shares["weights"], weights)
    mean = (weights @ C.loc[["man", "bites", "dog"]].to_numpy()).mean(axis=0)
    np.testing.assert_allclose(shares["probabilities"], np.exp(mean) / np.exp(mean).sum())
    plain, turned = (
        [example(table=table, order=order, psz=False, masked=True).result()["total"] for order in (START, START[::-1])]
        for table in ("directed", "turned")
    )
    assert turned[0] > turned[1] == plain[0]
    assert turned[0] == plain[1]


def test_a_mask_hides_what_is_ahead_and_lets_a_directed_total_read_the_order():
    orders, totals = list(permutations(START)), {}
    for table, kernel, order in product(("symmetric", "directed"), ("identity", "softmax"), orders):
        found = example(psz=False, masked=True, table=table, kernel=kernel, order=list(order)).result()
        S = C + C.T if table == "symmetric" else C
        np.testing.assert_array_equal(found["scores"], np.tril(project(S, list(order))))
        assert np.triu(found["weights"], 1).max() == 0
        if kernel == "softmax":
            np.testing.assert_allclose(np.sum(found["weights"], axis=1), 1)
        totals.setdefault(table, set()).add(found["total"])
    assert len(totals["symmetric"]) == 1
    assert len(totals["directed"]) > 3


def test_equal_words_are_matched_as_they_stand_and_changing_their_places_is_no_change():
    sentence = ["the", "dog", "sees", "the", "man"]
    explorer = example(sentence=sentence, order=sentence, zsp=True)
    assert explorer.result()["differ"] == 0
    explorer.order = ["the", "man", "sees", "the", "dog"]
    changed = np.array(explorer.result()["changed"])
    orders = (explorer.order, sentence)
    now, start = (np.array(example(sentence=sentence, order=o, zsp=True).result()["weights"]) for o in orders)
    places = [0, 4, 2, 3, 1]
    np.testing.assert_allclose(changed, now[places][:, places] - start, atol=1e-6)


def test_a_row_without_scores_has_no_shares_and_an_empty_square_none_at_all():
    found = example(sentence=["dog", "sleeps"], order=["dog", "sleeps"], psz=False, table="directed").result()
    assert found["weights"] == [[0.0, 1.0], [0.0, 0.0]]
    nothing = example(zsz=False, psz=False).result()
    assert np.abs(nothing["weights"]).max() == nothing["total"] == 0
    assert nothing["probabilities"] == pytest.approx([1 / 6] * 6)
    empty = DirectionExplorer(C * 0, order=["man", "bites", "dog"], psp=True).result()
    assert (empty["differ"], empty["lost"]) == (0, 0)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: DirectionExplorer(np.eye(3)), "counts must be a DataFrame .* got ndarray"),
    (lambda: DirectionExplorer(C.iloc[:4]), r"counts must be a square table, got shape \(4, 6\)"),
    (lambda: DirectionExplorer(C.iloc[::-1]), "same words on rows and columns"),
    (lambda: DirectionExplorer(pd.DataFrame(np.eye(2), ["a", "a"], ["a", "a"]), sentence=["a", "a"]), "must differ"),
    (lambda: DirectionExplorer(pd.DataFrame(np.eye(21)), sentence=["0", "1"]), "counts has 21 words; .* room for 20"),
    (lambda: DirectionExplorer(C - 1), "counts must be ≥ 0, got -1"),
    (lambda: DirectionExplorer(C * np.nan), "counts must be finite, got nan"),
    (lambda: DirectionExplorer(C * 1e200), "scores could reach .* beyond 1e[+]100"),
    (lambda: DirectionExplorer(C, sentence="dog bites man"), "2 to 8 words, got 'dog bites man'"),
    (lambda: DirectionExplorer(C, sentence=["dog"]), r"2 to 8 words, got \['dog'\]"),
    (lambda: DirectionExplorer(C, sentence=["dog"] * 9), "2 to 8 words, got"),
    (lambda: DirectionExplorer(C, sentence=["dog", "zebra"]), "unknown word 'zebra' at position 1"),
    (lambda: DirectionExplorer(C, np.ones((2, 6))), r"positions must have shape \(3 or more, 6\), got \(2, 6\)"),
    (lambda: DirectionExplorer(C, np.ones((3, 5))), r"positions must have shape \(3 or more, 6\), got \(3, 5\)"),
    (lambda: DirectionExplorer(C, np.full((3, 6), np.inf)), "positions must be finite, got inf"),
    (lambda: example(order=["man", "bites"]), r"order must hold the words .*, got \['man', 'bites'\]"),
    (lambda: example(order=["man", "man", "dog"]), "order must hold the words"),
    (lambda: example(order="man bites dog"), "order must hold the words .*, got 'man bites dog'"),
    (lambda: example(held=4), "held must be ≤ 3"),
    (lambda: example(rank=0), "rank must be ≥ 1, got 0"),
    (lambda: example(rank=7), "rank must be ≤ 6"),
    (lambda: example(table="C"), "table must be one of symmetric, directed, turned, got 'C'"),
    (lambda: example(kernel="relu"), "kernel must be one of identity, softmax, got 'relu'"),
    (lambda: example(zsp=1), "zsp must be True or False, got 1"),
    (lambda: example(masked="yes"), "masked must be True or False, got 'yes'"),
])  # fmt: skip
def test_what_cannot_be_shown_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# ---- in JavaScript --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sentence", [START, ["the", "dog", "sees", "the", "man", "sleeps"]], ids=["3", "6"])
def test_numbers_equal_the_packages_for_many_settings(tmp_path, sentence):
    rng, explorer = np.random.default_rng(1), example(sentence=sentence, order=sentence)
    settings = [
        {
            "order": rng.permutation(sentence).tolist(),
            "held": 0,
            "table": str(rng.choice(["symmetric", "directed", "turned"])),
            "rank": int(rng.integers(1, 7)),
            "kernel": str(rng.choice(["identity", "softmax"])),
            **{term: bool(rng.integers(2)) for term in (*TERMS, "masked")},
        }
        for _ in range(150)
    ]
    code = "const problem = directionProblem(given.data); const rows = (all) => all.map((row) => [...row]);"
    code += "say(given.settings.map((s) => directionState(problem, s)).map((s) => ({...s, chances: [...s.chances], "
    code += "scores: rows(s.scores), weights: rows(s.weights), before: s.before})));"
    state = explorer.state()
    given = {"data": dict(state["data"]), "settings": settings}
    for values, shown in zip(settings, in_node(tmp_path, "direction/numbers.js", code, given), strict=True):
        wanted = expected({**state, **values})
        found = {name: shown[name] for name in wanted.keys() & shown.keys()}
        found |= {"probabilities": shown["chances"], "next_word": WORDS[shown["best"]]}
        assert_same(found | {"total_at_start": shown["before"]}, wanted, str(values))


# ---- in the browser -------------------------------------------------------------------------------------------------


def drag(page, from_place: int, to_place: int) -> None:
    """Drag the word at one place to another, in small steps, and let it go."""
    a, b = (page.locator(f"[data-control=place-{k}]").bounding_box() for k in (from_place, to_place))
    page.mouse.move(a["x"] + a["width"] / 2, a["y"] + a["height"] / 2)
    page.mouse.down()
    page.mouse.move(b["x"] + b["width"] / 2, b["y"] + b["height"] / 2, steps=12)
    page.mouse.up()


@pytest.mark.browser
def test_a_drag_moves_a_word_and_nothing_else_moves(browser, tmp_path):
    boxes = "() => [...document.querySelectorAll('.ra-place')].map((e) => JSON.stringify(e.getBoundingClientRect()))"
    with opened(browser, tmp_path, example(order=START)) as page:
        before = page.evaluate(boxes)
        drag(page, 1, 3)
        assert page.evaluate(ORDER) == ["bites", "man", "dog"]
        assert page.evaluate(boxes) == before
        assert page.evaluate(f"{FIGURE}.model.get('held')") == 0
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))
        drag(page, 3, 1)
        assert page.evaluate(ORDER) == START
        page.mouse.move(5, 5)
        page.mouse.move(*[page.locator("[data-control=place-2]").bounding_box()[k] + 9 for k in ("x", "y")], steps=5)
        assert page.evaluate(ORDER) == START, "what only hovers moves nothing"
        page.locator("[data-control=place-2]").click()  # a tap after a drag is a tap
        assert page.evaluate(f"{FIGURE}.model.get('held')") == 2


@pytest.mark.browser
def test_two_taps_swap_two_words_and_a_second_tap_puts_one_down(browser, tmp_path):
    with opened(browser, tmp_path, example(order=START), width=390, touch=True) as page:
        place = [page.locator(f"[data-control=place-{k}]") for k in (1, 2, 3)]
        assert min(each.bounding_box()["height"] for each in place) >= 32
        place[0].tap()
        assert page.inner_text(MESSAGE).startswith("⁨dog⁩ is held")
        assert page.locator("td.ra-held").count() == 9  # its row in three tables
        place[2].tap()
        assert page.evaluate(ORDER) == ["man", "bites", "dog"]
        assert place[0].get_attribute("aria-label") == "man, place 1 of 3"
        place[1].tap()
        place[1].tap()
        assert page.evaluate(ORDER) == ["man", "bites", "dog"]
        assert page.locator("[aria-pressed=true].ra-place, td.ra-held").count() == 0


@pytest.mark.browser
def test_a_finger_drags_a_word_sideways(browser, tmp_path):
    with opened(browser, tmp_path, example(order=START), width=390, touch=True) as page:
        boxes = [page.locator(f"[data-control=place-{k}]").bounding_box() for k in (1, 2, 3)]
        xs, y = [box["x"] + box["width"] / 2 for box in boxes], boxes[0]["y"] + 20
        finger = page.context.new_cdp_session(page)
        path = [("touchStart", xs[0]), *(("touchMove", x) for x in np.linspace(xs[0], xs[2], 9)[1:])]
        for kind, x in path:
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": float(x), "y": y}]})
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        assert page.evaluate(ORDER) == ["bites", "man", "dog"]
        assert page.evaluate(f"{FIGURE}.model.get('held')") == 0


@pytest.mark.browser
def test_keys_move_a_word_and_the_focus_goes_with_it(browser, tmp_path):
    with opened(browser, tmp_path, example(order=START)) as page:
        page.locator("[data-control=place-1]").focus()
        page.keyboard.press("ArrowLeft")  # already there
        for key, order in (
            ("ArrowRight", ["bites", "dog", "man"]),
            ("End", ["bites", "man", "dog"]),
            ("ArrowLeft", ["bites", "dog", "man"]),
            ("Home", START),
        ):
            page.keyboard.press(key)
            assert page.evaluate(ORDER) == order
            assert page.evaluate("document.activeElement.innerText").split("\n")[-1].endswith("dog")
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        assert page.evaluate(ORDER) == ["bites", "dog", "man"]
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")
        assert page.evaluate(f"{FIGURE}.model.get('held')") == 0
        page.evaluate("document.documentElement.dir = 'rtl'")
        page.keyboard.press("ArrowLeft")
        assert page.evaluate(ORDER) == ["bites", "man", "dog"]


@pytest.mark.browser
def test_an_order_changes_nothing_until_places_have_a_say(browser, tmp_path):
    with opened(browser, tmp_path, example(order=START, psz=False)) as page:
        assert page.inner_text(MESSAGE).startswith("The order of the start.")
        drag(page, 1, 3)
        assert page.inner_text(MESSAGE).startswith("None of 9 row shares differs from those of “⁨dog bites man⁩”")
        assert page.evaluate(f"{FIGURE}.model.result().differ") == 0
        assert "as before" in page.inner_text(MESSAGE)
        page.locator("[data-control=table]").select_option("directed")
        assert page.inner_text(MESSAGE).startswith("None of 9 row shares")
        page.locator("[data-control=zsp]").check()
        assert page.inner_text(MESSAGE).startswith("9 of 9 row shares differ")
        for term in ("zsz", "zsp"):
            page.locator(f"[data-control={term}]").uncheck()
        assert "Nothing to share out for ⁨bites⁩, ⁨man⁩, ⁨dog⁩" in page.inner_text(MESSAGE)
        assert "NaN" not in page.inner_text("figure.regattn")


@pytest.mark.browser
def test_hostile_words_stay_text_and_a_link_brings_only_orders_of_the_sentence(browser, tmp_path):
    made = DirectionExplorer(pd.DataFrame(np.ones((7, 7)), HOSTILE, HOSTILE), sentence=HOSTILE, psp=True)
    link = "#regattn-direction=%7B%22order%22%3A%5B%22dog%22%2C1%2C2%5D%2C%22held%22%3A99%2C%22zsz%22%3Afalse%7D"
    with opened(browser, tmp_path, made, hash=link, width=390) as page:
        assert page.evaluate(ORDER) == HOSTILE
        assert page.evaluate(f"['held', 'zsz'].map((n) => {FIGURE}.model.get(n))") == [0, False]
        assert page.title() == "An explorer"
        page.locator("[data-control=place-1]").click()
        page.locator("[data-control=place-7]").click()
        assert page.evaluate(ORDER) == [HOSTILE[6], *HOSTILE[1:6], HOSTILE[0]]
        assert page.locator("figure.regattn img").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert barriers(page) == []
        assert_same(page.evaluate(SET, [{"held": 0}, 0]), expected(page.evaluate(STATE)))


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_what_an_order_changes_stands_with_the_words(browser, tmp_path, width):
    with opened(browser, tmp_path, example(), width=width, height=800) as page:
        words, changed, scores = (
            page.locator(name).bounding_box() for name in (".ra-order", "[data-panel=changed]", "[data-panel=scores]")
        )
        assert changed["y"] + changed["height"] - words["y"] < 700
        assert changed["y"] == scores["y"] if width == 1280 else changed["y"] < scores["y"]
