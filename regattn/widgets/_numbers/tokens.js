// A text cut into words, and words into tokens, pure: as the library does it.
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

// A tokeniser that comes without the tokens which its merges spell, complete again, with what cutting needs.
export function openTokeniser({ counts, ...packed }) {
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
  const longest = Math.max(...tokens.map((token) => Array.from(token).length));
  const worst = scores ? Math.min(...scores) - UNSEEN : 0;
  return { ...packed, tokens, ids, ranks, longest, worst };
}

export function wordsOf(text, kind) {
  if (kind !== "bytes") return text.replaceAll(" ", "▁").match(WORDS.spaced) ?? [];
  const encode = (word) => Array.from(new TextEncoder().encode(word), (byte) => BYTE_CHARACTERS[byte]).join("");
  return (text.match(WORDS.bytes) ?? []).map(encode);
}

// Byte pairs: the oldest merge first, the leftmost of equals.
export function merged(characters, { tokens, ids, ranks }) {
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
export function bestEnds(characters, { ids, scores, longest, worst }) {
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

export function backFrom(end, characters, best, joined) {
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
export function cutWord(word, tokeniser) {
  const characters = Array.from(word);
  if (tokeniser.kind !== "unigram") return spelled(merged(characters, tokeniser).at(-1).map((id) => tokeniser.tokens[id]), word, tokeniser);
  return spelled(backFrom(characters.length, characters, bestEnds(characters, tokeniser), true).map(({ piece }) => piece), word, tokeniser);
}

// The tokens with their numbers and the characters that they stand for, also where those are lost.
export function spelled(tokens, word, { ids, kind }) {
  const characters = Array.from(word);
  return tokens.map((token) => {
    const id = ids.get(token) ?? 0;
    const lost = kind !== "bytes" && id === 0;
    const own = characters.splice(0, lost && kind !== "unigram" ? 1 : Array.from(token).length);
    return { id, token, text: own.join(""), lost, characters: own.length };
  });
}

// The tokens of a text.
export function cutText(text, tokeniser) {
  return wordsOf(text, tokeniser.kind).flatMap((word) => cutWord(word, tokeniser));
}

// The text that tokens spell; where bytes are cut within a character, a sign for what cannot be read.
export function textOf(tokens, kind) {
  if (kind !== "bytes") return tokens.join("").replaceAll("▁", " ");
  const bytes = Uint8Array.from(tokens.join(""), (character) => CHARACTER_BYTES.get(character));
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
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
