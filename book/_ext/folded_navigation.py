"""Sphinx extension: the side bar shows the parts of the book, each folded but the one at hand.

Fifty links are no map. A part is a `<details>`, so that it opens without JavaScript, by a key, and for the search of a
browser. Solutions are linked from the exercises; in the side bar they stand only beside one another.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from bs4 import BeautifulSoup, Tag

APART = "Solutions"


def folded(html: str) -> str:
    """Return the side bar's HTML with each captioned list folded, unless it holds the current page."""
    soup = BeautifulSoup(html, "html.parser")
    for caption in soup.select("p.caption"):
        links = caption.find_next_sibling("ul")
        if not isinstance(links, Tag):
            continue
        here = "current" in links.get("class", [])
        if caption.get_text(strip=True) == APART and not here:
            caption.decompose()
            links.decompose()
            continue
        part = soup.new_tag("details", attrs={"class": "nav-part", **({"open": ""} if here else {})})
        caption.insert_before(part)
        caption.name = "summary"
        heading = caption.span
        for name in ("role", "aria-level"):  # a summary is a button; the heading is what stands in it
            if name in caption.attrs:
                heading[name] = caption.attrs.pop(name)
        part.extend([caption.extract(), links.extract()])
    return str(soup)


def fold_navigation(app, pagename, templatename, context, doctree) -> None:
    """Let the theme's maker of the side bar give it folded."""
    make: Callable[..., object] | None = context.get("generate_toctree_html")
    if make is None:
        return

    @wraps(make)
    def make_folded(*args: object, **kwargs: object) -> object:
        made = make(*args, **kwargs)
        return folded(str(made)) if made else made

    context["generate_toctree_html"] = make_folded


def setup(app) -> dict[str, bool]:
    """Register the extension, after the theme."""
    app.connect("html-page-context", fold_navigation, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
