// The numbers behind the TableExplorer, pure: six models as weights on outcomes, and their errors with a row left out.
import { dot, firstLargest, mean, runningSum, spectralFilter, spectralWeights, sum } from "../_numbers/maths.js";
import { singular } from "../_numbers/factor.js";
import { design, limits } from "./design.js";

const KNOBS = { ridge: "ridge", components: "rank", neighbours: "neighbours", gaussian: "temperature", softmax: "temperature" };
const STEPS = ["1", "1.5", "2", "3", "5", "7"];
const AT_ONCE = 3e7; // multiplications that nobody feels; more is done in slices
const ALIKE = 1e-9; // difference of two singular values that are one
const SINGLE = 1 - 1e-10; // leverage of a row without which the fit is not determined

const isLinear = (model) => !["neighbours", "gaussian", "softmax"].includes(model);
const powers = (low, high) => Array.from({ length: high - low }, (_, k) => STEPS.map((step) => Number(`${step}e${low + k}`))).flat();
const counts = (most) => Array.from({ length: Math.max(0, most) }, (_, k) => k + 1);

// What leave-one-out tries for the knob of a model.
export function tried(model, n, rank) {
  if (model === "ridge") return [...powers(-6, 6), 1e6];
  if (model === "components") return counts(rank);
  if (model === "neighbours") return counts(Math.min(limits().neighbours, n - 1));
  return [...powers(-2, 2), 100];
}

// Predictors in standard deviations from the mean of some rows, and their spectrum; a column that does not vary is zero.
export function standardised({ rows, names }, train) {
  const columns = names.map((_, j) => Float64Array.from(train, (t) => rows[t][j]));
  const middle = columns.map((column) => mean(column));
  const spread = columns.map((column, j) => {
    const size = Math.sqrt(mean(column.map((value) => (value - middle[j]) ** 2)));
    return size > 1e-12 * Math.max(...column.map(Math.abs)) ? size : Infinity;
  });
  const raw = (row) => Float64Array.from(row, (value, j) => (value - middle[j]) / spread[j]);
  const once = train.map((t) => raw(rows[t]));
  const rest = names.map((_, j) => mean(once.map((row) => row[j]))); // what rounding left of the mean
  const code = (row) => raw(row).map((value, j) => value - rest[j]);
  const Z = train.map((t) => code(rows[t]));
  const varied = spread.some(Number.isFinite) && train.length > 1;
  const { left, values, right } = varied ? singular(names.map((_, j) => Float64Array.from(Z, (row) => row[j]))) : { left: [], values: [], right: [] };
  const scores = Z.map((_, i) => Float64Array.from(left, (vector) => vector[i]));
  const flat = Float64Array.from(Z.flatMap((row) => Array.from(row)));
  return { train, code, Z, flat, values, right, scores, n: train.length, rank: values.length };
}

// Where each run of directions of one size ends: which of them comes first is chance, so they are kept or left together.
function runEnds(values) {
  const ends = Array.from(values, (_, k) => k + 1);
  for (let k = values.length - 2; k >= 0; k--) if (values[k + 1] > values[k] * (1 - ALIKE)) ends[k] = ends[k + 1];
  return ends;
}

export const sharesKept = ({ values, rank }, model, knob) =>
  spectralFilter(values, model === "ridge" ? knob : 0, model === "components" ? runEnds(values)[Math.min(knob, rank) - 1] : rank);

// Shares of directions of one size are each their mean.
function evened(kept, values) {
  const ends = runEnds(values);
  return Array.from(kept, (_, k) => mean(kept.slice(ends.indexOf(ends[k]), ends[k])));
}

// Scores of a query with every row: inner products, or −‖q − z‖²/2; for neighbours to nine decimals, so that ties are ties.
function scoresOf(model, { flat, n }, q, out = new Float64Array(n)) {
  const width = q.length;
  for (let i = 0, at = 0; i < n; i++) {
    let total = 0;
    if (model === "softmax") for (let j = 0; j < width; j++, at++) total += q[j] * flat[at];
    else for (let j = 0; j < width; j++, at++) total += (q[j] - flat[at]) ** 2;
    out[i] = model === "softmax" ? total : model === "gaussian" ? -0.5 * total : Math.round(-0.5e9 * total) / 1e9;
  }
  return out;
}

// exp(score/T) over their sum, into `out`; the row `barred` is not listened to.
function soften(scores, temperature, barred, out) {
  let [top, total] = [-Infinity, 0];
  for (let i = 0; i < scores.length; i++) if (i !== barred && scores[i] > top) top = scores[i];
  for (let i = 0; i < scores.length; i++) total += out[i] = i === barred ? 0 : Math.exp((scores[i] - top) / temperature);
  for (let i = 0; i < scores.length; i++) out[i] /= total;
  return out;
}

// The first k of the largest scores, in order; of equal ones the first.
function nearestRows(scores, k, barred) {
  const best = [];
  for (let i = 0; i < scores.length; i++) {
    if (i === barred || (best.length === k && scores[i] <= scores[best[k - 1]])) continue;
    let at = best.length;
    while (at > 0 && scores[best[at - 1]] < scores[i]) at -= 1;
    best.splice(at, 0, i);
    if (best.length > k) best.pop();
  }
  return best;
}

function similarityWeights(model, scores, knob, barred = -1, out = new Float64Array(scores.length)) {
  if (model !== "neighbours") return soften(scores, knob, barred, out);
  out.fill(0);
  const nearest = nearestRows(scores, Math.min(knob, scores.length - (barred >= 0)), barred);
  for (const i of nearest) out[i] = 1 / nearest.length;
  return out;
}

// The weight of every row of the fit for a query, given in standard deviations, or as the place of one of its rows.
export function weightsOf(fit, model, knob, { z, place = -1 }) {
  const { n, rank, values, right, scores } = fit;
  if (!rank) return new Float64Array(n).fill(1 / n);
  if (!isLinear(model)) return similarityWeights(model, scoresOf(model, fit, z), knob);
  const asks = place >= 0 ? scores[place] : Float64Array.from(right, (direction, k) => dot(z, direction) / values[k]);
  return spectralWeights(scores, asks, sharesKept(fit, model, knob), 1 / n);
}

// Errors of a linear fit of all rows, in closed form, from what each direction knows about the outcomes; leave-one-out null where a row alone determines a direction.
function linearNumbers({ n, scores, content }, { y, level }, kept) {
  const slopes = content.map((value, k) => value * kept[k]);
  let [most, squares, alone] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const row = scores[i];
    let [hat, residual] = [1 / n, y[i] - level];
    for (let k = 0; k < row.length; k++) {
      hat += kept[k] * row[k] * row[k];
      residual -= slopes[k] * row[k];
    }
    most = Math.max(most, hat);
    squares += residual ** 2;
    alone += (residual / (1 - hat)) ** 2;
  }
  const loo = n > 1 && most < SINGLE ? Math.sqrt(alone / n) : null;
  return { dof: 1 + sum(kept), kept: Array.from(kept), error: Math.sqrt(squares / n), loo };
}

function* linearSearch(fit, model, outcomes, knobs) {
  const errors = [];
  for (const knob of knobs) {
    errors.push(linearNumbers(fit, outcomes, sharesKept(fit, model, knob)).loo);
    yield;
  }
  return errors;
}

// Leave-one-out errors for several values of the knob, row by row, so that it can be done in slices.
function* searchNumbers(fit, model, y, knobs) {
  const { n, Z } = fit;
  const near = new Float64Array(n);
  const squares = new Float64Array(knobs.length);
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const scores = scoresOf(model, fit, Z[i], near);
    const ranked = model === "neighbours" ? runningSum(nearestRows(scores, knobs.at(-1), i).map((j) => y[j])) : null;
    knobs.forEach((knob, k) => {
      const guess = ranked ? ranked[knob - 1] / knob : dot(similarityWeights(model, scores, knob, i, out), y);
      squares[k] += (y[i] - guess) ** 2;
    });
    yield;
  }
  return Array.from(squares, (total) => Math.sqrt(total / n));
}

// The same numbers as of a linear fit; the share kept of a direction u of the predictors is u'Hu.
function* similarityNumbers(fit, model, y, knob) {
  const { n, Z, scores, rank, values } = fit;
  const [kept, out, room] = [new Float64Array(rank), new Float64Array(n), new Float64Array(n)];
  let [dof, error, loo] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const near = scoresOf(model, fit, Z[i], room);
    const weights = similarityWeights(model, near, knob, -1, out);
    dof += weights[i];
    error += (y[i] - dot(weights, y)) ** 2;
    for (let j = 0; j < n; j++) {
      if (!weights[j]) continue;
      const row = scores[j];
      for (let k = 0; k < rank; k++) kept[k] += scores[i][k] * weights[j] * row[k];
    }
    if (n > 1) loo += (y[i] - dot(similarityWeights(model, near, knob, i, out), y)) ** 2;
    yield;
  }
  return { dof, kept: evened(kept, values), error: Math.sqrt(error / n), loo: n > 1 ? Math.sqrt(loo / n) : null };
}

function* once(work) {
  return work();
}

function finish(steps) {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

// What was found under a key, or null while it is being computed in slices; short work is done at once.
function found(problem, key, cost, steps) {
  const { memory, later } = problem;
  if (!memory.has(key)) {
    if (cost <= AT_ONCE || !later) memory.set(key, finish(steps()));
    else later(key, steps());
  }
  return memory.get(key) ?? null;
}

// The first of the smallest errors; what rounding alone sets apart counts as equal.
const best = (errors) => firstLargest(errors.map((error) => (error === null ? 0 : 1 / Math.max(error, 1e-300))));

function chosenKnob(problem, prepared, { model, tuning, ...now }) {
  const { fit, y, key } = prepared;
  const own = now[KNOBS[model]] ?? null;
  if (tuning !== "loo" || own === null || !fit.rank || fit.n < 3) return { knob: own, searched: false };
  const knobs = tried(model, fit.n, fit.rank);
  const cost = isLinear(model) ? 0 : fit.n ** 2 * (fit.Z[0].length + 8 * (model === "neighbours" ? 2 : knobs.length));
  const steps = () => (isLinear(model) ? linearSearch(fit, model, prepared, knobs) : searchNumbers(fit, model, y, knobs));
  const errors = found(problem, `${key} search ${model}`, cost, steps);
  if (errors === null) return { knob: own, searched: null };
  return errors.every((error) => error === null) ? { knob: own, searched: false } : { knob: knobs[best(errors)], searched: true };
}

function prepare(problem, { target, predictors, date, lags }) {
  const key = JSON.stringify([target, predictors, date, lags]);
  if (problem.prepared?.key !== key) {
    const table = design(problem.columns, { target, predictors, date, lags });
    const [fit, y] = [standardised(table, table.train), Float64Array.from(table.train, (t) => table.y[t])];
    const level = mean(y);
    fit.content = Float64Array.from({ length: fit.rank }, (_, k) => sum(fit.scores.map((row, i) => row[k] * (y[i] - level))));
    problem.prepared = { key, table, fit, y, level };
    problem.memory.clear();
  }
  return problem.prepared;
}

export const AT_MEANS = "a row with every predictor at its mean";

// What is asked: one of the rows, or the one after the last, with what was typed in place of what it would be.
function asked({ rows, whole, next, names, labels, y, depth }, query, typed) {
  if (query < rows.length) return { row: rows[query], ready: whole[query], label: labels[query], observed: y[query] };
  const row = next.map((value, j) => (Number.isFinite(typed[names[j]]) ? typed[names[j]] : value));
  const label = names.some((name) => name in typed) ? "the row you typed" : depth ? "the next row" : AT_MEANS;
  return { row, ready: true, label, observed: NaN };
}

// The rows that are averaged: all, all but the one that asks, or those before it.
function listened({ fit, table }, listens, query) {
  if (listens === "all") return fit;
  const train = table.train.filter((t) => (listens === "past" ? t < query : t !== query));
  return train.length === fit.n ? fit : standardised(table, train);
}

// Places from the largest contribution on, to nine digits, so that what rounding sets apart stays in its order.
function loudest(contributions) {
  const most = contributions.reduce((top, value) => Math.max(top, Math.abs(value)), 0) || 1;
  const sizes = contributions.map((value) => Math.round((1e9 * Math.abs(value)) / most));
  return Array.from(sizes.keys()).sort((i, j) => sizes[j] - sizes[i] || i - j);
}

export function tableProblem({ columns }, later = null) {
  return { columns, later, memory: new Map(), prepared: null };
}

// Everything shown for one setting of the controls. Weights stand for all rows that can be learned from.
export function tableState(problem, now) {
  const prepared = prepare(problem, now);
  const { table, fit, y, key } = prepared;
  const { knob, searched } = chosenKnob(problem, prepared, now);
  const none = { dof: null, kept: [], error: null, loo: null };
  const cost = fit.n ** 2 * (table.names.length + 2 * fit.rank + 16);
  const linear = isLinear(now.model) || !fit.rank;
  const whole = !fit.n || searched === null
    ? none
    : linear
      ? found(problem, `${key} ${now.model} ${knob}`, 0, () => once(() => linearNumbers(fit, prepared, sharesKept(fit, now.model, knob))))
      : (found(problem, `${key} ${now.model} ${knob}`, cost, () => similarityNumbers(fit, now.model, y, knob)) ?? none);
  const query = Math.min(now.query, table.rows.length);
  const { row, ready, label, observed } = asked(table, query, now.typed);
  const heard = listened(prepared, now.listens, query);
  const able = ready && heard.n > 0;
  const weights = new Float64Array(fit.n);
  if (able) {
    const place = query < table.rows.length ? heard.train.indexOf(query) : -1;
    const own = weightsOf(heard, now.model, knob, { z: heard.code(row), place });
    const places = new Map(fit.train.map((t, i) => [t, i]));
    heard.train.forEach((t, i) => (weights[places.get(t)] = own[i]));
  }
  const level = heard.n ? mean(heard.train.map((t) => table.y[t])) : 0;
  const contributions = weights.map((weight, i) => weight * (y[i] - level));
  const order = loudest(contributions);
  const baseline = able ? level * sum(weights) : null;
  return {
    ...whole, knob, searched, label, able, weights, contributions, order, baseline, table, fit, outcomes: y, query,
    pending: searched === null || whole === none,
    observed: Number.isFinite(observed) ? observed : null,
    prediction: able ? baseline + sum(contributions) : null,
    running: able ? Array.from(runningSum([baseline, ...order.map((i) => contributions[i])])) : [],
    effective: able ? sum(weights) ** 2 / sum(weights.map((weight) => weight ** 2)) : null,
  };
}

// What is reported, under the names that the package gives it.
export function tableResult({ weights, contributions, table, ...state }) {
  const { order, running, prediction, baseline, effective, observed, knob, dof, kept, error, loo } = state;
  const lists = { weights: Array.from(weights), contributions: Array.from(contributions), order, running };
  return { ...lists, prediction, baseline, effective, observed, knob, dof, kept, error, loo, columns: table.names };
}
