// The walk of a training, pure and the same wherever it is taken: the state after any number of steps.
import { mulberry32 } from "../_numbers/maths.js";
import { drawOne } from "../_numbers/sampling.js";
import { firstWeights, makeModel } from "./model.js";
import { chanceAt } from "./tasks.js";

const SAYS = 7; // sets the chance of samples apart from that of batches
const sumOf = (shares, tokens) => tokens.reduce((sum, token) => sum + shares[token], 0);
const four = (n) => 4 * Math.ceil(n / 4);

// What takes a task's model through its steps. The state is { weights, moments, step, losses, learnt, samples, onMen }: losses on
// held-out text after every `every` steps, of a task with `own` rows those on text that is learned as well, samples of what it writes after every `says`;
// with a sentence that is `asked`, as often as a loss, how probable all men together are behind it.
export function makeTrainer(task, { width, n_heads, hidden, layers, steps, rise, every, says, asked, men, plain = false }) {
  const { texts: B, length: T } = task;
  const sizes = { vocabulary: task.vocabulary, width, n_heads, hidden, layers };
  const model = makeModel(sizes, { tokens: B * T, length: T, plain });
  let [step, losses, learnt, samples, onMen] = [0, [], [], [], []];

  function part(rows, from, count) {
    const [read, next] = [new Int32Array(count * T), new Int32Array(count * T)];
    for (let b = 0; b < count; b++) {
      const own = (from + b) * (T + 1);
      read.set(rows.subarray(own, own + T), b * T);
      next.set(rows.subarray(own + 1, own + T + 1), b * T);
    }
    return [read, next];
  }
  // The mean cost of the predictions in some rows, the held-out ones or some that are learned.
  function judged({ held, cost } = task) {
    const rows = held.length / (T + 1);
    let total = 0;
    for (let from = 0; from < rows; from += B) {
      const count = Math.min(B, rows - from);
      model.read(part(held, from, count)[0], count, T);
      for (let b = 0; b < count; b++) for (let t = 0; t < T; t++) total += cost(from + b, t, model.logShares(b * T + t));
    }
    return task.base + total / (rows * T);
  }
  function judge() {
    losses.push(judged());
    if (task.own) learnt.push(judged(task.own));
    if (asked) onMen.push(sumOf(self.ask(asked), men));
  }
  // Each token drawn, or without chance the likeliest.
  function written(uniform, begun = task.begin) {
    const tokens = [...begun];
    while (tokens.length < begun.length + task.longest - task.begin.length) {
      model.read([...tokens, ...new Array(four(tokens.length) - tokens.length).fill(0)], 1, four(tokens.length));
      const shares = model.logShares(tokens.length - 1);
      tokens.push(uniform ? drawOne(shares.map(Math.exp), uniform()) : shares.indexOf(Math.max(...shares)));
      if (tokens.at(-1) === task.end) break;
    }
    return tokens;
  }
  // Of a text both ways.
  function say(seed) {
    samples.push({ step, tokens: written(chanceAt(SAYS * seed, step)), ...(task.own && { likeliest: written(null) }) });
  }
  const self = {
    vectors: model.vectors,
    begin({ seed }) {
      model.load(firstWeights(sizes, mulberry32(seed)));
      [step, losses, learnt, samples, onMen] = [0, [], [], [], []];
      judge();
      say(seed);
      return self.state();
    },
    load(state) {
      model.load(state.weights, state.moments);
      [step, losses, learnt, samples, onMen] = [state.step, [...state.losses], [...state.learnt], [...state.samples], [...state.onMen]];
    },
    state: () => ({ weights: model.weights(), moments: model.moments(), step, losses: [...losses], learnt: [...learnt], samples: [...samples], onMen: [...onMen] }),
    step: () => step,
    advance({ seed, learning_rate }) {
      const [read, next] = part(task.batch(seed, step), 0, B);
      model.read(read, B, T);
      model.back(read, next, B, T);
      model.move(learning_rate * Math.min((step + 1) / rise, (steps - step) / (steps - rise)), step + 1);
      step += 1;
      if (step % every === 0) judge();
      if (step % says === 0) say(seed);
    },
    // The weights of one head on the tokens of the attention picture, row after row.
    look(head) {
      const n = task.looked.length;
      model.read(task.looked, 1, n);
      const [l, h] = [Math.floor((head - 1) / n_heads), (head - 1) % n_heads];
      const all = Array.from(model.headWeights(l, 0, h, n));
      return Array.from({ length: n }, (_, i) => all.slice(i * n, (i + 1) * n));
    },
    // The probabilities of the next word behind some tokens.
    ask(tokens) {
      model.read([...tokens, ...new Array(four(tokens.length) - tokens.length).fill(0)], 1, four(tokens.length));
      return Array.from(model.logShares(tokens.length - 1), Math.exp);
    },
    // What each token of the first held-out row costs, but for its first.
    costs() {
      model.read(part(task.held, 0, 1)[0], 1, T);
      return Array.from({ length: T }, (_, t) => task.cost(0, t, model.logShares(t)));
    },
    // What it writes behind some tokens, by the chance of the sample at this step, or without a seed the likeliest.
    writeOn: (begun, seed) => written(seed === null ? null : chanceAt(SAYS * seed, step), begun),
    loss: () => judged(),
  };
  return self;
}
