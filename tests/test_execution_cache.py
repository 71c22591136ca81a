"""What a notebook depends on, and that a build executes again exactly what depends on what has changed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn

from tests.built import ROOT, label, notebooks

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import execution_cache
from dependencies import Package, code_of
from execution_cache import key
from parallel_execution import cached

EVERY = [*notebooks(), ROOT / "book" / "index.md"]
SPECTRAL, WORDS, TOKENS = "03_ols_proximity", "12_cooccurrence_projection", "18_language_model"


package = cache(lambda: Package(ROOT))


@cache
def files_of(path: Path) -> set[str]:
    return {file.relative_to(ROOT / "regattn").as_posix() for file in package().files(code_of(path))}


def readers(file: str) -> set[str]:
    """Return the notebooks that depend on a file of the package."""
    return {label(path) for path in EVERY if file in files_of(path)}


def chapter(name: str) -> Path:
    (path,) = (ROOT / "book").glob(f"part*/{name}.ipynb")
    return path


# --- the book ---------------------------------------------------------------------------------------------------------


def test_a_module_of_words_concerns_the_chapters_that_cut_words_and_no_regression():
    assert "words/tokens.py" in files_of(chapter(TOKENS))
    assert "words/tokens.py" not in files_of(chapter(SPECTRAL))


@pytest.mark.parametrize("file", ["attention.py", "kernels.py", "_validation.py", "__init__.py"])
def test_the_mechanism_concerns_every_notebook_that_attends(file):
    only_count = {"solutions-13_a_real_corpus", "solutions-15_tokens"}
    others = {"solutions-11_layers_and_filters"}  # filters by their recursion
    others |= {"solutions-02_beyond_the_line"}  # a network, which attends to nothing
    without = only_count | others if file in ("attention.py", "kernels.py") else set()
    assert readers(file) == {label(path) for path in EVERY} - without


@pytest.mark.parametrize("file", ["_kit/explorer.css", "_kit/explorer.js", "_numbers/maths.js"])
def test_the_look_of_explorers_concerns_whoever_imports_one(file):
    importing = {label(path) for path in EVERY if "from regattn.widgets import" in code_of(path)}
    assert readers(f"widgets/{file}") == importing


@pytest.mark.parametrize("file", ["lag/view.js", "lag/numbers.js", "lag/map.js", "lag/__init__.py"])
def test_an_explorer_concerns_whoever_uses_this_explorer(file):
    using = {label(path) for path in EVERY if "LagExplorer" in code_of(path)}
    assert using
    assert readers(f"widgets/{file}") == using


def test_javascript_that_some_explorers_import_concerns_whoever_uses_one_of_them():
    some = re.compile("(Model|Forecast|Induction)Explorer")
    using = {label(path) for path in EVERY if some.search(code_of(path))}
    assert readers("widgets/_numbers/transformer.js") == using


def test_a_shipped_model_concerns_whoever_enters_its_room():
    importing = {label(path) for path in EVERY if "from regattn.transformer import" in code_of(path)}
    found = readers("transformer/shipped/grammar.safetensors")
    assert found >= importing
    assert label(chapter(SPECTRAL)) not in found


def test_the_answers_of_a_chapter_concern_who_checks_them():
    assert readers("exercises/ols_proximity.py") == {"part2-proximity-03_ols_proximity", "solutions-03_ols_proximity"}


@pytest.mark.parametrize("path", [EVERY[-1], chapter(SPECTRAL), chapter(WORDS), chapter(TOKENS)], ids=label)
def test_what_a_notebook_loads_is_what_reading_it_found(path):
    """Run the imports of a notebook and compare with the files of the package that Python then has loaded."""
    lines = [line for line in imports_of(code_of(path)) if "regattn" in line]
    tell = "import sys; print(*(m.__file__ for n, m in sys.modules.items() if n.partition('.')[0] == 'regattn'))"
    command = [sys.executable, "-W", "ignore", "-c", "\n".join([*lines, tell])]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {Path(file).relative_to(ROOT / "regattn").as_posix() for file in done.stdout.split()}
    assert loaded
    assert loaded <= files_of(path)


def imports_of(code: str) -> list[str]:
    """Return the import statements at the beginning of a line, each in one line."""
    found = re.findall(r"^(?:from \S+ import (?:\([^)]*\)|[^\n]+)|import [^\n]+)", code, re.MULTILINE)
    return [" ".join(statement.split()) for statement in found]


# --- a package made up ------------------------------------------------------------------------------------------------

MADE_UP = {
    "__init__.py": "",
    "__init__.pyi": "from . import walls as walls, roof as roof\nfrom .ground import stand as stand\n",
    "ground.py": "def stand(): return 1\n",
    "walls/__init__.py": "",
    "walls/__init__.pyi": "from . import paper as paper\nfrom .brick import lay as lay\nfrom .wood import nail\n",
    "walls/brick.py": "from ._mortar import mix\n",
    "walls/_mortar.py": "from .. import stand\n",
    "walls/wood.py": "",
    "walls/paper.py": "",
    "walls/paint.css": "",
    "walls/pictures/hang.js": "",
    "walls/window/__init__.py": "",
    "walls/window/view.js": 'import { pane } from "./pane.js";\nimport { hinge } from "../../roof/hatch/hinge.js";\n',
    "walls/window/pane.js": "",
    "roof/hatch/__init__.py": "",
    "roof/hatch/hinge.js": "",
    "roof/hatch/lid.js": "",
    "roof/__init__.py": "from .tiles import cover\n",
    "roof/tiles.py": "",
    "exercises/__init__.py": "",
    "exercises/roofs.py": "from regattn.roof import cover\n",
    "exercises/walls.py": "",
}
BRICK = {"walls/brick.py", "walls/_mortar.py", "ground.py"}
WALLS = {"walls/__init__.py", "walls/paint.css", "walls/pictures/hang.js"}
WINDOW = {"walls/window/__init__.py", "walls/window/view.js", "walls/window/pane.js", "roof/hatch/hinge.js"}


@pytest.fixture
def house(tmp_path):
    for name, text in MADE_UP.items():
        file = tmp_path / "regattn" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return Package(tmp_path)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import numpy", None),
        ("import regattn", set()),
        ("from regattn import stand", {"ground.py"}),
        ("import regattn\nregattn.stand()", {"ground.py"}),
        ("from regattn.walls import lay", WALLS | BRICK),
        ("def f():\n  from regattn.walls import nail", WALLS | {"walls/wood.py"}),
        ("from regattn import walls\nwalls.nail()", WALLS | {"walls/wood.py"}),
        ("import regattn.walls as w\nw.paper.hang()", WALLS | {"walls/paper.py"}),
        ("import regattn\nregattn.walls.lay()", WALLS | BRICK),
        ("from regattn import walls\nshow(walls)", WALLS | BRICK | {"walls/wood.py", "walls/paper.py"}),
        ("from regattn.walls import *", WALLS | BRICK | {"walls/wood.py", "walls/paper.py"}),
        ("import importlib\nimportlib.import_module('regattn.walls.wood')", WALLS | {"walls/wood.py"}),
        ("import regattn.walls.window", WALLS | WINDOW),
        ("from regattn import roof", {"roof/__init__.py", "roof/tiles.py"}),
        ("from regattn.exercises import check\ncheck('walls.1', 3)", {"exercises/__init__.py", "exercises/walls.py"}),
    ],
)
def test_reading_finds_what_code_imports(house, code, expected):
    found = {file.relative_to(house.root / "regattn").as_posix() for file in house.files(code)}
    assert found == (set() if expected is None else expected | {"__init__.py"})


def test_code_that_cannot_be_read_depends_on_everything(house):
    found = {file.relative_to(house.root / "regattn").as_posix() for file in house.files("this is no Python")}
    assert found == {name for name in MADE_UP if not name.endswith(".pyi")}


# --- a book made up ---------------------------------------------------------------------------------------------------

CONF = """
import sys
sys.path.insert(0, {path!r})
extensions = ["myst_nb", "execution_cache"]
nb_execution_mode = "cache"
exclude_patterns = ["_build"]
"""
INDEX = "# Book\n\n```{toctree}\nwood\ntiles\n```\n"
PLACES = {
    "index": "index.md",
    "pins": "requirements.txt",
    "ground": "regattn/ground.py",
    "wood": "regattn/walls/wood.py",
}
TIMED = "import time\nprint('executed at', time.time_ns())"


@pytest.fixture
def book(house):
    """Return a function that builds a book of two notebooks and a text, and says when each was executed."""
    root = house.root
    (root / "conf.py").write_text(CONF.format(path=str(ROOT / "book" / "_ext")))
    (root / "requirements.txt").write_text("numpy==1.0\n")
    for name, code in {"wood": "from regattn.walls import nail", "tiles": "from regattn.roof import cover"}.items():
        cells = [
            nbformat.v4.new_markdown_cell(f"# {name}"),
            nbformat.v4.new_code_cell(f"if False:\n    {code}\n{TIMED}"),
        ]
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), root / f"{name}.ipynb")
    (root / "index.md").write_text(INDEX)

    def build() -> dict[str, str]:
        command = [sys.executable, "-m", "sphinx", "-W", "-q", str(root), str(root / "_build" / "html")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        pages = {name: (root / "_build" / "html" / f"{name}.html").read_text() for name in ("wood", "tiles")}
        return {name: re.search(r"executed at.*?(\d{15,})", text, re.DOTALL)[1] for name, text in pages.items()}

    build.root = root
    return build


@pytest.mark.weekly(
    "book/_ext/execution_cache.py", "book/_ext/dependencies.py", "requirements.txt", "tests/test_execution_cache.py"
)
def test_a_build_executes_again_what_depends_on_what_has_changed_and_nothing_else(book):
    first = book()

    def after(**texts):
        for name, text in texts.items():
            (book.root / PLACES[name]).write_text(text)
        return {page for page, time in book().items() if time != first[page]}

    assert after(ground='"""Another sentence."""\n', index=INDEX.replace("Book", "Another book")) == set()
    assert after(wood="nail = 2\n") == {"wood"}
    assert after(wood=MADE_UP["walls/wood.py"], pins="# a remark\nnumpy==1.0\n") == set()  # remembered
    assert after(pins="numpy==1.1\n") == {"wood", "tiles"}


PAGE = "# Text\n\n```{code-cell}\n:tags: [x]\nfrom regattn.walls import nail, paper\n```\n"
STATE = {
    "page.md": PAGE,
    "requirements.txt": "numpy==1.0\nscipy==1.0\n",
    "regattn/walls/wood.py": "nail = 1\n",
    "regattn/walls/paper.py": "",
}


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"regattn/walls/wood.py": "nail = 3\n"}, False),
        ({"regattn/walls/wood.py": "", "regattn/walls/paper.py": "nail = 1\n"}, False),  # the same in other files
        ({"requirements.txt": "numpy==1.1\nscipy==1.0\n"}, False),
        ({"requirements.txt": "numpy==1.0\n"}, False),
        ({"version": "3.14.9"}, False),
        ({"requirements.txt": "# pins\n\nscipy==1.0\nnumpy==1.0  # a remark\n"}, True),
        ({"regattn/walls/brick.py": "mortar = 0\n"}, True),
        ({"page.md": PAGE.replace("Text", "Other text")}, True),  # jupyter-cache looks at the code
    ],
)
def test_a_key_is_that_of_the_package_the_pins_and_the_python_and_of_nothing_else(house, monkeypatch, change, same):
    def keyed(state: dict[str, str]) -> str | None:
        if version := state.get("version"):
            monkeypatch.setattr(execution_cache.platform, "python_version", lambda: version)
        for name in state.keys() - {"version"}:
            (house.root / name).write_text(state[name])
        return key(Package(house.root), house.root / "page.md")

    before = keyed(STATE)
    copy = shutil.copytree(house.root, house.root.with_name(f"{house.root.name} elsewhere"))
    assert key(Package(copy), copy / "page.md") == before
    assert (keyed(change) == before) is same
    assert keyed({"page.md": "# Text without code\n"}) is None


@pytest.mark.parametrize("killed", [lambda place: place.write_text(place.read_text()[:40]), Path.unlink])
def test_a_cache_that_was_left_half_written_is_made_again(tmp_path, killed):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")])
    for _ in range(2):
        get_cache(tmp_path / "a").cache_notebook_bundle(CacheBundleIn(notebook, "a.ipynb"), check_validity=False)
        assert cached(notebook, tmp_path / "a")
        killed(*(tmp_path / "a").rglob("base.ipynb"))
        assert not cached(notebook, tmp_path / "a")


def test_an_index_of_keys_is_written_whole_or_not_at_all(house, monkeypatch):
    (house.root / "requirements.txt").write_text("numpy==1.0\n")
    env = SimpleNamespace(doc2path=lambda name: house.root / name, mystnb_config=None)
    found = SimpleNamespace(discover=lambda _: ["regattn/ground.py"])
    app = SimpleNamespace(srcdir=house.root, outdir=house.root / "_build" / "html", env=env, project=found)
    app.config = SimpleNamespace(exclude_patterns=[])
    real = Path.write_text

    def full(path, text, **how):
        real(path, text[:9], **how)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        with pytest.raises(OSError, match="No space left"):
            execution_cache.find_keys(app)
    execution_cache.find_keys(app)
    execution_cache.find_keys(app)
