"""A file is written whole or not at all, and anybody may read it."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from importlib import import_module

import pytest

from regattn._files import atomic_write, check_place, write_whole


def test_what_was_there_stays_until_all_is_written(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with atomic_write(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_interruption_leaves_what_was_there_and_nothing_else(tmp_path, error):
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def interrupted() -> None:
        with atomic_write(path) as file:
            file.write(b"ne")
            raise error

    with pytest.raises(error):
        interrupted()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_what_went_wrong_is_told_where_the_folder_is_gone_by_then(tmp_path, error):
    folder = tmp_path / "folder"
    folder.mkdir()

    def interrupted() -> None:
        with atomic_write(folder / "a"):
            shutil.rmtree(folder)
            raise error("this")

    with pytest.raises(error, match="this"):
        interrupted()


def test_others_may_read_it(tmp_path):
    with atomic_write(str(tmp_path / "a")) as file:
        file.write(b"x")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o644


def test_a_folder_that_is_missing_is_named_before_anything_is_written(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no folder .*absent to write a into; make it first"):
        check_place(tmp_path / "absent" / "a")
    with pytest.raises(IsADirectoryError, match="is a folder, and a file was to be written there"):
        check_place(tmp_path)
    assert check_place(str(tmp_path / "a")) == tmp_path / "a"


def test_a_full_disk_is_told_with_the_file_that_was_to_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*a'$"):
        write_whole(tmp_path / "a", "new")
    assert list(tmp_path.iterdir()) == []


def full(*_) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    ("tool", "place", "old"),
    [
        ("ledger", "LEDGER", "entries: []\n"),
        ("fold_cells", "BOOK", '{"cells": [{"cell_type": "code", "metadata": {"tags": ["hide-input"]}}]}'),
    ],
)
def test_a_tool_that_ends_while_it_writes_leaves_what_was_there(tmp_path, monkeypatch, tool, place, old):
    path = tmp_path / "a.ipynb"
    path.write_text(old)
    module = import_module(f"tools.{tool}")
    monkeypatch.setattr(module, place, path if place == "LEDGER" else tmp_path)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        module.main()
    assert path.read_text() == old
