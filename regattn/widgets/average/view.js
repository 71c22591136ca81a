// AverageExplorer: scores s_i = 1 + z z_i; least squares uses s_i / n as weights, softmax attention exp(s_i) / Σ exp(s_l),
// a Gaussian kernel the same of minus half the squared distances; a line is fitted under the weights of the latter.
import { explorer } from "../_kit/explorer.js";
import { formatNumber, formatResult, isolate, numberTicks, shorten } from "../_kit/format.js";
import { dot, runningSum, softmax } from "../_numbers/maths.js";

// What each outcome counts in the height, at the query, of the line that is fitted under the weights `near`, which sum
// to one, of cases that lie `away` from it.
function lineWeights(near, away, ridge) {
  const first = dot(near, away);
  const second = dot(near, away.map((d) => d * d)) + ridge;
  return near.map((weight, i) => (weight * (second - first * away[i])) / (second - first * first));
}

export function averageWeights({ codes, level, spread, slopeRidge }, { query, kernel, sharpness }) {
  const z = (query - level) / spread;
  if (kernel === "softmax") return softmax(codes.map((code) => sharpness * (1 + z * code)));
  if (kernel === "gaussian" || kernel === "line") {
    const near = softmax(codes.map((code) => -0.5 * sharpness * (z - code) ** 2));
    return kernel === "line" ? lineWeights(near, codes.map((code) => code - z), slopeRidge) : near;
  }
  return codes.map((code) => (1 + z * code) / codes.length);
}

function averageProblem(data) {
  const codes = Float64Array.from(data.x, (value) => (value - data.level) / data.spread);
  const problem = { ...data, codes };
  const [low, high] = data.ends;
  problem.grid = Array.from({ length: 61 }, (_, k) => low + ((high - low) * k) / 60);
  problem.curve = (how) => problem.grid.map((query) => dot(averageWeights(problem, { ...how, query }), data.y));
  const wide = data.slopeRidge ? problem.curve({ kernel: "line", sharpness: 1 }) : [];
  const tops = [...data.y, ...problem.curve({ kernel: "identity" }), ...wide];
  const margin = 0.1 * (Math.max(...tops) - Math.min(...tops));
  problem.range = [Math.min(...tops) - margin, Math.max(...tops) + margin];
  return problem;
}

const METHODS = {
  identity: "Least squares",
  softmax: "Softmax",
  gaussian: "An average by nearness",
  line: "A line by nearness",
};
const EVEN = { softmax: "The plain average", gaussian: "The plain average", line: "A line under equal weights" };
const methodOf = ({ kernel, sharpness }) => (sharpness === 0 && EVEN[kernel]) || METHODS[kernel];

function averageState(problem, { query, ...how }) {
  const weights = averageWeights(problem, { query, ...how });
  const running = runningSum(weights.map((weight, i) => weight * problem.y[i]));
  return { ...how, query, weights, running, curve: problem.curve(how), prediction: dot(weights, problem.y) };
}

function scatterPanel({ x, y, ends, names: [xLabel, yLabel], range, grid }) {
  return {
    title: "The weight of every case",
    legend: [
      ["positive", "dot", "weight above zero"],
      ["negative", "dot", "below zero"],
      ["prediction", "diamond", "prediction (drag it)"],
      ["neutral", "line", "predictions elsewhere"],
    ],
    plot: { label: `${yLabel} against ${xLabel}`, xLabel, yLabel, height: 210 },
    at: (k) => [x[k], y[k]],
    by: "xy",
    handle: {
      at: (state) => [state.query, state.prediction],
      to: (query) => ({ query: Math.max(ends[0], Math.min(ends[1], query)) }),
    },
    make(p) {
      const [curve, dots] = [p.line("neutral"), p.signedDots()];
      const [upright, mark] = [p.marker("query", "upright"), p.marker("prediction")];
      return (state) => {
        p.frame({ x: ends, y: range, xTicks: numberTicks(...ends, 5), yTicks: numberTicks(...range, 5) });
        curve(grid, state.curve);
        dots(x, y, (k) => 1.5 + 22 * Math.sqrt(Math.abs(state.weights[k]) / 3), state.weights);
        upright(state.query);
        mark(state.query, state.prediction);
      };
    },
  };
}

function runningPanel({ x, y, names: [xLabel, yLabel], range }) {
  const n = y.length;
  const places = Array.from({ length: n + 1 }, (_, k) => k);
  return {
    title: "The prediction adds up, case by case",
    beside: true,
    legend: [
      ["key", "line", "sum so far"],
      ["prediction", "line", "prediction"],
    ],
    plot: { label: "Running sum of weight times outcome", xLabel: `past cases, by ${xLabel}`, yLabel, height: 210 },
    at: (k, state) => [k + 1, state.running[k]],
    by: "x",
    make(p) {
      const line = p.line("key", { steps: true });
      const [level, mark] = [p.marker("prediction", "level"), p.marker("prediction")];
      return (state) => {
        const [low, high] = [Math.min(range[0], ...state.running), Math.max(range[1], ...state.running)];
        const xTicks = [0, Math.floor((n - 1) / 2), n - 1].map((k) => ({ at: k + 1, text: formatNumber(x[k], 2) }));
        p.frame({ x: [0, n + 0.8], y: [low, high], xTicks, yTicks: numberTicks(low, high, 5) });
        line(places, [0, ...state.running]);
        level(0, state.prediction);
        mark(n, state.prediction);
      };
    },
  };
}

// Whose outcomes count: the case with the largest weight of either sign, and the one nearest to the question.
function whoCounts({ weights, query }, { x, labels }) {
  const place = (values, best) => values.indexOf(best(...values));
  const sizes = Array.from(weights, Math.abs);
  const [loudest, nearest] = [place(sizes, Math.max), place(Array.from(x, (value) => Math.abs(value - query)), Math.min)];
  if (sizes[loudest] - Math.min(...sizes) < 1e-9) return `All ${x.length} weights are equal.`;
  const named = (k) => `${isolate(shorten(labels[k]))}, weight ${formatResult(weights[k], 2)}`;
  if (loudest === nearest) return `Loudest is the nearest: ${named(loudest)}.`;
  return `Loudest: ${named(loudest)}. Nearest: ${named(nearest)}.`;
}

const render = explorer({
  name: "AverageExplorer",
  prepare: averageProblem,
  compute: averageState,
  panels: (problem) => ({ scatter: scatterPanel(problem), running: runningPanel(problem) }),
  hint: () => "; arrow keys read the cases, Enter asks at one",
  cursor: ({ x, y, labels, names }) => ({
    count: () => y.length,
    text: (k, { weights }) =>
      `${isolate(labels[k])}: weight ${formatResult(weights[k])}\n` +
      `${isolate(names[0])}: ${formatNumber(x[k])}\n` +
      `${isolate(names[1])}: ${formatNumber(y[k])}\n` +
      `weight × outcome: ${formatResult(weights[k] * y[k])}`,
    pick: (k) => ({ query: x[k] }),
  }),
  numbers({ names, labels, y }) {
    const top = ({ weights }) => weights.indexOf(Math.max(...weights));
    const most = (state) => `${formatNumber(state.weights[top(state)], 2)} (${isolate(shorten(labels[top(state)]))})`;
    return [
      ["prediction", `prediction, ${names[1]}`, (state) => formatResult(state.prediction)],
      ["most", "largest weight", most],
      ["below", "weights below zero", ({ weights }) => `${weights.filter((w) => w < 0).length} of ${y.length}`],
    ];
  },
  say: (state, problem) => [
    `${methodOf(state)} at ${formatNumber(state.query, 2)}: ${formatResult(state.prediction)}.`,
    ` ${whoCounts(state, problem)}`,
  ],
  result: ({ weights, running, prediction }) => ({
    weights: Array.from(weights),
    running: Array.from(running),
    prediction,
  }),
});

export default { render };
