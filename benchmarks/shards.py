"""What it costs on one machine to count a corpus shard by shard, with and without the workers of Dask.

On one machine they can only share its cores; what they are for is more machines than one. Workers are started before
the clock, all numbers of them at once, and take turns with the count in one pass.
"""

import tempfile
import time
from contextlib import ExitStack
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
from measure import _status, alternate, peak_memory, write

from regattn.words import ShardedCorpus, Vocabulary, count_cooccurrences

WORDS, DOCUMENT = 20_000, 300
HOW = {"window": 5, "weighting": "harmonic"}
ONE, SHARDS = "one pass", "shard by shard, no Dask"


def vocabulary():
    return Vocabulary([f"w{i}" for i in range(WORDS)])


def make(folder, shards, tokens):
    """Write shards of word numbers by Zipf's law, and return their files."""
    rng, p = np.random.default_rng(0), 1 / np.arange(1, WORDS + 1)
    cdf = np.cumsum(p / p.sum())
    files = [Path(folder) / f"{i:03d}.npy" for i in range(shards)]
    for file in files:
        np.save(file, np.searchsorted(cdf, rng.random((tokens // DOCUMENT, DOCUMENT))).clip(max=WORDS - 1))
    return files


def read(file):
    import numpy  # workers take this function as it stands

    yield from numpy.load(file)


def one_pass(files, words):
    return count_cooccurrences(chain.from_iterable(map(read, files)), words, **HOW)


def sharded(files, words, client=None):
    return ShardedCorpus(files, read=read, client=client).cooccurrences(words, **HOW).table()


def prepare(name, files):
    words = vocabulary()
    run = partial(one_pass if name == ONE else sharded, words=words)
    run(files[:1])  # what is loaded once
    return partial(run, files)


def forget():
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def of_workers(client, run):
    """Return by how many bytes the largest worker grows, at most, during a run."""
    client.run(forget)
    before = client.run(_status, "VmRSS")
    run()
    after = client.run(_status, "VmHWM")
    return max(after[worker] - before[worker] for worker in before)


def started(stack, workers, processes):
    """Return a client of so many new workers, and the seconds it took to start them."""
    from distributed import Client, LocalCluster

    start = time.perf_counter()
    options = {"n_workers": workers, "threads_per_worker": 1, "processes": processes, "dashboard_address": ":0"}
    cluster = stack.enter_context(LocalCluster(**options, protocol="tcp", host="127.0.0.1"))
    client = stack.enter_context(Client(cluster))
    return client, time.perf_counter() - start


def check(run, table):
    """Raise unless a run counts the bits of one pass."""
    found = run()
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(found, part), getattr(table, part))


def row(name, times, alone, room, start):
    low, middle, high = np.percentile(np.array(times) / np.array(alone), [25, 50, 75])
    return {
        "contender": name,
        "ours": True,
        "seconds": float(np.median(times)),
        "times one pass": float(middle),
        "times one pass_low": float(low),
        "times one pass_high": float(high),
        "seconds to start": start,
        "largest process: peak memory MB": max(room, 0.0) / 1e6,
        "runs": len(times),
    }


def measured(shards, tokens, clients, starting, rounds):
    """Return a case; the clients are those of workers that wait."""
    with tempfile.TemporaryDirectory() as folder:
        files, words = make(folder, shards, tokens), vocabulary()
        room = {name: peak_memory(prepare, name, files) for name in (ONE, SHARDS)}
        runs = {ONE: partial(one_pass, files, words), SHARDS: partial(sharded, files, words)}
        runs |= {name: partial(sharded, files, words, client) for name, client in clients.items()}
        table = one_pass(files, words)
        for run in runs.values():
            check(run, table)
        seconds = alternate(runs, rounds=rounds, warm=False)
        room |= {name: of_workers(client, runs[name]) for name, client in clients.items()}
    rows = [row(name, times, seconds[ONE], room[name], starting.get(name)) for name, times in seconds.items()]
    return {"case": f"{shards} shards, {shards * (tokens // DOCUMENT) * DOCUMENT:,} tokens", "rows": rows, "goals": []}


def measure(*, sizes=((8, 250_000),), workers=(1, 2), rounds=3, processes=True):
    clients, starting = {}, {}
    with ExitStack() as stack:
        for count in workers:
            name = f"Dask, {count} worker{'s' * (count > 1)}"
            clients[name], starting[name] = started(stack, count, processes)
        return [measured(shards, tokens, clients, starting, rounds) for shards, tokens in sizes]


def main():
    write("shards", "Counting in shards, on one machine", measure(), "dask", "distributed")


if __name__ == "__main__":
    main()
