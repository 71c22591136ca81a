"""The KernelExplorer's numbers by the package, from the arrays that the page carries and where its controls stand."""

import numpy as np

from regattn.widgets.kernel import KernelExplorer


def example(n: int = 61, **options) -> KernelExplorer:
    """Return a wave with noise, observed at uneven places."""
    rng = np.random.default_rng(n)
    x = rng.gamma(3.0, size=n) * 7
    y = np.sin(x / 5) * 3 + rng.normal(size=n)
    names = {"labels": [f"no. {i}" for i in range(n)], "x_label": "x (m)", "y_label": "y (kg)"}
    return KernelExplorer(x, y, **names, **({"temperature": 2.0, "cooling": True} | options))


def expected(traits: dict) -> dict:
    """Give the package the same codes and settings and let it answer."""
    data = traits["data"]
    names = ("kernel", "temperature", "neighbours", "include_self", "normalise_keys", "amplify", "query")
    settings = {name: traits[name] for name in names}
    given = {"codes": lambda _: np.array(data["codes"]), "cooling": bool(data["cooling"])}
    return KernelExplorer(data["x"], data["y"], **given, **settings).result()
