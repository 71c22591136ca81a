// Pure functions: numbers in, numbers out. No DOM, no state.
// A matrix is an array of rows; a row is an ordinary or a typed array of numbers.

export function sum(a) {
  let total = 0;
  for (const value of a) total += value;
  return total;
}

export function mean(a) {
  return sum(a) / a.length;
}

export function dot(a, b, length = a.length) {
  let total = 0;
  for (let k = 0; k < length; k++) total += a[k] * b[k];
  return total;
}

export function norm(a, length = a.length) {
  return Math.sqrt(dot(a, a, length));
}

export function runningSum(a) {
  let total = 0;
  return Float64Array.from(a, (value) => (total += value));
}

export function rootMeanSquare(a) {
  return norm(a) / Math.sqrt(a.length);
}

// Softmax of a row of scores; the largest is taken off first, so scores of any size are safe.
export function softmax(scores) {
  let top = -Infinity;
  for (const score of scores) top = Math.max(top, score);
  const powers = Float64Array.from(scores, (score) => Math.exp(score - top));
  const total = sum(powers);
  return powers.map((power) => power / total);
}

// The share s_k²/(s_k² + λ) that a ridge penalty leaves of each direction; 0 beyond the first `rank` directions.
export function spectralFilter(singularValues, ridge, rank = singularValues.length) {
  return Float64Array.from(singularValues, (s, k) => (k < rank ? (s * s) / (s * s + ridge) : 0));
}

// Σ_k kept_k, plus `intercept` (0 or 1): the trace of the hat matrix.
export function effectiveDof(kept, intercept = 0) {
  return sum(kept) + intercept;
}

// ω_i = level + Σ_k kept_k q_k U_ik: the weight of every key for one query, from orthonormal scores.
export function spectralWeights(scores, query, kept, level = 0) {
  const filtered = Float64Array.from(kept, (share, k) => share * query[k]);
  return Float64Array.from(scores, (row) => level + dot(filtered, row, kept.length));
}

// An orthogonal Q (L × L) such that `root` (p × L, of rank L) times Q is lower triangular with a positive diagonal:
// then root Q is the Cholesky factor of root root'. Gram–Schmidt, twice over, on the rows of `root`; unit vectors
// after them complete Q when rounding has hidden a direction.
export function triangularRotation(root) {
  const size = root[0].length;
  const basis = [];
  const units = Array.from({ length: size }, (_, k) => Float64Array.from({ length: size }, (_, j) => Number(j === k)));
  for (const row of [...root, ...units]) {
    const rest = Float64Array.from(row);
    for (let pass = 0; pass < 2; pass++) {
      for (const known of basis) {
        const along = dot(known, rest);
        for (let k = 0; k < size; k++) rest[k] -= along * known[k];
      }
    }
    const left = norm(rest);
    if (left > 1e-9 * norm(row) && basis.length < size) basis.push(rest.map((value) => value / left));
  }
  return Array.from({ length: size }, (_, k) => basis.map((column) => column[k]));
}

// a · b for two matrices given as arrays of rows.
export function multiply(a, b) {
  return Array.from(a, (row) => {
    const out = new Float64Array(b[0].length);
    for (let k = 0; k < b.length; k++) {
      const [factor, other] = [row[k], b[k]];
      for (let j = 0; j < out.length; j++) out[j] += factor * other[j];
    }
    return out;
  });
}

// Eigenvalues of a symmetric matrix and its eigenvectors of length one, in no order, by Jacobi's rotations.
export function eigen(matrix) {
  const size = Math.max(...matrix.map((row) => row.reduce((most, value) => Math.max(most, Math.abs(value)), 0))) || 1;
  const left = matrix.map((row) => Float64Array.from(row, (value) => value / size));
  const vectors = left.map((_, k) => Float64Array.from(left, (_, i) => Number(i === k)));
  const turn = (a, b, cos, sin) => {
    for (let k = 0; k < a.length; k++) [a[k], b[k]] = [cos * a[k] - sin * b[k], sin * a[k] + cos * b[k]];
  };
  for (let sweep = 0, moved = true; moved && sweep < 60; sweep++) {
    moved = false;
    for (let p = 0; p < left.length; p++) {
      for (let q = p + 1; q < left.length; q++) {
        if (Math.abs(left[p][q]) < 1e-15) continue;
        moved = true;
        const slope = (left[q][q] - left[p][p]) / (2 * left[p][q]);
        const tan = (slope < 0 ? -1 : 1) / (Math.abs(slope) + Math.hypot(slope, 1));
        const cos = 1 / Math.hypot(tan, 1);
        turn(left[p], left[q], cos, tan * cos);
        for (const row of left) [row[p], row[q]] = [cos * row[p] - tan * cos * row[q], tan * cos * row[p] + cos * row[q]];
        left[p][q] = left[q][p] = 0;
        turn(vectors[p], vectors[q], cos, tan * cos);
      }
    }
  }
  return { values: left.map((row, k) => size * row[k]), vectors };
}

// Round numbers that cover [low, high] in about `count` steps.
export function niceTicks(low, high, count = 5) {
  const raw = (high - low) / Math.max(1, count) || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= raw * (1 - 1e-9));
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) ticks.push(k * step);
  return ticks;
}

// Equal ratios from `low` to `high` in `count` steps, at three significant digits; with `zero` one more place, the
// first, which is exactly 0.
export function logScale(low, high, count, zero = false) {
  const first = zero ? 1 : 0;
  const steps = count + first;
  const span = Math.log10(high / low);
  const inside = (value) => Math.max(low, Math.min(high, Number(value.toPrecision(3))));
  const place = (value) => first + (count * Math.log10(value / low)) / span;
  return {
    steps,
    value: (position) => (position < first ? 0 : inside(low * (high / low) ** ((position - first) / count))),
    position: (value) => (value <= 0 ? 0 : Math.max(first, Math.min(steps, place(value)))),
    decades: () => {
      const found = [];
      for (let d = Math.ceil(Math.log10(low) - 1e-9); d <= Math.log10(high) + 1e-9; d++) found.push(10 ** d);
      return found;
    },
  };
}

// The part of a segment inside a box {x: [low, high], y: [low, high]}, or null (Liang and Barsky).
export function clipSegment(from, to, box) {
  let [enter, leave] = [0, 1];
  for (const [axis, [low, high]] of [box.x, box.y].entries()) {
    const move = to[axis] - from[axis];
    for (const [reach, room] of [[-move, from[axis] - low], [move, high - from[axis]]]) { // prettier-ignore
      if (reach === 0 && room < 0) return null;
      if (reach < 0) enter = Math.max(enter, room / reach);
      if (reach > 0) leave = Math.min(leave, room / reach);
    }
  }
  if (enter > leave) return null;
  const at = (share) => [0, 1].map((axis) => from[axis] + share * (to[axis] - from[axis]));
  return [at(enter), at(leave)];
}

// A 32-bit generator of numbers in [0, 1), the same in _kit/page_rng.py. For pictures, not for statistics.
export function mulberry32(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

// The first of the largest; what rounding alone sets apart counts as equal.
export function firstLargest(values) {
  const bound = Math.max(...values) * (1 - 1e-9);
  return values.findIndex((value) => value >= bound);
}
