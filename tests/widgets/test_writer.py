"""The WriterExplorer copies as a loop over the text does, and takes a text that a reader pastes."""

import pytest

from regattn.widgets import WriterExplorer
from tests.explorers.writer import TEXT, example, expected
from tests.node import in_node
from tests.ui_actions import assert_same
from tests.widgets.harness import FIGURE, STATE, opened


@pytest.mark.parametrize("own", ["", "one", "a b a b a c", " x\n\ty  x \r z\u00a0w x "])
def test_page_package_and_loop_write_the_same(tmp_path, own):
    code = "say([1, 2, 3, 4, 5].flatMap((order) => [1, 2, 999].map((seed) => {"
    code += "const own = writerText(given.own); const text = own.words.length ? own : writerText(given.text);"
    code += "return writerState(text, { order, seed }); })));"
    found = iter(in_node(tmp_path, "writer/numbers.js", code, {"text": TEXT, "own": own}))
    for order in range(1, 6):
        for seed in (1, 2, 999):
            made = WriterExplorer(TEXT, own=own, order=order, seed=seed).result()
            assert_same(next(found), made)
            if "\u00a0" not in own:  # which str.split takes for a space
                traits = {"data": {"text": TEXT}, "own": own, "order": order, "seed": seed}
                assert_same(made, expected(traits))


def test_where_each_word_stands_once_a_high_order_recites():
    found = WriterExplorer(" ".join(f"w{k}" for k in range(200)), order=5, seed=3).result()
    assert found["longest"] >= 20
    assert found["forced"] >= 38


@pytest.mark.parametrize(("call", "message"), [
    (lambda: WriterExplorer(" \n"), "text must have at least one word"),
    (lambda: WriterExplorer(3), "text must be a string, got 3"),
    (lambda: example(own="x" * 20_001), "own must have at most 20000 characters, got 20001"),
    (lambda: example(order=6), "order must be ≤ 5"),
])  # fmt: skip
def test_what_cannot_be_shown_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.browser
def test_lines_that_are_pasted_stay_apart(browser, tmp_path):
    with opened(browser, tmp_path, WriterExplorer(TEXT)) as page:
        page.evaluate(f"""() => {{
          const input = {FIGURE}.querySelector("[data-control=own]");
          const clipboardData = new DataTransfer();
          clipboardData.setData("text", "one\\ntwo\\r\\nthree");
          input.dispatchEvent(new ClipboardEvent("paste", {{ clipboardData, bubbles: true, cancelable: true }}));
        }}""")
        assert page.evaluate(f"{FIGURE}.model.get('own')") == "one two three"
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))


@pytest.mark.browser
def test_the_longest_copy_is_underlined(browser, tmp_path):
    with opened(browser, tmp_path, WriterExplorer(TEXT, order=2, seed=3)) as page:
        found = page.evaluate(f"{FIGURE}.model.result()")
        lines = page.eval_on_selector_all(".ra-piece", "all => all.map((chip) => chip.style.textDecoration)")
        shown = [k for k, line in enumerate(lines) if line == "underline"]
        assert shown == list(range(found["from"], found["from"] + found["longest"]))
        assert " ".join(found["words"][k] for k in shown) in TEXT
