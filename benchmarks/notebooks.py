"""Executing every notebook from scratch: a fresh kernel for each, one after the other, nothing taken from a cache.

And the tests of every chapter's page, in a browser that they open: with its notebook, that is what a change of a
chapter costs. There is nobody to compare with, so there is one run and no ratio: seconds, which differ from machine to
machine and from run to run.

It needs the built book, and builds it where it is missing or old (see explorer.py).
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import nbformat
from explorer import built_book, chapters
from measure import THREADS, goal, write
from nbclient import NotebookClient

sys.path.append(str(Path(__file__).parents[1]))
from tests.built import label

ROOT = Path(__file__).parents[1]
BOOK = ROOT / "book"
TESTS = ("tests/test_pages.py", "tests/test_loading.py")
EACH, ALL = 120.0, 480.0  # seconds
SPENT = "seconds of its page's tests"
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


def tested(page, book):
    """Return the seconds that the tests of a page of the built book take; a test that fails raises."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", label(page), *TESTS]
    start = time.perf_counter()
    environment = {**os.environ, "REGATTN_BOOK": str(book)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"tests of {page} fail:\n{done.stdout[-2000:]}")
    return time.perf_counter() - start


def name_of(path):
    """Return what a notebook is called: its file, and its folder where that says more."""
    name = path.stem.replace("_", " ")
    return f"{name}, solutions" if path.parent.name == "solutions" else name


def measure(paths=None, *, threads=THREADS, book=None):
    """Return the case; with a built book, the seconds of the page's tests stand beside those of each chapter."""
    rows, pages = [], [] if book is None else chapters()
    for path in notebooks() if paths is None else paths:
        row = {"contender": name_of(path), "ours": True, "seconds": execute(path, threads=threads), "runs": 1}
        page = path.relative_to(ROOT).with_suffix("").as_posix() if path.is_relative_to(ROOT) else ""
        if book is not None:
            row[SPENT] = tested(page, book) if page in pages else None
        rows.append(row)
        print(f"{row['seconds']:7.1f} s  {row['contender']}", file=sys.stderr)
    seconds = [row["seconds"] for row in rows]
    aims = [
        goal(f"≤ {ALL:.0f} s for all of them", sum(seconds), most=ALL),
        goal(f"≤ {EACH:.0f} s for the slowest", max(seconds), most=EACH),
    ]
    note = "Tests are those of the chapter's page in a browser, on one core." if book is not None else ""
    return [{"case": f"{len(rows)} notebooks, one run each", "rows": rows, "goals": aims, "note": note}]


def main():
    cases = measure(book=built_book(chapters()))
    write("notebooks", "Executing every notebook from scratch", cases, "matplotlib", "torch", "nbclient", "playwright")


if __name__ == "__main__":
    main()
