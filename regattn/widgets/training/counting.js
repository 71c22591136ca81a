// Counting, pure: interpolated Kneser–Ney over bytes, as regattn/words/ngrams.py has it.

const DISCOUNT = 0.75;

// For every length of context from 0 on: context → { seen: token → count, total }.
function countsOf(tokens, order) {
  let grams = new Map(); // as texts: a token is a character
  const text = Array.from(tokens, (token) => String.fromCharCode(token)).join("");
  for (let k = 0; k + order <= text.length; k++) {
    const gram = text.slice(k, k + order);
    grams.set(gram, (grams.get(gram) ?? 0) + 1);
  }
  const found = [];
  for (let length = order; length > 0; length--) {
    const contexts = new Map();
    const shorter = new Map();
    for (const [gram, count] of grams) {
      const context = gram.slice(0, -1);
      const own = contexts.get(context) ?? { seen: new Map(), total: 0 };
      own.seen.set(gram.at(-1), count);
      own.total += count;
      contexts.set(context, own);
      shorter.set(gram.slice(1), (shorter.get(gram.slice(1)) ?? 0) + 1); // in how many contexts, not how often
    }
    found.unshift(contexts);
    grams = shorter;
  }
  return { text, contexts: found };
}

// How probable a token is behind those before it: each longer context that was seen, over the one below.
function shareOf(contexts, before, token, vocabulary) {
  let p = 1 / vocabulary;
  for (let size = 0; size < contexts.length && size <= before.length; size++) {
    const own = contexts[size].get(before.slice(before.length - size));
    if (!own) break;
    p *= (DISCOUNT * own.seen.size) / own.total;
    p += Math.max((own.seen.get(token) ?? DISCOUNT) - DISCOUNT, 0) / own.total;
  }
  return p;
}

// What counting expects behind some tokens, by the n-grams of what is learned.
export function countedNext({ tokens, cut, vocabulary }, order) {
  const { contexts } = countsOf(tokens.subarray(0, cut), order);
  return (behind) => {
    const before = String.fromCharCode(...behind.slice(-order));
    return Array.from({ length: vocabulary }, (_, token) => shareOf(contexts, before, String.fromCharCode(token), vocabulary));
  };
}

// Bits per byte of the held-out windows, by the n-grams of what stands before them, for the orders 1, 2, …
export function countedBits({ tokens, cut, windows, length, vocabulary }, orders) {
  const held = Array.from(tokens, (token) => String.fromCharCode(token)).join("");
  return orders.map((order) => {
    const { contexts } = countsOf(tokens.subarray(0, cut), order);
    let bits = 0;
    for (let k = cut + 1; k <= cut + windows * length; k++) bits -= Math.log2(shareOf(contexts, held.slice(Math.max(0, k - order), k), held[k], vocabulary));
    return bits / (windows * length);
  });
}
