"""The FilterExplorer's numbers by statsmodels, from the series that the page carries and where its controls stand."""

import pandas as pd
from statsmodels.datasets import nile

from regattn.widgets import FilterExplorer


def example(**options) -> FilterExplorer:
    """Return forty years of the Nile with three layers, asked after the flow had dropped."""
    flow = nile.load_pandas().data.astype({"year": int}).set_index("year")["volume"].iloc[10:50]
    return FilterExplorer(flow, **({"query": 1905, "layers": 3, "units": "10⁸ m³"} | options))


def expected(traits: dict) -> dict:
    """Let statsmodels filter the same series with the same variances."""
    data = traits["data"]
    knobs = {name: traits[name] for name in ("layers", "level", "slope", "acceleration", "query")}
    return FilterExplorer(pd.Series(data["y"]), **knobs).result()
