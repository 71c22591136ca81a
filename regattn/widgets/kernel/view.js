// KernelExplorer: ω_ji = g(τ⟨F_j, F_i⟩) among the observations of one predictor, for a kernel g of the reader's choice.
import { explorer } from "../_kit/explorer.js";
import { formatNumber, formatResult, isolate, powerText, rounded } from "../_kit/format.js";
import { kernelProblem, kernelState } from "./numbers.js";

function padded(values, share = 0.06) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const room = share * (high - low || 1);
  return [low - room, high + room];
}

const FAINT = 4; // the radius of the ring round a dot that is smaller

// The observation nearest to x, as the query.
function nearestQuery(xs, x) {
  return { query: xs.reduce((best, value, k) => (Math.abs(value - x) < Math.abs(xs[best] - x) ? k : best), 0) };
}

const offered = (view) => [view.now(), ...view.kit.presets.map(([, values]) => values)];

// Whether a weight below zero can come up: not where a page offers averages only.
function goesBelowZero(view) {
  if (!view.hides("kernel") || !view.hides("amplify")) return true;
  return offered(view).some(({ kernel, amplify }) => ["identity", "elu"].includes(kernel) || amplify);
}

// Whether every kernel that can come up is the Gaussian smoother itself.
function onlySmooths(view) {
  return view.hides("kernel") && offered(view).every(({ kernel }) => kernel === "gaussian");
}

function curvePanel({ x, y, x_label: xLabel, y_label: yLabel }, view) {
  const frame = { x: padded(x), y: padded(y, 0.12) };
  const inside = (values) => Float64Array.from(values, (v) => Math.max(frame.y[0], Math.min(frame.y[1], v)));
  return {
    title: "The fit at every observation",
    wide: view.hides("cooling"), // or the error stands beside it
    legend: [
      ["positive", "dot", "observation, larger with more weight"],
      ["positive", "hollow", "ringed: hardly any weight"],
      ...(goesBelowZero(view) ? [["negative", "dot", "weight below zero"]] : []),
      ["prediction", "line", "this kernel"],
      ...(onlySmooths(view) ? [] : [["neutral", "dashed", "Gaussian smoother, same keys"]]),
      ["query", "diamond", "the query (drag it)"],
    ],
    plot: { label: "Fitted curve", xLabel, yLabel, height: (width) => (view.hides("cooling") ? 300 : width > 380 ? 225 : 200) },
    at: (k) => [x[k], y[k]],
    ghost: ({ fitted }) => [x, inside(fitted)],
    handle: { at: ({ query, prediction }) => [x[query], inside([prediction])[0]], to: (at) => nearestQuery(x, at) },
    make(p) {
      const [dots, smoother, line] = [p.signedDots(), p.line("neutral", { dashed: true }), p.line("prediction")];
      const rings = p.dots("positive", { hollow: true }); // above the line: what has no weight is still to be seen
      const [upright, diamond] = [p.marker("query", "upright"), p.marker("query")];
      return (state) => {
        p.frame(frame);
        const largest = Math.max(...state.weights.map(Math.abs)) || 1;
        const radius = (i) => 2.6 + 5.2 * Math.sqrt(Math.abs(state.weights[i]) / largest);
        dots(x, y, radius, state.weights);
        rings(x, y, FAINT, (i) => state.weights[i] >= 0 && radius(i) < FAINT);
        smoother(x, inside(state.smoother));
        line(x, inside(state.fitted));
        upright(x[state.query]);
        diamond(x[state.query], inside([state.prediction])[0]);
      };
    },
  };
}

// The error from the hottest temperature down to the one chosen; the frame is that of outcomes that nobody can tell apart.
function coolingPanel({ cooling, y, n }) {
  const mean = y.reduce((total, value) => total + value, 0) / n;
  const top = 1.8 * Math.sqrt(y.reduce((total, value) => total + (value - mean) ** 2, 0) / n) || 1;
  const [hot, cold] = [Math.log10(cooling[0] ?? 1), Math.log10(cooling.at(-1) ?? 0.1)];
  const way = ({ cooled, temperature, error }) => [
    [...cooled.map((_, k) => Math.log10(cooling[k])), Math.log10(temperature)],
    [...cooled, error].map((value) => Math.min(value, top)),
  ];
  const xTicks = [];
  for (let power = Math.ceil(cold / 2) * 2; power <= hot; power += 2) xTicks.push({ at: power || 1e-9, text: powerText(10 ** power) }); // 10⁰ is no zero line
  return {
    title: "The error over all, from hot to here",
    beside: true,
    legend: [["prediction", "line", "error, on the way from hot"]],
    plot: { label: "Error at every temperature from hot to here", xLabel: "temperature", yLabel: "root mean squared error", height: (width) => (width > 380 ? 262 : 170) },
    ghost: way,
    make(p) {
      const [line, end] = [p.line("prediction"), p.marker("query")];
      return (state) => {
        const [xs, ys] = way(state);
        p.frame({ x: [cold - 0.2, hot + 0.2], y: [0, top], xTicks });
        line(xs, ys);
        end(xs.at(-1), ys.at(-1));
      };
    },
  };
}

function weightsPanel({ x, n, x_label: xLabel }) {
  return {
    title: "The weights of one query",
    wide: true,
    legend: [
      ["positive", "dot", "positive weight"],
      ["negative", "dot", "negative weight"],
      ["neutral", "dashed", "1/n: uniform attention"],
      ["query", "diamond", "the query, on itself"],
    ],
    plot: { label: "Weights", xLabel, yLabel: "weight", height: 220 },
    at: (k, state) => [x[k], state.weights[k]],
    make(p) {
      const [uniform, dots] = [p.line("neutral", { dashed: true }), p.signedDots()];
      const [upright, diamond] = [p.marker("query", "upright"), p.marker("query")];
      return (state) => {
        const [low, high] = rounded([Math.min(0, ...state.weights), Math.max(1.5 / n, ...state.weights)], 4);
        p.frame({ x: padded(x), y: [Math.min(low, -0.04 * high), high] });
        uniform(padded(x), [1 / n, 1 / n]);
        dots(x, state.weights, 3.2, state.weights);
        upright(x[state.query]);
        diamond(x[state.query], state.weights[state.query]);
      };
    },
  };
}

// Whether what is shown is not a weight of softmax, but what differs from even weights, enlarged.
const enlarges = ({ kernel, amplify }) => kernel === "softmax" && amplify;

const render = explorer({
  name: "KernelExplorer",
  prepare: kernelProblem,
  compute: kernelState,
  panels: (problem, view) => ({ curve: curvePanel(problem, view), cooling: coolingPanel(problem), weights: weightsPanel(problem) }),
  hint: ({ query }, { labels }) => `for ${isolate(labels[query])}; arrow keys read the observations, Enter makes one the query`,
  cursor: ({ n, labels, x, y, x_label, y_label }) => ({
    count: () => n,
    text: (k, { weights }) =>
      `${isolate(labels[k])}: weight ${formatResult(weights[k])}\n` +
      `${isolate(x_label)}: ${formatNumber(x[k])}\n${isolate(y_label)}: ${formatNumber(y[k])}`,
    pick: (k) => ({ query: k }),
    start: ({ query }) => query,
  }),
  answers: (view) => (view.hides("cooling") ? ["below", "error", "gap"] : ["error", "own"]),
  numbers({ y, y_label }) {
    const print = (key) => (state) => formatResult(Number(state[key].toPrecision(12)));
    return [
      ["prediction", `prediction, ${y_label}`, print("prediction")],
      ["observed", `observed, ${y_label}`, ({ query }) => formatNumber(y[query])],
      ["below", "weights below zero", (state) => `${state.weights.filter((w) => w < 0).length} of ${y.length}${enlarges(state) ? ", enlarged" : ""}`],
      ["own", "weight on itself", (state) => print("own")(state) + (enlarges(state) ? ", enlarged" : "")],
      ["total", "sum of weights", print("total")],
      ["error", "error over all, root mean square", print("error")],
      ["gap", "farthest from least squares", print("gap")],
    ];
  },
  say(state, { labels, n }) {
    const { weights, query, prediction, temperature } = state;
    const count = (wanted) => weights.reduce((total, weight) => total + wanted(weight), 0);
    const enlarged = enlarges(state) ? ` What differs from 1/n is enlarged ${formatNumber(temperature)} times.` : "";
    const [above, below] = [count((weight) => weight > 1 / n), count((weight) => weight < 0)];
    return [
      `${isolate(labels[query])}: ${formatResult(prediction)}`,
      ` predicted. ${above} of ${n} observations have more than an even share of the weight, ${below} of ${n} a weight below zero.${enlarged}`,
    ];
  },
  result: ({ weights, total, own, prediction, fitted, error, gap, smoother, cooled }, { cooling }) => ({
    weights: Array.from(weights),
    total,
    own,
    prediction,
    fitted: Array.from(fitted),
    error,
    gap,
    smoother: Array.from(smoother),
    ...(cooling.length && { cooled }),
  }),
});

export default { render };
