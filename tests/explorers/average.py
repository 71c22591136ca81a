"""The AverageExplorer's numbers by the package, from the arrays that the page carries and where its controls stand."""

from regattn.data import load_macro
from regattn.widgets import AverageExplorer


def example(**options) -> AverageExplorer:
    """Return US unemployment against growth, as on the first page."""
    macro = load_macro().assign(change=lambda m: m["unemployment"].diff()).loc["2002Q1":]
    names = ("growth", "change")
    cases = {"labels": list(macro.index), "names": names, "line": True}
    return AverageExplorer(macro["gdp_growth"], macro["change"], **cases | options)


def expected(traits: dict) -> dict:
    """Let the package weigh the same cases."""
    data = traits["data"]
    knobs = {name: traits[name] for name in ("query", "kernel", "sharpness")}
    return AverageExplorer(data["x"], data["y"], line="slopeRidge" in data, **knobs).result()
