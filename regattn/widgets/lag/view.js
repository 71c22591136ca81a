// LagExplorer: an autoregression as attention in time, a map of dates on dates and one row of it over the history.
import { asQuery, bounded, dateHint, printed, radiusOf, timeTicks, widened } from "../_kit/dates.js";
import { explorer } from "../_kit/explorer.js";
import { formatNumber, isolate, measured, rounded } from "../_kit/format.js";
import { mapPanel } from "./map.js";
import { lagProblem, lagState } from "./numbers.js";

// Positions are those of the whole series, so that nothing moves sideways when the number of lags changes.
const places = ({ lags, n }) => Array.from({ length: n }, (_, t) => t + lags);

function historyPanel(problem) {
  const { dates, units, names } = problem;
  const frame = { x: [-1, dates.length], y: widened(problem.highest, 0.1) };
  return {
    title: "The dates that this one listens to",
    wide: true,
    legend: [
      ["positive", "dot", "observed, larger with more weight"],
      ["negative", "dot", "weight below zero"],
      ["query", "diamond", "fitted at the date that asks (drag it)"],
    ],
    plot: { label: "History", yLabel: units || names[0], height: 210 },
    by: "x",
    at: (k, state) => [k + state.lags, state.values[k]],
    handle: { at: ({ row, lags, prediction }) => [row + lags, bounded(prediction, frame.y)], to: (x) => asQuery(x, problem) },
    make(p) {
      const [line, dots] = [p.line("neutral"), p.signedDots()];
      const [upright, diamond] = [p.marker("query", "upright"), p.marker("query")];
      return (state) => {
        const at = places(state);
        p.frame({ ...frame, xTicks: timeTicks(p, problem) });
        line(at, state.values);
        dots(at, state.values, radiusOf(state.weights), state.weights);
        upright(state.row + state.lags);
        diamond(state.row + state.lags, bounded(state.prediction, frame.y));
      };
    },
  };
}

function contributionsPanel(problem) {
  return {
    title: "What each date adds: weight × value",
    legend: [
      ["positive", "box", "adds to the fit"],
      ["negative", "box", "takes away"],
    ],
    plot: { label: "Contributions", yLabel: problem.units || problem.names[0], height: 330 },
    by: "x",
    at: (k, state) => [k + state.lags, state.contributions[k]],
    make(p) {
      const [bars, upright] = [p.signedBars(), p.marker("query", "upright")];
      return (state) => {
        const { contributions, lags, row } = state;
        const y = rounded([Math.min(0, ...contributions), Math.max(0, ...contributions)], 4);
        p.frame({ x: [-1, problem.dates.length], y: y[0] < y[1] ? y : [-1, 1], xTicks: timeTicks(p, problem) });
        bars([...new Array(lags).fill(0), ...contributions]);
        upright(row + lags);
      };
    },
  };
}

function fitPanel(problem) {
  const { dates, units, names } = problem;
  return {
    title: "Observed and fitted",
    wide: true,
    legend: [
      ["neutral", "line", "observed"],
      ["prediction", "line", "fitted: attention at every date"],
    ],
    plot: { label: "Fit", yLabel: units || names[0], height: 220 },
    by: "x",
    at: (k, state) => [k + state.lags, state.fitted[k]],
    make(p) {
      const [observed, line, upright] = [p.line("neutral"), p.line("prediction"), p.marker("query", "upright")];
      return (state) => {
        const at = places(state);
        const [lowest, highest] = problem.highest;
        const [low, high] = [Math.min(lowest, ...state.fitted), Math.max(highest, ...state.fitted)];
        p.frame({ x: [-1, dates.length], y: widened([low, high], 0.06), xTicks: timeTicks(p, problem) });
        observed(at, state.values);
        line(at, state.fitted);
        upright(state.row + state.lags);
      };
    },
  };
}

const render = explorer({
  name: "LagExplorer",
  prepare: lagProblem,
  compute: lagState,
  panels: (problem) => ({
    history: historyPanel(problem),
    map: mapPanel(problem),
    contributions: contributionsPanel(problem),
    fit: fitPanel(problem),
  }),
  hint: dateHint,
  cursor: (problem, view) => ({
    count: ({ n }) => n,
    text: (k, { lags, weights, values, fitted }) =>
      `${isolate(problem.dates[k + lags])}: weight ${formatNumber(weights[k])}\n` +
      `observed ${formatNumber(values[k])}, fitted ${formatNumber(fitted[k])}`,
    pick: (k) => asQuery(k + view.model.get("max_lag"), problem),
    start: ({ row }) => row,
  }),
  answers: ({ model }) => ["rising", model.get("data").stretch ? "stretch" : "error", "rank"],
  numbers: ({ units, stretch, dates }) => [
    ["prediction", measured("fitted", units), printed("prediction")],
    ["observed", measured("observed", units), printed("observed")],
    ["total", "sum of weights", printed("total")],
    ["rising", "weight on dates after a rise", printed("rising")],
    ...(stretch ? [["stretch", `weight on ${stretch.map((t) => isolate(dates[t])).join(" to ")}`, printed("stretch")]] : []),
    ["own", "weight on itself", printed("own")],
    ["rank", "rank of the map", ({ rank }) => String(rank)],
    ["error", measured("error over all dates", units), printed("error")],
  ],
  say({ weights, row, n, lags, query }, { labels, dates }) {
    let most = row === 0 ? 1 : 0;
    for (let i = 0; i < n; i++) if (i !== row && weights[i] > weights[most]) most = i;
    const below = weights.reduce((count, weight) => count + (weight < 0), 0);
    const loudest = isolate(dates[most + lags]);
    const counted = `${below} of ${n} have weights below zero.`;
    return [isolate(labels[query]), ` hears ${loudest} most of all other dates; ${counted}`];
  },
  result: ({ map, weights, contributions, fitted, prediction, observed, total, rising, stretch, own, rank, error }) => ({
    map: map.map((row) => Array.from(row)),
    weights: Array.from(weights),
    contributions: Array.from(contributions),
    fitted: Array.from(fitted),
    prediction, observed, total, rising, own, rank, error, // prettier-ignore
    ...(stretch === undefined ? {} : { stretch }),
  }),
});

export default { render };
