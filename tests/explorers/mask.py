"""The MaskExplorer's numbers by the package, from the series that the page carries and where its controls stand."""

import pandas as pd

from regattn.data import load_macro
from regattn.widgets import MaskExplorer


def example(**options) -> MaskExplorer:
    """Return US inflation from 1965 to 1990, asked at the beginning of 1978."""
    series = load_macro().loc["1965Q1":"1990Q4", ["inflation"]]
    return MaskExplorer(series, **({"query": "1978Q1", "units": "% a year"} | options))


def expected(traits: dict) -> dict:
    """Let the package weigh and shock the same series."""
    data = traits["data"]
    knobs = {name: traits[name] for name in ("mask", "kernel", "query", "shock")}
    series = pd.DataFrame({data["name"]: data["series"]})
    return MaskExplorer(series, max_lag=data["max_lag"], known=data["known"], **knobs).result()
