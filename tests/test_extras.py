"""The package without its extras: what works, what does not, and the sentence that says which extra is missing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from regattn import data
from regattn._extras import EXTRAS, MissingExtraError, needed_by
from tests.built import ROOT

SENTENCE = re.compile(r'\S.* needs (\w+): pip install "regattn\[(\w+)\]"')
WITHOUT_TORCH = {  # what loads in a room that others need torch for
    "regression": {"AttentionRegressor", "Factor", "gradient_descent", "make_network", "proximity_weights", "spectrum"},
    "series": {"autoregression", "expanding_least_squares", "forecast_windows", "lag_matrix", "panel_weights"},
    "words": {"Vocabulary", "count_cooccurrences", "count_ngrams", "glove_vectors", "ppmi", "word_vectors"},
    "grammar": {"Grammar"},
    "transformer": {"alibi_slopes", "rotate", "sinusoidal_positions"},
}
LIGHT = f"""
import sys
from importlib.machinery import PathFinder

class Without(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in {sorted(sum(EXTRAS.values(), ()))} else super().find_spec(name, path)

sys.meta_path[sys.meta_path.index(PathFinder)] = Without

import doctest, importlib, json, pkgutil, pydoc, re
from pathlib import Path
import regattn

class Runner(doctest.DocTestRunner):
    lacking, failed = [], []

    def report_unexpected_exception(self, out, test, example, error):
        told = f"{{error[0].__name__}}: {{error[1]}}"
        (self.lacking if told.startswith("MissingExtraError") else self.failed).append(f"{{test.name}}: {{told}}")

    def report_failure(self, out, test, example, got):
        self.failed.append(f"{{test.name}}: {{got}}")

said, runner = {{}}, Runner(verbose=False, optionflags=doctest.FAIL_FAST)
for room in ["regattn"] + [f"regattn.{{m.name}}" for m in pkgutil.iter_modules(regattn.__path__) if m.name[0] != "_"]:
    module = importlib.import_module(room)
    told = {{}}
    for name in getattr(module, "__all__", []):
        try:
            getattr(module, name)
            told[name] = ""
        except ModuleNotFoundError as error:
            told[name] = str(error)
    said[room.removeprefix("regattn.")] = {{
        "names": told, "dir": dir(module), "help": pydoc.plain(pydoc.render_doc(module)), "doc": module.__doc__
    }}
for found in pkgutil.walk_packages(regattn.__path__, "regattn."):
    try:
        module = importlib.import_module(found.name)
    except ModuleNotFoundError:
        continue
    for test in doctest.DocTestFinder().find(module):
        runner.run(test)
(lines,) = re.findall(r"```python\\n(.*?)```", Path("README.md").read_text(encoding="utf-8"), re.DOTALL)
runner.run(doctest.DocTestParser().get_doctest(lines, {{}}, "README", "README.md", 0))
print(json.dumps([said, runner.tries, runner.lacking, runner.failed, sorted(sys.modules)]))
"""


@pytest.fixture(scope="module")
def light() -> list:
    """Return what a Python says of every room in which no module of an extra can be found."""
    done = subprocess.run(
        [sys.executable, "-c", LIGHT], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def rooms(light) -> dict:
    return light[0]


def lacking(room: dict) -> dict[str, str]:
    return {name: told for name, told in room["names"].items() if told}


def test_nothing_of_an_extra_is_needed_to_load_the_package_and_every_room(light):
    assert {name.partition(".")[0] for name in light[-1]} & set(sum(EXTRAS.values(), ())) == set()
    assert {"regattn.regression.estimator", "regattn.series.lags", "regattn.words.counting"} <= set(light[-1])


@pytest.mark.parametrize("room", ["regattn", "data", "exercises"])
def test_every_name_loads_where_none_needs_an_extra(rooms, room):
    assert rooms[room]["names"]
    assert lacking(rooms[room]) == {}


@pytest.mark.parametrize("room", WITHOUT_TORCH)
def test_a_room_whose_other_names_need_torch_offers_the_rest(rooms, room):
    assert set(rooms[room]["names"]) - set(lacking(rooms[room])) >= WITHOUT_TORCH[room]
    assert lacking(rooms[room])


def test_every_name_that_cannot_be_had_says_in_one_sentence_what_it_needs(rooms):
    for room, found in rooms.items():
        for name, told in lacking(found).items():
            module, extra = SENTENCE.fullmatch(told).groups()
            assert told.startswith(f"regattn.{room}.{name} needs ")
            assert module in EXTRAS[extra]
            assert f"[{extra}]" in found["doc"], f"the help of {room} does not name the extra of {name}"


def test_dir_and_help_of_a_room_show_what_works_and_say_what_is_missing(rooms):
    for room in WITHOUT_TORCH:
        found = rooms[room]
        assert set(found["dir"]) == set(found["names"]) - set(lacking(found))
        assert "not installed here: pip install" in found["help"]
        assert all(name in found["help"] for name in WITHOUT_TORCH[room])


def test_examples_of_what_loads_run_or_name_the_extra(light):
    _, tries, lacks, failed, _ = light
    assert failed == []
    assert tries > 200
    assert all(SENTENCE.search(told) for told in lacks)
    named = {told.partition(":")[0].rpartition(".")[2] for told in lacks}
    assert {"load_macro", "load_grunfeld", "load_lee_corpus", "local_trend", "race_table"} <= named


def test_the_lines_of_the_readme_run_without_an_extra(light):
    assert [told for told in light[2] + light[3] if told.startswith("README")] == []


def test_a_room_with_all_its_extras_says_nothing_of_them():
    import regattn.transformer as room

    assert "not installed" not in room.__doc__
    assert dir(room) == sorted(room.__all__)


def test_a_module_that_no_extra_brings_is_missed_as_always():
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'no_such_module'$") as caught, needed_by("this"):
        import no_such_module  # noqa: F401
    assert not isinstance(caught.value, MissingExtraError)


def test_what_is_missed_inside_keeps_its_own_sentence():
    with pytest.raises(MissingExtraError, match=r"^inner needs gensim"), needed_by("outer"), needed_by("inner"):
        raise ModuleNotFoundError("No module named 'gensim'", name="gensim")


def test_a_library_that_is_there_and_misses_a_part_of_itself_is_not_called_missing():
    with pytest.raises(ModuleNotFoundError, match="_C") as caught, needed_by("this"):
        raise ModuleNotFoundError("No module named 'torch._C'", name="torch._C")
    assert not isinstance(caught.value, MissingExtraError)


@pytest.mark.parametrize(
    ("python", "named"),
    [((3, 13), r'needs gensim: pip install "regattn\[text\]"$'), ((3, 14), r"pip install --no-deps .* gensim$")],
)
def test_the_news_say_where_they_are_to_be_had_for_each_python(monkeypatch, python, named):
    monkeypatch.setattr(data, "find_spec", lambda _: None)
    monkeypatch.setattr(data.sys, "version_info", (*python, 0))
    with pytest.raises(MissingExtraError, match=named):
        data.load_lee_corpus()


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_brings_the_distributions_of_its_modules_and_no_others(extra):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [Requirement(line) for line in project["optional-dependencies"][extra]]
    brought = {canonicalize_name(line.name) for line in lines} - {"regattn"}
    installed = metadata.packages_distributions()
    assert brought == {canonicalize_name(installed[module][0]) for module in EXTRAS[extra]}


def test_a_notebook_gets_every_extra_but_the_one_for_many_machines():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (line,) = map(Requirement, project["optional-dependencies"]["all"])
    assert line.extras == set(EXTRAS) - {"scale"}
    assert "regattn[all]" in project["optional-dependencies"]["book"]
