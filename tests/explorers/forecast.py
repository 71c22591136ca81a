"""The ForecastExplorer's numbers by the package, from where its controls stand."""

import base64
from functools import cache

import numpy as np
import pandas as pd
import torch

from regattn.data import load_employment
from regattn.series import load_forecaster
from regattn.series.forecaster import Forecaster, ForecasterDesign
from regattn.series.forecasting import PooledLinear
from regattn.widgets import ForecastExplorer

MONTHS = pd.period_range("2006-01", "2012-12", freq="M")
CHARACTERS = [
    character for character in range(35, 124) if chr(character) not in "&<>\\"
]  # digits to the base 85, as pages have them


def shaken(model: torch.nn.Module) -> torch.nn.Module:
    """Return a model with chance added to all its weights, so that those that start at zero matter too."""
    chance = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for weight in model.parameters():
            weight += 0.3 * torch.randn(weight.shape, generator=chance)
    return model


@cache
def untrained(**sizes) -> Forecaster:
    """Return a small forecaster whose numbers are as chance made them."""
    design = {"context": 26, "horizon": 5, "levels": (0.1, 0.4, 0.5, 0.6, 0.9), "width": 12, "n_heads": 3, "hidden": 10}
    return shaken(Forecaster(ForecasterDesign(**design | sizes), rng=3))


def table() -> pd.DataFrame:
    """Return the logarithms of two series that know the season, and one that does not."""
    rng, t = np.random.default_rng(8), np.arange(len(MONTHS))
    walks = 5 + 0.01 * rng.normal(size=(len(t), 3)).cumsum(axis=0)
    walks[:, :2] += 0.05 * np.sin(2 * np.pi * t / 12)[:, None] * [1, -2]
    return pd.DataFrame(walks, index=MONTHS, columns=["Retail trade", "Schools", "A walk"])


def example(**options) -> ForecastExplorer:
    """Return an untrained forecaster on made-up series."""
    rival = shaken(PooledLinear(untrained().design))
    return ForecastExplorer(untrained(), table(), **({"query": 7, "horizon": 3, "rival": rival} | options))


def arrived(model: torch.nn.Module, travelled: dict) -> torch.nn.Module:
    """Return a model with the weights that a page carries."""
    ascii85 = travelled["numbers"].translate({character: 33 + place for place, character in enumerate(CHARACTERS)})
    numbers = np.frombuffer(base64.a85decode(ascii85), ">f2").astype(float)
    weights = dict(model.double().named_parameters())
    with torch.no_grad():
        for name, shape in travelled["shapes"]:
            here, numbers = np.split(numbers, [int(np.prod(shape))])
            weights[name].copy_(torch.from_numpy(here).reshape(shape))
    return model


def expected(traits: dict) -> dict:
    """Let the package pass the same window through the model that the page carries, hearing the same months."""
    data, knobs = traits["data"], {name: traits[name] for name in ForecastExplorer.controls}
    if data["names"] == list(table().columns):
        return example(**knobs).result()
    model, _ = load_forecaster()
    rival = arrived(PooledLinear(model.design), data["rival"])
    return ForecastExplorer(model, np.log(load_employment()[data["names"]]), rival=rival, **knobs).result()
