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

// The sums z of every layer and what each layer took in, for inputs of two columns, one row after another.
export function feed(sizes, theta, activation, inputs) {
  const [bend] = ACTIVATIONS[activation];
  const n = inputs.length / 2;
  const [sums, taken] = [[], [inputs]];
  let place = 0;
  for (let k = 1; k < sizes.length; k++) {
    const [into, out] = [sizes[k - 1], sizes[k]];
    const [from, z] = [taken[k - 1], new Float64Array(n * out)];
    const biases = place + into * out;
    for (let i = 0; i < n; i++) {
      for (let u = 0; u < out; u++) {
        let total = 0;
        for (let j = 0; j < into; j++) total += from[i * into + j] * theta[place + u * into + j];
        z[i * out + u] = total + theta[biases + u];
      }
    }
    sums.push(z);
    if (k < sizes.length - 1) taken.push(z.map(bend));
    place = biases + out;
  }
  return { sums, taken };
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
    place -= into * out + out;
    const before = new Float64Array(k > 1 ? n * into : 0);
    for (let i = 0; i < n; i++) {
      for (let u = 0; u < out; u++) {
        const e = error[i * out + u];
        for (let j = 0; j < into; j++) {
          found[place + u * into + j] += e * from[i * into + j];
          if (k > 1) before[i * into + j] += e * theta[place + u * into + j];
        }
        found[place + into * out + u] += e;
      }
    }
    if (k > 1) error = before.map((e, i) => e * slope(sums[k - 2][i], from[i]));
  }
  return found;
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
