"""Sphinx extension: a search that works from a file and knows other names.

Sphinx's search shows an excerpt of each result by fetching the page, which a browser refuses to a page opened from
disk. Here the texts travel with the search page. And an index of other names (`book/reference/terms.yml`) leads
"hat matrix" or "LayerNorm" to the places that explain them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import yaml
from bs4 import BeautifulSoup
from sphinx.util import logging
from sphinx.util.index_entries import split_index_msg

from parallel_pages import for_each

TERMS = "book/reference/terms.yml"
TEXTS = "search_texts.js"
SCRIPT = Path(__file__).with_suffix(".js")
HEAVY = re.compile(r"<(pre|script|style|math|svg)\b.*?</\1>", re.DOTALL)  # most of a page, and nothing of its text
HIDDEN = "noscript, .math, .headerlink, figure.regattn, table.docutils"
logger = logging.getLogger(__name__)


def read_terms(root: Path) -> dict[str, str]:
    """Return the place that explains each name: a page, or a page and a label, as `page#label`."""
    path = root / TERMS
    return yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {}


def check_terms(app, env) -> list[str]:
    """Warn of a name that leads nowhere; return the pages whose names have changed since the last build of pages.

    Without a page to write, Sphinx would leave the old index as it is.
    """
    labels = env.get_domain("std").anonlabels
    terms = read_terms(Path(app.srcdir))
    for name, place in terms.items():
        page, _, label = place.partition("#")
        if page not in env.found_docs or (label and labels.get(label, ("", ""))[0] != page):
            logger.warning("%s: %r leads to %r, which is not in the book", TERMS, name, place)
    if app.builder.name != "html":
        return []
    changed = set(terms.items()) ^ set(getattr(env, "search_terms", {}).items())
    env.search_terms = terms
    return sorted({place.partition("#")[0] for _, place in changed} & env.found_docs)


def add_entries(app) -> list:
    """Put what every page explains into the index of the search: its own entries, and the other names of it.

    Of the pages that are not written again Sphinx loads the words from the old index, but not the entries.
    """
    indexer = app.builder.indexer
    if indexer is None:
        return []
    env, names = app.env, {}
    labels = env.get_domain("std").anonlabels
    for name, place in read_terms(Path(app.srcdir)).items():
        page, _, label = place.partition("#")
        target = labels[label][1] if label in labels else ""
        names.setdefault(page, set()).add((name, target, "main"))
    for page in indexer._titles:
        own = env.get_domain("index").entries.get(page, [])
        own = {(part, target, main) for kind, text, target, main, _ in own for part in split_index_msg(kind, text)}
        indexer._index_entries[page] = sorted(own | names.get(page, set()))
    return []


def text_of(page: Path) -> str:
    """Return what a built page says, in one line, without code, formulas and explorers."""
    text = HEAVY.sub("", page.read_text(encoding="utf-8"))
    body = BeautifulSoup(text, "html.parser").select_one("article.bd-article")
    for tag in body.select(HIDDEN):
        tag.decompose()
    return " ".join(body.get_text(" ").split())


def write_texts(app, exception) -> None:
    """Write the texts of all pages into one script beside the search; what it says of older pages stays."""
    if exception is not None or app.builder.name != "html":
        return
    script, known, since = Path(app.outdir) / "_static" / TEXTS, {}, 0
    if script.exists():
        known = json.loads(script.read_text(encoding="utf-8").partition(" = ")[2].partition(";\n")[0])
        since = script.stat().st_mtime_ns
    pages = {f"{name}.html": Path(app.outdir) / f"{name}.html" for name in sorted(app.env.found_docs)}
    pages = {name: page for name, page in pages.items() if page.exists()}
    new = {name: page for name, page in pages.items() if name not in known or page.stat().st_mtime_ns >= since}
    known |= dict(zip(new, for_each(text_of, new.values()), strict=True))
    texts = {name: known[name] for name in pages}
    told = f"window.searchTexts = {json.dumps(texts, ensure_ascii=False)};\n{SCRIPT.read_text(encoding='utf-8')}"
    script.write_text(told, encoding="utf-8")


def load_texts(app, pagename, templatename, context, doctree) -> None:
    """Load the texts on the search page, before anything is searched."""
    if pagename == "search":
        tag = f'<script src="_static/{TEXTS}"></script>'
        context["metatags"] = context.get("metatags", "") + tag


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.connect("env-updated", check_terms)
    app.connect("html-collect-pages", add_entries)  # all pages are written, the index is not
    app.connect("html-page-context", load_texts)
    app.connect("build-finished", write_texts, priority=950)  # after light_pages, which writes pages again
    return {"parallel_read_safe": True, "parallel_write_safe": True}
