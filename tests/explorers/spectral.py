"""The SpectralExplorer's numbers by the package, from the arrays that the page carries and where its controls stand."""

import numpy as np

from regattn.widgets import SpectralExplorer
from tests.widgets.pages import inflation_explorer


def example(**options) -> SpectralExplorer:
    """Return next quarter's US inflation, asked in the middle of the sample."""
    return inflation_explorer(**({"query": "1974Q1"} | options))


def expected(traits: dict) -> dict:
    """Rebuild the inputs from their factors and let the package answer."""
    data = traits["data"]
    s, directions, centre = (np.array(data[key]) for key in ("singular_values", "directions", "centre"))
    rows = {"train": np.array(data["scores"]) * s @ directions.T + centre, "test": None}
    if data["test_scores"]:
        rows["test"] = np.array(data["test_scores"]) * s @ directions.T + centre
    knobs = {name: traits[name] for name in ("ridge", "rank", "query")}
    return SpectralExplorer(rows["train"], data["y"], rows["test"], data["y_test"], **knobs).result()
