// The numbers behind the TokenExplorer, pure: what each cut of a text costs, and how a word was put together.
import { backFrom, bestEnds, cutWord, merged, openTokeniser, spelled, wordsOf } from "../_numbers/tokens.js";

const SIGNS = Array.from({ length: 95 }, (_, k) => String.fromCharCode(32 + k)).filter((sign) => !'"\\<'.includes(sign));
const HALF = SIGNS.length / 2;
const DIGITS = new Map(SIGNS.map((sign, digit) => [sign, digit]));

// Whole numbers from text, as _numerals.py writes them.
export function fromNumerals(text) {
  const numbers = [];
  let begun = 0;
  for (const sign of text) {
    const digit = DIGITS.get(sign);
    if (digit < HALF) numbers.push(begun * HALF + digit);
    begun = digit < HALF ? 0 : begun * HALF + digit - HALF;
  }
  return numbers;
}

// A tokeniser as it travels, with its lists again: tokens, pairs of merges, counts, and scores from their steps.
function unpacked({ tokens, merges, counts, scores, ...packed }) {
  const parts = fromNumerals(merges);
  const pairs = Array.from({ length: parts.length / 2 }, (_, k) => parts.slice(2 * k, 2 * k + 2));
  const found = { ...packed, tokens: tokens.split(" "), merges: pairs, counts: fromNumerals(counts) };
  if (scores === undefined) return found;
  let below = 0;
  return { ...found, scores: fromNumerals(scores).map((step) => (below += step % 2 ? -(step + 1) / 2 : step / 2) / -1e6) };
}

export function tokenProblem({ tokenizers }) {
  return tokenizers.map(unpacked).map((packed) => {
    const all = packed.counts.reduce((sum, count) => sum + count + 0.5, 0);
    return { ...openTokeniser(packed), bits: packed.counts.map((count) => -Math.log2((count + 0.5) / all)) };
  });
}

// The words that have a history: spaces alone at the end are none yet, unless there is nothing else.
export function shownWords(text, kind) {
  const words = wordsOf(text, kind);
  const space = kind === "bytes" ? /^Ġ+$/u : /^▁+$/u;
  const end = words.findLastIndex((word) => !space.test(word)) + 1;
  return end ? words.slice(0, end) : words;
}

function history(word, tokeniser) {
  const characters = Array.from(word);
  if (tokeniser.kind !== "unigram") return merged(characters, tokeniser).map((ids) => ids.map((id) => tokeniser.tokens[id]));
  const best = bestEnds(characters, tokeniser);
  return characters.map((_, k) => backFrom(k + 1, characters, best, false).map(({ piece }) => piece));
}

// Everything shown for one text and setting.
export function tokenState(problem, { text, tokenizer, word }) {
  const size = new TextEncoder().encode(text).length;
  const cuts = problem.map((tokeniser) => {
    const { kind, name, bits: costs } = tokeniser;
    const pieces = wordsOf(text, kind).flatMap((each) => cutWord(each, tokeniser));
    const bits = pieces.reduce((sum, { id }) => sum + costs[id], 0);
    const unseen = pieces.reduce((sum, { lost: gone, characters }) => sum + (gone ? characters : 0), 0);
    const lost = kind === "bytes" ? 0 : unseen + text.split("▁").length - 1;
    return { name, kind, pieces, bits, lost, size, perByte: bits / Math.max(1, size) };
  });
  const chosen = problem.find(({ name }) => name === tokenizer);
  const words = shownWords(text, chosen.kind);
  const at = Math.min(word, words.length);
  const shown = words[at - 1] ?? "";
  const lines = shown || chosen.kind !== "unigram" ? history(shown, chosen) : [];
  return { cuts, own: cuts.find(({ name }) => name === tokenizer), words, at, word: shown, history: lines, drawn: lines.map((line) => spelled(line, shown, chosen)), kind: chosen.kind };
}
