// What is learned, pure: the grammar's sentences, drawn here, or a text of bytes. A task has `vocabulary`, `texts` B and
// `length` T of a batch, batch(seed, step) → B (T + 1) tokens, held-out rows of T + 1 tokens and cost(row, place, log q)
// of one prediction there, what a sample begins with, how long it is at most and which token ends it, and `looked`, the
// tokens of the attention picture.
import { mulberry32 } from "../_numbers/maths.js";
import { drawOne } from "../_numbers/sampling.js";

const HELD = 2026; // the seed of held-out sentences

// Numbers in [0, 1) for one step of one seed.
export function chanceAt(seed, step) {
  return mulberry32(Math.imul(seed, 0x9e3779b1) ^ Math.imul(step + 1, 0x85ebca6b));
}

// A text of whole sentences, cut off: token 0, the full stop, then words drawn from the table of states, each
// [word, probability, state after it], by its column of probabilities. `states` takes the state after each token.
function sentence(table, shares, uniform, tokens, from, length, states = null) {
  let state = 0;
  for (let t = 0; t < length; t++) {
    if (t) {
      const [word, , after] = table[state][drawOne(shares[state], uniform())];
      tokens[from + t] = word;
      state = after;
    } else tokens[from] = 0;
    states?.push(state);
  }
}

export function grammarTask({ states: table, words, floor, looked, batch, held, length }) {
  const shares = table.map((row) => row.map(([, share]) => share));
  const drawn = (uniform, rows, states) => {
    const tokens = new Int32Array(rows * (length + 1));
    for (let b = 0; b < rows; b++) sentence(table, shares, uniform, tokens, b * (length + 1), length + 1, states);
    return tokens;
  };
  const after = [];
  const rows = drawn(mulberry32(HELD), held, after);
  return {
    vocabulary: words.length, texts: batch, length, looked, begin: [0], end: 0, longest: length,
    batch: (seed, step) => drawn(chanceAt(seed, step), batch),
    held: rows,
    // Σ p log(p / q): what the prediction costs beyond the floor
    cost: (b, t, logQ) => table[after[b * (length + 1) + t]].reduce((sum, [word, p]) => sum + p * (Math.log(p) - logQ[word]), 0),
    base: floor,
    wordsOf: (tokens) => tokens.map((token) => words[token]),
    written: (tokens) => tokens.slice(1).map((token) => words[token]).join(" "),
    // how many words of a sentence the grammar can have written, up to the first that it cannot
    lawful(tokens) {
      let state = 0;
      for (let k = 0; k < tokens.length; k++) {
        const step = table[state].find(([word]) => word === tokens[k]);
        if (!step) return k;
        state = step[2];
      }
      return tokens.length;
    },
    copied: () => [0, 0],
    begun: () => ({ tokens: [], lost: [], more: 0 }),
  }; // prettier-ignore
}

// The bytes of a text as numbers of those that occur, and where its held-out end begins.
export function bytesOf(text, length) {
  const bytes = new TextEncoder().encode(text);
  const known = [...new Set(bytes)].sort((a, b) => a - b);
  const number = new Map(known.map((byte, k) => [byte, k]));
  return { tokens: Int32Array.from(bytes, (byte) => number.get(byte)), known, cut: bytes.length - Math.max(length + 1, Math.floor(bytes.length / 10)) };
}

export function textTask(text, { batch, held, length, given, written, shown }) {
  const { tokens, known, cut } = bytesOf(text, length);
  const windows = Math.min(held, Math.floor((tokens.length - cut - 1) / length));
  const judged = (from, count) => {
    const rows = new Int32Array(count * (length + 1));
    for (let b = 0; b < count; b++) rows.set(tokens.subarray(from + b * length, from + (b + 1) * length + 1), b * (length + 1));
    return { held: rows, cost: (b, t, logQ) => -logQ[rows[b * (length + 1) + t + 1]] / Math.LN2 }; // bits of a byte
  };
  const learned = Array.from(tokens.subarray(0, cut), (token) => String.fromCharCode(token)).join("");
  return {
    vocabulary: known.length, texts: batch, length, begin: Array.from(tokens.subarray(0, given)), end: null, longest: written,
    looked: Array.from(tokens.subarray(cut, cut + shown)),
    batch(seed, step) {
      const uniform = chanceAt(seed, step);
      const found = new Int32Array(batch * (length + 1));
      for (let b = 0; b < batch; b++) {
        const from = Math.floor(uniform() * (cut - length));
        found.set(tokens.subarray(from, from + length + 1), b * (length + 1));
      }
      return found;
    },
    ...judged(cut, windows),
    own: judged(0, Math.min(held, Math.floor((cut - 1) / length))), // the beginning of what is learned
    base: 0,
    counted: { tokens, cut, windows, length, vocabulary: known.length },
    outside: tokens.subarray(cut),
    bytes: known,
    wordsOf: (found) => found.map((token) => String.fromCharCode(known[token])),
    written: (found) => new TextDecoder().decode(Uint8Array.from(found, (token) => known[token])),
    lawful: (found) => found.length,
    // what is read of a beginning: its tokens, the characters that the text has not, and how many bytes it is too long
    begun(typed) {
      const [room, bytes] = [length - written + given, (char) => [...new TextEncoder().encode(char)]];
      const read = (char) => bytes(char).every((byte) => known.includes(byte));
      const all = [...typed].filter(read).flatMap(bytes).map((byte) => known.indexOf(byte));
      return { tokens: all.slice(-room), lost: [...new Set(typed)].filter((char) => !read(char)), more: Math.max(0, all.length - room), room };
    },
    // the longest piece that stands in what is learned, of what was written: [where it begins, its length]
    copied(found, from = given) {
      const written = String.fromCharCode(...found);
      let [at, longest] = [from, 0];
      for (let k = from; k < written.length; k++) {
        while (k + longest < written.length && learned.includes(written.slice(k, k + longest + 1))) [at, longest] = [k, longest + 1];
      }
      return [at, longest];
    },
  }; // prettier-ignore
}
