// The numbers behind the ProjectionExplorer, pure: M = Z S Z', E = g(M) Z S, p = softmax(mean of E).
import { firstLargest, multiply, softmax } from "../_numbers/maths.js";

// The weights of a sentence's words on each other, or null where a row of counts has nothing to share out.
function projectionWeights(scores, normaliser) {
  if (normaliser === "counts") return scores;
  if (normaliser === "softmax") return scores.map((row) => softmax(row));
  if (scores.some((row) => !row.some((count) => count > 0))) return null;
  return scores.map((row) => softmax(Array.from(row, (count) => (count > 0 ? Math.log(count) : -Infinity))));
}

// Everything shown for one table, sentence, normaliser and unit.
export function projectionState({ words, counts, sentence, normaliser, unit }) {
  const table = counts.map((row) => Float64Array.from(row, (count) => count / unit));
  const picked = sentence.map((word) => words.indexOf(word));
  const state = { table, picked, scores: null, weights: null, mixed: null, chances: null, best: null };
  if (!picked.length) return state;
  state.scores = picked.map((i) => Float64Array.from(picked, (j) => table[i][j]));
  state.weights = projectionWeights(state.scores, normaliser);
  if (!state.weights) return state;
  const profiles = picked.map((i) => table[i]);
  state.mixed = multiply(state.weights, profiles);
  const mean = words.map((_, j) => state.mixed.reduce((total, row) => total + row[j], 0) / picked.length);
  state.chances = softmax(mean);
  state.best = firstLargest(state.chances);
  return state;
}
