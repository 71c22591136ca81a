"""The built book as one file: `_build/regattn-book.zip`, which opens from the folder it is unpacked to.

The archive of one state of the pages is the same byte for byte: sorted names, one date, one compression.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

LIMIT = 60_000_000  # bytes: what a mail server or a course page still takes
DATE = (1980, 1, 1, 0, 0, 0)
NOT_READ = {".buildinfo", ".nojekyll", "objects.inv"}  # left by Sphinx for other programs


def members(html: Path) -> list[Path]:
    """Return the files of the built book that a reader's browser may ask for, and no page of an earlier build."""
    known = written(html)
    kept = (path for path in html.rglob("*") if path.is_file() and path.name not in NOT_READ)
    return sorted(path for path in kept if known is None or (page_of(path.relative_to(html)) or "index") in known)


def written(html: Path) -> set[str] | None:
    """Return the pages that the build wrote, as its index of the search lists them; None where there is no index."""
    index = html / "searchindex.js"
    found = re.search(r'"docnames":\s*(\[[^]]*\])', index.read_text(encoding="utf-8")) if index.is_file() else None
    return {"index", *json.loads(found[1])} if found else None


def page_of(path: Path) -> str:
    """Return the page that a file shows, or whose source it is; nothing for any other file, such as one at the top.

    Examples
    --------
    >>> page_of(Path("book/part1-lines/01_lines.html")), page_of(Path("_sources/book/notation.md"))
    ('book/part1-lines/01_lines', 'book/notation')
    >>> page_of(Path("search.html")), page_of(Path("_static/book.css"))
    ('', '')
    """
    if path.parts[0] == "_sources":
        return path.relative_to("_sources").with_suffix("").as_posix()
    shown = path.suffix == ".html" and len(path.parts) > 1 and not path.parts[0].startswith("_")
    return path.with_suffix("").as_posix() if shown else ""


def pack(html: Path, target: Path) -> int:
    """Write the built book to a zip file and return its size in bytes.

    Raises
    ------
    ValueError
        If there is no built book, or if the file is larger than it may be.
    """
    for page in ("index.html", "book/index.html"):
        if not (html / page).is_file():
            raise ValueError(f"{html} holds no built book: there is no {page}")
    return write_zip(target, ((path.relative_to(html).as_posix(), path.read_bytes()) for path in members(html)))


def write_zip(target: Path, files: Iterable[tuple[str, bytes]]) -> int:
    """Write files, each a name and what is in it, to a zip file and return its size in bytes.

    Raises
    ------
    ValueError
        If the file is larger than it may be.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}")
    try:
        with ZipFile(unfinished, "w") as archive:
            for name, content in files:
                entry = ZipInfo(name, DATE)
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, content, ZIP_DEFLATED, compresslevel=9)
        size = unfinished.stat().st_size
        if size > LIMIT:
            raise ValueError(f"{target} has {size / 1e6:.0f} MB, more than the {LIMIT / 1e6:.0f} MB that it may have")
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
    return size
