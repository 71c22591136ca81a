"""The explorer as Python makes it: its checks, its code, and the page it leaves behind."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys

import numpy as np
import pytest

from regattn._colours import ROLES
from regattn.figures import COLOURS
from regattn.widgets import SpectralExplorer
from regattn.widgets._kit import Explorer
from regattn.widgets._kit.page import FOLDER, assemble, safe_json, style
from tests.explorers.descent import example as descent_example
from tests.node import in_node
from tests.widgets.pages import inflation_explorer, made_up_explorer

HOSTILE = '</script><script>alert("x")</script><!-- & \u2028 \u05e9\u05dc\u05d5\u05dd 🦊'
EXPLORERS = [c for c in Explorer.__subclasses__() if c.__module__.startswith("regattn.")]


def traits_in(html: str) -> dict:
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', html, re.DOTALL)[1])


@pytest.mark.parametrize(("trait", "value", "message"), [
    ("ridge", -1.0, r"ridge must be ≥ 0, got -1.0"),
    ("ridge", float("nan"), "got nan"),
    ("ridge", "much", "got 'much'"),
    ("rank", 0, "rank must be ≥ 1, got 0"),
    ("rank", 4, r"rank must be ≤ 3 \(the rank of X\), got 4"),
    ("rank", 1.5, "got 1.5"),
    ("query", -1, "query must be ≥ 0, got -1"),
    ("query", 13, r"query must be ≤ 12 \(the last row\), got 13"),
    ("root", "square", "got 'square'"),
    ("angle", 361.0, "got 361.0"),
])  # fmt: skip
def test_a_bad_trait_is_refused_and_the_old_value_stays(trait, value, message):
    explorer = made_up_explorer(11, 3, 2)
    before = getattr(explorer, trait)
    with pytest.raises(ValueError, match=message):
        setattr(explorer, trait, value)
    assert getattr(explorer, trait) == before


@pytest.mark.parametrize(("options", "message"), [
    ({"ridge": -2.0}, "got -2.0"),
    ({"rank": 9}, "got 9"),
    ({"query": 99}, "got 99"),
    ({"query": "2042Q1"}, "no row is called '2042Q1'"),
    ({"labels": ["a", "b"]}, "labels has 2 entries but there are 11 training rows"),
    ({"labels_new": ["a"]}, "labels_new has 1 entries but there are 2 test rows"),
    ({"panels": ["wieghts"]}, "got 'wieghts'"),
    ({"panels": []}, r"got \[\]"),
])  # fmt: skip
def test_a_bad_argument_is_refused_by_value(options, message):
    with pytest.raises(ValueError, match=message):
        made_up_explorer(11, 3, 2, **options)


@pytest.mark.parametrize(("arrays", "message"), [
    (([[1.0], [2.0]], [1.0, 2.0, 3.0]), "y has 3 entries but there are 2"),
    (([[1.0], [2.0]], [1.0, np.nan]), "got nan"),
    (([[1.0], [2.0]], [[1.0], [2.0]]), r"got shape \(2, 1\)"),
    (([[1.0], [2.0]], [1.0, 2.0], [[1.0, 2.0]]), "X_new has 2 columns but X has 1"),
    (([[1.0], [2.0]], [1.0, 2.0], [[1.0]], [1.0, 2.0]), r"y_new has shape \(2,\) but there are 1 test rows"),
    (([[1.0], [2.0]], [1.0, 2.0], None, [1.0]), "y_new has 1 entries but X_new is None"),
])  # fmt: skip
def test_arrays_that_do_not_fit_are_refused(arrays, message):
    with pytest.raises(ValueError, match=message):
        SpectralExplorer(*arrays)


def test_a_query_may_be_named_by_its_label():
    assert inflation_explorer(query="1974Q1").query == 59
    assert inflation_explorer(query="2008Q4").data["labels_test"][198 - 157] == "2008Q4"
    assert inflation_explorer(query="2008Q4").query == 198


def test_rows_without_labels_are_numbered_through():
    data = made_up_explorer(5, 2, 2).data
    assert data["labels"] + data["labels_test"] == [f"row {i}" for i in range(1, 8)]


@pytest.mark.parametrize("explorer", EXPLORERS, ids=lambda c: c.__name__)
def test_the_assembled_code_imports_nothing_and_cannot_end_its_script(explorer):
    code = explorer._esm
    assert not re.search(r"^\s*import\b|\bimport\(|\brequire\(", code, re.MULTILINE)
    assert code.rstrip().endswith("export default { render };")
    assert "</script" not in code.lower()
    assert "<!--" not in code


def test_modules_come_once_and_before_those_that_import_them():
    code = assemble("spectral/view.js")
    assert code.count("function plot(") == 1
    assert code.index("function niceTicks(") < code.index("function plot(") < code.index("function weightsPanel(")


def test_two_modules_may_use_one_name_for_two_things(tmp_path, monkeypatch):
    sources = {
        "one.js": "const secret = 1;\nexport function first() {\n  return secret;\n}\n",
        "in/two.js": 'import { first } from "../one.js";\nconst secret = 2;\n'
        "export const all = () => [first(), secret];\n",
        "entry.js": 'import { all } from "./in/two.js";\nconst [secret, first] = [3, 4];\n',
    }
    for name, source in sources.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(source)
    monkeypatch.setattr("regattn.widgets._kit.page.FOLDER", tmp_path)
    assert in_node(tmp_path, "entry.js", "say([...all(), secret, first]);", None) == [1, 2, 3, 4]


def test_an_error_says_in_which_function_of_a_module_it_happened(tmp_path):
    code = "try { mean(null); } catch (error) { say(error.stack); }"
    assert re.search(r"at sum .*\n.*at mean ", in_node(tmp_path, "_numbers/maths.js", code, None))


def imports_of(path):
    """Return [names, file] of each import of a module."""
    found = re.findall(r'^import \{([^}]*)\} from "(\..*)";$', path.read_text(encoding="utf-8"), re.MULTILINE)
    return [(re.findall(r"\w+", names), (path.parent / file).resolve()) for names, file in found]


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.js")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_import_names_an_export_of_the_kit_the_numbers_or_the_explorers_own_folder(path):
    source = path.read_text(encoding="utf-8")
    assert len(re.findall(r"^import\b", source, re.MULTILINE)) == len(imports_of(path))
    for names, file in imports_of(path):
        assert file.parent.name in {path.parent.name, "_kit", "_numbers"}
        exported = file.read_text(encoding="utf-8")
        for name in names:
            assert re.search(rf"^export (function\*? {name}\(|const {name} =)", exported, re.MULTILINE), (
                f"{name} of {file}"
            )
            assert len(re.findall(rf"\b{name}\b", source)) > 1, f"{name} is not used"


def test_the_mime_bundle_has_the_live_view_and_the_page():
    content, _ = made_up_explorer(7, 2, 0)._repr_mimebundle_()
    assert content["application/vnd.jupyter.widget-view+json"]["model_id"]
    assert content["text/html"].startswith('<figure class="regattn" data-widget="SpectralExplorer"')
    assert "7 training rows" in content["text/plain"]


def test_the_page_asks_for_nothing_from_another_host_and_names_no_id():
    html = inflation_explorer().to_html()
    assert not re.search(r"""(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?//""", html)
    assert not re.search(r"<[^>]*\sid=", html)


def test_the_noscript_sentence_says_what_is_shown():
    html = made_up_explorer(7, 2, 0, alt='Weights of 7 rows & "more"').to_html()
    sentence = re.search(r"<noscript>(.*?)</noscript>", html)[1]
    assert "Weights of 7 rows &amp; &quot;more&quot;" in sentence


def test_numbers_reach_the_page_to_the_last_digit():
    explorer = inflation_explorer(ridge=1 / 3, query=200)
    traits = traits_in(explorer.to_html())
    assert np.array_equal(np.array(traits["data"]["scores"]), explorer.spectrum.scores)
    assert np.array_equal(np.array(traits["data"]["singular_values"]), explorer.spectrum.singular_values)
    assert (traits["ridge"], traits["query"]) == (1 / 3, 200)


def test_the_page_carries_the_traits_and_nothing_of_the_notebook():
    explorer = made_up_explorer(7, 2, 0)
    assert set(traits_in(explorer.to_html())) == {
        "data",
        "kit",
        "alt",
        "ridge",
        "rank",
        "query",
        "root",
        "angle",
        "guide",
    }


def test_hostile_labels_stay_inside_their_quotes():
    explorer = made_up_explorer(5, 2, 0, labels=[HOSTILE] * 5, units=HOSTILE, alt=HOSTILE)
    html = explorer.to_html()
    assert html.count("<script") == 2
    assert html.count("</script>") == 2
    assert "<!--" not in html
    assert "\u2028" not in safe_json(explorer.data)
    assert traits_in(html)["data"]["labels"] == [HOSTILE] * 5


@pytest.mark.parametrize("explorer", EXPLORERS, ids=lambda c: c.__name__)
def test_every_control_stands_in_the_docstring_and_in_the_signature(explorer):
    parameters = inspect.signature(explorer).parameters
    assert {"hide", "presets", "alt"} <= set(parameters)
    for name in explorer.controls:
        assert re.search(rf"^\s*(\w+, )?{name}\b.* : ", explorer.__doc__, re.MULTILINE), name
        assert name in parameters


def test_a_dynamic_bound_is_read_from_the_explorer():
    specs = {spec["name"]: spec for spec in made_up_explorer(11, 3, 2).kit["controls"]}
    assert (specs["rank"]["min"], specs["rank"]["max"]) == (1, 3)
    assert specs["query"]["max"] == 12
    assert specs["angle"]["min"] == 0
    assert specs["ridge"]["zero"]


def test_browsers_without_light_dark_get_every_colour_once_more():
    fallback = style().split("@supports not (color: light-dark(red, red))")[1]
    for name, colours in PALETTE.items():
        assert [fallback.count(f"--ra-{name}:{colour};") for colour in colours] == [1 + (colours[0] == colours[1])] * 2


def test_importing_the_explorers_does_not_load_matplotlib():
    code = "import sys; from regattn.widgets import SpectralExplorer; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_not_a_number_never_becomes_json():
    with pytest.raises(ValueError, match="JSON"):
        safe_json({"weights": np.array([np.nan])})


def test_the_same_explorer_gives_the_same_page():
    assert inflation_explorer().to_html() == inflation_explorer().to_html()


def test_a_page_of_three_explorers_stays_light():
    assert 3 * len(inflation_explorer().to_html().encode()) < 500_000


# ---- colours --------------------------------------------------------------------------------------------------------

DECLARED = re.findall(r"--ra-([\w-]+): light-dark\((#\w{6}), (#\w{6})\);", style())
PALETTE = {name: (light, dark) for name, light, dark in DECLARED}


def contrast(one: str, other: str) -> float:
    """Contrast of two colours as WCAG 2 defines it."""

    def luminance(colour):
        parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
        return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_a_role_has_the_colour_it_has_in_the_figures():
    assert {role: PALETTE[role][0] for role in COLOURS} == dict(COLOURS)


def test_a_colour_of_a_role_stands_in_one_file_of_the_package():
    kinds = {".py", ".css", ".js", ".mplstyle"}
    texts = {path.name: path.read_text("utf-8") for path in FOLDER.parent.rglob("*") if path.suffix in kinds}
    colour = re.compile("|".join(colour[1:] for role in ("query", "key", "negative") for colour in ROLES[role]), re.I)
    assert [name for name, text in texts.items() if colour.search(text)] == ["_colours.py"]


@pytest.mark.parametrize("name", sorted(set(PALETTE) - {"grid", "surface", "edge", "tip"}))
@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_every_colour_stands_out_from_both_backgrounds(name, theme):
    needed = 4.5 if name in {"ink", "soft", "query", "prediction"} else 3.0  # these four also colour text
    for background in ("surface", "tip"):
        assert contrast(PALETTE[name][theme], PALETTE[background][theme]) >= needed


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("positive", "negative"),
        ("train", "test"),
        ("train", "leave-one-out"),
        ("test", "leave-one-out"),
        ("test", "query"),
        ("query", "key"),
    ],
)
@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_roles_that_meet_differ_for_colour_blind_readers(one, other, theme):
    # deuteranopia and protanopia as Machado, Oliveira and Fernandes (2009) simulate them, on linear RGB
    deutan = [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    protan = [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]

    def seen(colour, matrix):
        parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
        return np.clip(matrix @ parts**2.2, 0, 1) ** (1 / 2.2) * 255

    for matrix in (np.array(deutan), np.array(protan)):
        assert np.linalg.norm(seen(PALETTE[one][theme], matrix) - seen(PALETTE[other][theme], matrix)) > 50


def test_what_plays_says_how_fast_and_takes_a_row_of_its_own():
    explorer = descent_example(steps=9, step=4)
    specs = {spec["name"]: spec for spec in explorer.kit["controls"]}
    assert {key: specs["step"][key] for key in ("kind", "min", "max", "play", "wide")} == {
        "kind": "count",
        "min": 0,
        "max": 9,
        "play": 12,
        "wide": True,
    }
    assert len(explorer.result()["losses"]) == 5
    with pytest.raises(ValueError, match=r"step must be ≤ 9 \(the number of steps\), got 10"):
        explorer.step = 10


def test_another_seed_deals_other_batches_and_a_seed_out_of_range_is_named():
    explorer = descent_example(batch_size=8)
    first = explorer.result()["parameters"]
    explorer.seed = 2
    assert explorer.result()["parameters"] != first
    explorer.seed = 1
    assert explorer.result()["parameters"] == first
    with pytest.raises(ValueError, match=r"seed must be ≤ 999 \(the last draw\), got 1000"):
        explorer.seed = 1000
