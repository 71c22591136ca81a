"""A CSV file as the page reads it: as pandas does where pandas knows how, else with its troubles by line and column."""

from __future__ import annotations

import io
import random
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.node import in_node

OWN_MISSING = ["-", "–", "."]
NAMES = ["a", "b", "long name", "é;x", 'q"uote', "x,y", "line\nbreak", "<b>", "=1+1"]
WORDS = ["x", "two words", "a,b", "c;d", "tab\there", 'say "hi"', "new\nline", "=cmd()", "<img src=x>", "日本"]


def read(folder, *texts: str, header: bool | None = None) -> list[dict[str, Any]]:
    """Return what the page makes of each text."""
    given = {"texts": texts, "header": header}
    return in_node(folder, "table/parse.js", "say(given.texts.map((t) => readTable(t, {header: given.header})))", given)


def one(folder, text: str, **how) -> dict[str, Any]:
    (found,) = read(folder, text, **how)
    return found


def values(found: dict[str, Any], column: int = 0) -> list:
    return found["columns"][column]["values"]


def cell_of(kind: str, decimal: str, rng: random.Random) -> str:
    if rng.random() < 0.12:
        return rng.choice(["", "NA", "-", "NaN"])
    if kind == "int":
        return str(rng.randint(-99999, 99999))
    if kind == "float":
        return f"{rng.uniform(-1e3, 1e3):.{rng.choice([2, 4, 5])}f}".replace(".", decimal)
    if kind == "date":
        return f"{rng.randint(1900, 2099)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    return rng.choice(WORDS)


def made_up(seed: int) -> tuple[str, str, str]:
    """Return a file that nobody wrote, its delimiter and its decimal sign."""
    rng = random.Random(seed)
    sep = rng.choice([",", ";", "\t", "|"])
    decimal = "," if sep != "," and rng.random() < 0.5 else "."
    kinds = [rng.choice(["int", "float"]), *rng.choices(["int", "float", "text", "date"], k=rng.randint(1, 5))]
    names = [f"{rng.choice(NAMES)}{k}" for k in range(len(kinds))]
    rows = [[cell_of(kind, decimal, rng) for kind in kinds] for _ in range(rng.randint(1, 12))]

    def quoted(cell: str) -> str:
        needed = any(sign in cell for sign in (sep, '"', "\n", "\r"))
        return '"' + cell.replace('"', '""') + '"' if needed or rng.random() < 0.1 else cell

    end = rng.choice(["\n", "\r\n"])
    text = end.join(sep.join(map(quoted, row)) for row in [names, *rows]) + rng.choice(["", end])
    if rng.random() < 0.2:
        text = text.replace(end, end + end, 1)
    return rng.choice(["", "\ufeff"]) + text, sep, decimal


def as_pandas_reads(text: str, sep: str, decimal: str) -> list[tuple[str, bool, list]]:
    """Return name, whether it is one of numbers, and values of each column."""
    source = io.StringIO(text.lstrip("\ufeff"), newline="")
    table = pd.read_csv(source, sep=sep, decimal=decimal, na_values=OWN_MISSING)
    return [
        (
            str(name),
            pd.api.types.is_numeric_dtype(column),
            [None if pd.isna(v) else float(v) if isinstance(v, int | float | np.number) else v for v in column],
        )
        for name, column in table.items()
    ]


def test_five_hundred_files_that_nobody_wrote_are_read_as_pandas_reads_them(tmp_path):
    files = [made_up(seed) for seed in range(500)]
    for (text, sep, decimal), found in zip(files, read(tmp_path, *(text for text, *_ in files)), strict=True):
        assert found["dialect"]["delimiter"] == sep, text
        got = [(c["name"], c["kind"] == "number", c["values"]) for c in found["columns"]]
        assert got == as_pandas_reads(text, sep, decimal), text


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1,234.5", "12.25", "-3"], [1234.5, 12.25, -3]),
        (["1.234,5", "0,5", "7"], [1234.5, 0.5, 7]),
        (["1 234 567", "12", "1\u00a0000"], [1234567, 12, 1000]),
        (["1'234.50", "1’000.25", "5"], [1234.5, 1000.25, 5]),
        (["−1.5", "+2e3", ".5"], [-1.5, 2000, 0.5]),
        (["1,234,567", "1,000", "5"], [1234567, 1000, 5]),
    ],
)
def test_numbers_are_read_as_several_countries_write_them(tmp_path, cells, expected):
    assert values(one(tmp_path, "x;n\n" + "".join(f"{cell};a\n" for cell in cells))) == expected


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["2024-01-31", "2024-02-01T10:30:00"], ["2024-01-31", "2024-02-01"]),
        (["31.01.2024", "1.2.2024"], ["2024-01-31", "2024-02-01"]),
        (["01/31/2024", "02/01/2024"], ["2024-01-31", "2024-02-01"]),
        (["31/01/2024", "01/02/2024"], ["2024-01-31", "2024-02-01"]),
        (["31 Jan 2024", "1 February 2024"], ["2024-01-31", "2024-02-01"]),
        (["Jan 31, 2024", "Feb 1, 2024"], ["2024-01-31", "2024-02-01"]),
        (["2024-01", "2024/02"], ["2024-01", "2024-02"]),
        (["2024Q1", "2024-Q2"], ["2024Q1", "2024Q2"]),
        (["Jan 2024", "March-24", "Dec 1999"], ["2024-01", "2024-03", "1999-12"]),
        (["Januar 2018", "März 2018", "Okt. 98"], ["2018-01", "2018-03", "1998-10"]),
        (["juin 2020", "juil. 2020", "août 2020"], ["2020-06", "2020-07", "2020-08"]),
        (["Q1 2024", "q4/2024"], ["2024Q1", "2024Q4"]),
    ],
)
def test_dates_are_read_in_ten_forms(tmp_path, cells, expected):
    found = one(tmp_path, "day;x\n" + "".join(f"{cell};1\n" for cell in cells))
    assert (found["columns"][0]["kind"], values(found)) == ("date", expected)


@pytest.mark.parametrize(
    ("text", "trouble"),
    [
        (
            "x,y\n1,2\n3,abc\n4,5\n6,7\n8,9\n1,3\n",
            "Line 3, column “y”: “abc” is no number; the cell counts as missing.",
        ),
        ("x,y\n1,2\n3,1e308\n4,5\n", "Line 3, column “y”: “1e308” is too large to be squared; the cell counts as"),
        ("d,y\n2024-02-28,1\n2024-02-30,2\n" + "2024-03-01,3\n" * 4, "Line 3, column “d”: “2024-02-30” is no date"),
        ("x,x\n1,2\n", "Line 1, column 2: the name “x” is there twice; this one is called “x.1”."),
        ("x,\n1,2\n", "Line 1, column 2: there is no name; it is called “column 2”."),
        ("1,2\n3,4\n", "Line 1 holds values, so the columns are called column 1, column 2 and so on."),
        ("x,y,z\n1,2\n3,4,5\n", "Line 2 has 2 fields, line 1 has 3: columns from “z” on are missing there."),
        (
            "x,y\n1,2\n3,4,5\n6,7\n8,9\n0,1\n2,3\n4,5\n6,7\n8,9\n1,1\n",
            "Line 3 has 3 fields, line 1 has 2: what is beyond",
        ),
        ("x,y\n2,1\n2,3\n", "Column “x” is “2” in every row."),
        ("x,y\n2,2\n1,1\n", "Column “y” repeats column “x”."),
        ("x,y\n2,\n1,\n", "Column “y” is empty."),
        ('x,y\n1,"2\n3,4\n', "Line 2: a quotation mark is opened and never closed."),
        ("x;y\n1,234;1\n", "“1,234” is read as 1.234: the decimal sign is “,”."),
        ('x,y\n"1,234",1\n', "“1,234” is read as 1234: the decimal sign is “.”."),
        ("d,y\n01/02/2024,1\n", "Column “d”: “01/02/2024” is read as 2024-01-02, month first."),
        ("x,y\n1,\ufffd\n", "Some letters could not be read: save the file as UTF-8."),
    ],
)
def test_each_trouble_is_named_in_a_sentence_with_its_line_and_column(tmp_path, text, trouble):
    assert any(said.startswith(trouble) for said in one(tmp_path, text)["troubles"]), one(tmp_path, text)["troubles"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "the text is empty"),
        (" \n\n", "the text is empty"),
        (",".join(f"c{k}" for k in range(2001)) + "\n", "The table has 2,001 columns; the page reads up to 2,000."),
        ("x,y\n", "Line 1 holds the names “x”, “y”, but no row"),
    ],
)
def test_a_text_without_a_row_is_no_table(tmp_path, text, error):
    assert error in one(tmp_path, text)["error"]


def test_many_troubles_of_one_kind_are_counted_and_those_of_others_still_named(tmp_path):
    text = "x,y,y\n" + "1,2,3\n" * 90 + "q,2,3\n" * 12
    troubles = one(tmp_path, text)["troubles"]
    assert troubles.count("… and 7 more like this.") == 1
    assert sum("is no number" in said for said in troubles) == 5
    assert sum("is there twice" in said for said in troubles) == 1


def test_a_reader_can_say_that_line_1_holds_names_where_it_looks_like_values(tmp_path):
    found = one(tmp_path, "1990,1991\n1,2\n3,4\n", header=True)
    assert [column["name"] for column in found["columns"]] == ["1990", "1991"]
    assert values(found) == [1, 3]


def test_control_characters_and_half_letters_are_only_text(tmp_path):
    found = one(tmp_path, "x,note\n1,a\u0000b\u001b[31m\n2,\u202eabc\n")
    assert values(found, 1) == ["a\u0000b\u001b[31m", "\u202eabc"]
