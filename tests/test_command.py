"""The command line: tables as people have them give the numbers that pandas reads, and every trouble has a place."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
import tomllib

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from regattn import observation_weights
from regattn._command import main
from regattn._delimited import DATES, DataError, read_delimited
from regattn._models import MODELS, Settings
from tests.built import ROOT

TABLE = "month;value;rate;kind\n" + "\n".join(
    f"2020-{k:02};1.{230 + 7 * k},5;{(k * k * k) % 11},25;{'ab'[k % 2]}" for k in range(1, 13)
)


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    """Return a function that writes a text to a file, runs the command on it, and returns status, words and page."""
    monkeypatch.chdir(tmp_path)

    def run(content, *options):
        file = tmp_path / "t.csv"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        try:
            status = main(["report", "t.csv", *options])
        except SystemExit as stop:
            status = stop.code
        out, err = capsys.readouterr()
        page = tmp_path / "forecast.html"
        return status, out + err, page.read_text(encoding="utf-8") if page.exists() else ""

    return run


def test_a_report_holds_the_numbers_of_the_package(said):
    status, out, page = said(TABLE, "--target", "value", "--date", "month", "--categories", "kind", "--new", "2")
    assert status == 0
    X = pd.DataFrame(
        {"rate": [(k * k * k) % 11 + 0.25 for k in range(1, 13)], "b": [float(k % 2 == 1) for k in range(1, 13)]}
    )
    y = np.array([1230.5 + 7 * k for k in range(1, 13)])
    model = MODELS["ridge"][0](Settings()).fit(X[:10], y[:10])
    expected = np.asarray(observation_weights(model, X[:10], X[10:])) @ y[:10]
    shown = BeautifulSoup(page, "html.parser").find("table")
    rows = {row.th.text: float(row.td.text) for row in shown.tbody.find_all("tr")}
    assert list(rows) == ["2020-11", "2020-12"]
    np.testing.assert_allclose(list(rows.values()), expected, rtol=1e-3)
    assert f"{expected[0]:.4g}" in out
    assert "rate, kind = b" in page


@pytest.mark.parametrize("model", sorted(set(MODELS) - {"attention"}))
def test_every_model_reports_on_the_date_after_the_last(said, model):
    size = ("--size", "4") if model in ("forest", "boosting") else ()
    arguments = ("--target", "value", "--date", "month", "--predictors", "rate", "--lags", "2", "--new", "next")
    status, out, page = said(TABLE, *arguments, "--model", model, *size)
    assert (status, "2021-01" in out, "rate, 2 back" in page) == (0, True, True)


@pytest.mark.parametrize(
    ("dates", "after"),
    [
        (["1999Q3", "1999Q4", "2000Q1", "2000Q2", "2000Q3"], "2000Q4"),
        (["30.12.1999", "31.12.1999", "01.01.2000", "02.01.2000", "03.01.2000"], "2000-01-04"),
        ([1999, 2000, 2001, 2002, 2003], "2004"),
        (["2000-01-03", "2000-01-10", "2000-01-17", "2000-01-24", "2000-01-31"], "next"),
        (["2000-01-03", "2000-01-11", "2000-01-17", "2000-01-24", "2000-01-31"], "evenly spaced: a lag is one row"),
    ],
)
def test_the_next_date_has_its_name(said, dates, after):
    content = "d,a\n" + "".join(f"{date},{k * k}\n" for k, date in enumerate(dates))
    status, out, _ = said(content, "--target", "a", "--date", "d", "--lags", "1", "--new", "next")
    assert status == 0
    assert after in out


def test_the_page_is_one_document_that_fetches_and_runs_nothing(said):
    _, _, page = said(TABLE.replace("kind", "<script>alert(1)</script>"), "--target", "value", "--date", "month",
                      "--categories", "<script>alert(1)</script>")  # fmt: skip
    tree = BeautifulSoup(page, "html.parser")
    assert page.startswith("<!doctype html>")
    assert not tree.find_all(["script", "link", "img", "iframe", "object"])
    assert not re.search(r"""(src|href)=|url\(|\son\w+=""", page)
    assert [each.name for each in tree.find_all(re.compile("h[1-3]"))][:2] == ["h1", "h2"]
    assert all(svg["aria-label"] for svg in tree.find_all("svg"))
    assert "&lt;script&gt;" in page


FINE = "a,b\n1,2\n2,3\n3,5\n4,9\n"


@pytest.mark.parametrize(
    ("content", "options", "status", "message"),
    [
        (FINE, [], 2, "t.csv has 'a', 'b'. As in: regattn report t.csv --target b"),
        (FINE, ["--target", "c"], 2, "t.csv has no column 'c'; it has 'a', 'b'"),
        (FINE, ["--target", "a", "--date", "c"], 2, "no column 'c'"),
        (FINE, ["--target", "a", "--model", "x.joblib"], 2, "a saved model is a pickle, and reading a pickle runs"),
        (FINE, ["--target", "a", "--model", "t.csv"], 2, "a saved model is a pickle"),
        (FINE, ["--target", "a", "--model", "magic"], 2, "--model must be one of least-squares, ridge,"),
        (FINE, ["--target", "a", "--new", "0"], 2, "--new must be last, next or a number of rows, got 0"),
        (FINE, ["--target", "a", "--new", "4"], 2, "--new 4 leaves none of the 4 rows"),
        (FINE, ["--target", "a", "--new", "next"], 2, "--new next needs --lags"),
        (FINE, ["--target", "a", "--lags", "-1"], 2, "--lags must be at least 0, got -1"),
        (FINE, ["--target", "a", "--lags", "9"], 2, "--lags 9 leaves no row to predict"),
        (FINE, ["--target", "a", "--out", "no/where.html"], 2, "no folder no to write where.html into"),
        ("a\n1\n2\n3\n4\n", ["--target", "a"], 2, "no column to predict 'a' from"),
        ("", ["--target", "a"], 1, "t.csv is empty"),
        ("a,b\n", ["--target", "a"], 1, "there is no row below the names in line 1"),
        ("a,b\n1,2\n3,4\n", ["--target", "a"], 1, "1 row is left to fit a model to"),
        ("a,a\n1,2\n", ["--target", "a"], 1, "t.csv, line 1, column 2: it is called 'a', as column 1 is"),
        ("a,b\n1,2\n3\n", ["--target", "a"], 1, "t.csv, line 3: 1 cell, but the first line has 2"),
        ("a,b\n1,2\n\n3,4,5\n", ["--target", "a"], 1, "t.csv, line 4: 3 cells, but the first line has 2"),
        ('a,b\n1,"2\n', ["--target", "a"], 1, "t.csv, line 2: a quotation mark is opened and not closed"),
        ('a,b,c\n1,2,"x\ny"\n3,u,z\n', ["--target", "b"], 1, "t.csv, line 4, column b: 'u' is not a number"),
        ("a,b\n1,2\n3,x\n4,5\n6,7\n", ["--target", "a"], 1, "line 3, column b: 'x' is not a number; if that is"),
        ("a;b\n1,5;2.5\n", ["--target", "a"], 1, "line 2, column a: '1,5' has a decimal comma, '2.5' in column b"),
        ("a,b\n1,2\n2,3\n3,5\n4,-\n", ["--target", "a"], 1, "line 5, column b: no number here, and the row to predict"),
        ("a,b\n1,2\n2,2\n3,2\n4,2\n", ["--target", "a"], 1, "no predictor varies over the 3 rows"),
        (b"a,b\n1,\x002\n", ["--target", "a"], 1, "line 2: a null character"),
        ("a,b\n1,2\n2,1e308\n3,5\n", ["--target", "a"], 1, "line 3, column b: '1e308' is too large to be squared"),
        (FINE, ["--target", "a", "--out", "./t.csv"], 2, "--out ./t.csv would replace the table"),
        (",".join(map(str, range(20_001))), ["--target", "0"], 1, "t.csv has 20,001 columns, and up to 20,000 are"),
        ("d,a\n2020-01,1\n2020-13,2\n", ["--target", "a", "--date", "d"], 2, "no column to predict 'a' from"),
        ("d,a,b\n2020-01,1,2\n2020-13,2,3\n", ["--target", "a", "--date", "d"], 1, "line 3, column d: '2020-13' is"),
        ("d,a,b\n01/02/2020,1,2\n03/04/2020,2,3\n", ["--target", "a", "--date", "d"], 1, "may be %d/%m/%Y or %m/%d/%Y"),
        ("d,a\n" + "".join(f"{k},1\n" for k in (2001, 2003, 2002)), ["--target", "a", "--date", "d", "--lags", "1"], 1,
         "line 4, column d: '2002' does not follow the date before it"),
    ],
)  # fmt: skip
def test_a_trouble_is_told_with_its_place_and_its_status(said, content, options, status, message):
    found, words, page = said(content, *options)
    assert (found, page) == (status, "")
    assert message in " ".join(words.split())


def test_rows_that_lack_a_number_are_left_out_and_named(said):
    status, out, _ = said("a,b,c\n1,2,7\nNA,3,7\n3,,7\n4,9,7\n5,1,7\n6,2,7\n,3,8\n", "--target", "a")
    assert status == 0
    assert "2 rows (lines 3, 4)" in out
    assert "Constant, and so left out: c." in out


def test_what_had_to_be_guessed_is_said(said):
    _, out, _ = said("1,2\n3,5\n3,9\n4,1\n3,7\n".encode("cp1252"), "--target", "2")
    assert "Line 1 holds numbers, so columns are called 1 to 2." in out
    _, out, _ = said("größe,b\n3,5\n3,9\n4,1\n3,7\n".encode("cp1252"), "--target", "b")
    assert "it was read as Windows-1252" in out
    assert "größe" in out


MONTHS = "\n".join(
    f"{k:02}.01.2020;{140_000 + 900 * k},5;{(k * k * k) % 11},25;{['Nord', 'Süd', 'West'][k * k % 3]};{k % 5}"
    for k in range(1, 13)
)
SALES = "Tag;Umsatz;Preis;Region;Laden\n" + MONTHS + "\n"


def test_the_page_and_the_command_give_one_number_for_one_penalty(said):
    from regattn.widgets import TableExplorer

    table = pd.read_csv(io.StringIO(SALES), sep=";", decimal=",")
    page = TableExplorer(
        table, target="Umsatz", date="Tag", predictors=["Preis", "Region", "Laden"], model="ridge", query=11,
        listens="others", tuning="hand", ridge=15.0,
    ).result()  # fmt: skip
    status, out, html = said(SALES, "--target", "Umsatz", "--date", "Tag", "--categories", "Region", "--penalty", "15")
    assert status == 0
    assert f"{page['prediction']:.0f}" in out
    assert f"{page['prediction']:.0f}" in html
    assert "Kinds of Region are compared with 'Nord'." in out


def test_numbers_are_written_with_their_digits_and_what_was_chosen_is_said(said):
    options = ("--target", "Umsatz", "--date", "Tag", "--categories", "Region")
    status, out, html = said(SALES, *options)
    assert status == 0
    assert "e+" not in out + html
    table = pd.read_csv(io.StringIO(SALES), sep=";", decimal=",").iloc[:-1]
    X = table[["Preis", "Laden"]].assign(a=table.Region == "Süd", b=table.Region == "West").astype(float)
    model = MODELS["ridge"][0](Settings()).fit(X, table.Umsatz)
    assert f"Leave-one-out chose λ = {np.format_float_positional(model[-1].alpha_, trim='-')};" in out
    _, out, _ = said(SALES, *options, "--penalty", "2")
    assert "Leave-one-out" not in out
    _, out, _ = said(SALES, *options, "--model", "neighbours")
    assert "The --size is 5, as none was given." in out


def test_all_columns_in_trouble_are_named_at_once_each_with_what_helps(said):
    text = SALES.replace("140900,5", "ca. 110.000").replace(";8,25;", ";acht;")
    status, out, _ = said(text, "--target", "Umsatz", "--predictors", "Preis,Tag")
    assert status == 1
    lines = out.strip().split("\n")
    assert len(lines) == 3
    assert "column Umsatz: 'ca. 110.000' is not a number" in lines[0]
    assert lines[0].endswith("say so by --missing")
    assert "column Preis: 'acht' is not a number" in lines[1]
    assert lines[2].endswith("'01.01.2020' is not a number; it looks like a date; name it in --date")


def test_dates_kinds_and_what_is_of_no_use_are_told_by_their_look(said):
    rows = SALES.strip().split("\n")
    text = "\n".join(
        f"{row};;{name}" for row, name in zip(rows, ["leer;Notiz", *(f";n{k}" for k in range(12))], strict=True)
    )
    text = text.replace(";;leer;Notiz", ";leer;Notiz").replace(";;;", ";;") + "\n13.01.2020;1,5;2;Nord;1;;n99\n"
    status, out, _ = said(text, "--target", "Umsatz")
    assert status == 0
    for note in ("Tag holds dates, which name the rows.", "Kinds of Region are compared with 'Nord'.",
                 "Empty, and so left out: leer.", "Left out, as more than 12 different texts: Notiz;"):  # fmt: skip
        assert note in out
    assert "2020-01-13" in out
    told = said(SALES, "--target", "Umsatz", "--date", "Tag", "--categories", "Region")[1]
    guessed = said(SALES, "--target", "Umsatz")[1]
    assert guessed.replace("Tag holds dates, which name the rows.\n", "") == told
    assert "line 13" in said(SALES, "--target", "Umsatz", "--date", "none", "--predictors", "Preis")[1]


def test_a_name_that_is_nearly_one_is_answered_by_it(said):
    for wrong, right in (("umsatz", "Umsatz"), ("Pris", "Preis"), ("Reg", "Region")):
        assert f"did you mean '{right}'?" in said(SALES, "--target", wrong)[1]


def test_many_names_are_shortened(said):
    names = [f"a question that is asked at some length: number {k}" for k in range(30)]
    text = (
        ",".join(names) + "\n" + "".join(",".join(str((k * j) % 7 + k) for j in range(2, 32)) + "\n" for k in range(9))
    )
    out = said(text, "--target", names[-1])[1]
    assert " and 21 more." in out
    assert max(map(len, out.split("\n"))) < 500


@pytest.mark.parametrize(
    ("cells", "months"),
    [
        (["Januar 2018", "Februar 2018", "März 2018"], [1, 2, 3]),
        (["janv. 2020", "févr. 2020", "août 2020", "déc. 2020"], [1, 2, 8, 12]),
        (["juin-19", "juil-19"], [6, 7]),
        (["3 de mayo 2020"], None),
        (["Q1 2012", "Q3 2012", "q4/2012"], [1, 7, 10]),
        (["31. Dezember 2020", "1. Oktober 2021"], None),
        (["31 ottobre 2020", "1 giugno 2021"], [10, 6]),
    ],
)
def test_months_are_read_in_the_languages_of_europe(tmp_path, cells, months):
    (tmp_path / "d.csv").write_text("d;x\n" + "".join(f"{cell};1\n" for cell in cells), encoding="utf-8")
    sheet = read_delimited(str(tmp_path / "d.csv"))
    if months is None:
        with pytest.raises(DataError, match="is not a date; see --date-format"):
            sheet.dates("d")
    else:
        assert sheet.dates("d").month.tolist() == months


def test_without_a_command_there_is_help(capsys):
    assert main([]) == 2
    assert "regattn report sales.csv --target sales" in capsys.readouterr().err


def test_a_text_can_count_as_missing(said):
    text = SALES.replace("140900,5", "ca. 110.000")
    options = ("--target", "Umsatz", "--date", "Tag", "--categories", "Region", "--missing", "ca. 110.000")
    status, out, _ = said(text, *options)
    assert status == 0
    assert "Left out, as a cell is empty: 1 row (line 2)." in out


def test_the_column_that_costs_most_rows_is_named(said):
    text = "y;x;note\n" + "".join(
        f"{k * k % 7};{'' if k in (2, 5) else k};{'' if k % 3 == 2 else 'ab'[k % 2]}\n" for k in range(13)
    )
    _, out, _ = said(text, "--target", "y")
    assert "4 rows (lines 4, 7, 10, 13), 2 of them only for note; leave that column out to keep them." in out
    _, out, _ = said(text, "--target", "y", "--lags", "1", "--new", "next")
    assert "4 rows (lines 5, 8, 11, 14), 2 of them only for note; leave that column out to keep them." in out
    _, out, _ = said(text, "--target", "y", "--predictors", "note")
    assert "Left out, as a cell is empty: 4 rows (lines 4, 7, 10, 13)." in out


def test_a_report_that_cannot_be_made_is_told_in_a_line(said, monkeypatch):
    def refuse(*_, **__):
        raise ValueError("the weights are not those of the model")

    monkeypatch.setattr("regattn.attribution.forecast_report", refuse)
    status, out, page = said(FINE, "--target", "b")
    assert (status, page) == (1, "")
    assert out == "regattn report: t.csv: there is no report on ridge: the weights are not those of the model\n"


@pytest.mark.parametrize(
    ("place", "error", "message"),
    [
        ("os.fsync", OSError(28, "No space left on device"), "forecast.html: No space left on device"),
        ("regattn.attribution.observation_weights", MemoryError(), "t.csv: the memory is too small for it; leave out"),
    ],
)
def test_a_full_disk_or_memory_ends_in_a_sentence_and_the_old_report_stays(said, monkeypatch, place, error, message):
    _, _, before = said(FINE, "--target", "b")

    def fail(*_, **__):
        raise error

    monkeypatch.setattr(place, fail)
    status, out, page = said(FINE, "--target", "a")
    assert status == 2
    assert message in out
    assert page == before


def test_a_reader_that_has_seen_enough_ends_the_words_quietly(tmp_path):
    (tmp_path / "t.csv").write_text(FINE, encoding="utf-8")
    run = [sys.executable, "-c", "from regattn._command import main; raise SystemExit(main())", "report", "t.csv"]
    given = {"cwd": tmp_path, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([*run, "--target", "b"], **given) as job:
        job.stdout.close()
        assert job.stderr.read() == ""
    assert job.returncode == 0
    assert (tmp_path / "forecast.html").exists()


def test_help_names_every_model_and_every_status(said):
    status, out, _ = said(FINE, "--help")
    assert status == 0
    assert all(name in out for name in [*MODELS, "Exit status: 0", "--date-format", "--lags", "--out"])


def test_the_module_and_the_console_script_are_the_same_command():
    done = subprocess.run(
        [sys.executable, "-m", "regattn", "report", "/no/file.csv", "--target", "a"],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (2, "regattn report: /no/file.csv: No such file or directory\n")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"regattn": "regattn._command:main"}


def test_dates_are_read_in_every_form(tmp_path):
    days = pd.date_range("1999-01-31", periods=15, freq="31D")
    for form in [each for some in DATES.values() for each in some]:
        file = tmp_path / "d.csv"
        file.write_text("d;x\n" + "".join(f"{day.strftime(form)};1\n" for day in days), encoding="utf-8")
        found = read_delimited(str(file)).dates("d")
        assert found.equals(pd.DatetimeIndex(pd.to_datetime([day.strftime(form) for day in days], format=form))), form
    file.write_text("d;x\n1999Q1;1\n1999Q4;2\n", encoding="utf-8")
    assert read_delimited(str(file)).dates("d").month.tolist() == [1, 10]


# A table drawn at random, written in one of the ways that people write, and read by pandas, told how it was written.

NAMES = ["x", "a b", "ä", 'q"q', "n,1", "z;z"]
MISSING = ["", "NA", "-", "n/a", "NaN"]


def _number(rng, decimal, apart):
    size = rng.choice([1.0, 100.0, 1e7])
    value = round(float(rng.normal() * size), int(rng.integers(0, 5)))
    text = f"{value:,}" if rng.random() < 0.5 and "e" not in repr(value) else repr(value)
    text = text.replace(",", "T").replace(".", decimal).replace("T", apart)
    return text.removesuffix(f"{decimal}0")


def _written(rng):
    """Return a file as bytes, and how pandas is told to read it."""
    delimiter = rng.choice([",", ";", "\t", "|"])
    decimal = rng.choice([".", ","])
    apart = rng.choice(["", "," if decimal == "." else ".", " ", "'"])
    width, length = int(rng.integers(1, 5)), int(rng.integers(1, 12))
    names = [f"{rng.choice(NAMES)}{k}" for k in range(width)]
    rows = [
        [rng.choice(MISSING) if rng.random() < 0.1 else _number(rng, decimal, apart) for _ in names]
        for _ in range(length)
    ]
    rows[0] = [f"{k + 1}1{decimal}25" for k in range(width)]  # which tells the decimal sign
    out = io.StringIO(newline="")
    end = rng.choice(["\n", "\r\n"])
    quoting = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=int(quoting)).writerows([names, *rows])
    text = out.getvalue() if rng.random() < 0.7 else out.getvalue().rstrip("\r\n")
    encoding = rng.choice(["utf-8", "utf-8-sig", "utf-16"])
    told = {"sep": delimiter, "decimal": decimal, "thousands": apart or None, "encoding": encoding}
    return text.encode(encoding), told | {"na_values": MISSING}


@pytest.mark.parametrize("block", range(5))
def test_a_table_written_in_any_way_is_what_pandas_reads_when_told_the_way(tmp_path, block):
    file = tmp_path / "t.csv"
    for seed in range(100 * block, 100 * block + 100):
        content, told = _written(np.random.default_rng(seed))
        file.write_bytes(content)
        expected = pd.read_csv(io.BytesIO(content), skip_blank_lines=False, **told)
        sheet = read_delimited(str(file), delimiter=told["sep"] if expected.shape[1] == 1 else None)
        found = np.column_stack([sheet.numbers(name) for name in sheet.cells])
        blank = expected.isna().all(axis=1)  # a row in which nothing stands is left out
        assert list(sheet.cells) == [name.strip() for name in expected], seed
        np.testing.assert_allclose(found[~np.isnan(found).all(axis=1)], expected[~blank].to_numpy(float), rtol=1e-15)


NASTY = "\"'<&>\t;,|\r\n\x01\x1b=+@é\u202e\ufeff 1.5-eNA"


def test_any_text_is_read_or_refused_with_a_place(tmp_path):
    rng, file = np.random.default_rng(3), tmp_path / "t.csv"
    seen = set()
    for _ in range(300):
        text = "".join(rng.choice(list(NASTY), size=rng.integers(1, 60)))
        file.write_bytes(text.encode())
        seen.add(_told(str(file)))
    assert seen == {"read", "refused with a place"}


def _told(file):
    try:
        sheet = read_delimited(file)
    except DataError as error:
        return "refused with a place" if str(error).startswith(file) else str(error)
    return "read" if len(sheet.lines) == len(sheet.cells) else "read, but lines are lost"
