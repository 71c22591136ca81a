"""The NetworkExplorer's numbers by the package, from the arrays that the page carries and where its controls stand."""

import numpy as np
from sklearn.datasets import load_digits

from regattn.widgets import NetworkExplorer

CONTROLS = ("units_1", "units_2", "activation", "learning_rate", "weight_decay", "batch_size", "seed", "step")


def example(**options) -> NetworkExplorer:
    """Return the digits 2 and 5 against 3 and 6 by how far they lean right above and below, as in chapter 2."""
    digits = load_digits()
    lean = (digits.images[:, :, 4:].mean(axis=2) - digits.images[:, :, :4].mean(axis=2)) / 16
    X = np.column_stack([lean[:, 2:4].mean(axis=1), lean[:, 5]])[np.isin(digits.target, [2, 3, 5, 6])]
    y = np.isin(digits.target, [2, 5])[np.isin(digits.target, [2, 3, 5, 6])]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return NetworkExplorer(X[:480], y[:480], X[480:], y[480:], **options)


def expected(traits: dict) -> dict:
    """Let the package take the same steps from the same start."""
    data = traits["data"]
    held_out = (data["X_held_out"], data["y_held_out"]) if data["y_held_out"] else ()
    explorer = NetworkExplorer(data["X"], data["y"], *held_out, steps=data["steps"])
    for name in CONTROLS:
        setattr(explorer, name, traits[name])
    return explorer.result()
