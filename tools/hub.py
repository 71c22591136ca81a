"""A classroom on this machine: `make hub` starts a JupyterHub with nbgitpuller and prints the link for the class.

With `--measure CHAPTER` it lets some users follow that link at the same time, run the chapter and move an explorer, and
prints what each took: the numbers of the sizing table in teach/hub/README.md.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import urlencode
from urllib.request import urlopen

import psutil
from playwright.async_api import async_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.browser import FLAGS
from tools.browser import find_browser

ROOT = Path(__file__).parents[1]
HUB = ROOT / "teach" / "hub"
FOLDER = ROOT / "_build" / "hub"
CHAPTER = "book/part2-proximity/03_ols_proximity.ipynb"
PROXY = "configurable-http-proxy"
FIRST_PORT = 8100
BRANCH = "main"
PATIENCE = 420  # seconds for a step of a user, on a machine that is busy with three of them; `--patience` gives more
IDLE = "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
CELLS = """() => window.jupyterapp.shell.currentWidget.content.widgets
  .map((cell) => cell.model.sharedModel.toJSON()).filter((cell) => cell.cell_type === "code")"""
SLIDER = 'figure.regattn input[type="range"][data-control]'
MODEL = "(slider) => slider.closest('figure').model.get(slider.dataset.control)"
SCROLL = """() => {
  const {content} = window.jupyterapp.shell.currentWidget;
  const shows = (cell) => cell.model.type === "code" && cell.model.sharedModel.toJSON().outputs
    .some((output) => output.data?.["application/vnd.jupyter.widget-view+json"]);
  return content.scrollToItem(content.widgets.findIndex(shows));
}"""
STOPS = 30  # seconds that a hub may take to stop its servers


class Hub(NamedTuple):
    """A hub that runs: its address, the password of its users, and its process."""

    address: str
    password: str
    process: psutil.Process

    def link(self, repository: str, branch: str, page: str) -> str:
        """Return the link that brings a copy of a repository to whoever follows it and opens a page of it."""
        folder = Path(repository.rstrip("/")).name.removesuffix(".git")
        query = {"repo": repository, "branch": branch, "targetpath": folder, "urlpath": f"lab/tree/{folder}/{page}"}
        return f"{self.address}/hub/user-redirect/git-pull?{urlencode(query)}"

    def family(self) -> list[psutil.Process]:
        """Return the process of the hub and all that it started."""
        return [self.process, *self.process.children(recursive=True)]


def find_proxy(folder: Path = FOLDER) -> str:
    """Return the program that passes requests on to users' servers; install it with npm where it is not there yet."""
    found = shutil.which(PROXY)
    own = folder / "node_modules" / ".bin" / PROXY
    if found or own.exists():
        return found or str(own)
    if not shutil.which("npm"):
        raise ValueError(f"the hub needs Node 18 or newer with npm, which installs {PROXY}; neither is here")
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HUB / name, folder / name)
    subprocess.run(["npm", "ci", "--silent", "--no-audit", "--no-fund"], cwd=folder, check=True)
    return str(own)


def free_ports() -> int:
    """Return the first of three ports in a row that nobody listens to."""
    for port in range(FIRST_PORT, FIRST_PORT + 900, 3):
        try:
            for each in range(port, port + 3):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", each))
        except OSError:
            continue
        return port
    raise ValueError(f"no three free ports from {FIRST_PORT} to {FIRST_PORT + 899}")


def wait_for(address: str, process: subprocess.Popen, log: Path) -> None:
    """Wait until a hub answers, or say what it wrote."""
    for _ in range(240):
        if process.poll() is not None:
            break
        try:
            with urlopen(f"{address}/hub/health", timeout=5):
                return
        except OSError:
            time.sleep(0.5)
    raise ValueError(f"the hub does not answer:\n{log.read_text(encoding='utf-8')[-3000:]}")


@contextmanager
def running(folder: Path, proxy: str) -> Iterator[Hub]:
    """Yield a hub that listens to this machine only and keeps its files in `folder`; stop it and all it started."""
    folder.mkdir(parents=True, exist_ok=True)
    port, password = free_ports(), secrets.token_urlsafe(6)
    address = f"http://127.0.0.1:{port}"
    own = {"REGATTN_HUB": str(folder), "REGATTN_HUB_PORT": str(port), "REGATTN_HUB_PASSWORD": password}
    own |= {"REGATTN_PROXY": proxy, "CONFIGPROXY_AUTH_TOKEN": secrets.token_hex(32)}
    command = [sys.executable, "-m", "jupyterhub", "-f", str(HUB / "jupyterhub_config.py")]
    log = folder / "hub.log"
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **own}, stdout=output, stderr=output, start_new_session=True
        )
    hub = Hub(address, password, psutil.Process(process.pid))
    try:
        wait_for(address, process, log)
        yield hub
    finally:
        stop(process)


def stop(process: subprocess.Popen) -> None:
    """Stop a hub with its proxy and the servers of its users; end whatever is then left of them."""
    try:
        started = psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        started = []
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOPS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    _, left = psutil.wait_procs(started, timeout=5)
    for each in left:
        each.kill()
    psutil.wait_procs(left, timeout=5)


def classroom() -> None:
    """Start a hub on this checkout and print the link, until Ctrl-C."""
    with running(FOLDER, find_proxy()) as hub:
        branch = subprocess.run(
            ["git", "branch", "--show-current"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.strip()
        print(f"link for the class: {hub.link(str(ROOT), branch, CHAPTER)}")
        print(f"any name, password {hub.password}  (this machine only; Ctrl-C stops)", flush=True)
        try:
            hub.process.wait()
        except KeyboardInterrupt:
            print("stopping", flush=True)


class Visit(NamedTuple):
    """What a user met: seconds until the notebook stood open and until it had run, cells, errors, the explorer."""

    opened: float
    ran: float
    cells: int
    errors: list[str]
    moved: tuple[object, object] | None


async def visit(browser, hub: Hub, user: str, link: str, gate: asyncio.Barrier, patience: int = PATIENCE) -> Visit:
    """Log in by a link, wait for the others, run the notebook it opens, and move its first explorer."""
    page = await browser.new_page()
    page.set_default_timeout(patience * 1000)
    start = time.monotonic()
    await page.goto(link)
    await page.fill("#username_input", user)
    await page.fill("#password_input", hub.password)
    await page.click("#login_submit")
    await page.wait_for_selector(".jp-Notebook .jp-Cell")
    await page.wait_for_function(IDLE)
    opened = time.monotonic() - start
    await gate.wait()  # a class begins when the teacher says so
    start = time.monotonic()
    await page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells').then(() => true)")
    await page.wait_for_function(IDLE)
    ran = time.monotonic() - start
    cells = await page.evaluate(CELLS)
    errors = [f"{each['ename']}: {each['evalue']}" for cell in cells for each in cell["outputs"] if "ename" in each]
    moved = await move(page)
    return Visit(opened, ran, sum(bool(cell["execution_count"]) for cell in cells), errors, moved)


async def move(page) -> tuple[object, object] | None:
    """Move the first slider of the first explorer; return its value before and after, None without an explorer."""
    if not await page.query_selector(SLIDER):  # what is out of view is not in the page
        await page.evaluate(SCROLL)
        await page.wait_for_selector(SLIDER)
    slider = await page.query_selector(SLIDER)
    before = await slider.evaluate(MODEL)
    await slider.focus()
    low, high, at = [float(await slider.evaluate(f"(s) => s.{key}")) for key in ("min", "max", "value")]
    for _ in range(3):
        await page.keyboard.press("ArrowRight" if at < (low + high) / 2 else "ArrowLeft")
    return before, await slider.evaluate(MODEL)


async def class_of(
    hub: Hub, users: list[str], link: str, settled: Callable[[], None], patience: int = PATIENCE
) -> list[Visit]:
    """Let users follow a link at the same time, each in a browser window of their own; call `settled` at the end."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        gate = asyncio.Barrier(len(users))
        contexts = [await browser.new_context() for _ in users]
        visits = await asyncio.gather(
            *(visit(context, hub, user, link, gate, patience) for context, user in zip(contexts, users, strict=True))
        )
        settled()
        await browser.close()
    return visits


def memory(process: psutil.Process) -> float:
    """Return the megabytes of a process, each page that several share counted in parts."""
    try:
        full = process.memory_full_info()
    except psutil.Error:
        return 0.0
    return getattr(full, "pss", full.rss) / 2**20


def servers(hub: Hub) -> dict[int, list[psutil.Process]]:
    """Return for each user's server, by the number of its process, itself and its kernels."""
    singles = [each for each in hub.family() if "jupyterhub.singleuser" in each.cmdline()]
    return {each.pid: [each, *each.children(recursive=True)] for each in singles}


def measure(chapter: str, count: int, patience: int) -> None:
    """Print what a chapter costs a hub: seconds, and megabytes for each user and for the hub itself."""
    with TemporaryDirectory() as folder, running(Path(folder), find_proxy()) as hub:
        course = publish(Path(folder) / "book.git")
        users = [f"user{number}" for number in range(1, count + 1)]
        sizes: list[float] = []
        spent: list[float] = []

        def weigh() -> None:
            own = servers(hub)
            sizes.extend(sum(map(memory, each)) for each in own.values())
            spent.extend(sum(sum(one.cpu_times()[:2]) for one in each) for each in own.values())
            inside = {one.pid for each in own.values() for one in each}
            sizes.append(sum(memory(each) for each in hub.family() if each.pid not in inside))

        visits = asyncio.run(class_of(hub, users, hub.link(str(course), BRANCH, chapter), weigh, patience))
    for user, each, size, seconds in zip(users, visits, sizes, spent, strict=False):
        said = f"{each.cells} cells, {len(each.errors)} errors, explorer {each.moved}"
        print(f"{user}: open after {each.opened:.0f} s, ran in {each.ran:.0f} s; {said}")
        print(f"       {size:.0f} MB, {seconds:.0f} s of a core")
    print(f"hub and proxy: {sizes[-1]:.0f} MB")


def publish(folder: Path) -> Path:
    """Write the files of this checkout, as they are, into a repository that can be cloned."""
    work = folder.with_suffix(".work")
    files = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "book", "_toc.yml"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split("\0")  # fmt: skip
    for path in filter(None, files):
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, work / path)
    who = ["-c", "user.name=teacher", "-c", "user.email=teacher@localhost"]
    for command in (["init", "-q", "-b", BRANCH], ["add", "-A"], [*who, "commit", "-q", "-m", "The book"]):
        subprocess.run(["git", *command], cwd=work, check=True)
    subprocess.run(["git", "clone", "-q", "--bare", str(work), str(folder)], check=True)
    shutil.rmtree(work)
    return folder


def main() -> None:
    """Start a hub for a class, or measure what one needs."""
    parser = argparse.ArgumentParser(prog="python -m tools.hub", description=__doc__)
    parser.add_argument("--measure", metavar="CHAPTER", help="the notebook that users run, below the repository")
    parser.add_argument("--users", type=int, default=3, help="how many users follow the link at once")
    parser.add_argument("--patience", type=int, default=PATIENCE, help="seconds that a step of a user may take")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that whoever ends this ends the hub too
    if given.measure:
        measure(given.measure, given.users, given.patience)
    else:
        classroom()


if __name__ == "__main__":
    try:
        main()
    except ValueError as error:
        sys.exit(str(error))
