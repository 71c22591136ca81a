"""Rooms that are loaded when they are first used, and one sentence where the extra that they need is not installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import Any

import lazy_loader

__all__ = ["EXTRAS", "MissingExtraError", "attach", "command", "needed_by"]

EXTRAS = {
    "torch": ("torch", "safetensors", "tqdm"),
    "figures": ("matplotlib", "IPython"),
    "widgets": ("anywidget", "ipywidgets", "traitlets"),
    "text": ("tokenizers", "gensim"),
    "data": ("statsmodels",),
    "scale": ("dask", "distributed", "pyarrow"),
}
"""The modules that each extra of ``pip install`` brings; what needs none of them works without."""

BROUGHT_BY = {module: extra for extra, modules in EXTRAS.items() for module in modules}


class MissingExtraError(ModuleNotFoundError):
    """A module that one of the extras brings is not installed; the message names the command that installs it."""


def command(module: str) -> str:
    """Return the command that installs a module of an extra."""
    return f'pip install "regattn[{BROUGHT_BY[module]}]"'


@contextmanager
def needed_by(what: str) -> Iterator[None]:
    """Say who needs a module of an extra, and how to install it, when an import in the body does not find one.

    Examples
    --------
    >>> with needed_by("regattn.transformer.Block"):
    ...     raise ModuleNotFoundError("No module named 'torch'", name="torch")
    Traceback (most recent call last):
    regattn._extras.MissingExtraError: regattn.transformer.Block needs torch: pip install "regattn[torch]"
    """
    try:
        yield
    except MissingExtraError:
        raise
    except ModuleNotFoundError as error:
        if error.name not in BROUGHT_BY:
            raise
        raise MissingExtraError(f"{what} needs {error.name}: {command(error.name)}", name=error.name) from None


def attach(package: str, file: str, *extras: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a room, from the stub beside its file.

    Parameters
    ----------
    package, file : str
        The room's ``__name__`` and ``__file__``.
    *extras : str
        The extras that parts of the room need. Where one is not installed, the room's help says so, and ``dir`` lists
        the names that work; another name, once it is used, raises :class:`MissingExtraError`.
    """
    load, listed, names = lazy_loader.attach_stub(package, file)

    def get(name: str) -> Any:
        with needed_by(f"{package}.{name}"):
            return load(name)

    def working() -> list[str]:
        found = []
        for name in listed():
            with suppress(MissingExtraError):
                get(name)
                found.append(name)
        return found

    lacking = {extra: module for extra in extras for module in EXTRAS[extra][::-1] if find_spec(module) is None}
    room = sys.modules[package]
    for module in lacking.values():
        room.__doc__ = f"{room.__doc__}\n\nParts of this room need {module}, not installed here: {command(module)}"
    return get, working if lacking else listed, names
