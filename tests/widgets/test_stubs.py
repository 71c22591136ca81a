"""What editors and type checkers read of an explorer is what it takes when it runs."""

from __future__ import annotations

import ast
import inspect

import pytest

from tools.explorer_stubs import explorers, path_of, stub

every = pytest.mark.parametrize("explorer", explorers(), ids=lambda explorer: explorer.__name__)


@every
def test_the_stub_is_the_one_that_the_tool_writes(explorer):
    assert path_of(explorer).read_text(encoding="utf-8") == stub(explorer), "run tools/explorer_stubs.py"


@every
def test_the_stub_has_the_arguments_of_the_constructor_in_order_with_what_may_be_left_out(explorer):
    (cls,) = [
        part for part in ast.parse(path_of(explorer).read_text(encoding="utf-8")).body if isinstance(part, ast.ClassDef)
    ]
    (made,) = [part for part in cls.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"]
    optional = [False] * (len(made.args.args) - len(made.args.defaults)) + [True] * len(made.args.defaults)
    by_place = {part.arg: given for part, given in zip(made.args.args, optional, strict=True) if part.arg != "self"}
    by_name = {
        part.arg: default is not None for part, default in zip(made.args.kwonlyargs, made.args.kw_defaults, strict=True)
    }
    parameters = inspect.signature(explorer).parameters.values()
    expected = {part.name: part.default is not part.empty for part in parameters}
    assert list((by_place | by_name).items()) == list(expected.items())
    assert list(by_name) == [part.name for part in parameters if part.kind is part.KEYWORD_ONLY]
    assert {*explorer.controls, "hide", "presets", "alt"} <= by_place.keys() | by_name.keys()
