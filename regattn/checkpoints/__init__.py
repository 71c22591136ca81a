"""Saving and loading models as safetensors files: numbers and text only, so that loading never runs code.

A file carries the sha-256 of its contents; a truncated or altered one is refused. Writing is atomic: the file appears
complete or not at all.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from regattn.language_model import Architecture, LanguageModel

__all__ = ["load_model", "load_shipped", "read_tensors", "save_model", "write_tensors"]


def write_tensors(path: str | os.PathLike, tensors: dict[str, Tensor], *, note: dict[str, Any]) -> None:
    """Write named tensors and a JSON-able ``note`` to ``path``, all at once or not at all.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_tensors(Path(folder) / "a.safetensors", {"x": torch.ones(2)}, note={"step": 3})
    ...     read_tensors(Path(folder) / "a.safetensors")
    ({'x': tensor([1., 1.])}, {'step': 3})
    """
    tensors = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
    text = json.dumps(note)
    data = save(tensors, metadata={"note": text, "sha256": _fingerprint(tensors, text)})
    path = Path(path)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)  # mkstemp makes it private
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read_tensors(path: str | os.PathLike) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the tensors and the note of a file made by :func:`write_tensors`.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is truncated, altered or of another make.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no checkpoint at {path}")
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
    except (SafetensorError, UnicodeDecodeError, OSError) as error:
        raise ValueError(f"checkpoint {path.name} is damaged and was not loaded: {error}") from error
    if not {"note", "sha256"} <= metadata.keys():
        raise ValueError(f"checkpoint {path.name} was not written by this package: it has no note or no sha256")
    found = _fingerprint(tensors, metadata["note"])
    if found != metadata["sha256"]:
        raise ValueError(
            f"checkpoint {path.name} was altered and was not loaded: sha256 is {found[:12]}…, "
            f"the file says {metadata['sha256'][:12]}…"
        )
    try:
        return tensors, json.loads(metadata["note"])
    except (ValueError, RecursionError) as error:
        raise ValueError(f"checkpoint {path.name} has a note that is no JSON: {error}") from error


def save_model(model: LanguageModel, path: str | os.PathLike, *, card: dict[str, Any] | None = None) -> None:
    """Write a model to ``path``, with a ``card`` that says where it comes from.

    Parameters
    ----------
    model : LanguageModel
        With a kernel given by name (a function cannot be saved without saving code).
    path : path
        Usually ending in .safetensors; its folder must exist.
    card : dict, optional
        Anything JSON can hold: data, seed, steps, metrics.

    Raises
    ------
    ValueError
        If the kernel is not a name.

    Examples
    --------
    >>> model = LanguageModel(Architecture(vocabulary=11, layers=1, context=7, width=6, heads=3))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, Path(folder) / "m.safetensors", card={"steps": 0})
    ...     again, card = load_model(Path(folder) / "m.safetensors")
    >>> card, torch.equal(model.embedding.weight, again.embedding.weight)
    ({'steps': 0}, True)
    """
    architecture = model.architecture
    if not isinstance(architecture.kernel, str):
        raise ValueError(f"kernel must be a name to be saved, got {architecture.kernel!r}")
    tensors = dict(model.named_parameters())  # a tied matrix appears once
    write_tensors(path, tensors, note={"architecture": asdict(architecture), "card": card or {}})


def load_model(path: str | os.PathLike) -> tuple[LanguageModel, dict[str, Any]]:
    """Return the model at ``path``, in evaluation mode, and its card.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is damaged, altered, does not hold a language model, or holds other tensors than the model it
        describes; no model of that size is made before this is known.
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

    Examples
    --------
    >>> model, card = load_shipped()
    >>> card["metrics"]["excess_nats"] < 0.01
    True
    """
    return load_model(Path(str(files("regattn.checkpoints") / f"{name}.safetensors")))


def _architecture(sizes: Any, tensors: dict[str, Tensor]) -> Architecture:
    """Return the described architecture; raise, before a number of its size is allocated, if ``tensors`` do not fit."""
    try:
        architecture = Architecture(**sizes)
        if architecture.layers > len(tensors):
            raise ValueError(f"it describes {architecture.layers} layers but holds {len(tensors)} tensors")
        with torch.device("meta"):  # shapes without numbers
            wanted = {name: tuple(p.shape) for name, p in LanguageModel(architecture).named_parameters()}
    except (TypeError, RuntimeError, OverflowError) as error:
        raise ValueError(f"it describes an unknown architecture: {error}") from error
    if wanted.keys() != tensors.keys():
        odd = sorted(wanted.keys() ^ tensors.keys())
        raise ValueError(f"it does not fit its architecture: {odd[0]} is in only one of them")
    dtypes = {tensor.dtype for tensor in tensors.values()}
    if len(dtypes) > 1 or not min(dtypes, key=str).is_floating_point:
        raise ValueError(f"its tensors must be of one floating-point type, got {', '.join(sorted(map(str, dtypes)))}")
    for name, shape in wanted.items():
        if tensors[name].shape != shape:
            raise ValueError(f"{name} has shape {tuple(tensors[name].shape)}, expected {shape}")
        if not torch.isfinite(tensors[name]).all():
            raise ValueError(f"{name} has numbers that are not finite")
    return architecture


def _fingerprint(tensors: dict[str, Tensor], note: str) -> str:
    digest = hashlib.sha256(note.encode())
    for name in sorted(tensors):
        tensor = tensors[name].contiguous()
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)} ".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()
