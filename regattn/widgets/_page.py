"""The page that an explorer leaves behind: its modules as one, its values as JSON, its colours for every browser."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from regattn._text import check_text

__all__ = ["FOLDER", "assemble", "plain", "safe_json", "style"]

FOLDER = Path(__file__).parent
LOCAL_IMPORT = re.compile(r'^import\s[^;]*?from\s+"\./([\w.-]+\.js)";\n', re.MULTILINE)
COLOUR = re.compile(r"(--ra-[\w-]+): light-dark\(([^,]+), ([^)]+)\);")


@cache
def assemble(name: str) -> str:
    """Return ``<name>.js`` as one module: the local modules it imports come before it, each once, imports dropped."""
    parts: dict[str, str] = {}

    def visit(module: str) -> None:
        source = (FOLDER / module).read_text(encoding="utf-8")
        for imported in LOCAL_IMPORT.findall(source):
            if imported not in parts:
                visit(imported)
        parts[module] = LOCAL_IMPORT.sub("", source)

    visit(f"{name}.js")
    return "\n".join(parts.values())


@cache
def style() -> str:
    """Return explorer.css with its colours once more for browsers that do not know ``light-dark()``."""
    source = (FOLDER / "explorer.css").read_text(encoding="utf-8")
    light, dark = ("".join(f"{found[0]}:{found[k]};" for found in COLOUR.findall(source)) for k in (1, 2))
    on_dark = 'html[data-theme="dark"] .regattn, body[data-jp-theme-light="false"] .regattn, body.vscode-dark .regattn'
    old = "@supports not (color: light-dark(red, red))"
    return f"{source}{old} {{\n.regattn {{ {light} }}\n{on_dark} {{ {dark} }}\n}}\n"


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
