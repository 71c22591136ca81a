// A trained language model in the page, pure: a word is read at a time, and what was read before is kept in its rows.
// Letters: D width, H heads, d = D / H, V words. The same sums as regattn/transformer/inference.py; rotary positions,
// a norm before what it normalises, its gain and offset folded into the map that follows: (g n + b) W + c.
import { erf } from "./erf.js";
import { dot, mean, softmax } from "./maths.js";

// Numbers of 16 bits (IEEE half precision), two of them as five digits to the base 85, as doubles. The digits are the
// characters from # on, without those that have a meaning in a page or a string: & < > and the backslash.
export function halves(text) {
  const places = new Uint8Array(128);
  for (let code = 35, place = 0; place < 85; code++) if (![38, 60, 62, 92].includes(code)) places[code] = place++;
  const numbers = new Float64Array((2 * text.length) / 5);
  const powers = Float64Array.from({ length: 32 }, (_, e) => 2 ** (Math.max(e, 1) - 25));
  const half = (bits) => {
    const exponent = (bits >> 10) & 31;
    const size = ((bits & 1023) + (exponent ? 1024 : 0)) * powers[exponent];
    return bits & 32768 ? -size : size;
  };
  for (let k = 0, at = 0; at < text.length; k += 2) {
    let pair = 0;
    for (const end = at + 5; at < end; at++) pair = pair * 85 + places[text.charCodeAt(at)];
    numbers[k] = half(pair >>> 16);
    numbers[k + 1] = half(pair & 65535);
  }
  return numbers;
}

// y = W x + b for W of shape (out, in), row after row; four rows at a time, so that no sum waits for another.
export function applied({ weight, bias }, x) {
  const n = x.length;
  const y = new Float64Array(bias);
  let o = 0;
  for (; o + 4 <= y.length; o += 4) {
    let [a, b, c, e] = [0, 0, 0, 0];
    for (let i = 0, at = o * n; i < n; i++, at++) {
      a += weight[at] * x[i];
      b += weight[at + n] * x[i];
      c += weight[at + 2 * n] * x[i];
      e += weight[at + 3 * n] * x[i];
    }
    y[o] += a;
    y[o + 1] += b;
    y[o + 2] += c;
    y[o + 3] += e;
  }
  for (; o < y.length; o++) y[o] += dot(weight.subarray(o * n, o * n + n), x);
  return y;
}

// The map W (g n + b) + c as one matrix and one offset.
function folded(weight, bias, gain, offset) {
  const n = gain.length;
  const after = applied({ weight, bias }, offset);
  return { weight: weight.map((w, k) => w * gain[k % n]), bias: after };
}

// The maps of a model from its numbers, which come in the order of `shapes`: [name, shape], as PyTorch names them.
export function openModel({ shapes, layers, n_heads, width, numbers }) {
  const all = halves(numbers);
  const parts = {};
  let from = 0;
  for (const [name, shape] of shapes) {
    const size = shape.reduce((product, side) => product * side, 1);
    parts[name] = all.subarray(from, (from += size));
  }
  const embedding = parts["embedding.weight"];
  const [V, d] = [embedding.length / width, width / n_heads];
  const block = (l) => {
    const part = (name) => parts[`blocks.${l}.${name}`];
    const pair = (name) => [part(`${name}.weight`), part(`${name}.bias`)];
    const plain = (name) => ({ weight: pair(name)[0], bias: pair(name)[1] });
    const after = (norm, name) => folded(...pair(name), ...pair(norm));
    return {
      queriesKeysValues: after("norm_1", "attention.projection"),
      output: plain("attention.output"),
      hidden: after("norm_2", "feed_forward.keys"),
      back: plain("feed_forward.values"),
    };
  };
  return {
    width, heads: n_heads, d, V, embedding, // prettier-ignore
    layers: Array.from({ length: layers }, (_, l) => block(l)),
    unembedding: folded(embedding, new Float64Array(V), parts["final_norm.weight"], parts["final_norm.bias"]),
    turns: Float64Array.from({ length: d / 2 }, (_, i) => 10000 ** ((-2 * i) / d)),
  };
}

// Mean 0 and variance 1.
export function layerNorm(x) {
  const centre = mean(x);
  const centred = x.map((value) => value - centre);
  const size = Math.sqrt(dot(centred, centred) / x.length + 1e-5);
  return centred.map((value) => value / size);
}

const gelu = (x) => x * (0.5 + 0.5 * erf(x * Math.SQRT1_2));

// Pairs of coordinates turned by an angle that grows with the place.
export function turned(x, place, turns) {
  const y = new Float64Array(x.length);
  turns.forEach((turn, i) => {
    const [c, s, even, odd] = [Math.cos(place * turn), Math.sin(place * turn), x[2 * i], x[2 * i + 1]];
    y[2 * i] = even * c - odd * s;
    y[2 * i + 1] = even * s + odd * c;
  });
  return y;
}

// What the heads of layer l bring to the last of `rows`; its keys, values and weights are kept there, and what they
// have gathered. `swap` exchanges some of it for what another row has gathered.
function gathered({ heads, d, turns, layers }, l, x, rows, silent, swap) {
  const [last, place] = [rows.at(-1), rows.length - 1];
  const all = applied(layers[l].queriesKeysValues, x);
  const part = (which, h) => all.subarray((which * heads + h) * d, (which * heads + h + 1) * d);
  const together = new Float64Array(heads * d);
  last.heads[l] = Array.from({ length: heads }, (_, h) => {
    const query = turned(part(0, h), place, turns);
    const own = { key: turned(part(1, h), place, turns), value: part(2, h) };
    const seen = rows.map((row) => (row === last ? own : row.heads[l][h]));
    own.weights = softmax(seen.map(({ key }) => dot(query, key) / Math.sqrt(d)));
    if (silent.has(`${l + 1}.${h + 1}`)) return own; // it looks, and writes nothing
    seen.forEach(({ value }, j) => {
      for (let i = 0; i < d; i++) together[h * d + i] += own.weights[j] * value[i];
    });
    return own;
  });
  for (let h = 0; h < heads; h++) {
    if (swap?.parts.has(`${l + 1}.${h + 1}`)) together.set(swap.row.gathered[l].subarray(h * d, (h + 1) * d), h * d);
  }
  last.gathered[l] = together;
  return applied(layers[l].output, together);
}

export const added = (a, b) => a.map((value, i) => value + b[i]);

// The stream with which a token enters, and one after a feed-forward layer.
export const entering = ({ width, embedding }, token) => embedding.slice(token * width, (token + 1) * width).map((value) => value * Math.sqrt(width));
const fed = ({ hidden, back }, stream) => applied(back, applied(hidden, layerNorm(stream)).map(gelu));
export const fedForward = (layer, stream) => added(stream, fed(layer, stream));

// The scores of the vocabulary that a stream leads to: after the last block, or before it (a logit lens).
export function logitsOf(model, stream) {
  return applied(model.unembedding, layerNorm(stream));
}

// The rows of a text after one more token. A row has the stream before the first block and after each, the weights of
// its heads, heads[layer][head].weights, and the logits. `silent` has the parts that write nothing: "2.1" is head 1 of
// layer 2, "2.ff" its feed-forward layer. `swap`, { parts, row }, has parts that write what they wrote into another row.
export function readOn(model, rows, token, silent = new Set(), swap = null) {
  let stream = entering(model, token);
  const row = { token, streams: [stream], heads: [], gathered: [], fed: [] };
  const longer = [...rows, row];
  model.layers.forEach((layer, l) => {
    stream = added(stream, gathered(model, l, layerNorm(stream), longer, silent, swap));
    row.fed[l] = swap?.parts.has(`${l + 1}.ff`) ? swap.row.fed[l] : fed(layer, stream);
    if (!silent.has(`${l + 1}.ff`)) stream = added(stream, row.fed[l]);
    row.streams.push(stream);
  });
  row.logits = logitsOf(model, stream);
  return longer;
}

// The rows of a text; what begins like one read before with the same parts silent goes on from there. An exchange is
// made at one place, `swap.place`.
export function readText(model, tokens, silent = new Set(), before = [], swap = null) {
  const shared = tokens.findIndex((token, t) => before[t]?.token !== token);
  let rows = before.slice(0, shared < 0 ? tokens.length : shared);
  while (rows.length < tokens.length) rows = readOn(model, rows, tokens[rows.length], silent, rows.length === swap?.place ? swap : null);
  return rows;
}
