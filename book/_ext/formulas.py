"""Sphinx extension: a formula is MathML, which needs no script; where scripts run, MathJax sets it with its own fonts.

MathJax reads the same MathML. Of what the package sphinx-mathjax-offline brings the site gets the parts that it uses.
The menu stays away: it weighs two thirds of all the rest, and makes a stop for the Tab key of every formula.
"""

from __future__ import annotations

import hashlib
import html
import json
import shutil
from importlib.util import find_spec
from pathlib import Path

from docutils import nodes
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from tex_to_mathml import mathml

COMPONENTS = ["core", "input/mml", "output/chtml", "a11y/assistive-mml"]
FILES = [f"{name}.js" for name in ("startup", *COMPONENTS, "output/chtml/fonts/tex")]
FILES += ["output/chtml/fonts/woff-v2/*.woff"]
SCRIPT = Path(__file__).with_suffix(".js")
CLASSES = "math notranslate nohighlight"
logger = logging.getLogger(__name__)


def formula(node: nodes.Element, tex: str, *, display: bool) -> str:
    """Return a formula as MathML; as its TeX, with a warning, where that has something unknown."""
    try:
        return mathml(tex, display=display)
    except ValueError as error:
        logger.warning("%s", error, location=node)
        return f"<code>{html.escape(tex)}</code>"


def lines(tex: str) -> str:
    """Return a displayed formula as one: parts with an empty line between them stand below one another."""
    parts = [part for part in tex.split("\n\n") if part.strip()]
    parts = [f"\\begin{{split}}{part}\\end{{split}}" if "\\\\" in part else part for part in parts]
    return "\\begin{aligned}" + "\\\\".join(parts) + "\\end{aligned}" if len(parts) > 1 else "".join(parts)


def visit_inline(translator, node: nodes.math) -> None:
    """Write a formula within a line."""
    translator.body.append(translator.starttag(node, "span", "", CLASS=CLASSES))
    translator.body.append(formula(node, node.astext(), display=False) + "</span>")
    raise nodes.SkipNode


def visit_display(translator, node: nodes.math_block) -> None:
    """Write a formula on lines of its own, with its number."""
    translator.body.append(translator.starttag(node, "div", "", CLASS=CLASSES))
    if node["number"]:
        translator.body.append(f'<span class="eqno">({get_node_equation_number(translator, node)})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    tex = node.astext() if node["nowrap"] else lines(node.astext())
    translator.body.append(formula(node, tex, display=True) + "</div>\n")
    raise nodes.SkipNode


def add_script(app, pagename, templatename, context, doctree) -> None:
    """Load MathJax where there are formulas."""
    if "<math" in context.get("body", ""):
        script = SCRIPT.read_text(encoding="utf-8").replace("COMPONENTS", json.dumps(COMPONENTS))
        app.add_js_file(None, body=script)
        app.add_js_file("mathjax/startup.js", defer="defer", onerror="showText()")


def copy_mathjax(app, exception) -> None:
    """Copy the parts of MathJax that the pages load, and nothing else."""
    if exception is None and app.builder.format == "html":
        there = Path(find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax"
        here = Path(app.outdir) / "_static" / "mathjax"
        shutil.rmtree(here, ignore_errors=True)
        for pattern in FILES:
            for path in there.glob(pattern):
                copy = here / path.relative_to(there)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)


def digest() -> str:
    """Return what changes when formulas are written in another way: then every page is written again."""
    sources = [SCRIPT, *(SCRIPT.with_name(f"{name}.py") for name in ("formulas", "tex_to_mathml"))]
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.add_config_value("formulas_digest", digest(), "html")
    app.add_html_math_renderer("formulas", (visit_inline, None), (visit_display, None))
    app.connect("html-page-context", add_script)
    app.connect("build-finished", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
