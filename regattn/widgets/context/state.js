// What is shown of the training: Ω, risks and their rivals, layers and weights, the task that comes.
import { effective, gram, heads, identity, inverse, times, weightsOf } from "./numbers.js";
import { alone, missOf, risksOf, sizeOf, stretched, theoryOf } from "./training.js";
import { dot, eigen, norm } from "../_numbers/maths.js";

function cosine(a, b) {
  const size = norm(a) * norm(b);
  return size ? dot(a, b) / size : null;
}

// What the second table shows, in words.
function besideWords({ design, target, depth, beside, ...settings }) {
  if (design === "random" && (depth === 1 || heads(settings))) {
    return { inverse: "(nC)⁻¹", ridge: "(nC + σ²I)⁻¹", best: "((n + 1)C + (tr C + σ²)I)⁻¹" }[beside];
  }
  const plain = beside === "inverse" || (beside === "best" && design === "fixed" && target === "noisy");
  return plain ? "(X′X)⁻¹" : "(X′X + σ²I)⁻¹";
}

// On how many of the new tasks the answer to the query is nearer to the right one than that of least squares.
function nearerOn(settings, theta, tests, k, query) {
  const { dimension: p, context: n } = settings;
  return tests.filter((test) => {
    const asked = { ...test, queries: test.queries.slice((query - 1) * p, query * p) };
    const slopes = times(inverse(times(test.X, test.X, p, n, p, "first"), p), times(test.X, test.ys[k], p, n, 1, "first"), p, p, 1);
    const missed = (answer) => Math.abs(answer - test.goals[query - 1]);
    return missed(dot(weightsOf(settings, theta, asked), test.ys[k])) < missed(dot(asked.queries, slopes));
  }).length;
}

const ALIKE = ["same", "quiet"]; // tests whose risks are compared by eye

// What `found` gives for what is asked, once as long as the same is asked.
function once(problem, name, asked, found) {
  const kept = ((problem.found ??= {})[name] ??= {});
  if (!kept.asked || asked.some((each, i) => each !== kept.asked[i])) Object.assign(kept, { asked, found: found() });
  return kept.found;
}

// Risks with every x times each of the factors, of the network and of the ridge of the training.
function acrossOf(problem, settings, theta, k) {
  const { training, factors } = problem;
  const { dimension: p, context: n, noise } = settings;
  const { tests } = training.judged(settings);
  const risksOver = (omegaOf, sizeAt) => {
    const found = factors.map(() => 0);
    for (const test of tests) {
      const z = times(test.X, test.ys[k], p, n, 1, "first");
      factors.forEach((factor, at) => {
        const answers = times(test.queries, times(omegaOf(gram(test, p, n), factor ** 2), z, p, p, 1), test.goals.length, p, 1);
        found[at] += missOf(test, answers.map((answer) => sizeAt(factor ** 2) * answer)) / sizeOf(tests); // prettier-ignore
      });
    }
    return found;
  };
  // X'X/n grows with the square of the factor, as do products of a query and rows
  const network = () =>
    heads(settings)
      ? factors.map((factor) => risksOf(settings, theta, stretched(tests, factor), [k])[0])
      : risksOver((G, square) => effective(settings, theta, { G: G.map((value) => square * value) }), (square) => square / n);
  const ridge = () => risksOver((G, square) => inverse(identity(p, noise ** 2 / square).map((value, i) => value + n * G[i]), p), () => 1);
  return { network: once(problem, "network", [theta, tests, k], network), ridge: once(problem, "ridge", [tests, k], ridge) };
}

// The risk of as many layers at the end of their training, with every x times the factor; undefined before.
function learnedRisk({ training, learned }, settings, depth, k, factor) {
  const found = learned(settings)[depth];
  if (!found || factor === 1 || found.risks[k] === Infinity) return found?.risks[k];
  const { tests } = training.judged(settings);
  const asked = { ...settings, depth };
  return once(found, "risk", [factor, k], () => risksOf(asked, found.theta, stretched(tests, factor), [k])[0]);
}

// What determines a training, of all controls.
export const trained = ({ step, tested, factor, beside, task, query, ...settings }) => settings;

// What is shown: Ω beside theory, the risks of the network and of its rivals, the layers and weights on one context.
export function contextState(problem, now) {
  const { training, scales, every, steps, pasts } = problem;
  const { step, tested, factor, beside, task, query } = now;
  const settings = trained(now);
  const state = training.train(step, settings);
  const { tests, rivals, nothing } = training.judged(settings);
  const { dimension: p, context: n, kept, begun } = settings;
  const at = (name) => Object.keys(scales).indexOf(name);
  const k = at(tested);
  const asking = stretched(tests, factor);
  const shown = asking[task - 1];
  const { X, queries, ys, goals } = shown;
  const omega = effective(settings, state.theta, shown).map((value) => value / n);
  const averaged = alone(settings) && settings.design === "random"; // Ω is for the mean of X'X, and ends at the best for that
  const third = averaged ? "best" : "ridge";
  const [theory, ridge, end] = [beside, "ridge", third].map((which) => theoryOf(training.given(settings), X, which).map((value) => value / n));
  const away = (other) => norm(omega.map((value, i) => value - other[i])) / norm(other);
  const asked = { ...shown, queries: queries.slice((query - 1) * p, query * p) };
  const weights = weightsOf(settings, state.theta, asked);
  const found = times(asked.queries, inverse(times(X, X, p, n, p, "first"), p), 1, p, p);
  const proximity = times(found, X, 1, p, n, "second");
  // What every layer leaves of the outcomes of a test, of its rows and last of the query.
  const leaves = ({ X, ys, queries }, scale) => {
    const tokens = { X, queries: [...X, ...queries.slice((query - 1) * p, query * p)] };
    const begun = [...ys[scale], 0];
    const after = (depth) => {
      const fit = times(weightsOf({ ...settings, depth }, state.theta, tokens), ys[scale], n + 1, n, 1);
      return begun.map((value, i) => value - fit[i]);
    };
    return [begun, ...Array.from({ length: heads(settings) ? 1 : settings.depth }, (_, l) => after(l + 1))];
  };
  const left = leaves(shown, k);
  const rows = (matrix) => Array.from({ length: p }, (_, i) => matrix.slice(i * p, (i + 1) * p));
  const ended = step === steps && state.diverged_at === null;
  const moments = settings.design === "fixed" ? eigen(rows(times(X, X, p, n, p, "first"))).values : [1];
  const far = training.far(settings);
  if (ended && !kept) problem.learned(settings)[settings.depth] ??= { theta: state.theta, risks: far.at(-1) };
  // In the units of the training, as are the risks of the steps.
  const home = step % every === 0 && state.diverged_at === null ? state.risks.at(-1)[k] : risksOf(settings, state.theta, tests, [k])[0];
  return {
    step, n, task, factor, kept, begun, tested, ended, every, steps, averaged, // prettier-ignore
    settings, k,
    single: alone(settings),
    early: alone(settings) && settings.design === "fixed" && settings.target === "noisy" && !kept, // to stop early is to shrink
    before: kept ? { points: [], ...pasts.get(kept) } : null,
    stepping: heads(settings) === 0,
    beside,
    words: besideWords({ ...settings, beside }),
    thirdWords: besideWords({ ...settings, beside: third }),
    third: rows(end),
    thirdGap: away(end),
    told: heads(settings) ? "Σ v Ω of the heads" : settings.depth > 1 ? "of all layers, on the new task shown" : "",
    condition: Math.max(...moments) / Math.min(...moments),
    parameters: Array.from(state.theta),
    omega: rows(omega),
    theory: rows(theory),
    gap: away(theory),
    shrunk: away(ridge),
    cosine: cosine(omega, theory),
    risks: state.risks.map((found) => found[k]),
    far: far.map((found) => found[k]),
    risk: factor === 1 ? home : risksOf(settings, state.theta, asking, [k])[0],
    home,
    nothing,
    rivals: rivals(k, factor),
    plain: rivals(k, 1),
    across: () => acrossOf(problem, settings, state.marked, k), // of the last twentieth step
    under: (depth) => learnedRisk(problem, settings, depth, k, factor),
    common: ALIKE.includes(tested) ? ALIKE.flatMap((name) => [...far.map((found) => found[at(name)]), ...Object.values(rivals(at(name), 1))]) : [], // one axis for both
    left,
    usually: k || factor !== 1 ? leaves(tests[task - 1], 0).map((values) => -values[n]) : [], // answers to the query as in training
    reach: Math.max(...ys.flatMap((y) => y.map(Math.abs))),
    answers: { network: -left.at(-1)[n], ols: dot(proximity, ys[k]), right: goals[query - 1] },
    nearer: nearerOn(settings, state.theta, asking, k, query),
    weights: Array.from(weights),
    outcomes: Array.from(ys[k]),
    proximity: Array.from(proximity),
    agreement: cosine(weights, proximity),
    drawn: training.drawn(settings, state.theta, step),
    diverged_at: state.diverged_at,
  };
}
