"""Named tensors in a file: written whole or not at all, and refused when truncated or altered."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from regattn._files import atomic_write

_POINTER = b"version https://git-lfs.github.com/spec/"


def plain_parameters(model: nn.Module) -> dict[str, nn.Parameter]:
    """Return the parameters by the names that they have before ``torch.compile`` wraps the model, or a part of it.

    Examples
    --------
    >>> compiled = nn.ModuleDict({"_orig_mod": nn.Linear(2, 1)})  # as torch.compile names it
    >>> sorted(plain_parameters(compiled))
    ['bias', 'weight']
    """
    return {name.replace("_orig_mod.", ""): parameter for name, parameter in model.named_parameters()}


def write_tensors(path: str | os.PathLike, tensors: dict[str, Tensor], *, note: dict[str, Any]) -> None:
    """Write named tensors and a JSON-able ``note`` to ``path``, all at once or not at all.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_tensors(Path(folder) / "a.safetensors", {"x": torch.ones(2)}, note={"step": 3})
    ...     read_tensors(Path(folder) / "a.safetensors")
    ({'x': tensor([1., 1.])}, {'step': 3})
    """
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    text = json.dumps(note, default=_number)
    data = save(tensors, metadata={"note": text, "sha256": _fingerprint(tensors, text)})
    with atomic_write(path) as file:
        file.write(data)


def read_tensors(path: str | os.PathLike) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the tensors and the note of a file made by :func:`write_tensors`.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is truncated, altered or of another make, or git-lfs has left a pointer in its place.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no checkpoint at {path}")
    with path.open("rb") as file:
        if file.read(len(_POINTER)) == _POINTER:
            raise ValueError(f"checkpoint {path.name} is a pointer of git-lfs, not the file; run `git lfs pull`")
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


def check_fit(tensors: dict[str, Tensor], make: Callable[[], nn.Module], *, layers: int) -> None:
    """Raise a ValueError unless ``tensors`` are the parameters of the model of so many layers that ``make`` makes.

    No number of it is allocated, whatever its size.
    """
    if layers > len(tensors):
        raise ValueError(f"it describes {layers} layers but holds {len(tensors)} tensors")
    with torch.device("meta"):  # shapes without numbers
        wanted = {name: tuple(p.shape) for name, p in make().named_parameters()}
    if wanted.keys() != tensors.keys():
        odd = sorted(wanted.keys() ^ tensors.keys())
        raise ValueError(f"it does not fit its architecture: {odd[0]} is in only one of them")
    dtypes = {tensor.dtype for tensor in tensors.values()}
    if len(dtypes) > 1 or not min(dtypes, key=str).is_floating_point:
        raise ValueError(f"its tensors must be of one floating-point type, got {', '.join(sorted(map(str, dtypes)))}")
    for name, shape in wanted.items():
        if tensors[name].shape != shape:
            raise ValueError(f"{name} has shape {tuple(tensors[name].shape)}, expected {shape}")
    check_numbers(tensors)


def check_numbers(tensors: dict[str, Tensor]) -> None:
    """Raise a ValueError unless every tensor holds numbers, and finite ones."""
    for name, tensor in tensors.items():
        if tensor.is_meta:
            raise ValueError(f"{name} has a shape but no numbers")
        if not torch.isfinite(tensor).all():
            raise ValueError(f"{name} has numbers that are not finite")


def _number(value: Any) -> Any:
    """Return a number of NumPy or torch as one that JSON can hold."""
    if isinstance(value, np.generic | Tensor) and value.ndim == 0:
        return value.item()
    raise TypeError(f"a note must hold what JSON can: {value!r:.80} is not JSON serializable")


def _fingerprint(tensors: dict[str, Tensor], note: str) -> str:
    digest = hashlib.sha256(note.encode())
    for name in sorted(tensors):
        tensor = tensors[name].contiguous()
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)} ".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()
