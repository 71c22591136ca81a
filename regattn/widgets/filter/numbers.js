// The numbers behind the FilterExplorer, pure: the filter of a level that may have a slope and an acceleration.
import { dot, sum } from "../_numbers/maths.js";

const TRANSITION = [[1, 1, 0.5], [0, 1, 1], [0, 0, 1]]; // prettier-ignore
const KNOWN = 1e-10; // a variance of the diffuse part below this is rounding: the start is known

const corner = (n) => Array.from({ length: n }, () => new Float64Array(n));

// T P T', for the upper left corner of the transition.
function forward(P) {
  const n = P.length;
  const [left, both] = [corner(n), corner(n)];
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) for (let k = i; k < n; k++) left[i][j] += TRANSITION[i][k] * P[k][j];
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) for (let k = j; k < n; k++) both[i][j] += left[i][k] * TRANSITION[j][k];
  return both;
}

// How much each state moves with the surprise at each date. The noise has variance one, the states those given; the
// start is diffuse, exactly: `wide` is what multiplies an infinite variance (Durbin and Koopman, section 5.2).
export function gains(variances, dates) {
  const n = variances.length;
  let [P, wide] = [corner(n), corner(n)];
  for (let i = 0; i < n; i++) wide[i][i] = 1;
  const found = [];
  for (let t = 0; t < dates; t++) {
    const spread = P[0][0] + 1;
    const infinite = wide[0][0] > KNOWN ? wide[0][0] : 0;
    const K = Float64Array.from({ length: n }, (_, i) => (infinite ? wide[i][0] / infinite : P[i][0] / spread));
    found.push(K);
    const [first, top] = [Float64Array.from(P[0]), Float64Array.from(wide[0])];
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        P[i][j] -= K[i] * first[j];
        if (infinite) P[i][j] += K[j] * (K[i] * spread - first[i]);
        wide[i][j] = infinite ? wide[i][j] - K[i] * top[j] : 0;
      }
    }
    P = forward(P);
    if (infinite) wide = forward(wide);
    for (let i = 0; i < n; i++) P[i][i] += variances[i];
  }
  return found;
}

const ahead = (state) => state.map((_, i) => dot(TRANSITION[i], state, state.length));

// The level that the filter sees at every date.
export function levels(K, y) {
  let state = K[0].map(() => 0);
  return K.map((gain, t) => {
    const expected = t ? ahead(state) : state;
    state = expected.map((value, i) => value + gain[i] * (y[t] - expected[0]));
    return state[0];
  });
}

// The weights of all dates up to `last` in the level seen there: back in time, date by date.
export function causalRow(K, last) {
  const weights = new Float64Array(last + 1);
  const row = K[0].map((_, i) => Number(i === 0)); // the level; then what is left of each earlier state in it
  for (let t = last; t >= 0; t--) {
    weights[t] = dot(row, K[t]);
    row[0] -= weights[t];
    for (let j = row.length - 1; j > 0; j--) for (let i = 0; i < j; i++) row[j] += row[i] * TRANSITION[i][j];
  }
  return weights;
}

// Everything shown for one setting of the controls.
export function filterState({ y, first }, { layers, level, slope, acceleration, query }) {
  const K = gains([level, slope, acceleration].slice(0, layers), y.length);
  const at = query + first;
  const weights = causalRow(K, at);
  const seen = levels(K, y);
  const negative = weights.filter((weight) => weight < 0);
  return {
    at, layers, weights, query, // prettier-ignore
    levels: seen,
    prediction: seen[at],
    observed: y[at],
    own: weights[at],
    negative: sum(negative),
    moments: [sum(weights), sum(weights.map((weight, t) => weight * (at - t)))],
  };
}
