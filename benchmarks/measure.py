"""How every benchmark measures: side by side in one run, alternating, medians and the ratio of each pair of runs.

The machine is noisy and nobody else's is the same, so seconds are context and ratios are the result. A script has a
function ``measure`` that returns cases (its sizes are arguments, so that a test can run it small) and a ``main`` that
writes them. A case is a dictionary with its name, a row for each contender and its goals.

With REGATTN_BUSY in the environment one core is kept busy by another process, and only the ratios are written, beside
those of the idle machine.
"""

import json
import multiprocessing
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.linalg  # noqa: F401 - it brings a BLAS of its own, and scikit-learn OpenMP: limits reach what is loaded
import sklearn  # noqa: F401
from threadpoolctl import threadpool_limits

THREADS = 2
threadpool_limits(THREADS)

# As in a session that has held a larger array. Until something of this size (in bytes; the C library keeps nothing of
# 32 MiB or more) has been freed, glibc returns the memory of every call to the system and takes it back page by page.
HELD = 33_000_000
np.ones(HELD, dtype=np.uint8)

RESULTS = Path(__file__).parent / "results"
BUSY = bool(os.environ.get("REGATTN_BUSY"))
BESIDE = "ratio beside a busy core"
ROUNDS, BUSY_ROUNDS = 7, 3
LEAD = 0.02  # seconds; what takes less is run for that long before it is timed, so that threads and caches are awake
PAUSE = 0.12  # seconds, at most; the threads of a BLAS wait at full speed for 0.1 after its last product
STEP = 0.005  # seconds; if the process does next to nothing for so long, its threads are at rest


def alternate(
    contenders: dict[str, Callable[[], Any]], *, rounds: int = ROUNDS, warm: bool = True, resting: bool = True
) -> dict[str, list[float]]:
    """Return the seconds of each contender in each round; in a round every contender runs once, one after the other.

    Unless ``resting``, each finds the threads of the one before it still at work.
    """
    if BUSY:
        rounds = min(rounds, BUSY_ROUNDS)
    with busy_core() if BUSY else nullcontext():
        return _in_turn(contenders, rounds, warm, resting)


def _in_turn(
    contenders: dict[str, Callable[[], Any]], rounds: int, warm: bool, resting: bool
) -> dict[str, list[float]]:
    if warm:
        for run in contenders.values():
            run()
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(rounds):
        for name in order(contenders, turn):
            if resting:
                rest()
            start = time.perf_counter()
            while turn and seconds[name][0] < LEAD and time.perf_counter() - start < LEAD:
                contenders[name]()
            start = time.perf_counter()
            contenders[name]()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def rest() -> None:
    """Wait until no thread of this process is busy any more: it would slow down whoever comes next."""
    end = time.perf_counter() + PAUSE
    while time.perf_counter() < end:
        before = time.process_time()
        time.sleep(STEP)
        if time.process_time() - before < STEP / 5:
            return


@contextmanager
def busy_core() -> Iterator[None]:
    """Keep one core busy with a process that does nothing else."""
    neighbour = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        neighbour.kill()
        neighbour.wait()


@contextmanager
def others() -> Iterator[Callable[[], float | None]]:
    """Give a function that says how many cores all other processes kept busy since; None where no system tells."""
    began, before = time.monotonic(), _work_of_others()
    yield lambda: None if before is None else max(0.0, (_work_of_others() - before) / (time.monotonic() - began))


def _work_of_others() -> float | None:
    """Return the seconds that all cores have worked, this process apart; None where there is no Linux."""
    if not Path("/proc/stat").exists():
        return None
    user, nice, system, _, _, *interrupts = map(int, Path("/proc/stat").read_text("ascii").split("\n")[0].split()[1:8])
    return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK") - time.process_time()


def order(names: Iterable[str], turn: int) -> list[str]:
    """Return the names in the order of a round.

    Every other round goes backwards, and each begins with another name: none always follows the same other one.
    """
    names = list(names)[:: -1 if turn % 2 else 1]
    first = turn // 2 % len(names)
    return names[first:] + names[:first]


def repeated(run: Callable[[], Any], times: int) -> Callable[[], None]:
    """Return a call that runs ``run`` several times, for work too short to be timed once."""

    def loop() -> None:
        for _ in range(times):
            run()

    return loop


def summary(
    seconds: dict[str, list[float]], *, ours: str, also: Collection[str] = (), times: int = 1
) -> list[dict[str, Any]]:
    """Return a row for each contender: median seconds, and how many times as long as ours it took, with quartiles.

    ``also`` are ours too, but not what is compared with.
    """
    rows = []
    for name, runs in seconds.items():
        ratios = np.array(runs) / np.array(seconds[ours])
        low, middle, high = np.percentile(ratios, [25, 50, 75])
        rows.append(
            {
                "contender": name,
                "ours": name == ours or name in also,
                "seconds": float(np.median(runs)) / times,
                "ratio": float(middle),
                "ratio_low": float(low),
                "ratio_high": float(high),
                "runs": len(runs),
            }
        )
    return rows


def ratio_to(rows: list[dict[str, Any]], contender: str) -> float:
    """Return how many times as long as ours a contender took."""
    return next(row["ratio"] for row in rows if row["contender"] == contender)


def goal(text: str, measured: float, *, least: float | None = None, most: float | None = None) -> dict[str, Any]:
    """Return a goal with what was measured and whether that meets it: at least ``least`` or at most ``most``."""
    if (least is None) == (most is None):
        raise ValueError("a goal has one bound: least or most")
    met = measured >= least if most is None else measured <= most
    return {"goal": text, "measured": float(measured), "least": least, "most": most, "met": bool(met)}


def peak_memory(prepare: Callable[..., Callable[[], Any]], *arguments: Any) -> float:
    """Return by how many bytes a process of its own grows, at most, while it runs ``prepare(*arguments)()``.

    ``prepare`` makes the inputs, which do not count, and returns the call to be measured; it must be importable.
    """
    server = multiprocessing.get_context("forkserver")
    server.set_forkserver_preload(["numpy", "pandas", "scipy.sparse", "sklearn", "torch"])  # once for all measurements
    with ProcessPoolExecutor(1, mp_context=server) as pool:
        return pool.submit(_growth, prepare, arguments).result()  # a process that cannot start raises here


def _growth(prepare: Callable[..., Callable[[], Any]], arguments: tuple) -> float:
    run = prepare(*arguments)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # Linux: the high-water mark starts from here
    before = _status("VmRSS")
    run()
    return max(0.0, _status("VmHWM") - before)  # the kernel adds up pages now and then: some may be missing


def _status(field: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(float(line.split()[1]) * 1024 for line in lines if line.startswith(field + ":"))


def beside(result: dict[str, Any], cases: list[dict[str, Any]]) -> dict[str, Any]:
    """Return results of an idle machine with the ratios of the same cases beside a busy core."""
    for case, again in zip(result["cases"], cases, strict=True):
        if case["case"] != again["case"]:
            raise ValueError(f"{again['case']!r} was measured where {case['case']!r} had been: measure both again")
        found = {row["contender"]: row["ratio"] for row in again["rows"] if "ratio" in row}
        for row in case["rows"]:
            if row["contender"] in found:
                row[BESIDE] = found[row["contender"]]
    return result


def write(name: str, question: str, cases: list[dict[str, Any]], *packages: str, machine: str = "") -> None:
    """Write the results with what they were measured on, whole or not at all, and print them.

    ``machine`` is named first when it is more than the processor.
    """
    path, unfinished = (RESULTS / f"{name}.json{end}" for end in ("", ".part"))
    result = {
        "question": question,
        "threads": THREADS,
        "python": platform.python_version(),
        "machine": ", ".join(filter(None, [machine, platform.machine(), f"{os.cpu_count()} cores"])),
        "versions": {package: version(package) for package in ("numpy", "scipy", *packages)},
        "cases": cases,
    }
    if BUSY:
        result = beside(json.loads(path.read_text(encoding="utf-8")), cases)
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(result, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    print(f"== {question}")
    for case in cases:
        print(f"  {case['case']}")
        for row in case["rows"]:
            shown = ((k, v) for k, v in row.items() if k not in ("ours", "runs"))
            print("    " + ", ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{v}" for k, v in shown))
        for aim in case.get("goals", []):
            print(f"    {'met   ' if aim['met'] else 'MISSED'} {aim['goal']}: {aim['measured']:.4g}")
