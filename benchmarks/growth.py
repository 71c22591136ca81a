"""How time and memory grow with what a job has more of, and how far one machine would come at that pace.

Each curve runs the same task at several sizes, by turns. Time is that of the processor on one thread, to which other
work on the machine adds little; a line through the logarithms of each round gives a power. Memory is measured in a
process of its own. What an hour and 16 GB would hold is read off the fitted lines, beyond the sizes that were run.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from measure import order, peak_memory, write
from threadpoolctl import threadpool_limits

from regattn import attend
from regattn.regression import Factor
from regattn.words import Vocabulary, count_cooccurrences

HOUR, ROOM = 3600.0, 16e9  # seconds and bytes that one machine is taken to have
FLAT = 0.1  # a power below which nothing is said to grow
WORDS, CHUNK, COLUMNS, ROWS, WIDTH = 20_000, 1_000, 20, 4_000, 64


def tokens(n: int) -> Callable[[], Any]:
    p = 1 / np.arange(1, WORDS + 1)
    text = np.searchsorted(np.cumsum(p / p.sum()), np.random.default_rng(0).random(n)).clip(max=WORDS - 1)
    words = Vocabulary([f"w{i}" for i in range(WORDS)])
    return partial(count_cooccurrences, [text], words, window=5, weighting="harmonic")


def chunks(n: int, p: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(1)
    for begin in range(0, n, CHUNK):
        X = rng.random((min(CHUNK, n - begin), p))
        yield X, X[:, 0] + rng.random(len(X))


def rows(n: int) -> Callable[[], Any]:
    return lambda: Factor.accumulate(chunks(n, COLUMNS))


def columns(p: int) -> Callable[[], Any]:
    return lambda: Factor.accumulate(chunks(ROWS, p)).coefficients()


def length(T: int) -> Callable[[], Any]:
    queries, keys, values = np.random.default_rng(2).standard_normal((3, T, WIDTH))
    return partial(attend, queries, keys, values, kernel="softmax", scale=WIDTH**0.5)


@dataclass(frozen=True)
class Curve:
    """A task that grows: what makes it of a size, in which unit, and the sizes."""

    task: str
    unit: str
    prepare: Callable[[int], Callable[[], Any]]
    sizes: tuple[int, ...]


CURVES = (
    Curve(
        f"Counting pairs of words, window 5, {WORDS:,} words", "tokens", tokens, (500_000, 10**6, 2 * 10**6, 4 * 10**6)
    ),
    Curve(f"Least squares in chunks, {COLUMNS} columns", "rows", rows, (50_000, 100_000, 200_000, 400_000)),
    Curve(f"Least squares in chunks, {ROWS:,} rows", "columns", columns, (200, 400, 800, 1600)),
    Curve(f"Attention with softmax, {WIDTH} columns", "rows that look at each other", length, (512, 1024, 2048, 4096)),
)


def processor_seconds(runs: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """Return the seconds of the processor that each run took in each round; in a round each runs once."""
    found: dict[str, list[float]] = {name: [] for name in runs}
    with threadpool_limits(1):
        for run in runs.values():
            run()  # what is loaded once
        for turn in range(rounds):
            for name in order(runs, turn):
                start = time.process_time()
                runs[name]()
                found[name].append(time.process_time() - start)
    return found


def power(sizes: tuple[int, ...], costs: list[float]) -> tuple[float, float]:
    """Return slope and intercept of the line through the logarithms."""
    slope, intercept = np.polyfit(np.log(sizes), np.log(costs), 1)
    return float(slope), float(intercept)


def reach(fit: tuple[float, float], budget: float) -> float | None:
    """Return the size whose cost is the budget, on a fitted line; None where the cost does not grow."""
    slope, intercept = fit
    return float(np.exp((np.log(budget) - intercept) / slope)) if slope > FLAT else None


def measured(curve: Curve, rounds: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the case of a curve, and its row in the table of powers."""
    names = {size: f"{size:,} {curve.unit}" for size in curve.sizes}
    seconds = processor_seconds({names[size]: curve.prepare(size) for size in curve.sizes}, rounds)
    room = [max(peak_memory(curve.prepare, size), 1.0) for size in curve.sizes]
    table = [
        {
            "contender": names[size],
            "ours": True,
            "seconds": float(np.median(seconds[names[size]])),
            "peak memory MB": held / 1e6,
            "runs": rounds,
        }
        for size, held in zip(curve.sizes, room, strict=True)
    ]
    slopes = [power(curve.sizes, list(turn))[0] for turn in zip(*seconds.values(), strict=True)]
    low, middle, high = np.percentile(slopes, [25, 50, 75])
    of_time, of_room = power(curve.sizes, [row["seconds"] for row in table]), power(curve.sizes, room)
    line = {
        "contender": f"{curve.task}: {curve.unit}",
        "ours": True,
        "power of time": float(middle),
        "power of time_low": float(low),
        "power of time_high": float(high),
        "power of room": of_room[0],
        "in an hour": reach(of_time, HOUR),
        "in 16 GB": reach(of_room, ROOM),
        "runs": rounds,
    }
    return {"case": f"{curve.task}, more {curve.unit}", "rows": table, "goals": []}, line


def measure(curves=CURVES, *, rounds=5):
    cases, lines = zip(*(measured(curve, rounds) for curve in curves), strict=True)
    note = (
        "Twice the size takes 2 to this power as much time or room. The last two columns are read off the fitted "
        "lines, far beyond what was run; a dash: it does not grow. Times are of the processor, on one thread."
    )
    return [{"case": "How they grow", "rows": list(lines), "goals": [], "note": note}, *cases]


def main():
    write("growth", "What grows how, on one machine", measure())


if __name__ == "__main__":
    main()
