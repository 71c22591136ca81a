"""The TrainingExplorer: steps equal to NumPy's, the same bytes every time, below the 3-gram, in a worker or without."""

from __future__ import annotations

import numpy as np
import pytest

from regattn.grammar import Grammar
from regattn.widgets import TrainingExplorer
from regattn.words import count_ngrams
from tests.explorers.training import SMALL, example, expected
from tests.node import in_node
from tests.widgets.harness import FIGURE, SET, STATE, assert_same, opened

PLAY, STEP, START = (f"[data-play={key}]" for key in ("play", "step", "start"))
TEXT = "the cat saw the dog and the dog saw the owl; the owl saw the cat in the rain — and the sun came out again. " * 9
WALK = """
const [asked, plain] = [given.settings, given.plain];
const task = taskOf(given.data, given.data.text);
const trainer = makeTrainer(task, { ...given.data, plain });
trainer.begin(asked);
while (trainer.step() < given.step) trainer.advance(asked);
const { weights, losses, learnt, samples } = trainer.state();
say({ weights: Array.from(weights), losses, learnt, samples: samples.map(({ tokens }) => task.written(tokens)),
  loss: trainer.loss(), vectors: trainer.vectors,
  rungs: task.counted ? countedBits(task.counted, given.data.orders) : null });
"""


def walked(folder, explorer: TrainingExplorer, *, plain: bool = False) -> dict:
    """Return the explorer's training as the page's modules take it in Node."""
    settings = {"learning_rate": explorer.learning_rate, "seed": explorer.seed}
    given = {"data": explorer.data | {"worker": ""}, "settings": settings, "step": explorer.step, "plain": plain}
    return in_node(folder, "training/keeper.js", WALK, given)


KEPT = """
const keeper = keeperOf(given.data);
const trainer = makeTrainer(taskOf(given.data, ""), given.data);
const asked = { learning_rate: 0.01, seed: 1, own: "" }; // as the worker has them; the page asks in another order
trainer.begin(asked);
while (trainer.step() < 7) trainer.advance(asked);
const told = { ...trainer.state(), loss: 1.5 };
keeper.keep(told, asked);
say([keeper.stateAt(7, { own: "", learning_rate: 0.01, seed: 1 }) === told, keeper.loss(),
  keeper.stateAt(7, { own: "", learning_rate: 0.02, seed: 1 }) === told]);
"""


def test_what_the_worker_has_taken_the_page_takes_no_second_time(tmp_path):
    data = example().data | {"worker": ""}
    assert in_node(tmp_path, "training/keeper.js", KEPT, {"data": data}) == [True, 1.5, False]


def test_a_hundred_steps_are_those_of_numpy(tmp_path):
    explorer = TrainingExplorer(width=16, steps=400, step=100, seed=4)
    found, wanted = walked(tmp_path, explorer), explorer.result()
    np.testing.assert_allclose(found["weights"], wanted["parameters"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found["losses"], wanted["losses"], rtol=1e-9)
    assert found["samples"] == wanted["samples"]


def test_of_two_blocks_and_of_a_text_too(tmp_path):
    explorer = TrainingExplorer(TEXT, width=16, n_heads=2, layers=2, steps=60, step=10)
    found, wanted = walked(tmp_path, explorer), explorer.result()
    np.testing.assert_allclose(found["weights"], wanted["parameters"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose([found["loss"], *found["rungs"]], [wanted["loss"], *wanted["rungs"]], rtol=1e-9)
    np.testing.assert_allclose(found["learnt"], wanted["learnt"], rtol=1e-9)
    assert len(found["learnt"]) == len(found["losses"]) == 2


def test_a_second_run_and_one_without_vectors_end_in_the_same_bits(tmp_path):
    explorer = TrainingExplorer(**SMALL, step=25, seed=3)
    first, second, loops = (
        walked(tmp_path, explorer),
        walked(tmp_path, explorer),
        walked(tmp_path, explorer, plain=True),
    )
    assert (first["vectors"], loops["vectors"]) == (True, False)
    assert first["weights"] == second["weights"] == loops["weights"]
    explorer.seed = 4
    assert walked(tmp_path, explorer)["weights"] != first["weights"]


def test_the_books_own_is_below_what_any_3_gram_can_have_within_300_steps(tmp_path):
    explorer = TrainingExplorer(step=300)
    found = walked(tmp_path, explorer)
    two, three, _, floor = (level for _, level in explorer.data["rungs"])
    assert floor < found["loss"] < three < two


def test_no_counted_ngram_is_below_its_rung():
    grammar, explorer = Grammar(), TrainingExplorer()
    text = grammar.sample_tokens(np.random.default_rng(5), texts=1, length=40_000)[0]
    held = grammar.sample_tokens(np.random.default_rng(6), texts=1, length=10_000)[0]
    for order, (_, rung) in enumerate(explorer.data["rungs"][:2], start=2):
        paid = count_ngrams(text, order=order, vocabulary=105).surprisals(held).mean()
        assert rung - 0.03 < paid < rung + 0.1  # 0.03: five thousand words' luck


@pytest.mark.parametrize(("call", "message"), [
    (lambda: TrainingExplorer(3), "source must be a Grammar or a text, got int"),
    (lambda: TrainingExplorer("short"), "source must have at least 258 bytes, got 5"),
    (lambda: TrainingExplorer(width=24), "width must be a multiple of 4 n_heads, got width 24 and 4 n_heads"),
    (lambda: TrainingExplorer(width=144), r"width must be ≤ 128 \(what a page can train\), got 144"),
    (lambda: TrainingExplorer(layers=5), r"layers must be ≤ 4 \(what a page can train\), got 5"),
    (lambda: TrainingExplorer(steps=30), "steps must be ≥ 31, got 30"),
    (lambda: example(step=61), r"step must be ≤ 60 \(the number of steps\), got 61"),
    (lambda: example(head=5), r"head must be ≤ 4 \(the number of heads\), got 5"),
    (lambda: example(learning_rate=0.0), "learning_rate must be ≥ 1e-05, got 0.0"),
])  # fmt: skip
def test_what_cannot_be_trained_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# ---- in the browser -------------------------------------------------------------------------------------------------

NO_WORKERS = "() => { window.Worker = class { constructor() { throw new Error('refused'); } }; }"


@pytest.mark.browser
@pytest.mark.parametrize("refused", [False, True], ids=["worker", "page"])
def test_where_it_is_paused_it_is_where_numpy_is_after_as_many_steps(browser, tmp_path, refused):
    with opened(browser, tmp_path, TrainingExplorer(width=16, steps=100_000)) as page:
        if refused:
            page.evaluate(NO_WORKERS)
        page.locator(PLAY).click()
        page.wait_for_function(f"{FIGURE}.model.get('step') > 0")
        page.locator(PLAY).click()
        assert page.locator(PLAY).inner_text() == "Play"
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))


@pytest.mark.browser
def test_it_plays_to_its_end(browser, tmp_path):
    with opened(browser, tmp_path, example(step=0)) as page:
        page.locator(PLAY).click()
        page.wait_for_function(f"{FIGURE}.model.get('step') === {SMALL['steps']}")
        assert page.locator(PLAY).inner_text() == "Play"
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))


@pytest.mark.browser
def test_one_step_and_restart(browser, tmp_path):
    with opened(browser, tmp_path, example()) as page:
        page.locator(STEP).click()
        assert page.evaluate(f"{FIGURE}.model.get('step')") == 13
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))
        page.locator(START).click()
        assert page.evaluate(f"{FIGURE}.model.get('step')") == 0
        assert page.locator("progress").evaluate("(bar) => bar.value") == 0


@pytest.mark.browser
def test_out_of_sight_it_sleeps_and_goes_on_when_it_is_seen(browser, tmp_path):
    with opened(browser, tmp_path, TrainingExplorer(width=16, steps=100_000)) as page:
        page.locator(PLAY).click()
        page.wait_for_function(f"{FIGURE}.model.get('step') > 0")
        page.evaluate("document.body.style.paddingTop = '9000px'; scrollTo(0, 0)")
        page.wait_for_timeout(600)
        asleep = page.evaluate(f"{FIGURE}.model.get('step')")
        page.wait_for_timeout(400)
        assert page.evaluate(f"{FIGURE}.model.get('step')") == asleep
        page.evaluate("document.body.style.paddingTop = ''")
        page.wait_for_function(f"{FIGURE}.model.get('step') > {asleep}")


@pytest.mark.browser
def test_a_pasted_text_is_learned_and_one_that_is_too_short_is_told(browser, tmp_path):
    explorer = TrainingExplorer(TEXT, width=16, steps=60, step=3)
    with opened(browser, tmp_path, explorer) as page:
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), explorer.result())
        page.evaluate(SET, [{"own": "to be or not to be, " * 20, "step": 2}, 0])
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))
        curve, line = page.locator("[data-panel=loss] path.ra-line"), page.locator(".ra-first .ra-lacks")
        assert not line.is_visible()
        for own, told in (("to be", "5 bytes; it takes 258: 253 more."), ("", "0 bytes; it takes 258: 258 more.")):
            assert_same(page.evaluate(SET, [{"own": own, "step": 0}, 0]), expected(page.evaluate(STATE)))
            assert line.inner_text() == told
            assert page.locator(".ra-live").inner_text().strip() == ""
            assert {curve.nth(k).get_attribute("d") for k in range(curve.count())} <= {"", None}
            assert page.locator("[data-panel=loss] .ra-note").evaluate_all(
                "(names) => names.every((n) => !n.textContent)"
            )
            assert page.locator(".ra-history li").count() == 0
            assert not page.locator("[data-panel=map] table").is_visible()
            assert set(page.locator("dd[data-output]").all_inner_texts()) == {"–"}
            assert page.locator(PLAY).is_disabled()
            assert page.locator(STEP).is_disabled()
        page.evaluate(SET, [{"own": TEXT, "step": 1}, 0])
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))
        assert not line.is_visible()
        assert page.locator(PLAY).is_enabled()


@pytest.mark.browser
def test_a_text_cut_short_while_it_plays_stops_the_training(browser, tmp_path):
    with opened(browser, tmp_path, TrainingExplorer(TEXT, width=16, steps=100_000)) as page:
        page.locator(PLAY).click()
        page.locator("textarea").fill("to be")
        page.wait_for_function("document.querySelector('[data-play=play]').textContent === 'Play'")
        page.wait_for_timeout(300)
        assert page.evaluate(f"{FIGURE}.model.get('step')") == 0
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))


@pytest.mark.browser
def test_the_most_probable_bytes_are_those_of_numpy_and_need_no_new_training(browser, tmp_path):
    explorer = TrainingExplorer(TEXT, width=16, steps=60, step=50)
    drawn = explorer.result()
    explorer.writes = "likeliest"
    surest = explorer.result()
    assert surest["samples"] != drawn["samples"]
    assert surest["losses"] == drawn["losses"]
    explorer.writes = "drawn"
    with opened(browser, tmp_path, explorer, more=False) as page:
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), drawn)
        page.locator("[data-panel=samples] .ra-keys label").last.click()
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), surest)
        assert page.evaluate(f"{FIGURE}.model.get('step')") == 50
        assert surest["samples"][-1].strip() in page.locator(".ra-history").inner_text()
        page.keyboard.press("ArrowLeft")
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), drawn)


@pytest.mark.browser
def test_it_writes_on_from_a_beginning_of_ones_own_while_it_plays_and_tells_what_it_cannot_read(browser, tmp_path):
    explorer = TrainingExplorer(TEXT, width=16, steps=60, step=10)
    plain = explorer.result()
    explorer.beginning = TEXT[:16]
    assert explorer.result()["samples"] == [*plain["samples"], plain["samples"][-1]]  # by the same chance
    assert explorer.result()["copied"] == [*plain["copied"], plain["copied"][-1]]
    explorer.beginning = ""
    told = {
        "the sun ßaw": ("the sun aw", "“ß” is not in the text: it is left out."),
        "QX the ow": (" the ow", "“Q”, “X” are not in the text: they are left out."),
        "ß": (None, "“ß” is not in the text: it is left out."),
        "the cat — " * 9: (("the cat — " * 9).encode()[-80:].decode(), "It reads the last 80 bytes of this."),
        "": (None, ""),
    }
    with opened(browser, tmp_path, explorer, more=False) as page:
        for typed, (read, line) in told.items():
            page.locator("[data-control=beginning]").fill(typed)
            found = page.evaluate(f"{FIGURE}.model.result()")
            assert_same(found, expected(page.evaluate(STATE)))
            assert found["parameters"] == pytest.approx(plain["parameters"])
            assert page.locator("[data-panel=samples] .ra-lacks").inner_text() == line
            if read is None:
                assert found["samples"] == plain["samples"]
            else:
                assert page.locator(".ra-history li span").first.text_content() == read
                assert page.locator("[data-output=copied]").inner_text() == str(found["copied"][-1])
        page.locator("[data-control=beginning]").fill("the owl")
        page.locator("[data-panel=samples] .ra-keys label").last.click()
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))
        page.locator(PLAY).click()
        page.locator("[data-control=beginning]").fill("the dog")
        page.wait_for_function(f"{FIGURE}.model.get('step') === 60")
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))
    with opened(browser, tmp_path, example()) as page:
        assert page.locator("[data-control=beginning]").count() == 0


@pytest.mark.browser
def test_what_it_expects_stands_beside_counting_and_what_is_held_out_can_be_written_on_from(browser, tmp_path):
    explorer = TrainingExplorer(TEXT, width=16, steps=60, step=40)
    found = explorer.result()
    assert [sum(found[name]) for name in ("next", "counted")] == pytest.approx([1, 1])
    assert np.mean(found["costs"]) == pytest.approx(found["loss"])  # one stretch is held out
    with opened(browser, tmp_path, explorer, more=False) as page:
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), found)
        names = page.locator(".ra-expects tbody th").all_inner_texts()
        known = sorted({*TEXT.encode()})
        surest = known[int(np.argmax(found["next"]))]
        assert names[0] == {32: "space"}.get(surest, chr(surest))
        assert len(names) == 5
        cut = len(TEXT.encode()) - max(129, len(TEXT.encode()) // 10)
        held = page.locator(".ra-outside-words span")
        assert "".join(held.all_inner_texts()) == TEXT.encode()[cut : cut + 129].decode()
        shades = held.evaluate_all("(all) => all.map((one) => parseFloat(one.style.getPropertyValue('--ra-shade')))")
        assert shades[0] == 0  # it is given
        assert shades[1:20] == pytest.approx([42 * min(8, bits) / 8 for bits in found["costs"][:19]], abs=0.51)
        page.locator(".ra-outside button").click()
        begun = page.evaluate(f"{FIGURE}.model.get('beginning')")
        assert len(begun) == 24
        assert begun.encode() in TEXT.encode()[cut:]
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))


@pytest.mark.browser
def test_one_press_goes_back_to_the_lowest_loss_and_one_returns(browser, tmp_path):
    text = "".join(chr(97 + int(k)) for k in np.random.default_rng(1).integers(0, 20, 400))
    explorer = TrainingExplorer(text, width=16, steps=200, step=150, learning_rate=0.03)
    best = 10 * int(np.argmin(explorer.result()["losses"]))
    with opened(browser, tmp_path, explorer, more=False) as page:
        button, ring = page.locator(".ra-back button"), page.locator("[data-panel=loss] .ra-ring.ra-train")
        label = page.locator("[data-panel=loss]").get_by_text(f"lowest, step {best}")
        assert label.count() == 1
        there = ring.get_attribute("d")
        for words, step in (("Back to the lowest", best), ("On to step 150 again", 150)):
            assert button.inner_text() == words
            button.click()
            assert page.evaluate(f"{FIGURE}.model.get('step')") == step
            assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))
            assert ring.get_attribute("d") == there  # the axes stand still
        button.click()
        assert "Of 150 steps this is the best on what it never read" in page.locator(".ra-live").inner_text()
        page.locator(PLAY).click()
        page.wait_for_function(f"{FIGURE}.model.get('step') === 200")
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))
        page.locator(START).click()
        assert label.count() == 0
        assert button.is_disabled()


NAMES = """const rungs = (levels) => levels.map((level, k) => [`${k + 1}-gram`, level]);
const said = (levels, last) => {
  const all = [...rungs(levels), ...(last === undefined ? [] : [["floor", last]])];
  const groups = named(all, (level) => 100 - 10 * level);
  return groups.map((group) => (group[0][0] === "floor" ? "floor" : gramsOf(group)));
};
say([...given.levels.map((levels) => said(levels)), said([9, 7, 6.5], 6.4)]);"""


def test_lines_too_near_for_a_name_each_have_one_together(tmp_path):
    levels = [[9, 7, 5, 3, 1], [9, 7, 5, 4.9, 4.8], [9, 4, 5.9, 3.9, 5.8], [5, 5, 5, 5, 5]]
    found = in_node(tmp_path, "training/panels.js", NAMES, {"levels": levels})
    ones = [f"{order}-gram" for order in range(1, 6)]
    assert found == [
        ones,
        [*ones[:2], "3- to 5-gram"],
        ["1-gram", "3- and 5-gram", "2- and 4-gram"],
        ["1- to 5-gram"],
        ["1-gram", "2- and 3-gram", "floor"],
    ]


@pytest.mark.browser
def test_a_loss_on_the_lines_is_level_with_them_and_the_lowest_one_passed_is_named(browser, tmp_path):
    with opened(browser, tmp_path, TrainingExplorer("a" * 400, width=16, steps=60)) as page:
        assert "level with every line." in page.locator(".ra-live").inner_text()
        assert page.locator("[data-panel=loss] .ra-note").first.text_content() == "1- to 5-gram"


@pytest.mark.browser
def test_a_page_of_ones_own_stands_in_front_keeps_its_lines_and_begins_anew(browser, tmp_path):
    page_of_own = "to be or not to be,\nthat is the question.\n" * 10
    with opened(browser, tmp_path, TrainingExplorer(TEXT, width=16, steps=60, step=3), more=False) as page:
        page.locator(".ra-first textarea").fill(page_of_own)
        assert page.evaluate(f"{FIGURE}.model.get('own')") == page_of_own
        assert page.evaluate(f"{FIGURE}.model.get('step')") == 0
        page.locator(STEP).click()
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))


@pytest.mark.browser
def test_the_picture_names_layer_and_head_and_no_sample_widens_a_phones_page(browser, tmp_path):
    explorer = TrainingExplorer("abcdefghijklmnopqrstuvwxyz" * 20, width=16, layers=2, steps=60, head=7)
    with opened(browser, tmp_path, explorer) as page:
        hint = page.get_by_text("The table scrolls sideways.")
        assert not hint.is_visible()
        page.set_viewport_size({"width": 390, "height": 900})
        assert page.locator("[data-panel=map] .ra-title").inner_text().startswith("Layer 2, head 3: rows look")
        page.evaluate(SET, [{"head": 6}, 0])
        assert hint.is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


CURVE = """() => document.querySelector("[data-panel=loss] path.ra-train.ra-line").getAttribute("d").match(/[-\\d.]+/g)
  .map(Number)"""


@pytest.mark.browser
def test_the_axis_begins_with_the_first_loss_and_ends_near_the_levels_without_a_curve_along_its_edge(browser, tmp_path):
    with opened(browser, tmp_path, TrainingExplorer(step=10)) as page:
        first = page.evaluate(CURVE)
        assert first[1] < first[3]  # it falls from the start
        page.evaluate(SET, [{"step": 120}, 0])
        losses = page.evaluate(f"{FIGURE}.model.result().losses")
        curve = page.evaluate(CURVE)
        assert losses[-1] < 2 < losses[0]
        assert len(curve) < 2 * len(losses)
        assert curve[0] > first[0]  # it enters from above, later
        assert curve[1::2] == sorted(curve[1::2])  # down the page
        assert curve[1] < curve[3]


@pytest.mark.browser
def test_no_line_of_counting_looks_like_a_floor(browser, tmp_path):
    lines = "[...document.querySelectorAll('[data-panel=loss] path.ra-truth')]"
    dotted = f"() => {lines}.map((line) => line.classList.contains('ra-dotted'))"
    with opened(browser, tmp_path, TrainingExplorer(TEXT, width=16, steps=60)) as page:
        assert page.evaluate(dotted) == [True] * 5
    with opened(browser, tmp_path, example()) as page:
        assert page.evaluate(dotted) == [True] * 3 + [False]


@pytest.mark.browser
def test_what_stands_in_the_text_is_underlined_and_learning_by_heart_is_told(browser, tmp_path):
    text = "".join(chr(97 + int(k)) for k in np.random.default_rng(1).integers(0, 20, 400))  # nothing to learn but it
    explorer = TrainingExplorer(text, width=16, steps=200, step=150, learning_rate=0.03)
    found = explorer.result()
    assert found["losses"][-1] > min(found["losses"]) + 0.2
    with opened(browser, tmp_path, explorer) as page:
        assert "it learns the rest by heart" in page.locator(".ra-live").inner_text()
        longest = page.locator(".ra-history li u").last.inner_text()
        assert len(longest) == found["copied"][-1]
        assert longest in text
        assert page.locator("[data-output=copied]").inner_text() == str(len(longest))
        assert page.locator(".ra-history li span").last.inner_text() == text[:16]
        said = page.locator(".ra-live").inner_text()
        assert said.startswith("Held out ")
        assert f"above 8: worse than guessing among all bytes; read {found['learnt'][-1]:.1f}." in said


@pytest.mark.browser
def test_a_text_goes_on_from_its_beginning_and_the_axis_with_a_loss_that_rises(browser, tmp_path):
    text = "".join(chr(97 + int(k)) for k in np.random.default_rng(1).integers(0, 20, 400))
    explorer = TrainingExplorer(text, width=16, steps=200, step=150, learning_rate=0.03)
    found = explorer.result()
    assert {sample[:16] for sample in found["samples"]} == {text[:16]}
    assert found["losses"][-1] > max(found["losses"][:5])
    longest = found["samples"][int(np.argmax(found["copied"]))]
    with opened(browser, tmp_path, explorer) as page:
        heights = page.evaluate(CURVE)[1::2]
        assert heights[-1] < heights[-2] or len({*heights[-4:]}) > 2  # drawn where it is, and not along the edge
        assert longest in page.locator(".ra-history").inner_text()


def test_as_often_as_a_loss_it_is_asked_how_probable_a_man_is():
    found = example(step=20).result()
    assert len(found["on_men"]) == len(found["losses"]) == 3
    men = Grammar().encode(list(Grammar().lexicon.names["he"]))
    assert found["on_men"][-1] == pytest.approx(sum(found["asked"][token] for token in men))
