"""An explorer's redraw in a page against the usual way to make a figure move; and what a chapter's page weighs.

The usual way is `ipywidgets.interact`: a move of the slider calls a function that computes and draws with matplotlib,
and the inline backend encodes the figure as PNG. Here that function and the encoding are timed and nothing else: not
the way of the message to the kernel and of the picture back, nor that the browser has to decode it. The explorer is
timed in headless Chromium, from the event of its slider until everything has its place on the screen.

Both ways move the same slider through its range over the same data, taken from the page, on a screen of one size. The
second way to draw with matplotlib keeps its artists and only moves them, as few people do.

It needs the built book: `_build/html` as `make book` left it, if all its pages are there and not older than what they
are made of; otherwise the book is built first, which takes some minutes.
"""

import sys
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from IPython.core.pylabtools import print_figure
from measure import ROUNDS, goal, order, ratio_to, summary, write

sys.path.append(str(Path(__file__).parents[1]))
from regattn.figures import COLOURS
from regattn.widgets import AverageExplorer, SpectralExplorer
from tests.browser import launch
from tests.built import run_book, source, toc_pages

ROOT = Path(__file__).parents[1]
HTML = ROOT / "_build" / "html"
SCREEN = {"width": 1280, "height": 900}
MOVES = 40  # of the explorer in a round; of matplotlib a tenth
OURS = "the explorer in the page"
AFRESH, KEPT = "interact and matplotlib, drawn afresh", "interact and matplotlib, artists kept"
HEAVIEST = 1.5e6  # bytes
OPENINGS = 3  # of each page; nothing is compared with it

AWAKE = "(name) => document.querySelector(`figure.regattn[data-widget=${name}]`)?.model?.result()"
STATE = """(name) => {
  const figure = document.querySelector(`figure.regattn[data-widget=${name}]`);
  const state = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
  for (const key of Object.keys(state)) state[key] = figure.model.get(key);
  return state;
}"""
# Moves a slider to parts (0 to 1) of its range as a hand would; returns the milliseconds of one move, and where it led.
SWEEP = """([name, control, parts]) => {
  const figure = document.querySelector(`figure.regattn[data-widget=${name}]`);
  const slider = figure.querySelector(`input[type=range][data-control=${control}]`);
  const [low, high] = [Number(slider.min), Number(slider.max)];
  const places = [];
  const start = performance.now();
  for (const part of parts) {
    slider.value = String(low + part * (high - low));
    slider.dispatchEvent(new Event("input", {bubbles: true}));
    figure.getBoundingClientRect();
    places.push(figure.model.get(control));
  }
  return [(performance.now() - start) / parts.length, places];
}"""
TIMES = """() => {
  const [times] = performance.getEntriesByType("navigation");
  return times.loadEventEnd > 0 ? [times.domContentLoadedEventEnd, times.loadEventEnd] : null;
}"""


# --- the same figures by matplotlib -----------------------------------------------------------------------------------


def encode(figure):
    """Return a figure as the inline backend of notebooks hands it over: PNG in base64, cut to what is drawn."""
    return print_figure(figure, fmt="png", base64=True, bbox_inches="tight")


def signs(weights):
    return np.where(np.asarray(weights) >= 0, COLOURS["positive"], COLOURS["negative"])


class Spectral:
    """Weights, scale and cosine, codes and running sum, as in chapter 3, while the query moves."""

    page, widget, control = "book/part2-proximity/03_ols_proximity", "SpectralExplorer", "query"

    def __init__(self, state):
        data = state["data"]
        s, directions, centre = (np.array(data[key]) for key in ("singular_values", "directions", "centre"))
        X, X_test = (np.array(data[key]) * s @ directions.T + centre for key in ("scores", "test_scores"))
        knobs = {name: state[name] for name in ("ridge", "rank", "query")}
        self.explorer = SpectralExplorer(X, data["y"], X_test, data["y_test"], **knobs)
        self.y, self.X_test = np.array(data["y"]), X_test
        self.figure, self.axes, self.artists = self.draw(knobs["query"])

    def numbers(self, query):
        """Return what the panels show: the package's own numbers, from the factors it keeps."""
        self.explorer.query = round(query)
        found, factors = self.explorer.result(), self.explorer.spectrum
        ridge, rank = self.explorer.ridge, self.explorer.rank
        codes = factors.codes(None, ridge=ridge, rank=rank)[:, :2]
        asking = np.vstack([codes, factors.codes(self.X_test, ridge=ridge, rank=rank)[:, :2]])[self.explorer.query]
        weights = np.array(found["weights"])
        return {**found, "weights": weights, "codes": codes, "query": asking, "sums": np.cumsum(weights * self.y)}

    def draw(self, query):
        """Return a new figure with everything in it."""
        now = self.numbers(query)
        weights, colours, n = now["weights"], signs(now["weights"]), len(self.y)
        figure, axes = plt.subplot_mosaic([["weights"] * 2, ["split", "codes"], ["sum"] * 2], figsize=(7.2, 8.4))
        areas = 80 * np.abs(weights) / np.abs(weights).max()
        bars = axes["weights"].bar(range(n), weights, color=colours)
        axes["weights"].axhline(1 / n, color=COLOURS["neutral"], linestyle="--")
        axes["weights"].set(title="The weight of each training observation", ylabel="weight")
        split = axes["split"].scatter(now["scale"], now["cosine"], s=areas, c=colours)
        axes["split"].set(title="Scale and cosine", xlabel="scale", ylabel="cosine", ylim=(-1.1, 1.1))
        codes = axes["codes"].scatter(*now["codes"].T, s=areas, c=colours)
        (arm,) = axes["codes"].plot(*np.vstack([[0, 0], now["query"]]).T, "D-", color=COLOURS["query"])
        axes["codes"].set(title="Codes", xlabel="code 1", ylabel="code 2")
        (sums,) = axes["sum"].step(range(n), now["sums"], color=COLOURS["prediction"])
        axes["sum"].plot(range(n), np.cumsum(self.y) / n, "--", color=COLOURS["neutral"])
        axes["sum"].set(title=f"The prediction: {now['prediction']:.3f}", xlabel="training observation")
        return figure, axes, {"bars": bars, "split": split, "codes": codes, "query": arm, "sums": sums}

    def move(self, query):
        """Move the artists of the figure that was kept."""
        now, artists = self.numbers(query), self.artists
        colours, areas = signs(now["weights"]), 80 * np.abs(now["weights"]) / np.abs(now["weights"]).max()
        for bar, height, colour in zip(artists["bars"], now["weights"], colours, strict=True):
            bar.set_height(height)
            bar.set_facecolor(colour)
        for name, places in (("split", np.column_stack([now["scale"], now["cosine"]])), ("codes", now["codes"])):
            artists[name].set_offsets(places)
            artists[name].set_sizes(areas)
            artists[name].set_color(colours)
        artists["query"].set_data(*np.vstack([[0, 0], now["query"]]).T)
        artists["sums"].set_ydata(now["sums"])
        self.axes["sum"].set_title(f"The prediction: {now['prediction']:.3f}")
        return self.figure


class Average:
    """Cases and the running sum of weight times outcome, as on the first page, while the query moves."""

    page, widget, control = "book/index", "AverageExplorer", "query"

    def __init__(self, state):
        data = state["data"]
        self.names = data["names"]
        knobs = {name: state[name] for name in ("query", "kernel", "sharpness")}
        self.explorer = AverageExplorer(data["x"], data["y"], line="slopeRidge" in data, **knobs)
        self.x, self.y = self.explorer.x, self.explorer.y
        self.figure, self.axes, self.artists = self.draw(state["query"])

    def numbers(self, query):
        """Return what the panels show: the package's own numbers."""
        self.explorer.query = query
        return {name: np.array(value) for name, value in self.explorer.result().items()}

    def draw(self, query):
        """Return a new figure with everything in it."""
        now = self.numbers(query)
        figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.2))
        points = left.scatter(self.x, self.y, s=6 + 1100 * np.abs(now["weights"]), c=signs(now["weights"]))
        upright = left.axvline(query, color=COLOURS["query"])
        (mark,) = left.plot(query, now["prediction"], "D", color=COLOURS["prediction"])
        left.set(title="Who is listened to", xlabel=self.names[0], ylabel=self.names[1])
        steps = np.concatenate([[0.0], now["running"]])
        (running,) = right.step(range(len(steps)), steps, color=COLOURS["key"])
        level = right.axhline(now["prediction"], color=COLOURS["prediction"])
        right.set(title="The prediction adds up, case by case", xlabel="past cases", ylabel=self.names[1])
        artists = {"points": points, "upright": upright, "mark": mark, "running": running, "level": level}
        return figure, (left, right), artists

    def move(self, query):
        """Move the artists of the figure that was kept."""
        now, artists = self.numbers(query), self.artists
        artists["points"].set_sizes(6 + 1100 * np.abs(now["weights"]))
        artists["points"].set_color(signs(now["weights"]))
        artists["upright"].set_xdata([query, query])
        artists["mark"].set_data([query], [now["prediction"]])
        artists["running"].set_ydata(np.concatenate([[0.0], now["running"]]))
        artists["level"].set_ydata([now["prediction"]] * 2)
        return self.figure


def afresh(panels, place):
    figure = panels.draw(place)[0]
    encode(figure)
    plt.close(figure)


def seconds_of(call, places):
    """Return the mean seconds of a call over places."""
    start = time.perf_counter()
    for place in places:
        call(place)
    return (time.perf_counter() - start) / len(places)


# --- the explorers ----------------------------------------------------------------------------------------------------


@contextmanager
def opened(browser, path):
    """Yield a page opened from disk with the network cut off; ``page.loaded`` lists what it has asked for."""
    context = browser.new_context(viewport=SCREEN, offline=True)
    page, loaded = context.new_page(), []
    page.on("request", lambda request: loaded.append(request.url))
    try:
        page.goto(path.resolve().as_uri())
        page.loaded = loaded
        yield page
    finally:
        context.close()


def check_agreement(page, panels):
    """Raise unless the explorer shows the numbers that the other way draws; the sum of a hundred terms is rounded."""
    state = page.evaluate(STATE, panels.widget)
    theirs = page.evaluate(AWAKE, panels.widget)["prediction"]
    ours = float(panels.numbers(state[panels.control])["prediction"])
    np.testing.assert_allclose(theirs, ours, rtol=1e-9, err_msg=panels.widget)


def redraws(page, make, *, rounds, moves):
    """Return the seconds of one move in each round, each way in turn."""
    page.wait_for_function(AWAKE, arg=make.widget)
    panels = make(page.evaluate(STATE, make.widget))
    parts = np.linspace(0, 1, moves).tolist()
    places = page.evaluate(SWEEP, [make.widget, make.control, parts])[1][:: max(1, moves // 4)]
    check_agreement(page, panels)
    ways = {
        OURS: lambda: page.evaluate(SWEEP, [make.widget, make.control, parts])[0] / 1e3,
        AFRESH: lambda: seconds_of(lambda place: afresh(panels, place), places),
        KEPT: lambda: seconds_of(lambda place: encode(panels.move(place)), places),
    }
    for way in ways.values():
        way()
    seconds = {name: [] for name in ways}
    for turn in range(rounds):
        for name in order(ways, turn):
            seconds[name].append(ways[name]())
    plt.close(panels.figure)
    return seconds


def explorer_case(browser, book, make, *, rounds, moves):
    with opened(browser, book / f"{make.page}.html") as page:
        rows = summary(redraws(page, make, rounds=rounds, moves=moves), ours=OURS)
    milliseconds = next(row["seconds"] for row in rows if row["ours"]) * 1e3
    aims = [
        goal("≥ 30 times as fast as interact, drawn afresh", ratio_to(rows, AFRESH), least=30.0),
        goal("≤ 4 ms of script for a move", milliseconds, most=4.0),
    ]
    return {"case": f"{make.widget}, moving its {make.control}", "rows": rows, "goals": aims}


# --- the pages --------------------------------------------------------------------------------------------------------


def sizes(loaded, book):
    """Return the bytes of what a page has loaded: without the theme and MathJax, and with them."""
    files = {Path(unquote(urlsplit(address).path)) for address in loaded if address.startswith("file:")}
    own = {path.name for path in (ROOT / "book" / "_static").rglob("*") if path.is_file()}
    theirs = {path for path in files if path.is_relative_to(book.resolve() / "_static") and path.name not in own}
    return sum(path.stat().st_size for path in files - theirs), sum(path.stat().st_size for path in files)


def open_page(browser, path):
    """Return the seconds until the text of a page is there and until all of it is, and the addresses it loaded."""
    with opened(browser, path) as page:
        ready, whole = page.wait_for_function(TIMES).json_value()
        page.wait_for_timeout(200)  # what a script still asks for
        return ready / 1e3, whole / 1e3, list(page.loaded)


def pages_case(browser, book, pages, *, openings):
    times = {page: [] for page in pages}
    weights = {}
    for _ in range(openings):
        for page in pages:  # by turns, so that no page has all the quiet moments
            *seconds, loaded = open_page(browser, book / f"{page}.html")
            times[page].append(seconds)
            weights[page] = sizes(loaded, book)
    rows = []
    for page in pages:
        ready, whole = np.median(times[page], axis=0)
        own, everything = weights[page]
        rows.append(
            {
                "contender": "first page" if page == chapters()[0] else Path(page).name.replace("_", " "),
                "ours": True,
                "seconds": float(whole),
                "text there after ms": float(ready * 1e3),
                "bytes of its own": own,
                "bytes with theme and MathJax": everything,
                "runs": openings,
            }
        )
    heaviest = max(row["bytes of its own"] for row in rows)
    aim = goal("≤ 1.5 MB for the heaviest page, without the theme and MathJax", heaviest, most=HEAVIEST)
    note = "Time is until the page, opened from disk by a new browser window, has loaded everything."
    return {"case": "the chapters' pages, opened from disk", "rows": rows, "goals": [aim], "note": note}


def is_fresh(page, book):
    """Return whether a page of the built book is there and not older than its source and the explorers."""
    built = book / f"{page}.html"
    files = [path for path in (ROOT / "regattn" / "widgets").rglob("*.*") if path.is_file() and path.suffix != ".pyc"]
    return built.exists() and built.stat().st_mtime >= max(path.stat().st_mtime for path in [source(page), *files])


def built_book(pages):
    """Return the folder of the built book; build it where a page is missing or old."""
    if not all(is_fresh(page, HTML) for page in pages):
        print("building the book first, which takes some minutes", flush=True)
        done = run_book(ROOT)
        missing = [page for page in pages if not (HTML / f"{page}.html").exists()]
        if done.returncode != 0 or missing:
            sys.exit(f"the book does not build:\n{(done.stdout + done.stderr)[-3000:]}")
    return HTML


def chapters():
    """Return the first page and the chapters."""
    return [page for page in toc_pages() if page.startswith("book/part") or page == toc_pages()[0]]


def measure(book, pages, *, rounds=ROUNDS, moves=MOVES, openings=OPENINGS):
    mpl.use("agg")
    with launch() as browser:
        cases = [explorer_case(browser, book, make, rounds=rounds, moves=moves) for make in (Spectral, Average)]
        return [*cases, pages_case(browser, book, pages, openings=openings)]


def main():
    pages = chapters()
    question = "One move of a slider in a page; and what a chapter's page weighs"
    cases = measure(built_book(pages), pages)
    write("explorer", question, cases, "matplotlib", "ipywidgets", "anywidget", "playwright")


if __name__ == "__main__":
    main()
