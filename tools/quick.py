"""Run the quick checks: the tests of what has changed since main, without the book and without a browser.

After `BUDGET` seconds no further test is begun; the summary then counts those left out.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.built import ROOT
from tests.changes import quick_tests

BUDGET = 65.0
CHOICE = ["-m", "not book and not browser", "-p", "tests.budget", "-rs"]


def main() -> int:
    """Print what is tested, test it, and return pytest's exit status; that nothing was collected is no failure."""
    files, says = quick_tests()
    print(says, *files, sep="\n  ", flush=True)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", *CHOICE, *files]
    own = {"REGATTN_DEADLINE": str(time.time() + BUDGET)}
    status = subprocess.run(command, cwd=ROOT, env={**os.environ, **own}, check=False).returncode
    return 0 if status == 5 else status


if __name__ == "__main__":
    sys.exit(main())
