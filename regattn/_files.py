"""A file that is written whole or not at all, into a folder that is there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


def check_place(path: str | os.PathLike) -> Path:
    """Return where a file is to be written; raise, before anything is computed for it, where none can be.

    Raises
    ------
    FileNotFoundError
        If its folder does not exist.
    IsADirectoryError
        If it is itself a folder.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"no folder {path.parent} to write {path.name} into; make it first")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, and a file was to be written there")
    return path


@contextmanager
def atomic_write(path: str | os.PathLike) -> Iterator[IO[bytes]]:
    """Yield a file that takes its place at ``path`` when all is written to it; else what was there stays.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with atomic_write(Path(folder) / "a") as file:
    ...         _ = file.write(b"whole")
    ...     (Path(folder) / "a").read_bytes(), len(list(Path(folder).iterdir()))
    (b'whole', 1)
    """
    path = check_place(path)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)  # mkstemp makes it private
        os.replace(temporary, path)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and not error.filename:
            error.filename = str(path)  # as of a full disk, of which the system does not say what was written
        raise


def write_whole(path: str | os.PathLike, text: str) -> None:
    """Write a text to ``path`` in UTF-8, all at once or not at all."""
    with atomic_write(path) as file:
        file.write(text.encode())
