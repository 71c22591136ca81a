"""The reference pages in a real browser: the filter of the ledger, its links, and the glossary's terms."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from tests.browser import open_offline
from tests.built import ROOT, article

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from ledger_pages import NOT_PLAIN, SOURCES, Ledger, badge_of, read_ledger, slug

PAGE = "book/reference/ledger.html"
ENTRIES = read_ledger(ROOT)["entries"]
SHOWN = "() => [...document.querySelectorAll('.ledger-entry')].filter((e) => e.offsetParent).map((e) => e.id)"


@contextmanager
def ledger(browser, built_book, **options):
    with open_offline(browser, built_book / PAGE, **options) as page:
        page.wait_for_load_state("load")
        yield page
        assert page.errors == []
        assert page.requests == []


def ids(**wanted):
    """Return the anchors of the entries with this source, verdict or chapter, in order."""
    found = [{**entry, "verdict": badge_of(entry)} for entry in ENTRIES]
    kept = [entry for entry in found if all(entry[key] == value for key, value in wanted.items())]
    return [slug(entry["id"]) for entry in kept]


def choose(page, **values):
    for name, value in values.items():
        page.select_option(f".ledger-filter [name={name}]", value)


def status(page):
    return page.inner_text(".ledger-filter [role=status]")


@pytest.mark.book
def test_every_entry_stands_in_the_ledger_with_its_badge_chapter_and_tests(built_book):
    items = article(built_book / PAGE).select("ul.ledger > li.ledger-entry")
    assert [item["id"] for item in items] == ids()
    for item, entry in zip(items, ENTRIES, strict=True):
        assert item.select_one(".badge-verdict").get_text() == badge_of(entry)
        shown = item.get_text()
        assert all(test.partition("::")[2] in shown for test in entry.get("tests", []))
        found_by = [part.get_text() for part in item.select(".entry-source-words")]
        assert found_by == ([f"“{entry['source_words']}”"] if "source_words" in entry else [])
        versions = [part.get_text() for part in item.select(".entry-version")]
        assert versions == ([entry["version"]] if "version" in entry else [])
        assert item.select_one(".entry-chapter").get_text().startswith("Chapter: ")


@pytest.mark.book
def test_errata_hold_exactly_what_does_not_plainly_hold(built_book):
    items = article(built_book / "book/reference/errata.html").select("li.ledger-entry")
    expected = [entry["id"] for source in SOURCES for entry in ENTRIES if entry["source"] == source]
    kept = {entry["id"] for entry in ENTRIES if entry["verdict"] in NOT_PLAIN}
    assert [item.select_one("strong").get_text() for item in items] == [name for name in expected if name in kept]


@pytest.mark.book
def test_every_erratum_says_what_is_stated_what_shows_it_and_a_lesson(built_book):
    items = article(built_book / "book/reference/errata.html").select("li.ledger-entry")
    kept = {entry["id"]: entry for entry in ENTRIES if entry["verdict"] in NOT_PLAIN}
    assert len(items) == len(kept)
    for item in items:
        entry = kept[item.select_one("strong").get_text()]
        terms = {dt.get_text(): dt.find_next_sibling("dd") for dt in item.select("dl > dt")}
        assert {"Stated", "Shown by", "Lesson"} <= set(terms)
        assert all(dd.get_text().strip() for dd in terms.values())
        shown = terms["Shown by"].get_text()
        assert shown.count("a test: ") == len(entry.get("tests", []))
        assert entry.get("not_computed", "") in shown
        assert f"“{entry['source_words']}”" in terms["Stated"].get_text()
        assert all(link["href"].partition("#")[2] for link in terms["Shown by"].select("a.internal"))


@pytest.mark.book
def test_an_erratum_leads_to_the_passage_of_the_chapter_that_names_it(built_book):
    page = built_book / "book/reference/errata.html"
    item = article(page).select_one("#erratum-gc-1a")
    links = [link["href"] for link in item.select("dd a.internal")]
    assert len(links) == 2  # where it is shown, and the table at the book's end
    path, _, label = links[0].partition("#")
    assert path == "../part2-proximity/03_ols_proximity.html"
    assert article((page.parent / path).resolve()).select_one(f"[id='{label}']") is not None


@pytest.mark.parametrize("repository", ["owner/name", ""])
def test_a_test_is_named_by_its_path_and_linked_where_the_repository_is_known(monkeypatch, repository):
    monkeypatch.setenv("REGATTN_REPOSITORY", repository)
    directive = Ledger.__new__(Ledger)
    settings = SimpleNamespace(env=SimpleNamespace(srcdir=ROOT))
    directive.state = SimpleNamespace(document=SimpleNamespace(settings=settings))
    test = next(entry for entry in ENTRIES if entry["id"] == "GC-01")["tests"][0]
    path, name = test.split("::")
    node = directive.test(test, test)
    assert node.astext() == test
    if repository:
        address, _, line = node["refuri"].partition("#L")
        assert address == f"https://github.com/owner/name/blob/main/{path}"
        assert (ROOT / path).read_text(encoding="utf-8").splitlines()[int(line) - 1].startswith(f"def {name}(")
    else:
        assert "refuri" not in node


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize(
    "choice",
    [{"source": "MH"}, {"verdict": "misprint"}, {"chapter": "attention"}, {"source": "GC", "verdict": "holds"}],
    ids=str,
)
def test_a_choice_shows_the_entries_it_names_and_counts_them(browser, built_book, choice):
    with ledger(browser, built_book) as page:
        assert page.evaluate(SHOWN) == ids()
        choose(page, **{key: slug(value) for key, value in choice.items()})
        assert page.evaluate(SHOWN) == ids(**choice)
        assert status(page) == f"{len(ids(**choice))} of {len(ENTRIES)} entries"


@pytest.mark.book
@pytest.mark.browser
def test_a_word_narrows_the_choice_and_show_all_takes_it_back(browser, built_book):
    with ledger(browser, built_book) as page:
        page.fill(".ledger-filter [name=text]", "Eckart")
        shown = page.evaluate(SHOWN)
        assert "gc-27" in shown
        assert len(shown) < 10
        page.fill(".ledger-filter [name=text]", "xylophone")
        assert page.evaluate(SHOWN) == []
        assert status(page).startswith("No entry fits")
        page.click(".ledger-filter button")
        page.wait_for_function("() => !document.querySelector('.ledger-entry[hidden]')")
        assert page.evaluate(SHOWN) == ids()


@pytest.mark.book
@pytest.mark.browser
def test_several_words_must_all_be_there_in_any_order(browser, built_book):
    with ledger(browser, built_book) as page:
        found = {}
        for words in ("keys", "length", "keys length", "length keys", "  LENGTH   keys "):
            page.fill(".ledger-filter [name=text]", words)
            found[words] = page.evaluate(SHOWN)
        both = [name for name in found["keys"] if name in found["length"]]
        assert 0 < len(both) < min(len(found["keys"]), len(found["length"]))
        assert found["keys length"] == found["length keys"] == found["  LENGTH   keys "] == both


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize(
    ("spellings", "there", "not_there"),
    [
        (["softmax QK", "QK softmax"], {"gc-14", "rk-09"}, {"gc-15", "gc-18"}),
        (
            ["X'X", "XᵀX", "X^T X", "X^\\top X", "X^{\\top}X", "\\mathbf{X}^\\top \\mathbf{X}"],
            {"gc-01", "gc-23"},
            {"gc-14"},
        ),
        (["(X'X + λI)^{-1}", "(X^\\top X + \\lambda I)^{-1}", "(XᵀX+λI)⁻¹"], {"gc-29"}, {"gc-01", "gc-30"}),
        (["β̂", "\\hat\\beta", "beta"], {"gc-01", "gc-02"}, {"gc-23"}),
        (["softmax(QK'/sqrt(d_k))V", "\\mathrm{softmax}(QK^\\top/\\sqrt{d_k})V"], {"rk-09"}, {"gc-14"}),
        (["W_QW_K^\\top", "W_QW_K'", "W_{Q}W_{K}^T"], {"gc-2.4b", "mh-5.1"}, {"gc-12"}),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_formula_is_found_however_it_is_typed(browser, built_book, spellings, there, not_there):
    there, not_there = ({slug(name) for name in names} for names in (there, not_there))
    with ledger(browser, built_book) as page:
        shown = []
        for spelling in spellings:
            page.fill(".ledger-filter [name=text]", spelling)
            shown.append(page.evaluate(SHOWN))
        assert all(one == shown[0] for one in shown), dict(zip(spellings, shown, strict=True))
        assert there <= set(shown[0])
        assert not not_there & set(shown[0])


@pytest.mark.book
@pytest.mark.browser
def test_the_filter_works_by_keyboard_alone_and_survives_a_reload(browser, built_book):
    with ledger(browser, built_book) as page:
        page.evaluate("document.querySelector('.ledger-filter').scrollIntoView()")
        page.focus(".ledger-filter [name=source]")
        page.keyboard.press("ArrowDown")
        assert page.evaluate(SHOWN) == ids(source="GC")
        reached = []
        for _ in range(4):
            page.keyboard.press("Tab")
            reached.append(page.evaluate("document.activeElement.name || document.activeElement.type"))
        assert reached == ["verdict", "chapter", "text", "reset"]
        page.reload()
        assert page.evaluate(SHOWN) == ids(source="GC")
        page.focus(".ledger-filter button")
        page.keyboard.press("Enter")
        page.wait_for_function("() => !document.querySelector('.ledger-entry[hidden]')")
        assert page.input_value(".ledger-filter [name=source]") == ""


@pytest.mark.book
@pytest.mark.browser
def test_a_link_to_an_entry_shows_it_even_when_the_filter_hides_it(browser, built_book):
    with ledger(browser, built_book) as page:
        choose(page, source="bp")
        page.evaluate("location.hash = 'gc-07'")
        page.wait_for_function("() => document.getElementById('gc-07').offsetParent !== null")
        assert page.evaluate("document.getElementById('gc-07').matches(':target')")


@pytest.mark.book
@pytest.mark.browser
def test_without_scripts_every_entry_is_there_and_no_dead_form(browser, built_book):
    with ledger(browser, built_book, javascript=False) as page:
        assert not page.is_visible(".ledger-filter")
        assert page.locator(".ledger-entry").count() == len(ENTRIES)


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_badges_can_be_read_in_both_themes(browser, built_book, dark):
    def luminance(colour):
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    with ledger(browser, built_book, dark=dark) as page:
        for verdict in {slug(badge_of(entry)) for entry in ENTRIES}:
            style = f"getComputedStyle(document.querySelector('.badge-verdict.verdict-{verdict}'))"
            pair = sorted(luminance(page.evaluate(f"{style}.{part}")) for part in ("color", "backgroundColor"))
            assert (pair[1] + 0.05) / (pair[0] + 0.05) > 7, verdict


def test_the_glossary_is_in_the_order_of_the_alphabet():
    text = (ROOT / "book" / "reference" / "glossary.md").read_text(encoding="utf-8")
    body = text.partition("```{glossary}\n")[2].partition("\n```")[0]
    terms = [re.sub(r"[^a-z0-9]", "", entry.partition("\n")[0].lower()) for entry in body.split("\n\n")]
    assert len(terms) >= 100
    assert terms == sorted(set(terms))


@pytest.mark.book
def test_terms_of_the_glossary_are_defined_and_the_table_leads_to_them(built_book):
    content = article(built_book / "book/reference/glossary.html")
    terms = {dt["id"] for dt in content.select("dl.glossary dt[id]")}
    assert len(terms) >= 40
    links = [link["href"].partition("#")[2] for link in content.select("table a")]
    assert len(links) >= 28
    assert set(links) <= terms
