"""The benchmarks of pages and notebooks, run small: what is timed draws what it says, what is weighed is what loads."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient.exceptions import CellExecutionError

from regattn.widgets import AverageExplorer, SpectralExplorer
from tests.benchmarks.cases import check_cases, check_goal, concerns, rows_of
from tests.built import ROOT, notebooks

pytestmark = pytest.mark.weekly(*concerns(__file__))

RNG = np.random.default_rng(11)
X, X_TEST = RNG.normal(size=(23, 3)), RNG.normal(size=(5, 3))
Y, Y_TEST = RNG.normal(size=23), RNG.normal(size=5)


@pytest.fixture
def explorer(benchmark):
    """Return the script, drawing without a screen, and take back the search path that it lengthens."""
    path = list(sys.path)
    module = benchmark("explorer")
    module.mpl.use("agg")
    yield module
    module.plt.close("all")
    sys.path[:] = path


def spectral():
    return SpectralExplorer(X, Y, X_TEST, Y_TEST, ridge=2.0, query=24, panels=["weights", "split", "codes", "sum"])


def average():
    return AverageExplorer(X[:, 0], Y, query=0.3, kernel="line", sharpness=3.0, line=True)


WIDGETS = {"Spectral": spectral, "Average": average}
every_figure = pytest.mark.parametrize("name", WIDGETS)


def drawn(axes):
    """Return everything that a figure draws: places, sizes and colours."""
    found = []
    for ax in axes:
        found += [line.get_xydata() for line in ax.lines]
        found += [part for dots in ax.collections for part in (dots.get_offsets(), dots.get_sizes())]
        found += [dots.get_facecolor() for dots in ax.collections]
        found += [np.array([bar.get_height(), *bar.get_facecolor()]) for bar in ax.patches]
    return found


def axes_of(axes):
    return list(axes.values()) if isinstance(axes, dict) else list(axes)


@every_figure
def test_panels_take_the_whole_state_of_an_explorer(explorer, name):
    widget = WIDGETS[name]()
    panels = getattr(explorer, name)(widget.state())
    assert panels.numbers(widget.query)["prediction"] == pytest.approx(widget.result()["prediction"], rel=1e-12)


@every_figure
def test_kept_artists_move_to_where_a_new_figure_has_them(explorer, name):
    panels = getattr(explorer, name)(WIDGETS[name]().state())
    panels.move(0.7)
    _, axes, _ = panels.draw(0.7)
    moved, afresh = drawn(axes_of(panels.axes)), drawn(axes_of(axes))
    assert len(moved) == len(afresh) > 5
    for one, other in zip(moved, afresh, strict=True):
        np.testing.assert_allclose(np.asarray(one, dtype=float), np.asarray(other, dtype=float), rtol=1e-12)


@every_figure
def test_a_move_changes_what_is_drawn_and_its_picture(explorer, name):
    panels = getattr(explorer, name)(WIDGETS[name]().state())
    pictures = [base64.b64decode(explorer.encode(panels.move(place))) for place in (0.1, 0.9)]
    assert all(picture.startswith(b"\x89PNG") for picture in pictures)
    assert pictures[0] != pictures[1]


def test_the_bars_are_the_weights_of_the_package(explorer):
    panels = explorer.Spectral(spectral().state())
    _, axes, _ = panels.draw(3.0)
    theirs = SpectralExplorer(X, Y, X_TEST, Y_TEST, ridge=2.0, query=3).result()
    np.testing.assert_allclose([bar.get_height() for bar in axes["weights"].patches], theirs["weights"], rtol=1e-9)
    np.testing.assert_allclose(axes["sum"].lines[0].get_ydata()[-1], theirs["prediction"], rtol=1e-9)


def write_page(path, content, *more):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'<!doctype html><meta charset="utf-8">{"".join(more)}<body>{content}</body>', encoding="utf-8")


@pytest.fixture
def book(tmp_path, explorer):
    """Return a book of two pages, each with its explorer."""
    for name, widget in WIDGETS.items():
        write_page(tmp_path / f"{getattr(explorer, name).page}.html", widget().to_html())
    return tmp_path


@pytest.mark.browser
def test_redraws_are_measured_in_turn_and_pages_weighed(explorer, book):
    pages = [explorer.Spectral.page, explorer.Average.page]
    *redraws, weights = explorer.measure(book, pages, rounds=2, moves=5, openings=1)
    check_cases(redraws)
    for case in redraws:
        assert list(rows_of(case)) == [explorer.OURS, explorer.AFRESH, explorer.KEPT]
        assert all(row["runs"] == 2 and row["seconds"] > 0 for row in case["rows"])
        speed, script = case["goals"]
        assert speed["measured"] == rows_of(case)[explorer.AFRESH]["ratio"]
        assert script["measured"] == rows_of(case)[explorer.OURS]["seconds"] * 1e3
    for row, page in zip(weights["rows"], pages, strict=True):
        assert row["bytes of its own"] == (book / f"{page}.html").stat().st_size
        assert 0 < row["text there after ms"] / 1e3 <= row["seconds"]
    (aim,) = weights["goals"]
    check_goal(aim)
    assert aim["measured"] == max(row["bytes of its own"] for row in weights["rows"])


@pytest.mark.browser
def test_of_every_explorer_the_slowest_control_is_told(explorer, book, benchmark):
    ways = (explorer.Spectral, explorer.Average)
    [case] = benchmark("redraws").measure(book, [way.page for way in ways], places=2)
    assert {row["contender"].partition(", its ")[0] for row in case["rows"]} == {way.widget for way in ways}
    frames = [row["frames"] for row in case["rows"]]
    assert frames == sorted(frames, reverse=True)
    assert all(row["seconds"] > 0 for row in case["rows"])
    (aim,) = case["goals"]
    check_goal(aim)
    assert aim["measured"] == frames[0]


@pytest.mark.browser
def test_redraws_can_be_measured_in_pieces_and_a_stopped_run_goes_on(explorer, book, benchmark, tmp_path, monkeypatch):
    redraws, ways = benchmark("redraws"), (explorer.Spectral, explorer.Average)
    (tmp_path / "results").mkdir()
    for module in (redraws, sys.modules["measure"]):
        monkeypatch.setattr(module, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(redraws, "chapters", lambda: [way.page for way in ways])
    monkeypatch.setattr(redraws, "built_book", lambda pages: book)
    monkeypatch.setattr(redraws, "PLACES", 2)
    inner, asked = redraws.slowest, []

    def noted(page, figure, **how):
        asked.append(figure.get_attribute("data-widget"))
        return inner(page, figure, places=2)

    monkeypatch.setattr(redraws, "slowest", noted)
    redraws.main(["SpectralExplorer"])
    assert (asked, list(redraws.kept())) == (["SpectralExplorer"], ["SpectralExplorer"])
    first = redraws.kept()["SpectralExplorer"]
    redraws.main(["--missing"])
    assert asked == ["SpectralExplorer", "AverageExplorer"]
    assert redraws.kept()["SpectralExplorer"] == first
    redraws.main(["--missing"])  # there is nothing left to do
    assert len(asked) == 2
    redraws.main([])
    assert sorted(asked[2:]) == ["AverageExplorer", "SpectralExplorer"]
    with pytest.raises(SystemExit):
        redraws.main(["NoExplorer"])


@pytest.mark.browser
@pytest.mark.parametrize("name", ["network", "context"])
def test_steps_of_training_in_a_page_are_those_of_the_others(benchmark, browser, name):
    module = benchmark("page_training")
    explorer, runs = module.network(40, 3, 7) if name == "network" else module.context(7)
    rows, goals = module.case(browser, name, explorer, runs, steps=7, rounds=2)
    check_cases([{"case": name, "rows": rows, "goals": goals}])
    assert list(rows_of({"rows": rows})) == [module.OURS, module.DRAWN, *runs]
    pace, speed = goals
    assert pace["measured"] == pytest.approx(1 / rows_of({"rows": rows})[module.DRAWN]["seconds"])
    assert speed["measured"] == rows_of({"rows": rows})[module.TORCH]["ratio"]
    assert pace["least"] == {"network": 120, "context": 50}[name]
    with pytest.raises(AssertionError, match="another"):
        module.check_agreement({module.OURS: runs[module.TORCH], "another": lambda: runs[module.TORCH]() * 1.001})


@pytest.mark.browser
def test_a_language_model_that_trains_in_a_page_takes_the_steps_of_the_others(benchmark, browser):
    module = benchmark("page_language_model")
    case = module.case(browser, steps=3, rounds=2, width=16)
    check_cases([case])
    rows, torches = rows_of(case), [module.DOUBLE, module.SINGLE]
    assert list(rows) == [module.OURS, module.LOOPS, module.NUMPY, *torches]
    assert [goal["measured"] for goal in case["goals"]] == [rows[name]["ratio"] for name in torches]
    assert rows[module.OURS]["words per second"] == pytest.approx(8 * 24 / rows[module.OURS]["seconds"])


@pytest.mark.browser
def test_a_sweep_leads_the_slider_through_its_range_and_redraws(explorer, book, browser):
    with explorer.opened(browser, book / f"{explorer.Average.page}.html") as page:
        page.wait_for_function(explorer.AWAKE, arg="AverageExplorer")
        page.evaluate("""() => {
          globalThis.drawn = 0;
          const seen = new MutationObserver(() => { globalThis.drawn += 1; });
          const root = document.querySelector("figure.regattn");
          seen.observe(root, {subtree: true, childList: true, attributes: true, characterData: true});
        }""")
        milliseconds, places = page.evaluate(explorer.SWEEP, ["AverageExplorer", "query", [0, 0.5, 1]])
        low, high = X[:, 0].min(), X[:, 0].max()
        room = 0.25 * (high - low)
        np.testing.assert_allclose(places, [low - room, (low + high) / 2, high + room], rtol=0.02, atol=0.02)
        assert milliseconds > 0
        assert page.evaluate("globalThis.drawn") > 0


@pytest.mark.browser
def test_figures_that_show_other_numbers_are_not_timed(explorer, book, browser, monkeypatch):
    right = explorer.Average.numbers
    monkeypatch.setattr(
        explorer.Average, "numbers", lambda self, query: {k: v * 1.001 for k, v in right(self, query).items()}
    )
    with (
        explorer.opened(browser, book / f"{explorer.Average.page}.html") as page,
        pytest.raises(AssertionError, match="AverageExplorer"),
    ):
        explorer.redraws(page, explorer.Average, rounds=1, moves=3)


@pytest.mark.browser
def test_a_page_weighs_what_it_loads_less_the_theme(explorer, tmp_path, browser):
    static = tmp_path / "_static"
    for name, size in (("theme.css", 700), ("book.css", 50), ("unused.css", 9000)):
        static.mkdir(exist_ok=True)
        (static / name).write_text("/*" + "x" * (size - 4) + "*/", encoding="utf-8")
    links = [f'<link rel="stylesheet" href="_static/{name}">' for name in ("theme.css", "book.css")]
    write_page(tmp_path / "page.html", "text", *links)
    own = (tmp_path / "page.html").stat().st_size + 50  # book.css is ours
    *_, loaded = explorer.open_page(browser, tmp_path / "page.html")
    assert explorer.sizes(loaded, tmp_path) == (own, own + 700)


def test_a_book_older_than_its_sources_is_built_again(explorer, tmp_path):
    page = "book/reference/glossary"
    assert not explorer.is_fresh(page, tmp_path)
    write_page(tmp_path / f"{page}.html", "")
    assert explorer.is_fresh(page, tmp_path)
    os.utime(tmp_path / f"{page}.html", (0, 0))
    assert not explorer.is_fresh(page, tmp_path)


def test_a_book_that_does_not_build_is_an_error_that_says_why(explorer, monkeypatch, tmp_path):
    monkeypatch.setattr(explorer, "HTML", tmp_path)
    failed = type("Done", (), {"returncode": 1, "stdout": "", "stderr": "no such page"})
    monkeypatch.setattr(explorer, "run_book", lambda folder: failed)
    with pytest.raises(SystemExit, match="no such page"):
        explorer.built_book(["book/index"])


def test_the_chapters_are_weighed_and_the_first_page(explorer):
    pages = explorer.chapters()
    assert pages[0] == "book/index"
    assert {Path(page).name for page in pages[1:]} >= {"03_ols_proximity", "18_language_model"}
    assert not any("solutions" in page or "reference" in page for page in pages)


# --- notebooks --------------------------------------------------------------------------------------------------------


def notebook(path, *cells):
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbformat.write(made, path)
    return path


def test_every_notebook_of_the_book_is_executed(benchmark):
    assert benchmark("notebooks").notebooks() == notebooks()


def test_notebooks_are_executed_in_their_folder_with_the_threads_that_are_stated(benchmark, tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    look = "import os, pathlib; pathlib.Path('seen').write_text(os.environ['OMP_NUM_THREADS'])"
    paths = [
        notebook(tmp_path / "01_slow.ipynb", "import time", "time.sleep(0.3)"),
        notebook(tmp_path / "b.ipynb", look),
    ]
    (case,) = benchmark("notebooks").measure(paths, threads=2)
    assert (tmp_path / "seen").read_text() == "2"
    rows = rows_of(case)
    assert list(rows) == ["01 slow", "b"]
    assert rows["01 slow"]["seconds"] > 0.3
    assert all(row["ours"] and row["runs"] == 1 for row in case["rows"])
    for aim, measured in zip(case["goals"], (sum, max), strict=True):
        check_goal(aim)
        assert aim["measured"] == measured(row["seconds"] for row in case["rows"])


def test_tests_of_a_chapters_page_are_timed_beside_it_and_those_of_solutions_not(benchmark, tmp_path, monkeypatch):
    module, asked = benchmark("notebooks"), []
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "chapters", lambda: ["book/part1/01_one"])
    monkeypatch.setattr(module.subprocess, "run", lambda command, **how: asked.append((command, how["env"])) or Done)

    class Done:
        returncode, stdout = 0, ""

    paths = [tmp_path / "book" / "part1" / "01_one.ipynb", tmp_path / "book" / "solutions" / "01_one.ipynb"]
    for path in paths:
        path.parent.mkdir(parents=True)
        notebook(path, "1")
    (case,) = module.measure(paths, book=tmp_path / "html")
    first, second = case["rows"]
    assert first[module.SPENT] >= 0
    assert second[module.SPENT] is None
    ((command, environment),) = asked
    assert command[command.index("-k") + 1] == "part1-01_one"
    assert environment["REGATTN_BOOK"] == str(tmp_path / "html")
    Done.returncode, Done.stdout = 1, "FAILED test_x"
    with pytest.raises(AssertionError, match=r"tests of book/part1/01_one fail:\nFAILED test_x"):
        module.measure(paths, book=tmp_path / "html")


def test_a_notebook_that_fails_is_not_timed(benchmark, tmp_path):
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        benchmark("notebooks").measure([notebook(tmp_path / "bad.ipynb", "1 / 0")])


def test_goals_are_eight_minutes_in_all_and_two_for_each(benchmark):
    module = benchmark("notebooks")
    assert (module.ALL, module.EACH) == (8 * 60, 2 * 60)


def test_chapter_and_solution_have_names_of_their_own(benchmark):
    names = [benchmark("notebooks").name_of(path) for path in notebooks()]
    assert len(names) == len(set(names))
    assert "03 ols proximity, solutions" in names
    assert ROOT.name not in " ".join(names)


# --- builds -----------------------------------------------------------------------------------------------------------


def test_builds_are_timed_in_a_clone_and_one_that_fails_says_so(benchmark, tmp_path):
    module, repository = benchmark("builds"), tmp_path / "repository"
    repository.mkdir()
    (repository / "Makefile").write_text("good:\n\ttouch here\nbad:\n\t@echo no such page; exit 1\n")
    for command in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "1"]):
        subprocess.run(["git", *command], cwd=repository, check=True)
    (case,) = module.measure(repository, {"make good": ("good", 60.0), "make -s good": ("again", None)})
    assert [row["contender"] for row in case["rows"]] == ["good", "again"]
    assert [goal["met"] for goal in case["goals"]] == [True]
    assert not (repository / "here").exists()
    with pytest.raises(ChildProcessError, match="no such page"):
        module.measure(repository, {"make bad": ("bad", None)})
