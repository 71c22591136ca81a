"""What stands in the way of a set-up, said before anything is downloaded: the Python, the machine, the network.

Pure standard library, and readable by Python 3.8, so that an old Python is told that it is old.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import socket
import ssl
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable
from http.client import HTTPException
from importlib.util import find_spec
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, getproxies, proxy_bypass, urlopen

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 2.0  # seconds to wait for the package index
INSTEAD = "Read the book from its zip instead, or run the chapters on Binder or Colab."
PORTS = {"http": 80, "https": 443}


def python_range() -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the oldest Python for which the pins of the book are tested, and the first that is too new for them."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    minors = [int(minor) for minor in re.findall(r'"Programming Language :: Python :: 3\.(\d+)"', text)]
    return (3, min(minors)), (3, max(minors) + 1)


def series() -> list[str]:
    """Return the Pythons of the range, newest first, as in "3.13"."""
    (_, low), (_, high) = python_range()
    return [f"3.{minor}" for minor in range(high - 1, low - 1, -1)]


def python_trouble(version: tuple[int, ...], implementation: str = "CPython", *, free_threaded: bool = False) -> str:
    """Return why this Python cannot be used and which can, or an empty string."""
    low, high = python_range()
    name = ".".join(map(str, version[:3]))
    if implementation != "CPython":
        name = f"{implementation} {name}"
    elif free_threaded:
        name += " without the global lock"
    elif low <= tuple(version[:2]) < high:
        return ""
    found = [f"python{minor}" for minor in series() if shutil.which(f"python{minor}")]
    other = found[0] if found else f"python{series()[0]}"
    return (
        f"Python {series()[-1]} to {series()[0]} is needed, but this is {name}. Name another one, as in\n"
        f"    make PYTHON={other} book\n    {other} -m tools.book build\n"
        f"or let uv fetch one: uv run --no-project --python {series()[0]} -m tools.book build"
    )


def machine_trouble(system: str, machine: str, pointer_bits: int = 64) -> str:
    """Return why PyTorch has no build for this machine and what its owner can do, or an empty string."""
    if system == "darwin" and machine != "arm64":
        return f"PyTorch is no longer built for Macs with an Intel processor (or a Python made for one). {INSTEAD}"
    if system == "win32" and machine.upper() != "AMD64":
        return f"On Windows a 64-bit Python for x86-64 is needed, but this one is for {machine}. {INSTEAD}"
    if pointer_bits != 64 or machine not in ("x86_64", "AMD64", "arm64", "aarch64"):
        return f"PyTorch is not built for {pointer_bits}-bit {machine}. {INSTEAD}"
    return ""


def system_trouble(system: str, release: str) -> str:
    """Return that the system is older than the builds of PyTorch need, or an empty string.

    `release` is that of macOS, or what Linux says of its C library, as in "glibc 2.36".
    """
    numbers = tuple(map(int, re.findall(r"\d+", release)))
    if system == "darwin" and numbers < (14,):
        return f"PyTorch needs macOS 14 or newer, but this is {release}. {INSTEAD}"
    if system == "linux" and (not release.startswith("glibc") or numbers < (2, 28)):
        return f"PyTorch needs Linux with glibc 2.28 or newer, but this is {release or 'another C library'}. {INSTEAD}"
    return ""


def c_library() -> str:
    """Return the name and version of the C library, where the system tells them."""
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (AttributeError, OSError, ValueError):
        return ""


def here_trouble() -> str:
    """Return what keeps the Python that runs this from holding the book, or an empty string."""
    free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    release = platform.mac_ver()[0] if sys.platform == "darwin" else c_library()
    return (
        python_trouble(tuple(sys.version_info[:3]), platform.python_implementation(), free_threaded=free)
        or machine_trouble(sys.platform, platform.machine(), 64 if sys.maxsize > 2**32 else 32)
        or system_trouble(sys.platform, release)
    )


def disk_trouble(folder: Path, needed: float) -> str:
    """Return that the disk of a folder, which may not exist yet, has less room than so many GB, or an empty string."""
    place = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(place).free / 1e9
    if free >= needed:
        return ""
    return f"The packages need {needed:g} GB on the disk of {place}, but {free:.1f} GB are free. Make room, and repeat."


def agrees(question: str) -> bool:
    """Return whether the reader says yes, and True where nobody is there to be asked, as on a server that tests."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def venv_trouble() -> str:
    """Return why this Python cannot create an environment, or an empty string: Debian packs that part separately."""
    if find_spec("venv") and find_spec("ensurepip"):
        return ""
    name = f"python3.{sys.version_info[1]}-venv"
    return f"This Python cannot create environments. On Debian or Ubuntu: apt-get install {name}"


def pip_says(*arguments: str) -> str:
    """Return what the pip of this Python prints, on lines that are not broken."""
    command = [sys.executable, "-m", "pip", *arguments]
    environment = {**os.environ, "COLUMNS": "4000", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False).stdout


def package_index() -> str:
    """Return the address from which pip would take packages, empty when it is told to ask none.

    It is the default that pip names in its own help, which follows its environment variables and its files.
    """
    if re.search(r"\.no-index='(1|true|yes|on)'", pip_says("config", "list"), re.IGNORECASE):
        return ""
    named = re.search(r"--index-url <url>.*?\(default:? (\S+?)\)", pip_says("install", "--help"), re.DOTALL)
    return named[1] if named else ""


def gateway(url: str) -> tuple[str, int] | None:
    """Return the host and port to be reached for an address: a proxy's, if one is set; None for a local folder."""
    parts = urlsplit(url)
    if parts.scheme not in PORTS:
        return None
    proxy = os.environ.get("PIP_PROXY") or getproxies().get(parts.scheme)
    if proxy and not proxy_bypass(parts.hostname):
        parts = urlsplit(proxy if "//" in proxy else f"//{proxy}", scheme="http")
    return parts.hostname, parts.port or PORTS.get(parts.scheme, 80)


def within(seconds: float, question: Callable[[], bool]) -> bool:
    """Return what a question is answered within that time, and False after it: looking up a name has no time limit."""
    answers: list[bool] = []
    asking = threading.Thread(target=lambda: answers.append(question()), daemon=True)
    asking.start()
    asking.join(seconds)
    return bool(answers and answers[0])


def connects(there: tuple[str, int], seconds: float) -> bool:
    """Return whether a host takes a connection."""
    try:
        socket.create_connection(there, timeout=seconds).close()
    except OSError:
        return False
    return True


def replies(url: str, seconds: float) -> bool:
    """Return whether there is any reply to a question for the head of a page, a refusal included.

    Nothing that is said is used, so the certificate may be one that only pip was told about.
    """
    asked = Request(url, method="HEAD")
    try:
        with urlopen(asked, timeout=seconds, context=ssl._create_unverified_context()):
            return True
    except HTTPError:
        return True
    except (OSError, HTTPException):
        return False


def reachable(url: str, seconds: float = PATIENCE) -> bool:
    """Return whether a package index answers: a connection within `seconds`, then a reply within five times that."""
    there = gateway(url)
    if there is None:
        return True
    if not within(seconds, lambda: connects(there, seconds)):
        return False
    return within(5 * seconds, lambda: replies(url.rstrip("/") + "/pip/", 5 * seconds))


def network_trouble() -> str:
    """Return that the packages cannot be had, with what to do about it, or an empty string."""
    url = package_index()
    if not url or reachable(url):
        return ""
    return (
        f"The packages are not installed yet, and {urlsplit(url).hostname}, where pip gets them, does not answer. "
        "Connect to the network and repeat the command; behind a firewall, set PIP_INDEX_URL or HTTPS_PROXY. "
        "A book that is built needs no network."
    )
