// The numbers behind the MaskExplorer, pure: weights of an autoregression behind a mask, and what a shock moves.
import { orthonormal, pastColumns } from "../_numbers/past.js";
import { dot, mulberry32, softmax, sum } from "../_numbers/maths.js";

const STILL = 1e-9 / 6; // share of the width of the shocks (six standard deviations); what moves by less does not move
const MAY = { none: () => true, others: (i, t) => i !== t, causal: (i, t) => i <= t, own: (i, t) => i < t };

// The series with other values after the date that asks.
function shocked({ series, width, first }, draw, query) {
  if (!draw) return series;
  const uniform = mulberry32(draw);
  return series.map((value, t) => (t > query + first ? value + width * (uniform() - 0.5) : value));
}

// The row of the map of least squares that belongs to date t, Q q_t.
function hatRow(basis, t) {
  const row = new Float64Array(basis[0].length);
  for (const q of basis) for (let i = 0; i < row.length; i++) row[i] += q[t] * q[i];
  return row;
}

// The sum of the entries of a row that t may look at.
function allowed(row, t, may) {
  let total = 0;
  for (let i = 0; i < row.length; i++) if (may(i, t)) total += row[i];
  return total;
}

// A row of weights behind a mask. With Ω of its own a date's row is what is left, once the date itself is gone, of the
// regression up to it, and t dates are known.
function masked(row, t, { mask, kernel }) {
  const may = MAY[mask];
  const left = allowed(row, t, may);
  if (kernel === "identity") return row.map((weight, i) => (may(i, t) && left !== 0 ? weight / left : 0));
  const sharpness = mask === "own" ? t / left : row.length;
  let top = -Infinity;
  for (let i = 0; i < row.length; i++) if (may(i, t) && sharpness * row[i] > top) top = sharpness * row[i];
  const powers = row.map((weight, i) => (may(i, t) ? Math.exp(sharpness * weight - top) : 0));
  const total = sum(powers);
  return powers.map((power) => power / total);
}

// What the mask leaves of the sum of a row's weights, before it is divided by that.
function leftOf(row, t, { mask, kernel }) {
  if (mask === "own") return 1;
  return allowed(kernel === "identity" ? row : softmax(row.map((weight) => row.length * weight)), t, MAY[mask]);
}

// Every row, as it is and behind the mask, from the first date that can ask on.
function attention(problem, series, settings) {
  const { max_lag: lags, known, n } = problem;
  const columns = pastColumns({ series: series.map((value) => [value]) }, [0], lags, true);
  const whole = orthonormal(columns);
  return Array.from({ length: n - known }, (_, k) => {
    const t = k + known;
    const own = settings.mask === "own" && orthonormal(columns.map((column) => column.subarray(0, t + 1)));
    const row = hatRow(own || whole, t);
    return { row, weights: masked(row, t, settings) };
  });
}

const fittedBy = (rows, series, lags) => {
  const values = Float64Array.from(series.slice(lags));
  return rows.map(({ weights }) => dot(weights, values, weights.length));
};

export function maskProblem(data) {
  const { series, max_lag, known } = data;
  return { ...data, n: series.length - max_lag, first: known + max_lag, calm: new Map() };
}

// Everything shown for one setting of the controls.
export function maskState(problem, settings) {
  const { mask, kernel, query, shock } = settings;
  const { series, max_lag: lags, known, n, width, calm } = problem;
  const key = [mask, kernel].join();
  if (!calm.has(key)) {
    const rows = attention(problem, series, settings);
    calm.set(key, { rows, fitted: fittedBy(rows, series, lags) });
  }
  const { rows: before, fitted: old } = calm.get(key);
  const now = shocked(problem, shock, query);
  const rows = shock ? attention(problem, now, settings) : before;
  const fitted = shock ? fittedBy(rows, now, lags) : old;
  const weights = new Float64Array(n);
  weights.set(rows[query].weights);
  const row = query + known;
  const still = (step) => (step <= STILL * width ? 0 : step);
  const steps = Array.from({ length: query + 1 }, (_, k) => still(Math.abs(fitted[k] - old[k])));
  const size = sum(weights.map(Math.abs));
  return {
    ...settings, row, weights, fitted, before: old, values: now.slice(lags), // prettier-ignore
    prediction: fitted[query],
    observed: series[row + lags],
    left: leftOf(rows[query].row, row, settings),
    ahead: size ? sum(weights.subarray(row + 1).map(Math.abs)) / size : 0,
    moved: Math.max(...steps),
    how_many: steps.filter((step) => step > 0).length,
  };
}
