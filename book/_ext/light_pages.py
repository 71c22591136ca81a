"""Sphinx extension: what no reader needs does not travel with a page.

As the theme leaves it, a page of the book weighs 4 MB with all that it loads. What is taken off, and its share of that:

- the script that draws two thousand icons, which the theme also brings as fonts: 37 per cent;
- the state of a notebook's widgets, which no page can revive, since an explorer is HTML that moves by itself: 14;
- of the fonts, icons that no page, script or style sheet names: 7;
- of the theme's style sheet and of that for notebooks, rules for classes that no page or script names: 8;
- what sphinx-design and sphinx-thebe write into every page, where nothing of theirs is shown: 2.

Every explorer brings the style and the modules of all: on a page the first one's are enough.

Of what is then left of a chapter a fifth marks names and brackets in code as such, in the colour that all code has: it
goes, too, with comments and spaces of scripts and styles. Drawings weigh half (`light_drawings`), and say how large
they are, so that the text does not move when they arrive.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from functools import partial
from importlib.resources import files
from pathlib import Path
from urllib.parse import unquote

import minify_html
import pydata_sphinx_theme
import tinycss2
from fontTools import subset

from light_drawings import lighter
from parallel_pages import for_each

THEME = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme" / "static"
SHEET = "styles/pydata-sphinx-theme.css"
FONTS = "vendor/fontawesome/webfonts"
ICON_SCRIPT = re.compile(
    r'\s*<!-- So that users can add custom icons -->\s*<script src="[^"]*fontawesome\.js[^"]*"></script>'
)
OPTIONAL_TAGS = {
    'class="sd-': re.compile(
        r"\s*<(?:link|script)[^>]*/(?:sphinx-design\.min\.css|design-tabs\.js)[^>]*>(?:</script>)?"
    ),
    'class="thebe': re.compile(r"\s*<(?:link|script)[^>]*/sphinx-thebe\.(?:css|js)[^>]*>(?:</script>)?"),
}
INLINE = re.compile(  # none marked as whole
    r'(?P<begin><(?P<tag>style|script)(?: type="module")?>)(?P<code>.+?)</(?P=tag)>', re.DOTALL
)
STATE_TYPE = "application/vnd.jupyter.widget-state+json"
EXPLORER_STYLE = re.compile(r"^<style>\n(?:/\*.*?\*/\n)?\.regattn.*?^</style>\n", re.MULTILINE | re.DOTALL)
EXPLORER_SCRIPT = re.compile(r'<script type="module">\n.*?</script>\n</figure>', re.DOTALL)  # not one marked as whole
MODULE = re.compile(  # as regattn.widgets makes it, with its last line but one
    r"^const (?P<name>\$\w+) = \(\(\) => \{\n.*?^return \{ [^}]*\};\n\}\)\(\);\n", re.MULTILINE | re.DOTALL
)
IMAGE = re.compile(r'<img\b[^>]*?\bsrc="([^":]*_images/[^":]+\.svg)"[^>]*>')
SVG_SIZE = re.compile(r'<svg\b[^>]*?\bwidth="([\d.]+)pt" height="([\d.]+)pt"')
CODE = re.compile(r'<div class="highlight"><pre>.*?</pre>', re.DOTALL)
CODE_COLOUR = re.compile(r"(\S+) \.highlight \{[^}]*?\bcolor: (#\w+)")  # by theme
CODE_RULE = re.compile(r"(\S+) \.highlight \.(\w+) \{ ([^}]*?) \}")
WORD = re.compile(r"[A-Za-z][\w-]*")
CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
OPTIONAL = re.compile(r':(?:not|is|where|has)\([^)]*\)|\[[^]]*\]|"[^"]*"')  # what a selector does not ask for
BUILT_CLASSES = ("bs-", "kind-")  # classes that scripts put together
SEARCH_FILES = {"searchindex.js", "search_texts.js"}  # every word of the book
READ_AGAIN = {"pygments.css", *SEARCH_FILES}
GLYPH = re.compile(r"\\([0-9a-f]{2,4})\b|([\ue000-\uf8ff])")
FONT_URL = re.compile(r'url\(([^)]*/(fa-\w+-\d+))\.woff2\) format\("woff2"\),url\([^)]*\.ttf\) format\("truetype"\)')


def drop_state(app, pagename, templatename, context, doctree) -> None:
    """Take the state of widgets out of the scripts of a page."""
    scripts = context.get("script_files", [])
    scripts[:] = [script for script in scripts if getattr(script, "attributes", {}).get("type") != STATE_TYPE]


def without_parts(page: str) -> str:
    """Return a page without the scripts and style sheets that it does not use."""
    page = ICON_SCRIPT.sub("", page)
    for mark, tags in OPTIONAL_TAGS.items():
        page = page if mark in page else tags.sub("", page)
    return page


def with_each_style_once(page: str) -> str:
    """Return a page in which what an explorer repeats of an earlier one's style is left out."""
    seen: set[str] = set()

    def first(found: re.Match) -> str:
        again = found[0] in seen
        seen.add(found[0])
        return "" if again else found[0]

    return EXPLORER_STYLE.sub(first, page)


def with_each_module_once(page: str) -> str:
    """Return a page in which an explorer takes from an earlier one the modules that both have.

    Scripts of a page run in their order. One that writes pages with its script, marked as whole, keeps all.
    """
    counts = Counter(found[0] for script in EXPLORER_SCRIPT.findall(page) for found in MODULE.finditer(script))
    seen: set[str] = set()

    def once(found: re.Match) -> str:
        module, name = found[0], found["name"]
        if counts[module] < 2:
            return module
        again = module in seen
        seen.add(module)
        return "" if again else module.replace(f"const {name} = ", f"const {name} = globalThis.{name} = ", 1)

    return EXPLORER_SCRIPT.sub(lambda script: MODULE.sub(once, script[0]), page)


def plain_classes(sheet: str) -> set[str]:
    """Return the classes of code that a style sheet shows, in every theme, as code without any class."""
    colours, styles = dict(CODE_COLOUR.findall(sheet)), {}
    for theme, name, style in CODE_RULE.findall(sheet):
        styles.setdefault(name, {})[theme] = style
    plain = {theme: f"color: {colour}" for theme, colour in colours.items()}
    return {name for name, found in styles.items() if found == plain}


def without_marks(page: str, classes: set[str]) -> str:
    """Return a page whose code does not mark what has those classes."""
    marked = re.compile(rf'<span class="(?:{"|".join(sorted(classes))})">([^<]*)</span>')
    return CODE.sub(lambda code: marked.sub(r"\1", code[0]), page) if classes else page


def size_of_drawing(picture: Path) -> tuple[int, int] | None:
    """Return width and height of a drawing in pixels; None where it does not say them."""
    found = SVG_SIZE.search(picture.read_text(encoding="utf-8")) if picture.is_file() else None
    return found and tuple(round(float(points) * 4 / 3) for points in found.groups())  # 72 points are 96 pixels


def with_sizes(page: str, folder: Path) -> str:
    """Return a page of that folder whose drawings say how large they are, so that their place is kept for them."""

    def sized(tag: re.Match) -> str:
        size = None if " width=" in tag[0] else size_of_drawing(folder / unquote(tag[1]))
        return tag[0] if size is None else f'<img width="{size[0]}" height="{size[1]}"{tag[0][4:]}'

    return IMAGE.sub(sized, page)


def shorter(code: str, tag: str) -> str:
    """Return a script or a style without what its authors alone read: comments, spaces, lines."""
    short = minify_html.minify(f"<{tag}>{code}</{tag}>", minify_js=True, minify_css=True, keep_closing_tags=True)
    return short.removeprefix(f"<{tag}>").removesuffix(f"</{tag}>")


def with_short_scripts(page: str) -> str:
    """Return a page whose scripts and styles are as short as may be."""
    return INLINE.sub(lambda part: f"{part['begin']}{shorter(part['code'], part['tag'])}</{part['tag']}>", page)


def shorten_files(folder: Path) -> None:
    """Shorten the scripts and sheets of a folder, but for those that the next build reads."""
    for path in folder.glob("*.*"):
        tag = {".css": "style", ".js": "script"}.get(path.suffix)
        if tag and path.name not in READ_AGAIN:
            path.write_text(shorter(path.read_text(encoding="utf-8"), tag), encoding="utf-8")


def words_in(site: Path) -> set[str]:
    """Return every word in the pages and scripts of a built site, the index of its search left out."""
    scripts = [path for path in (site / "_static").rglob("*.js") if path.name not in SEARCH_FILES]
    paths = [*site.rglob("*.html"), *scripts]
    return {word for path in paths for word in set(WORD.findall(path.read_text(encoding="utf-8")))}


def selectors(prelude: list) -> list[str]:
    """Return the selectors of a rule, one by one."""
    parts = [[]]
    for token in prelude:
        if token == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return [tinycss2.serialize(part).strip() for part in parts]


def used_rules(rules: list, words: set[str]) -> str:
    """Return those rules of a style sheet, comments left out, all of whose classes are among those words."""
    kept = []
    for rule in rules:
        if rule.type == "qualified-rule":
            classes = {text: CLASS.findall(OPTIONAL.sub("", text)) for text in selectors(rule.prelude)}
            used = [text for text in classes if all(n in words or n.startswith(BUILT_CLASSES) for n in classes[text])]
            kept += [f"{','.join(used)}{{{tinycss2.serialize(rule.content)}}}"] if used else []
        elif rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports"):
            inner = used_rules(tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True), words)
            kept += [f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inner}}}"] if inner else []
        else:
            kept.append(rule.serialize())
    return "".join(kept)


def write_sheets(site: Path) -> None:
    """Write the rules that are used of the theme's style sheet, with our fonts, and of that for notebooks."""
    words = words_in(site)
    sheets = {SHEET: FONT_URL.sub(r'url(\1.woff) format("woff")', (THEME / SHEET).read_text(encoding="utf-8"))}
    of_notebooks = files("myst_nb.static").joinpath("mystnb.css").read_text(encoding="utf-8")
    sheets |= {path.name: of_notebooks for path in (site / "_static").glob("mystnb.*.css")}
    for name, sheet in sheets.items():
        rules = tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)
        (site / "_static" / name).write_text(used_rules(rules, words), encoding="utf-8")


def write_fonts(site: Path) -> None:
    """Write the part of the theme's fonts that the style sheets of a built site ask for, by number or as it is."""
    logging.getLogger("fontTools").setLevel(logging.WARNING)  # it tells all it does
    sheets = [path.read_text(encoding="utf-8") for path in (site / "_static").rglob("*.css")]
    named = [each for sheet in sheets for each in GLYPH.findall(sheet)]
    glyphs = {int(number, 16) if number else ord(character) for number, character in named}
    for font in (site / "_static" / FONTS).glob("*"):
        font.unlink()
    for path in (THEME / FONTS).glob("*.ttf"):
        options = subset.Options(flavor="woff", notdef_outline=True, layout_features=[])
        font = subset.load_font(str(path), options)
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=glyphs)
        subsetter.subset(font)
        subset.save_font(font, str(site / "_static" / FONTS / f"{path.stem}.woff"), options)


def lighten_page(page: Path, *, plain: set[str]) -> None:
    """Take out of a page what it does not use; ``plain`` are the classes of code that look like code without any."""
    text = with_each_style_once(without_parts(page.read_text(encoding="utf-8")))
    text = with_each_module_once(text)
    text = with_short_scripts(without_marks(text, plain))
    page.write_text(with_sizes(text, page.parent), encoding="utf-8")


def lighten_drawing(path: Path) -> None:
    """Make a drawing lighter, unless an earlier build has."""
    if "<metadata>" in (drawing := path.read_text(encoding="utf-8")):
        path.write_text(lighter(drawing), encoding="utf-8")


def lighten(app, exception) -> None:
    """Take out of the pages of this build what they do not use, and keep of the icons and styles what is used."""
    if exception is not None or app.builder.format != "html":
        return
    site, stamp = Path(app.outdir), Path(app.doctreedir) / "lightened"
    last_build = stamp.stat().st_mtime if stamp.exists() else 0.0
    pages = [page for page in site.rglob("*.html") if page.stat().st_mtime > last_build]
    for script in (site / "_static" / "scripts").glob("fontawesome.js*"):
        script.unlink()
    plain = plain_classes((site / "_static" / "pygments.css").read_text(encoding="utf-8"))
    for_each(partial(lighten_page, plain=plain), pages)
    for_each(lighten_drawing, (site / "_images").glob("*.svg"))
    write_sheets(site)
    for folder in ("_static", "_static/scripts", "_static/styles"):
        shorten_files(site / folder)
    write_fonts(site)
    stamp.touch()


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.connect("html-page-context", drop_state, priority=900)
    app.connect("build-finished", lighten, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
