"""The DepthExplorer's numbers by the package's attention, from the panel that its page is made of."""

import numpy as np

from regattn.data import load_grunfeld
from regattn.widgets import DepthExplorer

SHORT = ["General Motors", "US Steel", "IBM", "Union Oil"]


def panel(firms: list[str] | None = None, first: int = 1935) -> tuple:
    """Return inputs, targets, firms and years in logs, of these firms (all of them by default) from a year on."""
    logs = np.log(load_grunfeld())
    logs = (logs if firms is None else logs.loc[firms])[lambda rows: rows.index.get_level_values("year") >= first]
    inputs = logs[["value", "capital"]]
    X = np.column_stack([np.ones(len(logs)), (inputs - inputs.mean()) / inputs.std()])
    return X, logs["investment"].to_numpy(), *(logs.index.get_level_values(k).to_numpy() for k in ("firm", "year"))


def example(**options) -> DepthExplorer:
    """Return two years of four firms, each predicted from the five before it, by up to forty layers."""
    options = {"known": 5, "since": 1953, "deepest": 40, "layers": 5, "step": 0.9} | options
    return DepthExplorer(*panel(SHORT, 1945), **options)


def expected(traits: dict) -> dict:
    """Let the package stack the same layers: for the example's four firms, or for the chapter's eleven."""
    knobs = {name: traits[name] for name in ("layers", "time", "kernel", "mask", "residual", "step")}
    if len(traits["data"]["names"]) == len(SHORT):
        return example(**knobs).result()
    return DepthExplorer(*panel(), since=1945, **knobs).result()
