"""Arrays in a file: written whole or not at all, and refused when truncated or altered."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from regattn._files import atomic_write

NOTE = "note"


def write_arrays(path: str | os.PathLike, arrays: dict[str, np.ndarray], *, note: dict[str, Any]) -> None:
    """Write named arrays and a JSON-able ``note`` to ``path``, all at once or not at all.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_arrays(Path(folder) / "a.npz", {"x": np.ones(2)}, note={"window": 3})
    ...     read_arrays(Path(folder) / "a.npz")
    ({'x': array([1., 1.])}, {'window': 3})
    """
    text = np.frombuffer(json.dumps(note).encode(), dtype=np.uint8)
    with atomic_write(path) as file:
        np.savez(file, **arrays, **{NOTE: text})


def read_arrays(path: str | os.PathLike) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the arrays and the note of a file made by :func:`write_arrays`; never runs code that stands in it.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is truncated, altered or of another make.
    """
    path = Path(path)
    try:
        # numpy leaves a damaged file open that it was given by name; each array is read beside its checksum
        with path.open("rb") as handle, np.load(handle, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        return arrays, json.loads(arrays.pop(NOTE).tobytes())
    except FileNotFoundError:
        raise FileNotFoundError(f"no partial counts at {path}") from None
    except (ValueError, OSError, EOFError, KeyError, NotImplementedError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"{path.name} is damaged and was not loaded: {error}") from error
    except (AttributeError, SyntaxError, TypeError, RuntimeError, OverflowError, MemoryError) as error:
        raise ValueError(f"{path.name} holds no partial counts: {error}") from error
