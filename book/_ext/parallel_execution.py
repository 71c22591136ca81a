"""Sphinx extension: notebooks that have to be executed are executed several at a time, before their pages are read.

myst-nb executes a notebook when it reads its page, and pages are read one after the other. Here each notebook that is
not in its cache yet is executed by a process of its own, as many at a time as there are cores, and put where myst-nb
then finds it. One that fails leaves nothing there: it is executed again when its page is read, and myst-nb says what is
wrong with it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

sys.modules.setdefault("rfc3987_syntax", None)  # two seconds for jsonschema, in every process, for what is not asked

import nbformat
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution
from sphinx.util import logging

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
    workers = min(MOST, cores(), len(wanted))
    if workers < 2:
        return
    logging.getLogger(__name__).info("executing %d notebooks, %d at a time", len(wanted), workers)
    threads = {"OMP_NUM_THREADS": str(max(1, cores() // workers)), **os.environ}  # as many in all as there are cores
    seconds = str(app.env.mystnb_config.execution_timeout)
    pool = ThreadPoolExecutor(workers)
    try:
        list(pool.map(partial(execute_apart, seconds=seconds, environment=threads), wanted))
    finally:
        pool.shutdown(cancel_futures=True)  # after Ctrl-C no other one is started


def execute_apart(notebook: tuple[Path, Path], *, seconds: str, environment: dict[str, str]) -> None:
    """Have a process of its own execute a notebook; it ends by itself even if this one is killed."""
    subprocess.run(
        [sys.executable, __file__, *map(str, notebook), seconds],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def execute(path: Path, folder: Path, seconds: int) -> None:
    """Execute a notebook where it lies, and put it in its cache if nothing fails."""
    notebook = nbformat.read(path, as_version=4)
    done = single_nb_execution(notebook, cwd=str(path.parent), timeout=seconds, allow_errors=False)
    if done.err is None:
        bundle = CacheBundleIn(notebook, str(path), data={"execution_seconds": done.time})
        get_cache(folder).cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.setup_extension("execution_cache")
    app.connect("env-before-read-docs", execute_all)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    execute(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
