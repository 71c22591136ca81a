"""The ledger is whole: every statement has its entry, every entry its chapter and a test, and every test its entry."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from functools import cache

import pytest

from tests.built import ROOT, read_notebook
from tools import ledger as tool

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from chapters import chapters
from ledger_names import read_name
from ledger_pages import NOT_PLAIN, SOURCES, VERDICTS, passages, read_ledger

LEDGER = read_ledger(ROOT)
ENTRIES = {entry["id"]: entry for entry in LEDGER["entries"]}
CHAPTERS = {chapter.slug: chapter for chapter in chapters()}
NUMBERED = {"GC": 43, "RK": 11, "MH": 6, "BR": 13}
MH_EQUATIONS = {1: "MH-4.1", 2: "MH-4.2", 3: "MH-4.2", 4: "MH-4.2", 5: "MH-5.1", 6: "MH-5.1"}
TEXTS = ("correction", "evidence", "remark", "lesson", "measure")
KEYS = {"id", "source", "location", "source_words", "version", "statement", "verdict", *TEXTS, "chapter"}
VERSIONS = {"GC": "Working paper only: the version of 2026 "}  # sources with a later version, and how one says so
tested = [entry for entry in ENTRIES.values() if "tests" in entry]


def equation_entries(source: str, number: int) -> list[dict]:
    """Return the entries of a numbered equation: those called after it, or for MH those of the section it is in."""
    if source == "MH":
        return [ENTRIES[MH_EQUATIONS[number]]]
    return [entry for entry in ENTRIES.values() if re.fullmatch(rf"{source}-{number:02d}[a-z]?", entry["id"])]


@pytest.mark.parametrize(("source", "number"), [(s, i) for s, last in NUMBERED.items() for i in range(1, last + 1)])
def test_every_numbered_equation_has_an_entry_that_names_it(source, number):
    entries = equation_entries(source, number)
    assert entries, f"{source} ({number}) has no entry"
    numbers = {
        n
        for entry in entries
        for first, last in re.findall(r"\((\d+)\)(?:–\((\d+)\))?", entry["location"])
        for n in range(int(first), int(last or first) + 1)
    }
    assert number in numbers


@pytest.mark.parametrize(
    "before", [{}, {"planned": True}, {"not_computed": "no data"}, {"tests": ["tests/old.py::test_x"]}]
)
@pytest.mark.parametrize("names", [{}, {"tests/a.py::test_gc_01_a_fact": "test_gc_01_a_fact"}])
def test_what_the_tool_writes_into_an_entry_depends_on_the_tests_alone(before, names):
    entry = {"id": "GC-01"} | before
    assert tool.fill({"entries": [entry]}, names) == []
    kept = {"not_computed": "no data"} if "not_computed" in before else {"planned": True}
    assert entry == {"id": "GC-01"} | ({"tests": list(names)} if names else kept)
    assert tool.fill({"entries": [entry]}, {"tests/b.py::test_gc_07_b": "test_gc_07_b"}) == ["tests/b.py::test_gc_07_b"]


def test_every_entry_has_a_name_of_its_own():
    assert [name for name, count in Counter(entry["id"] for entry in LEDGER["entries"]).items() if count > 1] == []
    assert len({name.lower() for name in ENTRIES}) == len(ENTRIES)


def failing(check) -> list[str]:
    """Return the names of the entries that fail a check."""
    return [name for name, entry in ENTRIES.items() if not check(entry)]


def test_every_entry_says_what_an_entry_must_say():
    assert failing(lambda entry: set(entry) <= KEYS | {"tests", "planned", "not_computed"}) == []
    assert failing(lambda entry: entry["source"] in SOURCES and entry["id"].startswith(f"{entry['source']}-")) == []
    assert failing(lambda entry: entry["verdict"] in VERDICTS) == []
    assert failing(lambda entry: entry["statement"].endswith((".", "?"))) == []
    assert failing(lambda entry: all(isinstance(v, str) and v for key, v in entry.items() if key in KEYS)) == []


def test_an_entry_that_concerns_one_version_alone_says_how_the_other_differs():
    told = {name: (entry["source"], entry["version"]) for name, entry in ENTRIES.items() if "version" in entry}
    assert told
    assert [name for name, (source, text) in told.items() if not text.startswith(VERSIONS.get(source, "none"))] == []
    assert [name for name, (_, text) in told.items() if not text.endswith(".") or figures(text)] == []


def test_an_entry_says_what_is_true_exactly_when_it_does_not_plainly_hold():
    says = ("correction", "not_computed", "measure")
    assert failing(lambda entry: any(key in entry for key in says) == (entry["verdict"] in NOT_PLAIN)) == []


def test_what_does_not_plainly_hold_teaches_something_and_something_shows_it():
    not_plain = {name: entry for name, entry in ENTRIES.items() if entry["verdict"] in NOT_PLAIN}
    assert {name for name, entry in not_plain.items() if "lesson" in entry} == set(not_plain)
    assert failing(lambda entry: "lesson" not in entry or len(entry["lesson"].split()) > 5) == []
    assert failing(lambda entry: "lesson" not in entry or entry["lesson"][-1] in ".?") == []
    assert failing(lambda entry: ("lesson" in entry) == (entry["verdict"] in NOT_PLAIN)) == []
    facts = {test: read_name(test.partition("::")[2], list(ENTRIES))[1] for e in tested for test in e["tests"]}
    assert [test for test, fact in facts.items() if len(fact.split()) < 2] == []


def test_what_does_not_plainly_hold_quotes_words_that_a_search_finds_in_its_source():
    quoted = {name: entry["source_words"] for name, entry in ENTRIES.items() if "source_words" in entry}
    assert failing(lambda entry: entry["verdict"] == "holds" or entry["id"] in quoted) == []
    assert {name: words for name, words in quoted.items() if not 2 <= len(words.split()) <= 12} == {}
    assert {name: words for name, words in quoted.items() if re.search(r"[$\\*_{}“”]|\s{2}|^\s|\s$", words)} == {}


def test_no_two_entries_of_a_source_quote_the_same_words():
    quoted = Counter((entry["source"], entry.get("source_words")) for entry in ENTRIES.values())
    assert [words for words, count in quoted.items() if count > 1 and words[1]] == []


def test_passages_of_the_chapters_name_entries_that_there_are():
    found = passages(ROOT)
    assert set(found) <= {name.lower() for name in ENTRIES}
    assert [(p.chapter, p.box) for p in found["gc-1a"]] == [
        ("ols_proximity", ""),
        ("full_circle", ""),
    ]
    assert [p for some in found.values() for p in some if p.chapter not in CHAPTERS] == []


def test_a_planned_entry_says_what_will_be_measured_and_no_result():
    assert failing(lambda entry: ("measure" in entry) == ("planned" in entry)) == []
    assert failing(lambda entry: not ({"correction", "evidence", "remark"} & set(entry) and "planned" in entry)) == []
    assert failing(lambda entry: not figures(entry.get("measure", ""))) == []


def test_every_entry_has_tests_or_says_why_not():
    states = ("tests", "planned", "not_computed")
    assert failing(lambda entry: sum(key in entry for key in states) == 1) == []
    assert failing(lambda entry: "not_computed" not in entry or entry["verdict"] in ("empirical", "misprint")) == []


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=CHAPTERS)
def test_chapter_begins_with_a_label_to_which_the_ledger_can_lead(chapter):
    assert re.search(r'<a id="[\w-]+"></a>', read_notebook(ROOT / f"{chapter.page}.ipynb").cells[0].source)


def test_every_entry_names_a_chapter():
    assert failing(lambda entry: entry["chapter"] in CHAPTERS) == []


def test_no_test_of_the_ledger_is_an_orphan_and_no_planned_entry_has_one():
    fresh = {"entries": [{"id": name} for name in ENTRIES]}
    assert tool.fill(fresh, tool.test_names()) == []
    stale = [e["id"] for e in fresh["entries"] if e.get("tests") != ENTRIES[e["id"]].get("tests")]
    assert stale == [], "run `python tools/ledger.py`"


@pytest.mark.parametrize(
    ("name", "entries", "fact"),
    [
        ("test_gc_02_to_05_and_2_1a_halves", ["GC-02", "GC-03", "GC-04", "GC-05", "GC-2.1a"], "halves"),
        ("test_gc_21a_halves", ["GC-2.1a"], "halves"),
        ("test_mh_2_5c_d_e_the_numbers", ["MH-2.5c", "MH-2.5d", "MH-2.5e"], "the numbers"),
        ("test_gc_4_4e_a_global_model", ["GC-4.4e"], "a global model"),
        ("test_rk_07a_a_shift", ["RK-07a"], "a shift"),
        ("test_bp_t12_gpt_2_small", ["BP-T12"], "gpt 2 small"),
    ],
)
def test_a_name_says_its_entries_and_then_a_fact(name, entries, fact):
    assert read_name(name, list(ENTRIES)) == (entries, fact)


@cache
def functions() -> dict[str, tuple[ast.FunctionDef, list[ast.stmt]]]:
    """Return the syntax tree of every test of the ledger, with what its file holds besides tests."""
    found = {}
    for path in (ROOT / "tests" / "ledger").glob("test_??_*.py"):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        tests = [node for node in body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
        rest = [node for node in body if node not in tests]
        found |= {f"tests/ledger/{path.name}::{node.name}": (node, rest) for node in tests}
    return found


def can_fail(function: ast.FunctionDef) -> bool:
    """Return whether a test holds something that fails: an assert on more than a constant, a raises, an assert_…."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert) and not isinstance(node.test, ast.Constant):
            return True
        name = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
        if name == "raises" or name.startswith("assert_"):
            return True
    return False


def test_every_test_of_the_ledger_can_fail_and_none_is_skipped():
    assert [test for test, (function, _) in functions().items() if not can_fail(function)] == []
    marks = {ast.unparse(mark) for function, _ in functions().values() for mark in function.decorator_list}
    assert [mark for mark in marks if "skip" in mark or "xfail" in mark] == []


def test_the_check_for_failing_can_fail():
    assert not can_fail(ast.parse("def test_x():\n    assert True\n    f(1)").body[0])
    assert can_fail(ast.parse("def test_x():\n    assert x == 1").body[0])


def figures(text: str) -> set[float]:
    """Return the measured figures in a text: numbers with a decimal point that are no section and no entry."""
    return {float(number.replace("−", "-")) for number in re.findall(r"(?<![§\w-])[−-]?\d+\.\d+", text)}


def constants(tree: ast.AST) -> set[float]:
    """Return every number that stands in a piece of code, with both signs."""
    numbers = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, int | float)}
    return {sign * float(number) for number in numbers for sign in (1, -1)}


def unproved(entry: dict) -> set[float]:
    """Return the figures that an entry quotes and no test of it holds, as a number or as a share of 100."""
    parts = [part for test in entry.get("tests", []) for part in (functions()[test][0], *functions()[test][1])]
    known = set().union(*map(constants, parts))
    quoted = figures(" ".join(entry.get(key, "") for key in TEXTS))
    return {x for x in quoted if not any(abs(x - y) < 1e-12 or abs(x - 100 * y) < 1e-9 for y in known)}


def test_every_figure_that_an_entry_quotes_stands_in_its_tests():
    assert {name: unproved(entry) for name, entry in ENTRIES.items() if unproved(entry)} == {}


def test_the_search_for_figures_can_fail():
    assert figures("§4.2 and MH-3.1b: falls from 0.585 to −1.5 at 100") == {0.585, -1.5}
    assert unproved({"correction": "It is 0.5.", "lesson": "None."}) == {0.5}
    assert 0.586 not in constants(ast.parse("assert x == approx(0.585)"))
