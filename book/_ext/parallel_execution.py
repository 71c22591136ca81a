"""Sphinx extension: notebooks that have to be executed are executed several at a time, before their pages are read.

myst-nb executes a notebook when it reads its page, and pages are read one after the other. Here the notebooks that are
not in their caches yet are executed by some processes, in kernels of their own, and put where myst-nb then finds them.
One that fails leaves nothing there: it is executed again when its page is read, and myst-nb says what is wrong with it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

sys.modules.setdefault("rfc3987_syntax", None)  # two seconds for jsonschema, in every process, for what is not asked

import nbformat
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution
from sphinx.util import logging

import forked_kernels
from execution_cache import folder_of

MOST = 4  # kernels at a time: some take more than a gigabyte of memory


def cached(notebook, folder: Path) -> bool:
    """Return whether a notebook with this code has been executed; remove its cache where a build left it half written.

    A killed build, or a full disk, leaves an entry without its notebook, at which every later build would end.
    """
    if not folder.exists():
        return False
    cache = get_cache(folder)
    try:
        entries = cache.list_cache_records()
        for entry in entries:
            cache.get_cache_bundle(entry.pk)
    except Exception:
        cache.db.dispose()
        shutil.rmtree(folder)
        return False
    return cache.create_hashed_notebook(notebook)[1] in {entry.hashkey for entry in entries}


def missing(app, names) -> list[tuple[Path, Path]]:
    """Return the notebooks among the pages that have to be executed, each with the folder of its cache."""
    found = []
    for name in names:
        path = Path(app.env.doc2path(name))
        if name in app.notebook_keys and path.suffix == ".ipynb":
            folder = folder_of(app, name)
            if not cached(nbformat.read(path, as_version=4), folder):
                found.append((path, folder))
    return found


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def execute_all(app, env, names) -> None:
    """Execute what has to be executed; what is left is executed by myst-nb."""
    if app.env.mystnb_config.execution_mode != "cache":
        return
    wanted = missing(app, names)
    workers = min(MOST, cores() + 1, len(wanted))  # one more than there are cores, so that these are seldom idle
    if workers < 2:
        return
    logging.getLogger(__name__).info("executing %d notebooks, %d at a time", len(wanted), workers)
    threads = {"OMP_NUM_THREADS": str(max(1, cores() // workers)), **os.environ}  # as many in all as there are cores
    settings = (app.env.mystnb_config.execution_timeout, len(wanted))
    waiting = sorted(wanted, key=lambda notebook: notebook[0].stat().st_size)  # the longest, which come first, are last
    pool = ThreadPoolExecutor(workers)
    try:
        list(pool.map(partial(execute_in_turn, settings=settings, environment=threads), [waiting] * workers))
    finally:
        waiting.clear()  # after Ctrl-C no other one is started
        pool.shutdown()


def execute_in_turn(
    waiting: list[tuple[Path, Path]], *, settings: tuple[int, int], environment: dict[str, str]
) -> None:
    """Have a process execute what waits, as long as there is something and the process lives."""
    worker = Worker(settings, environment)
    with suppress(IndexError):
        while worker.execute(*waiting.pop()):
            pass
    worker.end()


class Worker:
    """A process that executes notebooks, one after the other; it ends by itself, even if this one is killed."""

    def __init__(self, settings: tuple[int, int], environment: dict[str, str]):
        command = [sys.executable, __file__, *map(str, settings)]
        self.process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def execute(self, path: Path, folder: Path) -> bool:
        """Have a notebook executed; return whether the process is there for another one."""
        with suppress(BrokenPipeError):
            print(json.dumps([str(path), str(folder)]), file=self.process.stdin, flush=True)
            return bool(self.process.stdout.readline())
        return False

    def end(self) -> None:
        """Let the process end, and wait until it has."""
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def execute(path: Path, folder: Path, seconds: int) -> None:
    """Execute a notebook where it lies, and put it in its cache if nothing fails."""
    notebook = nbformat.read(path, as_version=4)
    done = single_nb_execution(notebook, cwd=str(path.parent), timeout=seconds, allow_errors=False)
    if done.err is None:
        bundle = CacheBundleIn(notebook, str(path), data={"execution_seconds": done.time})
        get_cache(folder).cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def work(seconds: int, notebooks: int) -> None:
    """Execute those of some notebooks that are named on standard input, and say after each that it is done."""
    asked, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    for own in (0, 1):  # which kernels inherit
        os.dup2(os.open(os.devnull, os.O_RDWR), own)
    forked_kernels.begin(notebooks)
    for line in asked:
        path, folder = map(Path, json.loads(line))
        with suppress(Exception):
            execute(path, folder, seconds)
        print("done", file=answers, flush=True)


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.setup_extension("execution_cache")
    app.connect("env-before-read-docs", execute_all)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    work(*map(int, sys.argv[1:]))
