"""Copy this repository for students: `make students` writes `_build/regattn-students-source.zip`, or into FOLDER.

Whoever has the repository has the key of every mark: the hidden tests and the statements of teach/questions, the keys
of the quizzes, the plans of the pages for teachers. The copy has what `make book` and the notebooks need and none of
that; solutions to exercises are for practice, and stay. Of a page for teachers it has what its chapter shows: what a
reader will be able to do, and what comes before. The copy of one state is the same byte for byte.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "book" / "_ext")]
from audience import for_students, left_out, unlinked  # noqa: E402
from chapter_frame import NEEDS, OUTCOMES  # noqa: E402

from tools.archive import write_zip  # noqa: E402

TARGET = ROOT / "_build"
NAME = "regattn-students-source.zip"
TOP = "regattn-students"  # the folder that the archive unpacks to
FOLDERS = ("benchmarks", "binder", "book", "regattn", "tests/ledger")  # the ledger shows names and lines of its tests
FILES = (
    ".gitattributes",
    ".gitignore",
    "CITATION.cff",
    "LICENSE",
    "LICENSE-text",
    "LICENSE-wikipedia",
    "Makefile",
    "README.md",
    "_config.yml",
    "_toc.yml",
    "pyproject.toml",
    "requirements-test.txt",  # the set-up takes uv from it
    "requirements.txt",
)
LAUNCHER = ("__init__", "archive", "book", "machine")
SCRIPTS = (  # what chapters and the package say they were computed by, and what those import
    "circle",
    "codes",
    "coverage",
    "employment",
    "forecasts",
    "heads",
    "leak",
    "monte_carlo",
    "positions",
    "published_attention",
    "published_network",
    "race",
    "recorded_runs",
    "train_grammar_model",
    "train_induction_model",
    "train_small_block",
    "train_news_models",
    "wikipedia",
    "words",
)
TOOLS = {f"tools/{name}.py" for name in (*LAUNCHER, *SCRIPTS)}
GUIDE = re.compile(r"teach/guide/\d\d_\w+\.md")
TARGETS = (
    "help",
    "setup",
    "setup-test",
    "book",
    "serve",
    "zip",
    "lab",
    "bench",
    "strip",
    "links",
    "clean",
    "distclean",
)
PAGES = (".md", ".ipynb")
HEAD = "# Regression Is Attention, a copy for students: `make book` builds the book, `make` lists the rest."
NOTE = """\
This copy is for students: the book with the solutions to its exercises, and the package. What teachers use and the
tests are not in it, so `make test` is not either."""
ONE = {"## Two commands": "## One command"}  # the other was `make test`
LAUNCHED = "`build`, `test`, `lab`"  # what the README says that the launcher can do
RULE = re.compile(r'(?m)^"teach/[^"]*" = .*\n')  # of ruff, for the questions
FOR_TEACHERS = "For teachers: "  # how the paragraph of the README begins


def tracked(root: Path) -> list[str]:
    """Return the files that git knows in a checkout, sorted.

    Raises
    ------
    ValueError
        If the folder is no checkout.
    """
    done = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(f"{root} is no git checkout, which tells what belongs to it: {done.stderr.strip()}")
    return sorted(filter(None, done.stdout.split("\0")))


def kept(name: str) -> bool:
    """Return whether students need a file.

    Examples
    --------
    >>> kept("book/notation.md"), kept("book/reference/teaching.md"), kept("teach/quizzes/masks.yml")
    (True, False, False)
    """
    inside = any(name.startswith(f"{folder}/") for folder in FOLDERS)
    return (inside or name in FILES or name in TOOLS or bool(GUIDE.fullmatch(name))) and (
        bool(GUIDE.fullmatch(name)) or not left_out(name.rpartition(".")[0])
    )


def of_the_guide(text: str) -> str:
    """Return what a chapter shows of its page for teachers."""
    found = [text.partition("\n")[0], NEEDS.search(text), OUTCOMES.search(text)]
    return "\n\n".join(part if isinstance(part, str) else part[0].strip() for part in found if part) + "\n"


def of_the_makefile(text: str) -> str:
    """Return the targets that work in the copy."""
    head, phony, *rules = text.split("\n\n")
    rules = [rule for rule in rules if rule.partition(":")[0] in TARGETS]
    names = " ".join(name for name in TARGETS if any(rule.startswith(f"{name}:") for rule in rules))
    head = "\n".join([HEAD, *head.split("\n")[1:]])
    phony = re.sub(r"(?m)^\.PHONY:.*$", f".PHONY: {names}", phony)
    return "\n\n".join([head, phony, *(rule.strip("\n") for rule in rules)]) + "\n"


def of_the_project(text: str) -> str:
    """Return pyproject.toml without rules for files that the copy does not have."""
    return RULE.sub("", text)


def of_the_readme(text: str) -> str:
    """Return the README of the copy, which says what it is."""
    title, *paragraphs = text.split("\n\n")
    own = [ONE.get(paragraph, paragraph) for paragraph in paragraphs if not paragraph.startswith(FOR_TEACHERS)]
    lines = "\n\n".join([title, NOTE, *own]).replace(LAUNCHED, LAUNCHED.replace(" `test`,", "")).split("\n")
    return unlinked("\n".join(line for line in lines if not line.startswith("    make test")), "README.md")


def content(name: str, root: Path) -> bytes:
    """Return what the copy has in a file: pages without links to those for teachers, and contents without them."""
    read = (root / name).read_bytes()
    if GUIDE.fullmatch(name):
        return of_the_guide(read.decode()).encode()
    if name == "_toc.yml":
        return yaml.safe_dump(for_students(yaml.safe_load(read)), allow_unicode=True, sort_keys=False).encode()
    if name == "Makefile":
        return of_the_makefile(read.decode()).encode()
    if name == "pyproject.toml":
        return of_the_project(read.decode()).encode()
    if name == "README.md":
        return of_the_readme(read.decode()).encode()
    if name.startswith("book/") and name.endswith(PAGES):
        return unlinked(read.decode(), name).encode()
    return read


def copy(root: Path = ROOT) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the copy of a checkout, by name, each with what is in it."""
    for name in filter(kept, tracked(root)):
        yield f"{TOP}/{name}", content(name, root)


def main() -> None:
    """Write the copy and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=TARGET, help="where it goes")
    target = parser.parse_args().folder / NAME
    try:
        size = write_zip(target, copy())
    except ValueError as error:
        sys.exit(str(error))
    print(f"{os.path.relpath(target)}: {size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
