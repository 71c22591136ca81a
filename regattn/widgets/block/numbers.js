// The numbers behind the BlockExplorer, pure: a sentence through one block, step by step, and what each is made of.
// Letters: T tokens, D width, H heads, d = D / H. The weights are trained, or drawn by chance, the same as in __init__.py.
import { dot, mean, mulberry32, softmax } from "../_numbers/maths.js";

const SEEDS = { words: 11, places: 12, Q: 21, K: 22, V: 23, O: 24, 1: 31, 2: 32 };

const drawnBefore = new Map();

// A matrix of uniform numbers with mean 0, row by row; made once.
function drawnMatrix(name, rows, columns, variance = 1 / rows) {
  const key = `${name} ${rows} ${columns}`;
  if (!drawnBefore.has(key)) {
    const uniform = mulberry32(SEEDS[name]);
    const reach = Math.sqrt(3 * variance);
    const row = () => Float64Array.from({ length: columns }, () => reach * (2 * uniform() - 1));
    drawnBefore.set(key, Array.from({ length: rows }, row));
  }
  return drawnBefore.get(key);
}

// Where a block's weights come from.
function matricesOf({ trained }, { n_heads: H }) {
  return (name, ...shape) => trained?.[H][name] ?? drawnMatrix(name, ...shape);
}

export const wordsOf = ({ sentences }, { sentence }) => sentences[sentence];
const idsOf = (problem, now) => wordsOf(problem, now).map((word) => problem.known.indexOf(word));

const columnOf = (W, j) => Float64Array.from(W, (row) => row[j]);
const through = (x, W) => {
  const columns = Array.from(W[0], (_, j) => columnOf(W, j));
  return x.map((row) => Float64Array.from(columns, (column) => dot(row, column)));
};
const joined = (...all) => all[0].map((row, t) => row.map((_, i) => all.reduce((sum, x) => sum + x[t][i], 0)));

// ---- what a number is made of: texts and numbers, in order ---------------------------------------------------------

const MOST = 6; // products that are written out

function products(a, b) {
  const all = Array.from(a, (value, i) => [value, b[i]]);
  const sizes = all.map(([x, y]) => Math.abs(x * y)).sort((x, y) => y - x);
  const large = ([x, y]) => Math.abs(x * y) >= sizes[MOST - 1];
  const shown = all.length > MOST + 1 ? all.filter(large) : all;
  const pieces = shown.flatMap(([x, y], k) => [k ? " + " : "", x, " × ", y]);
  return shown.length < all.length ? [...pieces, ` + ${all.length - shown.length} smaller ones`] : pieces;
}

// ---- steps: { key, values, how(i, j) → pieces, and of a sum of products terms(i, j) → [their first factors, second],
// of a sum of rows rows(i) → [[name, row], …]; written: what a step adds } -----------------------------------------------------------------------

function embeddingStep(problem, now) {
  const { width, positions } = now;
  const ids = idsOf(problem, now);
  const E = matricesOf(problem, now)("words", problem.known.length, width, 1);
  const word = ids.map((id) => Float64Array.from(E[id]));
  const turn = (t, i) => t * 10000 ** (-(i - (i % 2)) / width);
  const wave = (t, i) => Math.SQRT2 * (i % 2 ? Math.cos(turn(t, i)) : Math.sin(turn(t, i)));
  const learned = positions === "learned" && drawnMatrix("places", ids.length, width, 1);
  if (positions !== "learned" && positions !== "sinusoidal") {
    return { key: "embedding", values: word, how: (t, i) => [word[t][i], " of the word"] };
  }
  const place = learned || ids.map((_, t) => Float64Array.from({ length: width }, (_, i) => wave(t, i)));
  const how = (t, i) => [word[t][i], " of the word + ", place[t][i], " of the place"];
  return { key: "embedding", values: joined(word, place), how };
}

function normStep(key, x) {
  const centres = x.map(mean);
  const variance = (row, t) => mean(row.map((value) => (value - centres[t]) ** 2));
  const sizes = x.map((row, t) => Math.sqrt(variance(row, t) + 1e-5));
  const values = x.map((row, t) => row.map((value) => (value - centres[t]) / sizes[t]));
  const how = (t, i) => ["(", x[t][i], " − mean ", centres[t], ") / size ", sizes[t]];
  const written = values.map((row, t) => row.map((value, i) => value - x[t][i]));
  return { key, values, how, rows: (t) => [["reads", x[t]], ["normalised", values[t]]], written };
}

function turnedRows(x, d) {
  const angle = (t, i) => t * 10000 ** (-(i - (i % 2)) / d);
  const pair = (row, i) => (i % 2 ? [row[i - 1], row[i]] : [row[i], row[i + 1]]);
  const turn = (t, i) => {
    const [cosine, sine] = [Math.cos(angle(t, i)), Math.sin(angle(t, i))];
    return i % 2 ? [sine, cosine] : [cosine, -sine];
  };
  const values = x.map((row, t) => row.map((_, i) => dot(pair(row, i), turn(t, i))));
  return { values, how: (t, i) => [...products(pair(x[t], i), turn(t, i)), ", turned by its place"] };
}

// The steps of one head from its queries, keys and values, each { values, how }.
// `more(t, j)` is what a hand adds to a score.
function headSteps(queries, keys, values, more = () => 0) {
  const d = queries.values[0].length;
  const scores = queries.values.map((q, t) => keys.values.map((k, j) => dot(q, k) / Math.sqrt(d) + more(t, j)));
  const mask = scores.map((row, t) => row.map((_, j) => Number(j <= t)));
  const weights = scores.map((row, t) => [...softmax(row.slice(0, t + 1)), ...row.slice(t + 1).fill(0)]);
  const average = through(weights, values.values);
  const total = (t) => scores[t].slice(0, t + 1).reduce((sum, score) => sum + Math.exp(score), 0);
  const may = (t, j) => (j <= t ? "1: it stands no later, and may be looked at" : "0: it stands later");
  const share = (t, j) => (j > t ? ["0: masked"] : ["exp(", scores[t][j], ") / sum ", total(t)]);
  const mixed = (t, i) => products(weights[t].slice(0, t + 1), columnOf(values.values.slice(0, t + 1), i));
  const scored = (t, j) => ["(", ...products(queries.values[t], keys.values[j]), `) / √${d}`, ...(more(t, j) ? [" + ", more(t, j)] : [])];
  return [
    { key: "queries", ...queries },
    { key: "keys", ...keys },
    { key: "values", ...values },
    { key: "scores", values: scores, how: scored, more, terms: (t, j) => [queries.values[t], keys.values[j]] },
    { key: "mask", values: mask, how: (t, j) => [may(t, j)] },
    { key: "weights", values: weights, how: share, scores },
    { key: "average", values: average, how: mixed, terms: (t, i) => [weights[t], columnOf(values.values, i)] },
  ];
}

// What reads x and writes x times W; taken out it writes nothing.
function writer(key, x, W, taken) {
  const terms = (t, i) => [x[t], columnOf(W, i)];
  if (!taken) return { key, values: through(x, W), how: (t, i) => products(...terms(t, i)), terms };
  return { key, values: through(x, W).map((row) => row.fill(0)), how: () => ["0: taken out"] };
}

// The steps of the attention of all heads on x; those of the chosen head are shown.
function attentionSteps(x, { width, n_heads, head, positions, out, nudges = {} }, weights) {
  const d = width / n_heads;
  const maps = ["Q", "K", "V"].map((name) => weights(name, width, width));
  const ofHead = (h) => {
    const parts = maps.map((W) => W.map((row) => row.slice(h * d, (h + 1) * d)));
    const [queries, keys, values] = parts.map((W, k) => {
      const made = through(x, W);
      const terms = (t, i) => [x[t], columnOf(W, i)];
      const plain = { values: made, how: (t, i) => products(...terms(t, i)), terms };
      return positions === "rotary" && k < 2 ? turnedRows(made, d) : plain;
    });
    return headSteps(queries, keys, values, (t, j) => nudges[`${h + 1} ${t + 1} ${j + 1}`] ?? 0);
  };
  const all = Array.from({ length: n_heads }, (_, h) => ofHead(h));
  const together = x.map((_, t) => all.flatMap((steps) => [...steps.at(-1).values[t]]));
  return [...all[Math.min(head, n_heads) - 1], writer("output", together, weights("O", width, width), out === "attention")];
}

function feedForwardSteps(x, { width, out }, weights) {
  const [W_1, W_2] = [weights("1", width, 4 * width), weights("2", 4 * width, width)];
  const hidden = through(x, W_1).map((row) => row.map((value) => Math.max(0, value)));
  const terms = (t, i) => [x[t], columnOf(W_1, i)];
  const how = (t, i) => ["max(0, ", ...products(...terms(t, i)), ")"];
  return [{ key: "hidden", values: hidden, how, terms }, writer("back", hidden, W_2, out === "feed-forward")];
}

function addStep(key, ...parts) {
  const how = (t, i) => parts.flatMap((x, k) => [k ? " + " : "", x[t][i], k ? " written" : " of the stream"]);
  const values = joined(...parts);
  const rows = (t) => [...parts.map((x, k) => [k ? "+ written" : "stream", x[t]]), ["=", values[t]]];
  return { key, values, how, rows, written: parts.slice(1).reduce((sum, x) => joined(sum, x)) };
}

// All steps in the chosen order; of a head that is written by hand its own alone.
export function blockSteps(problem, now) {
  if (problem.written) {
    const asWritten = (rows) => ({ values: rows, how: () => ["written by hand"] });
    return headSteps(...["queries", "keys", "values"].map((key) => asWritten(problem.written[key])));
  }
  const weights = matricesOf(problem, now);
  const first = embeddingStep(problem, now);
  const r = first.values;
  const last = (steps) => steps.at(-1).values;
  if (now.order === "post") {
    const attended = attentionSteps(r, now, weights);
    const sum = addStep("add_1", r, last(attended));
    const u = normStep("norm_1", sum.values);
    const recalled = feedForwardSteps(u.values, now, weights);
    const end = addStep("add_2", u.values, last(recalled));
    return [first, ...attended, sum, u, ...recalled, end, normStep("norm_2", end.values)];
  }
  const norm = normStep("norm_1", r);
  const attended = attentionSteps(norm.values, now, weights);
  if (now.order === "parallel") {
    const recalled = feedForwardSteps(norm.values, now, weights);
    return [first, norm, ...attended, ...recalled, addStep("add_2", r, last(attended), last(recalled))];
  }
  const sum = addStep("add_1", r, last(attended));
  const second = normStep("norm_2", sum.values);
  const recalled = feedForwardSteps(second.values, now, weights);
  return [first, norm, ...attended, sum, second, ...recalled, addStep("add_2", sum.values, last(recalled))];
}

// What the stream of every word says where it enters, after attention and where it leaves: the shares of all words as the
// next one. Only of trained weights; chance says nothing.
export function saidBy(problem, now, steps) {
  if (!problem.trained || problem.written) return [];
  const E = matricesOf(problem, now)("words");
  return ["embedding", "add_1", "add_2"].map((stop) => {
    const { values } = steps.find(({ key }) => key === stop);
    return normStep("", values).values.map((row) => softmax(E.map((vector) => dot(row, vector))));
  });
}

// How many parameters a model of such blocks has, without intercepts.
export function blockCounts(problem, now) {
  const { order, width, layers, positions } = now;
  const norms = { pre: 2 * layers + 1, post: 2 * layers, parallel: layers + 1 }[order];
  const parts = {
    embedding: problem.known.length * width,
    positions: positions === "learned" ? wordsOf(problem, now).length * width : 0,
    attention: layers * 4 * width ** 2,
    feed_forward: layers * 8 * width ** 2,
    norms: norms * width,
  };
  return { ...parts, total: Object.values(parts).reduce((sum, n) => sum + n, 0) };
}
