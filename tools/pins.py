"""Rewrite the second half of requirements.txt: the exact version of everything that the pins above it need.

The walk follows the metadata of the installed packages for Python 3.11 to 3.13 on Linux and macOS, so that a package
which only some of them need carries a marker. Run it with `make pins` after changing a direct pin and `make setup`.
"""

from __future__ import annotations

import sys
from importlib import metadata
from itertools import product
from pathlib import Path

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REQUIREMENTS = Path(__file__).parents[1] / "requirements.txt"
BORDER = "# Everything those need (written by `make pins`)"
PYTHONS = ("3.11", "3.12", "3.13")
SYSTEMS = {"linux": ("Linux", "x86_64"), "darwin": ("Darwin", "arm64")}
NOT_HERE = {"appnope": "1.0.0"}  # needed on macOS only, so its version cannot be read off a Linux machine


def environments() -> dict[tuple[str, str], dict[str, str]]:
    """Return the markers of each Python and system that the pins must serve."""
    found = {}
    for python, platform in product(PYTHONS, SYSTEMS):
        system, machine = SYSTEMS[platform]
        found[python, platform] = {
            **default_environment(),
            "python_version": python,
            "python_full_version": f"{python}.0",
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
        for line in [] if key in NOT_HERE else metadata.requires(name) or []:
            need = Requirement(line)
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
    if len(platforms) != len(SYSTEMS):
        terms.append(f'sys_platform == "{platforms[0]}"')
    return "; " + " and ".join(f"({term})" if " or " in term else term for term in terms)


def main() -> None:
    """Rewrite requirements.txt below its border line."""
    head = REQUIREMENTS.read_text().split(BORDER)[0].rstrip()
    direct = [Requirement(line.split("#")[0]) for line in head.splitlines() if line.split("#")[0].strip()]
    here = [pin for pin in direct if pin.marker is None or pin.marker.evaluate()]
    needed: dict[str, set[tuple[str, str]]] = {}
    for where, environment in environments().items():
        names = [pin.name for pin in here if pin.marker is None or pin.marker.evaluate(environment)]
        for name in closure(names, environment):
            needed.setdefault(name, set()).add(where)
    above = {canonicalize_name(pin.name) for pin in direct}
    for pin in here:
        installed = metadata.version(pin.name).split("+")[0]
        if not pin.specifier.contains(installed):
            sys.exit(f"{pin} is asked for but {installed} is installed: run `make setup` first")
    lines = [
        f"{name}=={NOT_HERE.get(name) or metadata.version(name)}{marker(needed[name])}"
        for name in sorted(set(needed) - above)
    ]
    REQUIREMENTS.write_text("\n".join([head, "", BORDER, *lines, ""]))
    print(f"{len(direct)} direct pins, {len(lines)} below them")


if __name__ == "__main__":
    main()
