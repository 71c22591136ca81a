// The numbers behind the DirectionExplorer, pure: M = the chosen terms of (Z + P) S (Z + P)', cut to a rank and
// masked, its row shares, p = softmax(mean of g(M) Z S), and what another order of the same words changes in them.
import { firstLargest, multiply, softmax, sum } from "../_numbers/maths.js";

function transposed(rows) {
  return Array.from(rows[0], (_, j) => rows.map((row) => row[j]));
}

export function directionProblem(data) {
  const { words, counts, sentence, factors } = data;
  const turned = transposed(counts);
  const symmetric = counts.map((row, i) => row.map((count, j) => count + turned[i][j]));
  // S = W_Q W_K', its first `rank` directions; the whole S where none is left out
  const cut = (name, table, rank) => {
    const { left, sizes, right } = factors[name];
    if (rank === words.length) return table;
    const queries = left.map((row) => sizes.slice(0, rank).map((size, k) => row[k] * size));
    return multiply(queries, transposed(right.map((row) => row.slice(0, rank))));
  };
  const tables = { symmetric, directed: counts, turned };
  const kept = Object.fromEntries(
    Object.entries(tables).map(([name, table]) => [name, words.map((_, k) => cut(name, table, k + 1))]),
  );
  return { ...data, tables, kept, cells: sentence.length ** 2 };
}

// Where each word of the start stands in an order; equal words as they stand.
export function directionPlaces(start, order) {
  const taken = new Set();
  return start.map((word) => {
    const place = order.findIndex((other, k) => other === word && !taken.has(k));
    taken.add(place);
    return place;
  });
}

function directionWeights(scores, kernel, cancelled, hidden) {
  const seen = (row, r) => row.map((score, s) => (hidden(r, s) ? -Infinity : score));
  if (kernel === "softmax") return scores.map((row, r) => softmax(seen(row, r)));
  return scores.map((row) => {
    const [total, sizes] = [sum(row), sum(row.map(Math.abs))];
    return Math.abs(total) > cancelled * sizes ? row.map((score) => score / total) : new Float64Array(row.length);
  });
}

// Scores, weights and probabilities of one order.
function directionRead(problem, order, { table, rank, kernel, zsz, zsp, psz, psp, masked }) {
  const { words, positions, noise, cancelled } = problem;
  const kept = problem.kept[table][rank - 1];
  const picked = order.map((word) => words.indexOf(word));
  const Z = picked.map((k) => words.map((_, j) => Number(j === k)));
  const terms = [[zsz, Z, Z], [zsp, Z, positions], [psz, positions, Z], [psp, positions, positions]]; // prettier-ignore
  const scores = order.map(() => new Float64Array(order.length));
  for (const [on, A, B] of terms) {
    if (!on) continue;
    const term = multiply(multiply(A, kept), transposed(B));
    scores.forEach((row, r) => term[r].forEach((score, s) => (row[s] += score)));
  }
  const hidden = (r, s) => masked && s > r; // ahead of the word that looks
  scores.forEach((row, r) => row.forEach((score, s) => (Math.abs(score) <= noise || hidden(r, s)) && (row[s] = 0)));
  const weights = directionWeights(scores, kernel, cancelled, hidden);
  const mixed = multiply(weights, picked.map((k) => problem.tables[table === "turned" ? "directed" : table][k])); // prettier-ignore
  const chances = softmax(words.map((_, j) => sum(mixed.map((row) => row[j])) / order.length));
  return { scores, weights, chances, best: firstLargest(chances) };
}

// Everything shown for one order and setting: it, the order of the start, and the difference, word by word.
export function directionState(problem, settings) {
  const { sentence, same, noise, cells, factors } = problem;
  const { order, held, table, rank, masked } = settings;
  const [start, now] = [sentence, order].map((words) => directionRead(problem, words, settings));
  const places = directionPlaces(sentence, order);
  const least = same * Math.max(1, ...now.weights.flatMap((row) => Array.from(row, Math.abs)));
  const changed = start.weights.map((row, a) =>
    Array.from(row, (weight, b) => {
      const by = now.weights[places[a]][places[b]] - weight;
      return Math.abs(by) > least ? by : 0;
    }),
  );
  const total = ({ scores }) => {
    const all = sum(scores.map(sum));
    return Math.abs(all) > noise * cells ? all : 0;
  };
  const squares = factors[table].sizes.map((size) => (size / (factors[table].sizes[0] || 1)) ** 2);
  const shifted = Math.max(...now.chances.map((chance, k) => Math.abs(chance - start.chances[k])));
  return {
    ...now, order, held, table, masked, start, places, changed,
    differ: changed.flat().filter((by) => by !== 0).length,
    largest: Math.max(...changed.flat().map(Math.abs)),
    shifted: shifted > same ? shifted : 0,
    total: total(now),
    before: total(start),
    lost: Math.sqrt(sum(squares.slice(rank)) / (sum(squares) || 1)),
  }; // prettier-ignore
}
