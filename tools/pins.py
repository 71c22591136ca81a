"""Rewrite the second half of every file of pins: the exact version of everything that the pins above it need.

The walk follows the metadata of the installed packages for every Python and system that the book is for, so that a
package which only some of them need carries a marker. What PyTorch needs for CUDA is left out: it names exact versions
of that itself, and only its build for Linux with CUDA asks for it. Run it with `make pins` after changing a direct pin.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import metadata
from itertools import product
from pathlib import Path

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

sys.path.insert(0, str(Path(__file__).parents[1]))
from tools.machine import ROOT, series

READERS, TESTERS = ROOT / "requirements.txt", ROOT / "requirements-test.txt"
TEACHERS = ROOT / "teach" / "requirements.txt"
BORDER = "# Everything those need (written by `make pins`)"
PYTHONS = tuple(reversed(series()))
SYSTEMS = {"linux": ("Linux", "x86_64"), "darwin": ("Darwin", "arm64"), "win32": ("Windows", "AMD64")}
# Needed on macOS or Windows only, so their versions cannot be read off a Linux machine. They need nothing themselves.
ELSEWHERE = {"appnope": "1.0.0", "colorama": "0.4.6", "pywin32": "312", "pywinpty": "3.1.2"}
CUDA = ("cuda-", "nvidia-", "triton")


def environments() -> dict[tuple[str, str], dict[str, str]]:
    """Return the markers of each Python and system that the pins must serve."""
    found = {}
    for python, platform in product(PYTHONS, SYSTEMS):
        system, machine = SYSTEMS[platform]
        found[python, platform] = {
            **default_environment(),
            "python_version": python,
            "python_full_version": f"{python}.0",
            "os_name": "nt" if platform == "win32" else "posix",
            "sys_platform": platform,
            "platform_system": system,
            "platform_machine": machine,
        }
    return found


def closure(names: list[str], environment: dict[str, str]) -> set[str]:
    """Return the names of all packages that `names` need in one environment, themselves included."""
    extras: dict[str, set[str]] = {}
    waiting = [(name, set()) for name in names]
    while waiting:
        name, wanted = waiting.pop()
        key = canonicalize_name(name)
        if key in extras and wanted <= extras[key]:
            continue
        extras[key] = extras.get(key, set()) | wanted
        for line in [] if key in ELSEWHERE else metadata.requires(name) or []:
            need = Requirement(line)
            if canonicalize_name(need.name).startswith(CUDA):
                continue
            if need.marker is None or any(need.marker.evaluate({**environment, "extra": x}) for x in ("", *wanted)):
                waiting.append((need.name, set(need.extras)))
    return set(extras)


def marker(where: set[tuple[str, str]]) -> str:
    """Return the environment marker of a package that is needed only in `where`."""
    if where == set(product(PYTHONS, SYSTEMS)):
        return ""
    pythons = sorted({python for python, _ in where})
    platforms = sorted({platform for _, platform in where})
    if where != set(product(pythons, platforms)):
        raise ValueError(f"no simple marker says {sorted(where)}")
    terms = []
    if pythons != list(PYTHONS):
        terms.append(" or ".join(f'python_version == "{python}"' for python in pythons))
    if len(platforms) < len(SYSTEMS):
        terms.append(" or ".join(f'sys_platform == "{platform}"' for platform in platforms))
    return "; " + " and ".join(f"({term})" if " or " in term and len(terms) > 1 else term for term in terms)


def direct_pins(path: Path) -> tuple[str, list[Requirement]]:
    """Return the upper half of a file of pins, and the pins that stand there."""
    head = path.read_text(encoding="utf-8").split(BORDER)[0].rstrip()
    lines = [line.split("#")[0].strip() for line in head.splitlines()]
    return head, [Requirement(line) for line in lines if line and not line.startswith("-r ")]


def check_installed(pins: Iterable[Requirement]) -> None:
    """Leave unless what is installed here is what the direct pins ask for."""
    for pin in pins:
        if pin.marker is None or pin.marker.evaluate():
            installed = metadata.version(pin.name).split("+")[0]
            if not pin.specifier.contains(installed):
                sys.exit(f"{pin} is asked for but {installed} is installed: run `make setup-test setup-teach` first")


def needs(pins: list[Requirement]) -> dict[str, str]:
    """Return every package that the direct pins need, themselves included, with its marker."""
    here = [pin for pin in pins if pin.marker is None or pin.marker.evaluate()]
    needed: dict[str, set[tuple[str, str]]] = {}
    for where, environment in environments().items():
        names = [pin.name for pin in here if pin.marker is None or pin.marker.evaluate(environment)]
        for name in closure(names, environment):
            needed.setdefault(name, set()).add(where)
    return {name: marker(where) for name, where in needed.items()}


def rewrite(path: Path, head: str, needed: dict[str, str], above: set[str]) -> None:
    """Write a file of pins: its upper half, then what is needed and does not stand above."""
    lines = [
        f"{name}=={ELSEWHERE.get(name) or metadata.version(name).split('+')[0]}{needed[name]}"
        for name in sorted(set(needed) - above)
    ]
    path.write_text("\n".join([head, "", BORDER, *lines, ""]), encoding="utf-8")
    print(f"{path.relative_to(ROOT).as_posix()}: {len(lines)} packages below the border")


def main() -> None:
    """Rewrite each file below its border line; those of the tests and the kit hold what the readers' file does not."""
    head, pins = direct_pins(READERS)
    others = {path: direct_pins(path) for path in (TESTERS, TEACHERS)}
    check_installed([*pins, *(pin for _, own in others.values() for pin in own)])
    own = {canonicalize_name(pin.name) for pin in pins}
    readers = needs(pins)
    rewrite(READERS, head, readers, own)
    for path, (other_head, other_pins) in others.items():
        everyone = needs([*pins, *other_pins])
        narrow = {name for name in set(readers) - own if readers[name] != everyone[name]}
        above = {canonicalize_name(pin.name) for pin in other_pins} | set(readers) - narrow
        rewrite(path, other_head, everyone, above)


if __name__ == "__main__":
    main()
