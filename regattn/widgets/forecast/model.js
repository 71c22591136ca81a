// A trained forecaster in the page, pure: the encoder reads the past, the decoder asks it once for each month ahead.
// Letters: D width, C months of the past, h months ahead. The same sums as forecast_pass of regattn/series/forecaster.py.
import { softmax } from "../_numbers/maths.js";
import { added, applied, halves, layerNorm } from "../_numbers/transformer.js";

// A model from its numbers, which come in the order of `shapes`: [name, shape]; part(name) is its { weight, bias }.
export function openForecaster({ shapes, numbers, ...sizes }) {
  const all = halves(numbers);
  const parts = {};
  let from = 0;
  for (const [name, shape] of shapes) parts[name] = all.subarray(from, (from += shape.reduce((product, side) => product * side, 1)));
  return { ...sizes, parts, part: (name) => ({ weight: parts[`${name}.weight`], bias: parts[`${name}.bias`] }) };
}

const normed = ({ weight, bias }, rows) => rows.map((x) => layerNorm(x).map((value, i) => value * weight[i] + bias[i]));

// What the heads bring to each row of x from the rows of memory: { rows, weights[head][t][j] }; row t hears j if may(t, j).
function heard({ heads, width, part }, name, x, memory, may = () => true) {
  const d = width / heads;
  const { weight, bias } = part(`${name}.projection`);
  const third = (k) => ({ weight: weight.subarray(k * width * width, (k + 1) * width * width), bias: bias.subarray(k * width, (k + 1) * width) });
  const [queries, keys, values] = [x, memory, memory].map((rows, k) => rows.map((row) => applied(third(k), row)));
  const rows = x.map(() => new Float64Array(width));
  const scores = new Float64Array(memory.length);
  const weights = Array.from({ length: heads }, (_, h) =>
    queries.map((query, t) => {
      for (let j = 0; j < keys.length; j++) {
        let score = 0;
        for (let i = h * d; i < (h + 1) * d; i++) score += query[i] * keys[j][i];
        scores[j] = may(t, j) ? score / Math.sqrt(d) : -Infinity;
      }
      const shares = softmax(scores);
      for (let j = 0; j < keys.length; j++) for (let i = h * d; i < (h + 1) * d; i++) rows[t][i] += shares[j] * values[j][i];
      return shares;
    }),
  );
  return { rows: rows.map((row) => applied(part(`${name}.output`), row)), weights };
}

const summed = (x, y) => x.map((row, t) => added(row, y[t]));
const relu = (value) => Math.max(0, value);
const fed = ({ part }, name, rows) => rows.map((x) => applied(part(`${name}.values`), applied(part(`${name}.keys`), x).map(relu)));

// Where a date stands in the window, and in the year.
function placed({ width, parts }, places, months) {
  const row = (name, k) => parts[name].subarray(k * width, (k + 1) * width);
  return months.map((month, t) => added(row(places, t), row("calendar.weight", month)));
}

// What the encoder makes of the past x, whose months are given, 0 to 11.
export function encoded(model, x, months) {
  const { layers, part } = model;
  let rows = placed(model, "past_places", months).map((place, t) => added(applied(part("value"), [x[t]]), place));
  for (let l = 0; l < layers; l++) {
    const name = `encoder.${l}`;
    const inner = normed(part(`${name}.norm_1`), rows);
    rows = summed(rows, heard(model, `${name}.attention`, inner, inner).rows);
    rows = summed(rows, fed(model, `${name}.feed_forward`, normed(part(`${name}.norm_2`), rows)));
  }
  return normed(part("encoder_norm"), rows);
}

// What the decoder says of the months ahead: { outputs (h rows of quantiles), cross[head][h][t] }.
export function decoded(model, memory, months, keep) {
  const { part } = model;
  let rows = placed(model, "ahead_places", months);
  const inner = normed(part("decoder.norm_1"), rows);
  rows = summed(rows, heard(model, "decoder.self_attention", inner, inner, (t, j) => j <= t).rows);
  const { rows: found, weights } = heard(model, "decoder.cross_attention", normed(part("decoder.norm_2"), rows), memory, keep);
  rows = summed(rows, found);
  rows = summed(rows, fed(model, "decoder.feed_forward", normed(part("decoder.norm_3"), rows)));
  return { outputs: normed(part("decoder_norm"), rows).map((row) => applied(part("readout"), row)), cross: weights };
}

// The quantiles of a model that is linear in the past and the calendar.
export function linear({ part, parts }, x, month, steps) {
  const all = applied(part("lags"), x).map((value, k, { length }) => value + parts["calendar.weight"][month * length + k]);
  const size = all.length / steps;
  return Array.from({ length: steps }, (_, h) => all.slice(h * size, (h + 1) * size));
}
