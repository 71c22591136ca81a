"""Sphinx extension: what no reader needs does not travel with a page.

- The theme brings two thousand icons twice, as a script and as fonts. The script goes; of the fonts and their style
  sheet the icons stay that a page, a script or the style sheet names.
- Of the rules of that style sheet those stay whose classes a page or a script names, a third of them.
- sphinx-design and sphinx-thebe write into every page; they are loaded where something of theirs is shown.
- The state of the widgets of a notebook, which no page can revive: an explorer is HTML that moves by itself.
- matplotlib writes drawings with six digits after the point, a line for each point and a name for each group; two
  digits are a seventieth of a pixel. Metadata, names that nothing leads to and empty space go.
- Code carries a mark for every word and comma; those go whose colour is that of the code around them by day and night.
- Every explorer brings the style sheet of all, since in a notebook it may be alone; on a page the first one is enough.

And drawings say how large they are, so that the text does not move when they arrive.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path
from urllib.parse import unquote

import pydata_sphinx_theme
import tinycss2
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
ASIDE = re.compile(r"<metadata>.*?</metadata>|<!DOCTYPE.*?>|<!--.*?-->|(?<=<g) id=\"\w+\"", re.DOTALL)
PLACED = re.compile(r'\b(?:d|x|y|x1|x2|y1|y2|cx|cy|width|height|points)="[^"]*"|\btranslate\([^)]*\)')
LONG = re.compile(r"-?\d+\.\d{3,}")
ALIKE = re.compile(r'<(?:use|path) (?!id=)[^>]*? style="([^"]*)"/>(?:<(?:use|path) (?!id=)[^>]*? style="\1"/>)+')
TURN = re.compile(r"\s*([A-Za-z])\s+|\s+(?=[A-Za-z\"])")
WORD = re.compile(r"[A-Za-z][\w-]*")
CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
UNASKED = re.compile(r':(?:not|is|where|has)\([^)]*\)|\[[^]]*\]|"[^"]*"')  # what a selector does not ask for
PUT_TOGETHER = ("bs-", "kind-", "fa-")  # classes that scripts put together, and icons, which `thin` has looked at
INDEX = {"searchindex.js", "search_texts.js"}  # every word of the book
CODE = re.compile(r'<div class="highlight"><pre>.*?</pre>', re.DOTALL)
COLOUR = re.compile(r'(html\[data-theme="\w+"\]) \.highlight(?: \.(\w+))? \{([^}]*)\}')
STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)
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


def selectors(prelude: list) -> list[str]:
    """Return the selectors of a rule, each by itself."""
    parts = [[]]
    for token in prelude:
        if token == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return [tinycss2.serialize(part).strip() for part in parts]


def asked(rules: list, words: set[str]) -> str:
    """Return those rules of a style sheet, comments left out, all of whose classes are among those words."""
    kept = []
    for rule in rules:
        if rule.type == "qualified-rule":
            names = {text: CLASS.findall(UNASKED.sub("", text)) for text in selectors(rule.prelude)}
            used = [text for text in names if all(n in words or n.startswith(PUT_TOGETHER) for n in names[text])]
            kept += [f"{','.join(used)}{{{tinycss2.serialize(rule.content)}}}"] if used else []
        elif rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports"):
            inner = asked(tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True), words)
            kept += [f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inner}}}"] if inner else []
        else:
            kept.append(rule.serialize())
    return "".join(kept)


def words_of(folder: Path) -> set[str]:
    """Return every word in the pages and scripts of a built site, the index of its search left out."""
    scripts = [path for path in (folder / "_static").rglob("*.js") if path.name not in INDEX]
    files = [*folder.rglob("*.html"), *scripts]
    return {word for path in files for word in set(WORD.findall(path.read_text(encoding="utf-8")))}


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


def short(number: str) -> str:
    """Return a number with two digits after the point at most."""
    text = f"{float(number):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def slim(drawing: str) -> str:
    """Return a drawing of matplotlib that looks the same and is shorter; any other drawing as it is."""
    if "<dc:title>Matplotlib " not in drawing:
        return drawing

    def written(found: re.Match) -> str:
        placed = LONG.sub(lambda number: short(number[0]), found[0])
        return TURN.sub(lambda turn: turn[1] or "", placed) if placed.startswith("d=") else placed

    def together(found: re.Match) -> str:
        style = f' style="{found[1]}"'
        alone = re.search(r"(?:^|[; ])opacity:", found[1])  # of a group it is another: what overlaps is seen once
        return found[0] if alone else f"<g{style}>{found[0].replace(style, '')}</g>"

    drawing = re.sub(r">\s+<", "><", PLACED.sub(written, ASIDE.sub("", drawing)))
    drawing = re.sub(r'style="[^"]*"', lambda style: re.sub(r"([:;])\s+", r"\1", style[0]), drawing)
    return ALIKE.sub(together, drawing)


def like_the_rest(sheet: str) -> set[str]:
    """Return the kinds of words in code that in each theme of a style sheet have the colour of all code, no more."""
    rules = [(theme, kind, rule.strip().rstrip(";")) for theme, kind, rule in COLOUR.findall(sheet)]
    colours = {theme: rule.split("; ")[-1] for theme, kind, rule in rules if not kind}
    return {kind for _, kind, _ in rules if kind} - {kind for theme, kind, rule in rules if rule != colours[theme]}


def without_marks(text: str, kinds: set[str]) -> str:
    """Return a page whose code has no marks of those kinds."""
    mark = re.compile(rf'<span class="(?:{"|".join(sorted(kinds))})">([^<]*)</span>')
    return CODE.sub(lambda code: mark.sub(r"\1", code[0]), text) if kinds else text


def without_repeated_styles(text: str) -> str:
    """Return a page that has each of its own style sheets once, where it comes first."""
    seen = set()

    def first(found: re.Match) -> str:
        again = found[0] in seen
        seen.add(found[0])
        return "" if again else found[0]

    return STYLE.sub(first, text)


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
    for picture in (built / "_images").glob("*.svg"):
        picture.write_text(slim(picture.read_text(encoding="utf-8")), encoding="utf-8")
    kinds = like_the_rest((built / "_static" / "pygments.css").read_text(encoding="utf-8"))
    for page in built.rglob("*.html"):
        text = without_repeated_styles(without_parts(page.read_text(encoding="utf-8")))
        text = without_marks(text, kinds)
        page.write_text(with_sizes(text, page.parent), encoding="utf-8")
    sheet = thin((THEME / SHEET).read_text(encoding="utf-8"), used(built))
    rules = tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)
    (built / "_static" / SHEET).write_text(asked(rules, words_of(built)), encoding="utf-8")
    for path in (built / "_static" / FONTS).glob("*"):
        path.unlink()
    for path in (THEME / FONTS).glob("*.ttf"):
        write_font(path, built / "_static" / FONTS / f"{path.stem}.woff", signs(built))


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.connect("html-page-context", drop_state, priority=900)
    app.connect("build-finished", lighten, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
