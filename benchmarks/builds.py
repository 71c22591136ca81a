"""Building the book for the first time and again, as a stranger does: in a fresh clone.

Set-up is timed apart, since it depends on the network. There is nobody to compare with, so there is one run and no
ratio. How long the whole check takes is said by its own last lines.
"""

import subprocess
import tempfile
import time
from pathlib import Path

from measure import goal, write

ROOT = Path(__file__).parents[1]
COMMANDS = {
    "make setup": ("setting up", None),
    "make book": ("the first `make book`, everything executed", 300.0),
    "make -s book": ("the second, nothing changed", 10.0),
}


def took(command, folder):
    """Return the seconds of a command in a folder; one that fails raises with what it said last."""
    start = time.perf_counter()
    done = subprocess.run(
        command.split(), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        raise ChildProcessError(f"{command} failed:\n{done.stdout[-20_000:]}")
    return time.perf_counter() - start


def measure(repository=ROOT, commands=COMMANDS):
    """Return the case: the seconds of each command, one after the other in one clone."""
    rows, aims = [], []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "--quiet", repository, folder], check=True)
        for command, (name, wanted) in commands.items():
            seconds = took(command, folder)
            rows.append({"contender": name, "ours": True, "seconds": seconds, "runs": 1})
            if wanted is not None:
                aims.append(goal(f"≤ {wanted:.0f} s for {name}", seconds, most=wanted))
    return [{"case": "a fresh clone", "rows": rows, "goals": aims}]


def main():
    write("builds", "How long the first build takes, and the next one", measure(), "jupyter-book", "torch")


if __name__ == "__main__":
    main()
