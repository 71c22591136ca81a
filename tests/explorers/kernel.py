"""The KernelExplorer's numbers by the package, from the arrays that the page carries and where its controls stand."""

import numpy as np

from regattn.widgets.kernel import KernelExplorer


def expected(traits: dict) -> dict:
    """Give the package the same codes and settings and let it answer."""
    data = traits["data"]
    names = ("kernel", "temperature", "neighbours", "include_self", "normalise_keys", "query")
    settings = {name: traits[name] for name in names}
    return KernelExplorer(data["x"], data["y"], codes=lambda _: np.array(data["codes"]), **settings).result()
