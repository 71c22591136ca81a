"""Saving and loading models as safetensors files: numbers and text only, so that loading never runs code.

A file carries the sha-256 of its contents; a truncated or altered one is refused. Writing is atomic: the file appears
complete or not at all, and only if it would be read: what is wrong with a model is found before a good file goes.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from torch import Tensor

from regattn._tensors import check_fit, plain_parameters, read_tensors, write_tensors
from regattn.transformer._ranks import unwrapped
from regattn.transformer.language_model import Architecture, LanguageModel

__all__ = ["load_model", "load_shipped", "save_model"]


def save_model(model: LanguageModel, path: str | os.PathLike, *, card: dict[str, Any] | None = None) -> None:
    """Write a model to ``path``, with a ``card`` that says where it comes from.

    Parameters
    ----------
    model : LanguageModel
        With a kernel given by name (a function cannot be saved without saving code). One that ``torch.compile`` or
        ``DistributedDataParallel`` has wrapped is saved as the model within.
    path : path
        Usually ending in .safetensors; its folder must exist.
    card : dict, optional
        Anything JSON can hold: data, seed, steps, metrics.

    Raises
    ------
    ValueError
        If the kernel is not a name, or :func:`load_model` would refuse the file: a weight is not finite, or the
        parameters are not those of the architecture. A file that was there stays.
    FileNotFoundError
        If the folder does not exist.

    Examples
    --------
    >>> model = LanguageModel(Architecture(vocabulary=11, layers=1, context=7, width=6, n_heads=3))
    >>> import tempfile
    >>> import torch
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, Path(folder) / "m.safetensors", card={"steps": 0})
    ...     again, card = load_model(Path(folder) / "m.safetensors")
    >>> card, torch.equal(model.embedding.weight, again.embedding.weight)
    ({'steps': 0}, True)
    """
    model = unwrapped(model)
    if not isinstance(model, LanguageModel):
        raise ValueError(f"model must be a LanguageModel, got {type(model).__name__}")
    architecture = model.architecture
    if not isinstance(architecture.kernel, str):
        raise ValueError(f"kernel must be a name to be saved, got {architecture.kernel!r}")
    tensors = plain_parameters(model)  # a tied matrix appears once
    try:
        _architecture(asdict(architecture), tensors)
    except ValueError as error:
        raise ValueError(f"the model was not saved, since it would not be loaded: {error}") from error
    write_tensors(path, tensors, note={"architecture": asdict(architecture), "card": card or {}})


def load_model(path: str | os.PathLike) -> tuple[LanguageModel, dict[str, Any]]:
    """Return the model at ``path``, in evaluation mode, and its card.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is damaged, altered, a pointer of git-lfs, does not hold a language model, or holds other tensors
        than the model it describes; no model of that size is made before this is known.
    """
    tensors, note = read_tensors(path)
    if not isinstance(note, dict) or not {"architecture", "card"} <= note.keys():
        found = sorted(note) if isinstance(note, dict) else note
        raise ValueError(f"checkpoint {Path(path).name} holds no language model: its note has {found}")
    try:
        model = LanguageModel(_architecture(note["architecture"], tensors))
    except ValueError as error:
        raise ValueError(f"checkpoint {Path(path).name} was not loaded: {error}") from error
    model.to(next(iter(tensors.values())).dtype)
    for name, parameter in model.named_parameters():
        parameter.data.copy_(tensors[name])
    return model.eval(), note["card"]


def load_shipped(name: str = "grammar") -> tuple[LanguageModel, dict[str, Any]]:
    """Return a model that comes with the package, and its card.

    Parameters
    ----------
    name : {"grammar", "induction"}, default "grammar"
        The model of chapters 18 and 19, or the two blocks of chapter 14 that copy.

    Raises
    ------
    FileNotFoundError
        If there is no such model.

    Examples
    --------
    >>> model, card = load_shipped()
    >>> card["metrics"]["excess_nats"] < 0.01
    True
    """
    return load_model(Path(str(files("regattn.transformer") / "shipped" / f"{name}.safetensors")))


def _architecture(sizes: Any, tensors: dict[str, Tensor]) -> Architecture:
    """Return the described architecture; raise, before a number of its size is allocated, if ``tensors`` do not fit."""
    try:
        architecture = Architecture(**sizes)
        check_fit(tensors, partial(LanguageModel, architecture), layers=architecture.layers)
    except (TypeError, RuntimeError, OverflowError) as error:
        raise ValueError(f"it describes an unknown architecture: {error}") from error
    return architecture
