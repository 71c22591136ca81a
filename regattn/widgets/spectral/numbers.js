// The numbers behind the SpectralExplorer, pure: ω_ji = 1/n + Σ_{k≤L} F_jk F_ik s_k²/(s_k²+λ).
import { dot, effectiveDof, mean, multiply, norm, rootMeanSquare } from "../_numbers/maths.js";
import { runningSum, spectralFilter, spectralWeights, triangularRotation } from "../_numbers/maths.js";

// What does not change while controls move.
export function spectralProblem(data) {
  const rows = (matrix) => matrix.map((row) => Float64Array.from(row));
  const scores = rows(data.scores);
  const level = mean(data.y);
  const n = scores.length;
  const s = Float64Array.from(data.singular_values);
  const content = s.map((_, k) => scores.reduce((total, row, i) => total + row[k] * (data.y[i] - level), 0));
  return {
    ...data, scores, test_scores: rows(data.test_scores), s, n, level, content,
    all: [...scores, ...rows(data.test_scores)],
    names: [...data.labels, ...data.labels_test],
    targets: [...data.y, ...(data.y_test ?? data.labels_test.map(() => null))],
  };
}

// Errors and degrees of freedom of the whole fit; each error is a root mean square, null where it does not exist.
export function spectralErrors(problem, kept) {
  const { scores, test_scores, y, y_test, n, level, content } = problem;
  const slopes = kept.map((share, k) => share * content[k]);
  const size = kept.length;
  const residuals = scores.map((row, i) => y[i] - level - dot(slopes, row, size));
  let determined = true;
  const alone = scores.map((row, i) => {
    let leverage = 1 / n;
    for (let k = 0; k < size; k++) leverage += kept[k] * row[k] * row[k];
    if (leverage > 1 - 1e-10) determined = false;
    return residuals[i] / (1 - leverage);
  });
  return {
    dof: effectiveDof(kept, 1),
    train_error: rootMeanSquare(residuals),
    loo_error: determined ? rootMeanSquare(alone) : null,
    test_error: y_test ? rootMeanSquare(test_scores.map((row, j) => y_test[j] - level - dot(slopes, row, size))) : null,
  };
}

// What observation i adds to the mean: its weight beyond an equal share, times the distance of its target from the mean.
export const addedBy = ({ n, y, level }, weight, i) => (weight - 1 / n) * (y[i] - level);

// Where the largest weight stands, and the smallest.
export function extremes(weights) {
  let [most, least] = [0, 0];
  weights.forEach((weight, i) => {
    if (weight > weights[most]) most = i;
    if (weight < weights[least]) least = i;
  });
  return [most, least];
}

// How far the code of a row is from the query's, squared.
export const squaredDistance = ({ all }, { kept, query }, row) =>
  kept.reduce((total, share, j) => total + share * (row[j] - all[query][j]) ** 2, 0);

// The place of training row k by weight, the highest first, and by the distance of its code from the query's.
export function ranks(problem, state, k) {
  const { scores } = problem;
  const away = (row) => squaredDistance(problem, state, row);
  const own = away(scores[k]);
  const before = (wanted) => 1 + scores.reduce((count, row, i) => count + (i !== k && wanted(row, i) ? 1 : 0), 0);
  return { heavy: before((_, i) => state.weights[i] > state.weights[k]), near: before((row) => away(row) < own) };
}

// Scales and cosines of whatever is as far from the query as training row k, up to a largest scale: |F_i| = scale / |F_j|
// in |F_j − F_i|² = |F_j|² + |F_i|² − 2 scale cosine.
export function equallyNear(problem, state, k, most, steps = 120) {
  const away = squaredDistance(problem, state, problem.scores[k]);
  const size = Math.sqrt(state.kept.reduce((total, share, j) => total + share * problem.all[state.query][j] ** 2, 0));
  const [from, to] = [-1, 1].map((way) => size * Math.abs(size + way * Math.sqrt(away)));
  if (!(size > 0 && away > 0) || from >= most) return [[], []];
  const xs = Array.from({ length: steps + 1 }, (_, step) => from + ((Math.min(to, most) - from) * step) / steps);
  const cosine = (x) => (x > 0 ? (size ** 2 + (x / size) ** 2 - away) / (2 * x) : 0);
  return [xs, xs.map((x) => Math.max(-1, Math.min(1, cosine(x))))];
}

// Everything shown for one setting of the controls.
export function spectralState(problem, { ridge, rank, query }) {
  const { scores, all, s, n } = problem;
  const kept = spectralFilter(s, ridge, rank);
  const asks = all[query];
  const weights = spectralWeights(scores, asks, kept, 1 / n);
  const length = (row) => Math.sqrt(kept.reduce((total, share, k) => total + share * row[k] * row[k], 0));
  const own = length(asks);
  const scale = Float64Array.from(scores, (row) => own * length(row));
  const products = spectralWeights(scores, asks, kept);
  const cosine = scale.map((size, i) => (size > 0 ? Math.max(-1, Math.min(1, products[i] / size)) : 0));
  const sums = runningSum(weights.map((weight, i) => addedBy(problem, weight, i))).map((total) => problem.level + total);
  const prediction = problem.level + dot(kept.map((share, k) => share * problem.content[k]), asks, s.length);
  return { ridge, rank, query, kept, weights, scale, cosine, sums, prediction, ...spectralErrors(problem, kept) };
}

// Bounds for every λ and L of one query. The filter falls from direction to direction, so (Abel) a filtered sum lies
// between the smallest and the largest of its unfiltered partial sums: trying every L at λ = 0 is enough.
function spectralBounds(problem, query) {
  const { scores, all, s, n, level } = problem;
  const asks = all[query];
  const bounds = { weight: [0, 1 / n], sum: [Math.min(0, level), Math.max(0, level)], scale: 0 };
  const widen = (range, value) => {
    range[0] = Math.min(range[0], value);
    range[1] = Math.max(range[1], value);
  };
  for (let rank = 0; rank <= s.length; rank++) {
    let total = level;
    scores.forEach((row, i) => {
      const weight = 1 / n + dot(asks, row, rank);
      total += addedBy(problem, weight, i);
      widen(bounds.weight, weight);
      widen(bounds.sum, total);
    });
  }
  if (Number.isFinite(problem.targets[query])) widen(bounds.sum, problem.targets[query]);
  bounds.scale = norm(asks) * Math.max(...scores.map((row) => norm(row)));
  return bounds;
}

// The bounds of two queries together.
const joined = (one, other) => ({
  weight: [Math.min(one.weight[0], other.weight[0]), Math.max(one.weight[1], other.weight[1])],
  sum: [Math.min(one.sum[0], other.sum[0]), Math.max(one.sum[1], other.sum[1])],
  scale: Math.max(one.scale, other.scale),
});

// What one query keeps while λ and L move: the weights of least squares, and its bounds, which are no narrower than those
// of the query at the start: what is small beside it looks small.
export function spectralOfQuery(problem, query, start = query) {
  const { scores, all, s, n } = problem;
  const unshrunk = spectralWeights(scores, all[query], spectralFilter(s, 0, s.length), 1 / n);
  return { bounds: joined(spectralBounds(problem, query), spectralBounds(problem, start)), unshrunk };
}

// Codes F = XW of all rows for a root W of Ω, at least two columns wide.
export function spectralCodes(problem, { kept, rank, ridge }, root, angle) {
  const wide = Math.max(2, rank);
  const half = kept.map(Math.sqrt);
  const vector = (length, entry) => Float64Array.from({ length }, (_, k) => entry(k));
  const codes = problem.all.map((row) => vector(wide, (k) => (k < rank ? row[k] * half[k] : 0)));
  let turn = null;
  if (root === "cholesky") {
    const lengths = problem.s.map((s) => Math.hypot(s, Math.sqrt(ridge)));
    turn = triangularRotation(problem.directions.map((row) => vector(rank, (k) => row[k] / lengths[k])));
    if (rank === 1) turn = [[turn[0][0], 0], [0, 1]];
  } else if (root === "rotated") {
    const [c, d] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
    turn = Array.from({ length: wide }, (_, i) => Array.from({ length: wide }, (_, j) => Number(i === j)));
    [turn[0][0], turn[0][1], turn[1][0], turn[1][1]] = [c, d, -d, c];
  }
  return turn ? multiply(codes, turn) : codes;
}
