"""The builder of sphinx-revealjs, which writes decks from what the book has read; nothing is read or executed again.

It opens the environment that the build of the book left, so that equations, references and outputs are the same, and
never writes there.
"""

from __future__ import annotations

import json
import logging
import os
import pickle
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from docutils import nodes
from jupyter_book.config import get_final_config
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import BuildEnvironmentError, ExtensionError
from sphinx.util.docutils import docutils_namespace, patch_docutils
from sphinx.util.parallel import SerialTasks
from sphinx.writers.html5 import HTML5Translator
from sphinx_revealjs.builders import RevealjsHTMLBuilder
from sphinx_revealjs.writers import RevealjsSlideTranslator

from teach.slides.answers import answers_of
from teach.slides.chapter import Item
from teach.slides.guide import guide_of
from teach.slides.pictures import inline
from teach.slides.rule import Slide, kinds, slides_of

FOLDER = Path(__file__).parent
WIDTH, HEIGHT = 1280, 800
AHEAD = 2  # slides before and behind the one that is shown, which are not hidden: what plays there goes on
CONFIG = {
    "nb_mime_priority_overrides": [
        ("revealjs", "text/html", 0),
        ("revealjs", "image/svg+xml", 1),
        ("revealjs", "image/png", 2),
        ("revealjs", "text/markdown", 3),
        ("revealjs", "text/plain", 9),
        ("revealjs", "application/vnd.jupyter.widget-view+json", None),
    ],
    "revealjs_static_path": [],
    "revealjs_style_theme": "deck.css",
    "revealjs_css_files": ["pygments.css"],
    "revealjs_script_plugins": [{"src": "revealjs/plugin/notes/notes.js", "name": "RevealNotes"}],
    "revealjs_script_conf": {
        "width": WIDTH,
        "height": HEIGHT,
        "margin": 0,
        "center": False,
        "display": "flex",
        "hash": True,
        "viewDistance": AHEAD + 1,
        "transition": "none",
        "slideNumber": "c/t",
        "controlsLayout": "edges",
        "pdfSeparateFragments": False,
        "pdfMaxPagesPerSlide": 1,
    },
}
KEPT = ("formulas", "sphinx_revealjs")  # whose hooks on the pages and at the end a deck needs
HOOKS = ("doctree-resolved", "html-page-context", "build-finished", "html-collect-pages", "write-started")
OF_ALL = ("sphinxcontrib.bibtex", "equation_numbers")  # whose hooks on a page that is resolved every builder needs
IN_VIEW = "only while the explorer is in view"
ON_SLIDES = "while its slide is shown or one of the next two"
NOTES = '<aside class="notes">'


class DeckTranslator(RevealjsSlideTranslator):
    """Writes each slide as a section of its own, and code in the colours of the book."""

    visit_literal_block = HTML5Translator.visit_literal_block
    depart_literal_block = HTML5Translator.depart_literal_block

    def visit_image(self, node: nodes.image) -> None:
        """Write a drawing of Matplotlib into the deck; any other picture stays a file beside it."""
        inside = inline(self.builder.made(node["uri"]), node.get("alt", "")) if "uri" in node else None
        if inside is None:
            super().visit_image(node)
        else:
            self.body.append(inside)

    def visit_section(self, node: nodes.section) -> None:
        """Begin a slide."""
        self.section_level += 1
        self.body.append(f'<section class="{" ".join(node["classes"])}">\n')

    def depart_section(self, node: nodes.section) -> None:
        """End a slide."""
        self.section_level -= 1
        self.body.append("</section>\n")


class DeckBuilder(RevealjsHTMLBuilder):
    """Writes chapters as decks, and no page beside them."""

    default_translator_class = DeckTranslator

    def gen_indices(self) -> None:
        """Write no index."""

    def gen_pages_from_extensions(self) -> None:
        """Write no page of an extension."""

    def gen_additional_pages(self) -> None:
        """Write no further page."""

    def write_buildinfo(self) -> None:
        """Write no record of the build."""

    def handle_finish(self) -> None:
        """Write no list of addresses."""

    def post_process_images(self, doctree: nodes.document) -> None:
        """Note every picture of a deck, also one of which what the book has read holds no record."""
        for node in doctree.findall(nodes.image):
            if "?" not in node["candidates"]:
                self.env.images.add_file(doctree["source"], node["uri"])
        super().post_process_images(doctree)

    def made(self, picture: str) -> Path:
        """Return where a picture is: where it was made or, where it no longer is, in the built book."""
        built = Path(self.doctreedir).parent / "html" / self.imagedir / self.images.get(picture, Path(picture).name)
        there = [place for place in (Path(self.srcdir) / picture, built) if place.is_file()]
        if not there:
            raise ValueError(f"the picture {picture} of a deck is not there: run `make book` first")
        return there[0]

    def copy_image_files(self) -> None:
        """Copy the pictures of the decks."""
        folder = Path(self.outdir) / self.imagedir
        folder.mkdir(exist_ok=True)
        for picture, name in self.images.items():
            shutil.copyfile(self.made(picture), folder / name)

    def write_decks(self, pages: Iterable[str]) -> None:
        """Write the decks of these chapters, and what they load."""
        self.finish_tasks = SerialTasks()
        self.prepare_writing(set(pages))
        self.copy_assets()
        self._write_serial(sorted(pages))
        self.finish()
        self.finish_tasks.join()


class Decks(Sphinx):
    """The application of the book, with this builder beside the others."""

    def preload_builder(self, name: str) -> None:
        """Set up sphinx-revealjs; the environment of the book, which knows nothing of it, stays valid."""
        known = set(self.config._options)
        self.setup_extension("sphinx_revealjs")
        for name in set(self.config._options) - known:
            option = self.config._options[name]
            self.config._options[name] = type(option)(option.default, "", option.valid_types)
        for extension in self.extensions.values():
            if extension.name.startswith("sphinx_revealjs"):
                extension.metadata.pop("env_version", None)
        self.add_builder(DeckBuilder, override=True)
        for event in HOOKS:
            for listener in list(self.events.listeners[event]):
                module = listener.handler.__module__
                if not module.startswith(KEPT if event != "doctree-resolved" else OF_ALL):
                    self.disconnect(listener.id)
        self.connect("doctree-resolved", make_deck, priority=900)
        self.connect("html-page-context", load, priority=950)
        self.deck_sizes: dict[str, int] = {}

    def _load_existing_env(self, filename: str) -> BuildEnvironment:
        """Open what the book has read; say what is wrong where that cannot be used, in place of reading it again."""
        with open(filename, "rb") as file:
            env = pickle.load(file)
        try:
            env.setup(self)
        except BuildEnvironmentError as error:
            raise ValueError(f"what the book has read is not of this copy ({error}): run `make book` first") from error
        self._fresh_env_used = False
        return env


# --- from slides to nodes ---------------------------------------------------------------------------------------------


def shown(item: Item) -> nodes.Element:
    """Return an item as it stands on a slide."""
    node = item.node.deepcopy()
    if item.kind in ("picture", "explorer", "table", "code"):
        return nodes.container("", node, classes=["visual", item.kind])
    return node


def as_noted(text: str) -> str:
    """Return what a page says as the notes say it: panels are counted, nobody is told to skip, training goes on.

    Examples
    --------
    >>> as_noted("You may skip this section. In the lower panel lines land.")
    'In the second panel lines land.'
    """
    text = text.replace("You may skip this section. ", "").replace(IN_VIEW, ON_SLIDES)
    return re.sub(r"\blower (panel|picture)\b", r"second \1", text)


def noted(node: nodes.Element) -> nodes.Element:
    """Return a part of a page as it stands in the notes."""
    copy = node.deepcopy()
    for text in list(copy.findall(nodes.Text)):
        text.parent.replace(text, nodes.Text(as_noted(text.astext())))
    return copy


def section_of(slide: Slide) -> nodes.section:
    """Return a slide as a section."""
    look = slide.kind or next((kind for kind in ("explorer", "picture") if kind in kinds(slide)), "words")
    section = nodes.section(classes=["slide", f"slide-{look}"])
    head = nodes.container(classes=["head"])
    spare = [nodes.inline("", "if time", classes=["if-time"])] if slide.spare else []
    head += nodes.paragraph("", "", *spare, nodes.Text(slide.above), classes=["above"])
    level = "h1" if slide.kind == "title" else "h2"
    head += nodes.raw("", f"<{level}>", format="html")
    head += nodes.inline("", "", *[node.deepcopy() for node in slide.title])
    head += nodes.raw("", f"</{level}>", format="html")
    body = nodes.container(classes=["body"])
    for item in slide.items:
        body += shown(item)
    bind(body)
    first = slide.said_first()
    top = [nodes.container("", *(node.deepcopy() for node in first), classes=["first"])] if first else []
    notes = top + [noted(node) for node in slide.notes]
    section += [head, body, nodes.raw("", NOTES, format="html"), *notes, nodes.raw("", "</aside>", format="html")]
    return section


def bind(body: nodes.Element) -> None:
    """Keep the sign behind a formula on its line."""
    for formula in list(body.findall(nodes.math)):
        parent, at = formula.parent, formula.parent.index(formula)
        after = parent[at + 1] if at + 1 < len(parent) else None
        if isinstance(after, nodes.Text) and (sign := re.match(r"[.,;:?!)]+", after)):
            both = nodes.inline("", "", formula.deepcopy(), nodes.Text(sign[0]), classes=["bound"])
            parent[at : at + 2] = [both, nodes.Text(after[sign.end() :])]


def make_deck(app, doctree: nodes.document, docname: str) -> None:
    """Put the slides of a chapter in its place."""
    chapter = doctree.next_node(nodes.section)
    guide = guide_of(docname)
    counted = [names or {} for names in getattr(app.env, "equation_numbers", {}).values()]
    equations = {
        name.removeprefix("equation-"): f"({'.'.join(map(str, place))})"
        for names in counted
        for name, place in names.items()
    }
    slides = slides_of(chapter, guide, answers_of(docname, guide.set_in_class(), equations))
    app.deck_sizes[docname] = len(slides)
    doctree.children = []
    doctree += [section_of(slide) for slide in slides]
    for node in list(doctree.findall(nodes.reference)):
        if not node.get("refuri", "").startswith("http"):
            node.replace_self(nodes.inline("", "", *node.children))  # what it leads to is in the book, not in the deck
    for node in list(doctree.findall(nodes.Element)):
        if not isinstance(node, nodes.math_block):
            node["ids"] = []


def load(app, pagename, templatename, context, doctree) -> None:
    """Load what a deck needs: how MathJax starts, which leaves the notes alone, and how slides are fitted."""
    mathjax = "mathjax/startup.js"
    context["script_files"] = []
    context["metatags"] = ""
    for name in ("deck.js", mathjax):
        tag = f'<script defer src="{context["pathto"](f"_static/{name}", resource=True)}"></script>'
        context["metatags"] += tag.replace(" defer", "") if name == "deck.js" else tag
    kept = ("reveal.css", "deck.css", "pygments.css")
    context["css_files"] = [css for css in context["css_files"] if Path(getattr(css, "filename", css)).name in kept]
    context["rellinks"], context["next"], context["prev"], context["favicon_url"] = [], None, None, None


# --- building ---------------------------------------------------------------------------------------------------------


def components() -> str:
    """Return the parts of MathJax that the book loads, as the text of a list."""
    from formulas import COMPONENTS

    return json.dumps(COMPONENTS)


def write(book: Path, folder: Path, pages: Iterable[str]) -> dict[str, int]:
    """Write the decks of chapters of a built book below a folder; return how many slides each has.

    Parameters
    ----------
    book : Path
        Folder of the HTML of the built book, with what was read beside it.
    folder : Path
        Where the decks go.
    pages : iterable of str
        Chapters as in the table of contents, such as ``book/part1-lines/01_linear_regression``.

    Raises
    ------
    ValueError
        If the book was not built there, or a page for teachers names what its chapter does not have.
    """
    source = book.parents[1]
    doctrees = book.parent / ".doctrees"
    if not (doctrees / "environment.pickle").exists():
        raise ValueError(f"decks are made of the built book, and there is none in {book}: run `make book` first")
    static = folder / "_static"
    folder.mkdir(parents=True, exist_ok=True)
    before = Path.cwd()
    os.chdir(source)
    try:
        given = {"latex_individualpages": False, "external_toc_path": str(source / "_toc.yml")}
        settings, _ = get_final_config(user_yaml=source / "_config.yml", sourcedir=source, cli_config=given)
        with patch_docutils(None), docutils_namespace():
            logging.getLogger("sphinx").setLevel(logging.WARNING)
            app = Decks(source, None, folder, doctrees, "revealjs", confoverrides=settings, status=None)
            for name, value in CONFIG.items():
                app.config[name] = value
            app.builder.init()
            app.builder.write_decks(pages)
            app.events.emit("build-finished", None)
            sizes = app.deck_sizes
    except ExtensionError as error:  # what Sphinx makes of an error in `make_deck`
        if isinstance(error.orig_exc, ValueError):
            raise error.orig_exc from error
        raise
    finally:
        os.chdir(before)
    shutil.copyfile(FOLDER / "deck.css", static / "deck.css")
    script = (FOLDER / "deck.js").read_text(encoding="utf-8").replace("COMPONENTS", components())
    (static / "deck.js").write_text(script, encoding="utf-8")
    return sizes
