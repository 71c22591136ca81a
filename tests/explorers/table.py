"""The TableExplorer's numbers by the package, from the columns that the page carries and where its controls stand."""

import pandas as pd

from regattn.data import load_macro
from regattn.widgets import TableExplorer


def example(**options) -> TableExplorer:
    """Return US inflation by quarter with unemployment, bills and a made-up category, one number missing."""
    macro = load_macro().loc["1990Q1":, ["unemployment", "bill_rate", "inflation"]].reset_index()
    macro["chair"] = ["Greenspan" if str(quarter) < "2006" else "Bernanke" for quarter in macro["quarter"]]
    macro.loc[7, "bill_rate"] = None
    return TableExplorer(
        macro, **({"query": "2008Q4", "target": "inflation", "typed": {"unemployment": 12.5}} | options)
    )


def expected(traits: dict) -> dict:
    """Let the package fit the same columns."""
    columns = {column["name"]: column["values"] for column in traits["data"]["columns"]}
    kinds = {column["name"]: column["kind"] for column in traits["data"]["columns"]}
    table = pd.DataFrame({name: pd.Series(values, dtype=_dtype(kinds[name])) for name, values in columns.items()})
    for name, kind in kinds.items():
        if kind == "date":
            table[name] = pd.PeriodIndex(table[name], freq="Q" if "Q" in str(table[name].iloc[0]) else "D")
    return TableExplorer(table, **{name: traits[name] for name in TableExplorer.controls}).result()


def _dtype(kind: str) -> type:
    return float if kind == "number" else object
