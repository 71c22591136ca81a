"""Every way in: what the launcher refuses, what it installs, and what it says while it does."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from tests.built import ROOT, toc_pages
from tools import archive, book, machine

LAUNCHER = ("__init__.py", "archive.py", "book.py", "machine.py")
README = (ROOT / "README.md").read_text(encoding="utf-8")
CLOSED = "http://127.0.0.1:9/simple"  # the port of a service that no machine offers
RANGE = "3.11 to 3.14"
FULL = machine.shutil.disk_usage("/")._replace(free=400_000_000)


@pytest.mark.parametrize("name", LAUNCHER)
def test_an_old_python_can_read_the_launcher_well_enough_to_be_refused(name):
    tree = ast.parse((ROOT / "tools" / name).read_text(encoding="utf-8"), feature_version=(3, 8))
    named = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    named |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {module.split(".")[0] for module in named} <= set(sys.stdlib_module_names) | {"tools"}


def test_the_launcher_stands_alone(tmp_path):
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    command = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        "import sys; sys.path.insert(0, '.'); from tools.book import main; main()",
    ]
    done = subprocess.run([*command, "--help"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert set(re.findall(r"^(\S+)  ", done.stdout.split("options:")[0], re.MULTILINE)) >= set(book.COMMANDS)


def test_every_document_names_the_same_range():
    newest, oldest = machine.series()[0], machine.series()[-1]
    assert f"{oldest} to {newest}" == RANGE
    assert f"Python {RANGE}" in README
    assert f"Python {RANGE}" in (ROOT / book.READERS).read_text(encoding="utf-8")
    assert set(re.findall(r"(?:py -|--python |python=)(3\.\d+)", README)) == {newest}
    for workflow in (ROOT / ".github" / "workflows").glob("*.yml"):
        named = re.findall(r'"(3\.\d+)"', workflow.read_text(encoding="utf-8"))
        assert set(named) <= set(machine.series()), workflow.name
    assert (ROOT / "binder" / "runtime.txt").read_text().strip().removeprefix("python-") in machine.series()


def test_every_command_of_the_launcher_in_the_readme_exists():
    blocks = re.findall(r"^ {4}(.*-m tools\.book .*)$", README, re.MULTILINE)
    assert [line.split()[0] for line in blocks] == ["py", "uv", "python", "python"]
    for line in blocks:
        words = line.split("tools.book ")[1].split()
        assert words[0] in book.COMMANDS
        assert set(words[1:]) <= {"--here"}
    (named,) = re.findall(r"The same commands are (.*?) of a launcher", README)
    assert set(re.findall(r"`(\w+)`", named)) <= set(book.COMMANDS)


@pytest.fixture
def checkout(tmp_path) -> Path:
    """Return a folder with all that the launcher reads before it installs anything."""
    shutil.copytree(ROOT / "tools", tmp_path / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("binder/requirements.txt", book.READERS, book.TESTERS, book.TEACHERS, "pyproject.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def launched(python: str | Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    """Return what the launcher says in a folder when no package index answers."""
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    environment |= {"PIP_INDEX_URL": CLOSED, "PYTHONPATH": ""}
    command = [python, "-m", "tools.book", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


def test_without_a_network_set_up_ends_with_a_sentence_before_it_makes_anything(checkout):
    done = launched(sys.executable, checkout, "build")
    assert done.returncode == 1
    assert done.stderr.startswith("The packages are not installed yet, and 127.0.0.1")
    assert not (checkout / ".venv").exists()


def test_an_environment_that_uv_made_gets_a_pip(checkout):
    subprocess.run(
        [sys.executable, "-m", "uv", "venv", "--quiet", "--python", sys.executable, ".venv"], cwd=checkout, check=True
    )
    done = launched(book.python_in(checkout / ".venv"), checkout, "setup")
    assert "The packages are not installed yet" in done.stderr
    assert list((checkout / ".venv").glob("**/site-packages/pip"))


@pytest.mark.parametrize(
    ("system", "pins", "reached", "index"),
    [
        ("linux", "", True, True),
        ("linux", "", False, False),
        ("linux", "requirements.txt", True, False),
        ("linux", "binder/requirements.txt", False, True),
        ("darwin", "", True, False),
        ("win32", "", True, False),
    ],
)
def test_pytorch_comes_without_cuda_where_that_can_be_had(monkeypatch, system, pins, reached, index):
    monkeypatch.setattr(book.sys, "platform", system)
    monkeypatch.setattr(machine, "reachable", lambda _: reached)
    monkeypatch.setenv("PINS", pins)
    options = book.torch_options()
    assert [word for word in options if not word.startswith("https")] == (["--extra-index-url"] if index else [])


SILENT = [("linux", "", "[y/N]"), ("linux", "requirements.txt", ""), ("darwin", "", "")]


def choosing(monkeypatch, system: str, pins: str, answer: str | None) -> list[str]:
    """Return what is asked while no index of PyTorch answers; without an answer to give, nobody is at a terminal."""
    asked = []
    monkeypatch.setattr(book.sys, "platform", system)
    monkeypatch.setattr(machine, "reachable", lambda _: False)
    monkeypatch.setenv("PINS", pins)
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: answer is not None, raising=False)
    monkeypatch.setattr("builtins.input", lambda question: asked.append(question) or answer)
    assert book.torch_options() == []
    return asked


@pytest.mark.parametrize(("system", "pins", "question"), SILENT)
def test_a_reader_is_asked_before_cuda_comes_instead_and_told_what_it_costs(
    monkeypatch, capsys, system, pins, question
):
    asked = choosing(monkeypatch, system, pins, "y")
    assert [question in text for text in asked] == [True] * bool(question)
    said = " ".join(capsys.readouterr().out.split())
    assert ("does not answer. With CUDA the packages are 3 GB to download and 7 GB of disk" in said) is bool(question)


@pytest.mark.parametrize("answer", ["", "n", "no", "later"])
def test_a_reader_who_does_not_want_cuda_gets_nothing_and_hears_how_to_get_it(monkeypatch, answer):
    with pytest.raises(SystemExit, match=r"^Nothing was installed.*PINS=requirements\.txt takes CUDA"):
        choosing(monkeypatch, "linux", "", answer)


def test_without_a_terminal_cuda_is_announced_and_nobody_is_waited_for(monkeypatch, capsys):
    assert choosing(monkeypatch, "linux", "", None) == []
    assert "does not answer. With CUDA" in capsys.readouterr().out


def test_a_disk_without_room_is_told_before_an_environment_is_made(checkout, monkeypatch):
    for name in ("here_trouble", "venv_trouble", "network_trouble"):
        monkeypatch.setattr(machine, name, lambda: "")
    monkeypatch.setattr(book, "VENV", checkout / ".venv")
    monkeypatch.setattr(book, "run", lambda *_: pytest.fail("something was begun"))
    monkeypatch.setattr(machine.shutil, "disk_usage", lambda _: FULL)
    with pytest.raises(SystemExit, match=r"need 2\.5 GB on the disk of .*, but 0\.4 GB are free\."):
        book.enter_venv()


@pytest.mark.parametrize(("options", "needed"), [(["--extra-index-url", "x"], "2.5 GB"), ([], "10 GB")])
def test_more_room_is_asked_for_where_cuda_comes_along(monkeypatch, options, needed):
    monkeypatch.setattr(book.sys, "platform", "linux")
    monkeypatch.setattr(machine, "find_spec", lambda _: None)
    monkeypatch.setattr(machine.shutil, "disk_usage", lambda _: FULL)
    with pytest.raises(SystemExit, match=f"need {needed}"):
        book.announce(options)


def test_a_set_up_that_is_repeated_needs_no_room_for_what_is_there(monkeypatch, capsys):
    monkeypatch.setattr(machine.shutil, "disk_usage", lambda _: FULL)
    book.announce(["--extra-index-url", "x"])
    assert f"Installing {book.total()} packages" in capsys.readouterr().out


@pytest.mark.parametrize("terminal", [False, True])
def test_progress_counts_packages_megabytes_and_seconds_while_it_waits(monkeypatch, capsys, terminal):
    room, there = iter(range(10**12, 0, -7 * 10**6)), iter(range(1000))
    monkeypatch.setattr(book.shutil, "disk_usage", lambda _: FULL._replace(free=next(room)))
    monkeypatch.setattr(book, "in_place", lambda: next(there))
    monkeypatch.setattr(book, "TICKS", {terminal: 0.01})
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    with book.progress("1 of 3, PyTorch"):
        while next(there) < 20:
            time.sleep(0.02)
    said = capsys.readouterr().out
    assert said.endswith("\n")
    lines = [line for line in re.split(r"[\r\n]+", said) if line]
    assert said.count("\r") == len(lines) * terminal
    told = [
        re.fullmatch(r"1 of 3, PyTorch: (\d+) of (\d+) packages in place, (\d+) MB written, \d+ s *", s) for s in lines
    ]
    assert len(told) > 2
    counts, totals, written = zip(*(map(int, found.groups()) for found in told), strict=True)
    assert list(counts) == sorted(set(counts))
    assert set(totals) == {book.total()}
    assert list(written) == [7 * (i + 1) for i in range(len(written))]


def test_progress_ends_with_a_line_when_an_installation_fails(monkeypatch, capsys):
    with pytest.raises(SystemExit), book.progress("2 of 3, the other packages"):
        sys.exit(1)
    assert re.fullmatch(r"2 of 3, the other packages: \d+ of \d+ packages .* s\n", capsys.readouterr().out)


@pytest.mark.parametrize(("python", "taken"), [((3, 11, 2), False), ((3, 13, 0), False), ((3, 14, 0), True)])
def test_only_a_python_without_gensim_gets_its_texts_alone(monkeypatch, python, taken):
    commands = []
    monkeypatch.setattr(book.sys, "version_info", python)
    monkeypatch.setattr(book, "run", lambda *command: commands.append(command))
    book.take_texts()
    assert len(commands) == taken
    for command in commands:
        assert command[-1] == "gensim==4.4.0"
        assert command[command.index("--python-version") + 1] == "3.13"
        assert "--no-deps" in command
    (pin,) = [line for line in book.pinned(ROOT / book.READERS) if line.startswith("gensim==")]
    assert pin.endswith(f'python_version < "{book.NO_GENSIM[0]}.{book.NO_GENSIM[1]}"')


@pytest.mark.parametrize("url", ["", "https://me:****@packages.example/simple"])
def test_uv_is_left_out_where_it_could_not_find_what_pip_finds(monkeypatch, url):
    monkeypatch.setattr(machine, "package_index", lambda: url)
    assert book.with_uv() == []


def test_uv_takes_packages_from_where_pip_does(monkeypatch):
    commands = []
    monkeypatch.setattr(machine, "package_index", lambda: "https://packages.example/simple")
    monkeypatch.setattr(book, "went_well", lambda *command: commands.append(command) or True)
    fast = book.with_uv()
    assert [word for command in commands for word in command if word.startswith("uv==")]
    assert fast[-2:] == ["--default-index", "https://packages.example/simple"]
    commands.clear()
    book.install(fast, "numpy")
    assert commands == [(*fast, "numpy")]


@pytest.mark.parametrize("fast", [[], ["uv"]])
def test_pip_installs_where_uv_is_missing_or_fails(monkeypatch, fast):
    commands = []
    monkeypatch.setattr(book, "went_well", lambda *_: False)
    monkeypatch.setattr(book, "run", lambda *command: commands.append(command))
    book.install(fast, "numpy")
    assert commands == [(*book.INSTALL, "numpy")]


BUILDS = """
import time
from pathlib import Path
from tools import book

def slow(*command, environment=None):
    with Path("log").open("a") as log:
        print("all" if "--all" in command else "begin", file=log, flush=True)
        doctrees = book.HTML.parent / ".doctrees"
        doctrees.mkdir(parents=True, exist_ok=True)
        (doctrees / "environment.pickle").touch()
        if Path("full disk").exists():
            raise SystemExit(2)
        while not Path("go on").exists():
            time.sleep(0.02)
        (doctrees / "lightened").touch()
        print("end", file=log, flush=True)
    for page in ("index.html", "book/index.html"):
        (book.HTML / page).parent.mkdir(parents=True, exist_ok=True)
        (book.HTML / page).write_text("a page")

book.run = slow
book.build()
"""
WAITING = "Another build of this book is under way; waiting for its end."


@pytest.fixture
def building(checkout):
    """Return a function that begins a build, which ends when the file "go on" is there."""
    begun = []

    def begin() -> subprocess.Popen:
        options = {"cwd": checkout, "env": {**os.environ, "PYTHONPATH": str(checkout)}, "text": True}
        begun.append(subprocess.Popen([sys.executable, "-c", BUILDS], stdout=subprocess.PIPE, **options))
        return begun[-1]

    yield begin
    for process in begun:
        process.kill()
        process.communicate()


def test_of_two_builds_at_once_the_second_waits_for_the_first_and_says_so(checkout, building):
    first = building()
    while not (checkout / "log").exists():
        assert first.poll() is None
        time.sleep(0.02)
    second = building()
    assert second.stdout.readline() == f"{WAITING}\n"
    (checkout / "go on").touch()
    told = [process.communicate(timeout=60)[0] for process in (first, second)]
    assert told == ["_build/html/index.html\n"] * 2
    assert (checkout / "log").read_text().split() == ["begin", "end"] * 2


def test_a_build_that_was_killed_leaves_nobody_waiting(checkout, building):
    first = building()
    while not (checkout / "log").exists():
        assert first.poll() is None
        time.sleep(0.02)
    first.kill()
    first.wait(timeout=60)
    (checkout / "go on").touch()
    for _ in range(2):
        assert building().communicate(timeout=60)[0] == "_build/html/index.html\n"
    assert (checkout / "log").read_text().split() == ["begin", "all", "end", "begin", "end"]  # pictures come last


def test_after_a_build_that_had_no_room_to_write_all_pages_are_written_again(checkout, building):
    (checkout / "full disk").touch()
    assert building().wait(timeout=60) == 2
    (checkout / "full disk").unlink()
    (checkout / "go on").touch()
    assert building().wait(timeout=60) == 0
    assert (checkout / "log").read_text().split() == ["begin", "all", "end"]


def test_set_up_is_repeated_when_a_file_of_pins_changes(checkout, monkeypatch):
    monkeypatch.setattr(book, "ROOT", checkout)
    monkeypatch.setattr(book, "VENV", checkout / ".venv")
    (checkout / ".venv").mkdir()
    assert not book.ready(book.READERS)
    (checkout / ".venv" / ".ready").touch()
    assert book.ready(book.READERS)
    assert not book.ready(book.TESTERS)
    assert not book.ready(book.TEACHERS)
    later = time.time() + 10
    os.utime(checkout / book.READERS, (later, later))
    assert not book.ready(book.READERS)


def test_the_launcher_runs_the_same_checks_as_make():
    for part in book.PARTS:
        commands = book.recipes(part)
        assert commands, part
        for variables, command in commands:
            assert command[:2] == [sys.executable, "-m"]
            assert command[2] in ("ruff", "pytest")
            assert all(name.isupper() for name in variables)
    assert book.recipes("no-such-part") == []


CELLS = """
import nbformat, sys
from nbclient import NotebookClient
cell = nbformat.v4.new_code_cell(sys.argv[1])
NotebookClient(nbformat.v4.new_notebook(cells=[cell]), kernel_name="python3").execute()
print(cell.outputs[0]["text"], end="")
"""


def executed(code: str) -> subprocess.CompletedProcess:
    """Return what is said when a notebook is executed as in a build."""
    command = [sys.executable, "-c", CELLS, code]
    return subprocess.run(command, env=book.quiet(), capture_output=True, text=True, check=False, timeout=120)


def test_a_kernel_of_the_build_says_nothing_about_itself():
    done = executed("print(6 * 7)")
    assert (done.returncode, done.stdout, done.stderr) == (0, "42\n", "")


def test_a_kernel_of_the_build_still_says_what_is_wrong_with_a_notebook():
    done = executed("1 / 0")
    assert done.returncode != 0
    assert "ZeroDivisionError" in done.stderr


@pytest.fixture
def pages(tmp_path) -> Path:
    """Return a folder that looks like a small built book."""
    for name in ("index.html", "book/index.html", "_static/book.css", ".buildinfo", "objects.inv"):
        (tmp_path / "html" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "html" / name).write_text(name)
    return tmp_path / "html"


def test_the_same_pages_make_the_same_zip(pages, tmp_path):
    sizes = [archive.pack(pages, tmp_path / name / "book.zip") for name in ("one", "two")]
    os.utime(pages / "index.html", (0, 0))
    archive.pack(pages, tmp_path / "two" / "book.zip")
    one, two = ((tmp_path / name / "book.zip").read_bytes() for name in ("one", "two"))
    assert one == two
    assert sizes[0] == len(one)
    with archive.ZipFile(tmp_path / "one" / "book.zip") as packed:
        assert packed.namelist() == ["_static/book.css", "book/index.html", "index.html"]


def test_a_page_of_an_earlier_build_stays_out_of_the_zip(pages, tmp_path):
    for name in ("book/10_old.html", "_sources/book/10_old.ipynb", "_sources/book/index.md", "search.html"):
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        (pages / name).write_text(name)
    (pages / "searchindex.js").write_text('Search.setIndex({"alltitles": {"]": []}, "docnames": ["book/index"]})')
    archive.pack(pages, tmp_path / "book.zip")
    with archive.ZipFile(tmp_path / "book.zip") as packed:
        assert packed.namelist() == [
            "_sources/book/index.md", "_static/book.css", "book/index.html", "index.html", "search.html",
            "searchindex.js",
        ]  # fmt: skip


def test_a_zip_without_a_book_or_too_large_to_send_is_refused(pages, tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"there is no index\.html"):
        archive.pack(tmp_path, tmp_path / "book.zip")
    size = archive.pack(pages, tmp_path / "book.zip")
    monkeypatch.setattr(archive, "LIMIT", 10)
    with pytest.raises(ValueError, match="more than the 0 MB"):
        archive.pack(pages, tmp_path / "book.zip")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["book.zip", "html"]
    assert (tmp_path / "book.zip").stat().st_size == size  # the good one is still there


@pytest.mark.book
def test_the_zip_holds_every_page_and_opens_into_the_book(built_book, tmp_path):
    size = archive.pack(built_book, tmp_path / "regattn-book.zip")
    assert size < 60_000_000
    shutil.unpack_archive(tmp_path / "regattn-book.zip", tmp_path / "unpacked")
    assert [page for page in toc_pages() if not (tmp_path / "unpacked" / f"{page}.html").is_file()] == []
    first = (tmp_path / "unpacked" / "index.html").read_text(encoding="utf-8")
    (target,) = re.findall(r'http-equiv="Refresh" content="0; url=([^"]+)"', first, re.IGNORECASE)
    assert (tmp_path / "unpacked" / target).is_file()
    for path in (tmp_path / "unpacked").rglob("*.html"):
        assert path.read_bytes() == (built_book / path.relative_to(tmp_path / "unpacked")).read_bytes()


def test_a_release_carries_the_zip_that_make_writes():
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    flow = yaml.safe_load(text)
    runs = [step["run"] for step in flow["jobs"]["release"]["steps"] if "run" in step]
    assert flow[True] == {"push": {"tags": ["v*"]}}  # YAML reads `on` as true
    assert flow["jobs"]["release"]["permissions"] == {"contents": "write"}
    made = runs.index("make zip")
    assert any("gh release create" in run and book.ZIP.relative_to(ROOT).as_posix() in run for run in runs[made:])
    assert "    @$(PY) -m tools.book zip --here".replace("    ", "\t") in (ROOT / "Makefile").read_text()
