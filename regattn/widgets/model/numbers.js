// The numbers behind the ModelExplorer, pure: what was typed, the truth from the grammar's table of states, the model
// with some of its parts silent, and how far the one is from the other. A model of any text has a tokeniser in place
// of a grammar, and no truth.
import { mulberry32, softmax } from "../_numbers/maths.js";
import { descending, drawnFrom, drawOne, entropyOf } from "../_numbers/sampling.js";
import { cutText, openTokeniser, readable, textOf } from "../_numbers/tokens.js";
import { logitsOf, openModel, readOn, readText } from "../_numbers/transformer.js";

const LONGEST = 24; // words or tokens that are read, here and in _reading.py
const HALF = 0.5; // of a head's weight, from which it brings a word
const HOLDS = 32; // tokens of a text that is written, the start among them; here and in _writing.py

// What was typed, as words of the vocabulary up to the first that is none: { known, unknown, dropped }.
export function readWords(text, words) {
  const apart = text.toLowerCase().replace(/[.,]/g, " $& ");
  const typed = apart.split(/[ \t\r\n\u00a0]+/).filter(Boolean);
  const end = typed.findIndex((word) => !words.includes(word));
  const known = end < 0 ? typed : typed.slice(0, end);
  const dropped = Math.max(0, known.length - LONGEST);
  return { known: known.slice(0, LONGEST), unknown: dropped ? null : (typed[known.length] ?? null), dropped };
}

// The true distributions after each token of a text, null from a word that the grammar cannot write to the full stop.
// `states[k]` are the [word, probability, state after it] of state k; the full stop is word 0 and leads to state 0.
export function truths(states, tokens, V) {
  let state = 0;
  return tokens.map((token, t) => {
    const step = t && (token === 0 ? [0, 1, 0] : states[state]?.find(([word]) => word === token));
    if (t) state = step ? step[2] : -1;
    if (state < 0) return null;
    const p = new Float64Array(V);
    for (const [word, share] of states[state]) p[word] = share;
    return p;
  });
}

// Σ p log(p/q) in nats, for q the softmax of some logits: log q is taken from them, so that nothing is lost.
export function divergence(p, logits) {
  const top = Math.max(...logits);
  const total = top + Math.log(logits.reduce((sum, z) => sum + Math.exp(z - top), 0));
  return p.reduce((sum, share, k) => (share > 0 ? sum + share * (Math.log(share) - logits[k] + total) : sum), 0);
}

const OWN_SIGNS = { "\n": "↵", "\r": "↵", "\t": "⇥" };

// What the page reads with: `names` are the words as the package has them, `words` as people read them.
export function modelProblem({ model, states, words, tokenizer, start }) {
  const opened = { model: openModel(model), states, read: new Map() };
  if (!tokenizer) return { ...opened, words, names: words, start: 0 };
  const tokeniser = openTokeniser(tokenizer);
  const shown = (token) => readable(token, tokeniser.kind).replace(/[\n\r\t]/g, (sign) => OWN_SIGNS[sign]);
  return { ...opened, tokeniser, words: tokeniser.tokens.map(shown), names: tokeniser.tokens, start };
}

// What was typed: { known, unknown, dropped } and the numbers of what is read, `ids`.
export function readTyped({ tokeniser, words }, text) {
  if (!tokeniser) {
    const found = readWords(text, words);
    return { ...found, ids: found.known.map((word) => words.indexOf(word)) };
  }
  const pieces = cutText(text, tokeniser);
  const kept = pieces.slice(0, LONGEST);
  const ids = kept.map(({ id }) => id);
  return { known: ids.map((id) => words[id]), ids, unknown: null, dropped: pieces.length - kept.length, pieces: kept };
}

// The sentence up to a place, and one more word.
export function wentOn({ tokeniser, words, names }, { known, pieces, at, drawn }) {
  if (!tokeniser) return [...known.slice(0, at), words[drawn]].join(" ");
  const { kind } = tokeniser;
  const before = pieces.slice(0, at).map(({ token, text }) => (kind === "bytes" ? token : text));
  return textOf([...before, names[drawn]], kind);
}

// −log of the softmax of some logits, at one word.
function surprisal(logits, token) {
  const top = Math.max(...logits);
  return top + Math.log(logits.reduce((sum, z) => sum + Math.exp(z - top), 0)) - logits[token];
}

// How a prediction with silent parts compares: with the truth, if there is one, else with that of the whole model and
// with the text itself.
function compared({ states, words }, tokens, at, rows, whole, silenced) {
  if (!states) {
    const after = tokens.slice(1);
    const means = [whole, rows].map((read) => meanOf(after.map((token, t) => surprisal(read[t].logits, token))));
    const cost = silenced.length ? divergence(softmax(whole[at].logits), rows[at].logits) : 0;
    return { truth: [], p: null, excess: null, cost, mean: means };
  }
  const truth = truths(states, tokens, words.length);
  const kept = tokens.map((_, t) => t).filter((t) => truth[t]);
  const losses = [whole, rows].map((read) => kept.map((t) => divergence(truth[t], read[t].logits)));
  const loss = ([k, t]) => (truth[t] ? losses[k][kept.indexOf(t)] : null);
  const p = truth[at];
  const cost = p && silenced.length ? loss([1, at]) - loss([0, at]) : p && 0;
  return { truth, p, excess: loss([1, at]), cost, mean: losses.map(meanOf) };
}

const KEPT = 40; // sets of silent parts whose last text is remembered: a word more is then one word's work

function rowsOf({ model, read }, tokens, silenced) {
  const key = [...silenced].sort().join();
  const rows = readText(model, tokens, new Set(silenced), read.get(key));
  read.delete(key);
  if (read.size >= KEPT) read.delete(read.keys().next().value);
  return read.set(key, rows) && rows;
}

// What is at one place in another sentence, or at its end; null where none was typed.
function rowThere(problem, donor, at) {
  const { ids } = readTyped(problem, donor);
  return ids.length ? rowsOf(problem, [problem.start, ...ids], [])[Math.min(at, ids.length)] : null;
}

// The truth after the other sentence, at the same place or at its end; null where there is none.
function truthThere({ states, words, start, ...problem }, donor, at) {
  const { ids } = readTyped({ words, ...problem }, donor);
  if (!states || !ids.length) return null;
  return truths(states, [start, ...ids], words.length)[Math.min(at, ids.length)];
}

// How much of a prediction is on words that may follow the other sentence and not this one.
function sharedOver(q, here, there) {
  if (!here || !there) return null;
  return q.reduce((sum, share, k) => (there[k] > 0 && !(here[k] > 0) ? sum + share : sum), 0);
}

const APART = 3; // parts that are named one by one, and whose costs are

// What a few silent parts cost at one place, each silenced by itself.
function apartCosts(problem, tokens, at, p, whole, silenced) {
  if (!p || silenced.length < 2 || silenced.length > APART) return null;
  const cost = (rows) => divergence(p, rows[at].logits);
  return silenced.map((part) => cost(rowsOf(problem, tokens, [part])) - cost(whole));
}

const meanOf = (values) => (values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null);

// The words drawn behind a beginning, and how each was: the `strip` of the words, the likeliest first, with their shares
// before (`q`) and after temperature and cuts (`p`), on which `luck` fell at the word `token`. The last is `next`, not
// yet drawn, where none is.
function writtenOn(problem, begun, { written, seed, silenced, temperature, top_k, top_p }) {
  const { model, states, words } = problem;
  const uniform = mulberry32(seed);
  const silent = new Set(silenced);
  let rows = rowsOf(problem, begun, silenced);
  const drawn = [];
  const look = () => {
    const { logits } = rows.at(-1);
    const [p, strip, luck] = [drawnFrom(logits, temperature, top_k, top_p), descending(logits), uniform()];
    const token = strip[drawOne(strip.map((k) => p[k]), luck)];
    return { q: softmax(logits), p, strip, luck, token, possible: p.filter((share) => share > 0).length, entropy: entropyOf(p) };
  };
  while (drawn.length < written && rows.length < HOLDS) {
    drawn.push(look());
    rows = readOn(model, rows, drawn.at(-1).token, silent);
  }
  const truth = states ? truths(states, rows.map(({ token }) => token), words.length) : rows.map(() => null);
  drawn.forEach((word, k) => (word.truth = truth[begun.length - 1 + k]));
  return { drawn, full: rows.length >= HOLDS, next: drawn.length ? null : { ...look(), truth: truth.at(-1) } };
}

// What each head looks at from one row, and what at most.
const looksOf = ({ heads }) => heads.map((layer) => layer.map(({ weights }) => ({ most: weights.indexOf(Math.max(...weights)), weights })));

// Heads that are not exchanged and bring a word still, one that only this sentence has: an exchanged head of their layer
// brought it too. { word, parts }, or null.
export function stillBrought({ looks, silenced, words, wordsThere, donor }, word) {
  const k = words.indexOf(word);
  if (k < 0 || !donor.length || wordsThere.includes(word)) return null;
  const brings = ({ most, weights }) => most === k && weights[most] >= HALF;
  const parts = looks.flatMap((layer, l) => {
    const own = layer.flatMap((head, h) => (brings(head) ? [`${l + 1}.${h + 1}`] : []));
    return own.some((part) => silenced.includes(part)) ? own.filter((part) => !silenced.includes(part)) : [];
  });
  return parts.length ? { word, parts } : null;
}

// Everything shown for one setting of the controls.
export function modelState(problem, { sentence, donor, place, head, silenced, temperature, top_k, top_p, seed, written }) {
  const { model, states, words, start } = problem;
  const { known, ids, unknown, dropped, pieces } = readTyped(problem, sentence);
  const tokens = [start, ...ids];
  const at = Math.min(place, known.length);
  const whole = rowsOf(problem, tokens, []);
  const row = rowThere(problem, donor, at);
  const swap = row && silenced.length ? { place: at, parts: new Set(silenced), row } : null;
  const rows = swap ? readText(model, tokens, new Set(), whole.slice(0, at), swap) : rowsOf(problem, tokens, silenced);
  const { truth, p, excess, cost, mean } = compared(problem, tokens, at, rows, whole, silenced);
  const [layer, number] = head.split(".").map((part) => Number(part) - 1);
  const [logits, all] = [rows[at].logits, tokens.map((token) => words[token])];
  const [q, drawnQ] = [softmax(logits), drawnFrom(logits, temperature, top_k, top_p)];
  const there = truthThere(problem, donor, at);
  const other = readTyped(problem, donor);
  const others = [start, ...other.ids].map((token) => words[token]);
  return {
    known, unknown, dropped, pieces, donor: other.known, strangeThere: other.unknown, tokens, at, excess, cost, mean, there, over: sharedOver(q, p, there), words: all, silenced, head, looks: looksOf(rows[at]), p, q, drawnQ, // prettier-ignore
    looksThere: row && looksOf(row), wordsThere: others, // in the other sentence
    qWhole: silenced.length ? softmax(whole[at].logits) : null,
    overWhole: sharedOver(softmax(whole[at].logits), p, there), // with nothing exchanged
    apart: swap || problem.writes ? null : apartCosts(problem, tokens, at, p, whole, silenced),
    before: states && known.length && !truth[at] ? truth.findIndex((found) => !found) : null, // the first word without a truth
    entropy: [p && entropyOf(p), entropyOf(q)],
    heads: rows.map(({ heads }) => heads),
    map: rows.map(({ heads }) => heads[layer][number].weights),
    lens: rows[at].streams.map((stream) => softmax(logitsOf(model, stream))),
    drawn: drawOne(drawnQ, mulberry32(seed)()),
    full: at >= LONGEST,
    text: problem.writes ? writtenOn(problem, tokens.slice(0, at + 1), { written, seed, silenced, temperature, top_k, top_p }) : null,
  }; // prettier-ignore
}
