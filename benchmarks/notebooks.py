"""Executing every notebook from scratch: a fresh kernel for each, one after the other, nothing taken from a cache.

There is nobody to compare with, so there is one run and no ratio: seconds, which differ from machine to machine and
from run to run.
"""

import os
import sys
import time
from pathlib import Path

import nbformat
from measure import THREADS, goal, write
from nbclient import NotebookClient

BOOK = Path(__file__).parents[1] / "book"
EACH, ALL = 120.0, 480.0  # seconds
PATIENCE = 900  # seconds for one cell: a slow notebook is a missed goal, not an error


def notebooks():
    """Return every notebook of the book."""
    return sorted(path for path in BOOK.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)


def execute(path, *, threads):
    """Return the seconds from the start of a kernel to its end; a cell that fails raises."""
    notebook = nbformat.read(path, as_version=4)
    folder = {"metadata": {"path": str(path.parent)}}
    start = time.perf_counter()
    NotebookClient(notebook, timeout=PATIENCE, kernel_name="python3", resources=folder).execute(
        env={**os.environ, "OMP_NUM_THREADS": str(threads)}
    )
    return time.perf_counter() - start


def name_of(path):
    """Return what a notebook is called: its file, and its folder where that says more."""
    name = path.stem.replace("_", " ")
    return f"{name}, solutions" if path.parent.name == "solutions" else name


def measure(paths=None, *, threads=THREADS):
    rows = []
    for path in notebooks() if paths is None else paths:
        rows.append({"contender": name_of(path), "ours": True, "seconds": execute(path, threads=threads), "runs": 1})
        print(f"{rows[-1]['seconds']:7.1f} s  {rows[-1]['contender']}", file=sys.stderr)
    seconds = [row["seconds"] for row in rows]
    aims = [
        goal(f"≤ {ALL:.0f} s for all of them", sum(seconds), most=ALL),
        goal(f"≤ {EACH:.0f} s for the slowest", max(seconds), most=EACH),
    ]
    return [{"case": f"{len(rows)} notebooks, one run each", "rows": rows, "goals": aims}]


def main():
    write("notebooks", "Executing every notebook from scratch", measure(), "matplotlib", "torch", "nbclient")


if __name__ == "__main__":
    main()
