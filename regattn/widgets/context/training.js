// The training of attention on many small regressions, step by step; what it is judged by.
import { START, TEST, TRAIN, heads, identity, inverse, lossOf, normals, tasksOf, times, weightsOf } from "./numbers.js";
import { walker } from "../_kit/play.js";
import { dot, sum } from "../_numbers/maths.js";

// Whether Ω is what is trained: one linear layer.
export const alone = ({ attention, depth }) => attention === "linear" && depth === 1;

// The first numbers: zero for one linear layer, small for others; two heads begin with opposite signs.
function firstNumbers(settings, { starts }) {
  const { attention, depth, tied, dimension: p, seed } = settings;
  const count = heads(settings) || (tied ? 1 : depth) * (attention === "plus" ? 2 : 1);
  const spread = attention === "linear" && depth === 1 ? 0 : starts[attention];
  const drawn = normals(seed, START, 0, count * p * p).map((value) => spread * value);
  return Float64Array.from([...drawn, ...[1, -1].slice(0, heads(settings))]);
}

// n times the inverse of X'X, that of ridge, or the Ω of least risk; one layer alone knows C in place of the context.
export function theoryOf(settings, X, which) {
  const { design, dimension: p, context: n, depth, noise, correlation, target } = settings;
  const alone = design === "random" && (depth === 1 || heads(settings) > 0);
  const sigma = identity(p).map((_, k) => n * correlation ** Math.abs((k % p) - Math.floor(k / p)));
  const moments = alone ? sigma : times(X, X, p, n, p, "first");
  const plain = which === "inverse" || (which === "best" && design === "fixed" && target === "noisy");
  let ridge = plain ? 0 : noise ** 2;
  if (which === "best" && alone) ridge += p; // the trace of C
  const grown = which === "best" && alone ? 1 + 1 / n : 1;
  const added = identity(p, ridge);
  return inverse(moments.map((value, k) => grown * value + added[k]), p).map((value) => n * value); // prettier-ignore
}

export function missOf(task, answers) {
  return answers.reduce((total, answer, j) => total + (answer - task.goals[j]) ** 2, 0);
}

// The mean squared distances to the noise-free answers for each way of testing.
export function risksOf(settings, theta, tests, ways) {
  const n = settings.context;
  const weights = tests.map((test) => weightsOf(settings, theta, test));
  return ways.map((k) => sum(tests.map((test, b) => missOf(test, times(weights[b], test.ys[k], test.goals.length, n, 1)))) / sizeOf(tests)); // prettier-ignore
}

export const sizeOf = (tests) => tests.length * tests[0].goals.length;

// The same tests with every x times a factor, as if it were counted in other units.
export function stretched(tests, factor) {
  const longer = (rows) => rows.map((x) => factor * x);
  return factor === 1 ? tests : tests.map(({ X, ys, queries, goals }) => ({ X: longer(X), ys, queries: longer(queries), goals }));
}

// The risks of least squares, ridge for the noise of the training, Bayes for that of the test, and the best layer alone.
function rivalsOf(settings, tests, k, scale, factor) {
  const { dimension: p, context: n, noise } = settings;
  const rows = tests[0].X.map((x) => x / factor);
  const best = theoryOf({ ...settings, attention: "linear", depth: 1 }, rows, "best").map((value) => value / n);
  const found = { ols: 0, ridge: 0, bayes: 0, layer: 0 };
  const ridges = { ols: 0, ridge: noise ** 2, bayes: (scale * noise * factor) ** 2 };
  for (const test of tests) {
    const moments = times(test.X, test.X, p, n, p, "first");
    const z = times(test.X, test.ys[k], p, n, 1, "first");
    for (const name of Object.keys(found)) {
      const omega = name === "layer" ? best : inverse(identity(p, ridges[name]).map((value, i) => value + moments[i]), p);
      found[name] += missOf(test, times(test.queries, times(omega, z, p, p, 1), test.goals.length, p, 1));
    }
  }
  return Object.fromEntries(Object.entries(found).map(([name, total]) => [name, total / sizeOf(tests)]));
}

// The numbers of Ω from which a training goes on, or null.
export function keptNumbers({ kept, dimension, ...settings }) {
  const numbers = kept ? kept.split(",").map(Number) : [];
  return alone(settings) && numbers.length === dimension ** 2 ? Float64Array.from(numbers) : null;
}

const KEPT = 8; // trainings that are not taken twice

// Trainings by their settings: train(step, settings) → state, and far(settings) → its longest list of risks yet.
function trainings(training) {
  const known = new Map();
  const of = (settings) => {
    const key = JSON.stringify(settings);
    const found = known.get(key) ?? { train: walker(training), far: [] };
    known.delete(key); // it is the last that was asked for
    known.set(key, found);
    if (known.size > KEPT) known.delete(known.keys().next().value);
    return found;
  };
  const train = (step, settings) => {
    const found = of(settings);
    const state = found.train(step, settings);
    if (state.risks.length > found.far.length) found.far = state.risks.slice();
    return state;
  };
  return { train, far: (settings) => of(settings).far };
}

// What steps of a training are, and judged(settings) → { tests, rivals(k, factor), nothing }. The state is { theta, pace,
// step, limit, risks, diverged_at }, `marked` the theta of every second risk. A step that would take the loss of its batch beyond the limit is not taken, and said.
export function contextTraining(data) {
  const { batch, queries, tested, asked, every, scales, clip, momentum, rise, growth_limit, steps } = data;
  const given = (settings) => ({ ...settings, correlation: data.correlation });
  const ways = scales.map((_, k) => k);
  let [key, known] = ["", null];
  const judged = (settings) => {
    const { design, dimension, context, noise, target, seed } = settings;
    const asking = JSON.stringify([design, dimension, context, noise, target, seed]);
    if (asking !== key) {
      const tests = tasksOf(given(settings), TEST, 0, tested, asked, scales);
      const found = new Map();
      const rivals = (k, factor) => {
        const at = `${k} ${factor}`;
        if (!found.has(at)) found.set(at, rivalsOf(given(settings), stretched(tests, factor), k, scales[k], factor));
        return found.get(at);
      };
      const nothing = sum(tests.map((test) => dot(test.goals, test.goals))) / sizeOf(tests); // the risk of answering zero
      [key, known] = [asking, { tests, rivals, nothing }];
    }
    return known;
  };
  const measure = (settings, theta) => risksOf(settings, theta, judged(settings).tests, ways);
  // The first task of the step that comes: answers, targets, and their differences times the rows that were asked about.
  const drawn = (settings, theta, step) => {
    const { dimension: p, context: n } = settings;
    const [task] = tasksOf(given(settings), TRAIN, settings.begun + step, batch, queries);
    const targets = Array.from(task.goals);
    const answers = times(weightsOf(settings, theta, task), task.ys[0], targets.length, n, 1);
    const sums = times(task.queries, targets.map((target, i) => target - answers[i]), p, targets.length, 1, "first"); // prettier-ignore
    return { answers, targets, sums };
  };
  const training = {
    judged,
    given,
    drawn,
    measure,
    begin(settings) {
      const theta = keptNumbers(settings) ?? firstNumbers(settings, data);
      const risks = [measure(settings, theta)];
      return { theta, marked: theta, pace: new Float64Array(theta.length), step: 0, limit: null, risks, diverged_at: null };
    },
    advance(state, settings) {
      const t = state.step++;
      if (state.diverged_at !== null) return;
      const { theta } = state;
      const tasks = tasksOf(given(settings), TRAIN, settings.begun + t, batch, queries);
      const slope = new Float64Array(theta.length);
      const loss = lossOf(settings, theta, tasks, slope);
      const goals = tasks.flatMap((task) => Array.from(task.goals));
      state.limit ??= growth_limit * Math.max(loss, sum(goals.map((goal) => goal ** 2)) / goals.length);
      const cut = Math.min(1, clip / Math.max(Math.sqrt(sum(slope.map((value) => value ** 2))), 1e-300));
      const risen = keptNumbers(settings) ? 1 : Math.min(1, (t + 1) / (rise * steps));
      const rate = settings.learning_rate * Math.min(risen, (1 - t / steps) / (1 - rise));
      state.pace = state.pace.map((value, k) => momentum * value + (1 - momentum) * cut * slope[k]);
      const moved = theta.map((value, k) => value - rate * state.pace[k]);
      if (!(lossOf(settings, moved, tasks) <= state.limit) || !moved.every(Number.isFinite)) {
        state.diverged_at = state.step;
        return;
      }
      state.theta = moved;
      if (state.step % every) return;
      state.risks.push(measure(settings, moved));
      if (state.step % (2 * every) === 0) state.marked = moved;
    },
    keep: 50,
  };
  return Object.assign(training, trainings(training));
}
