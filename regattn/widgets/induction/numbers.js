// Two layers that copy: one pair built by hand, which fetches the word a step back and looks where its own word was
// fetched, and one that was trained, on the same text and with the same parts missing.
import { dot, softmax } from "../_numbers/maths.js";
import { added, applied, entering, fedForward, layerNorm, logitsOf, openModel, turned } from "../_numbers/transformer.js";

const LONGEST = 24;
const START = "<start>";

export const inductionProblem = ({ model }) => ({ model: model && openModel(model) });

// Weights of every token on every other, from scores(t, s): softmax over the places that may be seen.
function weighed(n, seen, scores) {
  return Array.from({ length: n }, (_, t) => {
    const places = Array.from({ length: n }, (_, s) => s).filter((s) => seen(t, s));
    const weights = softmax(places.map((s) => scores(t, s)));
    const row = new Array(n).fill(0);
    places.forEach((s, k) => (row[s] = weights[k]));
    return row;
  });
}

const nothing = (n) => Array.from({ length: n }, () => new Array(n).fill(0));

const averaged = (weights, codes, size) =>
  weights.map((row) => {
    const shares = new Array(size).fill(0);
    row.forEach((weight, s) => (shares[codes[s]] += weight));
    return shares;
  });

const mean = (values) => (values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null);

// What two layers come to on a text: weights of layer 1 and 2, and after each token the shares of the next word.
function measured({ codes, again }, before, looks, shares) {
  const n = codes.length;
  const followers = (t) => looks[t].reduce((sum, weight, s) => (s > 0 && s <= t && codes[s - 1] === codes[t] ? sum + weight : sum), 0);
  return {
    previous: mean(before.slice(1).map((row, t) => row[t])),
    score: mean(again.map(followers)),
    right: mean(again.filter((t) => t < n - 1).map((t) => shares[t][codes[t + 1]])),
  };
}

function byHand(text, { back, match, causal, sharpness }) {
  const { codes, size, n } = text;
  const seen = (t, s) => !causal || s <= t;
  const before = back === "off" ? nothing(n) : weighed(n, seen, (t, s) => (s === t - Number(back) ? sharpness : 0));
  const fetched = averaged(before, codes, size);
  const looks = match ? weighed(n, seen, (t, s) => sharpness * fetched[s][codes[t]]) : nothing(n);
  const shares = averaged(looks, codes, size);
  return { fetched, looks: looks[n - 1], shares: shares[n - 1], ...measured(text, before, looks, shares) };
}

// One head of a trained layer: its weights, and what it brings to every token.
function attended({ width, turns }, { queriesKeysValues, output }, streams, seen) {
  const all = streams.map((stream) => applied(queriesKeysValues, layerNorm(stream)));
  const part = (which) => all.map((x) => x.subarray(which * width, (which + 1) * width));
  const [queries, keys] = [0, 1].map((which) => part(which).map((x, place) => turned(x, place, turns)));
  const weights = weighed(all.length, seen, (t, s) => dot(queries[t], keys[s]) / Math.sqrt(width));
  const values = part(2);
  const heard = weights.map((row) => {
    const sum = new Float64Array(width);
    row.forEach((weight, s) => weight && values[s].forEach((value, i) => (sum[i] += weight * value)));
    return applied(output, sum);
  });
  return [weights, heard];
}

function trained(model, text, { back, match, causal }) {
  const { codes, size, n } = text;
  const ahead = (t, s) => !causal || s <= t;
  const seen = [back === "0" ? (t, s) => s === t : ahead, ahead];
  const there = [back !== "off", match];
  let streams = codes.map((code) => entering(model, code));
  const [before, looks] = model.layers.map((layer, l) => {
    const [weights, heard] = there[l] ? attended(model, layer, streams, seen[l]) : [nothing(n), null];
    streams = streams.map((stream, t) => fedForward(layer, heard ? added(stream, heard[t]) : stream));
    return weights;
  });
  const shares = streams.map((stream) => softmax(Array.from(logitsOf(model, stream))));
  const last = Array.from(shares[n - 1]);
  return {
    fetched: averaged(before, codes, size),
    looks: looks[n - 1],
    shares: last.slice(0, size),
    other: last.slice(size).reduce((sum, share) => sum + share, 0),
    ...measured(text, before, looks, shares),
  };
}

export function inductionState({ model }, { text, ...settings }) {
  const words = [START, ...text.split(/[ \t\n\r\f\v]+/).filter(Boolean).slice(0, LONGEST)];
  const vocabulary = [...new Set(words)];
  const codes = words.map((word) => vocabulary.indexOf(word));
  const again = codes.map((_, t) => t).filter((t) => codes.indexOf(codes[t]) < t);
  const read = { codes, again, size: vocabulary.length, n: words.length };
  return { words, vocabulary, hand: byHand(read, settings), trained: model && trained(model, read, settings) };
}
