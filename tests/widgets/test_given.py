"""Explorers show what they were given: names, labels and predictors, in the constructor and later; a whole page."""

from __future__ import annotations

import csv
import io
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from regattn.widgets import (
    AverageExplorer,
    DepthExplorer,
    FilterExplorer,
    KernelExplorer,
    LagExplorer,
    MaskExplorer,
    NeighbourExplorer,
    SpectralExplorer,
)
from tests.browser import open_offline
from tests.node import in_node
from tests.widgets.harness import FIGURE, MOVE, opened

STATES = sm.datasets.statecrime.load_pandas().data
WAVE = np.sin(np.arange(60.0)) + 0.1 * np.arange(60) % 0.7
YEARS = pd.Series(WAVE, index=range(1950, 2010))
MONTHS = pd.Series(WAVE, index=pd.period_range("1990-01", periods=60, freq="M"))
TIMES = MONTHS.to_timestamp()


def murder(**options) -> SpectralExplorer:
    return SpectralExplorer(STATES[["poverty", "hs_grad", "single"]], STATES["murder"], **options)


@pytest.mark.parametrize("explorer", [AverageExplorer, KernelExplorer, SpectralExplorer])
def test_outcomes_are_found_by_the_labels_of_their_rows(explorer):
    x = STATES["poverty"].to_frame() if explorer is SpectralExplorer else STATES["poverty"]
    np.testing.assert_array_equal(explorer(x, STATES["murder"][::-1]).y, explorer(x, STATES["murder"]).y)
    with pytest.raises(ValueError, match="the rows of y are not those of"):
        explorer(x, STATES["murder"].rename(index={"Texas": "Texa"}))


@pytest.mark.parametrize("explorer", [LagExplorer, MaskExplorer])
def test_a_series_is_shown_as_the_table_of_its_one_column(explorer):
    assert explorer(MONTHS.rename("x")).data == explorer(MONTHS.to_frame("x")).data


# --- labels ----------------------------------------------------------------------------------------------------------

WORDS = {("counts", 2, 1): np.eye(3)[None]}
ASKED = {  # an explorer, a label, and the text of it that the page shows
    "spectral": (murder, "Texas", "Texas"),
    "spectral, years": (lambda **kit: SpectralExplorer(WAVE[:, None], WAVE, labels=YEARS.index, **kit), 1980, "1980"),
    "kernel": (lambda **kit: KernelExplorer(STATES["poverty"], STATES["murder"], **kit), "Texas", "Texas"),
    "neighbour": (lambda **kit: NeighbourExplorer(WORDS, words=["one", "two", "fire"], **kit), "fire", "fire"),
    "lag": (lambda **kit: LagExplorer(MONTHS.to_frame("x"), **kit), "1992-05", "1992-05"),
    "lag, period": (lambda **kit: LagExplorer(MONTHS.to_frame("x"), **kit), pd.Period("1992-05", "M"), "1992-05"),
    "lag, time": (lambda **kit: LagExplorer(TIMES.to_frame("x"), **kit), pd.Timestamp("1992-05-01"), "1992-05"),
    "lag, years": (lambda **kit: LagExplorer(YEARS.to_frame("x"), **kit), 1980, "1980"),
    "mask": (lambda **kit: MaskExplorer(MONTHS.to_frame("x"), **kit), "1992-05", "1992-05"),
    "mask, years": (lambda **kit: MaskExplorer(YEARS.to_frame("x"), **kit), 1980, "1980"),
    "filter": (lambda **kit: FilterExplorer(MONTHS, **kit), "1992-05", "1992-05"),
    "filter, years": (lambda **kit: FilterExplorer(YEARS, **kit), 1980, "1980"),
}


@pytest.mark.parametrize("name", ASKED)
def test_a_query_is_a_label_in_the_constructor_as_a_trait_and_in_a_preset(name):
    make, label, text = ASKED[name]
    first, later = make(query=label), make(presets={"there": {"query": label}})
    shown = first.data["words" if name == "neighbour" else "labels"]
    assert shown[first.query] == text
    assert later.query == 0
    assert later.kit["presets"][0][1]["query"] == first.query
    later.query = label
    assert later.query == first.query
    later.query = 1  # a number that is in range is a place
    assert later.query == 1


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("wrong", ["nowhere", 10**6, -1, 1.5, None, True])
def test_a_query_that_is_nowhere_is_named_and_changes_nothing(name, wrong):
    explorer = ASKED[name][0]()
    with pytest.raises(ValueError, match=str(wrong)):
        explorer.query = wrong
    assert explorer.query == 0


def test_rows_are_called_as_pandas_calls_them():
    assert murder().data["labels"] == list(STATES.index)
    new = murder(X_new=STATES.loc[["Texas"], ["single", "poverty", "hs_grad"]])  # columns are matched by their names
    assert new.data["labels_test"] == ["Texas"]
    np.testing.assert_array_equal(new.data["rows"][-1], STATES.loc["Texas", ["poverty", "hs_grad", "single"]])
    assert new.spectrum.codes(new.X_new)[0] == pytest.approx(new.spectrum.codes()[STATES.index.get_loc("Texas")])
    plain = SpectralExplorer(STATES[["poverty"]].reset_index(drop=True), STATES["murder"].to_numpy())
    assert plain.data["labels"][:2] == ["row 1", "row 2"]
    average = AverageExplorer(STATES["poverty"], STATES["murder"])
    assert average.data["names"] == ["poverty", "murder"]
    assert average.data["labels"][0] == STATES["poverty"].sort_values(kind="stable").index[0]
    kernel = KernelExplorer(STATES["poverty"], STATES["murder"])
    assert (kernel.data["x_label"], kernel.data["y_label"]) == ("poverty", "murder")


def test_columns_that_are_others_are_refused_by_name():
    with pytest.raises(
        ValueError, match=r"columns of X_new must be those of X, .*'single'\], got \['poverty', 'white'\]"
    ):
        murder(X_new=STATES[["poverty", "white"]])


@pytest.mark.parametrize(
    ("times", "texts"),
    [
        (["1958-03-01", "1958-04-01"], ["1958-03", "1958-04"]),
        (["1958-03-01", "1958-03-02"], ["1958-03-01", "1958-03-02"]),
        (["1958-03-01", "1958-03-01 12:00"], ["1958-03-01 00:00:00", "1958-03-01 12:00:00"]),
    ],
)
def test_times_are_written_no_finer_than_they_are(times, texts):
    index = pd.DatetimeIndex([pd.Timestamp(time) for time in times])
    rows = pd.DataFrame({"x": [1.0, 2.0]}, index=index)
    assert SpectralExplorer(rows, [1.0, 3.0]).data["labels"] == texts


def test_columns_with_commas_are_told_from_several_columns():
    names = ["a", "b", "c", "b, c"]
    series = pd.DataFrame(np.random.default_rng(1).normal(size=(90, 4)), columns=names)
    explorer = LagExplorer(series, longest=2)
    assert len(explorer.sets) == 8
    assert explorer.sets["a, b, c"] == [0, 1, 2]
    assert explorer.sets["a, “b, c”"] == [0, 3]


@pytest.mark.parametrize("unknown", [np.nan, None])
def test_a_unit_that_is_unknown_is_named(unknown):
    units = np.array(["a", "b", "a", unknown, "a", "b"], dtype=object)
    with pytest.raises(ValueError, match=f"units must be known, got {unknown} in row 3"):
        DepthExplorer(np.ones((6, 1)), np.arange(6.0), units, [1, 1, 2, 2, 3, 3], known=2)
    with pytest.raises(ValueError, match="units must be known, got nan in row 3"):
        DepthExplorer(np.ones((6, 1)), np.arange(6.0), [1, 2, 1, np.nan, 1, 2], [1, 1, 2, 2, 3, 3], known=2)


# --- presets ---------------------------------------------------------------------------------------------------------


def test_a_preset_sets_every_control_to_what_it_says_or_to_the_start():
    explorer = murder(ridge=3.0, query="Texas", presets={"a": {"rank": 1}, "as at first": {}, "b": {"lock": True}})
    start = {name: getattr(explorer, name) for name in explorer.controls}
    assert explorer.kit["presets"] == [
        ["a", start | {"rank": 1}, False],
        ["as at first", start, False],
        ["b", start, True],
    ]


PRESSED = "(label) => document.querySelector(`[data-preset='${label}']`).getAttribute('aria-pressed')"
TEXTS = "document.querySelectorAll('[data-panel=weights] svg text:not(.ra-note)')"
TICKS = f"() => [...{TEXTS}].map((t) => t.textContent).join()"


@pytest.mark.browser
def test_a_preset_is_no_longer_lit_when_any_control_has_moved(browser, tmp_path):
    with opened(browser, tmp_path, murder(presets={"as in the paper": {"ridge": 5.0}})) as page:
        page.evaluate(MOVE, ["rank", 0])
        page.locator("[data-preset='as in the paper']").click()
        assert page.evaluate(f"['ridge', 'rank'].map((n) => {FIGURE}.model.get(n))") == [5, 3]
        assert page.evaluate(PRESSED, "as in the paper") == "true"
        page.evaluate(MOVE, ["query", 0.5])
        assert page.evaluate(PRESSED, "as in the paper") == "false"


@pytest.mark.browser
def test_a_preset_that_compares_sizes_keeps_the_axes_of_the_start(browser, tmp_path):
    presets = {"near": {"query": "Iowa"}, "far, same axes": {"query": "Mississippi", "lock": True}}
    explorer = murder(query="Iowa", presets=presets)
    with opened(browser, tmp_path, explorer) as page:
        start = page.evaluate(TICKS)
        page.evaluate(MOVE, ["query", 0.3])  # elsewhere, with axes of its own
        page.locator("[data-preset='far, same axes']").click()
        assert page.evaluate(TICKS) == start
        assert page.locator(".ra-badge").inner_text() == "axes locked"
        page.locator("[data-preset='near']").click()
        assert page.locator(".ra-badge").inner_text() == ""
        page.locator("[data-preset='far, same axes']").click()
        page.evaluate(MOVE, ["query", 0.3])  # a reader goes on from there
        assert page.locator(".ra-badge").inner_text() == ""
        page.evaluate(f"{FIGURE}.model.set('query', {list(STATES.index).index('Mississippi')})")
        assert page.evaluate(TICKS) != start


# --- what the page says ----------------------------------------------------------------------------------------------


@pytest.mark.browser
def test_the_page_tells_the_predictors_of_the_row_that_asks_and_of_the_one_pointed_at(browser, tmp_path):
    with opened(browser, tmp_path, murder(query="Texas", panels=["weights"])) as page:
        said = page.locator("[data-output=ringed]").inner_text().replace("\u2068", "").replace("\u2069", "")
        texas = STATES.loc["Texas"]
        assert f"Texas: poverty {texas.poverty:g}, hs_grad {texas.hs_grad:g}, single {texas.single:g}" in said
        page.locator("[data-panel=weights] svg").focus()
        page.keyboard.press("Home")
        told = page.locator("[data-output=ringed]").inner_text().replace("\u2068", "").replace("\u2069", "")
        first = STATES.iloc[0]
        assert f"poverty {first.poverty:g}, hs_grad {first.hs_grad:g}, single {first.single:g}" in told


# --- a page of its own -----------------------------------------------------------------------------------------------

VOID = {"meta", "img", "br", "input", "link"}


class Tree(HTMLParser):
    """Which elements stand in which, and whether all that were opened were closed in turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open, self.places, self.declared, self.texts = [], [], [], {}
        self.feed(text)
        self.close()

    def handle_decl(self, decl):
        self.declared.append((decl, len(self.places)))

    def handle_starttag(self, tag, attrs):
        self.places.append(("/".join([*self.open, tag]), dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts["/".join(self.open)] = self.texts.get("/".join(self.open), "") + data


TITLE = 'Murder & "poverty" </title><b>'


def test_a_page_of_its_own_is_one_whole_document(tmp_path):
    page = murder().to_html(path=tmp_path / "murder.html", title=TITLE)
    assert (tmp_path / "murder.html").read_bytes() == page.encode()
    tree = Tree(page)
    assert tree.declared == [("doctype html", 0)]
    assert tree.open == []
    places = [place for place, _ in tree.places]
    assert places[:6] == ["html", "html/head", *(f"html/head/{tag}" for tag in ("meta", "title", "meta", "style"))]
    assert [place for place in places if place.count("/") == 1] == ["html/head", "html/body"]
    assert [places.count(f"html/head/{tag}") for tag in ("title", "style")] == [1, 2]  # the kit's style, and its own
    assert not any("body" in place and place.endswith("style") for place in places)
    attributes = dict(reversed(tree.places))
    assert attributes["html"] == {"lang": "en"}
    assert attributes["html/head/meta"] == {"charset": "utf-8"}
    assert ("html/head/meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}) in tree.places
    assert tree.texts["html/head/title"] == TITLE


def test_a_page_may_be_called_after_its_explorer_or_only_be_returned(tmp_path):
    assert "<title>SpectralExplorer</title>" in murder().to_html(tmp_path / "a.html")
    assert murder().to_html(title="A page").startswith("<!doctype html>")
    assert murder().to_html().startswith("<figure")  # a piece of someone's page
    with pytest.raises(FileNotFoundError, match=r"no folder .* to write a\.html into"):
        murder().to_html(tmp_path / "absent" / "a.html")
    with pytest.raises(ValueError, match="title must be text that UTF-8 can write"):
        murder().to_html(title="\ud800")


@pytest.mark.browser
def test_a_page_of_its_own_opens_without_a_network_and_moves(browser, tmp_path):
    murder(query="Texas").to_html(tmp_path / "murder.html", title=TITLE)
    with open_offline(browser, tmp_path / "murder.html") as page:
        page.wait_for_function(f"{FIGURE}.model")
        assert page.title() == TITLE
        assert page.evaluate("document.compatMode") == "CSS1Compat"
        page.evaluate(MOVE, ["ridge", 0.8])
        assert "Texas" in page.locator("[data-output=message]").inner_text()
        assert page.errors == []


# --- quotes ----------------------------------------------------------------------------------------------------------

AWKWARD = [
    'a "quoted" one',
    '"',
    '""',
    "two\nlines",
    "two\r\nlines",
    "a, comma",
    "&x=#%25",
    "'apostrophe'",
    "",
    "plain",
    "é",
]


def test_awkward_texts_come_back_from_the_table_of_numbers(tmp_path):
    settings = {f"control {i}": text for i, text in enumerate(AWKWARD)}
    result = {"words": AWKWARD, 'of "a", b': {"part, 1": [0.1, -2.5e-9]}, "table": [[1, 2], [3, 4]], "none": None}
    text = in_node(
        tmp_path, "_kit/link.js", "say(csvOf(given.settings, given.result));", {"settings": settings, "result": result}
    )
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    assert {len(row) for row in rows} == {len(header)}
    columns = {name: [row[k] for row in rows] for k, name in enumerate(header)}
    assert {name: columns[name][0] for name in settings} == settings
    assert columns["words"] == AWKWARD
    assert [float(cell) for cell in columns['of "a", b_part, 1'][:2]] == [0.1, -2.5e-9]
    assert (columns["table_1"][:2], columns["table_2"][:2]) == (["1", "3"], ["2", "4"])
    assert columns["none"][0] == ""


def test_awkward_texts_come_back_from_a_link_and_other_explorers_keep_their_parts(tmp_path):
    code = """
    const specs = Object.keys(given).map((name) => ({ name, kind: "text" }));
    const hash = writeHash("#regattn-other=7&regattn-one=old&elsewhere", "regattn-one", given);
    say([hash, readHash(hash, "regattn-one", specs, { text: (value) => typeof value === "string" })]);
    """
    values = {f"control {i}": text for i, text in enumerate(AWKWARD)}
    hash, found = in_node(tmp_path, "_kit/link.js", code, values)
    assert found == values
    assert hash.startswith("#regattn-other=7&regattn-one=")
    assert hash.count("&") == 1
    assert "old" not in hash


def test_an_empty_state_in_an_address_is_the_one_at_the_start(tmp_path):
    hashes = ["#regattn-model=%7B%7D", "#regattn-model=%7B%22x%22%3A1%7D", "#x"]
    code = "say(given.map((hash) => readHash(hash, 'regattn-model', [])));"
    assert in_node(tmp_path, "_kit/link.js", code, hashes) == [{}, None, None]
