// A language model that trains, pure: the sums of regattn/transformer/_by_hand.py on one array of doubles. RMS norms, ReLU,
// rotary positions, no offsets, one matrix that embeds and scores. Letters: B texts, T tokens, N = B T, D width, H heads,
// d = D / H, F hidden units, V tokens, here filled up to a multiple of four by rows of zeros.
import { productsOn } from "./products.js";

const EPSILON = 1e-6; // of the norms
const [FIRST, SECOND, TINY] = [0.9, 0.95, 1e-8]; // of Adam

// The weights in their order, [name, rows, columns]; a gain has one row.
export function shapesOf({ vocabulary, width: D, hidden: F, layers }) {
  const blocks = Array.from({ length: layers }, (_, l) => [
    [`gain_1.${l}`, 1, D], [`projection.${l}`, D, 3 * D], [`output.${l}`, D, D],
    [`gain_2.${l}`, 1, D], [`keys.${l}`, D, F], [`values.${l}`, F, D],
  ]); // prettier-ignore
  return [["embedding", vocabulary, D], ...blocks.flat(), ["gain", 1, D]];
}

// The weights before the first step, from numbers in [0, 1).
export function firstWeights(sizes, uniform) {
  const found = [];
  for (const [name, rows, columns] of shapesOf(sizes)) {
    const writes = /^(output|values)/.test(name);
    const spread = (name === "embedding" ? columns : rows) ** -0.5 / (writes ? Math.sqrt(2 * sizes.layers) : 1);
    for (let k = 0; k < rows * columns; k++) found.push(rows === 1 ? 1 : (2 * uniform() - 1) * (Math.sqrt(3) * spread));
  }
  return Float64Array.from(found);
}

// A model that reads at most `tokens` tokens at once, in texts of at most `length`.
export function makeModel(sizes, { tokens: most, length, plain }) {
  const { vocabulary: V, width: D, n_heads: H, hidden: F, layers } = sizes;
  const W = 4 * Math.ceil(V / 4); // the vocabulary, filled up
  const d = D / H;
  let size = 0;
  const room = (count) => (size += count) - count;
  const shapes = shapesOf(sizes);
  const places = {};
  for (const [name, rows, columns] of shapes) places[name] = room((name === "embedding" ? W : rows) * columns);
  const count = size;
  const [slopes, first, second] = [room(count), room(count), room(count)];
  const N = most;
  const scores = N * H * length; // B H T T numbers
  const block = () => ({
    unit1: room(N * D), scale1: room(N), in1: room(N * D), projected: room(3 * N * D), weights: room(scores),
    gathered: room(N * D), unit2: room(N * D), scale2: room(N), in2: room(N * D), hidden: room(N * F), out: room(N * D),
  }); // prettier-ignore
  const stream = room(N * D);
  const kept = Array.from({ length: layers }, block);
  const [unit, scale, normed, logits] = [room(N * D), room(N), room(N * D), room(N * W)];
  const [u, du, dr, wide, dh, part] = [room(N * D), room(N * D), room(N * D), room(3 * N * D), room(N * F), room(N * D)];
  const [turned, square, other] = [room(Math.max(W * D, F * D, 3 * D * D)), room(length * length), room(length * d)];
  const { heap, product, vectors } = productsOn(size, { plain });
  const [cosines, sines] = [new Float64Array((length * d) / 2), new Float64Array((length * d) / 2)];
  for (let t = 0; t < length; t++) {
    for (let i = 0; i < d / 2; i++) {
      const angle = t * 10000 ** ((-2 * i) / d);
      cosines[(t * d) / 2 + i] = Math.cos(angle);
      sines[(t * d) / 2 + i] = Math.sin(angle);
    }
  }

  // C = A B for A (M × K) and B (K × P), and C = A'B for A (K × M): rows one after another.
  const times = (c, a, b, M, P, K) => product(c, a, b, M, P, K, K, 1, P, P);
  const across = (c, a, b, M, P, K) => product(c, a, b, M, P, K, 1, M, P, P);
  // The transpose of `rows` × `columns` numbers from `from`, whose rows are `stride` apart.
  function transpose(to, from, rows, columns, stride = columns) {
    for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) heap[to + j * rows + i] = heap[from + i * stride + j];
    return to;
  }

  function norm(x, gain, toUnit, toScale, to, n) {
    for (let row = 0; row < n; row++) {
      let total = 0;
      for (let i = row * D; i < row * D + D; i++) total += heap[x + i] * heap[x + i];
      const factor = 1 / Math.sqrt(total / D + EPSILON);
      heap[toScale + row] = factor;
      for (let i = 0, at = row * D; i < D; i++, at++) heap[to + at] = (heap[toUnit + at] = heap[x + at] * factor) * heap[gain + i];
    }
  }
  // `to` becomes the slope by x, plus what `plus` holds; the slope by the gain is added up.
  function normBack(slope, fromUnit, fromScale, gain, toGain, to, plus, n) {
    heap.fill(0, toGain, toGain + D);
    for (let row = 0; row < n; row++) {
      let along = 0;
      for (let i = 0, at = row * D; i < D; i++, at++) {
        const s = heap[slope + at] * heap[fromUnit + at];
        heap[toGain + i] += s;
        along += s * heap[gain + i];
      }
      along /= D;
      const factor = heap[fromScale + row];
      for (let i = 0, at = row * D; i < D; i++, at++) {
        const back = factor * (heap[slope + at] * heap[gain + i] - heap[fromUnit + at] * along);
        heap[to + at] = plus === null ? back : heap[plus + at] + back;
      }
    }
  }
  // Pairs of coordinates of queries and keys turned by their place, forwards or back.
  function turn(x, n, T, way) {
    for (let row = 0; row < n; row++) {
      const angle = ((row % T) * d) / 2;
      for (let h = 0; h < 2 * H; h++) {
        for (let i = 0, at = x + row * 3 * D + h * d; i < d / 2; i++, at += 2) {
          const c = cosines[angle + i], s = way * sines[angle + i], even = heap[at], odd = heap[at + 1]; // an array here is garbage
          heap[at] = even * c - odd * s;
          heap[at + 1] = even * s + odd * c;
        }
      }
    }
  }
  // A row of scores becomes a row of weights: what comes later has none.
  function weigh(row, seen, T, factor) {
    let top = -Infinity;
    for (let j = row; j < row + seen; j++) if ((heap[j] *= factor) > top) top = heap[j];
    let total = 0;
    for (let j = row; j < row + seen; j++) total += heap[j] = Math.exp(heap[j] - top);
    for (let j = 0; j < seen; j++) heap[row + j] /= total;
    heap.fill(0, row + seen, row + T);
  }

  function attend({ projected, weights, gathered }, B, T) {
    turn(projected, B * T, T, 1);
    for (let b = 0; b < B; b++) {
      for (let h = 0; h < H; h++) {
        const query = projected + b * T * 3 * D + h * d;
        const own = weights + (b * H + h) * T * T;
        product(own, query, transpose(other, query + D, T, d, 3 * D), T, T, d, 3 * D, 1, T, T);
        for (let t = 0; t < T; t++) weigh(own + t * T, t + 1, T, 1 / Math.sqrt(d));
        product(gathered + b * T * D + h * d, own, query + 2 * D, T, d, T, T, 1, 3 * D, D);
      }
    }
  }
  // From the slope by what was gathered, in `part`, to that by queries, keys and values, in `wide`.
  function attendBack({ projected, weights }, B, T) {
    for (let b = 0; b < B; b++) {
      for (let h = 0; h < H; h++) {
        const [query, slope, own] = [projected + b * T * 3 * D + h * d, part + b * T * D + h * d, weights + (b * H + h) * T * T];
        const to = wide + b * T * 3 * D + h * d;
        product(to + 2 * D, own, slope, T, d, T, 1, T, D, 3 * D);
        product(square, slope, transpose(other, query + 2 * D, T, d, 3 * D), T, T, d, D, 1, T, T);
        for (let t = 0; t < T; t++) {
          let along = 0;
          for (let j = t * T; j <= t * T + t; j++) along += heap[square + j] * heap[own + j];
          for (let j = t * T; j < t * T + T; j++) heap[square + j] = (heap[own + j] * (heap[square + j] - along)) / Math.sqrt(d);
        }
        product(to, square, query + D, T, d, T, T, 1, 3 * D, 3 * D);
        product(to + D, square, query, T, d, T, 1, T, 3 * D, 3 * D);
      }
    }
    turn(wide, B * T, T, -1);
  }

  // Read B texts of T tokens (a multiple of four of them in all): logits, and what the way back needs.
  function read(tokens, B, T) {
    const n = B * T;
    for (let row = 0; row < n; row++) {
      const from = places.embedding + tokens[row] * D;
      for (let i = 0; i < D; i++) heap[stream + row * D + i] = heap[from + i] * Math.sqrt(D);
    }
    let x = stream;
    for (let l = 0; l < layers; l++) {
      const at = kept[l];
      const w = (name) => places[`${name}.${l}`];
      norm(x, w("gain_1"), at.unit1, at.scale1, at.in1, n);
      times(at.projected, at.in1, w("projection"), n, 3 * D, D);
      attend(at, B, T);
      times(u, at.gathered, w("output"), n, D, D);
      for (let i = 0; i < n * D; i++) heap[u + i] += heap[x + i];
      norm(u, w("gain_2"), at.unit2, at.scale2, at.in2, n);
      times(at.hidden, at.in2, w("keys"), n, F, D);
      for (let i = at.hidden; i < at.hidden + n * F; i++) if (!(heap[i] > 0)) heap[i] = 0;
      times(at.out, at.hidden, w("values"), n, D, F);
      for (let i = 0; i < n * D; i++) heap[at.out + i] += heap[u + i];
      x = at.out;
    }
    norm(x, places.gain, unit, scale, normed, n);
    times(logits, normed, transpose(turned, places.embedding, W, D), n, W, D);
  }
  function largest(row) {
    let top = -Infinity;
    for (let k = row; k < row + V; k++) if (heap[k] > top) top = heap[k];
    return top;
  }
  // A row of logits becomes log q; returns nothing.
  function logShares(row) {
    let top = largest(row);
    let total = 0;
    for (let k = row; k < row + V; k++) total += Math.exp(heap[k] - top);
    top += Math.log(total);
    for (let k = row; k < row + V; k++) heap[k] -= top;
  }
  // A row of logits becomes the slope by it of -log q of one token, over n; returns that.
  function logitsBack(row, token, n) {
    const [top, own] = [largest(row), heap[row + token]];
    let total = 0;
    for (let k = row; k < row + V; k++) total += heap[k] = Math.exp(heap[k] - top);
    for (let k = row; k < row + V; k++) heap[k] /= total * n;
    heap[row + token] -= 1 / n;
    heap.fill(0, row + V, row + W);
    return Math.log(total) - (own - top);
  }

  // The gradient after read(); `next` has the token that came after each. Returns the loss.
  function back(tokens, next, B, T) {
    const n = B * T;
    let loss = 0;
    for (let row = 0; row < n; row++) loss += logitsBack(logits + row * W, next[row], n);
    const slope = (name) => slopes + places[name];
    across(slope("embedding"), logits, normed, W, D, n);
    times(part, logits, places.embedding, n, D, W);
    normBack(part, unit, scale, places.gain, slope("gain"), dr, null, n);
    for (let l = layers - 1; l >= 0; l--) {
      const at = kept[l];
      const w = (name) => places[`${name}.${l}`];
      const s = (name) => slope(`${name}.${l}`);
      across(s("values"), at.hidden, dr, F, D, n);
      times(dh, dr, transpose(turned, w("values"), F, D), n, F, D);
      for (let i = 0; i < n * F; i++) if (!(heap[at.hidden + i] > 0)) heap[dh + i] = 0;
      across(s("keys"), at.in2, dh, D, F, n);
      times(part, dh, transpose(turned, w("keys"), D, F), n, D, F);
      normBack(part, at.unit2, at.scale2, w("gain_2"), s("gain_2"), du, dr, n);
      across(s("output"), at.gathered, du, D, D, n);
      times(part, du, transpose(turned, w("output"), D, D), n, D, D);
      attendBack(at, B, T);
      across(s("projection"), at.in1, wide, D, 3 * D, n);
      times(part, wide, transpose(turned, w("projection"), D, 3 * D), n, D, 3 * D);
      normBack(part, at.unit1, at.scale1, w("gain_1"), s("gain_1"), dr, du, n);
    }
    for (let row = 0; row < n; row++) {
      const to = slope("embedding") + tokens[row] * D;
      for (let i = 0; i < D; i++) heap[to + i] += heap[dr + row * D + i] * Math.sqrt(D);
    }
    return loss / n;
  }

  // Step number `step`, from 1, of Adam against the gradient.
  function move(rate, step) {
    const [along, under] = [rate / (1 - FIRST ** step), 1 / (1 - SECOND ** step)];
    for (let k = 0; k < count; k++) {
      const g = heap[slopes + k];
      const m = (heap[first + k] = FIRST * heap[first + k] + (1 - FIRST) * g);
      const v = (heap[second + k] = SECOND * heap[second + k] + (1 - SECOND) * g * g);
      heap[k] -= (along * m) / (Math.sqrt(v * under) + TINY);
    }
  }

  const filled = (W - V) * D; // zeros behind the embedding
  const without = (from) => {
    const all = heap.slice(from, from + count);
    all.copyWithin(V * D, V * D + filled);
    return all.subarray(0, count - filled).slice();
  };
  const restore = (to, values) => {
    heap.set(values.subarray(0, V * D), to);
    heap.fill(0, to + V * D, to + W * D);
    heap.set(values.subarray(V * D), to + W * D);
  };
  return {
    vectors, read, back, move,
    weights: () => without(0),
    moments: () => [without(first), without(second)],
    load(weights, moments = null) {
      restore(0, weights);
      if (moments) [first, second].forEach((to, k) => restore(to, moments[k]));
      else heap.fill(0, first, first + 2 * count);
    },
    // After read(): log q of the token after row `row`, a view that the next read changes.
    logShares(row) {
      logShares(logits + row * W);
      return heap.subarray(logits + row * W, logits + row * W + V);
    },
    // After read(): the weights of head h of block l on text b, a view as well.
    headWeights: (l, b, h, T) => heap.subarray(kept[l].weights + (b * H + h) * T * T, kept[l].weights + (b * H + h + 1) * T * T),
  }; // prettier-ignore
}
