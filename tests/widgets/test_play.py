"""What plays: stepped through frame by frame, never timed, and held to the package at every number of steps."""

from __future__ import annotations

import pytest

from tests.explorers.descent import example, expected
from tests.node import in_node
from tests.widgets.harness import FIGURE, SET, STATE, assert_same, live, opened

pytestmark = pytest.mark.browser

# Frames come when the test says so, each some milliseconds after the one before.
BY_HAND = """() => {
  let [queue, time, next] = [new Map(), 0, 1];
  window.requestAnimationFrame = (f) => { queue.set(next, f); return next++; };
  window.cancelAnimationFrame = (k) => queue.delete(k);
  window.waiting = () => queue.size;
  window.frame = (later) => {
    const due = [...queue.values()];
    queue = new Map();
    time += later;
    for (const f of due) f(time);
  };
}"""
PLAY, STEP, START = (f"[data-play={key}]" for key in ("play", "step", "start"))


def step_of(page) -> int:
    return page.evaluate(f"{FIGURE}.model.get('step')")


def frames(page, count: int, later: float = 1000 / 12) -> None:
    for _ in range(count):
        page.evaluate("(later) => window.frame(later)", later)


def test_it_plays_to_the_end_and_every_frame_is_the_packages(browser, tmp_path):
    with opened(browser, tmp_path, example(step=0, steps=7)) as page:
        page.evaluate(BY_HAND)
        assert page.locator(PLAY).inner_text() == "Play"
        page.locator(PLAY).click()
        assert page.locator(PLAY).inner_text() == "Pause"
        assert page.locator(".ra-live").get_attribute("aria-live") == "off"
        seen = []
        for _ in range(9):
            frames(page, 1)
            seen.append(step_of(page))
            assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))
        assert seen == [0, 1, 2, 3, 4, 5, 6, 7, 7]
        assert page.locator(PLAY).inner_text() == "Play"
        assert page.locator(".ra-live").get_attribute("aria-live") == "polite"
        assert page.evaluate("window.waiting()") == 0
        page.locator(PLAY).click()  # from the end it begins again
        frames(page, 3)
        assert step_of(page) == 2


def test_pause_step_and_restart(browser, tmp_path):
    with opened(browser, tmp_path, example(step=0)) as page:
        page.evaluate(BY_HAND)
        assert page.locator(START).is_disabled()
        page.locator(PLAY).focus()
        page.keyboard.press("Space")
        frames(page, 5)
        page.keyboard.press("Space")
        frames(page, 5)
        assert step_of(page) == 4
        page.locator(STEP).click()
        assert step_of(page) == 5
        page.locator(START).click()
        assert step_of(page) == 0
        page.evaluate(SET, [{"step": 60}, 0])
        assert page.locator(STEP).is_disabled()


@pytest.mark.parametrize("how", ["slider", "kernel", "reset"])
def test_whoever_moves_the_number_stops_the_playing(browser, tmp_path, how):
    with opened(browser, tmp_path, example(step=0)) as page:
        page.evaluate(BY_HAND)
        page.locator(PLAY).click()
        frames(page, 3)
        if how == "slider":
            page.locator("[data-control=step]").press("End")
        elif how == "kernel":
            page.evaluate(SET, [{"step": 9}, 0])
        else:
            page.locator(".ra-menu summary").click()
            page.locator("[data-menu=Reset]").click()
        assert page.locator(PLAY).inner_text() == "Play"
        assert page.evaluate("window.waiting()") == 0
        assert step_of(page) == {"slider": 60, "kernel": 9, "reset": 0}[how]


def test_a_long_pause_between_frames_skips_nothing(browser, tmp_path):
    with opened(browser, tmp_path, example(step=0)) as page:
        page.evaluate(BY_HAND)
        page.locator(PLAY).click()
        frames(page, 2, later=60_000)
        assert step_of(page) == 1


def test_who_asked_for_less_motion_sees_the_end_at_once(browser, tmp_path):
    with opened(browser, tmp_path, example(step=0)) as page:
        page.emulate_media(reduced_motion="reduce")
        page.locator(PLAY).click()
        assert step_of(page) == 60
        assert page.locator(PLAY).inner_text() == "Play"


def test_playing_stops_where_the_walk_runs_away(browser, tmp_path):
    with opened(browser, tmp_path, example(step=0, learning_rate=5.0)) as page:
        page.evaluate(BY_HAND)
        page.locator(PLAY).click()
        frames(page, 60)
        found = page.evaluate(f"{FIGURE}.model.result()")
        assert step_of(page) == found["diverged_at"] < 60


def test_cleaning_up_stops_the_playing(browser, tmp_path):
    with live(browser, tmp_path, example(step=0)) as page:
        page.evaluate(BY_HAND)
        page.locator(PLAY).click()
        assert page.evaluate("window.waiting()") == 1
        page.evaluate("live.done()")
        assert page.evaluate("window.waiting()") == 0


def test_a_walk_is_the_same_however_one_comes_to_a_step(tmp_path):
    code = """
      let taken = 0;
      const at = walker({
        begin: ({ start }) => ({ value: start, path: [] }),
        advance: (state, { rate }) => { taken += 1; state.path.push(state.value); state.value *= rate; },
        keep: 4,
      });
      const seen = [0, 3, 11, 2, 9, 9, 10].map((step) => [step, at(step, { start: 1, rate: 2 }).value]);
      const before = taken;
      const long = at(10, { start: 1, rate: 2 }).path.length;
      say({ seen, again: taken - before, long, other: at(5, { start: 3, rate: 1 }).value, taken: before });"""
    found = in_node(tmp_path, "_kit/play.js", code, None)
    assert found["seen"] == [[k, 2**k] for k in (0, 3, 11, 2, 9, 9, 10)]
    assert found["again"] == 0
    assert found["long"] == 10
    assert found["other"] == 3
    assert found["taken"] == 11 + 2 + 1 + 1  # 9 from the copy kept at 8


@pytest.mark.parametrize(("step", "printed"), [(0, 7), (3, 3)])
def test_on_paper_a_walk_that_has_not_begun_is_at_its_end_and_another_where_its_reader_left_it(
    browser, tmp_path, step, printed
):
    with opened(browser, tmp_path, example(step=step, steps=7)) as page:
        page.evaluate("addEventListener('beforeprint', () => { window.printed = " + FIGURE + ".model.result(); })")
        page.pdf()
        assert len(page.evaluate("window.printed.losses")) == printed + 1
        assert step_of(page) == step


def test_what_plays_while_it_is_printed_is_at_its_end_there_and_stands_where_it_was_after(browser, tmp_path):
    with opened(browser, tmp_path, example(step=2, steps=7)) as page:
        page.evaluate(BY_HAND)
        page.locator(PLAY).click()
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert step_of(page) == 7
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert step_of(page) == 2
        assert page.evaluate("window.waiting()") == 0
