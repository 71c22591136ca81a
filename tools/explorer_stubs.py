"""Write the stub of each explorer, `regattn/widgets/lag/__init__.pyi`, from which editors and type checkers read it.

An explorer's controls are arguments of its constructor and attributes of it, which only running code knows.
"""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import regattn.widgets
from regattn._files import write_whole
from regattn.widgets._kit import Explorer

ROOT = Path(__file__).parents[1]
HEAD = '"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""'
PLAIN = (bool, int, float, str, tuple, type(None))
NEEDED = {
    "Any": "from typing import Any",
    "Literal": "from typing import Literal",
    "Mapping": "from collections.abc import Mapping",
    "Sequence": "from collections.abc import Sequence",
}


def explorers() -> list[type[Explorer]]:
    """Return the explorers of the package."""
    return [getattr(regattn.widgets, name) for name in regattn.widgets.__all__]


def path_of(explorer: type[Explorer]) -> Path:
    """Return where the stub of an explorer is."""
    return Path(inspect.getfile(explorer)).with_suffix(".pyi")


def stub(explorer: type[Explorer]) -> str:
    """Return the stub of an explorer."""
    controls = {name: explorer.class_traits()[name].annotation() for name in explorer.controls}
    lines = [f"class {explorer.__name__}(Explorer):"]
    lines += [f"    {name}: {annotation}" for name, annotation in controls.items()]
    lines += ["    def __init__(", "        self,", *_parameters(inspect.signature(explorer)), "    ) -> None: ..."]
    for name, method in vars(explorer).items():
        if inspect.isfunction(method) and not name.startswith("_"):
            lines.append(f"    def {name}{_unquoted(inspect.signature(method))}: ...")
    code = "\n".join(lines)
    return f"{HEAD}\n\n{_imports(explorer, code)}\n\n{code}\n"


def _parameters(signature: inspect.Signature) -> list[str]:
    lines, keyword = [], False
    for name, part in signature.parameters.items():
        if part.kind is part.KEYWORD_ONLY and not keyword:
            lines.append("        *,")
            keyword = True
        default = "" if part.default is part.empty else f" = {_default(part.default)}"
        lines.append(f"        {name}: {part.annotation}{default},")
    return lines


def _default(value: object) -> str:
    return repr(value).replace("'", '"') if isinstance(value, PLAIN) else "..."


def _unquoted(signature: inspect.Signature) -> str:
    return re.sub(r"'([^']*)'", r"\1", str(signature))


def _imports(explorer: type[Explorer], code: str) -> str:
    """Return the imports of an explorer's module that its stub needs, and what the common arguments are made of."""
    tree = ast.parse(Path(inspect.getfile(explorer)).read_text(encoding="utf-8"))
    known = dict(NEEDED)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            known |= {
                alias.asname or alias.name: f"from {node.module} import {ast.unparse(alias)}" for alias in node.names
            }
        elif isinstance(node, ast.Import):
            known |= {alias.asname or alias.name: f"import {alias.name} as {alias.asname}" for alias in node.names}
    named = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)} & known.keys()
    return _sorted({known[name] for name in named})


def _sorted(lines: set[str]) -> str:
    """Return imports in the order of the package's style: three groups, names of one module together."""
    modules: dict[str, list[str]] = {}
    for line in lines:
        modules.setdefault(line.split()[1], []).append(line)
    groups: list[list[str]] = [[], [], []]
    for module, found in sorted(modules.items()):
        names = ", ".join(sorted(line.split("import ")[1] for line in found))
        line = found[0] if found[0].startswith("import") else f"from {module} import {names}"
        groups[0 if module in ("typing", "collections.abc") else 2 if module.startswith("regattn") else 1].append(line)
    return "\n\n".join("\n".join(sorted(group, key=lambda line: line.startswith("from"))) for group in groups if group)


if __name__ == "__main__":
    for each in explorers():
        write_whole(path_of(each), stub(each))
