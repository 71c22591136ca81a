"""The one launcher of the book, on Linux, macOS and Windows, with nothing but Python: `python -m tools.book build`.

`make` calls it too. It sets up .venv, unless told with --here to use the environment of the Python that runs it, which
may come from conda, uv or a container. The variable PINS names another file of pins than requirements.txt.
"""

from __future__ import annotations

import argparse
import http.server
import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from tools import machine
from tools.archive import pack

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

ROOT = machine.ROOT
VENV = ROOT / ".venv"
HTML = ROOT / "_build" / "html"
ZIP = ROOT / "_build" / "regattn-book.zip"
STUDENTS_ZIP = ROOT / "_build" / "regattn-students.zip"  # with AUDIENCE=students: without the pages for teachers
READERS = "requirements.txt"
TESTERS = "requirements-test.txt"
TEACHERS = "teach/requirements.txt"
CPU_PINS = "binder/requirements.txt"  # names the index of PyTorch without CUDA
STAMPS = {READERS: ".ready", TESTERS: ".ready-test", TEACHERS: ".ready-teach"}
PARTS = ("lint", "notebooks", "suite")  # the targets of the Makefile that test, as far as it has them
MORE = {TESTERS: (0.2, 0.6), TEACHERS: (0.1, 0.3)}  # GB to download beside it, and in .venv
SIZES = {"cpu": (0.5, 2), "cuda": (3, 7)}  # the same of the book itself
NO_GENSIM = (3, 14)  # the first Python for which gensim is not built; its files of texts come from the one before
TICKS = {True: 1, False: 20}  # seconds between two words on progress, on a terminal and elsewhere
FIRST_PORT = 8000
INSTALL = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
COMMANDS = {
    "setup": "create .venv with what building and running the book needs",
    "setup-test": "add what the tests need",
    "setup-teach": "add what the teaching kit needs",
    "build": "execute the notebooks and build the book; says where it is",
    "serve": "build the book and serve it on this machine",
    "zip": "build the book and pack it into one file",
    "lab": "open JupyterLab on the notebooks",
    "test": "run every check",
}


def python_in(folder: Path) -> Path:
    """Return the Python of an environment."""
    return folder / "Scripts" / "python.exe" if os.name == "nt" else folder / "bin" / "python"


def run(*command: str | Path, environment: dict[str, str] | None = None) -> None:
    """Run a command at the root of the repository; leave with its status when it fails."""
    done = subprocess.run([str(part) for part in command], cwd=str(ROOT), env=environment, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def in_venv() -> bool:
    """Return whether .venv is the environment that runs this."""
    return VENV.exists() and os.path.samefile(sys.prefix, str(VENV))


def ready(pins: str) -> bool:
    """Return whether .venv was set up after the files that say what belongs there were last changed."""
    stamp = VENV / STAMPS[pins]
    sources = [ROOT / READERS, ROOT / "pyproject.toml", ROOT / pins]
    return stamp.exists() and all(stamp.stat().st_mtime >= source.stat().st_mtime for source in sources)


def leave_if(problem: str) -> None:
    """Leave with a sentence that says what is wrong, if there is one."""
    if problem:
        sys.exit(problem)


def enter_venv() -> Path:
    """Return the Python of .venv, made if need be; what would keep it from its packages comes first."""
    python = python_in(VENV)
    if not python.exists():
        leave_if(machine.here_trouble() or machine.venv_trouble() or machine.disk_trouble(VENV, sum(SIZES["cpu"])))
        if machine.find_spec("pip"):
            leave_if(machine.network_trouble())
        run(sys.executable, "-m", "venv", "--clear", VENV)
    return python


def pinned(path: Path) -> list[str]:
    """Return the pins of a file, without those of the files it names."""
    lines = [line.split("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if "==" in line]


def torch_options() -> list[str]:
    """Return where pip finds PyTorch: on Linux the build without CUDA, a tenth of the size, unless PINS is set.

    Elsewhere it comes without CUDA anyway. Where nobody answers, the reader is told what the other build costs, and
    asked if there is a reader.
    """
    chosen = os.environ.get("PINS", "")
    options = re.findall(r"^--extra-index-url \S+", (ROOT / (chosen or CPU_PINS)).read_text("utf-8"), re.MULTILINE)
    if not chosen and sys.platform != "linux":
        return []
    silent = [] if chosen else [line.split()[1] for line in options if not machine.reachable(line.split()[1])]
    if silent:
        warn_of_cuda(urlsplit(silent[0]).hostname)
        return []
    return [word for line in options for word in line.split()]


def warn_of_cuda(host: str) -> None:
    """Say what it costs that PyTorch without CUDA cannot be had, and leave if the reader would rather not."""
    (load, room), (less, little) = SIZES["cuda"], SIZES["cpu"]
    print(f"{host}, which has PyTorch without CUDA, does not answer. With CUDA the packages are {load} GB to download")
    print(f"and {room} GB of disk, instead of {less} and {little}.", flush=True)
    if not machine.agrees("Install them with CUDA?"):
        sys.exit("Nothing was installed. Repeat the command later; PINS=requirements.txt takes CUDA without asking.")


def announce(options: list[str]) -> None:
    """Make sure that there is room, and say what will be downloaded, how much of it, and how long that takes."""
    load, room = SIZES["cuda" if sys.platform == "linux" and not options else "cpu"]
    if not machine.find_spec("torch"):  # most of it is there otherwise
        leave_if(machine.disk_trouble(Path(sys.prefix), load + room))
    where = ".venv" if in_venv() else sys.prefix
    print(f"Installing {total()} packages into {where}, this once: {load} GB to download, {room} GB of disk, ", end="")
    print("1 to 10 minutes.", flush=True)


def total() -> int:
    """Return how many packages the book needs."""
    return len(pinned(ROOT / READERS))


def in_place() -> int:
    """Return how many packages are in the environment of this Python."""
    return len(list(Path(sysconfig.get_path("purelib")).glob("*.dist-info")))


@contextmanager
def progress(what: str) -> Iterator[None]:
    """Say how far an installation has come: in one line that changes on a terminal, in one now and then elsewhere."""
    start, room, over = time.monotonic(), shutil.disk_usage(sys.prefix).free, threading.Event()
    terminal = sys.stdout.isatty()

    def tell(end: str) -> None:
        written = max(0, room - shutil.disk_usage(sys.prefix).free) / 1e6
        count, passed = min(in_place(), total()), time.monotonic() - start
        text = f"{what}: {count} of {total()} packages in place, {written:.0f} MB written, {passed:.0f} s"
        print(f"\r{text:79}" if terminal else text, end=end, flush=True)

    def tick() -> None:
        while not over.wait(TICKS[terminal]):
            tell("" if terminal else "\n")

    ticking = threading.Thread(target=tick, daemon=True)
    ticking.start()
    try:
        yield
    finally:
        over.set()
        ticking.join()
        tell("\n")


def prepare() -> None:
    """Make sure that this Python can hold the book and has a pip that reaches its packages, or leave."""
    problem = machine.here_trouble()
    leave_if(f"{problem}\nRemove .venv first: it was made with this Python." if problem and in_venv() else problem)
    if not machine.find_spec("pip"):
        run(sys.executable, "-m", "ensurepip")  # an environment that uv made has no pip
    leave_if(machine.network_trouble())


def with_uv() -> list[str]:
    """Return the command by which uv takes packages from where pip is set to, or nothing where it cannot.

    uv takes a tenth of pip's time, and no time at all for what it has once unpacked: it leaves it to Python to compile
    what is imported. It does not read pip's settings, and pip does not tell a password.
    """
    url = machine.package_index()
    (pin,) = [pin for pin in pinned(ROOT / TESTERS) if pin.startswith("uv==")]
    if not url or "****" in url or not went_well(*INSTALL, pin):
        return []
    return [sys.executable, "-m", "uv", "pip", "install", "--python", sys.executable, "--default-index", url]


def went_well(*command: str) -> bool:
    """Return whether a command that may fail did not; it says nothing."""
    certificates = os.environ.get("PIP_CERT", "")
    environment = {**({"SSL_CERT_FILE": certificates} if certificates else {}), **os.environ}
    return not subprocess.run(command, cwd=str(ROOT), env=environment, capture_output=True, check=False).returncode


def install(fast: list[str], *what: str) -> None:
    """Install with uv or, where there is none or it fails, with pip, which says why it cannot."""
    if not fast or not went_well(*fast, *what):
        run(*INSTALL, *what)


def set_up() -> None:
    """Install what readers need, and the package itself so that its files are used where they are."""
    prepare()
    options = torch_options()
    torch = [pin for pin in pinned(ROOT / READERS) if pin.startswith("torch==")]
    announce(options)
    fast = with_uv()
    with progress("1 of 3, PyTorch"):
        install(fast, *options, *torch)  # alone and first, so that no other package asks for one with CUDA
    with progress("2 of 3, the other packages"):
        install(fast, "--requirement", os.environ.get("PINS") or READERS)
        take_texts()
    with progress("3 of 3, the package of the book"):
        run(*INSTALL, "--no-deps", "--no-build-isolation", "--editable", ".")
    show_notebooks_as_text()
    if in_venv():
        (VENV / STAMPS[READERS]).touch()


def take_texts() -> None:
    """Put the files of gensim, which carries the news, where gensim itself is not built for this Python."""
    if sys.version_info >= NO_GENSIM:
        (pin,) = [pin.split(";")[0] for pin in pinned(ROOT / READERS) if pin.startswith("gensim==")]
        older = f"{NO_GENSIM[0]}.{NO_GENSIM[1] - 1}"
        where = ("--upgrade", "--target", sysconfig.get_path("platlib"))
        run(*INSTALL, "--no-deps", "--only-binary", ":all:", "--python-version", older, *where, pin)


def add(pins: str) -> None:
    """Install what the tests or the teaching kit need beside it."""
    prepare()
    load, room = MORE[pins]
    leave_if(machine.disk_trouble(Path(sys.prefix), load + room))
    print(f"Installing the packages of {pins}, this once: {load} GB to download, a minute.", flush=True)
    install(with_uv(), "--requirement", pins)
    if in_venv():
        (VENV / STAMPS[pins]).touch()


def show_notebooks_as_text() -> None:
    """Let `git diff` show notebooks as text, where this is a git checkout."""
    inside = ["git", "rev-parse", "--git-dir"]
    if shutil.which("git") and subprocess.run(inside, cwd=str(ROOT), capture_output=True, check=False).returncode == 0:
        python = python_in(VENV).relative_to(ROOT) if in_venv() else Path(sys.executable)
        text = f'"{python.as_posix()}" -m jupytext --quiet --to md:myst --output -'
        run("git", "config", "diff.notebook.textconv", text)


def quiet() -> dict[str, str]:
    """Return an environment in which a kernel says what is wrong with a notebook, and nothing about itself.

    Kernels of a build are on this machine and gone after it, so they need neither encryption nor a debugger. They read
    settings of their own, not those of the reader, whose start-up files would change what the book computes.
    """
    folder = ROOT / "_build" / ".ipython"
    settings = folder / "profile_default" / "ipython_kernel_config.py"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text('get_config().IPKernelApp.log_level = "ERROR"\n', encoding="utf-8")
    loops = "ignore:Proactor event loop does not implement:RuntimeWarning"  # Windows: zmq helps itself
    warnings = ",".join(filter(None, [os.environ.get("PYTHONWARNINGS"), loops]))
    return {
        **os.environ,
        "IPYTHONDIR": str(folder),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "PYTHONWARNINGS": warnings,
    }


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Wait until no other process builds the book of this checkout: two would write the same files.

    The system gives the lock back when a process ends, however it ends.
    """
    place = ROOT / "_build" / ".building"
    place.parent.mkdir(exist_ok=True)
    with place.open("a", encoding="utf-8") as file:
        if not _locked(file):
            print("Another build of this book is under way; waiting for its end.", flush=True)
            while not _locked(file):
                time.sleep(0.2)
        yield


def _locked(file: IO[str]) -> bool:
    """Return whether a file could be locked, at once or not at all; True where a disk knows no locks."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True
    return True


def contents() -> tuple[str, ...]:
    """Return the option that names the contents of the book for students, where AUDIENCE asks for it."""
    if not os.environ.get("AUDIENCE"):
        return ()
    sys.path.insert(0, str(ROOT / "book" / "_ext"))
    audience = importlib.import_module("audience")  # needs a package of the book, and the set-up needs none
    audience.audience()
    return ("--toc", str(audience.write_contents(ROOT, ROOT / "_build" / "toc-students.yml")))


def unfinished() -> bool:
    """Return whether the last build read pages and then ended, on a full disk or killed, before all were written."""
    read, written = (HTML.parent / ".doctrees" / name for name in ("environment.pickle", "lightened"))
    return read.exists() and (not written.exists() or written.stat().st_mtime_ns < read.stat().st_mtime_ns)


def build() -> None:
    """Build the book, warnings being errors, and make sure that there is one.

    After a build that came to no end all pages are written again, for some may be half written or lack a picture.
    """
    # jsonschema would load rfc3987_syntax, whose grammars take two seconds, for addresses that no notebook has
    skip = "import sys; sys.modules['rfc3987_syntax'] = None"
    program = f"{skip}; from jupyter_book.cli.main import main; sys.exit(main())"
    with one_at_a_time():
        options = ("-W", "--keep-going", *contents(), *(["--all"] if unfinished() else []))
        run(sys.executable, "-c", program, "build", ".", *options, environment=quiet())
    for page in (HTML / "index.html", HTML / "book" / "index.html"):
        if not page.is_file() or not page.stat().st_size:
            sys.exit(f"the build ended without an error but wrote no {page}")
    print((HTML / "index.html").relative_to(ROOT).as_posix(), flush=True)


def pack_book() -> None:
    """Pack the built book into one file."""
    target = STUDENTS_ZIP if os.environ.get("AUDIENCE") else ZIP
    print(f"{target.relative_to(ROOT).as_posix()}: {pack(HTML, target) / 1e6:.0f} MB")


def serve() -> None:
    """Serve the built book on this machine, at the first port that is free, until Ctrl-C."""
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(HTML))
    for port in range(FIRST_PORT, FIRST_PORT + 20):
        try:
            server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
        except OSError:
            continue
        print(f"http://127.0.0.1:{port}/  (Ctrl-C stops)", flush=True)
        with server:
            server.serve_forever()
    sys.exit(f"no free port from {FIRST_PORT} to {FIRST_PORT + 19}")


def lab() -> None:
    """Open JupyterLab on the page that says where to start; what it and its kernels tell one another is encrypted."""
    options = (
        "--notebook-dir=.",
        "--LabApp.default_url=/lab/tree/book/start.ipynb",
        "--KernelManager.transport_encryption=auto",
    )
    run(sys.executable, "-m", "jupyterlab", *options)


def recipes(part: str) -> list[tuple[dict[str, str], list[str]]]:
    """Return the commands of a target of the Makefile, each with the variables it sets, for machines without make."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    found = re.search(rf"^{part}:.*\n((?:\t.*\n)+)", text, re.MULTILINE)
    commands = []
    for line in re.split(r"\n|&&", found[1] if found else ""):
        words = shlex.split(line.strip().lstrip("@"))
        variables = [word for word in words if re.fullmatch(r"[A-Z_]+=.*", word)]
        rest = [sys.executable if word == "$(PY)" else word for word in words[len(variables) :]]
        if rest:
            commands.append((dict(word.split("=", 1) for word in variables), rest))
    return commands


def check() -> None:
    """Run the parts of `make test`, to the end even when one fails."""
    run(sys.executable, ROOT / "tools" / "browser.py")
    failed = []
    for part in PARTS:
        for variables, command in recipes(part):
            if subprocess.run(command, cwd=str(ROOT), env={**os.environ, **variables}, check=False).returncode:
                failed.append(part)
    if failed:
        sys.exit(f"failed: {', '.join(dict.fromkeys(failed))}")


def launch(command: str, here: bool) -> None:
    """Do what a command says; with `here`, in the environment of this Python, which only the set-ups change."""
    if not here and not in_venv():
        run(enter_venv(), "-m", "tools.book", command)
        return
    if command == "setup" if here else not ready(READERS):
        set_up()
    for pins, own in ((TESTERS, "setup-test"), (TEACHERS, "setup-teach")):
        if command == own if here else command in (own, "test") and not ready(pins):
            add(pins)
    steps: dict[str, list[Callable[[], None]]] = {
        "build": [build],
        "serve": [build, serve],
        "zip": [build, pack_book],
        "lab": [lab],
        "test": [check],
    }
    for step in steps.get(command, []):
        step()


def main(arguments: list[str] | None = None) -> None:
    """Run one command of the launcher."""
    width = max(map(len, COMMANDS))
    parser = argparse.ArgumentParser(
        prog="python -m tools.book",
        description="\n".join(f"{name:{width}}  {text}" for name, text in COMMANDS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND")
    parser.add_argument("--here", action="store_true", help="use the environment of this Python instead of .venv")
    given = parser.parse_args(arguments)
    try:
        launch(given.command, given.here)
    except KeyboardInterrupt:
        sys.exit(130)
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
