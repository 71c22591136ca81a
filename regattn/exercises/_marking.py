"""What an answer for marks may not do: call the package, or reach for a module in a way that cannot be read.

The same reading is made where a student runs a cell, which is then refused on the spot, and where it is marked.
"""

from __future__ import annotations

import ast
import os
import sys

PACKAGE = "regattn"
HIDING = {
    "importlib",
    "sys.modules",
    "__import__",
    "exec",
    "eval",
    "compile",
    "globals",
    "pkgutil",
    "runpy",
    "get_ipython",
}


def package_call(source: str) -> str | None:
    """Return how a cell names the package or hides what it imports, "line 3: imports regattn"; None where neither.

    Comments and texts may name it. A cell that is no Python, or begins with a magic, is read as far as it is one.
    """
    for node in ast.walk(_tree(source)):
        for name in _modules(node):
            root = name.partition(".")[0]
            if root == PACKAGE:
                return f"line {node.lineno}: imports {PACKAGE}"
            if hiding := {name, root} & HIDING:
                return f"line {node.lineno}: {hiding.pop()} can import what is not named"
    return None


def _tree(source: str) -> ast.AST:
    """Return the syntax tree of a cell without its magics."""
    lines = ["pass" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines()]
    try:
        return ast.parse("\n".join(lines))
    except SyntaxError:
        return ast.parse("")  # it fails by itself


def _modules(node: ast.AST) -> list[str]:
    """Return the modules and bare names that a node speaks of."""
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom():
            return [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        case ast.Name():
            return [node.id]
        case ast.Attribute(attr="import_module"):
            return ["importlib"]
        case ast.Attribute(attr="modules"):
            return ["sys.modules"]
    return []


class Refusal(ast.NodeTransformer):
    """Refuses a cell before it runs, as a student sees it; IPython calls `visit` with the whole cell."""

    def visit(self, node: ast.AST) -> ast.AST:
        """Return the cell as it is, or refuse it."""
        from IPython.core.error import InputRejected

        if found := package_call(ast.unparse(node)):
            raise InputRejected(f"This cell would get no marks. {found}. Use NumPy and your own functions.")
        return node


def refuse_package() -> None:
    """Refuse from here on every cell of this notebook that would be emptied when it is marked, and say why.

    It does nothing outside a notebook, nor where answers are marked: there the tests call the package.

    Examples
    --------
    >>> refuse_package()  # in the first cell of an assignment for marks
    """
    if "REGATTN_MARKING" in os.environ or "IPython" not in sys.modules:
        return
    if shell := sys.modules["IPython"].get_ipython():
        shell.ast_transformers.append(Refusal())
