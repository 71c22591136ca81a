// FilterExplorer: the level that a filter sees, as attention to the past: the weights of one date, and the whole path.
import { asQuery, dateHint, radiusOf, timeTicks, widened } from "../_kit/dates.js";
import { explorer } from "../_kit/explorer.js";
import { filterState } from "./numbers.js";
import { formatNumber, isolate, measured } from "../_kit/format.js";

const tidy = (value) => Number((Math.abs(value) < 1e-9 ? 0 : value).toPrecision(9)); // zero, not rounding

function historyPanel(problem) {
  const { y, units } = problem;
  const frame = { x: [-1, y.length], y: widened([Math.min(...y), Math.max(...y)], 0.1) };
  return {
    title: "What is observed, and the level that the filter sees",
    wide: true,
    legend: [
      ["positive", "dot", "observed, larger with more weight"],
      ["negative", "dot", "weight below zero"],
      ["prediction", "line", "level seen at each date"],
      ["query", "diamond", "level at the date that asks (drag it)"],
    ],
    plot: { label: "History", yLabel: units, height: 270 },
    by: "x",
    at: (t) => [t, y[t]],
    ghost: ({ levels }) => [y.map((_, t) => t), levels],
    handle: { at: ({ at, prediction }) => [at, prediction], to: (x) => asQuery(x, problem) },
    make(p) {
      const [line, later, dots] = [p.line("prediction"), p.dots("neutral"), p.signedDots()];
      const [upright, diamond] = [p.marker("query", "upright"), p.marker("query")];
      const places = y.map((_, t) => t);
      return ({ at, weights, levels, prediction }) => {
        p.frame({ ...frame, xTicks: timeTicks(p, problem) });
        line(places, levels);
        later(places.slice(at + 1), y.slice(at + 1), 1.2);
        dots(places.slice(0, at + 1), y.slice(0, at + 1), radiusOf(weights), weights);
        upright(at);
        diamond(at, prediction);
      };
    },
  };
}

function weightsPanel(problem) {
  return {
    title: "The weights of the past: one row of causal attention",
    wide: true,
    legend: [
      ["positive", "box", "weight above zero"],
      ["negative", "box", "below zero"],
      ["query", "line", "date that asks (click another)"],
    ],
    plot: { label: "Weights", yLabel: "weight", height: 210 },
    by: "x",
    at: (t, { weights }) => [t, weights[t] ?? 0],
    click: (x) => asQuery(x, problem),
    make(p) {
      const [bars, upright] = [p.signedBars(), p.marker("query", "upright")];
      return ({ at, weights }) => {
        const [low, high] = [Math.min(0, ...weights), Math.max(0, ...weights)];
        p.frame({ x: [-1, problem.y.length], y: [1.08 * low, 1.08 * high], xTicks: timeTicks(p, problem) });
        bars(weights);
        upright(at);
      };
    },
  };
}

const print = (read) => (state) => formatNumber(tidy(read(state)));

const render = explorer({
  name: "FilterExplorer",
  prepare: (data) => data,
  compute: filterState,
  panels: (problem) => ({ history: historyPanel(problem), weights: weightsPanel(problem) }),
  hint: dateHint,
  cursor: (problem) => ({
    count: ({ levels }) => levels.length,
    text: (t, { weights, levels }) =>
      `${isolate(problem.dates[t])}: ${t < weights.length ? `weight ${formatNumber(tidy(weights[t]))}` : "later, no weight"}\n` +
      `observed ${formatNumber(problem.y[t])}, level ${formatNumber(levels[t])}`,
    pick: (t) => asQuery(t, problem),
    start: ({ at }) => at,
  }),
  answers: () => ["prediction", "age", "negative"],
  numbers: ({ units }) => [
    ["prediction", measured("level seen", units), print(({ prediction }) => prediction)],
    ["observed", measured("observed", units), print(({ observed }) => observed)],
    ["own", "weight on itself", print(({ own }) => own)],
    ["total", "sum of weights", print(({ moments }) => moments[0])],
    ["age", "mean age of the weights, dates", print(({ moments }) => moments[1])],
    ["negative", "sum of those below zero", print(({ negative }) => negative)],
  ],
  say({ at, weights, own }, { dates }) {
    const below = weights.reduce((count, weight) => count + (weight < 0), 0);
    return [isolate(dates[at]), ` hears itself with ${formatNumber(own)}; of ${weights.length} dates ${below} have weights below zero.`];
  },
  result: ({ weights, levels, prediction, observed, own, negative, moments }) => ({
    weights: Array.from(weights),
    levels: Array.from(levels),
    prediction, observed, own, negative, moments, // prettier-ignore
  }),
});

export default { render };
