// The training of a network, step by step, for the walker of play.js.
import { dealer } from "../_numbers/batches.js";
import { crossEntropy, feed, logitsOf, networkSizes, newNetwork, slopesOf } from "./numbers.js";

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
      const theta = newNetwork(settings, gains);
      const state = { theta, step: 0, limit: 0, losses: [], held_out: [], diverged_at: null };
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
