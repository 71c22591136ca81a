"""The WeightsExplorer's numbers by the package, from the weights that the page carries and where its controls stand."""

import pandas as pd
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge

from regattn.attribution import forecast_report, observation_weights
from regattn.data import load_macro
from regattn.widgets import WeightsExplorer


def example(**options) -> WeightsExplorer:
    """Return the change of unemployment from 2007 on, by ridge and by a forest that learned from the years before."""
    macro = load_macro()
    X = pd.DataFrame({"growth": macro["gdp_growth"], "inflation": macro["inflation"], "bills": macro["bill_rate"]})
    X, y = X.loc["1980Q1":], macro["unemployment"].diff().loc["1980Q1":]
    past, new = X.loc[:"2006Q4"], X.loc["2008Q1":"2009Q1"]
    reports = {}
    for name, model in {"ridge": Ridge(5.0), "forest": RandomForestRegressor(20, random_state=0)}.items():
        weights = observation_weights(model.fit(past, y.loc[past.index]), past, new, y_train=y.loc[past.index])
        reports[name] = forecast_report(weights, y.loc[past.index])
    return WeightsExplorer(reports, past, new, **({"query": "2008Q4", "units": "points"} | options))


def expected(traits: dict) -> dict:
    """Let the package report on the same weights."""
    data = traits["data"]
    reports = {
        name: forecast_report(pd.DataFrame(rows, index=data["asked"], columns=data["labels"]), data["outcomes"])
        for name, rows in data["weights"].items()
    }
    planes = [pd.DataFrame(data[part]) for part in ("predictors", "asks")] if "predictors" in data else []
    knobs = {name: traits[name] for name in ("query", "model", "beside") if len(reports) > 1 or name == "query"}
    return WeightsExplorer(reports, *planes, **knobs).result()
