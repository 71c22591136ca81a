// The numbers behind the WriterExplorer, pure: words copied from where the same few words stand before.
import { mulberry32 } from "../_numbers/maths.js";

const WRITTEN = 40; // words, here and in __init__.py

// The words of a text and where each of them stands.
export function writerText(text) {
  const words = text.split(/[ \t\n\r\f\v]+/).filter(Boolean);
  const where = new Map();
  words.forEach((word, place) => (where.has(word) ? where.get(word).push(place) : where.set(word, [place])));
  return { words, where };
}

// The places whose word may be copied: those after the last `size` words written, for the largest size that has any.
function placesAfter(written, { words, where }, most) {
  for (let size = Math.min(most, written.length); size > 0; size -= 1) {
    const before = written.slice(-size);
    const agrees = (place) => place >= size && before.every((word, k) => words[place - size + k] === word);
    const places = where.get(before[size - 1]).map((place) => place + 1).filter((place) => place < words.length && agrees(place)); // prettier-ignore
    if (places.length) return { places, size };
  }
  return { places: null, size: 0 };
}

// The first of the longest runs that stand in the text: how long it is, and its first word, from 0.
function longestRun(written, { where }) {
  let [longest, from, ends] = [0, 0, new Map()];
  written.forEach((word, k) => {
    const before = ends;
    ends = new Map(where.get(word).map((place) => [place, (before.get(place - 1) ?? 0) + 1]));
    const most = Math.max(...ends.values());
    if (most > longest) [longest, from] = [most, k + 1 - most];
  });
  return { longest, from };
}

// Everything shown for one text and setting.
export function writerState(text, { order, seed }) {
  const uniform = mulberry32(seed);
  const [written, counts, agree] = [[], [], []];
  for (let k = 0; k < WRITTEN; k += 1) {
    const { places, size } = placesAfter(written, text, order - 1);
    const count = places ? places.length : text.words.length;
    const drawn = Math.floor(uniform() * count);
    written.push(text.words[places ? places[drawn] : drawn]);
    counts.push(count);
    agree.push(size);
  }
  const forced = counts.slice(1).filter((count) => count === 1).length;
  return { words: written, places: counts, agree, forced, ...longestRun(written, text) };
}
