// Batches, dealt in the same order in _kit/page_rng.py.
import { mulberry32 } from "./maths.js";

// A function that deals the next batch of row numbers: all rows shuffled, dealt out, shuffled again.
export function dealer(n, size, seed) {
  const uniform = mulberry32(seed);
  const order = new Uint32Array(n);
  let next = n;
  return () => {
    if (next >= n) {
      order.forEach((_, i) => (order[i] = i));
      for (let i = n - 1; i > 0; i--) {
        const j = Math.floor(uniform() * (i + 1));
        [order[i], order[j]] = [order[j], order[i]];
      }
      next = 0;
    }
    const rows = order.subarray(next, Math.min(n, next + size));
    next += size;
    return rows;
  };
}
