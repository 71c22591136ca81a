"""A long file in the TableExplorer, and a page that is left while it computes."""

from __future__ import annotations

import contextlib
import io
import time

import numpy as np
import pandas as pd
import pytest

from regattn.widgets import TableExplorer
from tests.browser import open_offline
from tests.node import in_node
from tests.widgets.harness import FIGURE, SET, opened
from tests.widgets.pages import write_page

in_browser = pytest.mark.browser
SMALL = pd.DataFrame({"x": [0.0, 1.0, 2.0, 4.0], "kind": list("abab"), "y": [1.0, 3.0, 5.0, 2.0]})
FIT = "[data-load=fit]"
SETUP = ".ra-setup[aria-label='The table that was read']"

DROP = """([head, block, times]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([head, ...Array(times).fill(block)], "long.csv", {type: "text/csv"}));
  document.querySelector("figure").dispatchEvent(new DragEvent("drop", {dataTransfer: transfer, bubbles: true}));
}"""
WATCH = """() => {
  window.worst = 0;
  let last = performance.now();
  const tick = () => {
    const now = performance.now();
    [window.worst, last] = [Math.max(window.worst, now - last), now];
    setTimeout(tick);
  };
  tick();
}"""


def long_table(rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(rows)
    X = rng.normal(size=(rows, 3)).round(4)
    return pd.DataFrame(X, columns=list("abc")).assign(y=(X @ [2, -1, 0.5] + rng.normal(size=rows)).round(4))


def dropped(page, table: pd.DataFrame, times: int = 1) -> None:
    head, _, block = table.to_csv(index=False).partition("\n")
    page.evaluate(DROP, [head + "\n", block, times])


# ---- which rows are kept --------------------------------------------------------------------------------------------

KEPT = """say(given.hows.map((how) => {
  const read = readTable(given.text, how);
  return {rows: read.columns[0].values, part: read.dialect.part ?? null, troubles: read.troubles};
}));"""


def test_of_a_long_table_the_last_the_first_or_some_at_random_are_kept(tmp_path):
    text = "n,y\n" + "".join(f"{k},{k * k % 7}\n" for k in range(12_013))
    hows = [{}, {"first": True}, {"seed": 1}, {"seed": 2}, {"header": False}]
    last, first, one, two, bare = in_node(tmp_path, "table/parse.js", KEPT, {"text": text, "hows": hows})
    assert last["rows"] == list(range(7013, 12_013))
    assert first["rows"] == list(range(5000))
    assert last["troubles"] == ["The file has 12,013 rows; the page computes with 5,000, the last."]
    assert bare["part"]["of"] == 12_014
    for draw in (one, two):
        rows = np.array(draw["rows"])
        assert len(rows) == 5000
        assert (np.diff(rows) > 0).all()
        assert abs(rows.mean() - 6006) < 4 * 12_013 / np.sqrt(12 * 5000)
        assert abs(np.isin(rows, np.arange(0, 12_013, 24)).mean() - 1 / 24) < 4 * np.sqrt(1 / 24 / 5000)
    assert abs(np.isin(one["rows"], two["rows"]).mean() - 5000 / 12_013) < 0.03  # two draws are independent


def test_a_table_with_room_keeps_every_row_and_a_wide_one_fewer(tmp_path):
    exact = "n,y\n" + "".join(f"{k},{k % 7}\n" for k in range(5000))
    wide = ",".join(f"c{j}" for j in range(250)) + "\n" + (",".join(["1"] * 250) + "\n") * 2100
    for text, kept in ((exact, 5000), (wide, 2000)):
        (found,) = in_node(tmp_path, "table/parse.js", KEPT, {"text": text, "hows": [{}]})
        assert len(found["rows"]) == kept
        assert (found["part"] is None) == (kept == 5000)


# ---- in the page ----------------------------------------------------------------------------------------------------


@in_browser
def test_a_long_file_is_glanced_at_read_in_slices_and_its_rows_are_chosen(browser, tmp_path, monkeypatch):
    table = long_table(20_011)
    table.to_csv(tmp_path / "long.csv", index=False)
    monkeypatch.chdir(tmp_path)
    with opened(browser, tmp_path, TableExplorer(SMALL, model="ridge")) as page:
        dropped(page, table)
        setup = page.locator(SETUP)
        assert "The file has 20,011 rows; the page computes with 5,000, the last." in setup.inner_text()
        setup.get_by_label("Date or name of a row").select_option("c")
        setup.get_by_label("Of 20,011 rows take").select_option("2")
        page.get_by_text("with 5,000, a random choice.").wait_for()
        assert setup.get_by_label("Date or name of a row").input_value() == "c"  # what was chosen stays
        setup.get_by_label("Date or name of a row").select_option("")
        page.locator(FIT).click()
        found = page.evaluate(SET, [{"tuning": "hand", "query": 4321}, 0])
        names: dict = {}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(page.locator(".ra-code").text_content(), names)
        assert len(names["table"]) == 5000
        assert names["report"].to_frame()["prediction"].iloc[0] == pytest.approx(found["prediction"], rel=1e-9)
        stored = page.evaluate(f"JSON.stringify({FIGURE}.model.get('data').columns).length")
        assert stored < 300_000


@in_browser
def test_reading_can_be_stopped_and_another_file_takes_its_turn(browser, tmp_path):
    table = long_table(20_011)
    with opened(browser, tmp_path, TableExplorer(SMALL)) as page:
        dropped(page, table, 60)
        page.get_by_text("begins like this. The rest is being read.").wait_for()
        shown = page.locator(".ra-setup tbody tr").first.inner_text().split()
        assert shown == [f"{value:g}".replace("-", "−") for value in table.iloc[0]]
        page.get_by_role("button", name="Stop").click()
        assert page.locator(".ra-setup").count() == 0
        assert page.locator(".ra-load-said").inner_text() == ""
        dropped(page, table, 20)
        dropped(page, SMALL)
        page.locator(FIT).click()
        page.wait_for_timeout(300)
        assert page.evaluate(f"{FIGURE}.model.get('data').columns[0].values.length") == 4
        assert page.locator(".ra-setup").count() == 0


@in_browser
def test_a_file_beyond_the_limit_is_refused_in_a_sentence(browser, tmp_path):
    with opened(browser, tmp_path, TableExplorer(SMALL)) as page:
        page.evaluate(DROP, ["x,y\n", "1,2\n" * 12_600, 1000])
        page.wait_for_function("document.querySelector('.ra-load-said').textContent")
        assert (
            "long.csv has 50.4 MB; the page reads files of up to 50 MB." in page.locator(".ra-load-said").inner_text()
        )


@pytest.mark.long
@in_browser
def test_fifty_megabytes_are_read_while_the_page_answers(browser, tmp_path):
    table = long_table(20_000)
    size = len(table.to_csv(index=False))
    times = 49_900_000 // size
    with opened(browser, tmp_path, TableExplorer(SMALL)) as page:
        page.evaluate(WATCH)
        dropped(page, table, times)
        page.locator(SETUP).wait_for(timeout=120_000)
        assert f"The file has {times * 20_000:,} rows" in page.locator(SETUP).inner_text()
        assert page.evaluate("window.worst") < 3000  # milliseconds on a busy machine: the bytes become text at once
        page.locator(FIT).click()
        page.wait_for_function(f"{FIGURE}.model.result().loo !== null")


# ---- left while it computes -----------------------------------------------------------------------------------------

HEAVY = {"model": "gaussian"}
DONE = f"{FIGURE}.model.result().loo !== null"


def heavy() -> TableExplorer:
    return TableExplorer(long_table(701), model="ridge")


def begun(page) -> None:
    """Begin a long computation and look at once, in one task: later it may have ended."""
    look = f"(given) => {{ ({SET})(given); return {FIGURE}.model.result().loo; }}"
    assert page.evaluate(look, [HEAVY, 0]) is None


@in_browser
def test_a_page_closed_while_it_computes_is_gone_and_its_link_begins_again(browser, tmp_path):
    path = write_page(tmp_path, heavy())
    address = path.resolve().as_uri()
    with open_offline(browser, path) as page:
        page.wait_for_function(f"{FIGURE}.model")
        begun(page)
        page.goto("about:blank")  # no handler holds it, and nothing is logged
        page.goto(address)
        page.wait_for_function(f"{FIGURE}.model")
        begun(page)
        page.wait_for_function(DONE)
        assert page.errors == []
        begun_late = page.context.new_page()
        begun_late.goto(address)
        begun_late.wait_for_function(f"{FIGURE}.model")
        begun(begun_late)
        begun_late.close()
        assert page.errors == []


@in_browser
def test_a_tab_put_to_sleep_goes_on_where_it_was(browser, tmp_path):
    loo = []
    for asleep in (False, True):
        with opened(browser, tmp_path, heavy()) as page:
            session = page.context.new_cdp_session(page)
            if asleep:  # no timer comes, as in a tab that the browser has frozen
                session.send("Emulation.setVirtualTimePolicy", {"policy": "pause"})
            begun(page)
            if asleep:
                session.send("Page.setWebLifecycleState", {"state": "frozen"})
                time.sleep(1)
                assert page.evaluate(f"{FIGURE}.model.result().loo") is None
                session.send("Page.setWebLifecycleState", {"state": "active"})
                session.send("Emulation.setVirtualTimePolicy", {"policy": "advance", "budget": 1e6})
            page.wait_for_function(DONE)
            loo.append(page.evaluate(f"{FIGURE}.model.result().loo"))
    assert loo[0] == loo[1]


@in_browser
def test_a_tab_that_nobody_sees_computes_in_longer_slices(browser, tmp_path):
    count = f"""async () => {{
      const plain = window.setTimeout;
      let steps = 0;
      window.setTimeout = (...given) => ((steps += 1), plain(...given));
      {FIGURE}.model.set("model", "gaussian");
      while ({FIGURE}.model.result().loo === null) await new Promise((done) => plain(done, 20));
      return steps;
    }}"""
    steps = {}
    for hidden in (False, True):
        with opened(browser, tmp_path, heavy()) as page:
            page.evaluate("(on) => Object.defineProperty(document, 'hidden', {get: () => on})", hidden)
            page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
            steps[hidden] = page.evaluate(count)
    assert 0 < steps[True] < steps[False] / 2
