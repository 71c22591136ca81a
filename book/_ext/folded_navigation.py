"""Sphinx extension: the side bar shows the parts of the book, each folded but the one at hand, and a page's sections.

Fifty links are no map. A part is a `<details>`, so that it opens without JavaScript, by a key, and for the search of a
browser. Below the current page stand its sections, of which a script marks the one that is read; where they are many,
the other pages of the part are folded, too. Solutions are linked from the exercises; in the side bar they stand only
beside one another.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path

from bs4 import BeautifulSoup, Tag

APART = "Solutions"
MOST = 20  # links that stand open
SCRIPT = Path(__file__).with_suffix(".js")


def sections(soup: BeautifulSoup, contents: str) -> Tag | None:
    """Return the list of a page's sections, without those inside them, from its table of contents."""
    page = BeautifulSoup(contents, "html.parser").select_one("ul ul")
    if page is None:
        return None
    listed = soup.new_tag("ul", attrs={"class": "nav nav-sections"})
    for entry in page.find_all("li", recursive=False):
        link = entry.find("a", recursive=False)
        link.attrs = {"class": "reference internal", "href": link["href"]}
        item = soup.new_tag("li")
        item.append(link.extract())
        listed.append(item)
    return listed


def add_sections(soup: BeautifulSoup, contents: str) -> None:
    """Put a page's sections below its link; where the links would be too many, fold the other pages of its part."""
    here = soup.select_one("li.current.active") or soup.select_one("li.current:not(:has(li.current))")
    listed = sections(soup, contents)
    if here is None or listed is None:
        return
    others = [item for item in here.find_parent("ul").find_all("li", recursive=False) if item is not here]
    caption = soup.select_one("p.caption")
    always = 2 + len(caption.find_all_previous("a") if caption else [])  # the first page, this one, those before parts
    if len(others) + len(listed.find_all("li")) + always > MOST:
        others = [item.extract() for item in others]
        inner = soup.new_tag("ul", attrs={"class": "nav"})
        inner.extend(others)
        heading = soup.new_tag("summary")
        heading.string = "Other chapters"
        rest = soup.new_tag("details", attrs={"class": "nav-part"})
        rest.extend([heading, inner])
        item = soup.new_tag("li")
        item.append(rest)
        here.insert_before(item)
    if len(listed.find_all("li")) + always > MOST:
        heading = soup.new_tag("summary")
        heading.string = "On this page"
        inner, listed = listed, soup.new_tag("details", attrs={"class": "nav-part"})
        listed.extend([heading, inner])
    here.append(listed)


def folded(html: str, contents: str = "") -> str:
    """Return the side bar's HTML with each captioned list folded, unless it holds the current page.

    Parameters
    ----------
    html : str
        The side bar as the theme makes it.
    contents : str, default ""
        The table of contents of the current page, as HTML.
    """
    soup = BeautifulSoup(html, "html.parser")
    add_sections(soup, contents)
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
        return folded(str(made), context.get("toc", "")) if made else made

    context["generate_toctree_html"] = make_folded


def setup(app) -> dict[str, bool]:
    """Register the extension, after the theme."""
    app.connect("html-page-context", fold_navigation, priority=900)
    app.add_js_file(None, body=SCRIPT.read_text(encoding="utf-8"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
