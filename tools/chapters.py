"""Number the chapters as the contents order them, begin a new one, and find numbers in the text that are wrong.

    .venv/bin/python -m tools.chapters renumber
    .venv/bin/python -m tools.chapters new state_space --after panels --title "A state that moves"
    .venv/bin/python -m tools.chapters check

Of all names only those of a chapter's three files carry its number. `renumber` gives them the numbers that their order
in _toc.yml says, and puts the new ones wherever a text leads to such a file or says "chapter 7". `new` begins the three
files and the module of exercises and renumbers what follows. `check` names every link whose words say another number
than its file, and every "chapter 7" on a page that is no link.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
from nbformat.v4 import new_markdown_cell

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
from chapters import Chapter, chapters  # noqa: E402, where the extensions of the book are

from regattn._files import write_whole  # noqa: E402

TEXTS = {".py", ".pyi", ".md", ".ipynb", ".yml", ".toml", ".txt", ".css", ".js"}
HISTORY = "CHANGELOG.md"  # says what numbers were
BESIDE = {"book/solutions": ".ipynb", "teach/guide": ".md"}  # where a chapter has a file of its own name
NUMBERS = r"\d+(?:(?:, and |, | and | to )\d+)*"
SPOKEN = re.compile(rf"\b(chapters?[ _])({NUMBERS})", re.IGNORECASE)
TARGET = r"\([\w./-]*?(?P<of>\d\d)_\w+\.(?:ipynb|md)(?:#(?!ex-)[\w.-]+)?\)"
LINK = re.compile(
    rf"(?P<before>\[(?:chapter )?|^\| )(?P<number>\d+)(?P<after>\]|(?: \| \[[^]]+\]))(?={TARGET})", re.I | re.M
)
REFERENCE = re.compile(r"\{ref\}`chapter (\d+) <([\w-]+)>`")
LABEL = re.compile(r'<a id=\\"([\w-]+)\\"></a>|\$\$ \(([\w-]+)\)')
TEACHING = """\
# Teaching · {title}

Read [the chapter](../../{page}.ipynb) and its [solutions](../../book/solutions/{name}.ipynb). \
Slides, after `make slides`: `_build/revealjs/{page}.html`.

Before it: chapter [{before.number}](../../{before.page}.ipynb).

{headings}

The [open question](../../{page}.ipynb#open-question), on the \
[common scale](../../book/reference/teaching.md#rubrics).
"""
PARTS = ("Outcomes", "Minutes", "On the board", "Predictions", "Pitfalls", "Discussion", "Quiz", "Exercises", "Slides")
HEADINGS = "\n\n".join(f"## {part}" for part in PARTS)


def texts(root: Path) -> Iterator[Path]:
    """Yield the files in which a chapter's number may stand."""
    for folder, below, names in os.walk(root):
        below[:] = [name for name in below if not name.startswith((".", "_build", "node_modules"))]
        yield from (Path(folder, name) for name in names if Path(name).suffix in TEXTS and name != HISTORY)


def files(chapter: Chapter) -> list[str]:
    """Return the files that have the name of a chapter, below the root."""
    return [f"{chapter.page}.ipynb", *(f"{folder}/{chapter.name}{suffix}" for folder, suffix in BESIDE.items())]


def speaker(numbers: dict[int, int]) -> Callable[[re.Match], str]:
    """Return what puts new numbers into "chapters 7 and 8", given the new number by the old one."""
    return lambda found: found[1] + re.sub(r"\d+", lambda one: str(numbers.get(int(one[0]), one[0])), found[2])


def renumber(root: Path) -> dict[str, str]:
    """Give the chapters below a root the numbers of their order in the contents; return old names and new ones."""
    order = list(enumerate(chapters(root), start=1))
    names = {chapter.name: f"{number:02d}_{chapter.slug}" for number, chapter in order}
    numbers = {chapter.number: number for number, chapter in order}
    named = re.compile(rf"\b(?:{'|'.join(names)})\b")
    for path in texts(root):
        text = path.read_text(encoding="utf-8")
        new = named.sub(lambda found: names[found[0]], SPOKEN.sub(speaker(numbers), text))
        new = LINK.sub(lambda found: f"{found['before']}{int(found['of'])}{found['after']}", new)
        if new != text:
            write_whole(path, new)
    for _, chapter in order:
        for file in map(root.joinpath, files(chapter)):
            file.rename(file.with_name(names[chapter.name] + file.suffix))
    return names


def begin(root: Path, slug: str, after: str, title: str) -> None:
    """Begin a chapter after another one: its notebook, solutions, page for teachers and exercises.

    Raises
    ------
    ValueError
        If there is a chapter of that name, none to come after, or the name is not one of a module.
    """
    known = {chapter.slug: chapter for chapter in chapters(root)}
    if after not in known:
        raise ValueError(f"there is no chapter {after!r} to come after; there are {', '.join(known)}")
    if slug in known or not re.fullmatch(r"[a-z]\w*", slug):
        raise ValueError(f"a chapter's name is new and that of a module, got {slug!r}")
    before = known[after]
    chapter = Chapter(0, slug, f"{before.page.rpartition('/')[0]}/00_{slug}")
    page, solutions, guide = map(root.joinpath, files(chapter))
    notebook = nbformat.read(root / f"{before.page}.ipynb", as_version=4)
    anchor = f'<a id="{slug.replace("_", "-")}"></a>'
    for path, text in ((page, f"{anchor}\n# {title}"), (solutions, f"# Solutions · {title}")):
        notebook.cells = [new_markdown_cell(text, id="title")]
        nbformat.write(notebook, path)
    named = {"title": title, "page": chapter.page, "name": chapter.name, "before": before}
    told = TEACHING.format(**named, headings=HEADINGS)
    guide.write_text(told, encoding="utf-8")
    exercises = root / "regattn" / "exercises" / f"{slug}.py"
    exercises.write_text(f'"""Exercises of the chapter: {title}."""\n\nEXERCISES = {{}}\n', encoding="utf-8")
    contents = root / "_toc.yml"
    line = re.compile(rf"^( *- file: [\w/-]+/){before.name}\n", re.MULTILINE)
    listed = line.sub(rf"\g<0>\g<1>{chapter.name}\n", contents.read_text(encoding="utf-8"))
    write_whole(contents, listed)
    renumber(root)


def prose(path: Path) -> str:
    """Return the text of a page without its code."""
    if path.suffix != ".ipynb":
        return path.read_text(encoding="utf-8")
    cells = nbformat.read(path, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def wrong(root: Path) -> list[str]:
    """Return what is wrong with the numbers of chapters below a root, one line each."""
    found = chapters(root)
    lines = [f"{one.page} is number {at}: renumber" for at, one in enumerate(found, start=1) if one.number != at]
    lines += [f"{file} is missing" for one in found for file in files(one) if not (root / file).exists()]
    homes = {}
    for chapter in found:
        text = (root / f"{chapter.page}.ipynb").read_text(encoding="utf-8")
        homes |= {anchor or equation: chapter.number for anchor, equation in LABEL.findall(text)}
    pages = [
        *(root / "book").rglob("*.md"),
        *(root / "book").rglob("*.ipynb"),
        *(root / "teach" / "guide").glob("*.md"),
    ]
    for path in [*pages, root / "README.md"]:
        text = path.read_text(encoding="utf-8")
        said = [(link[0], int(link["number"]), int(link["of"])) for link in LINK.finditer(text)]
        said += [(one[0], int(one[1]), homes.get(one[2])) for one in REFERENCE.finditer(text)]
        lines += [
            f"{path.relative_to(root)}: {words} leads to chapter {of}" for words, number, of in said if number != of
        ]
    for path in pages:
        bare = REFERENCE.sub("", LINK.sub("", prose(path)))
        lines += [f"{path.relative_to(root)}: {mention[0]!r} is no link" for mention in SPOKEN.finditer(bare)]
    return lines


def main() -> int:
    """Do what the command says; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("renumber")
    commands.add_parser("check")
    new = commands.add_parser("new")
    new.add_argument("slug")
    new.add_argument("--after", required=True)
    new.add_argument("--title", required=True)
    given = parser.parse_args()
    if given.command == "new":
        begin(ROOT, given.slug, given.after, given.title)
    elif given.command == "renumber":
        renumber(ROOT)
    found = wrong(ROOT)
    print("\n".join(found) or f"{len(chapters())} chapters, every number in its place")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
