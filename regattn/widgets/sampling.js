// SamplingExplorer: logits → temperature → top k → top p → the distribution a word is drawn from.
import { explorer } from "./explorer.js";
import { isolate } from "./format.js";
import { softmax, sum } from "./maths.js";
import { shareBars } from "./tables.js";

const SHOWN = 12; // words with a bar of their own

// ---- numbers -------------------------------------------------------------------------------------------------------

// Places from the largest to the smallest value; of equals, the first comes first.
function descending(values) {
  return Array.from(values, (_, k) => k).sort((a, b) => values[b] - values[a] || a - b);
}

// The probabilities a word is drawn from; the same steps, in the same order, as regattn.transformer.generation.
function drawnFrom(logits, temperature, topK, topP) {
  const none = new Float64Array(logits.length);
  if (temperature === 0) {
    none[logits.indexOf(Math.max(...logits))] = 1;
    return none;
  }
  const top = Math.max(...logits);
  const p = softmax(logits.map((z) => (z - top) / temperature));
  if (topK === logits.length && topP === 1) return p;
  const order = descending(logits).slice(0, topK); // at a high temperature rounding ties p
  let kept = Float64Array.from(order, (k) => p[k]);
  let total = sum(kept);
  kept = kept.map((share) => share / total);
  let reached = 0;
  kept = kept.map((share) => {
    const before = reached;
    reached += share;
    return before < topP ? share : 0;
  });
  total = sum(kept);
  order.forEach((k, place) => (none[k] = kept[place] / total));
  return none;
}

function samplingState(logits, { temperature, topK, topP }) {
  const p = drawnFrom(logits, temperature, topK, topP);
  let entropy = 0;
  let possible = 0;
  for (const share of p) {
    if (share > 0) {
      entropy -= share * Math.log(share);
      possible += 1;
    }
  }
  return { p, entropy: entropy + 0, possible, best: p.indexOf(Math.max(...p)) };
}

// ---- the explorer --------------------------------------------------------------------------------------------------

function nextPanel({ logits, words }) {
  const orders = logits.map((row) => descending(row).slice(0, SHOWN));
  return {
    title: "Which word comes next",
    wide: true,
    make(host) {
      const bars = shareBars(host, { label: "Probability of the next word" });
      return ({ p, best, place }) => {
        const shown = orders[place];
        const shares = shown.map((k) => p[k]);
        const names = shown.map((k) => words[k]);
        if (words.length > shown.length) {
          names.push("all others");
          shares.push(Math.max(0, 1 - sum(shares)));
        }
        bars(names, shares, (share) => (share === 0 ? "0" : share.toFixed(3)), shown.indexOf(best));
      };
    },
  };
}

const render = explorer({
  name: "SamplingExplorer",
  compute({ logits, contexts }, { context, temperature, top_k, top_p }) {
    const place = contexts.indexOf(context);
    return { place, ...samplingState(logits[place], { temperature, topK: top_k, topP: top_p }) };
  },
  panels: (data) => ({ next: nextPanel(data) }),
  numbers: ({ words }) => [
    ["entropy", "entropy, nats", ({ entropy }) => entropy.toFixed(3)],
    ["choices", "a fair choice among", ({ entropy }) => `${Math.exp(entropy).toFixed(1)} words`],
    ["possible", "words that can be drawn", ({ possible }) => `${possible} of ${words.length}`],
  ],
  say: ({ p, best }, { words }) => `Most probable: ${isolate(words[best])}, with probability ${p[best].toFixed(3)}.`,
  result: ({ p, entropy, possible, best }, { words }) => ({
    probabilities: Array.from(p),
    entropy,
    possible,
    next_word: words[best],
  }),
});

export default { render };
