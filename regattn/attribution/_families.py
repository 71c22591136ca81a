"""Which modules know the models of which package, so that no package is imported before one of its models comes."""

from __future__ import annotations

import importlib
from typing import Any

from regattn.attribution.smoother import Smoother, smoother

FAMILIES = {
    "sklearn": ("_linear", "_trees", "_boosting", "_neighbours", "_kernels", "_compositions", "_stacking"),
    "regattn": ("_book",),
    "statsmodels": ("_statsmodels", "_state_space"),
    "lightgbm": ("_lightgbm",),
    "xgboost": ("_xgboost",),
}


def read(model: Any) -> Smoother:
    """Return the smoother of a model, once the modules that know its package are loaded."""
    for package in {kind.__module__.partition(".")[0] for kind in type(model).__mro__} & set(FAMILIES):
        for module in FAMILIES[package]:
            found = importlib.import_module(f"regattn.attribution.{module}")
            if hasattr(found, "register"):  # of a library that no extra brings: whoever has its model has the library
                found.register()
    return smoother(model)
