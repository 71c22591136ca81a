"""Make sure that the tests have a browser: find a Chromium that starts, or install one.

Looks at REGATTN_CHROMIUM, then at the system's Chromium (its shell first) and Chrome, then at Playwright's own. Without
one it installs Debian's or Ubuntu's package when it may, otherwise Playwright's build.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.browser import FLAGS, find_browser

APT = ["apt-get", "install", "--yes", "--no-install-recommends", "fonts-dejavu-core", "fonts-liberation"]
PLAYWRIGHT = [sys.executable, "-m", "playwright", "install", "chromium"]
ADVICE = (
    "The tests need a Chromium. Install one (Debian: `apt-get install chromium`, elsewhere: Google Chrome, or\n"
    "`.venv/bin/python -m playwright install --with-deps chromium`), or set REGATTN_CHROMIUM to the path of one."
)
INK = """() => {
  const canvas = Object.assign(document.createElement("canvas"), {width: 60, height: 40});
  const pen = canvas.getContext("2d");
  pen.font = "24px sans-serif";
  pen.fillText("λ x", 5, 30);
  return pen.getImageData(0, 0, 60, 40).data.some((value) => value > 0);
}"""


def trouble(path: str | None) -> str:
    """Return what is wrong with the browser at `path`, or an empty string when it starts and draws text."""
    if path is None:
        return "no Chromium found"
    try:
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
            draws = chromium.new_page().evaluate(INK)
            chromium.close()
    except Error as error:
        return f"{path} does not start: {str(error).splitlines()[0]}"
    return "" if draws else f"{path} draws no text: install a font, for instance fonts-dejavu-core"


def install() -> None:
    """Install a Chromium by the first way that works."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update"], env=quiet, stdin=subprocess.DEVNULL, check=False)
        for package in ("chromium-headless-shell", "chromium"):  # Ubuntu has the second alone
            subprocess.run([*APT, package], env=quiet, stdin=subprocess.DEVNULL, check=False)
            if not trouble(find_browser()):
                return
    subprocess.run([*PLAYWRIGHT, "--with-deps"] if os.geteuid() == 0 else PLAYWRIGHT, check=False)


def main() -> None:
    """Print the browser the tests will use, or exit with what is wrong and what to do."""
    problem = trouble(find_browser())
    if problem and not os.environ.get("REGATTN_CHROMIUM"):
        print(f"{problem}; installing one", flush=True)
        install()
        problem = trouble(find_browser())
    if problem:
        sys.exit(f"{problem}\n{ADVICE}")
    print(f"browser: {find_browser()}")


if __name__ == "__main__":
    main()
