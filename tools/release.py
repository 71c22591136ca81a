"""Say what is missing before a version is released; nothing is published until this finds nothing.

    python -m tools.release v1.0.0

The owner of a copy fills in who wrote it and how they are reached. The version is stated in `regattn/__init__.py`; the
tag, the citation, the recipe and a section of `CHANGELOG.md` name the same.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACEHOLDER = re.compile(r"\b(AUTHOR|AFFILIATION|ORCID|CONTACT|MAINTAINER|OWNER/NAME|OWNER\.github\.io)\b")
FILLED = (
    "CITATION.cff",
    ".zenodo.json",
    "CODE_OF_CONDUCT.md",
    "paper/paper.md",
    "README.md",
    "pyproject.toml",
    "recipe/meta.yaml",
)


def version(root: Path = ROOT) -> str:
    """Return the version of the package in a folder, read and not imported."""
    text = (root / "regattn" / "__init__.py").read_text(encoding="utf-8")
    return re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)[1]


def missing(tag: str, root: Path = ROOT) -> list[str]:
    """Return what stands against a release under a tag, a sentence each: the file, its line and what to do."""
    here = version(root)
    found = [] if tag == f"v{here}" else [f"the tag is {tag}, regattn/__init__.py says {here}"]
    for name in FILLED:
        for number, line in enumerate((root / name).read_text(encoding="utf-8").splitlines(), 1):
            found += [f"{name}, line {number}: fill in {hit[0]}" for hit in PLACEHOLDER.finditer(line)]
    if f"\n## [{here}]" not in (root / "CHANGELOG.md").read_text(encoding="utf-8"):
        found.append(f"CHANGELOG.md has no section [{here}]")
    for name, line in {
        "CITATION.cff": f"version: {here}",
        "recipe/meta.yaml": f'{{% set version = "{here}" %}}',
    }.items():
        if line not in (root / name).read_text(encoding="utf-8").splitlines():
            found.append(f"{name} does not give version {here}")
    if "\n[project.urls]" not in (root / "pyproject.toml").read_text(encoding="utf-8"):
        found.append("pyproject.toml has no [project.urls]")
    return found


if __name__ == "__main__":
    problems = missing(sys.argv[1])
    print("\n".join(problems) or "nothing is missing")
    sys.exit(bool(problems))
