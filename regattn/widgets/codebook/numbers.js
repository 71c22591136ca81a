// The numbers behind the CodebookExplorer, pure: weights of codes for a point, what the decoder is told and draws.
import { softmax, sum } from "../_numbers/maths.js";

const apart = ([a, b], [c, d]) => (a - c) ** 2 + (b - d) ** 2;

function closest(point, codes) {
  const away = codes.map((code) => apart(point, code));
  return away.indexOf(Math.min(...away));
}

function codeWeights(point, codes, { assignment, temperature }) {
  if (assignment === "soft") return softmax(codes.map((code) => -apart(point, code) / (2 * temperature)));
  const nearest = closest(point, codes);
  return Float64Array.from(codes, (_, k) => Number(k === nearest));
}

// What the decoder is told for a point, and the weights it comes from.
function sentFor(point, codes, settings) {
  if (settings.assignment === "none") return { told: point, weights: [] };
  const weights = codeWeights(point, codes, settings);
  return { told: [0, 1].map((axis) => sum(codes.map((code, k) => weights[k] * code[axis]))), weights };
}

function decoded([wide, shift, high, base], [a, b]) {
  const hidden = wide.map(([left, right], h) => Math.max(0, left * a + right * b + shift[h]));
  return Float64Array.from(high, (row, i) => {
    let shade = base[i];
    for (let h = 0; h < hidden.length; h++) shade += row[h] * hidden[h];
    return shade;
  });
}

export function codebookProblem(data) {
  const pixels = data.images.map((rows) => Float64Array.from(rows.flat()));
  const nearest = data.codebooks.map((codes) => data.latents.map((point) => closest(point, codes)));
  const live = nearest.map((each) => new Set(each).size);
  const pictured = data.codebooks.map((codes) => codes.map((code) => decoded(data.decoder, code)));
  const mean = pixels[0].map((_, j) => sum(pixels.map((each) => each[j])) / pixels.length);
  const plain = sum(pixels.map((each) => between(each, mean))) / pixels.length;
  return { ...data, pixels, nearest, live, pictured, plain, most: Math.max(1e-12, ...pixels.map((each) => Math.max(...each))), errors: new Map() };
}

// The mean squared distance of two pictures, pixel by pixel.
function between(first, second) {
  let total = 0;
  for (let j = 0; j < first.length; j++) total += (first[j] - second[j]) ** 2;
  return total / first.length;
}

// The mean squared error per pixel of all images; it does not depend on the point, so a drag computes it once.
function errorOf({ latents, codebooks, decoder, pixels, errors }, { book, assignment, temperature }) {
  const key = `${book} ${assignment} ${assignment === "soft" ? temperature : ""}`;
  if (!errors.has(key)) {
    const drawn = (point) => decoded(decoder, sentFor(point, codebooks[book], { assignment, temperature }).told);
    errors.clear();
    errors.set(key, sum(latents.map((point, i) => between(drawn(point), pixels[i]))) / latents.length);
  }
  return errors.get(key);
}

export function codebookState(problem, { across, upwards, ...settings }) {
  const { latents, codebooks, decoder } = problem;
  const [point, codes] = [[across, upwards], codebooks[settings.book]];
  const { told, weights } = sentFor(point, codes, settings);
  const [code, sent, drawn] = [closest(point, codes), closest(point, latents), decoded(decoder, told)];
  const members = latents.map((_, i) => i).filter((i) => problem.nearest[settings.book][i] === code);
  members.sort((i, j) => apart(latents[i], codes[code]) - apart(latents[j], codes[code]));
  return {
    ...settings, point, codes, told, weights, code, members, sent, drawn,
    apart: between(drawn, problem.pixels[sent]),
    plain: problem.plain,
    error: errorOf(problem, settings),
    live: problem.live[settings.book],
  }; // prettier-ignore
}
