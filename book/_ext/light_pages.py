"""Sphinx extension: what no reader needs does not travel with a page.

- The theme brings two thousand icons twice, as a script and as fonts. The script goes; of the fonts and their style
  sheet the icons stay that a page, a script or the style sheet names.
- sphinx-design and sphinx-thebe write into every page; they are loaded where something of theirs is shown.
- The state of the widgets of a notebook, which no page can revive: an explorer is HTML that moves by itself.

And drawings say how large they are, so that the text does not move when they arrive.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path
from urllib.parse import unquote

import pydata_sphinx_theme
from fontTools import subset

THEME = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme" / "static"
SHEET = "styles/pydata-sphinx-theme.css"
FONTS = "vendor/fontawesome/webfonts"
SCRIPT = re.compile(
    r'\s*<!-- So that users can add custom icons -->\s*<script src="[^"]*fontawesome\.js[^"]*"></script>'
)
PARTS = {
    re.compile(
        r"\s*<(?:link|script)[^>]*/(?:sphinx-design\.min\.css|design-tabs\.js)[^>]*>(?:</script>)?"
    ): 'class="sd-',
    re.compile(r"\s*<(?:link|script)[^>]*/sphinx-thebe\.(?:css|js)[^>]*>(?:</script>)?"): 'class="thebe',
}
PICTURE = re.compile(r'<img\b[^>]*?\bsrc="([^":]*_images/[^":]+\.svg)"[^>]*>')
DRAWN = re.compile(r'<svg\b[^>]*?\bwidth="([\d.]+)pt" height="([\d.]+)pt"')
STATE = "application/vnd.jupyter.widget-state+json"
ICON = re.compile(r"\bfa-[a-z0-9]+(?:-[a-z0-9]+)*")
RULE = re.compile(r'((?:\.fa-[\w-]+:before,?)+)\{content:"\\([0-9a-f]+)\s?"\}')
SIGN = re.compile(r"\\([0-9a-f]{2,4})\b|([\ue000-\uf8ff])")
SOURCE = re.compile(r'url\(([^)]*/(fa-\w+-\d+))\.woff2\) format\("woff2"\),url\([^)]*\.ttf\) format\("truetype"\)')


def drop_state(app, pagename, templatename, context, doctree) -> None:
    """Take the state of widgets out of the scripts of a page."""
    scripts = context.get("script_files", [])
    scripts[:] = [script for script in scripts if getattr(script, "attributes", {}).get("type") != STATE]


def thin(sheet: str, names: set[str]) -> str:
    """Return the style sheet of the theme with the icons of those names only, and with our fonts."""
    sheet = RULE.sub(lambda rule: rule[0] if names & set(ICON.findall(rule[1])) else "", sheet)
    return SOURCE.sub(r'url(\1.woff) format("woff")', sheet)


def signs(folder: Path) -> set[int]:
    """Return the signs that the style sheets of a built site ask of the fonts, by number or as they are."""
    sheets = [path.read_text(encoding="utf-8") for path in (folder / "_static").rglob("*.css")]
    return {int(number, 16) if number else ord(sign) for sheet in sheets for number, sign in SIGN.findall(sheet)}


def write_font(path: Path, copy: Path, wanted: set[int]) -> None:
    """Write the part of a font that has those signs."""
    logging.getLogger("fontTools").setLevel(logging.WARNING)  # it tells all it does
    options = subset.Options(flavor="woff", notdef_outline=True, layout_features=[])
    font = subset.load_font(str(path), options)
    part = subset.Subsetter(options)
    part.populate(unicodes=wanted)
    part.subset(font)
    subset.save_font(font, str(copy), options)


def without_parts(text: str) -> str:
    """Return a page without the scripts and style sheets that it does not use."""
    text = SCRIPT.sub("", text)
    for tags, sign in PARTS.items():
        text = text if sign in text else tags.sub("", text)
    return text


def size_of(picture: Path) -> tuple[int, int] | None:
    """Return width and height of a drawing in pixels; None where it does not say them."""
    found = DRAWN.search(picture.read_text(encoding="utf-8")) if picture.is_file() else None
    return found and tuple(round(float(points) * 4 / 3) for points in found.groups())  # 72 points are 96 pixels


def with_sizes(text: str, folder: Path) -> str:
    """Return a page of that folder whose drawings say how large they are, so that their place is kept for them."""

    def written(found: re.Match) -> str:
        size = None if " width=" in found[0] else size_of(folder / unquote(found[1]))
        return found[0] if size is None else f'<img width="{size[0]}" height="{size[1]}"{found[0][4:]}'

    return PICTURE.sub(written, text)


def used(folder: Path) -> set[str]:
    """Return the names of icons in the pages and scripts of a built site."""
    files = [*folder.rglob("*.html"), *(folder / "_static").glob("*.js"), *(folder / "_static/scripts").glob("*.js")]
    return {name for path in files for name in ICON.findall(path.read_text(encoding="utf-8"))}


def lighten(app, exception) -> None:
    """Take out of every page what it does not use, and keep of the icons what is used."""
    if exception is not None or app.builder.format != "html":
        return
    built = Path(app.outdir)
    for script in (built / "_static" / "scripts").glob("fontawesome.js*"):
        script.unlink()
    for page in built.rglob("*.html"):
        text = without_parts(page.read_text(encoding="utf-8"))
        page.write_text(with_sizes(text, page.parent), encoding="utf-8")
    sheet = thin((THEME / SHEET).read_text(encoding="utf-8"), used(built))
    (built / "_static" / SHEET).write_text(sheet, encoding="utf-8")
    for path in (built / "_static" / FONTS).glob("*"):
        path.unlink()
    for path in (THEME / FONTS).glob("*.ttf"):
        write_font(path, built / "_static" / FONTS / f"{path.stem}.woff", signs(built))


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.connect("html-page-context", drop_state, priority=900)
    app.connect("build-finished", lighten, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
