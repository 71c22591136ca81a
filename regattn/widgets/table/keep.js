// Which rows of a long table are kept: its last, its first, or some at random.
import { limits } from "./design.js";

const CELLS = 500_000;
const LEAST = 1000;

// Rows of so many columns that are kept at most.
export function roomFor(width) {
  return Math.max(LEAST, Math.min(limits().rows, Math.floor(CELLS / width)));
}

// The place of a row in a random order of all: the last step of MurmurHash3, which maps no two numbers to one.
export function drawOf(row, seed) {
  let key = (row + Math.imul(seed, 0x9e3779b1)) >>> 0;
  for (const [shift, factor] of [[16, 0x85ebca6b], [13, 0xc2b2ae35], [16, 1]]) key = Math.imul(key ^ (key >>> shift), factor) >>> 0; // prettier-ignore
  return key;
}

// Takes rows one by one: `add(row)`, then `kept()` of them and the `count()` of all. `seed` 0 stands for no chance.
export function keeper({ first, seed }, room) {
  let held = [];
  let count = 0;
  let most = Infinity; // a draw above it is not among the least
  const cut = () => {
    if (!seed) held = held.slice(-room);
    else held = held.sort((a, b) => a.draw - b.draw).slice(0, room);
    if (seed && held.length === room) most = held.at(-1).draw;
  };
  return {
    add(row) {
      const draw = seed ? drawOf(count, seed) : 0;
      if (draw < most && !(first && held.length === room)) held.push(seed ? { ...row, place: count, draw } : row);
      count += 1;
      if (held.length >= 2 * room) cut();
    },
    kept() {
      if (held.length > room) cut();
      return seed ? held.sort((a, b) => a.place - b.place) : held;
    },
    count: () => count,
  };
}
