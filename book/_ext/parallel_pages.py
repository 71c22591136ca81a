"""Sphinx extension: pages are written several at a time, by processes that are forked, where the system forks.

They are read one after the other: some extensions allow nothing else, and Sphinx would warn of each. Pages are trees of
many small things, of which few are garbage: it is looked for seldom, which else takes a quarter of the time.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable
from multiprocessing import get_context
from typing import Any

from parallel_execution import cores

FEWEST = 4  # below that processes cost more than they save


def for_each(work: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
    """Return what a function makes of every item, by as many processes as there are cores; what it raises is raised."""
    items = list(items)
    if sys.platform != "linux" or len(items) < FEWEST:
        return [work(item) for item in items]
    with get_context("fork").Pool(cores()) as pool:
        return pool.map(work, items, chunksize=1)


def write_several(app, env) -> None:
    """Have pages written by as many processes as there are cores, beside the one that prepares them."""
    if sys.platform == "linux":
        app.parallel = cores() + 1


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    gc.set_threshold(200_000, 20, 50)
    app.connect("env-updated", write_several)  # all are read, none is written
    return {"parallel_read_safe": True, "parallel_write_safe": True}
