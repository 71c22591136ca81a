// Two layers built by hand: layer 1 fetches the word a step back, layer 2 looks where its own word was fetched.
import { softmax } from "../_numbers/maths.js";

const LONGEST = 24;
const START = "<start>";

// Weights of every token on every other, from scores(t, s): softmax over the places that may be seen.
function weighed(n, causal, scores) {
  return Array.from({ length: n }, (_, t) => {
    const seen = causal ? t + 1 : n;
    const weights = softmax(Array.from({ length: seen }, (_, s) => scores(t, s)));
    return Array.from({ length: n }, (_, s) => (s < seen ? weights[s] : 0));
  });
}

const averaged = (weights, codes, size) =>
  weights.map((row) => {
    const shares = new Array(size).fill(0);
    row.forEach((weight, s) => (shares[codes[s]] += weight));
    return shares;
  });

export function inductionState({ text, back, match, causal, sharpness }) {
  const words = [START, ...text.split(/[ \t\n\r\f\v]+/).filter(Boolean).slice(0, LONGEST)];
  const vocabulary = [...new Set(words)];
  const codes = words.map((word) => vocabulary.indexOf(word));
  const [n, size] = [words.length, vocabulary.length];
  const empty = () => Array.from({ length: n }, () => new Array(size).fill(0));
  const step = Number(back);
  const fetched = back === "off" ? empty() : averaged(weighed(n, causal, (t, s) => (s === t - step ? sharpness : 0)), codes, size);
  const looks = match ? weighed(n, causal, (t, s) => sharpness * fetched[s][codes[t]]) : Array.from({ length: n }, () => new Array(n).fill(0));
  const shares = averaged(looks, codes, size);
  const known = words.map((_, t) => t).filter((t) => t > 0 && t < n - 1 && words.slice(1, t).includes(words[t]));
  const came = known.map((t) => shares[t][codes[t + 1]]);
  const right = came.length ? came.reduce((sum, share) => sum + share, 0) / came.length : null;
  return { words, vocabulary, fetched, looks: looks[n - 1], shares: shares[n - 1], right };
}
