// Attention trained on many small regressions, as in regattn/regression/_context_training.py: the same tasks, the same
// gradients written out by hand, the same steps. A matrix is one array, row by row.
import { dot, mulberry32 } from "../_numbers/maths.js";

export const START = 0; // streams of chance
const DESIGN = 1;
export const TEST = 2;
export const TRAIN = 3;
export const heads = ({ attention }) => ({ softmax: 1, pair: 2 })[attention] ?? 0;

// Standard normal numbers `first` (which is even) and after of a stream: Box and Muller.
export function normals(seed, stream, first, count) {
  const begin = Math.imul(seed, 0x9e3779b1) + Math.imul(stream, 0x85ebca6b);
  const uniform = mulberry32((begin + Math.imul(first, 0x6d2b79f5)) | 0);
  const out = new Float64Array(count + (count % 2));
  for (let k = 0; k < count; k += 2) {
    const length = Math.sqrt(-2 * Math.log(1 - uniform()));
    const angle = 2 * Math.PI * uniform();
    out[k] = length * Math.cos(angle);
    out[k + 1] = length * Math.sin(angle);
  }
  return out.subarray(0, count);
}

// a b for a (n × k) and b (k × m); "turned" reads the one or the other as its transpose.
export function times(a, b, n, k, m, turned = "") {
  const out = new Array(n * m); // of so few numbers it is made faster than a typed array
  const [first, second] = [turned === "first", turned === "second"];
  for (let i = 0, at = 0; i < n; i++) {
    for (let j = 0; j < m; j++, at++) {
      let total = 0;
      if (first) for (let l = 0, x = i, y = j; l < k; l++, x += n, y += m) total += a[x] * b[y];
      else if (second) for (let l = 0, x = i * k, y = j * k; l < k; l++, x++, y++) total += a[x] * b[y];
      else for (let l = 0, x = i * k, y = j; l < k; l++, x++, y += m) total += a[x] * b[y];
      out[at] = total;
    }
  }
  return out;
}

function add(a, b, scale = 1) {
  for (let k = 0; k < a.length; k++) a[k] += scale * b[k];
  return a;
}

function scaled(a, factor) {
  for (let k = 0; k < a.length; k++) a[k] *= factor;
  return a;
}

export function identity(p, scale = 1) {
  const out = new Array(p * p).fill(0);
  for (let k = 0; k < out.length; k += p + 1) out[k] = scale;
  return out;
}

// The inverse of a symmetric positive definite matrix, by Gauss and Jordan.
export function inverse(matrix, p) {
  const [left, right] = [matrix.slice(), identity(p)];
  for (let k = 0; k < p; k++) {
    const pivot = left[k * p + k];
    for (let j = 0; j < p; j++) [left[k * p + j], right[k * p + j]] = [left[k * p + j] / pivot, right[k * p + j] / pivot];
    for (let i = 0; i < p; i++) {
      const factor = left[i * p + k];
      for (let j = 0; j < p && i !== k; j++) {
        left[i * p + j] -= factor * left[k * p + j];
        right[i * p + j] -= factor * right[k * p + j];
      }
    }
  }
  return right;
}

// Give rows of p independent numbers the covariance C.
function mixed(plain, p, rho) {
  const rows = Float64Array.from(plain);
  for (let k = 0; k < rows.length; k++) if (k % p) rows[k] = rho * rows[k - 1] + Math.sqrt(1 - rho ** 2) * plain[k];
  return rows;
}

// Batch `at` of a stream: tasks { X, ys, queries, goals }, with an outcome y for each scale of the noise.
export function tasksOf(settings, stream, at, count, m, scales = [1]) {
  const { design, dimension: p, context: n, noise, seed, correlation, target } = settings;
  const fixed = design === "fixed";
  const each = fixed ? p + n : n * p + p + n + m * p + m;
  const drawn = normals(seed, stream, at * (count * each + ((count * each) % 2)), count * each);
  const same = fixed && mixed(normals(seed, DESIGN, 0, n * p), p, correlation);
  return Array.from({ length: count }, (_, b) => {
    let place = b * each;
    const next = (size) => drawn.subarray(place, (place += size));
    const [beta, e] = [next(p), next(n)];
    const X = same || mixed(next(n * p), p, correlation);
    const queries = same || mixed(next(m * p), p, correlation);
    const fit = times(X, beta, n, p, 1);
    const goals = times(queries, beta, queries.length / p, p, 1);
    if (stream === TRAIN && target === "noisy") add(goals, fixed ? e : next(m), noise);
    return { X, ys: scales.map((scale) => add(fit.slice(), e, scale * noise)), queries, goals };
  });
}

const part = (theta, k, size) => theta.subarray(k * size, (k + 1) * size);

// The matrices A and Gamma of every layer, or where their gradients go; Gamma is null where keys stay.
function layersOf({ attention, tied, depth, dimension: p }, theta) {
  const half = theta.subarray(theta.length / 2);
  return Array.from({ length: depth }, (_, l) => {
    const k = tied ? 0 : l;
    return { A: part(theta, k, p * p), Gamma: attention === "plus" ? part(half, k, p * p) : null };
  });
}

function softmaxRows(scores, n) {
  for (let row = 0; row < scores.length; row += n) {
    let [top, total] = [-Infinity, 0];
    for (let i = row; i < row + n; i++) top = Math.max(top, scores[i]);
    for (let i = row; i < row + n; i++) total += scores[i] = Math.exp(scores[i] - top);
    for (let i = row; i < row + n; i++) scores[i] /= total;
  }
  return scores;
}

function headRows(theta, h, { X, queries }, p) {
  const asked = times(queries, part(theta, h, p * p), queries.length / p, p, p);
  return softmaxRows(times(asked, X, queries.length / p, p, X.length / p, "second"), X.length / p);
}

// X'X/n of a task, kept with it.
export function gram(task, p, n) {
  task.G ??= scaled(times(task.X, task.X, p, n, p, "first"), 1 / n);
  return task.G;
}

// P with w = Pz after the last layer of linear attention; for heads of softmax Σ v Ω, of which it does the work.
export function effective(settings, theta, task) {
  const { dimension: p, context: n } = settings;
  let P = new Array(p * p).fill(0);
  for (let h = 0; h < heads(settings); h++) add(P, part(theta, h, p * p), theta[heads(settings) * p * p + h]);
  if (heads(settings)) return P;
  const square = (a, b, turned) => times(a, b, p, p, p, turned);
  const G = gram(task, p, n);
  let T = identity(p);
  layersOf(settings, theta).forEach(({ A, Gamma }, l, all) => {
    const rest = add(identity(p), square(G, P), -1);
    P = add(square(square(T, A), square(T, rest, "first")), P);
    if (Gamma && l < all.length - 1) T = add(T, square(square(T, Gamma), square(T, square(G, T), "first")), -1);
  });
  return P;
}

// The weight of every context row in every answer (m × n).
export function weightsOf(settings, theta, task) {
  const { dimension: p, context: n } = settings;
  const m = task.queries.length / p;
  if (!heads(settings)) {
    const asked = times(task.queries, effective(settings, theta, task), m, p, p);
    return scaled(times(asked, task.X, m, p, n, "second"), 1 / n);
  }
  const out = new Float64Array(m * n);
  for (let h = 0; h < heads(settings); h++) add(out, headRows(theta, h, task, p), theta[heads(settings) * p * p + h]);
  return out;
}

// Linear layers on one task: its squared errors, and what it adds to the gradient (`scale` times).
function layersOnTask({ dimension: p, context: n }, layers, task, slopes, scale) {
  const { X, ys: [y], queries, goals } = task; // prettier-ignore
  const square = (a, b, turned) => times(a, b, p, p, p, turned);
  const on = (a, v, turned) => times(a, v, p, p, 1, turned);
  const outer = (v, u) => times(v, u, p, 1, p);
  const G = gram(task, p, n);
  const z = scaled(times(X, y, p, n, 1, "first"), 1 / n);
  let [T, w] = [identity(p), new Array(p).fill(0)];
  const way = layers.map(({ A, Gamma }, l) => {
    const moves = Gamma && l < layers.length - 1; // nobody sees where the last layer would move keys
    const rest = add(scaled(on(G, w), -1), z);
    const u = on(T, rest, "first");
    const seen = { T, rest, u, S: moves && square(T, square(G, T), "first") };
    w = add(on(T, on(A, u)), w);
    if (moves) T = add(T.slice(), square(square(T, Gamma), seen.S), -1);
    return seen;
  });
  const error = add(times(queries, w, goals.length, p, 1), goals, -1);
  const missed = dot(error, error);
  if (!slopes) return missed;
  const dw = scaled(times(queries, error, p, goals.length, 1, "first"), scale);
  const dT = new Array(p * p).fill(0);
  for (let l = layers.length - 1; l >= 0; l--) {
    const [{ T, rest, u, S }, { A, Gamma }] = [way[l], layers[l]];
    const back = on(T, dw, "first");
    const du = on(A, back, "first");
    add(slopes[l].A, outer(back, u));
    if (S) {
      const moved = square(T, dT, "first");
      add(slopes[l].Gamma, square(moved, S), -1);
      const dS = square(Gamma, moved, "first");
      const both = dS.slice();
      for (let k = 0; k < both.length; k++) both[k] += dS[(k % p) * p + Math.floor(k / p)];
      add(dT, square(square(dT, S), Gamma, "second"), -1);
      add(dT, square(square(G, T), both), -1);
    }
    if (Gamma) add(add(dT, outer(dw, on(A, u))), outer(rest, du));
    add(dw, on(G, on(T, du)), -1);
  }
  return missed;
}

// Heads of softmax attention on one task.
function headsOnTask(settings, theta, task, slope, scale) {
  const { dimension: p, context: n } = settings;
  const { X, ys: [y], queries, goals } = task; // prettier-ignore
  const [m, first] = [goals.length, heads(settings) * p * p];
  const rows = Array.from({ length: heads(settings) }, (_, h) => headRows(theta, h, task, p));
  const answers = rows.map((a) => times(a, y, m, n, 1));
  const error = scaled(goals.slice(), -1);
  answers.forEach((o, h) => add(error, o, theta[first + h]));
  const missed = dot(error, error);
  if (!slope) return missed;
  rows.forEach((a, h) => {
    const o = answers[h];
    for (let j = 0; j < m; j++) {
      const pull = scale * error[j];
      slope[first + h] += pull * o[j];
      for (let i = 0; i < n; i++) a[j * n + i] *= theta[first + h] * pull * (y[i] - o[j]);
    }
    add(part(slope, h, p * p), times(queries, times(a, X, m, n, p), p, m, p, "first"));
  });
  return missed;
}

// The mean squared error over tasks and queries; its gradient is written into `slope`, if that is given.
export function lossOf(settings, theta, tasks, slope = null) {
  const size = tasks.length * tasks[0].goals.length;
  const parts = (numbers) => (heads(settings) ? numbers : layersOf(settings, numbers));
  const [own, slopes, onTask] = [parts(theta), slope && parts(slope), heads(settings) ? headsOnTask : layersOnTask];
  return tasks.reduce((total, task) => total + onTask(settings, own, task, slopes, 2 / size), 0) / size;
}
