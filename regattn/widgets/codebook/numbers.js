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
  const mean = pixels[0].map((_, j) => sum(pixels.map((each) => each[j])) / pixels.length);
  const plain = sum(pixels.map((each) => between(each, mean))) / pixels.length;
  return { ...data, images, judge, pixels, plain, lists: data.codebooks.map(() => []), most: Math.max(1e-12, ...pixels.map((each) => Math.max(...each))), errors: new Map() };
}

// The mean squared distance of two pictures, pixel by pixel.
function between(first, second) {
  let total = 0;
  for (let j = 0; j < first.length; j++) total += (first[j] - second[j]) ** 2;
  return total / first.length;
}

// The codes of a codebook after some rounds of k-means, which begin on images; after the last stands the list as given.
// With each list go the code nearest to every image, how far these are apart, and how many images a round moved on.
function listOf({ latents, codebooks, decoder, rounds, lists }, { book, rounds: round }) {
  const known = lists[book];
  const enter = (codes, before) => {
    const nearest = latents.map((point) => closest(point, codes));
    const spread = sum(latents.map((point, i) => apart(point, codes[nearest[i]]))) / latents.length;
    const moved = before ? nearest.filter((own, i) => own !== before.nearest[i]).length : 0;
    return { codes, nearest, spread, moved, before: before ?? null, live: new Set(nearest).size, pictured: codes.map((code) => decoded(decoder, code)) };
  };
  const last = rounds.length - 1;
  if (round === last) return (known[last] ??= enter(codebooks[book]));
  known[0] ??= enter(codebooks[book].map((_, k) => latents[k % latents.length]));
  for (let r = 1; r <= round; r++) {
    if (known[r]) continue;
    const { codes, nearest } = known[r - 1];
    const own = codes.map((_, k) => latents.filter((_, i) => nearest[i] === k));
    const mean = (points, axis) => sum(points.map((point) => point[axis])) / points.length;
    known[r] = enter(codes.map((code, k) => (own[k].length ? [mean(own[k], 0), mean(own[k], 1)] : code)), known[r - 1]);
  }
  return known[round];
}

const KEPT = 400; // settings whose errors are remembered

// The mean squared error per pixel of all images, and how many are read right; they do not depend on the point, so a
// drag computes them once.
export function errorOf(problem, settings) {
  const { latents, decoder, pixels, errors, judge, labels, classes } = problem;
  const { book, assignment, temperature, rounds } = settings;
  const { codes, nearest } = listOf(problem, settings);
  const key = assignment === "none" ? assignment : `${book} ${rounds} ${assignment} ${assignment === "soft" ? temperature : ""}`;
  if (!errors.has(key)) {
    const drawn = latents.map((point) => decoded(decoder, sentFor(point, codes, { assignment, temperature }).told));
    const known = new Map(); // images sent as one code arrive as one picture, which is read once
    const read = (i) => {
      const own = assignment === "hard" ? nearest[i] : i;
      if (!known.has(own)) known.set(own, classes[readBy(judge, drawn[i])]);
      return known.get(own);
    };
    if (errors.size >= KEPT) errors.delete(errors.keys().next().value);
    const error = sum(drawn.map((picture, i) => between(picture, pixels[i]))) / latents.length;
    errors.set(key, { key, error, right: judge ? labels.filter((label, i) => read(i) === label).length : null });
  }
  return errors.get(key);
}

const COOLED = Array.from({ length: 49 }, (_, k) => (k - 24) / 8); // powers of ten

// The error of all images over the temperature, and where it is least.
export function cooling(problem, { book, rounds }) {
  const { latents, decoder, pixels } = problem;
  const list = listOf(problem, { book, rounds });
  list.cooled ??= COOLED.map((power) => {
    const told = (point) => sentFor(point, list.codes, { assignment: "soft", temperature: 10 ** power }).told;
    return sum(latents.map((point, i) => between(decoded(decoder, told(point)), pixels[i]))) / latents.length;
  });
  const least = Math.min(...list.cooled);
  return { powers: COOLED, errors: list.cooled, least, at: COOLED[list.cooled.indexOf(least)] };
}

export function codebookState(problem, { across, upwards, ...settings }) {
  const { latents, decoder } = problem;
  const [point, list] = [[across, upwards], listOf(problem, settings)];
  const { codes, nearest, spread, live, pictured, moved, before } = list;
  const { told, weights } = sentFor(point, codes, settings);
  const [code, sent, drawn] = [closest(point, codes), closest(point, latents), decoded(decoder, told)];
  const members = latents.map((_, i) => i).filter((i) => nearest[i] === code);
  members.sort((i, j) => apart(latents[i], codes[code]) - apart(latents[j], codes[code]));
  return {
    ...settings, point, codes, nearest, spread, live, pictured, moved, before: before && before.spread, told, weights, code, members, sent, drawn,
    apart: between(drawn, problem.pixels[sent]),
    plain: problem.plain,
    ...errorOf(problem, settings),
    reads: problem.judge ? problem.classes[readBy(problem.judge, drawn)] : null,
  }; // prettier-ignore
}
