"""The page of benchmarks: every number on it is one of the JSON, and what it says in words follows from them."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from functools import cache

import pytest
from bs4 import BeautifulSoup
from hypothesis import given, strategies as st

from tests.built import ROOT, article

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import performance_words as words
from performance_numbers import beside, duration, linear_axis, log_axis, significant, size

PAGE = "book/reference/performance"
PAGES = (PAGE, "book/reference/scaling")
RESULTS = ROOT / "benchmarks" / "results"
SCRIPTS = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py") if path.stem != "measure")
UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "": 1}
POSITIVE = st.floats(1e-8, 1e11)
NEEDS = {
    "gpu": "a graphics card",
    "shards": "the extra scale",
}  # what few machines have; the page keeps a place for the results
MEASURED = [name for name in SCRIPTS if name not in NEEDS or (RESULTS / f"{name}.json").exists()]
every_result = pytest.mark.parametrize("name", MEASURED)


def shown_on(page: str) -> list[str]:
    """Return the benchmarks that the source of a page shows, in its order."""
    return re.findall(r"^```\{benchmark\} (\w+)$", (ROOT / f"{page}.md").read_text(encoding="utf-8"), re.MULTILINE)


def page_of(name: str) -> str:
    """Return the page that shows a benchmark."""
    (page,) = [page for page in PAGES if name in shown_on(page)]
    return page


def refuse(constant):
    raise ValueError(f"{constant} is no number of JSON")


@cache
def result_of(name: str) -> dict:
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"), parse_constant=refuse)


def row(contender="peer", ratio=2.0, low=None, high=None, **others):
    quartiles = {"ratio_low": ratio if low is None else low, "ratio_high": ratio if high is None else high}
    return (
        {"contender": contender, "ours": False, "seconds": 0.01 * ratio, "ratio": ratio, "runs": 7} | quartiles | others
    )


def our_row(**others):
    return {**row("regattn", 1.0), "ours": True, **others}


def goal(measured, *, least=None, most=None, text="times as fast"):
    met = measured >= least if most is None else measured <= most
    return {"goal": text, "measured": measured, "least": least, "most": most, "met": met}


def plain(fragment: str) -> str:
    return BeautifulSoup(fragment, "html.parser").get_text()


# --- numbers ----------------------------------------------------------------------------------------------------------


def value_of(shown: str) -> float:
    """Read a number as a reader does, with its unit."""
    number, power, unit = re.fullmatch(r"(−?[\d,.]+)(?: × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))? ?([a-zA-Zµ]*)", shown).groups()
    exponent = int((power or "0").translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))
    return float(number.replace(",", "").replace("−", "-")) * 10.0**exponent * UNITS[unit]


@given(POSITIVE)
def test_a_number_is_shown_to_three_digits(value):
    assert value_of(significant(value)) == pytest.approx(value, rel=0.00501)
    assert len(re.sub(r"[^\d]|^[0.]+", "", significant(value).partition(" ×")[0])) >= 3


@given(st.integers(0, 10**12))
def test_a_count_is_shown_in_full(value):
    assert value_of(significant(value)) == value


@given(st.floats(1e-9, 1e5))
def test_a_time_is_shown_in_a_unit_that_suits_it(seconds):
    shown = duration(seconds)
    assert value_of(shown) == pytest.approx(seconds, rel=0.00501)
    number, unit = shown.split()
    assert 1 <= float(number.replace(",", "")) < {"s": 120, "min": 1e4}.get(unit, 1000)


@given(st.floats(1, 9e11))
def test_a_size_is_shown_in_a_unit_that_suits_it(count):
    shown = size(count)
    assert value_of(shown) == pytest.approx(count, rel=0.00501)
    assert 1 <= value_of(shown.split()[0]) < 1000


@given(st.floats(0.99, 1.01), st.floats(0.01, 1e4))
def test_a_measure_near_its_bound_shows_on_which_side_it_lies(part, bound):
    shown = value_of(beside(part * bound, bound))
    assert (shown > bound, shown < bound) == (part * bound > bound, part * bound < bound)


@given(st.lists(st.floats(1e-4, 1e6), min_size=1, max_size=9))
def test_a_logarithmic_axis_holds_the_values_and_one(values):
    axis = log_axis(values)
    assert all(0 < axis.position(value) < 100 for value in [*values, 1.0])
    assert 1 in axis.ticks
    assert 2 <= len(axis.ticks) <= 6
    steps = [axis.position(1.1 * value) - axis.position(value) for value in values]
    assert steps == pytest.approx([steps[0]] * len(steps))  # ten per cent more is the same step everywhere


@given(st.lists(st.floats(1e-6, 1e9), min_size=1, max_size=9))
def test_a_linear_axis_starts_at_zero_and_holds_the_values(values):
    axis = linear_axis(values)
    assert axis.position(0) == 0
    assert all(0 <= axis.position(value) <= 100 for value in values)
    assert 2 <= len(axis.ticks) <= 6
    assert axis.position(values[0] / 2) == pytest.approx(axis.position(values[0]) / 2)


def test_an_axis_of_zeros_has_room():
    assert linear_axis([0.0, 0.0]).position(0.0) == 0


# --- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0.7, 0.9, "faster"), (0.9, 1.1, "level"), (1.0, 1.1, "level"), (1.01, 1.1, "slower")],
)
def test_a_contender_is_faster_or_slower_only_when_its_quartiles_agree(low, high, expected):
    assert words.relation(row(low=low, ratio=(low + high) / 2, high=high)) == expected


def test_a_case_is_told_from_where_we_lose_to_where_we_win():
    rows = [our_row(), row("A", 56.6, 55, 58), row("B", 1.01, 0.98, 1.04), row("C", 0.7, 0.68, 0.71), row("D", 1.2)]
    assert [plain(sentence) for sentence in words.sentences({"case": "x", "rows": rows})] == [
        "Faster here: C in 0.700 of our time.",
        "As fast as ours, within the spread: B (1.01 of our time, quartiles 0.980 to 1.04).",
        "The rest take from 1.20 times (D) to 56.6 times (A) as long as ours.",
    ]


def test_a_single_peer_and_a_row_of_slower_ones_are_told_as_such():
    alone = words.sentences({"case": "x", "rows": [our_row(), row("`solve`", 3.0)]})
    assert alone == [f"<b><code>solve</code></b> takes {words.number(3.0)} times as long as ours."]
    several = words.sentences({"case": "x", "rows": [our_row(), row("A", 3.0), row("B", 2.0)]})
    assert plain(several[0]) == "The others take from 2.00 times (B) to 3.00 times (A) as long as ours."


def test_ours_alone_is_not_compared():
    assert words.sentences({"case": "x", "rows": [our_row()]}) == []
    assert words.losses({"case": "x", "rows": [our_row()]}) == []


@pytest.mark.parametrize(
    ("field", "ours", "worse", "better", "sentence"),
    [
        ("digits", 13.62, 13.64, 13.7, "P (13.7) keeps more digits; ours: 13.6."),
        ("peak memory MB", 412.0, 412.1, 390.0, "P (390) needs less memory; ours: 412 (peak memory MB)."),
        ("peak bytes", 4e7, 1.6e9, 1.2e7, "P (12.0 MB) needs less memory; ours: 40.0 MB (peak bytes)."),
        ("test R²", 0.4, -0.1, 0.42, "P (0.420) predicts better; ours: 0.400 (test R²)."),
    ],
)
def test_what_is_better_by_another_measure_is_told(field, ours, worse, better, sentence):
    def case(theirs):
        return {"case": "x", "rows": [our_row(**{field: ours}), row("P", 2.0, **{field: theirs}), row("Q", 2.0)]}

    assert words.losses(case(worse)) == []
    assert [plain(told) for _, told in words.losses(case(better))] == [sentence]
    assert plain(words.sentences(case(better))[-1]) == sentence
    assert plain(words.sentences(case(worse))[-1]).startswith("None ")


def test_several_who_are_better_are_told_in_the_plural():
    rows = [our_row(digits=7.0), row("A", digits=8.0), row("B", digits=9.0)]
    (told,) = [text for _, text in words.losses({"case": "x", "rows": rows})]
    assert plain(told) == "B (9.0) and A (8.0) keep more digits; ours: 7.0."


def test_losses_are_who_has_a_median_below_one_and_goals_that_are_missed():
    rows = [our_row(), row("A", 0.99, 0.95, 1.03), row("B", 0.5), row("C", 1.001, 0.99, 1.02)]
    goals = [goal(31.0, least=30.0), goal(29.9999, least=30.0, text="≥ 30 times")]
    found = words.losses({"case": "x", "rows": rows, "goals": goals})
    assert [kind for kind, _ in found] == ["faster", "level", "goal"]
    assert plain(found[2][1]) == "Goal missed: ≥ 30 times, measured 29.9999."


def test_a_goal_in_bytes_is_told_in_its_unit():
    aim = goal(4.1e7, most=6.4e7, text="≤ 64 MB")
    assert plain(words.measured(aim)) == "41.0 MB"
    assert plain(words.wanted(aim)) == "at most 64 MB"
    assert plain(words.wanted(goal(1.0, least=7.4))) == "at least 7.4"
    assert plain(words.wanted(goal(1e-14, most=5e-12))) == "at most 5 × 10⁻¹²"


# --- a page made from made-up results ---------------------------------------------------------------------------------

HOSTILE = '<script>alert("1")</script> & `x < 1`'
MADE_UP = {
    "question": f"How fast {HOSTILE}",
    "threads": 2,
    "python": "3.11.9",
    "machine": "x86_64, 2 cores",
    "versions": {"numpy": "2.4.6", "scipy": "1.17.1"},
    "cases": [
        {
            "case": "n = 2,000",
            "note": f"Why {HOSTILE}",
            "rows": [
                our_row(**{"tokens per second": 123456.7, "peak memory MB": 30.25, "parameters": 818304}),
                row(HOSTILE, 56.612345, 55.1, 58.2, **{"peak memory MB": 20.5}),
                row("floor", 0.612, 0.6, 0.62, choice="the same", **{"tokens per second": 9.0}),
                row("level", 0.996, 0.95, 1.07),
            ],
            "goals": [goal(56.612345, least=30.0, text=HOSTILE), goal(1.63, most=1.3), goal(69.9999, least=70.0)],
        },
        {
            "case": "digits",
            "rows": [
                {
                    "contender": "regattn",
                    "ours": True,
                    "digits": 13.6,
                    "digits_low": 13.2,
                    "digits_high": 14.0,
                    "runs": 5,
                },
                {"contender": "peer", "ours": False, "digits": 0.0, "digits_low": 0.0, "digits_high": 0.2, "runs": 5},
            ],
            "goals": [],
        },
        {"case": "alone", "rows": [{"contender": name, "ours": True, "seconds": 9.5, "runs": 1} for name in "abc"]},
        {
            "case": "parts",
            "rows": [
                {"contender": "whole", "ours": True, "seconds": 2.5, "times the whole": 1.0, "runs": 3},
                {"contender": "parts", "ours": True, "seconds": 2.4, "times the whole": 0.96, "runs": 3},
                {
                    "contender": "peer",
                    "ours": False,
                    "seconds": 3.5,
                    "times the whole": 1.4,
                    "times the whole_low": 1.2,
                    "times the whole_high": 1.6,
                    "runs": 3,
                },
            ],
            "goals": [],
        },
        {
            "case": "memory",
            "rows": [
                {"contender": "regattn", "ours": True, "peak bytes": 4.1e7},
                {"contender": "peer", "ours": False, "peak bytes": 1.62e9},
            ],
            "goals": [goal(4.1e7, most=6.4e7, text="≤ 64 MB")],
        },
    ],
}
CONF = "import sys\nsys.path.insert(0, {path!r})\nextensions = ['myst_parser', 'performance_pages']\n"
TEXT = """# Page

```{benchmark-overview}
```
```{benchmark-summary}
```
```{benchmark-losses}
```
```{benchmark-machine}
```
```{benchmark} made_up
```
"""


def run_sphinx(folder):
    (folder / "conf.py").write_text(CONF.format(path=str(ROOT / "book" / "_ext")), encoding="utf-8")
    (folder / "index.md").write_text(TEXT, encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-W", "-q", str(folder), str(folder / "html")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    """Return a page of one benchmark, built from made-up results."""
    folder = tmp_path_factory.mktemp("made_up")
    results = folder / "benchmarks" / "results"
    results.mkdir(parents=True)
    (results / "made_up.json").write_text(json.dumps(MADE_UP), encoding="utf-8")
    done = run_sphinx(folder)
    assert done.returncode == 0, done.stderr
    return BeautifulSoup((folder / "html" / "index.html").read_text(encoding="utf-8"), "html.parser")


def test_a_benchmark_without_results_fails_the_build(tmp_path):
    done = run_sphinx(tmp_path)
    assert done.returncode != 0
    assert "benchmarks/results/made_up.json is missing: run `make bench`" in done.stderr


def test_a_made_up_page_shows_its_results(made_up):
    check_benchmark(made_up, "made_up", MADE_UP)
    check_overview(made_up, {"made_up": MADE_UP})
    check_summary(made_up, {"made_up": MADE_UP})
    check_losses(made_up, {"made_up": MADE_UP})
    check_machine(made_up, {"made_up": MADE_UP})


def test_a_made_up_page_leads_to_its_json(made_up):
    assert made_up.select_one("a.download")["href"].endswith("made_up.json")


def test_texts_of_results_are_shown_as_texts(made_up):
    assert made_up.select_one(".bench-question").get_text() == f"How fast {HOSTILE.replace('`', '')}."
    assert made_up.select(".bench script") == []


@pytest.mark.parametrize(
    ("old", "new"),
    [("56.612345", "56.612346"), (">56.6<", ">56.7<"), ("missed</span>", "met</span>"), ('"faster"', '"level"')],
)
def test_the_comparison_notices_a_wrong_page(made_up, old, new):
    assert old in str(made_up)
    altered = BeautifulSoup(str(made_up).replace(old, new), "html.parser")
    with pytest.raises(AssertionError):
        test_a_made_up_page_shows_its_results(altered)


# --- the comparison of a page with the JSON ---------------------------------------------------------------------------


def numbers(part) -> list[float]:
    """Return the values of the numbers in a part of a page, after checking that each is shown as what it is."""
    for tag in part.select("[data-value]"):
        shown, value = value_of(tag.get_text()), float(tag["data-value"])
        units = (1, 1e6) if tag.find_parent(class_="bench-goals") else (1,)
        near = [abs(shown / unit - value) <= max(0.00501 * abs(value), 0.0501 * (value < 20)) for unit in units]
        assert any(near), f"{value} is shown as {tag.get_text()}"
    return [float(tag["data-value"]) for tag in part.select("[data-value]")]


def strings_of(thing) -> list[str]:
    """Return every text of a JSON result, the names of fields too."""
    if isinstance(thing, dict):
        return [text for key, value in thing.items() for text in (key, *strings_of(value))]
    if isinstance(thing, list):
        return [text for value in thing for text in strings_of(value)]
    return [thing.replace("`", "")] if isinstance(thing, str) else []


def check_no_other_number(part, result):
    """Raise if a digit stands in a part of a page that is neither a number nor a text of the results."""
    copy = BeautifulSoup(str(part), "html.parser")
    for tag in copy.select("[data-value], .bench-tick"):
        tag.decompose()
    left = copy.get_text()
    for text in sorted(strings_of(result), key=len, reverse=True):
        left = left.replace(text, "")
    assert re.findall(r".{0,20}\d.{0,20}", left) == []


def measured_in(row, *, reference) -> list[float]:
    """Return the numbers of a row that a reader wants: all but how often it ran and that ours takes as long as ours."""
    hidden = {"ours", "runs"} | ({"ratio_low", "ratio_high"} if reference else set())
    return [value for key, value in row.items() if key not in hidden and isinstance(value, int | float)]


def check_table(section, case):
    rows = section.select(".bench-table tbody tr")
    assert len(rows) == len(case["rows"])
    compared = any(not row["ours"] and "ratio" in row for row in case["rows"])
    for shown, row in zip(rows, case["rows"], strict=True):
        assert shown.th.get_text().startswith(row["contender"].replace("`", ""))
        told = row if compared else {key: row[key] for key in row if key != "ratio"}
        wanted = measured_in(told, reference=row["ours"] and row.get("ratio") == 1)
        assert sorted(numbers(shown)) == sorted(wanted)
        assert all(value in shown.get_text() for value in row.values() if isinstance(value, str) and "`" not in value)


def check_plot(plot, case):
    """Raise unless a plot's dots stand where its ticks say, with the quartiles on both sides, and its words say so."""
    field = plot["data-field"]
    rows = [row for row in case["rows"] if row.get(field) is not None]
    scale = (lambda value: math.log(value)) if field == "ratio" else float
    ticks = [(scale(value_of(tick.get_text())), left(tick)) for tick in plot.select(".bench-tick")]
    (x0, left0), (x1, left1) = ticks[0], ticks[-1]
    lines = plot.select(".bench-line:not(.bench-axis)")
    assert len(lines) == len(rows)
    for line, row in zip(lines, rows, strict=True):

        def place(value):
            return left0 + (scale(value) - x0) / (x1 - x0) * (left1 - left0)

        assert numbers(line) == [row[field]]
        assert left(line.select_one(".bench-dot")) == pytest.approx(place(row[field]), abs=0.05)
        bar = line.select_one(".bench-bar")
        width = float(re.search(r"width:([\d.]+)%", bar["style"])[1])
        ends = [row.get(f"{field}_{end}", row[field]) for end in ("low", "high")]
        assert [left(bar), left(bar) + width] == pytest.approx([place(end) for end in ends], abs=0.05)
        assert f"{row['contender']} {line.select_one('.bench-value').get_text()}" in plot["aria-label"]
        if field == "ratio" or field.startswith("times "):
            assert f"bench-{expected_relation(row, field)}" in line["class"]
    assert plot["role"] == "img"


def left(tag) -> float:
    return float(re.search(r"left:([\d.]+)%", tag["style"])[1])


def expected_relation(row, field="ratio"):
    if row["ours"]:
        return "ours"
    if row[f"{field}_high"] < 1:
        return "faster"
    return "slower" if row[f"{field}_low"] > 1 else "level"


def check_goals(rows, goals):
    assert len(rows) == len(goals)
    for shown, goal in zip(rows, goals, strict=True):
        bound = goal["least"] if goal["most"] is None else goal["most"]
        within = goal["measured"] >= bound if goal["most"] is None else goal["measured"] <= bound
        cells = shown.select("th, td")
        assert cells[0].get_text() == goal["goal"].replace("`", "")
        assert numbers(cells[1]) == [goal["measured"]]
        assert shown.select_one(".bench-badge").get_text().split()[-1] == ("met" if within else "missed")
        assert numbers(cells[3]) == [bound]
        assert cells[3].get_text().startswith("at least" if goal["most"] is None else "at most")


def check_benchmark(page, name, result):
    """Raise unless a benchmark on a page is what its JSON says."""
    part = page.select_one(f'[data-benchmark="{name}"]')
    assert part.select_one(".bench-question").get_text() == result["question"].replace("`", "") + "."
    sections = part.select("section.bench-case")
    assert [section.h3.get_text() for section in sections] == [
        case["case"].replace("`", "") for case in result["cases"]
    ]
    for section, case in zip(sections, result["cases"], strict=True):
        check_table(section, case)
        for plot in section.select(".bench-plot"):
            check_plot(plot, case)
        compared = any(not row["ours"] and "ratio" in row for row in case["rows"])
        assert bool(section.select('.bench-plot[data-field="ratio"]')) == compared
        check_goals(section.select(".bench-goals tbody tr"), case.get("goals", []))
        known = {float(value) for row in case["rows"] for value in row.values() if isinstance(value, int | float)}
        assert set(numbers(section.select_one(".bench-words") or BeautifulSoup("", "html.parser"))) <= known
        if case.get("note"):
            assert case["note"].replace("`", "") in section.select_one(".bench-note").get_text()
    check_no_other_number(part, result)


def check_summary(page, results):
    goals = [goal for result in results.values() for case in result["cases"] for goal in case.get("goals", [])]
    check_goals(page.select(".bench-summary tbody tr"), goals)
    met = sum(
        goal["measured"] >= goal["least"] if goal["most"] is None else goal["measured"] <= goal["most"]
        for goal in goals
    )
    told = f"The goal is {'met' if met else 'missed'}." if len(goals) == 1 else f"{met} of {len(goals)} goals are met."
    assert page.select_one("details:not([open]) > summary .bench-count").get_text() == told
    anchors = {tag["id"] for tag in page.select("[id]")}
    assert all(link["href"].removeprefix("#") in anchors for link in page.select(".bench-summary a, .bench-losses a"))


def check_overview(page, results):
    """Raise unless the page begins with the library of each benchmark whose ratio is the smallest, and draws it."""
    nearest = {}
    for name, result in results.items():
        rows = [row for case in result["cases"] for row in case["rows"] if not row["ours"] and "ratio" in row]
        libraries = [row for row in rows if not row["contender"].startswith((*words.FLOORS, *words.BY_HAND))]
        if libraries:
            nearest[name] = min(libraries, key=lambda row: row["ratio"])
    part = page.select_one(".bench-overview")
    lines = {line["data-benchmark-line"]: line for line in part.select("li")}
    assert list(lines) == list(nearest)
    for name, row in nearest.items():
        assert numbers(lines[name]) == [row["ratio"]]
        assert lines[name].b.get_text() == row["contender"].replace("`", "")
        assert page.find(id=lines[name].a["href"].removeprefix("#"))
    drawn = [{**row, "contender": results[name]["question"]} for name, row in nearest.items()]
    check_plot(part.select_one(".bench-plot"), {"rows": drawn})


def is_better(field, row, ours) -> bool:
    """Return whether a field of a row is better than ours as far as it is shown: digits to tenths, others to three."""
    if field == "digits":
        return round(row[field], 1) > round(ours[field], 1)
    if not re.search("memory|bytes|MB|R²", field):
        return False
    theirs, mine = (float(f"{each[field]:.3g}") for each in (row, ours))
    return theirs > mine if "R²" in field else theirs < mine


def expected_losses(case) -> set[tuple[str, str]]:
    """Return who is better than ours in a case and by what, and the goals that are missed."""
    found = set()
    (ours, *_) = (row for row in case["rows"] if row["ours"])
    for row in (row for row in case["rows"] if not row["ours"]):
        if row.get("ratio", 2) < 1:
            found.add((expected_relation(row), row["contender"]))
        found.update((field, row["contender"]) for field in row.keys() & ours.keys() if is_better(field, row, ours))
    for goal in case.get("goals", []):
        if goal["measured"] < goal["least"] if goal["most"] is None else goal["measured"] > goal["most"]:
            found.add(("goal", goal["goal"].replace("`", "")))
    return {(kind, name.replace("`", "")) for kind, name in found}


def check_losses(page, results):
    """Raise unless "where we lose" lists what the JSON says, and nothing else."""
    expected, found = {}, {}
    for name, result in results.items():
        for place, case in enumerate(result["cases"], 1):
            if expected_losses(case):
                expected[f"benchmark-{name}-{place}"] = expected_losses(case)
    for item in page.select(".bench-losses li"):
        here = found.setdefault(item["data-case"], set())
        for told in item.select("[data-loss]"):
            numbers(told)
            text = told.get_text()
            goals = re.findall(r"^Goal missed: (.*), measured ", text)
            here.update((told["data-loss"], name) for name in goals or [bold.get_text() for bold in told.select("b")])
    assert found == expected
    assert expected or "Nowhere" in page.select_one(".bench-losses").get_text()


def check_machine(page, results):
    shown = page.select_one(".bench-machine").get_text(" ")
    for result in results.values():
        assert result["machine"] in shown
        assert f"Python {result['python']}" in shown
        assert all(
            re.search(rf"{package} .*{re.escape(version)}", shown) for package, version in result["versions"].items()
        )


# --- the results and the page of the book -----------------------------------------------------------------------------


def test_every_floor_is_a_contender_and_no_library():
    contenders = {row["contender"] for name in MEASURED for case in result_of(name)["cases"] for row in case["rows"]}
    for name in (*words.FLOORS, *words.BY_HAND):
        assert any(contender.startswith(name) for contender in contenders), name
    floors = [row for row in contenders if row.startswith(words.FLOORS)]
    assert not [row for row in floors if re.search("scikit|statsmodels|SciPy|torch|pandas|solve", row)]


def test_floors_and_libraries_lose_to_ours_apart():
    case = {"case": "x", "rows": [our_row(), row("Q (KᵀV), 9 times", 0.5), row("peer", 0.7), row("slow", 3.0)]}
    case["goals"] = [goal(1.0, least=2.0)]
    libraries, floors = (words.losses(part) for part in words.split(case))
    assert [kind for kind, _ in libraries] == ["faster", "goal"]
    assert [plain(told) for _, told in floors] == ["Faster here: Q (KᵀV), 9 times in 0.500 of our time."]


def test_every_script_is_shown_once_and_nothing_else():
    assert sorted(name for page in PAGES for name in shown_on(page)) == SCRIPTS


def test_every_result_belongs_to_a_script():
    assert sorted(path.stem for path in RESULTS.glob("*.json")) == MEASURED


@pytest.mark.book
@pytest.mark.parametrize("name", NEEDS)
def test_what_few_machines_have_is_measured_or_said_to_be_missing(built_book, name):
    page = article(built_book / f"{page_of(name)}.html")
    absent = page.select_one(f"p.bench-absent#{words.anchor(name)}")
    assert (absent is None) == (name in MEASURED)
    assert absent is None or NEEDS[name] in absent.get_text()


@every_result
def test_results_are_whole(name):
    result = result_of(name)
    assert result["question"]
    assert not result["question"].endswith(".")
    assert result["threads"] >= 1
    assert {"numpy", "scipy"} <= set(result["versions"])
    assert re.fullmatch(r"3\.\d+\.\d+.*", result["python"])
    assert len({case["case"] for case in result["cases"]}) == len(result["cases"]) > 0
    for case in result["cases"]:
        names = [row["contender"] for row in case["rows"]]
        assert len(names) == len(set(names)) > 0
        assert any(row["ours"] for row in case["rows"])
        for row in case["rows"]:
            check_row(row)
        first = next(row for row in case["rows"] if row["ours"])  # what the others are compared with
        assert first.get("ratio", 1) == first.get("ratio_low", 1) == first.get("ratio_high", 1) == 1


def check_row(row):
    assert row.get("seconds", 1) > 0
    assert row.get("runs", 1) >= 1
    if "ratio" in row:
        assert 0 < row["ratio_low"] <= row["ratio"] <= row["ratio_high"]
    assert all(math.isfinite(value) for value in row.values() if isinstance(value, int | float))


@every_result
def test_a_goal_is_met_when_its_number_is_within_its_bound(name):
    for case in result_of(name)["cases"]:
        for goal in case.get("goals", []):
            assert (goal["least"] is None) != (goal["most"] is None)
            within = goal["measured"] >= goal["least"] if goal["most"] is None else goal["measured"] <= goal["most"]
            assert goal["met"] is within


@pytest.mark.book
@every_result
def test_every_number_on_the_page_is_that_of_the_json(built_book, name):
    check_benchmark(article(built_book / f"{page_of(name)}.html"), name, result_of(name))


@pytest.mark.book
def test_the_summary_the_losses_and_the_machine_are_those_of_the_json(built_book):
    page = article(built_book / f"{PAGE}.html")
    results = {name: result_of(name) for name in shown_on(PAGE) if name in MEASURED}
    check_overview(page, results)
    check_summary(page, results)
    check_losses(page, results)
    check_machine(page, results)


@pytest.mark.book
@every_result
def test_the_json_can_be_taken_from_the_page(built_book, name):
    here = built_book / f"{page_of(name)}.html"
    (link,) = [tag["href"] for tag in article(here).select("a.download") if tag["href"].endswith(f"/{name}.json")]
    assert json.loads((here.parent / link).read_text(encoding="utf-8")) == result_of(name)
