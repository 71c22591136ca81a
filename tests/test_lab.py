"""A reader with a kernel: JupyterLab from this environment, a chapter run top to bottom, an explorer moved live."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.error import URLError
from urllib.request import urlopen

import nbformat
import pytest

from tests.built import ROOT, label
from tests.widgets.harness import EXPLORERS as EXPLORER_NAMES, oracle

pytestmark = pytest.mark.browser

CHAPTERS = ["book/part2-proximity/03_ols_proximity.ipynb"]
SECONDS = 300  # for a whole chapter, kernel start included
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},  # every output is in the page, not only those in view
    "apputils-extension/notification": {"checkForUpdates": False, "doNotDisturbMode": True, "fetchNews": "false"},
}

RUN_ALL = "() => window.jupyterapp.commands.execute('notebook:run-all-cells').then(() => true)"
STATUS = "() => window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status ?? 'none'"
CELLS = """() => window.jupyterapp.shell.currentWidget.content.widgets
  .map((cell) => cell.model.sharedModel.toJSON()).filter((cell) => cell.cell_type === "code")"""
ASK = """async (code) => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const future = kernel.requestExecute({code, store_history: false});
  const said = [];
  future.onIOPub = (message) => said.push(message.content.text ?? message.content.traceback?.join("\\n") ?? "");
  await future.done;
  return said.join("");
}"""
EXPLORERS = """
import gc as _gc
import json as _json
import warnings as _warnings
_warnings.simplefilter("ignore")  # looking at every object wakes some that warn of their age
from regattn.widgets._kit import Explorer as _Explorer
_live = [e for e in _gc.get_objects() if isinstance(e, _Explorer) and e.comm is not None]
"""


class Lab(NamedTuple):
    address: str
    token: str


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def write_settings(folder: Path) -> None:
    for place, values in SETTINGS.items():
        file = folder / "@jupyterlab" / f"{place}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))


def wait_for(address: str, server: subprocess.Popen, log: Path) -> None:
    for _ in range(240):
        if server.poll() is not None:
            break
        try:
            with urlopen(address, timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.25)
    pytest.fail(f"JupyterLab does not answer:\n{log.read_text()[-3000:]}")


@contextmanager
def server(folder: Path) -> Iterator[Lab]:
    """Yield a JupyterLab of this environment that serves `folder` to this machine only, and stop it afterwards."""
    home = folder / "home"
    write_settings(home / "settings")
    places = {"CONFIG": "config", "RUNTIME": "runtime", "DATA": "data"}
    own = {f"JUPYTER_{key}_DIR": str(home / value) for key, value in places.items()}
    own |= {"JUPYTERLAB_SETTINGS_DIR": str(home / "settings"), "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces")}
    lab = Lab(f"http://127.0.0.1:{free_port()}", secrets.token_hex(16))
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.port_retries=0"]
    command += [f"--ServerApp.port={lab.address.rsplit(':')[-1]}", "--ServerApp.ip=127.0.0.1"]
    command += [f"--IdentityProvider.token={lab.token}", f"--ServerApp.root_dir={folder / 'notebooks'}"]
    command += ["--LabApp.expose_app_in_browser=True", "--LabApp.news_url=None"]
    log = folder / "lab.log"
    with log.open("w") as output:
        process = subprocess.Popen(command, env={**os.environ, **own}, stdout=output, stderr=subprocess.STDOUT)
    try:
        wait_for(f"{lab.address}/api?token={lab.token}", process, log)
        yield lab
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def run_through(browser, folder: Path, notebook: Path) -> Iterator:
    """Yield the browser page of a notebook in `folder`/notebooks, all its cells run in JupyterLab, the kernel idle."""
    with server(folder) as lab:
        context = browser.new_context(viewport={"width": 1400, "height": 1000})
        page = context.new_page()
        page.set_default_timeout(SECONDS * 1000)
        page.goto(f"{lab.address}/lab/tree/{notebook.name}?token={lab.token}")
        page.wait_for_selector(".jp-Notebook .jp-Cell")
        page.wait_for_function(f"() => ({STATUS})() === 'idle'")
        assert page.evaluate(RUN_ALL)
        page.wait_for_function(f"() => ({STATUS})() === 'idle'")
        yield page
        context.close()


@pytest.fixture(scope="module", params=CHAPTERS, ids=label)
def chapter(request, browser, tmp_path_factory) -> Iterator:
    """Yield the browser page of a copy of a chapter in JupyterLab, all its cells run and the kernel idle."""
    folder = tmp_path_factory.mktemp("lab")
    (folder / "notebooks").mkdir()
    notebook = shutil.copy(ROOT / request.param, folder / "notebooks")
    with run_through(browser, folder, Path(notebook)) as page:
        yield page


@pytest.fixture(scope="module")
def gallery(browser, tmp_path_factory) -> Iterator:
    """Yield a notebook in JupyterLab that shows the example of every explorer, each in a cell of its own."""
    folder = tmp_path_factory.mktemp("gallery")
    (folder / "notebooks").mkdir()
    start = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom importlib import import_module\nshown = {{}}"
    show = "shown[{0!r}] = import_module('tests.explorers.{0}').example()\nshown[{0!r}]"
    sources = [start, *(show.format(name) for name in EXPLORER_NAMES)]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}  # unasked
    nbformat.write(notebook, folder / "notebooks" / "gallery.ipynb")
    with run_through(browser, folder, folder / "notebooks" / "gallery.ipynb") as page:
        yield page


def test_every_cell_runs_without_an_error(chapter):
    cells = chapter.evaluate(CELLS)
    assert cells
    errors = [output for cell in cells for output in cell["outputs"] if output["output_type"] == "error"]
    assert errors == []
    assert all(cell["execution_count"] for cell in cells if "".join(cell["source"]).strip())


def awake(chapter):
    """Return the first explorer of the page and the name and trait of its first slider."""
    figure = chapter.wait_for_selector("figure.regattn [data-control]").evaluate_handle("(c) => c.closest('figure')")
    slider = figure.as_element().query_selector('input[type="range"][data-control]')
    return figure, slider, slider.get_attribute("data-control")


def kernel_values(chapter, trait) -> list:
    """Return the values of a trait in every explorer that lives in the kernel."""
    code = f"{EXPLORERS}print(_json.dumps([getattr(e, {trait!r}, None) for e in _live]))"
    return json.loads(chapter.evaluate(ASK, code))


def test_a_slider_moved_in_the_browser_moves_the_trait_in_the_kernel(chapter):
    figure, slider, trait = awake(chapter)
    before = kernel_values(chapter, trait)
    slider.focus()
    low, high, at = (float(slider.evaluate(f"(s) => s.{key}")) for key in ("min", "max", "value"))
    for _ in range(3):
        chapter.keyboard.press("ArrowRight" if at < (low + high) / 2 else "ArrowLeft")
    shown = figure.evaluate("(figure, trait) => figure.model.get(trait)", trait)
    assert shown not in before
    after = kernel_values(chapter, trait)
    assert [value for value in after if value not in before] == [shown]


def test_a_trait_set_in_the_kernel_moves_the_slider_in_the_browser(chapter):
    figure, slider, trait = awake(chapter)
    shown, place = figure.evaluate("(figure, trait) => figure.model.get(trait)", trait), slider.input_value()
    other = {"ridge": 0.125}.get(trait, 1)
    here = f"getattr(e, {trait!r}, None) == {shown!r}"
    chapter.evaluate(ASK, f"{EXPLORERS}[setattr(e, {trait!r}, {other!r}) for e in _live if {here}]")
    moved = "([figure, trait, value]) => figure.model.get(trait) === value"
    chapter.wait_for_function(moved, arg=[figure, trait, other])
    assert slider.input_value() != place


@pytest.mark.weekly("regattn/widgets/_kit/", "tests/test_lab.py")  # each has a kernel of paper in tests/widgets
@pytest.mark.parametrize("name", EXPLORER_NAMES)
def test_every_explorer_lives_both_ways(gallery, name):
    kind = type(oracle(name).example()).__name__
    figure = gallery.wait_for_selector(f'figure.regattn[data-widget="{kind}"] [data-control]')
    figure = figure.evaluate_handle("(control) => control.closest('figure')").as_element()
    figure.eval_on_selector(".ra-more", "(more) => { more.open = true; }")
    slider = figure.query_selector('input[type="range"][data-control]')
    trait = slider.get_attribute("data-control")
    trait = trait if trait in oracle(name).example().controls else "counts"  # the slider that edits a cell of a table

    def kernel() -> object:
        return json.loads(gallery.evaluate(ASK, f"import json\nprint(json.dumps(shown[{name!r}].{trait}))"))

    def browsers() -> object:
        return figure.evaluate("(figure, trait) => figure.model.get(trait)", trait)

    before = kernel()
    assert browsers() == before
    low, high, at = (float(slider.evaluate(f"(s) => s.{key}")) for key in ("min", "max", "value"))
    slider.focus()
    for _ in range(3):
        gallery.keyboard.press("ArrowRight" if at < (low + high) / 2 else "ArrowLeft")
    assert browsers() != before
    for _ in range(100):  # messages wait for each other's echo: the last of three comes a moment later
        if kernel() == browsers():
            break
        gallery.wait_for_timeout(100)
    assert kernel() == browsers()
    place = slider.input_value()
    gallery.evaluate(ASK, f"import json\nshown[{name!r}].{trait} = json.loads({json.dumps(before)!r})")
    same = "([figure, trait, value]) => JSON.stringify(figure.model.get(trait)) === JSON.stringify(value)"
    gallery.wait_for_function(same, arg=[figure, trait, before])
    assert slider.input_value() != place
