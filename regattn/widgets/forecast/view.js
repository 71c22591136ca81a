// ForecastExplorer: a trained encoder and decoder on a series: its fan, whom it listens to, and a past with gaps in it.
import { bounded, widened } from "../_kit/dates.js";
import { element } from "../_kit/controls.js";
import { explorer } from "../_kit/explorer.js";
import { forecastProblem, forecastState, upTo } from "./numbers.js";
import { formatNumber, formatResult, isolate, shareText } from "../_kit/format.js";
import { shareBars } from "../_kit/tables.js";

const years = ({ dates }) => dates.flatMap((date, at) => (date.endsWith("-01") ? [{ at, text: date.slice(0, 4) }] : []));
const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const monthName = (date) => `${MONTHS[Number(date.slice(5)) - 1]} ${date.slice(0, 4)}`;
const percent = (share) => `${share > 0 && share < 0.005 ? "< 1" : Math.round(100 * share)}\u00a0%`;

// What a point of the window sets: a month to come asks, a month gone begins the span that is deleted.
function asPlace(k, { context, steps }) {
  const place = bounded(Math.round(k), [0, context + steps - 1]);
  return place < context ? { deleted: "span", start: context - place } : { horizon: place - context + 1 };
}

function fanPanel(problem) {
  const { context, steps, units, bands: pairs, shares } = problem;
  const [past, ahead] = [upTo(context), upTo(steps).map((h) => context + h)];
  return {
    title: "What the model has read, what it expects, and what came",
    wide: true,
    legend: [
      ["train", "dot", "read"],
      ["negative", "hollow", "deleted"],
      ["prediction", "line", `expected, and bands that hold ${shares.map(percent).join(", ")}`],
      ["leave-one-out", "dashed", "expected when nothing is deleted"],
      ...(problem.rival ? [["value", "dashed", "pooled linear model"]] : []),
      ["truth", "dot", "what came"],
      ["query", "diamond", "month that asks (drag it)"],
    ],
    plot: { label: "Forecast", yLabel: units, height: 215 },
    by: "x",
    at: (k, { read, came }) => [k, k < context ? read[k] : came[k - context]],
    handle: { at: ({ horizon, median }) => [context + horizon - 1, median[horizon - 1]], to: (x) => asPlace(Math.max(x, context), problem) },
    make(p) {
      const bands = pairs.map(() => p.line("prediction ra-band"));
      const [history, other] = [p.line("neutral"), p.line("value", { dashed: true })];
      const [whole, middle] = [p.line("leave-one-out", { dashed: true }), p.line("prediction")];
      const [kept, gone, truth] = [p.dots("train"), p.dots("negative", { hollow: true }), p.dots("truth")];
      const [edge, diamond] = [p.marker("neutral", "upright"), p.marker("query")];
      return (state) => {
        const { read, came, quantiles, median, before, heard, horizon } = state;
        const all = [...read, ...came, ...before, ...(state.rival ?? []), ...quantiles.flatMap((row) => Array.from(row))];
        p.frame({ x: [-1, context + steps], y: widened([Math.min(...all), Math.max(...all)], 0.05), xTicks: years(state) });
        const quantile = (k) => quantiles.map((row) => row[k]);
        bands.forEach((band, b) => band([...ahead, ...ahead.toReversed()], [...quantile(pairs[b][0]), ...quantile(pairs[b][1]).reverse()]));
        history(past, read);
        whole(state.deleted === "nothing" ? [] : ahead, before);
        other(state.rival ? ahead : [], state.rival);
        middle(ahead, median);
        kept(past, read, 2.6, (k) => heard[k]);
        gone(past, read, 2.6, (k) => !heard[k]);
        truth(ahead, came, 3);
        edge(context - 0.5);
        diamond(context + horizon - 1, median[horizon - 1]);
      };
    },
  };
}

function weightsPanel(problem) {
  const { context, steps } = problem;
  return {
    title: "Where the chosen head listens for the month that asks",
    wide: true,
    beside: true, // above the sentence: what a scene changes is on one screen with its button
    legend: [
      ["query", "box", "12, 24 and 36 months before it"],
      ["key", "box", "other months"],
      ["negative", "hollow", "deleted"],
      ["neutral", "line", "equal weights"],
    ],
    plot: { label: "Weights", yLabel: "weight", height: 160 },
    by: "x",
    at: (k, { weights }) => [k, weights[k] ?? 0],
    make(p) {
      const [seasonal, others, gone] = [p.bars("query"), p.bars("key"), p.dots("negative", { hollow: true })];
      const [level, edge] = [p.marker("neutral", "level"), p.marker("neutral", "upright")];
      return (state) => {
        const { weights, heard, horizon } = state;
        const same = (k) => (context + horizon - 1 - k) % 12 === 0;
        p.frame({ x: [-1, context + steps], y: [0, 1.08 * Math.max(...weights)], xTicks: years(state) });
        seasonal(weights, same);
        others(weights, (k) => !same(k));
        gone(upTo(context), weights, 2.6, (k) => !heard[k]);
        level(0, 1 / context);
        edge(context - 0.5);
      };
    },
  };
}

// The two ways to count a head's months share one axis: the one in which it has a peak is how it listens.
const together = (...rows) => [0, 1.08 * Math.max(...rows.flat())];

function lagsPanel({ context, steps }) {
  return {
    title: "All months ahead, counted back from the one that asks",
    legend: [
      ["query", "box", "lags 12, 24, 36"],
      ["key", "box", "other lags"],
    ],
    plot: { label: "Weight by lag", xLabel: "months back", yLabel: "mean weight", height: 220 },
    hint: () => "by lag, a mean over all months ahead",
    make(p) {
      const [seasonal, others] = [p.bars("query"), p.bars("key")];
      const xTicks = upTo(Math.floor((context + steps) / 12)).map((k) => ({ at: 12 * (k + 1), text: String(12 * (k + 1)) }));
      return ({ by_lag, by_place }) => {
        p.frame({ x: [0, context + steps], y: together(by_lag, by_place), xTicks });
        const bars = [0, ...by_lag];
        seasonal(bars, (lag) => lag > 0 && lag % 12 === 0 && lag <= 36);
        others(bars, (lag) => lag > 0 && (lag % 12 !== 0 || lag > 36));
      };
    },
  };
}

function placesPanel({ context }) {
  return {
    title: "The same, counted back from the last month read",
    legend: [
      ["query", "box", "a year and two years before it"],
      ["key", "box", "other months"],
    ],
    plot: { label: "Weight by month before the last one read", xLabel: "months back", yLabel: "mean weight", height: 220 },
    hint: () => "by month before the last one read, a mean over all months ahead",
    make(p) {
      const [change, others] = [p.bars("query"), p.bars("key")];
      const xTicks = upTo(Math.floor(context / 12) + 1).map((k) => ({ at: 12 * k, text: String(12 * k) }));
      return ({ by_lag, by_place }) => {
        p.frame({ x: [-1, context], y: together(by_lag, by_place), xTicks });
        change(by_place, (back) => back === 12 || back === 24);
        others(by_place, (back) => back !== 12 && back !== 24);
      };
    },
  };
}

function headsPanel({ network: { heads } }) {
  return {
    title: "Weight on lags 12, 24 and 36 over all months ahead, by head",
    make(host) {
      const draw = shareBars(host, { label: "Weight on lags 12, 24 and 36" });
      const names = [...upTo(heads).map((h) => `head ${h + 1}`), "chance"];
      const none = host.appendChild(element("p", {}, "No month ahead hears the lags 12, 24 and 36: they are deleted."));
      return ({ masses, head, usual }) => {
        none.hidden = usual > 0;
        draw(names, usual > 0 && [...masses, usual], shareText, head - 1);
      };
    },
  };
}

const print = (key) => (state) => formatResult(state[key]);
const both = (words) => (words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);

// What a head gives to the lags 12, 24 and 36: which of them it hears, for this month and over all months ahead.
function seasonWords({ context, steps }, { horizon, head, heard, mass, masses }) {
  const there = [12, 24, 36].filter((lag) => lag <= context + horizon - 1 && lag >= horizon);
  const [kept, gone] = [true, false].map((wanted) => there.filter((lag) => heard[context + horizon - 1 - lag] === wanted));
  if (!kept.length) return "hears none of the lags 12, 24 and 36";
  const deleted = gone.length ? ` (${both(gone)} deleted)` : "";
  const lags = `${kept.length > 1 ? "lags" : "lag"} ${both(kept)}${deleted}`;
  return `gives ${percent(mass)} of its weight to ${lags}; over all ${steps} months ahead ${percent(masses[head - 1])}`;
}

const render = explorer({
  name: "ForecastExplorer",
  longest: 210,
  prepare: forecastProblem,
  compute: forecastState,
  panels: (problem) => ({ fan: fanPanel(problem), weights: weightsPanel(problem), lags: lagsPanel(problem), places: placesPanel(problem), heads: headsPanel(problem) }),
  texts: ({ dates, context }, view) => ({ horizon: (h) => monthName(dates[view.model.get("query") + context + h - 1]) }),
  hint: ({ dates, horizon }, { context }) => `for ${monthName(dates[context + horizon - 1])}; arrow keys read the months, Enter lets one ask or deletes a span from it on`,
  cursor: (problem) => ({
    count: () => problem.context + problem.steps,
    text(k, { dates, read, came, weights, heard, median }) {
      const h = k - problem.context;
      if (h < 0) return `${isolate(dates[k])}: ${formatNumber(read[k], 4)}\n${heard[k] ? `weight ${formatResult(weights[k])}` : "deleted"}`;
      return `${isolate(dates[k])}: came ${formatNumber(came[h], 4)}\nmedian ${formatNumber(median[h], 4)}`;
    },
    pick: (k) => asPlace(k, problem),
    start: ({ horizon }) => problem.context + horizon - 1,
  }),
  numbers: ({ steps, rival, shares }) => [
    ["mase", "MASE here", print("mase")],
    ["mase-before", "MASE, nothing deleted", print("mase_before")],
    ...(rival ? [["mase-rival", "MASE, pooled linear", print("mase_rival")]] : []),
    ["mase-naive", "MASE, last year with drift", print("mase_naive")],
    ["covered", `inside the ${percent(shares[0])} band`, ({ covered }) => `${covered} of ${steps}`],
    ["mass", "weight on lags 12, 24, 36", ({ mass }) => shareText(mass)],
    ["chance", "by chance", ({ chance }) => shareText(chance)],
    ["change", "weight one and two years before the last month read", ({ change }) => shareText(change)],
  ],
  say(state, problem) {
    const { steps, context, shares } = problem;
    const { dates, head, horizon, mass, change, mase, mase_before: before, covered, deleted } = state;
    const moved = deleted === "nothing" ? "" : ` (${formatResult(before)} when nothing is deleted)`;
    const band = `${covered} of ${steps} months in the ${percent(shares[0])} band.`;
    const earlier = [12, 24].filter((back) => back < context).map((back) => monthName(dates[context - 1 - back]));
    const moved_on = `gives ${percent(change)} of its weight to ${earlier.join(" and ")}`;
    const lags = change > Math.max(mass, 0.1) ? moved_on : seasonWords(problem, state);
    const listens = ` For ${monthName(dates[context + horizon - 1])}, head ${head} ${lags}.`;
    return [`MASE ${formatResult(mase)}`, `${moved} from ${isolate(dates[context])} on, ${band}${listens}`];
  },
  result: ({ quantiles, before, weights, by_lag, by_place, masses, mase, mase_before, mase_rival, mase_naive, covered, mass, change, chance }) => ({
    quantiles: quantiles.map((row) => Array.from(row)),
    before: Array.from(before),
    weights: Array.from(weights),
    by_lag, by_place, masses, mase, mase_before, mase_rival, mase_naive, covered, mass, change, chance, // prettier-ignore
  }),
});

export default { render };
