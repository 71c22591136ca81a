"""What stands in the way of a set-up is said first: the Python, the machine, the system, the network."""

from __future__ import annotations

import http.server
import re
import socket
import threading
import time
from types import SimpleNamespace

import pytest

from tools import machine

CLOSED = "http://127.0.0.1:9/simple"  # the port of a service that no machine offers
RANGE = "3.11 to 3.14"


@pytest.mark.parametrize("version", [(3, 11, 0), (3, 11, 2), (3, 12, 0), (3, 13, 9), (3, 14, 0)])
def test_a_python_of_the_range_is_welcome(version):
    assert machine.python_trouble(version) == ""


@pytest.mark.parametrize(
    ("version", "implementation", "free_threaded", "named"),
    [
        ((3, 10, 13), "CPython", False, "this is 3.10.13"),
        ((3, 8, 0), "CPython", False, "this is 3.8.0"),
        ((3, 15, 0), "CPython", False, "this is 3.15.0"),
        ((4, 0, 0), "CPython", False, "this is 4.0.0"),
        ((3, 11, 9), "PyPy", False, "this is PyPy 3.11.9"),
        ((3, 13, 1), "CPython", True, "this is 3.13.1 without the global lock"),
    ],
)
def test_another_python_is_refused_with_one_that_works(version, implementation, free_threaded, named):
    said = machine.python_trouble(version, implementation, free_threaded=free_threaded)
    assert said.startswith(f"Python {RANGE} is needed, but {named}.")
    assert re.search(r"^    python3\.1[1234] -m tools\.book build$", said, re.MULTILINE)
    assert "uv run --no-project --python 3.14 -m tools.book build" in said


@pytest.mark.parametrize(
    ("system", "architecture", "bits", "named"),
    [
        ("darwin", "x86_64", 64, "Intel"),
        ("win32", "ARM64", 64, "ARM64"),
        ("win32", "x86", 32, "x86"),
        ("linux", "armv7l", 32, "32-bit armv7l"),
        ("linux", "riscv64", 64, "riscv64"),
    ],
)
def test_a_machine_without_pytorch_is_refused_with_another_way_in(system, architecture, bits, named):
    said = machine.machine_trouble(system, architecture, bits)
    assert named in said
    assert "zip" in said


@pytest.mark.parametrize(
    ("system", "architecture"), [("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64"), ("win32", "AMD64")]
)
def test_a_machine_with_pytorch_is_welcome(system, architecture):
    assert machine.machine_trouble(system, architecture) == ""


@pytest.mark.parametrize(
    ("system", "release", "refused"),
    [
        ("darwin", "13.6.1", True),
        ("darwin", "14.0", False),
        ("darwin", "26.1", False),
        ("linux", "glibc 2.27", True),
        ("linux", "glibc 2.28", False),
        ("linux", "", True),
        ("win32", "", False),
    ],
)
def test_a_system_older_than_the_builds_of_pytorch_is_refused(system, release, refused):
    assert bool(machine.system_trouble(system, release)) is refused


def test_this_machine_is_welcome():
    assert machine.here_trouble() == ""
    assert machine.venv_trouble() == ""


@pytest.mark.parametrize(("free", "refused"), [(2.4e9, True), (2.5e9, False), (9e9, False)])
def test_a_disk_is_asked_for_its_room_where_the_folder_will_be(monkeypatch, tmp_path, free, refused):
    asked = []
    monkeypatch.setattr(machine.shutil, "disk_usage", lambda path: asked.append(path) or SimpleNamespace(free=free))
    said = machine.disk_trouble(tmp_path / "not" / "yet", 2.5)
    assert asked == [tmp_path]
    assert bool(said) is refused
    assert said == "" or said.startswith(f"The packages need 2.5 GB on the disk of {tmp_path}, but 2.4 GB are free.")


@pytest.mark.parametrize(
    ("answer", "agreed"), [("y", True), ("Yes ", True), ("", False), ("n", False), ("what?", False)]
)
def test_only_a_yes_is_a_yes(monkeypatch, answer, agreed):
    monkeypatch.setattr(machine.sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(machine.sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: answer)
    assert machine.agrees("Well?") is agreed


def test_nobody_is_asked_where_nobody_is(monkeypatch):
    monkeypatch.setattr(machine.sys, "stdin", SimpleNamespace(isatty=lambda: False))
    monkeypatch.setattr("builtins.input", lambda _: pytest.fail("it would wait for ever"))
    assert machine.agrees("Well?")


@pytest.fixture
def answering():
    """Return the address of a server that refuses every page."""

    class Refusal(http.server.BaseHTTPRequestHandler):
        def do_HEAD(self):
            self.send_error(403)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusal) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/simple/"
        server.shutdown()


@pytest.fixture
def no_proxy(monkeypatch):
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "PIP_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_proxy")
def test_an_index_that_answers_is_reachable_even_when_it_refuses(answering):
    assert machine.reachable(answering)


@pytest.mark.usefixtures("no_proxy")
def test_an_index_that_refuses_connections_or_stays_silent_is_not_reachable():
    assert not machine.reachable(CLOSED)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        start = time.monotonic()
        assert not machine.reachable(f"http://127.0.0.1:{silent.getsockname()[1]}/simple", seconds=0.2)
        assert time.monotonic() - start < 6


@pytest.mark.usefixtures("no_proxy")
def test_a_name_that_is_looked_up_for_ever_does_not_keep_the_reader_waiting(monkeypatch):
    released = threading.Event()

    def look_up(*_, **__):
        released.wait(60)
        raise OSError("nobody by that name")

    monkeypatch.setattr(machine.socket, "create_connection", look_up)
    start = time.monotonic()
    assert not machine.reachable("http://index.example/simple", seconds=0.2)
    assert time.monotonic() - start < 5
    released.set()


def test_a_folder_of_packages_needs_no_network():
    assert machine.reachable("file:///srv/packages/simple")


def test_the_way_to_an_index_goes_through_the_proxy_that_is_set(monkeypatch, no_proxy):
    assert machine.gateway("https://index.example/simple") == ("index.example", 443)
    assert machine.gateway("http://index.example:8080/simple") == ("index.example", 8080)
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    assert machine.gateway("https://index.example/simple") == ("proxy.example", 3128)
    monkeypatch.setenv("no_proxy", "index.example")
    assert machine.gateway("https://index.example/simple") == ("index.example", 443)


def test_the_index_is_the_one_that_pip_is_set_to_use(monkeypatch, tmp_path):
    settings = tmp_path / "pip.conf"
    settings.write_text("[global]\nindex-url = https://mirror.example/a/very/long/path/to/the/index/simple\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(settings))
    monkeypatch.delenv("PIP_INDEX_URL", raising=False)
    assert machine.package_index() == "https://mirror.example/a/very/long/path/to/the/index/simple"
    monkeypatch.setenv("PIP_INDEX_URL", "https://me:secret@other.example/simple")
    assert machine.gateway(machine.package_index())[0] == "other.example"
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert machine.package_index() == ""
