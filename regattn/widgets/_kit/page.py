"""The page that an explorer leaves behind: its modules as one, its values as JSON, its colours for every browser."""

from __future__ import annotations

import html
import json
import re
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any

import numpy as np

from regattn._colours import ROLES
from regattn._text import check_text

__all__ = ["FOLDER", "assemble", "document", "own_style", "plain", "safe_json", "scoped", "style"]

FOLDER = Path(__file__).parents[1]
IMPORT = re.compile(r'^import (\{[^}]*\}) from "(\.\.?/[\w./]+\.js)";$', re.MULTILINE)
REMARK = re.compile(r"^\s*//.*\n", re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:function\*?|const) (\w+))", re.MULTILINE)
STYLES = re.compile(r"^<style>\n.*?^</style>\n", re.MULTILINE | re.DOTALL)
COLOUR = re.compile(r"(--ra-[\w-]+): light-dark\(([^,]+), ([^)]+)\);")


@cache
def assemble(entry: str) -> str:
    """Return a module, as ``lag/view.js``, with all that it imports before it, each in a scope of its own.

    ``import { plot } from "../_kit/plot.js";`` becomes ``const { plot } = $_kit_plot;``, and what is imported
    ``const $_kit_plot = (() => { … return { plot }; })();``.
    """
    scopes: dict[str, str] = {}

    def code(module: str) -> str:
        def bound(found: re.Match[str]) -> str:
            path = normpath(join(dirname(module), found[2]))
            if path not in scopes:
                scopes[path] = scoped(path, code(path))
            return f"const {found[1]} = {scope_name(path)};"

        return IMPORT.sub(bound, REMARK.sub("", (FOLDER / module).read_text(encoding="utf-8")))

    own = code(entry)
    return "".join([*scopes.values(), own])


def scope_name(module: str) -> str:
    """Return the constant that holds what a module exports, as ``$_kit_plot`` for ``_kit/plot.js``."""
    return "$" + module.removesuffix(".js").replace("/", "_")


def scoped(module: str, code: str) -> str:
    """Return the code of a module in a function of its own, which returns what it exports."""
    exports = ", ".join(EXPORT.findall(code))
    return f"const {scope_name(module)} = (() => {{\n{EXPORT.sub('', code)}return {{ {exports} }};\n}})();\n"


def document(piece: str, title: str) -> str:
    """Return a whole page that holds a piece of HTML and nothing else, its rules of style in its head."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{html.escape(title)}</title>\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{''.join(STYLES.findall(piece))}</head>\n<body>\n<main>\n{STYLES.sub('', piece)}\n</main>\n</body>\n</html>\n"
    )


@cache
def style() -> str:
    """Return explorer.css with the roles' colours, and all colours again for browsers that lack ``light-dark()``."""
    declared = "".join(f"  --ra-{role}: light-dark({light}, {dark});\n" for role, (light, dark) in ROLES.items())
    used = "".join(f".regattn .ra-{role} {{ --ra-role: var(--ra-{role}); }}\n" for role in ROLES)
    source = f".regattn {{\n{declared}}}\n{used}{(FOLDER / '_kit/explorer.css').read_text(encoding='utf-8')}"
    light, dark = ("".join(f"{found[0]}:{found[k]};" for found in COLOUR.findall(source)) for k in (1, 2))
    on_dark = 'html[data-theme="dark"] .regattn, body[data-jp-theme-light="false"] .regattn, body.vscode-dark .regattn'
    old = "@supports not (color: light-dark(red, red))"
    return f"{source}{old} {{\n.regattn {{ {light} }}\n@media screen {{ {on_dark} {{ {dark} }} }}\n}}\n"


@cache
def own_style(folder: str) -> str:
    """Return the rules of one explorer, ``style.css`` in its folder; "" where it has none."""
    path = FOLDER / folder / "style.css"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def plain(value: Any) -> Any:
    """Return ``value`` with its arrays and NumPy numbers turned into lists and numbers, no digit lost; check texts."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist() if value.dtype.kind in "biuf" else plain(value.tolist())
    if isinstance(value, str):
        return check_text(value, "a label")
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def safe_json(value: Any) -> str:
    r"""Return compact JSON that may stand inside a ``<script>`` element, whatever its texts say.

    Examples
    --------
    >>> safe_json({"label": "</script>", "weight": 0.1})
    '{"label":"\\u003c/script\\u003e","weight":0.1}'
    """
    text = json.dumps(plain(value), separators=(",", ":"), allow_nan=False)  # ASCII: the rest is escaped already
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
