"""The page of benchmarks: every number of the JSON is on it, and where we lose comes first."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import cache

import pytest
from bs4 import BeautifulSoup
from hypothesis import given, strategies as st

from tests.built import ROOT, article

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import performance_pages as pages

SHOWN = {
    name: page
    for page in ("book/reference/performance", "book/reference/scaling")
    for name in re.findall(r"^```\{benchmark\} (\w+)$", (ROOT / f"{page}.md").read_text(encoding="utf-8"), re.MULTILINE)
}
SCRIPTS = {path.stem for path in (ROOT / "benchmarks").glob("*.py")} - {"measure"}
NEEDING = {"gpu", "shards"}  # what few machines have
FACTORS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "kB": 1e3, "MB": 1e6, "GB": 1e9}
RESULTS = {path.stem: path for path in sorted((ROOT / "benchmarks" / "results").glob("*.json"))}
every_result = pytest.mark.parametrize("name", RESULTS)
MADE_UP = {
    "question": "How <b>fast</b>, & with `x < 1`",
    "cases": [
        {
            "case": "n = 2,000",
            "rows": [
                {"contender": "regattn", "ours": True, "seconds": 0.01, "ratio": 1.0, "peak bytes": 4.1e7},
                {"contender": "slow", "ours": False, "ratio": 2.0, "ratio_low": 1.9, "ratio_high": 2.1, "digits": 9.0},
                {"contender": "a < b", "ours": False, "ratio": 0.9, "ratio_low": 0.8, "ratio_high": 1.2},
                {"contender": "Q (KᵀV), 9 times", "ours": False, "ratio": 0.1, "ratio_low": 0.1, "ratio_high": 0.1},
                {"contender": "lean", "ours": False, "peak bytes": 1.2e7},
                {"contender": "the same", "ours": False, "peak bytes": 4.0999e7},
            ],
            "goals": [
                {"goal": "≤ 64 MB", "measured": 4.1e7, "least": None, "most": 6.4e7, "met": True},
                {"goal": "≥ 30 times", "measured": 29.0, "least": 30.0, "most": None, "met": False},
            ],
        }
    ],
}


@cache
def result_of(name: str) -> dict:
    return json.loads(RESULTS[name].read_text(encoding="utf-8"))


def cells(content: str) -> list[list[str]]:
    """Return the cells of the rows of all tables, as they are read."""
    rows = BeautifulSoup(content, "html.parser").select("tbody tr")
    return [[part.get_text() for part in row.select("th, td")] for row in rows]


def value_of(shown: str) -> float:
    """Read a number as a reader does, with its unit."""
    number, power, unit = re.fullmatch(r"(−?[\d,.]+)(?: × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))? ?([a-zA-Zµ]*)", shown).groups()
    exponent = int((power or "0").translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))
    return float(number.replace(",", "").replace("−", "-")) * 10.0**exponent * FACTORS.get(unit, 1)


@given(st.floats(1e-8, 9e11), st.sampled_from(["ratio", "seconds", "peak bytes"]))
def test_a_number_is_shown_to_three_digits(value, field):
    assert value_of(pages.shown(field, value)) == pytest.approx(value, rel=0.00501)


@given(st.integers(0, 10**12))
def test_a_count_is_shown_in_full(value):
    assert value_of(pages.shown("runs", value)) == value


def test_goals_that_are_missed_come_first():
    assert [row[:4] for row in cells(pages.goals({"made_up": MADE_UP}))] == [
        ["≥ 30 times", "29.0", "at least 30.0", "✗ missed"],
        ["≤ 64 MB", "41.0 MB", "at most 64.0 MB", "✓ met"],
    ]


def test_losses_are_who_takes_less_time_or_room_than_ours_floors_last():
    ratio, where = "times as long as ours", "How <b>fast</b>, & with x < 1: n = 2,000"
    assert cells(pages.losses({"made_up": MADE_UP})) == [
        ["a < b", ratio, "0.900 (0.800 to 1.20)", "1.00", where],
        ["lean", "peak bytes", "12.0 MB", "41.0 MB", where],
        ["Q (KᵀV), 9 times", ratio, "0.100", "1.00", where],
    ]


def test_the_nearest_is_a_library_and_is_drawn_where_it_stands():
    content = BeautifulSoup(pages.nearest({"made_up": MADE_UP}), "html.parser")
    assert [row[:2] for row in cells(str(content))] == [["a < b", "0.900 (0.800 to 1.20)"]]
    assert content.svg.find(string=re.compile("^How <b>fast</b>: 0.900$"))
    assert "var(--bench-faster)" in str(content.svg)


def test_a_benchmark_without_results_fails_the_build(tmp_path):
    conf = f"import sys\nsys.path.insert(0, {str(ROOT / 'book' / '_ext')!r})\n"
    (tmp_path / "conf.py").write_text(conf + "extensions = ['myst_parser', 'performance_pages']\n", encoding="utf-8")
    (tmp_path / "index.md").write_text("# Page\n\n```{benchmark} made_up\n```\n", encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-W", "-q", str(tmp_path), str(tmp_path / "html")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "benchmarks/results/made_up.json is missing: run `make bench`" in done.stderr


def test_every_script_is_shown_and_every_result_has_a_script():
    assert set(SHOWN) == SCRIPTS
    assert SCRIPTS - NEEDING <= set(RESULTS) <= SCRIPTS


def test_every_floor_is_a_contender_and_no_library():
    names = {row["contender"] for name in RESULTS for case in result_of(name)["cases"] for row in case["rows"]}
    floors = {name for name in names if name.startswith(pages.FLOORS)}
    assert not [name for name in floors if re.search("scikit|statsmodels|SciPy|torch|pandas|solve", name)]
    assert [part for part in pages.FLOORS + pages.BY_HAND if not any(name.startswith(part) for name in names)] == []


@every_result
def test_results_say_by_which_goals_they_are_met_and_what_they_are_compared_with(name):
    for case in result_of(name)["cases"]:
        assert next(row for row in case["rows"] if row["ours"]).get("ratio", 1) == 1
        assert all(0 < row["ratio_low"] <= row["ratio"] <= row["ratio_high"] for row in case["rows"] if "ratio" in row)
        for goal in case.get("goals", []):
            least, most = goal["least"] or 0, float("inf") if goal["most"] is None else goal["most"]
            assert goal["met"] is (least <= goal["measured"] <= most)


@pytest.mark.book
@every_result
def test_every_number_of_the_json_is_on_the_page_and_so_is_the_json(built_book, name):
    page = built_book / f"{SHOWN[name]}.html"
    content, result = article(page), result_of(name)
    (link,) = content.select(f'a.download[href$="/{name}.json"]')
    assert json.loads((page.parent / link["href"]).read_text(encoding="utf-8")) == result
    goals = [row[1] for row in cells(str(content)) if row[3:4] in (["✓ met"], ["✗ missed"])]
    for place, case in enumerate(result["cases"]):
        rows = cells(str(content.find(id=f"benchmark-{name}-{place}")))
        for shown, row in zip(rows, case["rows"], strict=True):
            assert shown[0].removesuffix(" (ours)") == row["contender"].replace("`", "")
            values = [
                value_of(part) for part in re.findall(r"−?[\d,.]+(?: × 10\S+| [nµmkMG]?[sB]\b)?", " ; ".join(shown[1:]))
            ]
            for field, value in row.items():
                if isinstance(value, float) and not (row["ours"] and field.startswith("ratio")):
                    assert any(
                        near == pytest.approx(value, rel=0.00501, abs=0.0501 * field.startswith("digits"))
                        for near in values
                    ), (field, value)
        for goal in case.get("goals", []):
            assert any(value_of(told) == pytest.approx(goal["measured"], rel=0.00501) for told in goals), goal
