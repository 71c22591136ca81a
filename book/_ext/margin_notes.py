"""Sphinx extension: what a chapter cites stands beside it, in the free margin: a line with the work's title.

One note for a work, at its first citation in the story; none in boxes and closed parts. On narrow screens and on paper
there is no margin, and the citation leads to the bibliography as it does everywhere. A page whose metadata say
``margin_notes: false`` has none.
"""

from __future__ import annotations

from collections.abc import Iterator

from docutils import nodes
from pybtex.database import Entry
from pybtex.richtext import Text

from chapter_frame import stands_open

CITED = "bibtex-citation"  # the class that sphinxcontrib-bibtex gives to citations
NOTE = "cited-beside"


def citations(paragraph: nodes.paragraph) -> Iterator[nodes.reference]:
    """Yield the links of a paragraph to what it cites."""
    for cited in paragraph.findall(lambda node: isinstance(node, nodes.Element) and CITED in node["classes"]):
        yield from cited.findall(nodes.reference)


def label(entry: Entry) -> str:
    """Return authors and year of a work, as a citation says them; its key where no author is named."""
    names = [str(Text.from_latex(" ".join(person.last_names))) for person in entry.persons.get("author", [])]
    names = names or [entry.fields["key"]]
    who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
    return f"{who}, {entry.fields['year']}"


def note(app, reference: nodes.reference) -> nodes.container:
    """Return a note of one work: authors and year, which lead to the bibliography, and its title."""
    cite = app.env.get_domain("cite")
    anchor = reference["refuri"].partition("#")[2]
    key = next(citation.key for citation in cite.citations if citation.citation_id == anchor)
    entry = cite.bibdata.data.entries[key]
    link = nodes.reference("", label(entry), refuri=reference["refuri"], internal=True)
    title = nodes.emphasis("", str(Text.from_latex(entry.fields["title"])))
    return nodes.container("", nodes.paragraph("", "", link, nodes.Text(": "), title, nodes.Text(".")), classes=[NOTE])


def add_notes(app, doctree: nodes.document, docname: str) -> None:
    """Put a note before each paragraph of a chapter's story that is the first to cite a work."""
    story = app.builder.name == "html" and docname.startswith("book/part")
    if not story or str(app.env.metadata[docname].get("margin_notes")).lower() == "false":
        return
    seen: set[str] = set()
    for paragraph in list(doctree.findall(nodes.paragraph)):
        if not isinstance(paragraph.parent, nodes.section) or not stands_open(paragraph):
            continue
        place = paragraph.parent.index(paragraph)
        new = [one for one in citations(paragraph) if one["refuri"] not in seen and not seen.add(one["refuri"])]
        paragraph.parent[place:place] = [note(app, one) for one in new]


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.connect("doctree-resolved", add_notes, priority=650)  # before parts are closed
    return {"parallel_read_safe": True, "parallel_write_safe": True}
