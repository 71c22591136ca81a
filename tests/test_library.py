"""The library reference: every public name is documented, shown by an example that runs, and listed."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import sys
from collections import Counter
from functools import cache
from types import ModuleType

import pytest
from sphinx.pycode import ModuleAnalyzer

import regattn
from tests.built import ROOT, article, notebooks, read_notebook

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import library_pages

PAGE = "book/reference/library"


def modules() -> list[str]:
    """Return the modules of the package whose names do not start with an underscore."""
    found = [module.name for module in pkgutil.walk_packages(regattn.__path__, "regattn.")]
    shown = (name for name in found if not re.search(r"\._|^regattn\.exercises\.ch\d|^regattn\.from_scratch", name))
    return ["regattn", *shown]


def rooms() -> list[str]:
    """Return what names a public surface: the package, its sub-packages, and `regattn.data`."""
    inside = {f"regattn.{path.parent.name}" for path in (ROOT / "regattn").glob("*/__init__.py")} - {
        "regattn.from_scratch"
    }
    return ["regattn", "regattn.data", *sorted(inside)]


def listed() -> list[str]:
    """Return the modules that the page of the library lists, in its order."""
    text = (ROOT / f"{PAGE}.md").read_text(encoding="utf-8")
    return re.findall(r"automodule:: (regattn\S*)\n", text)


def records() -> list[tuple[str, str]]:
    """Return the types of what functions return, with their modules, in the order of the page of the library."""
    text = (ROOT / f"{PAGE}.md").read_text(encoding="utf-8")
    return re.findall(r"autoclass:: (regattn\S*)\.(\w+)\n", text)


def loaded(module: str) -> ModuleType:
    """Return a module of the package."""
    return importlib.import_module(module)


def lifted(module: str) -> set[str]:
    """Return the names that the package offers too, besides the room that is their home."""
    inner = [room for room in rooms() if room.startswith(f"{module}.")]
    return {
        name
        for room in inner
        for name in loaded(room).__all__
        if not isinstance(getattr(regattn, name, None), ModuleType)
    }


def public(module: str) -> dict[str, object]:
    """Return the public names of a module."""
    named = {name: getattr(loaded(module), name) for name in loaded(module).__all__ if name not in lifted(module)}
    return {name: value for name, value in named.items() if not isinstance(value, ModuleType)}


PUBLIC = [(m, name) for m in listed() for name in public(m)]
NAMES = [*PUBLIC, *records()]
every_name = pytest.mark.parametrize(("module", "name"), NAMES, ids=[".".join(pair) for pair in NAMES])


def test_every_room_is_listed_once():
    assert sorted(listed()) == sorted(rooms())


def test_every_name_has_one_home():
    times = Counter(name for _, name in NAMES)
    assert [name for name, count in times.items() if count > 1] == []


def test_the_page_lists_what_the_package_lifts_out_of_a_room_under_the_room_alone():
    text = (ROOT / f"{PAGE}.md").read_text(encoding="utf-8")
    (left_out,) = re.findall(r"automodule:: regattn\n   :members:\n   :exclude-members: (.+)\n", text)
    assert set(left_out.split(", ")) == lifted("regattn") & set(regattn.__all__)


def definitions(module: str) -> set[str]:
    """Return the names that a module defines itself and does not mark as its own by an underscore."""
    body = ast.parse(inspect.getsource(loaded(module))).body
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return {node.name for node in body if isinstance(node, kinds) and not node.name.startswith("_")}


def test_what_no_room_names_is_marked_private():
    named = {name for _, name in NAMES}
    loose = {f"{m}.{name}" for m in modules() if m not in rooms() for name in definitions(m) - named}
    assert loose == set()


def annotated(name: str, module: str) -> str:
    """Return the types that a public function or a method of a public class says it returns."""
    value = getattr(loaded(module), name)
    parts = [value, *vars(value).values()] if inspect.isclass(value) else [value]
    plain = [getattr(part, "fget", None) or getattr(part, "func", None) or part for part in parts]
    return " ".join(str(part.__annotations__.get("return", "")) for part in plain if inspect.isfunction(part))


@pytest.mark.parametrize(("module", "name"), records(), ids=[name for _, name in records()])
def test_a_type_that_no_room_names_is_what_a_listed_one_returns(module, name):
    assert inspect.isclass(getattr(loaded(module), name))
    assert (module.rpartition(".")[0], name) not in PUBLIC
    assert any(re.search(rf"\b{name}\b", annotated(*reversed(pair))) for pair in NAMES if pair != (module, name))


@every_name
def test_name_is_documented_by_a_sentence(module, name):
    value = getattr(loaded(module), name)
    if callable(value):
        first = inspect.getdoc(value).splitlines()[0]
        assert first.endswith((".", ":")), first
        assert "Alias for" not in first
    else:
        text = (ROOT / f"{PAGE}.md").read_text(encoding="utf-8")
        by_hand = re.search(rf"py:data:: {name}\n   :module: {module}\n\n   \S.+\.\n", text)
        assert by_hand or ("", name) in ModuleAnalyzer.for_module(module).find_attr_docs()


def every_module() -> list[str]:
    """Return all modules, private ones too."""
    return ["regattn", *(module.name for module in pkgutil.walk_packages(regattn.__path__, "regattn."))]


@cache
def examples() -> str:
    """Return the source of every example of the package, which the tests run, one after the other."""
    finder, found = doctest.DocTestFinder(recurse=True), []
    for module in every_module():
        tests = finder.find(loaded(module), module)
        found += [example.source for test in tests for example in test.examples]
    return "\n".join(found)


@cache
def cells() -> str:
    """Return the source of every code cell of the book, which the tests run."""
    in_notebooks = [c.source for path in notebooks() for c in read_notebook(path).cells if c.cell_type == "code"]
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "book").rglob("*.md")]
    return "\n".join([*in_notebooks, *re.findall(r"(?s)```\{code-cell\}.*?```", "\n".join(texts))])


def is_record(value: object) -> bool:
    """Return whether something only holds values that a function returned or takes."""
    return inspect.isclass(value) and (hasattr(value, "_fields") or hasattr(value, "__dataclass_fields__"))


def shown(name: str) -> bool:
    """Return whether an example calls this, or, for a method, something that is called so."""
    return bool(re.search(rf"\b{name}\b", examples()) or re.search(rf"\b{name}\b", cells()))


def returned_or_taken(record: str) -> bool:
    """Return whether an example calls a function or method of the package that returns or takes a record."""
    values = [value for module in every_module() for value in vars(loaded(module)).values()]
    parts = [part for value in values if inspect.isclass(value) for part in vars(value).values()]
    plain = [getattr(part, "fget", None) or getattr(part, "func", None) or part for part in [*values, *parts]]
    functions = {f for f in plain if inspect.isfunction(f) and (f.__module__ or "").startswith("regattn")}
    return any(shown(f.__name__) for f in functions if re.search(rf"\b{record}\b", str(f.__annotations__)))


@every_name
def test_name_has_an_example_that_runs(module, name):
    value = getattr(loaded(module), name)
    if callable(value):
        assert shown(name) or (is_record(value) and returned_or_taken(name))
    else:
        assert name.isupper()  # a constant lists the choices of an argument, which the examples make


def test_the_quickstart_comes_first_and_prints_what_it_says():
    text = (ROOT / f"{PAGE}.md").read_text(encoding="utf-8")
    block = re.search(r"(?s)## Quickstart\n.*?```python\n(.*?)```", text)[1]
    assert text.index("## Quickstart") < text.index("## The one mechanism")
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(doctest.DocTestParser().get_doctest(block, {}, "quickstart", None, 0))
    assert runner.summarize(verbose=False).failed == 0


def test_a_function_that_a_record_stores_shows_all_its_arguments():
    kernel = regattn.Kernel
    assert library_pages.stored_signature("regattn.Kernel.scores", kernel.scores) == "(queries, keys, scale)"
    assert library_pages.stored_signature("regattn.Kernel.weights", kernel.weights) is None
    assert library_pages.stored_signature("regattn.attend", regattn.attend) is None


@pytest.mark.book
def test_the_page_shows_the_arguments_of_the_scores_of_a_kernel(built_book):
    entry = article(built_book / f"{PAGE}.html").find("dt", id="regattn.Kernel.scores")
    assert [part.get_text() for part in entry.select("em.sig-param")] == ["queries", "keys", "scale"]


@pytest.mark.book
@every_name
def test_name_stands_on_the_built_page_with_its_description(built_book, module, name):
    entry = article(built_book / f"{PAGE}.html").find("dt", id=f"{module}.{name}")
    assert entry is not None
    assert entry.find_next_sibling("dd").get_text(strip=True)


@pytest.mark.book
def test_equations_lead_into_the_chapters(built_book):
    content = article(built_book / f"{PAGE}.html")
    links = {link["href"] for link in content.select('a[href*="#equation-"]')}
    sources = [inspect.getsource(loaded(module)) for module in modules()]
    wanted = set(re.findall(r":eq:`([^`]+)`", "\n".join(sources)))
    assert {link.partition("#equation-")[2] for link in links} == wanted
    assert all(link.startswith("../part") for link in links)


@pytest.mark.book
def test_references_between_names_and_to_sources_are_links(built_book):
    content = article(built_book / f"{PAGE}.html")
    dead = [code.get_text() for code in content.select("code.xref.py") if code.find_parent("a") is None]
    names = {name for _, name in NAMES}
    assert [text for text in dead if text.removesuffix("()").rpartition(".")[2] in names] == []
    assert not re.search(r"\[(GC|RK|MH|BR|BP)\]_", content.get_text())
    assert content.select('a[href="#gc"]')
