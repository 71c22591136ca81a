"""Sphinx extension: what a published copy needs besides its pages.

A description and a picture for search engines and shared links, a page for wrong addresses, a first page with a title;
and, when the address of the site is known, a site map. The address is the environment variable REGATTN_SITE, else the
GitHub Pages of the repository that :mod:`launch` finds.
"""

from __future__ import annotations

import html
import os
from pathlib import Path
from urllib.parse import urlsplit

from launch import git_remote, repository

PICTURE = "_static/img/explorer.png"
LOST = {
    "title": "Not found",
    "body": "<h1>This page is not in the book</h1>"
    "<p>The address may have changed. The chapters are in the list at the side, and the search finds words.</p>",
}
FIRST = (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
    '<meta http-equiv="Refresh" content="0; url={page}">\n<link rel="canonical" href="{page}">\n</head>\n'
    '<body><p><a href="{page}">{title}</a></p></body>\n</html>\n'
)


def address(root: Path) -> str:
    """Return where the site will be published, with a slash at the end, or an empty string."""
    named = os.environ.get("REGATTN_SITE")
    if named:
        if urlsplit(named).scheme not in ("http", "https"):
            raise ValueError(f"REGATTN_SITE must be an address that begins with https://, got {named!r}")
        return named.rstrip("/") + "/"
    name = repository(os.environ, git_remote(root))
    if name is None:
        return ""
    owner, project = name.split("/")
    return f"https://{owner.lower()}.github.io/{project}/"


def tell_address(app, config) -> None:
    """Give the extensions the address of the site, or what holds without one."""
    site = address(Path(app.srcdir))
    config.html_baseurl = config.ogp_site_url = site
    config.ogp_site_name = config.html_title
    config.ogp_social_cards = {"enable": False}
    config.sitemap_url_scheme = "{link}"
    config.sitemap_excludes = ["404.html", "search.html", "genindex.html"]
    if site:
        config.ogp_image = site + PICTURE
        config.notfound_urls_prefix, config.notfound_context = urlsplit(site).path, LOST


def lost_page(app) -> list[tuple[str, dict[str, str], str]]:
    """Return the page for wrong addresses as Sphinx writes every other: with links from the folder it lies in."""
    return [("404", LOST, "page.html")] if app.builder.name == "html" else []


def write_first_page(app, exception) -> None:
    """Lead from the folder of the site to the first page, by a page that has a title."""
    if exception is None and app.builder.name == "html":
        page = f"{app.config.master_doc}.html"
        text = FIRST.format(title=html.escape(app.config.html_title or app.config.project), page=page)
        (Path(app.outdir) / "index.html").write_text(text, encoding="utf-8")


def write_every_page(app, env) -> set[str]:
    """Have every page written where there is a site map: it lists what was written, not what is there."""
    return env.found_docs if app.builder.name == "html" else set()


def setup(app) -> dict[str, bool]:
    """Register the extension and those it gives the address to."""
    app.setup_extension("sphinxext.opengraph")
    if address(Path(app.srcdir)):
        app.setup_extension("notfound.extension")  # shown at addresses of any depth: links from the root of the site
        app.setup_extension("sphinx_sitemap")
        app.connect("env-updated", write_every_page)
    else:
        app.connect("html-collect-pages", lost_page)
    app.connect("config-inited", tell_address, priority=100)
    app.connect("build-finished", write_first_page, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
