"""The LagExplorer's numbers by the package, from the series that the page carries and where its controls stand."""

import pandas as pd

from regattn.data import load_macro
from regattn.widgets import LagExplorer


def example(**options) -> LagExplorer:
    """Return US inflation, unemployment and the bill rate from 1970 to 1986, asked at the turn of 1981."""
    series = load_macro().loc["1970Q1":"1986Q4", ["inflation", "unemployment", "bill_rate"]]
    given = {"longest": 5, "query": "1981Q4", "max_lag": 2, "units": "% a year", "stretch": ("1970Q4", "1975Q4")}
    return LagExplorer(series, **(given | options))


def expected(traits: dict) -> dict:
    """Let the package fit the same series with the same lags."""
    data = traits["data"]
    series = pd.DataFrame(data["series"], columns=data["names"])
    knobs = {name: traits[name] for name in ("variables", "max_lag", "intercept", "query")}
    return LagExplorer(series, longest=data["longest"], stretch=data["stretch"], **knobs).result()
