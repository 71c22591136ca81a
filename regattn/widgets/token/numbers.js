// The numbers behind the TokenExplorer, pure: a text cut into words, and words into tokens, as the library does it.
const SPACE = "\\p{White_Space}";
const WORDS = {
  bytes: new RegExp(`'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^${SPACE}\\p{L}\\p{N}]+|${SPACE}+(?!${SPACE.replace("p", "P")})|${SPACE}+`, "gu"),
  spaced: /▁?[^▁]+|▁/gu,
};
const UNSEEN = 10; // how much worse than the worst piece a character is that no piece has

// The character in which the library writes a byte: itself where it can be printed, else one from 256 on.
const BYTE_CHARACTERS = (() => {
  const plain = (byte) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(plain(byte) ? byte : next++));
})();
const CHARACTER_BYTES = new Map(BYTE_CHARACTERS.map((character, byte) => [character, byte]));

export function tokenProblem({ tokenizers }) {
  return tokenizers.map(({ counts, ...packed }) => {
    const { merges, scores } = packed;
    const tokens = [...packed.tokens];
    const ids = new Map(tokens.map((token, id) => [token, id]));
    for (const [a, b] of merges) {
      const token = tokens[a] + tokens[b]; // the page does not carry what the merges spell
      if (ids.has(token)) continue;
      ids.set(token, tokens.length);
      tokens.push(token);
    }
    const ranks = new Map(merges.map(([a, b], rank) => [a * tokens.length + b, rank]));
    const all = counts.reduce((sum, count) => sum + count + 0.5, 0);
    const longest = Math.max(...tokens.map((token) => Array.from(token).length));
    const worst = scores ? Math.min(...scores) - UNSEEN : 0;
    return { ...packed, tokens, ids, ranks, longest, worst, bits: counts.map((count) => -Math.log2((count + 0.5) / all)) };
  });
}

export function wordsOf(text, kind) {
  if (kind !== "bytes") return text.replaceAll(" ", "▁").match(WORDS.spaced) ?? [];
  const encode = (word) => Array.from(new TextEncoder().encode(word), (byte) => BYTE_CHARACTERS[byte]).join("");
  return (text.match(WORDS.bytes) ?? []).map(encode);
}

// The words that have a history: spaces alone at the end are none yet, unless there is nothing else.
export function shownWords(text, kind) {
  const words = wordsOf(text, kind);
  const space = kind === "bytes" ? /^Ġ+$/u : /^▁+$/u;
  const end = words.findLastIndex((word) => !space.test(word)) + 1;
  return end ? words.slice(0, end) : words;
}

// Byte pairs: the oldest merge first, the leftmost of equals.
function merged(characters, { tokens, ids, ranks }) {
  const parts = characters.map((character) => ids.get(character) ?? 0);
  const steps = [[...parts]];
  for (;;) {
    let [at, oldest] = [-1, Infinity];
    for (let k = 0; k + 1 < parts.length; k += 1) {
      const rank = ranks.get(parts[k] * tokens.length + parts[k + 1]) ?? Infinity;
      if (rank < oldest) [at, oldest] = [k, rank];
    }
    if (at < 0) return steps;
    parts.splice(at, 2, ids.get(tokens[parts[at]] + tokens[parts[at + 1]]));
    steps.push([...parts]);
  }
}

// Unigram: the pieces with the largest sum of scores; the best of every beginning leads to the best of the whole.
function bestEnds(characters, { ids, scores, longest, worst }) {
  const best = characters.map(() => null);
  const offer = (start, end, score, unseen) => {
    const sum = score + (start ? best[start - 1].sum : 0);
    if (!best[end - 1] || sum > best[end - 1].sum) best[end - 1] = { sum, start, unseen };
  };
  characters.forEach((character, start) => {
    for (let end = start + 1; end <= Math.min(characters.length, start + longest); end += 1) {
      const id = ids.get(characters.slice(start, end).join(""));
      if (id !== undefined) offer(start, end, scores[id], id === 0);
    }
    if (!ids.has(character)) offer(start, start + 1, worst, true);
  });
  return best;
}

function backFrom(end, characters, best, joined) {
  const pieces = [];
  while (end > 0) {
    const { start, unseen } = best[end - 1];
    const piece = characters.slice(start, end).join("");
    if (joined && unseen && pieces[0]?.unseen) pieces[0].piece = piece + pieces[0].piece;
    else pieces.unshift({ piece, unseen });
    end = start;
  }
  return pieces;
}

// The tokens of a word: [{ id, token }], as the library writes them.
function cutWord(word, tokeniser) {
  const characters = Array.from(word);
  if (tokeniser.kind !== "unigram") return spelled(merged(characters, tokeniser).at(-1).map((id) => tokeniser.tokens[id]), word, tokeniser);
  return spelled(backFrom(characters.length, characters, bestEnds(characters, tokeniser), true).map(({ piece }) => piece), word, tokeniser);
}

// The tokens with their numbers and the characters that they stand for, also where those are lost.
function spelled(tokens, word, { ids, kind }) {
  const characters = Array.from(word);
  return tokens.map((token) => {
    const id = ids.get(token) ?? 0;
    const lost = kind !== "bytes" && id === 0;
    const own = characters.splice(0, lost && kind !== "unigram" ? 1 : Array.from(token).length);
    return { id, token, text: own.join(""), lost, characters: own.length };
  });
}

function history(word, tokeniser) {
  const characters = Array.from(word);
  if (tokeniser.kind !== "unigram") return merged(characters, tokeniser).map((ids) => ids.map((id) => tokeniser.tokens[id]));
  const best = bestEnds(characters, tokeniser);
  return characters.map((_, k) => backFrom(k + 1, characters, best, false).map(({ piece }) => piece));
}

// A token as people read it: its bytes as text where they are one, else in hexadecimal digits.
export function readable(token, kind) {
  if (kind !== "bytes") return token;
  const bytes = Uint8Array.from(token, (character) => CHARACTER_BYTES.get(character));
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes).replaceAll(" ", "▁");
  } catch {
    return Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");
  }
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
