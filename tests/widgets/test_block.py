"""The BlockExplorer: its block is the package's, what a number is made of, and what it refuses."""

from __future__ import annotations

import json
import math
import re
from urllib.parse import quote

import numpy as np
import pandas as pd
import pytest
import torch

from regattn.transformer import Architecture, Block, BlockDesign, LanguageModel, count_parameters
from regattn.widgets import BlockExplorer
from regattn.widgets.block import _drawn
from tests.explorers.block import example, expected
from tests.node import in_node
from tests.widgets.harness import FIGURE, SET, STATE, assert_same, opened
from tools.train_small_block import HOME, WORDS, loss, sentences

TRAINED = json.loads(HOME.read_text(encoding="utf-8"))["heads"]
# of a sentence, in nats: one of four nouns; a verb or "near"; where there is a "near", one of four nouns
FLOOR = math.log(4) + math.log(2) + math.log(4) / 2
ORDERS, POSITIONS = ("pre", "post", "parallel"), ("none", "learned", "sinusoidal", "rotary")


def module(order: str, positions: str, width: int, n_heads: int) -> Block:
    """Return torch's block with the explorer's weights."""
    sizes = {"width": width, "n_heads": n_heads, "order": order, "activation": "relu", "bias": False}
    block = Block(BlockDesign(**sizes, positions=positions)).double()
    maps = {name: torch.from_numpy(_drawn(name, width, width).T) for name in "QKVO"}
    with torch.no_grad():
        block.attention.projection.weight.copy_(torch.cat([maps[name] for name in "QKV"]))
        block.attention.output.weight.copy_(maps["O"])
        block.feed_forward.keys.weight.copy_(torch.from_numpy(_drawn("1", width, 4 * width).T))
        block.feed_forward.values.weight.copy_(torch.from_numpy(_drawn("2", 4 * width, width).T))
    return block


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("order", ORDERS)
def test_the_stream_and_the_counts_are_those_of_the_package(order, positions):
    for width, n_heads, layers in ((8, 2, 1), (16, 4, 6)):
        sizes = {"order": order, "positions": positions, "width": width, "n_heads": n_heads, "layers": layers}
        explorer = example(**sizes)
        found = explorer.result()
        start = torch.from_numpy(explorer._steps()["embedding"])[None]
        with torch.no_grad():
            expected = module(order, positions, width, n_heads)(start, mask="causal")[0]
        np.testing.assert_allclose(found["stream"], expected, rtol=0, atol=1e-12)
        with torch.device("meta"):
            design = Architecture(vocabulary=len(explorer.known), context=5, bias=False, activation="relu", **sizes)
            counts = count_parameters(LanguageModel(design))
        assert {name: found[name] for name in counts if name != "unembedding"} == {
            name: n for name, n in counts.items() if name != "unembedding"
        }


def test_what_a_number_is_made_of_makes_it(tmp_path):
    """Evaluate the written sums: signs become operators, and nothing is left out where there are few terms."""
    code = """const worst = {};
    for (const order of ["pre", "post", "parallel"]) for (const positions of ["learned", "rotary"]) {
      const now = { order, positions, width: 8, n_heads: 4, head: 3, out: "nothing", sentence: 0 };
      const steps = blockSteps(given, now);
      for (const { key, values, how, terms } of steps) values.forEach((row, t) => row.forEach((value, i) => {
        if (terms) {
          const [a, b] = terms(t, i);
          const scale = key === "scores" ? Math.sqrt(2) : 1;
          const sum = Array.from(a).reduce((total, x, k) => total + x * b[k], 0) / scale;
          const name = `terms of ${key}`;
          worst[name] = Math.max(worst[name] ?? 0, Math.abs((key === "hidden" ? Math.max(0, sum) : sum) - value));
        }
        const pieces = how(t, i).map((piece) => (typeof piece === "number" ? `(${piece})` : piece)).join("");
        if (/smaller|^[01]:/.test(pieces)) return;
        const sum = pieces.replace(/ of the \\w+| written|mean |size |sum |, turned by its place/g, "");
        const code = sum.replaceAll("×", "*").replaceAll("−", "-").replace(/√(\\d)/, "Math.sqrt($1)");
        const made = eval(code.replace("exp", "Math.exp").replace("max", "Math.max"));
        worst[key] = Math.max(worst[key] ?? 0, Math.abs(made - value));
      }));
    }
    say(worst);"""
    worst = in_node(tmp_path, "block/numbers.js", code, example().data)
    assert {"embedding", "norm_1", "queries", "scores", "weights", "average", "add_1", "add_2"} <= set(worst)
    assert {f"terms of {key}" for key in ("queries", "scores", "average", "output", "hidden", "back")} <= set(worst)
    assert max(worst.values()) < 1e-12


@pytest.mark.browser
def test_a_click_in_the_drawing_shows_the_step_and_a_number_says_what_it_is_made_of(browser, tmp_path):
    with opened(browser, tmp_path, example()) as page:
        page.locator("rect[data-step=weights]").click()
        assert page.locator("[data-control=step]").input_value() == "weights"
        page.locator("[data-panel=numbers] tbody tr").nth(2).locator("td").nth(1).hover()
        line = page.locator("[data-panel=numbers] p.ra-below").inner_text()
        assert "exp(" in line
        assert "/ sum" in line
        assert page.locator("td.ra-masked").count() == 10
        assert page.locator(".ra-flow text", has_text="5 × 8").count() > 2


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 720])
def test_all_eight_columns_are_seen_without_scrolling(browser, tmp_path, width):
    with opened(browser, tmp_path, example(), width=width) as page:
        for table in page.locator(".ra-scroll").all():
            seen = table.evaluate("(box) => [box.scrollWidth, box.clientWidth]")
            assert seen[0] <= seen[1]
        assert not page.locator("[data-control=head]").is_visible()
        hint = page.locator("[data-panel=numbers] p", has_text="scrolls sideways")
        assert not hint.is_visible()
        page.evaluate(SET, [{"step": "weights"}, 0])
        assert page.locator("[data-control=head]").is_visible()
        page.evaluate(SET, [{"step": "hidden"}, 0])  # 32 columns
        assert hint.is_visible()


FLOW = """() => ({
  lines: document.querySelector(".ra-flow path").getAttribute("d").match(/M/g).length,
  shapes: [...document.querySelectorAll(".ra-flow text:not(.ra-step)")].map((text) => text.textContent),
  counts: [...document.querySelectorAll(".ra-counts tr")].map((row) => [...row.cells].at(-1).textContent),
})"""


@pytest.mark.browser
def test_every_arrow_has_a_shape_and_shapes_and_counts_follow_the_sizes(browser, tmp_path):
    parts = ("embedding", "positions", "attention", "feed_forward", "norms", "total")
    settings = [
        {},
        {"sentence": 1},
        {"width": 16},
        {"n_heads": 4},
        {"n_heads": 1},
        {"layers": 96},
        {"positions": "learned"},
    ]
    with opened(browser, tmp_path, example()) as page:
        for order in ORDERS:
            for more in settings:
                now = {"order": order, "width": 8, "n_heads": 2, "layers": 1, "positions": "none", "sentence": 0} | more
                page.evaluate(SET, [now, 0])
                shown, expected = page.evaluate(FLOW), example(**now).result()
                D, d, T = now["width"], now["width"] // now["n_heads"], 3 if now["sentence"] else 5
                shapes = [shape for shape in shown["shapes"] if "×" in shape]
                assert len(shapes) == shown["lines"]
                assert set(shapes) == {f"{T} × {n}" for n in (D, d, T, 4 * D)}
                assert [int(count.replace(",", "")) for count in shown["counts"]] == [expected[part] for part in parts]
                assert (f"to block 2 of {now['layers']}, " in shown["shapes"][-1]) == (now["layers"] > 1)


@pytest.mark.parametrize(("words", "options", "message"), [
    ([], {}, "1 to 8 words, got 0"),
    (["a"] * 9, {}, "1 to 8 words, got 9"),
    ("abc", {}, "got 'abc'"),
    (["a"], {"step": "sums"}, "step must be one of .*got 'sums'"),
    (["a"], {"width": 7}, "width must be ≥ 8, got 7"),
    (["a"], {"n_heads": 5}, "n_heads must be ≤ 4 .*got 5"),
    (["a"], {"n_heads": 3}, "n_heads must be one of 1, 2, 4, got 3"),
    (["the", "cat"], {"trained": True}, "knows the words the, dog, dogs, gate, gates, near, is, are, got 'cat'"),
    (["a"], {"others": [["b"] * 9]}, "1 to 8 words, got 9"),
])  # fmt: skip
def test_inputs_that_do_not_fit_are_refused(words, options, message):
    with pytest.raises(ValueError, match=message):
        BlockExplorer(words, **options)


# ---- the block that was trained --------------------------------------------------------------------------------------

LESS = {"1 5 2": -3}  # in head 1 the last word of five looks less at its subject
GATE, ONE_DOG = ["the", "dogs", "near", "the", "gate"], ["the", "dog", "near", "the", "gate"]


def learned(**options) -> BlockExplorer:
    return BlockExplorer(GATE, others=[ONE_DOG], trained=True, **options)


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_the_trained_block_continues_every_sentence_of_its_grammar(heads):
    for sentence in sentences():
        *words, verb = sentence.split()
        says = BlockExplorer(words, trained=True, n_heads=heads).result()["says"]
        right = says[-1][WORDS.index(verb)]
        assert right > (0.98 if "near" in words else 0.4)  # after two words a verb or "near" may come
    assert loss({name: torch.tensor(rows) for name, rows in TRAINED[str(heads)].items()}, heads)[1] < 2.79
    assert math.isclose(FLOOR, 4 * math.log(2))


def test_what_is_taken_out_adds_nothing_and_without_attention_the_number_of_the_subject_is_lost():
    shares = [learned(sentence=k, out="attention").result()["says"][-1] for k in (0, 1)]
    np.testing.assert_allclose(*shares)
    assert WORDS[np.argmax(shares[1])] == "are"  # where it should be "is"
    bare = learned(out="feed-forward").result()
    assert bare["says"][1] == bare["says"][2]


@pytest.mark.browser
def test_the_page_computes_what_the_trained_block_says_and_a_line_of_the_row_is_a_step(browser, tmp_path):
    explorer = learned(step="weights")
    with opened(browser, tmp_path, explorer) as page:
        for now in ({}, {"sentence": 1}, {"out": "attention"}, {"n_heads": 4, "out": "feed-forward"}, {"n_heads": 1}):
            page.evaluate(SET, [now, 0])
            assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))
        page.evaluate(SET, [{"n_heads": 2, "out": "nothing", "sentence": 0}, 0])
        assert page.locator("td.ra-lit").first.inner_text() == ".82"  # gate looks at dogs, before a hand has moved
        assert page.locator(".ra-stops td:last-child").all_inner_texts() == ["gate .81", "are .81", "are > .99"]
        page.locator("[data-panel=row] tbody tr").nth(3).locator("td").nth(6).click()
        assert page.locator("[data-control=step]").input_value() == "add_1"
        assert page.locator("[data-panel=row] .ra-table td.ra-lit").inner_text() == "1.50"
        page.locator("[data-panel=row] tbody th").nth(5).click()
        assert page.locator("[data-control=step]").input_value() == "back"
        page.locator("[data-panel=numbers] .ra-table").first.locator("tbody tr").nth(1).locator("td").first.click()
        assert page.locator("[data-panel=row] tbody th").first.inner_text() == "enters: dogs"


@pytest.mark.browser
def test_what_is_pressed_answers_above_the_numbers_and_lights_where_most_is_written(browser, tmp_path):
    with opened(browser, tmp_path, learned(step="weights"), width=1280, height=800) as page:
        said, below = page.locator(".ra-live"), page.locator("[data-panel=numbers] p.ra-below")
        assert said.bounding_box()["y"] < page.locator("[data-panel=numbers]").bounding_box()["y"]
        assert not page.locator(".ra-stops").is_visible()  # where the drawing stands beside them
        for step, part, place in (("add_1", "output", 0), ("add_2", "back", 3)):
            page.evaluate(SET, [{"step": step}, 0])
            explorer = learned(step=part)
            assert np.argmax(np.abs(explorer.result()["values"][-1])) == place
            written = explorer.result()["values"][-1][place]
            assert f"gate, {place + 1}: " in (text := below.text_content().replace("\u2068", "").replace("\u2069", ""))
            assert f"{abs(written):.2f} written" in text
        assert "right for “dogs”" in said.text_content()
        page.evaluate(SET, [{"sentence": 1, "out": "attention"}, 0])
        assert "wrong, “dog” needs “is”" in said.text_content()
        assert "cannot tell dog from dogs" in said.text_content()
        assert page.locator(".ra-stops th").all_text_contents()[1] == "no attention"
        page.evaluate(SET, [{"n_heads": 4, "out": "nothing"}, 0])
        total = learned(n_heads=4).result()["total"]
        assert total == learned().result()["total"]
        assert f"Another block, trained with 4 heads: {total} parameters, as with 2 (256 + 512" in said.text_content()


@pytest.mark.browser
def test_a_preset_leads_back_to_the_word_that_asks_and_a_moved_weight_says_who_is_heard_instead(browser, tmp_path):
    explorer = learned(presets={"hears": {"step": "weights"}, "away": {"step": "weights", "nudges": LESS}})
    with opened(browser, tmp_path, explorer, width=1280, height=800) as page:
        preset = page.locator("[data-preset]")

        def said() -> str:
            return page.locator(".ra-live").text_content().replace("\u2068", "").replace("\u2069", "")

        preset.first.click()
        page.locator("[data-panel=numbers] .ra-table").first.locator("tbody tr").nth(1).locator("td").first.click()
        assert re.search("“dogs” gives the first “the” .* of its weight(, itself|\\.)", said())
        preset.first.click()
        share = learned(step="weights").result()["values"][-1][1]
        assert f"“gate” gives “dogs” {share:.2f} of its weight.".replace("0.", ".") in said()
        page.locator("[data-panel=numbers] .ra-table").first.locator("tbody tr").nth(4).locator("td").first.click()
        assert "“gate” gives the first “the” " in said()
        page.mouse.move(0, 0)
        page.evaluate(SET, [{"sentence": 1}, 0])  # where a new one begins with its subject
        dog = learned(step="weights", sentence=1).result()["values"][-1][1]
        assert f"“gate” gives “dog” {dog:.2f} of its weight".replace("0.", ".") in said()
        assert page.locator("[data-panel=numbers] td.ra-lit").first.inner_text() == f"{dog:.2f}"[1:]
        preset.last.click()
        moved = learned(step="weights", nudges=LESS).result()["values"][-1]
        assert f"{moved[1]:.2f} of its weight, itself {moved[-1]:.2f}".replace("0.", ".") in said()


@pytest.mark.browser
def test_of_the_hidden_numbers_the_largest_are_shown_and_counts_may_stand_in_more(browser, tmp_path):
    explorer = learned(step="hidden", hide=["counts"])
    row = np.array(explorer.result()["values"][-1])
    wanted = sorted(np.argsort(-row, kind="stable")[:8])
    with opened(browser, tmp_path, explorer, width=1280, height=800) as page:
        table = page.locator("[data-panel=numbers] .ra-table").first
        assert table.locator("thead th").all_inner_texts() == [str(unit + 1) for unit in wanted]
        table.locator("tbody tr").first.locator("td").nth(2).click()
        assert (
            page.locator("[data-panel=numbers] p.ra-below")
            .text_content()
            .startswith(f"\u2068the\u2069, {wanted[2] + 1} = ")
        )
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))
        assert [
            page.locator(f"[data-output={part}]").inner_text() for part in ("attention", "feed_forward", "total")
        ] == [
            "1 · 4 · 8² = 256",
            "1 · 8 · 8² = 512",
            "856",
        ]


@pytest.mark.parametrize(("heads", "head"), [(1, 1), (2, 1), (2, 2), (4, 3)])
def test_a_nudged_score_moves_one_weight_and_the_others_share_what_is_left(heads, head):
    options = {"n_heads": heads, "head": head}
    for nudge in (-6, -0.5, 2):
        for step in ("scores", "weights"):
            given = ({}, {f"{head} 5 2": nudge})
            before, after = (np.array(learned(**options, step=step, nudges=some).result()["values"]) for some in given)
            np.testing.assert_allclose(after[:-1], before[:-1], rtol=0, atol=1e-12)
            rest = np.delete(before[-1], 1), np.delete(after[-1], 1)
            if step == "scores":
                np.testing.assert_allclose(after[-1, 1], before[-1, 1] + nudge, rtol=1e-12)
                np.testing.assert_allclose(*rest, rtol=1e-12)
            else:
                np.testing.assert_allclose(after[-1].sum(), 1, rtol=1e-12)
                np.testing.assert_allclose(*(part / part.sum() for part in rest), rtol=1e-9)
                odds = [row[-1, 1] / (1 - row[-1, 1]) for row in (before, after)]
                np.testing.assert_allclose(odds[1], odds[0] * np.exp(nudge), rtol=1e-9)
    alone = BlockExplorer(["the"], trained=True)
    assert alone.result() == BlockExplorer(["the"], trained=True, nudges=LESS).result()  # no second word


def plainly(text: str) -> str:
    return text.replace("\u2068", "").replace("\u2069", "")


def cell(page, row: int, column: int):
    return page.locator("[data-panel=numbers] .ra-table").first.locator("tbody tr").nth(row).locator("td").nth(column)


def share(value: float) -> str:
    return "> .99" if value > 0.995 else "< .01" if value < 0.005 else f"{value:.2f}"[1:]


def said_in_drawing(page) -> list[tuple[str, bool]]:
    marks = "(marks) => marks.map((m) => [m.querySelector('.ra-said-word').textContent, m.matches('.ra-now')])"
    return [tuple(mark) for mark in page.locator(".ra-stop").evaluate_all(marks)]


@pytest.mark.browser
def test_a_press_makes_the_last_word_look_less_at_its_subject_until_the_verb_turns(browser, tmp_path):
    with opened(browser, tmp_path, learned(step="weights"), width=872, height=800, more=False) as page:
        less = page.get_by_role("button", name=re.compile("gate.* on .*dogs.*less"))
        assert said_in_drawing(page) == [("gate .81", True), ("are .81", False), ("are > .99", False)]
        for presses in (1, 2, 3):
            less.click()
            says = learned(step="weights", nudges={"1 5 2": -presses}).result()["says"]
            verbs = [f"{WORDS[np.argmax(stop)]} {share(max(stop))}" for stop in says]
            # lit is what is not as it was trained
            assert said_in_drawing(page) == [
                (verb, verb != trained)
                for verb, trained in zip(verbs, ("gate .81", "are .81", "are > .99"), strict=True)
            ]
            words = plainly(page.locator(".ra-live").text_content())
            if presses == 2:
                assert [verb.split()[0] for verb in verbs] == ["gate", "is", "are"]
                assert f"… are ({verbs[2][4:]}): right for “dogs”." in words
                assert f"After attention it says “is” ({verbs[1][3:]}); feed-forward turns it back to “are”." in words
        assert "… is (> .99): wrong, “dogs” needs “are”." in words
        assert "In head 1 of 2, “gate” gives “dogs” .18 of its weight, itself .78. As trained, it is .82." in words
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))
        two = {"1 5 2": 2.5, "2 5 5": -1, "4 2 1": 6}
        for more in ({"step": "scores"}, {"n_heads": 4, "head": 2, "step": "average"}, {"sentence": 1, "nudges": two}):
            assert_same(page.evaluate(SET, [more, 0]), expected(page.evaluate(STATE)))
        assert not less.is_visible()
        assert page.locator(".ra-chip").count() == 3
        page.evaluate(SET, [{"n_heads": 2}, 0])
        assert page.locator(".ra-chip").count() == 2  # there is no head 4


@pytest.mark.browser
def test_a_moved_score_stays_with_its_head_and_cell_until_its_chip_is_pressed(browser, tmp_path):
    with opened(browser, tmp_path, learned(step="weights"), width=872, height=800, more=False) as page:
        chips = page.locator(".ra-chip")
        less, more = (page.locator(".ra-nudge").nth(k) for k in (0, 1))
        for _ in range(3):
            less.click()
        wrong = page.evaluate(f"{FIGURE}.model.result().says")
        page.evaluate(SET, [{"head": 2}, 0])
        assert page.evaluate(f"{FIGURE}.model.result().says") == wrong
        assert page.locator(".ra-strip input").input_value() == "0"
        cell(page, 2, 1).click()
        more.click()
        assert page.evaluate(f"{FIGURE}.model.get('nudges')") == {"1 5 2": -3, "2 3 2": 1}
        written = ["head 1: gate on dogs −3.0 ×", "head 2: near on dogs +1.0 ×"]
        assert [plainly(chip) for chip in chips.all_text_contents()] == written
        assert "Only this row changes; the next word is asked at “gate”." in plainly(
            page.locator(".ra-live").text_content()
        )
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))
        cell(page, 1, 3).click()
        assert less.is_disabled()
        assert page.locator(".ra-strip input").is_disabled()
        assert "may not look at the" in plainly(page.locator("[data-panel=numbers] p.ra-below").text_content())
        chips.first.click()
        chips.first.click()
        assert page.evaluate(f"{FIGURE}.model.get('nudges')") == {}
        says = plainly(page.locator(".ra-chips").text_content())
        assert says == "Masked: “dogs” does not see “the”, which comes later."


@pytest.mark.browser
def test_the_strip_shows_for_every_place_what_then_leaves_and_its_mark_follows_hand_and_keys(browser, tmp_path):
    with opened(browser, tmp_path, learned(step="weights"), width=872, height=800, more=False) as page:
        columns, mark = page.locator(".ra-strip > span"), page.locator(".ra-strip input")
        places = np.arange(-6, 6.5, 0.5).tolist()
        shown = columns.evaluate_all(
            "(all) => all.map((c) => ['--are', '--both'].map((v) => c.style.getPropertyValue(v)))"
        )
        verbs = []
        for by, (are, both) in zip(places, shown, strict=True):
            leaves = learned(nudges={"1 5 2": by}).result()["says"][-1]
            is_, are_ = (leaves[WORDS.index(verb)] for verb in ("is", "are"))
            np.testing.assert_allclose([float(are[:-1]), float(both[:-1])], [100 * are_, 100 * (is_ + are_)], atol=0.06)
            verbs.append(WORDS[np.argmax(leaves)])
        turn = verbs.index("are")
        assert verbs == ["is"] * turn + ["are"] * (25 - turn)
        hint = f"Drag the mark: on dogs, “gate” says “is” from −{-places[turn - 1]} down."
        assert plainly(page.locator(".ra-chips").text_content()) == hint
        for by in (-6, -2.5, 0.5, 6):
            mark.click(
                position={
                    "x": columns.nth(places.index(by)).evaluate("(c) => c.offsetLeft + c.offsetWidth / 2"),
                    "y": 9,
                }
            )
            assert page.evaluate(f"{FIGURE}.model.get('nudges')") == {"1 5 2": by}
            assert columns.evaluate_all("(all) => all.findIndex((c) => c.matches('.ra-on'))") == places.index(by)
        mark.press("ArrowLeft")
        assert page.evaluate(f"{FIGURE}.model.get('nudges')") == {"1 5 2": 5.5}
        assert "+5.5: gate says are > .99" in plainly(mark.get_attribute("aria-valuetext"))


@pytest.mark.browser
def test_words_are_pressed_where_each_goes_with_each_and_else_there_is_a_list(browser, tmp_path):
    nouns = ("gate", "gates", "dog", "dogs")
    first, *others = [["the", one, "near", "the", last] for last in nouns for one in nouns]
    with opened(browser, tmp_path, BlockExplorer(first, others=others, trained=True), width=390, more=False) as page:
        slots = page.locator(".ra-slot")
        assert slots.count() == 2
        slots.first.locator("input[value=dogs]").check(force=True)
        slots.last.locator("input[value=gates]").check(force=True)
        at = page.evaluate(f"{FIGURE}.model.get('sentence')")
        assert [first, *others][at] == ["the", "dogs", "near", "the", "gates"]
        page.keyboard.press("ArrowRight")
        assert [first, *others][page.evaluate(f"{FIGURE}.model.get('sentence')")][4] == "dog"
        assert page.locator("select[data-control=sentence]").count() == 0
    with opened(browser, tmp_path, example()) as page:
        assert page.locator("select[data-control=sentence]").count() == 1


@pytest.mark.browser
@pytest.mark.parametrize(
    ("nudges", "taken"),
    [({"1 5 2": -3, "2 3 3": 0.5}, True), ({"1 2 5": 1}, False), ({"1 5 2": 9}, False), ([], False)],
)
def test_a_link_moves_scores_that_can_be_moved(browser, tmp_path, nudges, taken):
    hash = f"#regattn-block={quote(json.dumps({'head': 2, 'nudges': nudges}))}"
    with opened(browser, tmp_path, learned(step="weights"), hash=hash) as page:
        assert page.evaluate(f"{FIGURE}.model.get('nudges')") == (nudges if taken else {})
        assert page.evaluate(f"{FIGURE}.model.get('head')") == 2


@pytest.mark.parametrize("nudges", [{"1 2 5": 1}, {"5 1 1": 1}, {"1 5": 1}, {"1 5 2": 7}, {"1 5 2": math.nan}])
def test_a_score_that_is_masked_or_not_there_cannot_be_moved(nudges):
    with pytest.raises(ValueError, match="nudges"):
        learned(nudges=nudges)


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 872])
def test_a_press_on_a_key_takes_the_head_whose_weight_is_told(browser, tmp_path, width):
    with opened(browser, tmp_path, learned(step="weights"), width=width, height=800, more=False) as page:
        said, slider = page.locator(".ra-live"), page.locator("[data-panel=numbers] [data-control=head]")
        for heads, head in ((2, 2), (2, 1), (4, 3), (4, 4), (4, 2)):
            page.evaluate(SET, [{"n_heads": heads}, 0])
            keys = page.locator(".ra-heads > span")
            assert keys.all_inner_texts() == [str(h + 1) for h in range(heads)]
            at, over = keys.nth(head - 1).bounding_box(), slider.bounding_box()
            x, y = at["x"] + at["width"] / 2 - over["x"], at["y"] + at["height"] / 2 - over["y"]
            slider.click(position={"x": x, "y": y})
            assert page.evaluate(f"{FIGURE}.model.get('head')") == head
            assert page.locator(".ra-heads .ra-on").all_inner_texts() == [str(head)]
            weights = learned(step="weights", n_heads=heads, head=head).result()["values"][-1]
            words = said.text_content().replace("\u2068", "").replace("\u2069", "")
            share = "> .99" if weights[1] > 0.995 else f"{weights[1]:.2f}"[1:].replace(".00", "< .01")
            assert f"In head {head} of {heads}, “gate” gives “dogs” {share} of its weight" in words
            assert (" of its weight, " in words) == (np.argmax(weights) != 1)
        page.evaluate(SET, [{"n_heads": 1}, 0])
        assert "In head" not in said.text_content()
        page.evaluate(SET, [{"n_heads": 2, "step": "add_1"}, 0])
        assert not slider.is_visible()


@pytest.mark.browser
def test_what_is_taken_out_is_drawn_as_missing(browser, tmp_path):
    with opened(browser, tmp_path, example(step="add_2")) as page:
        parts, missing = page.locator(".ra-flow .ra-part"), page.locator(".ra-flow rect.ra-without")
        for order, reads in (("pre", 1), ("post", 0), ("parallel", 0)):
            page.evaluate(SET, [{"order": order, "out": "nothing"}, 0])
            assert parts.all_text_contents() == ["attention · 256 parameters", "feed-forward · 512 parameters"]
            assert missing.count() == 0
            page.evaluate(SET, [{"out": "attention"}, 0])
            assert parts.all_text_contents() == ["attention · taken out", "feed-forward · 512 parameters"]
            assert missing.count() == 8 + reads
            page.evaluate(SET, [{"out": "feed-forward"}, 0])
            assert parts.all_text_contents() == ["attention · 256 parameters", "feed-forward · taken out"]
            assert missing.count() == 2 + reads


@pytest.mark.browser
def test_the_next_step_is_a_press_away_is_said_in_words_and_lights_its_bar(browser, tmp_path):
    explorer = learned(step="embedding", hide=["counts"])
    with opened(browser, tmp_path, explorer, width=872, height=800, more=False) as page:
        assert page.locator("figure.regattn").bounding_box()["height"] <= 750
        heights, sentences, lit = set(), [], []
        for step in explorer.steps:
            assert page.locator(".ra-next").text_content() == ("Start again" if step == "add_2" else "Next step")
            sentences.append(page.locator(".ra-live").text_content().replace("\u2068", "").replace("\u2069", ""))
            lit.append(
                page.locator(".ra-stops tr").evaluate_all("(rows) => rows.findIndex((r) => r.className === 'ra-now')")
            )
            heights.add(page.locator("figure.regattn").bounding_box()["height"])
            page.locator(".ra-next").click()
        assert [": right for “dogs”" in sentence for sentence in sentences] == [False] * 14 + [True]
        assert lit == [0] * 10 + [1] * 4 + [2]
        assert len(set(sentences)) == len(explorer.steps)
        assert max(heights) <= 750
        assert page.locator("[data-control=step]").input_value() == "embedding"
        number = learned(step="average").result()["values"][-1][2]
        number_1 = [learned(step=step).result()["values"][-1][0] for step in ("embedding", "norm_1")]
        before, after = (f"{number:.2f}".replace("-0", "−").replace("-", "−") for number in number_1)
        assert sentences[1].endswith(f"Mean 0, variance 1: number 1 of “gate” goes from {before} to {after}.")
        assert (
            f"“gate” takes .82 of the values of “dogs” and .17 of its own: number 3 is −{-number:.2f}." in sentences[8]
        )
        assert "from −.17 to 2.03: “gate” now says “are” (.81), after “gate” (.81)." in sentences[10]
        answering = np.count_nonzero(learned(step="hidden").result()["values"][-1])
        assert f"Of 32 hidden numbers {answering} answer to “gate”" in sentences[12]


# ---- one head, written by hand ---------------------------------------------------------------------------------------


def by_hand(T: int = 3, d: int = 5, d_v: int = 2) -> dict[str, pd.DataFrame | np.ndarray]:
    rng = np.random.default_rng(8)
    queries = pd.DataFrame(rng.normal(size=(T, d)), columns=list("abcde")[:d])
    return {"queries": queries, "keys": rng.normal(size=(T, d)), "values": rng.normal(size=(T, d_v))}


def test_a_head_written_by_hand_is_that_of_torch_in_python_and_in_the_page(browser, tmp_path):
    written = by_hand()
    tensors = [torch.from_numpy(np.array(part)) for part in written.values()]
    expected = torch.nn.functional.scaled_dot_product_attention(*tensors, is_causal=True).numpy()
    explorer = BlockExplorer(["the", "dogs", "sleep"], written=written, step="average")
    np.testing.assert_allclose(explorer.result()["values"], expected, rtol=1e-12)
    with opened(browser, tmp_path, explorer) as page:
        assert page.locator("[data-control]").count() == 1
        for step in explorer.steps:
            explorer.step = step
            found = page.evaluate(SET, [{"step": step}, 0])
            np.testing.assert_allclose(found["values"], explorer.result()["values"], rtol=1e-12)
        page.evaluate(SET, [{"step": "queries"}, 0])
        assert page.locator("[data-panel=numbers] .ra-table").first.locator("thead th").all_text_contents() == list(
            "abcde"
        )
        page.locator("[data-panel=numbers] tbody td").first.hover()
        assert "a: written by hand, " in page.locator("[data-panel=numbers] p.ra-below").text_content()


@pytest.mark.parametrize(("change", "options", "message"), [
    ({"keys": np.ones((2, 5))}, {}, "keys has 2 rows but there are 3 words"),
    ({"keys": np.ones((3, 4))}, {}, "queries have 5 columns but keys have 4"),
    ({"values": [[1.0], [np.inf], [0.0]]}, {}, "values must be finite, got inf"),
    ({"more": np.ones((3, 1))}, {}, "written must hold queries, keys, values, in this order, got .*more"),
    ({}, {"steps": ["output"]}, r"list of some of queries, .*average, got \['output'\]"),
])  # fmt: skip
def test_a_head_written_wrongly_is_refused_by_name(change, options, message):
    with pytest.raises(ValueError, match=message):
        BlockExplorer(["the", "dogs", "sleep"], written=by_hand() | change, **options)
