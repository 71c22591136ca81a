"""Print the built book into one PDF, _build/regattn-book.pdf: contents, page numbers, bookmarks, links, no network.

A headless Chromium prints page by page; explorers stand as they open, walks at their end, and what is wider than the
paper is set smaller. Then the pages are bound: a link from one page of the book to another leads there in the PDF, too.
"""

from __future__ import annotations

import argparse
import html
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import unquote, urldefrag, urlsplit

import yaml
from pypdf import PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    Fit,
    FloatObject,
    NameObject,
    NullObject,
    TextStringObject,
)

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from tests.browser import launch, open_offline  # noqa: E402

TITLE = "Regression Is Attention"
PAPER, MARGIN = (210.0, 297.0), {"top": 20.0, "bottom": 20.0, "left": 18.0, "right": 18.0}  # millimetres
COLUMN = round((PAPER[0] - MARGIN["left"] - MARGIN["right"]) / 25.4 * 96)  # pixels of the text
LENGTH = round((PAPER[1] - MARGIN["top"] - MARGIN["bottom"]) / 25.4 * 96)  # pixels from its first line to its last
FONT = "/RegattnNumber"
SMALL = '<div style="width: 100%; margin: 0 18mm; font: 8px sans-serif; color: #5a5f66; text-align: right">{}</div>'
HEAD = SMALL.format('<span class="title"></span>')
STYLE = """
.bd-header, .bd-sidebar, .bd-header-article, .bd-footer, .prev-next-area, .exercise-answer, .toggle-details__summary,
.bd-article :is(.headerlink, .copybtn, .ra-menu) { display: none !important; }
.bd-main, .bd-content, .bd-article-container, .bd-article { display: block !important; max-width: none !important; }
.bd-main, .bd-content, .bd-article-container, .bd-article { padding: 0 !important; margin: 0 !important; }
.bd-article section > :is(p, ul, ol, dl, blockquote), .bd-article .admonition > * { max-width: none !important; }
html, body { font-size: 13px !important; }
.bd-article :is(div.math, div.cell_output, .pst-scrollable-table-container, .output) { overflow: visible !important; }
.bd-article div.math, .bd-article mjx-container[display="true"] { break-inside: avoid; }
.bd-article .cell_output img { max-height: 115mm; object-fit: contain; }
#jb-print-toc, .bd-article details.section-code { display: none !important; }
.bd-article :is(div.cell_input, pre, table tr) { break-inside: avoid; }
nav.anchors { position: absolute; left: 0; top: 0; width: 1px; height: 1px; overflow: hidden; opacity: 0; }
nav.anchors a { font-size: 1px; position: absolute; }
"""
# A closer look, what is in depth and an answer are open on paper; code that the page folds away stays away.
OPEN = """() => {
  for (const box of document.querySelectorAll(".bd-article details"))
    box.open = Boolean(box.closest(".closer-look, .in-depth, .predict"));
}"""
# What is wider than the column is set smaller, at least to two fifths. Returns what is still too wide, and what must
# not be parted and is longer than a page, so that it would be cut.
FIT = """([column, length]) => {
  const left = [];
  const across = (part) => Math.max(part.getBoundingClientRect().width, part.scrollWidth);
  const found = document.querySelectorAll(
    ".bd-article div.math mjx-math, .bd-article table:not(figure.regattn table), .bd-article div.highlight pre");
  for (const part of found) {
    if (!part.getClientRects().length) continue;
    const box = part.closest("div.math") ?? part;
    const number = part.closest("div.math") && box.querySelector(".eqno") ? 56 : 0;
    const frame = box.parentElement.getBoundingClientRect();
    const room = Math.min(frame.width || column, column) - number;
    if (across(part) > room + 1) box.style.zoom = Math.max(0.4, room / across(part));
    if (part.getBoundingClientRect().right > column + 2) left.push(part.textContent.trim().slice(0, 60));
  }
  for (const part of document.querySelectorAll(".bd-article :is(div.math, tr, img)"))
    if (part.getBoundingClientRect().height > length) left.push(part.textContent.trim().slice(0, 60) || part.alt);
  return left;
}"""
# Chromium makes a destination of each place that a link of the same page leads to.
MARK = """(names) => {
  const list = document.querySelector(".bd-article").appendChild(document.createElement("nav"));
  list.className = "anchors";
  for (const name of names) {
    if (!document.getElementById(name)) continue;
    const link = list.appendChild(document.createElement("a"));
    link.href = "#" + encodeURIComponent(name);
    link.textContent = ".";
  }
  const sections = [...document.querySelectorAll(".bd-article section[id]")];
  return sections.map((section) => {
    const heading = section.querySelector(":scope > :is(h1, h2, h3)");
    const words = heading?.cloneNode(true);
    words?.querySelectorAll(".headerlink, mjx-container mjx-math").forEach((part) => part.remove());
    return [section.id, heading ? Number(heading.tagName[1]) : 0, words?.textContent.trim() ?? ""];
  });
}"""


class Heading(NamedTuple):
    """A heading of a printed page of the book: its label, its level and its words."""

    label: str
    level: int
    words: str


class Printed(NamedTuple):
    """A page of the book on paper."""

    name: str
    pdf: PdfReader
    headings: list[Heading]
    cut: list[str]


class Line(NamedTuple):
    """A line of the table of contents."""

    level: int
    words: str
    address: str
    number: int


class Part(NamedTuple):
    """A part of the book: its caption and its pages."""

    caption: str
    pages: list[str]


def parts(book: Path) -> list[Part]:
    """Return the parts of the table of contents, of which the first is the page it begins with."""
    toc = yaml.safe_load((book.parents[1] / "_toc.yml").read_text(encoding="utf-8"))
    return [
        Part("", [toc["root"]]),
        *(
            Part(
                part.get("caption", ""),
                [each["file"] for page in part["chapters"] for each in (page, *page.get("sections", []))],
            )
            for part in toc["parts"]
        ),
    ]


def targets(book: Path, pages: list[str]) -> dict[str, set[str]]:
    """Return the labels in each page that a link of some page of the book leads to."""
    found: dict[str, set[str]] = {page: set() for page in pages}
    for page in pages:
        path = book / f"{page}.html"
        for link in hrefs(path.read_text(encoding="utf-8")):
            address, label = urldefrag(link)
            name = name_of(book, (path.parent / unquote(address)) if address else path)
            if label and name in found:
                found[name].add(unquote(label))
    return found


def hrefs(text: str) -> Iterator[str]:
    """Yield the addresses within a site that a page links to."""
    for piece in text.split('href="')[1:]:
        address = html.unescape(piece.split('"', 1)[0])
        if not urlsplit(address).scheme:
            yield address


def name_of(book: Path, path: Path) -> str:
    """Return the name of a page of the book at a path, or an empty string."""
    absolute = Path(os.path.normpath(path))
    return absolute.relative_to(book).with_suffix("").as_posix() if absolute.is_relative_to(book) else ""


def paper(page, *, head: str = HEAD) -> PdfReader:
    """Return a page of a browser on paper."""
    margin = {side: f"{size}mm" for side, size in MARGIN.items()}
    size = {"width": f"{PAPER[0]}mm", "height": f"{PAPER[1]}mm", "margin": margin}
    data = page.pdf(
        **size, print_background=True, display_header_footer=True, header_template=head, footer_template=" "
    )
    return PdfReader(io.BytesIO(data))


def printed(browser, book: Path, name: str, labels: set[str]) -> Printed:
    """Return a page of the book on paper."""
    with open_offline(browser, book / f"{name}.html", width=COLUMN) as page:
        page.wait_for_function("!document.documentElement.classList.contains('waits-for-formulas')", timeout=120_000)
        page.emulate_media(media="print")
        page.add_style_tag(content=STYLE)
        page.evaluate(OPEN)
        own = page.evaluate("[...document.querySelectorAll('.bd-article section[id]')].map((part) => part.id)")
        headings = page.evaluate(MARK, sorted(labels | set(own)))
        page.evaluate(FIT, [COLUMN, LENGTH])
        cut = page.evaluate(FIT, [COLUMN, LENGTH])
        if page.requests:
            raise ValueError(f"{name} asks for {page.requests[0]}, which is not in the book")
        return Printed(name, paper(page), [Heading(*heading) for heading in headings if heading[1]], cut)


def contents(browser, chosen: list[Line]) -> PdfReader:
    """Return the table of contents on paper."""
    lines = "".join(
        f'<p class="level{level}"><a href="{html.escape(address)}"><span>{html.escape(words)}</span>'
        f"<i></i><b>{number}</b></a></p>"
        for level, words, address, number in chosen
    )
    style = (
        "body { font: 13px/1.5 sans-serif; margin: 0 } h1 { font-size: 26px } p { margin: 2px 0; break-inside: avoid }"
        "a { display: flex; gap: 6px; color: #1d2430; text-decoration: none } b { font-weight: 400 }"
        "i { flex: 1; border-bottom: 1px dotted #9aa1a9; margin-bottom: 5px }"
        ".level0 { margin-top: 14px; font-weight: 700; break-after: avoid }"
        ".level2 { padding-left: 18px; font-size: 12px }"
    )
    text = f'<!doctype html><meta charset="utf-8"><title>{TITLE}</title><style>{style}</style><h1>Contents</h1>{lines}'
    with TemporaryDirectory() as folder:
        path = Path(folder, "contents.html")
        path.write_text(text, encoding="utf-8")
        with open_offline(browser, path, width=COLUMN, javascript=False) as page:
            return paper(page)


# --- binding ----------------------------------------------------------------------------------------------------------


class Place(NamedTuple):
    """A place in the bound book: its page, counted from 0, and how far up, in points; None for the top."""

    page: int
    top: float | None


def places(name: str, pdf: PdfReader, first: int) -> dict[tuple[str, str], Place]:
    """Return where the labels of a printed page are in the bound book."""
    found = {(name, ""): Place(first, None)}
    for label, target in pdf.named_destinations.items():
        number = pdf.get_destination_page_number(target)
        if number is not None and number >= 0:
            top = target.top
            found[name, unquote(str(label).lstrip("/"))] = Place(first + number, None if top is None else float(top))
    return found


def lead(writer: PdfWriter, link: DictionaryObject, place: Place) -> None:
    """Have a link lead to a place in the bound book."""
    page = writer.pages[place.page].indirect_reference
    top = NullObject() if place.top is None else FloatObject(place.top)
    link[NameObject("/Dest")] = ArrayObject([page, NameObject("/XYZ"), NullObject(), top, NullObject()])
    link.pop("/A", None)


def relink(writer: PdfWriter, book: Path, owner: list[str], known: dict[tuple[str, str], Place]) -> int:
    """Turn the links to files of the book into links within the PDF; return how many lead nowhere and are dropped."""
    lost = 0
    for number, page in enumerate(writer.pages):
        kept = ArrayObject()
        for reference in page.get("/Annots", ArrayObject()) or []:
            link = reference.get_object()
            place, inside = aim(book, owner[number], link, known)
            if place:
                lead(writer, link, place)
            if place or not inside:
                kept.append(reference)
            else:
                lost += 1
        if "/Annots" in page:
            page[NameObject("/Annots")] = kept
    return lost


def aim(book: Path, owner: str, link: DictionaryObject, known: dict) -> tuple[Place | None, bool]:
    """Return where a link leads in the bound book, and whether it leads into the book at all."""
    action = link.get("/A", {}).get_object() if link.get("/A") else {}
    address = str(action.get("/URI", ""))
    if urlsplit(address).scheme == "file":
        path, label = urldefrag(address)
        name = name_of(book, Path(unquote(urlsplit(path).path)))
        return known.get((name, unquote(label))) or known.get((name, "")), True
    inner = link.get("/Dest", action.get("/D"))
    if isinstance(inner, str):
        return known.get((owner, unquote(inner.lstrip("/")))), True
    return None, not address


def number_pages(writer: PdfWriter) -> None:
    """Write its number at the foot of each page but the first, in a font that every reader of PDF has."""
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    shared = writer._add_object(font)
    for number, page in enumerate(writer.pages[1:], start=2):
        width = float(page.mediabox.width)
        stream = DecodedStreamObject()
        x = width / 2 - 2.5 * len(str(number))
        stream.set_data(f"\nQ q 1 0 0 1 0 0 cm BT {FONT} 9 Tf 0.35 g {x:.1f} 28 Td ({number}) Tj ET Q".encode())
        opening = DecodedStreamObject()
        opening.set_data(b"q\n")
        held = page["/Contents"]
        old = held if isinstance(held.get_object(), ArrayObject) else ArrayObject([page.raw_get("/Contents")])
        content = ArrayObject([writer._add_object(opening), *old.get_object(), writer._add_object(stream)])
        page[NameObject("/Contents")] = content
        resources = page["/Resources"].get_object()
        fonts = resources.setdefault(NameObject("/Font"), DictionaryObject()).get_object()
        fonts[NameObject(FONT)] = shared


def lines_of(book: Path, sections: list[Part], made: dict[str, Printed], known: dict) -> list[Line]:
    """Return the lines of the table of contents."""
    lines = []
    for part in sections:
        pages = [page for page in part.pages if page in made]
        if part.caption and pages:
            first = (book / f"{pages[0]}.html").as_uri()
            lines.append(Line(0, part.caption, first, known[pages[0], ""].page + 1))
        for page in pages:
            for heading in made[page].headings:
                place = known.get((page, heading.label)) or known[page, ""]
                deep = 2 if part.caption.startswith("Part") else 1
                if heading.level <= deep:
                    address = f"{(book / f'{page}.html').as_uri()}#{heading.label}" if heading.level > 1 else ""
                    address = address or (book / f"{page}.html").as_uri()
                    lines.append(Line(heading.level, heading.words, address, place.page + 1))
    return lines


def add_bookmarks(writer: PdfWriter, sections: list[Part], made: dict[str, Printed], known: dict) -> None:
    """Add a bookmark of each part, page and section."""
    for part in sections:
        pages = [page for page in part.pages if page in made]
        above = None
        if part.caption and pages:
            above = writer.add_outline_item(title=part.caption, page_number=known[pages[0], ""].page)
        for page in pages:
            parents = {0: above}
            for heading in made[page].headings:
                place = known.get((page, heading.label)) or known[page, ""]
                parent = parents[max(level for level in parents if level < heading.level)]
                fit = Fit.xyz(top=place.top) if place.top is not None else Fit.fit()
                item = writer.add_outline_item(title=heading.words, page_number=place.page, parent=parent, fit=fit)
                parents = {level: kept for level, kept in parents.items() if level < heading.level}
                parents[heading.level] = item


def bind(browser, book: Path, sections: list[Part], made: dict[str, Printed]) -> PdfWriter:
    """Return the bound book: the first page, the contents, then all other pages."""
    names = [page for part in sections for page in part.pages if page in made]

    def placed(length: int) -> dict[tuple[str, str], Place]:
        known, first = {}, 0
        for k, name in enumerate(names):
            first += length if k == 1 else 0
            known |= places(name, made[name].pdf, first)
            first += len(made[name].pdf.pages)
        return known

    draft = contents(browser, lines_of(book, sections, made, placed(0)))
    known = placed(len(draft.pages))
    table = contents(browser, lines_of(book, sections, made, known))
    writer = PdfWriter()
    owner = []
    for k, name in enumerate(names):
        for other, pdf in [*([("", table)] if k == 1 else []), (name, made[name].pdf)]:
            writer.append(pdf, import_outline=False)
            owner += [other] * len(pdf.pages)
    lost = relink(writer, book, owner, known)
    add_bookmarks(writer, sections, made, known)
    number_pages(writer)
    writer.root_object.pop("/Dests", None)
    writer.root_object[NameObject("/Lang")] = TextStringObject("en")
    writer.add_metadata({"/Title": TITLE, "/Author": f"The authors of {TITLE}"})
    writer.page_mode = "/UseOutlines"
    writer.compress_identical_objects(remove_duplicates=True, remove_unreferenced=True)
    print(f"{len(names)} pages of the book on {len(owner)} of paper; {lost} links lead to no page of it", flush=True)
    return writer


def make(book: Path, target: Path, wanted: list[str] | None = None) -> dict[str, Printed]:
    """Print the built book, or the pages of it that are wanted, into one file; return what was printed.

    Raises
    ------
    ValueError
        If one of its pages asks for something from elsewhere.
    """
    sections = parts(book)
    pages = [page for part in sections for page in part.pages]
    labels = targets(book, pages)
    made = {}
    with launch() as browser:
        for page in pages if wanted is None else [page for page in pages if page in wanted]:
            made[page] = printed(browser, book, page, labels[page])
            for words in made[page].cut:
                print(f"{page}: larger than the paper: {words}", file=sys.stderr, flush=True)
        writer = bind(browser, book, sections, made)
    target.parent.mkdir(parents=True, exist_ok=True)
    writer.write(target)
    return made


def main() -> None:
    """Print the book."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", help="part of the name of a page, such as 03_; all without one")
    parser.add_argument("--book", type=Path, default=ROOT / "_build" / "html", help="the built book")
    parser.add_argument("--target", type=Path, default=ROOT / "_build" / "regattn-book.pdf", help="the file to write")
    given = parser.parse_args()
    book = given.book.resolve()
    if not (book / "index.html").exists():
        sys.exit(f"the PDF is printed from the built book, and there is none in {book}: run `make book` first")
    try:
        every = [page for part in parts(book) for page in part.pages]
        wanted = [p for p in every if any(part in p for part in given.pages)] if given.pages else None
        make(book, given.target, wanted)
    except (ValueError, FileNotFoundError) as error:
        sys.exit(str(error))
    print(f"{os.path.relpath(given.target, Path.cwd())}: {given.target.stat().st_size / 1e6:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
