// From logits to a drawn word, pure: temperature, top k, top p, then chance.
import { softmax, sum } from "./maths.js";

// Places from the largest to the smallest value; of equals, the first comes first.
export function descending(values) {
  return Array.from(values, (_, k) => k).sort((a, b) => values[b] - values[a] || a - b);
}

// The probabilities a word is drawn from; the same steps, in the same order, as regattn.transformer.generation.
export function drawnFrom(logits, temperature, topK, topP) {
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

// The place of one word drawn from p with a number in [0, 1); a word without probability is never drawn, whatever
// rounding does.
export function drawOne(p, uniform) {
  let last = 0;
  for (let k = 0, left = uniform; k < p.length && left >= 0; k++) {
    if (p[k] > 0) last = k;
    left -= p[k];
  }
  return last;
}

// The mean surprise of a distribution, in nats.
export function entropyOf(p) {
  let total = 0;
  for (const share of p) if (share > 0) total -= share * Math.log(share);
  return total + 0;
}
