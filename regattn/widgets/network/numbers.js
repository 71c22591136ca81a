// Networks of two inputs for a yes or a no: forward, backward and the loss, as in regattn/regression/classification.py.
import { ACTIVATIONS } from "../_numbers/activations.js";
import { mulberry32 } from "../_numbers/maths.js";

export const sigmoid = (z) => 1 / (1 + Math.exp(-z));

// Inputs, units of the hidden layers, output.
export function networkSizes({ units_1, units_2 }) {
  if (!units_1) return [2, 1];
  return units_2 ? [2, units_1, units_2, 1] : [2, units_1, 1];
}

// Parameters of a new network: weights row by row, then biases, layer by layer.
export function newNetwork(settings, gains) {
  const uniform = mulberry32(settings.seed);
  const sizes = networkSizes(settings);
  const found = [];
  for (let k = 1; k < sizes.length; k++) {
    const reach = Math.sqrt((3 * (gains[settings.activation] ?? 1)) / sizes[k - 1]);
    for (let i = 0; i < sizes[k] * sizes[k - 1]; i++) found.push((2 * uniform() - 1) * reach);
    for (let i = 0; i < sizes[k]; i++) found.push(0);
  }
  return Float64Array.from(found);
}

// The columns of rows that stand one after another.
function columnsOf(rows, width) {
  const n = rows.length / width;
  const found = new Float64Array(rows.length);
  for (let j = 0; j < width; j++) for (let i = 0; i < n; i++) found[j * n + i] = rows[i * width + j];
  return found;
}

// The sums z of every layer and what each layer took in, unit by unit, for inputs of two columns, one row after another.
export function feed(sizes, theta, activation, inputs) {
  const [bend] = ACTIVATIONS[activation];
  const n = inputs.length / 2;
  const [sums, taken] = [[], [columnsOf(inputs, 2)]];
  let place = 0;
  for (let k = 1; k < sizes.length; k++) {
    const [into, out] = [sizes[k - 1], sizes[k]];
    const z = new Float64Array(n * out);
    for (let u = 0; u < out; u++) {
      z.fill(theta[place + into * out + u], u * n, (u + 1) * n);
      addColumns(z, u, theta, place + u * into, 1, into, taken[k - 1], n);
    }
    sums.push(z);
    place += (into + 1) * out;
    if (k === sizes.length - 1) break;
    taken.push(new Float64Array(z.length));
    for (let at = 0; at < z.length; at++) taken[k][at] = bend(z[at]);
  }
  return { sums, taken };
}

// Add to a column of n entries those of `count` others, each times its weight: from a place on, a stride apart.
function addColumns(to, column, weights, place, stride, count, from, n) {
  const start = column * n;
  for (let j = 0; j < count; j += 2) {
    const [v, w] = [weights[place + j * stride], j + 1 < count ? weights[place + (j + 1) * stride] : 0];
    const [one, two] = [j * n, (j + 1 < count ? j + 1 : j) * n]; // two at a time, so that the sum is fetched half as often
    for (let i = 0; i < n; i++) to[start + i] += v * from[one + i] + w * from[two + i];
  }
}

// The gradient of the cross-entropy, from the last layer back.
export function slopesOf(sizes, theta, activation, { sums, taken }, y) {
  const [, slope] = ACTIVATIONS[activation];
  const n = y.length;
  const found = new Float64Array(theta.length);
  let error = sums.at(-1).map((z, i) => (sigmoid(z) - y[i]) / n);
  let place = theta.length;
  for (let k = sizes.length - 1; k > 0; k--) {
    const [into, out, from] = [sizes[k - 1], sizes[k], taken[k - 1]];
    place -= (into + 1) * out;
    for (let u = 0; u < out; u++) {
      for (let j = 0; j < into; j++) found[place + u * into + j] = product(error, u * n, from, j * n, n);
      let total = 0;
      for (let i = 0; i < n; i++) total += error[u * n + i];
      found[place + into * out + u] = total;
    }
    if (k === 1) break;
    const before = new Float64Array(n * into);
    for (let j = 0; j < into; j++) addColumns(before, j, theta, place + j, into, out, error, n);
    for (let at = 0; at < before.length; at++) before[at] *= slope(sums[k - 2][at], from[at]);
    error = before;
  }
  return found;
}

// The inner product of n entries of two arrays from two places on, in four sums that need not wait for each other.
function product(a, from, b, first, n) {
  let p = 0;
  let q = 0;
  let r = 0;
  let s = 0;
  let i = 0;
  for (; i + 3 < n; i += 4) {
    p += a[from + i] * b[first + i];
    q += a[from + i + 1] * b[first + i + 1];
    r += a[from + i + 2] * b[first + i + 2];
    s += a[from + i + 3] * b[first + i + 3];
  }
  for (; i < n; i++) p += a[from + i] * b[first + i];
  return p + q + (r + s);
}

// The mean of log(1 + e^z) − yz, in the form that does not overflow.
export function crossEntropy(z, y) {
  let total = 0;
  for (let i = 0; i < y.length; i++) total += Math.max(z[i], 0) - y[i] * z[i] + Math.log1p(Math.exp(-Math.abs(z[i])));
  return total / y.length;
}

// The logits of a network for inputs.
export function logitsOf(settings, theta, inputs) {
  return feed(networkSizes(settings), theta, settings.activation, inputs).sums.at(-1);
}
