// The numbers behind the KernelExplorer, pure: ω_ji = g(τ⟨F_j, F_i⟩) for every kernel g.
import { dot, norm, rootMeanSquare, sum } from "../_numbers/maths.js";
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
    ways: new Map(),
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

// 1/n + (ω − 1/n)/τ: what a hot softmax says beyond even weights, enlarged to the size that it has in least squares.
function amplifyInPlace(out, barred, temperature) {
  const even = 1 / (out.length - (barred >= 0));
  for (let i = 0; i < out.length; i++) if (i !== barred) out[i] = even + temperature * (out[i] - even);
}

// The weights of query j, written into `out`. Least squares stays what it is, whichever boxes are ticked.
function weigh(out, { plain, even }, j, { kernel, temperature, neighbours, include_self, normalise_keys, amplify }) {
  if (kernel === "identity") return scores(out, plain, j, false, 1 / plain.n);
  const barred = include_self ? -1 : j;
  const keys = normalise_keys ? even : plain;
  if (kernel === "nearest") return nearestInPlace(out, keys.nearestFirst()[j], barred, neighbours);
  scores(out, keys, j, kernel === "gaussian", kernel === "relu" ? 1 : 1 / temperature);
  if (kernel === "softmax" || kernel === "gaussian") softmaxInPlace(out, barred);
  else normaliseInPlace(out, barred, kernel === "elu" ? 1 : 0);
  if (kernel === "softmax" && amplify) amplifyInPlace(out, barred, temperature);
}

const KEPT = 16; // fits remembered, so that going back and forth between two settings costs nothing

// The prediction at every observation.
function fit(problem, { query, ...settings }) {
  const key = JSON.stringify(settings);
  if (problem.fits.has(key)) return problem.fits.get(key);
  const row = new Float64Array(problem.n);
  const fitted = Float64Array.from(problem.y, (_, j) => {
    weigh(row, problem, j, settings);
    return dot(row, problem.y);
  });
  if (problem.fits.size >= KEPT) problem.fits.delete(problem.fits.keys().next().value);
  problem.fits.set(key, fitted);
  return fitted;
}

const missOf = ({ y }, fitted) => rootMeanSquare(y.map((value, j) => value - fitted[j]));

// The error at each temperature of the way from hot to cold, and of these the part that lies behind the one chosen.
function cooledTo(problem, { query, temperature, ...settings }) {
  const { cooling, y, n } = problem;
  const key = JSON.stringify(settings);
  if (!problem.ways.has(key)) {
    if (problem.ways.size >= KEPT) problem.ways.delete(problem.ways.keys().next().value);
    const row = new Float64Array(n);
    const fitted = new Float64Array(n);
    problem.ways.set(key, cooling.map((at) => {
      for (let j = 0; j < n; j++) {
        weigh(row, problem, j, { ...settings, temperature: at });
        fitted[j] = dot(row, y);
      }
      return missOf(problem, fitted);
    })); // prettier-ignore
  }
  return problem.ways.get(key).filter((_, k) => cooling[k] >= temperature);
}

// Everything shown for one setting of the controls.
export function kernelState(problem, settings) {
  const { n } = problem;
  const { query } = settings;
  const weights = new Float64Array(n);
  weigh(weights, problem, query, settings);
  const fitted = fit(problem, settings);
  const line = fit(problem, { kernel: "identity" });
  return {
    ...settings, weights, fitted, // prettier-ignore
    smoother: fit(problem, { ...settings, kernel: "gaussian" }),
    total: sum(weights),
    own: weights[query],
    prediction: fitted[query],
    error: missOf(problem, fitted),
    cooled: cooledTo(problem, settings),
    gap: fitted.reduce((most, value, j) => Math.max(most, Math.abs(value - line[j])), 0),
  };
}
