"""What Python code depends on: the files of the package that it imports, found by reading it, not by running it.

A name that a room loads lazily is looked up in the room's `__init__.pyi`, so that ``from regattn.words import project``
leads to one file of the room and not to all of them. Where reading cannot tell, more is counted rather than less.

Data (styles, numbers, JavaScript) belong to the nearest package above them, and JavaScript brings what it imports: an
explorer's view concerns the notebooks that use this explorer.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import nbformat

SUFFIXES = (".py", ".pyi")
CELL = re.compile(r"^(?P<fence>`{3,}|:{3,})\{code-cell\}[^\n]*\n(?P<body>.*?)^(?P=fence)\s*$", re.MULTILINE | re.DOTALL)
OPTIONS = re.compile(r"\A(?:---\n.*?^---\n|(?::[^\n]*\n)+)", re.MULTILINE | re.DOTALL)
JS_IMPORT = re.compile(r'^import .* from "(\..*)";$', re.MULTILINE)
EXERCISE = re.compile(r"([a-z]\w*)\.\d+")  # a check names its exercise, and that its chapter's answers


def code_of(path: Path) -> str:
    """Return the Python of a notebook, `.ipynb` or text, without the lines that are IPython's."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        found = [cell.source for cell in nbformat.reads(text, as_version=4).cells if cell.cell_type == "code"]
    else:
        found = [OPTIONS.sub("", block["body"], count=1) for block in CELL.finditer(text)]
    lines = [line for cell in found for line in cell.splitlines()]
    return "\n".join(line for line in lines if not line.lstrip().startswith(("%", "!")))


def written_in(folder: Path) -> list[Path]:
    """Return the files in a folder, without what Python has compiled."""
    return [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]


class Package:
    """The files of a package in a folder, by the names they are imported by."""

    def __init__(self, root: Path, name: str = "regattn"):
        self.root, self.name = root, name
        files = written_in(root / name)
        self.modules = {self._dotted(path): path for path in files if path.suffix == ".py"}
        self.data = [path for path in files if path.suffix not in SUFFIXES]
        self.stubs = {self._dotted(path): self._stub(path) for path in files if path.name == "__init__.pyi"}
        self._named: dict[str, set[str]] = {}
        self._contents: dict[Path, bytes] = {}

    def _dotted(self, path: Path) -> str:
        parts = path.relative_to(self.root).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def _stub(self, path: Path) -> dict[str, tuple[str, str]]:
        """Return the module and the name that stand behind each name of a room."""
        nodes = ast.parse(path.read_text(encoding="utf-8")).body
        nodes = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.level]  # others are for types
        return {
            alias.asname or alias.name: (absolute(node, self._dotted(path), is_package=True), alias.name)
            for node in nodes
            for alias in node.names
        }

    def home(self, module: str, name: str) -> str:
        """Return the module that gives a module its name, as `regattn.words.counting` gives `ppmi` to the words."""
        behind = self.stubs.get(module, {}).get(name)
        if behind is not None and behind != (module, name):
            return self.home(*behind)
        inside = f"{module}.{name}"
        return inside if inside in self.modules else module

    def whole(self, module: str) -> set[str]:
        """Return what is behind all names of a module."""
        homes = {self.home(module, name) for name in self.stubs.get(module, {})}
        return {module} | homes.union(*(self.whole(home) for home in homes if home in self.stubs))

    def named(self, code: str, module: str | None = None) -> set[str]:
        """Return the modules of the package that code names itself; `module` is what the code is, if of the package."""
        try:
            tree = ast.parse(code)
        except SyntaxError:
            return set(self.modules)
        reader = Reader(self, module)
        reader.visit(tree)
        return reader.found | reader.through_names(tree)

    def closure(self, modules: Iterable[str]) -> set[str]:
        """Return modules, their packages, and all that they import in turn."""
        left, seen = set(modules), set()
        while left:
            module = left.pop()
            if module in seen:
                continue
            seen.add(module)
            if module not in self._named:
                code = self.modules[module].read_text(encoding="utf-8")
                self._named[module] = self.named(code, module) | ({module.rpartition(".")[0]} - {""})
            left |= self._named[module] - seen
        return seen

    def files(self, code: str) -> set[Path]:
        """Return the files of the package that code depends on, with the data of the packages that it enters."""
        entered = {self.modules[module] for module in self.closure(self.named(code))}
        left = [path for path in self.data if self._owner(path) in entered]
        data: set[Path] = set()
        while left:
            path = left.pop()
            if path not in data:
                data.add(path)
                left += imported(path) if path.suffix == ".js" else []
        return entered | data

    def content(self, path: Path) -> bytes:
        """Return what a file holds; it is read once."""
        if path not in self._contents:
            self._contents[path] = path.read_bytes()
        return self._contents[path]

    def _owner(self, path: Path) -> Path:
        """Return the `__init__.py` of the nearest package above a file."""
        return next(file for folder in path.parents if (file := folder / "__init__.py").exists())


def imported(path: Path) -> list[Path]:
    """Return the modules that a JavaScript module imports."""
    return [(path.parent / name).resolve() for name in JS_IMPORT.findall(path.read_text(encoding="utf-8"))]


def absolute(node: ast.ImportFrom, module: str, *, is_package: bool) -> str:
    """Return the module that ``from … import`` reads from, when it stands in `module`."""
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    base = parts[: len(parts) - node.level + is_package]
    return ".".join([*base, *([node.module] if node.module else [])])


class Reader(ast.NodeVisitor):
    """Collects the modules that a piece of code imports, and the names under which it knows rooms."""

    def __init__(self, package: Package, module: str | None):
        self.package, self.module = package, module or ""
        self.is_package = module is not None and package.modules[module].name == "__init__.py"
        self.found: set[str] = set()
        self.rooms: dict[str, str] = {}

    def _know(self, name: str, module: str) -> None:
        self.found.add(module)
        if module in self.package.stubs:
            self.rooms[name] = module

    def visit_Import(self, node: ast.Import) -> None:
        """``import regattn.words as w``."""
        for alias in node.names:
            if alias.name in self.package.modules:
                self.found.add(alias.name)
                top = alias.name.partition(".")[0]
                self._know(alias.asname or top, alias.name if alias.asname else top)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """``from regattn.words import project``."""
        base = absolute(node, self.module, is_package=self.is_package)
        if base not in self.package.modules:
            return
        self.found.add(base)
        for alias in node.names:
            if alias.name == "*":
                self.found |= self.package.whole(base)
            else:
                self._know(alias.asname or alias.name, self.package.home(base, alias.name))

    def visit_Constant(self, node: ast.Constant) -> None:
        """``import_module("regattn.words.tokens")`` and ``check("masks.1", …)``."""
        if not isinstance(node.value, str):
            return
        if node.value in self.package.modules:
            self.found.add(node.value)
        exercise = EXERCISE.fullmatch(node.value)
        answers = f"{self.package.name}.exercises.{exercise[1]}" if exercise else ""
        if answers in self.package.modules:
            self.found.add(answers)

    def through_names(self, tree: ast.AST) -> set[str]:
        """Return the modules reached by ``words.project`` after ``from regattn import words``."""
        found, told = set(), set()
        expressions = list(ast.walk(tree)) if self.rooms else []
        for node in (node for node in expressions if isinstance(node, ast.Attribute)):
            base, *names = chain(node)
            if base is None or base.id not in self.rooms:
                continue
            told.add(id(base))
            module = self.rooms[base.id]
            for name in names:
                if module not in self.package.stubs:
                    break
                module = self.package.home(module, name)
                found.add(module)
        for node in expressions:  # a room that is handed on as a whole
            if isinstance(node, ast.Name) and node.id in self.rooms and id(node) not in told:
                found |= self.package.whole(self.rooms[node.id])
        return found


def chain(node: ast.AST) -> Iterator[ast.Name | str | None]:
    """Return the name and the attributes of ``a.b.c``, or None and nothing else for another expression."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return iter([node, *names] if isinstance(node, ast.Name) else [None])
