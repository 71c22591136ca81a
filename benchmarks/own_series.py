"""Twenty series, a year ahead: fitted and forecast, against statsforecast and statsmodels, in time and in accuracy.

statsforecast lies outside the pins of the book. Where REGATTN_PEERS names a Python that has it, as

    python -m venv peers && peers/bin/pip install statsforecast
    REGATTN_PEERS=peers/bin/python python benchmarks/own_series.py

that process takes its turn with the others; without it statsmodels is the rival.
"""

import json
import os
import subprocess
import warnings
from contextlib import contextmanager

import numpy as np
from measure import alternate, goal, summary, write
from statsmodels.tsa.holtwinters import ExponentialSmoothing

from regattn.data import load_employment
from regattn.series import ForecasterDesign, PooledLinear, seasonal_scale

OURS, SMOOTHING, NAIVE = "regattn PooledLinear", "statsmodels ETS", "seasonal naive with drift"
PEERS = {"statsforecast AutoETS": "AutoETS", "statsforecast AutoTheta": "AutoTheta"}
HORIZON, ROUNDS = 12, 3
ORIGINS = [f"{year}-01" for year in range(2012, 2019, 2)]
WORKER = """
import json, sys, time
import numpy as np
from statsforecast import models
for line in sys.stdin:
    name, past, horizon = json.loads(line)
    begin = time.perf_counter()
    found = []
    for y in past:
        y = np.array(y)
        said = getattr(models, name)(season_length=12).forecast(y=y, h=horizon, level=[80])
        found.append([np.asarray(said[k]).tolist() for k in ("mean", "lo-80", "hi-80")])
    print(json.dumps([time.perf_counter() - begin, found]), flush=True)
"""


@contextmanager
def statsforecast(python):
    """Give a function of a model's name and a table that forecasts in a process of its own; None without a Python."""
    if not python:
        yield None
        return
    process = subprocess.Popen([python, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def forecasts(name, table):
        process.stdin.write(json.dumps([name, table.to_numpy().T.tolist(), HORIZON]) + "\n")
        process.stdin.flush()
        _, found = json.loads(process.stdout.readline())
        return np.array(found).transpose(1, 2, 0)  # (3, h, k)

    yield forecasts
    process.stdin.close()
    process.wait()


def ours(table):
    ahead = PooledLinear(ForecasterDesign(context=36, horizon=HORIZON)).fit(table).forecast(table)
    return np.stack([ahead.point, ahead.at(0.1), ahead.at(0.9)])


def smoothing(table):
    found = []
    for name in table:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some fits stop before they have converged
            model = ExponentialSmoothing(
                table[name].to_numpy(), trend="add", damped_trend=True, seasonal="add", seasonal_periods=12
            )
            found.append(model.fit().forecast(HORIZON))
    return np.stack([np.column_stack(found)] * 3)


def naive(table):
    values = table.to_numpy()
    return np.stack([values[-12:] + values[-1] - values[-13]] * 3)


def contenders(peers):
    runs = {OURS: ours, SMOOTHING: smoothing, NAIVE: naive}
    if peers is not None:
        runs |= {label: lambda table, name=name: peers(name, table) for label, name in PEERS.items()}
    return runs


def accuracy(run, table, origins, *, banded):
    """Return the mean absolute scaled error over origins, series and dates, and how often the outer deciles held."""
    unit, missed, inside = seasonal_scale(table.loc[: origins[0]].iloc[:-1]), [], []
    for origin in origins:
        place = table.index.get_loc(origin)
        found, came = run(table.iloc[:place]), table.iloc[place : place + HORIZON].to_numpy()
        missed.append(np.abs(found[0] - came) / unit)
        inside.append((found[1] <= came) & (came <= found[2]))
    return {"MASE": float(np.mean(missed))} | ({"80% covers": float(np.mean(inside))} if banded else {})


def measure(table=None, *, origins=ORIGINS, rounds=ROUNDS, python=None):
    table = np.log(load_employment()).iloc[:, :140:7] if table is None else table
    with statsforecast(python) as peers:
        runs = contenders(peers)
        rows = summary(alternate({n: lambda r=r: r(table) for n, r in runs.items()}, rounds=rounds), ours=OURS)
        for row in rows:
            name = row["contender"]
            row |= accuracy(runs[name], table, origins, banded=name not in (SMOOTHING, NAIVE))
    error = {row["contender"]: row["MASE"] for row in rows}
    rivals = [name for name in error if name not in (OURS, NAIVE)]
    best = min(rivals, key=error.get)
    goals = [goal("error ≤ 1 times that of the best rival", error[OURS] / error[best], most=1.0)]
    case = f"{table.shape[1]} series of {len(table)} months, {len(origins)} years forecast"
    return [{"case": case, "rows": rows, "goals": goals}]


def main():
    python = os.environ.get("REGATTN_PEERS")
    write(
        "own_series",
        "Twenty series of one's own, a year ahead",
        measure(python=python),
        "pandas",
        "statsmodels",
        "torch",
    )


if __name__ == "__main__":
    main()
