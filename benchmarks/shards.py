"""What it costs on one machine to count a corpus shard by shard, with and without the workers of Dask.

On one machine they can only share its cores; what they are for is more machines than one. More workers than cores are
measured too: they show what each worker costs. Workers are started before the clock, all numbers of them at once, and
take turns with the count in one pass.
"""

import os
import tempfile
import time
from contextlib import ExitStack
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
from measure import _status, alternate, goal, peak_memory, write
from scipy import sparse

from regattn.words import ShardedCorpus, Vocabulary, count_cooccurrences

WORDS, DOCUMENT = 20_000, 300
HOW = {"window": 5, "weighting": "harmonic"}
ONE, SHARDS, PEER = "one pass", "shard by shard, no Dask", "SciPy COO to CSR, shard by shard"
LEAST = 1.5  # times as fast as SciPy, as in one pass


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


def sharded(files, words, client=None, read=read):
    return ShardedCorpus(files, read=read, client=client).cooccurrences(words, **HOW).table()


def by_scipy(files, words):
    """Return the table by SciPy, whose tables of fractions are added shard by shard: nearly that of one pass."""
    shape, distances = (len(words), len(words)), range(1, HOW["window"] + 1)
    total = sparse.csr_array(shape)
    for file in files:
        rows = np.load(file).astype(np.int32)
        earlier = np.concatenate([rows[:, :-d].ravel() for d in distances])
        later = np.concatenate([rows[:, d:].ravel() for d in distances])
        weights = np.concatenate([np.full(rows[:, d:].size, 1 / d) for d in distances])
        total = total + sparse.coo_array((weights, (earlier, later)), shape=shape).tocsr()
    return total + total.T.tocsr()


WAYS = {ONE: one_pass, SHARDS: sharded, PEER: by_scipy}


def prepare(name, files):
    words = vocabulary()
    run = partial(WAYS[name], words=words)
    run(files[:1])  # what is loaded once
    return partial(run, files)


def forget():
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def idle():
    """Return what a worker holds that has loaded what it needs and has counted next to nothing."""
    sharded([["one"]], vocabulary(), read=lambda shard: [np.arange(9)])
    return _status("VmRSS")


def of_workers(client, before, run):
    """Return by how many bytes the largest worker is larger during a run than it was idle, and all of them together."""
    client.run(forget)
    run()
    after = client.run(_status, "VmHWM")
    grown = [max(after[worker] - before[worker], 0.0) for worker in before]
    return max(grown), sum(grown)


def started(stack, workers, processes):
    """Return a client of so many new workers, the seconds it took to start them, and what each of them holds."""
    from distributed import Client, LocalCluster

    start = time.perf_counter()
    options = {"n_workers": workers, "threads_per_worker": 1, "processes": processes, "dashboard_address": ":0"}
    cluster = stack.enter_context(LocalCluster(**options, protocol="tcp", host="127.0.0.1"))
    client = stack.enter_context(Client(cluster))
    seconds = time.perf_counter() - start
    return client, seconds, client.run(idle)


def check(run, table):
    """Raise unless a run counts the bits of one pass."""
    found = run()
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(found, part), getattr(table, part))


def check_nearly(run, table):
    """Raise unless a run counts nearly the same: tens of thousands of fractions were added up."""
    found = run()
    found.sort_indices()
    np.testing.assert_array_equal(found.indices, table.indices)
    np.testing.assert_allclose(found.data, table.data, rtol=1e-10)


def row(name, times, alone, room, start):
    largest, together = room
    low, middle, high = np.percentile(np.array(times) / np.array(alone), [25, 50, 75])
    return {
        "contender": name,
        "ours": name != PEER,
        "seconds": float(np.median(times)),
        "times one pass": float(middle),
        "times one pass_low": float(low),
        "times one pass_high": float(high),
        "seconds to start": start,
        "largest process: peak memory MB": max(largest, 0.0) / 1e6,
        "all of them together: peak memory MB": max(together, 0.0) / 1e6,
        "runs": len(times),
    }


def measured(shards, tokens, clients, rounds):
    """Return a case; clients come with the seconds that their workers took to start, and what these then held."""
    with tempfile.TemporaryDirectory() as folder:
        files, words = make(folder, shards, tokens), vocabulary()
        room = {name: (peak_memory(prepare, name, files),) * 2 for name in WAYS}
        runs = {name: partial(way, files, words) for name, way in WAYS.items()}
        runs |= {name: partial(sharded, files, words, client) for name, (client, _, _) in clients.items()}
        room |= {name: of_workers(client, before, runs[name]) for name, (client, _, before) in clients.items()}
        table = one_pass(files, words)
        for name, run in runs.items():
            (check_nearly if name == PEER else check)(run, table)
        seconds = alternate(runs, rounds=rounds, warm=False)
    starting = {name: start for name, (_, start, _) in clients.items()}
    rows = [row(name, times, seconds[ONE], room[name], starting.get(name)) for name, times in seconds.items()]
    note = (
        f"All workers share the {os.cpu_count()} cores of this machine; more workers than cores only cost more. Memory "
        "is what processes hold at most in a run, beyond what they held before their first; without the scheduler."
    )
    case = f"{shards} shards, {shards * (tokens // DOCUMENT) * DOCUMENT:,} tokens"
    ahead = float(np.median(np.array(seconds[PEER]) / np.array(seconds[SHARDS])))
    goals = [goal(f"≥ {LEAST:g} times as fast as {PEER}", ahead, least=LEAST)]
    return {"case": case, "rows": rows, "goals": goals, "note": note}


def measure(*, sizes=((8, 250_000), (16, 1_000_000)), workers=(1, 2, 4), rounds=3, processes=True):
    clients = {}
    with ExitStack() as stack:
        for count in workers:
            name = f"Dask, {count} worker{'s' * (count > 1)}"
            clients[name] = started(stack, count, processes)
        return [measured(shards, tokens, clients, rounds) for shards, tokens in sizes]


def main():
    write("shards", "Counting in shards, on one machine", measure(), "dask", "distributed")


if __name__ == "__main__":
    main()
