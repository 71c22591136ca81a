// KernelExplorer: ω_ji = g(⟨F_j, F_i⟩ / T) among the observations of one predictor, for a kernel g of the reader's choice.
import { explorer } from "./explorer.js";
import { checkbox, element, output, select, slider } from "./controls.js";
import { cursor } from "./cursor.js";
import { formatNumber, isolate, plot } from "./plot.js";
import { dot, niceTicks, norm, rootMeanSquare, sum } from "./maths.js";

// ---- numbers -------------------------------------------------------------------------------------------------------

// Inner products and squared distances of every query with every key, row after row, and the keys by distance.
function comparisons(queries, keys) {
  const n = queries.length;
  const products = new Float64Array(n * n);
  const distances = new Float64Array(n * n);
  for (let j = 0; j < n; j++) {
    for (let i = 0; i < n; i++) {
      products[j * n + i] = dot(queries[j], keys[i]);
      let total = 0;
      for (let k = 0; k < keys[i].length; k++) total += (queries[j][k] - keys[i][k]) ** 2;
      distances[j * n + i] = total;
    }
  }
  let order = null;
  const nearestFirst = () => {
    order ??= Array.from({ length: n }, (_, j) => {
      const away = distances.subarray(j * n, (j + 1) * n);
      return Int32Array.from(away.keys()).sort((a, b) => away[a] - away[b] || a - b);
    });
    return order;
  };
  return { n, products, distances, nearestFirst };
}

export function kernelProblem(data) {
  const codes = data.codes.map((row) => Float64Array.from(row));
  const lengths = codes.map((row) => norm(row));
  const common = rootMeanSquare(lengths);
  const even = codes.map((row, i) => row.map((value) => (value * common) / lengths[i]));
  return {
    ...data, n: codes.length, x: Float64Array.from(data.x), y: Float64Array.from(data.y), // prettier-ignore
    plain: comparisons(codes, codes),
    even: comparisons(codes, even),
    fits: new Map(),
  };
}

// Scores of query j into `out`: inner products, or for the Gaussian kernel minus half the squared distances.
function scores(out, { n, products, distances }, j, gaussian, scale) {
  for (let i = 0; i < n; i++) out[i] = scale * (gaussian ? -0.5 * distances[j * n + i] : products[j * n + i]);
}

function softmaxInPlace(out, barred) {
  let top = -Infinity;
  let total = 0;
  for (let i = 0; i < out.length; i++) if (i !== barred && out[i] > top) top = out[i];
  for (let i = 0; i < out.length; i++) total += out[i] = i === barred ? 0 : Math.exp(out[i] - top);
  for (let i = 0; i < out.length; i++) out[i] /= total;
}

// Weights g / Σ g; uniform where Σ g is below a hundredth of Σ |g|, as the package does.
function normaliseInPlace(out, barred, floor) {
  let [total, size] = [0, 0];
  for (let i = 0; i < out.length; i++) {
    out[i] = i === barred ? 0 : out[i] > 0 ? out[i] : floor * Math.expm1(out[i]);
    total += out[i];
    size += Math.abs(out[i]);
  }
  const sound = total > 0.01 * size;
  const count = out.length - (barred >= 0);
  for (let i = 0; i < out.length; i++) out[i] = sound ? out[i] / total : i === barred ? 0 : 1 / count;
}

function nearestInPlace(out, order, barred, k) {
  out.fill(0);
  let left = k;
  for (let at = 0; left > 0; at++) {
    if (order[at] === barred) continue;
    out[order[at]] = 1 / k;
    left -= 1;
  }
}

// The weights of query j, written into `out`.
function weigh(out, keys, j, { kernel, temperature, neighbours, include_self: self }) {
  const barred = self ? -1 : j;
  if (kernel === "nearest") return nearestInPlace(out, keys.nearestFirst()[j], barred, neighbours);
  const scale = kernel === "identity" ? 1 / keys.n : kernel === "relu" ? 1 : 1 / temperature;
  scores(out, keys, j, kernel === "gaussian", scale);
  if (kernel === "softmax" || kernel === "gaussian") softmaxInPlace(out, barred);
  else if (kernel !== "identity") normaliseInPlace(out, barred, kernel === "elu" ? 1 : 0);
  else if (barred >= 0) out[barred] = 0;
}

const KEPT = 16; // fits remembered, so that going back and forth between two settings costs nothing

// The prediction at every observation.
function fit(problem, keys, settings) {
  const { kernel, temperature, neighbours, include_self: self, normalise_keys: even } = settings;
  const key = [kernel, temperature, neighbours, self, even].join();
  if (problem.fits.has(key)) return problem.fits.get(key);
  const row = new Float64Array(problem.n);
  const fitted = Float64Array.from(problem.y, (_, j) => {
    weigh(row, keys, j, settings);
    return dot(row, problem.y);
  });
  if (problem.fits.size >= KEPT) problem.fits.delete(problem.fits.keys().next().value);
  problem.fits.set(key, fitted);
  return fitted;
}

// Everything shown for one setting of the controls.
export function kernelState(problem, settings) {
  const { y, n } = problem;
  const { query } = settings;
  const keys = settings.normalise_keys ? problem.even : problem.plain;
  const weights = new Float64Array(n);
  weigh(weights, keys, query, settings);
  const fitted = fit(problem, keys, settings);
  return {
    ...settings, weights, fitted, // prettier-ignore
    smoother: fit(problem, keys, { ...settings, kernel: "gaussian" }),
    total: sum(weights),
    own: weights[query],
    prediction: fitted[query],
    error: rootMeanSquare(y.map((value, j) => value - fitted[j])),
  };
}

// ---- pictures ------------------------------------------------------------------------------------------------------

function padded(values, share = 0.06) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const room = share * (high - low || 1);
  return [low - room, high + room];
}

function outward([low, high]) {
  const ticks = niceTicks(low, high, 4);
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : high - low || 1;
  return [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
}

function curvePanel(view, problem) {
  const box = view.panel("curve", {
    title: "The fit at every observation",
    wide: true,
    legend: [
      ["positive", "dot", "observation, larger with more weight"],
      ["negative", "dot", "weight below zero"],
      ["prediction", "line", "attention"],
      ["neutral", "dashed", "Gaussian smoother, same codes"],
      ["query", "diamond", "the query"],
    ],
  });
  const p = plot(view.host(box), { label: "Fitted curve", xLabel: problem.x_label, yLabel: problem.y_label, height: 300 });
  const [positive, negative] = [p.dots("positive"), p.dots("negative")];
  const smoother = p.line("neutral", { dashed: true });
  const line = p.line("prediction");
  const [upright, diamond] = [p.marker("query", "upright"), p.marker("query")];
  const { x, y } = problem;
  const frame = { x: padded(x), y: padded(y, 0.12) };
  const inside = (values) => Float64Array.from(values, (v) => Math.max(frame.y[0], Math.min(frame.y[1], v)));
  return {
    plot: p,
    at: (k) => [x[k], y[k]],
    draw(state) {
      p.frame(frame);
      const largest = Math.max(...state.weights.map(Math.abs)) || 1;
      const radius = (i) => 1.8 + 6 * Math.sqrt(Math.abs(state.weights[i]) / largest);
      positive(x, y, radius, (i) => state.weights[i] >= 0);
      negative(x, y, radius, (i) => state.weights[i] < 0);
      smoother(x, inside(state.smoother));
      line(x, inside(state.fitted));
      upright(x[state.query]);
      diamond(x[state.query], inside([state.prediction])[0]);
    },
  };
}

function weightsPanel(view, problem) {
  const box = view.panel("weights", {
    title: "One row of weights: who is heard by the query",
    wide: true,
    legend: [
      ["positive", "dot", "positive weight"],
      ["negative", "dot", "negative weight"],
      ["neutral", "dashed", "1/n: uniform attention"],
      ["query", "diamond", "the query, on itself"],
    ],
  });
  const p = plot(view.host(box), { label: "Weights", xLabel: problem.x_label, yLabel: "weight", height: 220 });
  const uniform = p.line("neutral", { dashed: true });
  const [positive, negative] = [p.dots("positive"), p.dots("negative")];
  const [upright, diamond] = [p.marker("query", "upright"), p.marker("query")];
  const { x, n } = problem;
  return {
    plot: p,
    at: (k, state) => [x[k], state.weights[k]],
    draw(state) {
      const [low, high] = outward([Math.min(0, ...state.weights), Math.max(1.5 / n, ...state.weights)]);
      p.frame({ x: padded(x), y: [Math.min(low, -0.04 * high), high] });
      uniform(padded(x), [1 / n, 1 / n]);
      positive(x, state.weights, 3.2, (i) => state.weights[i] >= 0);
      negative(x, state.weights, 3.2, (i) => state.weights[i] < 0);
      upright(x[state.query]);
      diamond(x[state.query], state.weights[state.query]);
    },
  };
}

// ---- the explorer --------------------------------------------------------------------------------------------------

const KERNELS = [
  ["softmax", "softmax of inner products"],
  ["gaussian", "Gaussian, of distances"],
  ["relu", "ReLU, normalised"],
  ["elu", "ELU, normalised"],
  ["nearest", "k nearest neighbours"],
  ["identity", "identity: least squares"],
];
const STEPS = 200; // of the temperature's logarithmic slider

function kernelControls(view, problem) {
  const { n, labels } = problem;
  const inUse = (kernels) => (kernels.includes(view.model.get("kernel")) ? "" : " (not in use)");
  select(view, "kernel", { label: "Kernel", options: KERNELS });
  slider(view, "temperature", {
    label: "Temperature T",
    min: 0,
    max: STEPS,
    position: (t) => (Math.log10(t / 1e-3) / 5) * STEPS,
    value: (place) => 1e-3 * 10 ** ((5 * place) / STEPS),
    text: (t) => formatNumber(t) + inUse(["softmax", "gaussian", "elu"]),
  });
  slider(view, "query", { label: "Query observation", min: 0, max: n - 1, text: (k) => isolate(labels[k]) });
  if (n > 2) slider(view, "neighbours", { label: "Neighbours k", min: 1, max: n - 1, text: (k) => k + inUse(["nearest"]) });
  checkbox(view, "include_self", { label: "include self" });
  checkbox(view, "normalise_keys", { label: "normalise keys to one length" });
}

function kernelNumbers(view, { labels, y, n }) {
  const kinds = [["prediction", "prediction"], ["observed", "observed"], ["own", "weight on itself"], ["total", "sum of weights"], ["error", "error over all observations"]]; // prettier-ignore
  const printers = kinds.map(([key, words]) => [key, output(view, key, words)]);
  const who = element("strong");
  const rest = element("span");
  view.live.append(who, rest);
  return (state) => {
    for (const [key, print] of printers) print(formatNumber(key === "observed" ? y[state.query] : Number(state[key].toPrecision(12))));
    const below = state.weights.reduce((count, weight) => count + (weight < 0), 0);
    const above = state.weights.reduce((count, weight) => count + (weight > 1 / n), 0);
    who.textContent = isolate(labels[state.query]);
    const negative = below ? `${below} of ${n} are heard upside down` : "nobody is heard upside down";
    rest.textContent = ` hears ${above} of ${n} observations more than evenly; ${negative}.`;
  };
}

function kernelReading({ labels, x, y, x_label, y_label }, state, k) {
  return (
    `${isolate(labels[k])}: weight ${formatNumber(state.weights[k])}\n` +
    `${isolate(x_label)}: ${formatNumber(x[k])}\n${isolate(y_label)}: ${formatNumber(y[k])}`
  );
}

function render({ model, el }) {
  const view = explorer({ model, el, name: "KernelExplorer" });
  const problem = kernelProblem(model.get("data"));
  kernelControls(view, problem);
  const print = kernelNumbers(view, problem);
  const panels = [curvePanel(view, problem), weightsPanel(view, problem)];
  let now = null;
  const cursors = panels.map(({ plot: p, at }) =>
    cursor(p, {
      count: () => problem.n,
      at: (k) => at(k, now),
      text: (k) => kernelReading(problem, now, k),
      moved: (k) => cursors.forEach((other) => other.show(k)),
      pick: (k) => view.set({ query: k }),
      start: () => now.query,
      signal: view.signal,
    }),
  );
  const traits = ["kernel", "temperature", "neighbours", "include_self", "normalise_keys", "query"];
  view.start({
    traits,
    compute: () => (now = kernelState(problem, Object.fromEntries(traits.map((name) => [name, model.get(name)])))),
    draw(state) {
      print(state);
      for (const panel of panels) {
        if (!panel.plot.measure()) continue;
        panel.plot.speak(`for ${isolate(problem.labels[state.query])}; arrow keys read the observations, Enter makes one the query`);
        panel.draw(state);
      }
      for (const each of cursors) each.redraw();
    },
    result: (state) => ({
      weights: Array.from(state.weights),
      total: state.total,
      own: state.own,
      prediction: state.prediction,
      fitted: Array.from(state.fitted),
      error: state.error,
      smoother: Array.from(state.smoother),
    }),
  });
  return view.done;
}

export default { render };
