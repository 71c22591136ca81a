// The numbers behind the TokenExplorer, pure: what each cut of a text costs, and how a word was put together.
import { backFrom, bestEnds, cutWord, merged, openTokeniser, spelled, wordsOf } from "../_numbers/tokens.js";

export function tokenProblem({ tokenizers }) {
  return tokenizers.map((packed) => {
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
