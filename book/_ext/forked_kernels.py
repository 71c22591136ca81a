"""Kernels that are forked from a process which has loaded what most notebooks import; otherwise each takes seconds.

A kernel still has its own process, environment and folder, and nothing of the book or its package is loaded before.
Only on Linux: elsewhere a fork of a process that has loaded so much may not run.
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache
from multiprocessing import forkserver, get_context, process

from ipykernel.kernelapp import launch_new_instance
from jupyter_client.provisioning import local_provisioner

MANY = 4  # notebooks, from which it pays to load once what they import
LOADED = "numpy pandas scipy.stats scipy.optimize sklearn.ensemble sklearn.linear_model sklearn.pipeline torch"
LOADED += " statsmodels.api matplotlib.figure matplotlib.backends.backend_agg ipykernel.kernelapp"
INLINE = "module://matplotlib_inline.backend_inline"  # as ipykernel sets it before matplotlib is loaded
start = local_provisioner.launch_kernel


class Forked:
    """A forked process, as the manager of a kernel knows processes."""

    stdin = stdout = stderr = None

    def __init__(self, *given):
        self.process = get_context("forkserver").Process(target=run, args=given)
        self.process.start()
        process._children.discard(self.process)  # nobody waits for it at the end: a kernel ends with its parent
        self.pid = self.process.pid
        while self.poll() is None and os.getpgid(self.pid) != self.pid:  # signals go to its group, once it has its own
            time.sleep(0.01)

    def poll(self) -> int | None:
        """Return how the process has ended, if it has."""
        return self.process.exitcode

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait until the process has ended."""
        self.process.join(timeout)
        return self.process.exitcode

    def send_signal(self, number: int) -> None:
        """Send the process a signal, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask the process to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the process."""
        self.send_signal(signal.SIGKILL)


def run(path: list[str], argv: list[str], folder: str, environment: dict[str, str]) -> None:
    """Be a kernel: what a process begun afresh has, and nothing of the one that asked for it."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)  # there is little garbage, and looking for it takes some per cent of the time
    os.setsid()
    os.close(forkserver._forkserver._forkserver_alive_fd)  # else the server waits for this one, and this one for it
    os.environ.clear()
    os.environ.update(environment | {"JPY_PARENT_PID": str(os.getppid())})
    os.chdir(folder)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.path[:], sys.argv = path, [*argv, f"--IPKernelApp.parent_handle={os.getppid()}"]  # with which it ends
    launch_new_instance()


@cache
def afresh() -> list[str]:
    """Return where a Python that is begun afresh looks for modules."""
    code = "import sys; print(*sys.path[1:], sep='\\0', end='')"  # but for the folder that it is in
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split("\0")


def launch(cmd: list[str], *, cwd=None, env=None, **others):
    """Fork a kernel of this Python; start one as ever if it is another's, or nothing can be forked here."""
    if cmd[:3] == [sys.executable, "-m", "ipykernel_launcher"]:
        environment = dict(os.environ if env is None else env)
        with suppress(OSError, EOFError):
            return Forked(afresh(), cmd[2:], str(cwd or os.getcwd()), environment)
    return start(cmd, cwd=cwd, env=env, **others)


def begin(notebooks: int) -> None:
    """Fork the kernels of many notebooks, where that can be done; the process to fork from begins with the first."""
    if sys.platform != "linux" or notebooks < MANY:
        return
    os.environ.setdefault("MPLBACKEND", INLINE)
    get_context("forkserver").set_forkserver_preload(LOADED.split())
    local_provisioner.launch_kernel = launch
