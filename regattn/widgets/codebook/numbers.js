// The numbers behind the CodebookExplorer, pure: weights of codes for a point, what the decoder is told and draws.
import { dot, firstLargest, softmax, sum } from "../_numbers/maths.js";

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

// Rows that travel as they are, or as few different numbers and a letter for each entry.
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const unpacked = (rows) => (rows.shades ? rows.rows.map((row) => Float64Array.from(row, (letter) => rows.shades[LETTERS.indexOf(letter)])) : rows.map((row) => Float64Array.from(row)));

function judgeOf([packed, coefficients, intercepts, counts, gamma]) {
  const ends = counts.reduce((all, count) => [...all, all.at(-1) + count], [0]);
  const support = unpacked(packed);
  const inked = support.map((own) => Array.from(own.keys()).filter((j) => own[j] !== 0)); // the paper takes no time
  const [places, shades] = [inked.map((own) => Int32Array.from(own)), support.map((own, s) => Float64Array.from(inked[s], (j) => own[j]))];
  return { places, shades, squares: support.map((own) => dot(own, own)), coefficients, intercepts, ends, gamma };
}

// What a support vector machine reads: the class that wins most duels, the first of equals.
function readBy({ places, shades, squares, coefficients, intercepts, ends, gamma }, picture) {
  const square = dot(picture, picture);
  const kernel = places.map((at, s) => {
    const own = shades[s];
    let product = 0;
    for (let k = 0; k < at.length; k++) product += own[k] * picture[at[k]];
    return Math.exp(-gamma * (square + squares[s] - 2 * product));
  });
  const part = (k, row) => {
    let total = 0;
    for (let s = ends[k]; s < ends[k + 1]; s++) total += kernel[s] * coefficients[row][s];
    return total;
  };
  const votes = Array(ends.length - 1).fill(0);
  let duel = 0;
  for (let i = 0; i < votes.length; i++) for (let j = i + 1; j < votes.length; j++) votes[part(i, j - 1) + part(j, i) + intercepts[duel++] > 0 ? i : j]++;
  return firstLargest(votes);
}

export function codebookProblem(data) {
  const pixels = unpacked(data.images);
  const images = pixels.map((row) => Array.from({ length: row.length / data.width }, (_, i) => Array.from(row.slice(i * data.width, (i + 1) * data.width))));
  const judge = data.judge && judgeOf(data.judge);
  const nearest = data.codebooks.map((codes) => data.latents.map((point) => closest(point, codes)));
  const live = nearest.map((each) => new Set(each).size);
  const pictured = data.codebooks.map((codes) => codes.map((code) => decoded(data.decoder, code)));
  const mean = pixels[0].map((_, j) => sum(pixels.map((each) => each[j])) / pixels.length);
  const plain = sum(pixels.map((each) => between(each, mean))) / pixels.length;
  return { ...data, images, judge, pixels, nearest, live, pictured, plain, most: Math.max(1e-12, ...pixels.map((each) => Math.max(...each))), errors: new Map() };
}

// The mean squared distance of two pictures, pixel by pixel.
function between(first, second) {
  let total = 0;
  for (let j = 0; j < first.length; j++) total += (first[j] - second[j]) ** 2;
  return total / first.length;
}

// The mean squared error per pixel of all images, and how many are read right; they do not depend on the point, so a
// drag computes them once.
function errorOf({ latents, codebooks, decoder, pixels, errors, judge, labels, classes, nearest }, { book, assignment, temperature }) {
  const key = `${book} ${assignment} ${assignment === "soft" ? temperature : ""}`;
  if (!errors.has(key)) {
    const drawn = latents.map((point) => decoded(decoder, sentFor(point, codebooks[book], { assignment, temperature }).told));
    const known = new Map(); // images sent as one code arrive as one picture, which is read once
    const read = (i) => {
      const own = assignment === "hard" ? nearest[book][i] : i;
      if (!known.has(own)) known.set(own, classes[readBy(judge, drawn[i])]);
      return known.get(own);
    };
    errors.clear();
    const error = sum(drawn.map((picture, i) => between(picture, pixels[i]))) / latents.length;
    errors.set(key, { error, right: judge ? labels.filter((label, i) => read(i) === label).length : null });
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
    ...errorOf(problem, settings),
    reads: problem.judge ? problem.classes[readBy(problem.judge, drawn)] : null,
    live: problem.live[settings.book],
  }; // prettier-ignore
}
