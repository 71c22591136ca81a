"""Modules that know a package's models are loaded when one of its models comes, and no others."""

from types import SimpleNamespace

import pytest
from sklearn.linear_model import Ridge

from regattn import AttentionRegressor
from regattn.attribution import _families


class Own(Ridge):
    """A model of one's own, made from another's."""


class Boosted:
    """What a library that nobody installed would have made."""

    __module__ = "lightgbm.sklearn"


@pytest.mark.parametrize(
    ("model", "packages"),
    [
        (Ridge(), {"sklearn"}),
        (Own(), {"sklearn"}),
        (AttentionRegressor(), {"regattn", "sklearn"}),
        (Boosted(), {"lightgbm"}),
        (3.0, set()),
    ],
)
def test_what_knows_the_package_of_a_model_or_of_its_bases_is_loaded_and_no_more(monkeypatch, model, packages):
    loaded, told = [], []

    def load(name: str) -> SimpleNamespace:
        loaded.append(name)
        return SimpleNamespace(register=lambda: told.append(name))

    monkeypatch.setattr(_families, "importlib", SimpleNamespace(import_module=load))
    monkeypatch.setattr(_families, "smoother", lambda each: (each, len(told)))
    wanted = {f"regattn.attribution.{module}" for package in packages for module in _families.FAMILIES[package]}
    assert _families.read(model) == (model, len(wanted))  # asked once all have registered
    assert sorted(loaded) == sorted(told) == sorted(wanted)
