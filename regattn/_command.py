"""The command line: a report on a forecast, from a table in a file."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from regattn import __version__
from regattn._delimited import DATED, DataError, Sheet, counted, read_delimited
from regattn._extras import MissingExtraError
from regattn._files import check_place
from regattn._models import MODELS, Settings, chosen
from regattn._roles import UsageError, roles, some
from regattn._tables import in_digits

if TYPE_CHECKING:
    import pandas as pd

    from regattn.attribution.report import ForecastReport

__all__ = ["main"]

LEAST = 3  # training rows
LISTED = 8  # lines that a note names

DESCRIPTION = """Fit a model to a table and write a report on whom its forecasts listen to: the weight of every past
outcome in each forecast, the loudest rows, what adds up to the forecast, and how far it extrapolates."""

EXAMPLES = """examples:
  regattn report sales.csv --target sales
  regattn report sales.csv --target sales --lags 12 --new next --model forest --out sales.html"""

PLAIN: dict[str, Any] = {"formatter_class": argparse.RawDescriptionHelpFormatter}

FILE = """The file: cells cut by comma, semicolon, tab or bar; decimal point or comma; signs between thousands; quotes;
UTF-8 with or without a mark at its start; NA, -, . or nothing where a number is missing. Rows that lack a number are
left out and named.

Exit status: 0, the report was written; 1, something is wrong with the data, named with line and column; 2, the command
cannot be carried out as it was given."""


class _Design(NamedTuple):
    """Predictors, target and what each row is called, of training rows and of those to predict."""

    X: pd.DataFrame
    y: np.ndarray
    asked: pd.DataFrame
    target: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0 if all went well, 1 if the data are at fault, 2 if the command is."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.command is None:
        parser.print_help(sys.stderr)
        return 2
    try:
        report, notes = _report(given)
        title = f"Whom the forecast of {given.target} listens to"
        path = report.save(given.out, title=title, notes=notes)
    except DataError as error:
        return _fail(1, str(error))
    except (UsageError, MissingExtraError) as error:
        return _fail(2, str(error))
    except MemoryError:
        return _fail(2, f"{given.file}: the memory is too small for it; leave out rows or columns")
    except OSError as error:
        return _fail(2, f"{error.filename}: {error.strerror}" if error.filename else str(error))
    try:
        _say(report, notes, given.target)
        sys.stdout.write(f"\nThe report is in {path}; open it in a browser.\n")
        sys.stdout.flush()
    except BrokenPipeError:  # who reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _fail(status: int, message: str) -> int:
    sys.stderr.write(f"regattn report: {message}\n")
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "regattn", description="Regression is attention: reports from the command line.", epilog=EXAMPLES, **PLAIN
    )
    parser.add_argument("--version", action="version", version=f"regattn {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="report")
    models = "\n".join(f"  {name:14} {what}" for name, (_, what) in MODELS.items())
    report = commands.add_parser(
        "report",
        usage="regattn report FILE --target COLUMN [options]",
        help="whom the forecasts of a model listen to; more by: regattn report --help",
        description=f"{DESCRIPTION}\n\n{EXAMPLES}",
        epilog=f"models:\n{models}\n\n{FILE}",
        **PLAIN,
    )
    report.add_argument("file", help="a table in a text file, as CSV")
    _add_questions(report.add_argument_group("what is asked").add_argument)
    _add_models(report.add_argument_group("how it is answered").add_argument)
    _add_forms(report.add_argument_group("how the file is written, where it is not found out").add_argument)
    return parser


def _add_questions(add: Callable[..., Any]) -> None:
    add("--target", metavar="COLUMN", help="the column to be predicted")
    add("--predictors", metavar="A,B", help="columns to predict from; by default all others")
    add("--categories", metavar="A,B", default="", help="columns whose texts or numbers are kinds; by default those "
        "with up to 12 different texts")  # fmt: skip
    add("--date", metavar="COLUMN", help="column of dates, which name the rows; by default the first; or none")
    add("--lags", type=int, default=0, metavar="L", help="predict from the last L rows of target and predictors")
    add("--new", default="last", metavar="WHICH", help="what is predicted: last (row), a number of last rows, or next, "
        "the row after the last (with --lags)")  # fmt: skip


def _add_models(add: Callable[..., Any]) -> None:
    add("--model", default="ridge", metavar="NAME", help="one of those below; by default ridge")
    add("--penalty", type=float, metavar="P", help="of ridge and attention, for predictors in standard deviations")
    add("--size", type=int, metavar="K", help="trees, neighbours or components")
    add("--seed", type=int, default=0, help="of what is drawn; by default 0")
    add("--out", default="forecast.html", metavar="PATH", help="by default forecast.html, which is replaced")


def _add_forms(add: Callable[..., Any]) -> None:
    add("--date-format", metavar="FORM", help="of dates, as %%d/%%m/%%Y")
    add("--delimiter", metavar="SIGN", help="between cells")
    add("--decimal", choices=[".", ","], help="decimal sign")
    add("--missing", metavar="TEXT", action="append", default=[], help="a cell that says so is empty; may be repeated")
    add("--header", action=argparse.BooleanOptionalAction, help="whether the first line holds names")


def _report(given: argparse.Namespace) -> tuple[ForecastReport, list[str]]:
    settings = Settings(given.penalty, given.size, given.seed)
    model = _model(given, settings)
    if check_place(given.out).exists() and Path(given.file).exists() and Path(given.out).samefile(given.file):
        raise UsageError(f"--out {given.out} would replace the table; give another name")
    sheet = read_delimited(
        given.file,
        delimiter={"\\t": "\t", "tab": "\t"}.get(given.delimiter, given.delimiter),
        decimal=given.decimal,
        header=given.header,
        dates=given.date,
        missing=given.missing,
    )
    given.roles = roles(sheet, given)
    design = _design(sheet, given)
    from regattn.attribution import forecast_report, observation_weights

    try:
        model.fit(design.X, design.y)
        weights = observation_weights(model, design.X, design.asked, y_train=design.y)
    except ValueError as error:
        raise DataError(f"{given.file}: {given.model} cannot be fitted to {len(design.X)} rows: {error}") from error
    try:
        report = forecast_report(weights, design.y, X_train=design.X, X_new=design.asked, model=model)
    except ValueError as error:
        raise DataError(f"{given.file}: there is no report on {given.model}: {error}") from error
    told = (
        f"{given.model}, fitted to {len(design.X)} rows of {Path(given.file).name}, "
        f"{counted(design.X.shape[1], 'predictor')}: {some(list(design.X.columns))}."
    )
    return report, [told, *chosen(given.model, model, settings), *sheet.notes]


def _model(given: argparse.Namespace, settings: Settings) -> object:
    name = given.model
    if name not in MODELS:
        if Path(name).suffix in {".joblib", ".pkl", ".pickle", ".sav"} or Path(name).exists():
            raise UsageError(
                f"--model {name}: a saved model is a pickle, and reading a pickle runs whatever code it holds. Where "
                "you trust it, load it in Python and call regattn.observation_weights(model, X_train, X_new)"
            )
        raise UsageError(f"--model must be one of {', '.join(MODELS)}, got {name}")
    for option, value, least in (
        ("--lags", given.lags, 0),
        ("--size", given.size, 1),
        ("--penalty", given.penalty, 0.0),
    ):
        if value is not None and not value >= least:
            raise UsageError(f"{option} must be at least {least:g}, got {value:g}")
    return MODELS[name][0](settings)


def _design(sheet: Sheet, given: argparse.Namespace) -> _Design:
    """Return what is fitted and what is asked: columns chosen, lagged, without rows that lack a number."""
    import pandas as pd

    table = _columns(sheet, given)
    labels = _labels(sheet, given)
    whole, asked = len(table), _asked(given.new, given.lags, len(table))
    target = table[given.target]
    if given.lags:
        longer = table.reindex(range(whole + (asked[-1] == whole)))
        shifted = {f"{name}, {k} back": longer[name].shift(k) for k in range(1, given.lags + 1) for name in table}
        X, target = pd.DataFrame(shifted).iloc[given.lags :], target.reindex(longer.index)
    else:
        X = table.drop(columns=given.target)
    new = X.loc[[row for row in asked if row in X.index]]
    _check_asked(sheet, new, given)
    old = X.drop(index=new.index)
    keep = old.notna().all(axis=1) & target[old.index].notna()
    _note_left_out(sheet, old[~keep], target[old.index[~keep]].isna(), given)
    old = old[keep]
    if len(old) < LEAST:
        left = f"{counted(len(old), 'row')} {'is' if len(old) == 1 else 'are'} left"
        raise DataError(f"{sheet.file}: {left} to fit a model to, and there must be at least {LEAST}")
    constant = [name for name in old if old[name].nunique() == 1]
    if len(constant) == old.shape[1]:
        raise DataError(f"{sheet.file}: no predictor varies over the {len(old)} rows")
    if constant:
        sheet.notes.append(f"Constant, and so left out: {', '.join(map(str, constant))}.")
    y = target[old.index].to_numpy(dtype=float)
    old, new = (each.drop(columns=constant).set_axis(labels[each.index]) for each in (old, new))
    return _Design(old, y, new, given.target)


def _columns(sheet: Sheet, given: argparse.Namespace) -> pd.DataFrame:
    """Return the target and its predictors as numbers, one row for each of the file."""
    import pandas as pd

    found, troubles = {}, []
    for name in [given.target, *given.roles.predictors]:
        try:
            found |= _kinds(sheet, name) if name in given.roles.kinds else {name: sheet.numbers(name)}
        except DataError as error:
            advice = "if its texts are kinds, name it in --categories, or leave it out by --predictors"
            missing = "if that is no number but a gap, say so by --missing"
            mostly = name == given.target or np.isfinite(sheet.parsed(name)[0]).any()
            told = "" if str(error).endswith(DATED) else f"; {missing if mostly else advice}"
            troubles.append(f"{error}{told}")
    if troubles:
        raise DataError("\n".join(troubles))
    if len(found) == 1 and not given.lags:
        raise UsageError(f"{sheet.file} has no column to predict {given.target!r} from; give --lags, or predictors")
    return pd.DataFrame(found)


def _kinds(sheet: Sheet, name: str) -> dict[str, pd.Series]:
    """Return a column of 0 and 1 for each kind but the first, which the others are compared with."""
    import pandas as pd

    texts = sheet.texts(name)
    spread = pd.get_dummies(texts, dtype=float).where(texts.notna(), np.nan)
    if len(spread.columns):
        sheet.notes.append(f"Kinds of {name} are compared with {spread.columns[0]!r}.")
    return {f"{name} = {kind}": spread[kind] for kind in spread.columns[1:]}


def _labels(sheet: Sheet, given: argparse.Namespace) -> pd.Index:
    """Return what rows are called, one more than there are: dates or lines of the file."""
    import pandas as pd

    column = given.roles.date
    if column is None:
        return pd.Index([*(f"line {line}" for line in sheet.lines), "next"])
    dates = sheet.dates(column, given.date_format)
    steps = np.diff(dates.asi8)
    if given.lags and (steps <= 0).any():
        row = int((steps <= 0).argmax()) + 1
        what = f"{sheet.cells[column].iloc[row]!r} does not follow the date before it"
        raise sheet.error(row, column, f"{what}; sort the rows, or give --date none for lags in the order of the file")
    for period in ("Y", "Q", "M", "D"):
        periods = dates.to_period(period)
        if len(periods) > 1 and (np.diff(periods.asi8) == 1).all():
            return periods.append(periods[-1:] + 1).astype(str)
    if given.lags and len(set(steps)) > 1:
        sheet.notes.append("Dates are not evenly spaced: a lag is one row.")
    return pd.Index([*sheet.cells[column].str.strip(), "next"])


def _asked(new: str, lags: int, n: int) -> list[int]:
    """Return the places of the rows to predict."""
    if new == "next":
        if not lags:
            raise UsageError("--new next needs --lags: the row after the last has no predictors but the past")
        return [n]
    count = 1 if new == "last" else int(new) if new.isdecimal() else 0
    if not count > 0:
        raise UsageError(f"--new must be last, next or a number of rows, got {new}")
    if count >= n:
        raise UsageError(f"--new {new} leaves none of the {n} rows to fit a model to; give a smaller number")
    return list(range(n - count, n))


def _check_asked(sheet: Sheet, new: pd.DataFrame, given: argparse.Namespace) -> None:
    """Raise if a row to predict lacks a predictor, or there is no such row."""
    if not len(new):
        raise UsageError(f"--lags {given.lags} leaves no row to predict")
    lacking = new.isna()
    if lacking.to_numpy().any():
        row, column = np.argwhere(lacking.to_numpy())[0]
        name, back = str(new.columns[column]), 0
        if given.lags:
            name, _, rest = name.rpartition(", ")
            back = int(rest.removesuffix(" back"))
        raise sheet.error(
            int(new.index[row]) - back,
            name,
            "no number here, and the row to predict needs it; fill it in, or leave the column out by --predictors",
        )


def _note_left_out(sheet: Sheet, rows: pd.DataFrame, no_target: pd.Series, given: argparse.Namespace) -> None:
    """Say which rows are left out, and the predictor without which most of them would stay."""
    if not len(rows):
        return
    lines = [str(sheet.lines[row]) for row in rows.index]
    shown = ", ".join(lines[:LISTED]) + (", …" if len(lines) > LISTED else "")
    said = f"{counted(len(lines), 'row')} ({'line' if len(lines) == 1 else 'lines'} {shown})"
    sources = [_source(str(name), given) for name in rows]
    gaps = rows.isna().T.groupby(sources, sort=False).any().T
    alone = gaps[(gaps.sum(axis=1) == 1) & ~no_target].sum().drop(given.target, errors="ignore")
    if len(alone) > 1 and alone.max():
        them = "it" if alone.max() == 1 else "them"
        said += f", {alone.max()} of them only for {alone.idxmax()}; leave that column out to keep {them}"
    sheet.notes.append(f"Left out, as a cell is empty: {said}.")


def _source(name: str, given: argparse.Namespace) -> str:
    """Return the column of the file that a column of the design is made of."""
    plain = name.rpartition(", ")[0] if given.lags else name
    kinds = [kind for kind in given.roles.kinds if plain.startswith(f"{kind} = ")]
    return max(kinds, key=len, default=plain)


def _say(report: ForecastReport, notes: list[str], target: str) -> None:
    """Print what the report says in short: forecasts, whom they listen to, and what was taken for granted."""
    look = {"float_format": in_digits, "na_rep": "-"}
    frame = report.to_frame()
    said = [f"{target} for {row}: {in_digits(value)}" for row, value in frame["prediction"].iloc[:LISTED].items()]
    loud = report.top(min(5, len(report.outcomes))).to_string(**look)
    rest = frame.drop(columns="prediction").T.to_string(**look, max_cols=LISTED)
    words = "\n".join([*said, "", f"Loudest in {report.rows[0]}:", loud, "", "More about it:", rest, "", *notes, ""])
    sys.stdout.write("".join(c if c.isprintable() or c == "\n" else "?" for c in words))
