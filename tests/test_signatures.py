"""How the public functions are called: data by position, every option by name."""

from __future__ import annotations

import importlib
import inspect

import pytest

ROOMS = [
    "regattn",
    *(f"regattn.{room}" for room in ("attribution", "regression", "series", "words", "grammar", "transformer")),
]
ANYTHING = {"check(answer)", "ShardedCorpus(client)"}  # what a reader types; of Dask, which is not required
SHOWN = {"NetworkClassifier.descend"}  # on a blackboard, as one writes it with torch
READ_ALOUD = {
    "nearest(k)",
    "elu(nu)",
    "causal_mask(n_keys)",
    "load_shipped(name)",
    "load_forecaster(path)",
}  # nearest(5) says what it means
DATA = {"observation_weights(X_new)"}  # data, of which there need be none


@pytest.mark.parametrize("room", ROOMS)
def test_options_are_given_by_name(room):
    module = importlib.import_module(room)
    functions = [getattr(module, name) for name in dir(module) if not name.startswith("_")]
    functions = [function for function in functions if inspect.isfunction(function)]
    assert functions
    by_position = {
        f"{function.__name__}({parameter.name})"
        for function in functions
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is not parameter.empty and parameter.kind is not parameter.KEYWORD_ONLY
    }
    assert by_position <= READ_ALOUD | DATA


@pytest.mark.parametrize("room", [*ROOMS, *(f"regattn.{room}" for room in ("figures", "widgets", "exercises", "data"))])
def test_every_argument_says_what_it_takes(room):
    module = importlib.import_module(room)
    called = [each for name in module.__all__ if callable(each := getattr(module, name))]
    vague = {
        f"{each.__name__}({parameter.name})"
        for each in called
        for parameter in inspect.signature(each).parameters.values()
        if parameter.kind is not parameter.VAR_KEYWORD and parameter.annotation == "Any"
    }
    assert called
    assert vague <= ANYTHING


@pytest.mark.parametrize("room", [*ROOMS, "regattn.widgets"])
def test_chance_is_a_seed_or_a_generator_everywhere(room):
    module = importlib.import_module(room)
    public = [each for name in module.__all__ if callable(each := getattr(module, name))]
    methods = [each for part in public if inspect.isclass(part) for each in vars(part).values()]
    called = [*public, *(each for each in methods if inspect.isfunction(each) and not each.__name__.startswith("_"))]
    chance = {each.__qualname__: inspect.signature(each).parameters.get("rng") for each in called}
    others = {name for name, rng in chance.items() if rng is not None and rng.annotation != "Rng"}
    assert others <= SHOWN
