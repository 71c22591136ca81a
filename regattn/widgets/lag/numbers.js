// The numbers behind the LagExplorer, pure: Ŷ = A Y with A = X (X'X)⁻¹ X' = Q Q', where X holds the past of each date.
import { dot, rootMeanSquare, sum } from "../_numbers/maths.js";
import { orthonormal, pastColumns } from "../_numbers/past.js";

function fit(problem, { variables, max_lag: lags, intercept }) {
  const { series, sets } = problem;
  const basis = orthonormal(pastColumns(problem, sets[variables], lags, intercept));
  const n = series.length - lags;
  const values = Float64Array.from({ length: n }, (_, t) => series[t + lags][0]);
  const map = Array.from({ length: n }, () => new Float64Array(n));
  const fitted = new Float64Array(n);
  for (const q of basis) {
    const along = dot(q, values);
    for (let t = 0; t < n; t++) {
      const row = map[t];
      fitted[t] += along * q[t];
      for (let i = 0; i <= t; i++) row[i] += q[t] * q[i];
    }
  }
  for (let t = 0; t < n; t++) for (let i = 0; i < t; i++) map[i][t] = map[t][i]; // the map is symmetric
  const error = rootMeanSquare(values.map((value, t) => value - fitted[t]));
  return { n, lags, values, map, fitted, rank: basis.length, error };
}

const KEPT = 16; // fits remembered, so that going back and forth between two settings costs nothing

export function lagProblem(data) {
  const highest = data.series.reduce(([low, high], [value]) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
  return { ...data, highest, fits: new Map() };
}

// Whether the series had been rising when a date came: its last two values before it.
function rose({ series }, at) {
  return at > 1 && series[at - 1][0] > series[at - 2][0];
}

// Everything shown for one setting of the controls.
export function lagState(problem, settings) {
  const key = [settings.max_lag, settings.intercept, settings.variables].join();
  if (!problem.fits.has(key)) {
    if (problem.fits.size >= KEPT) problem.fits.delete(problem.fits.keys().next().value);
    problem.fits.set(key, fit(problem, settings));
  }
  const found = problem.fits.get(key);
  const row = settings.query + problem.longest - found.lags;
  const weights = found.map[row];
  const within = (t) => t >= problem.stretch[0] && t <= problem.stretch[1];
  return {
    ...settings, ...found, found, row, weights, // prettier-ignore
    contributions: weights.map((weight, i) => weight * found.values[i]),
    prediction: found.fitted[row],
    observed: found.values[row],
    total: sum(weights),
    rising: sum(weights.filter((_, i) => rose(problem, i + found.lags))),
    stretch: problem.stretch ? sum(weights.filter((_, i) => within(i + found.lags))) : undefined,
    own: weights[row],
  };
}
