"""How every benchmark measures: side by side in one run, alternating, medians and the ratio of each pair of runs.

The machine is noisy and nobody else's is the same, so seconds are context and ratios are the result.
"""

import json
import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

THREADS = 2
threadpool_limits(THREADS)

RESULTS = Path(__file__).parent / "results"
ROUNDS = 7


def alternate(
    contenders: dict[str, Callable[[], Any]], *, rounds: int = ROUNDS, warm: bool = True
) -> dict[str, list[float]]:
    """Return the seconds of each contender in each round; in a round every contender runs once, one after the other."""
    if warm:
        for run in contenders.values():
            run()
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(rounds):
        names = list(contenders)
        for name in names[turn % len(names) :] + names[: turn % len(names)]:  # no contender always follows the same one
            start = time.perf_counter()
            contenders[name]()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def repeated(run: Callable[[], Any], times: int) -> Callable[[], None]:
    """Return a call that runs ``run`` several times, for work too short to be timed once."""

    def loop() -> None:
        for _ in range(times):
            run()

    return loop


def summary(seconds: dict[str, list[float]], *, ours: str, times: int = 1) -> list[dict[str, Any]]:
    """Return a row for each contender: median seconds, and how many times as long as ours it took, with quartiles."""
    rows = []
    for name, runs in seconds.items():
        ratios = np.array(runs) / np.array(seconds[ours])
        low, middle, high = np.percentile(ratios, [25, 50, 75])
        rows.append(
            {
                "contender": name,
                "ours": name == ours,
                "seconds": float(np.median(runs)) / times,
                "ratio": float(middle),
                "ratio_low": float(low),
                "ratio_high": float(high),
            }
        )
    return rows


def write(name: str, question: str, cases: list[dict[str, Any]], *packages: str) -> None:
    """Write the results with what they were measured on, whole or not at all, and print them."""
    result = {
        "question": question,
        "rounds": ROUNDS,
        "threads": THREADS,
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "versions": {package: version(package) for package in ("numpy", "scipy", *packages)},
        "cases": cases,
    }
    RESULTS.mkdir(exist_ok=True)
    unfinished = RESULTS / f"{name}.json.part"
    unfinished.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    unfinished.replace(RESULTS / f"{name}.json")
    print(f"== {question}")
    for case in cases:
        goal = f"  goal: {case['goal']}" if case.get("goal") else ""
        print(f"  {case['case']}{goal}{'' if case.get('met') is None else '  met' if case['met'] else '  MISSED'}")
        for row in case.get("rows", []):
            print(
                "    "
                + ", ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{v}" for k, v in row.items() if k != "ours")
            )


def ratio_to(rows: list[dict[str, Any]], contender: str) -> float:
    """Return how many times as long as ours a contender took."""
    return next(row["ratio"] for row in rows if row["contender"] == contender)
