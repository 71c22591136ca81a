// Networks of two inputs for a yes or a no, step by step, as regattn/regression/classification.py takes them.
import { dealer } from "./dealing.js";
import { mulberry32 } from "./maths.js";

const LEAK = 0.01;
const logistic = (z) => 1 / (1 + Math.exp(-z));

// Each activation a(z) with its derivative, from z and a(z).
const BENDS = {
  tanh: [Math.tanh, (z, h) => 1 - h * h],
  relu: [(z) => Math.max(z, 0), (z) => (z > 0 ? 1 : 0)],
  leaky_relu: [(z) => (z > 0 ? z : LEAK * z), (z) => (z > 0 ? 1 : LEAK)],
  silu: [(z) => z * logistic(z), (z) => logistic(z) * (1 + z * (1 - logistic(z)))],
  identity: [(z) => z, () => 1],
};

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
  const [bend] = BENDS[activation];
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
function slopesOf(sizes, theta, activation, { sums, taken }, y) {
  const [, slope] = BENDS[activation];
  const n = y.length;
  const found = new Float64Array(theta.length);
  let error = sums.at(-1).map((z, i) => (logistic(z) - y[i]) / n);
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

// What the walker of play.js needs. The state is { theta, step, losses, held_out, diverged_at }; losses are kept every
// `every` steps. A step that would take the loss beyond the limit is not taken, and said.
export function networkTraining({ inputs, y, inputs_held_out, y_held_out, gains, growth_limit, every, steps }) {
  const n = y.length;
  const held = y_held_out.length > 0;
  let [dealtKey, dealt] = ["", []];
  const batchAt = (t, { batch_size, seed }) => {
    const key = `${batch_size} ${seed}`;
    if (key !== dealtKey) {
      const deal = dealer(n, batch_size, seed);
      [dealtKey, dealt] = [key, Array.from({ length: steps }, () => Uint32Array.from(deal()))];
    }
    return dealt[t];
  };
  let whole = { theta: null, fed: null }; // of the parameters that are current, so that no row is fed twice
  const feedAll = (theta, settings) => {
    if (whole.theta !== theta) whole = { theta, fed: feed(networkSizes(settings), theta, settings.activation, inputs) };
    return whole.fed;
  };
  const measure = (state, settings) => {
    state.losses.push(crossEntropy(feedAll(state.theta, settings).sums.at(-1), y));
    if (held) state.held_out.push(crossEntropy(logitsOf(settings, state.theta, inputs_held_out), y_held_out));
  };
  return {
    begin(settings) {
      const state = { theta: newNetwork(settings, gains), step: 0, limit: 0, losses: [], held_out: [], diverged_at: null };
      measure(state, settings);
      state.limit = growth_limit * Math.max(state.losses[0], Math.log(2));
      return state;
    },
    advance(state, settings) {
      const t = state.step++;
      if (state.diverged_at !== null) return;
      const { learning_rate, weight_decay, activation, batch_size } = settings;
      const sizes = networkSizes(settings);
      const { theta } = state;
      let [fed, outcomes] = [null, y];
      if (batch_size === n) fed = feedAll(theta, settings);
      else {
        const rows = batchAt(t, settings);
        const some = new Float64Array(2 * rows.length);
        rows.forEach((row, i) => some.set(inputs.subarray(2 * row, 2 * row + 2), 2 * i));
        outcomes = Float64Array.from(rows, (row) => y[row]);
        fed = feed(sizes, theta, activation, some);
      }
      const slopes = slopesOf(sizes, theta, activation, fed, outcomes);
      const next = new Float64Array(theta.length);
      let place = 0;
      for (let k = 1; k < sizes.length; k++) {
        const weights = sizes[k] * sizes[k - 1];
        for (let i = 0; i < weights + sizes[k]; i++, place++) {
          const decay = i < weights ? weight_decay * theta[place] : 0;
          next[place] = theta[place] - learning_rate * (slopes[place] + decay);
        }
      }
      const loss = crossEntropy(feedAll(next, settings).sums.at(-1), y);
      if (!(loss <= state.limit) || !next.every(Number.isFinite)) {
        state.diverged_at = state.step;
        return;
      }
      state.theta = next;
      if (state.step % every === 0) measure(state, settings);
    },
    keep: 50,
  };
}

// Where a function on a grid of columns × rows crosses a level: short segments, each in one cell.
export function crossings(values, xs, ys, level) {
  const found = [];
  const at = (i, j) => values[j * xs.length + i] - level;
  for (let j = 0; j + 1 < ys.length; j++) {
    for (let i = 0; i + 1 < xs.length; i++) {
      const above = (at(i, j) >= 0) + (at(i + 1, j) >= 0) + (at(i + 1, j + 1) >= 0) + (at(i, j + 1) >= 0);
      if (above === 0 || above === 4) continue; // most cells
      const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]]; // prettier-ignore
      const points = [];
      corners.forEach(([a, b], k) => {
        const [c, d] = corners[(k + 1) % 4];
        const [here, there] = [at(a, b), at(c, d)];
        if (here >= 0 === there >= 0) return;
        const share = here / (here - there);
        points.push([xs[a] + share * (xs[c] - xs[a]), ys[b] + share * (ys[d] - ys[b])]);
      });
      for (let k = 0; k + 1 < points.length; k += 2) found.push([points[k], points[k + 1]]);
    }
  }
  return found;
}
