// The numbers behind the ProjectionExplorer, pure: M = Z S Z', E = g(M) Z S, p = softmax(mean of E).
import { firstLargest, multiply, softmax } from "../_numbers/maths.js";

// The weights of a sentence's words on each other, or null where a row of counts has nothing to share out.
function projectionWeights(scores, normaliser) {
  if (normaliser === "counts") return scores;
  if (normaliser === "softmax") return scores.map((row) => softmax(row));
  if (scores.some((row) => !row.some((count) => count > 0))) return null;
  return scores.map((row) => softmax(Array.from(row, (count) => (count > 0 ? Math.log(count) : -Infinity))));
}

export const ROOM = 20; // words of a table, here and in __init__.py

// The words of a table: those to be shown, and those of the sentence, for which others make room.
export function tableWords(shown, sentence) {
  const missing = [...new Set(sentence)].filter((word) => !shown.includes(word));
  const spare = Math.max(0, shown.length + missing.length - ROOM);
  const dropped = [...shown].reverse().filter((word) => !sentence.includes(word)).slice(0, spare); // prettier-ignore
  return [...shown.filter((word) => !dropped.includes(word)), ...missing];
}

// What is counted of a larger vocabulary: a function of the words of a table to their counts. Without `pairs`, nothing.
export function openCounts({ words, pairs }) {
  if (!pairs) return null;
  const [places, met] = [new Map(words.map((word, k) => [word, k])), new Map()];
  const [rows, columns, counts] = pairs;
  rows.forEach((i, k) => {
    met.set(i * words.length + columns[k], counts[k]);
    met.set(columns[k] * words.length + i, counts[k]);
  });
  const count = (a, b) => met.get(places.get(a) * words.length + places.get(b)) ?? 0;
  return (table) => table.map((a) => table.map((b) => count(a, b)));
}

// Everything shown for one table, sentence, normaliser and unit.
export function projectionState({ words: all, countsOf }, { shown, counts: edited, sentence, normaliser, unit }) {
  const words = countsOf ? tableWords(shown, sentence) : all;
  const counts = countsOf ? countsOf(words) : edited;
  const table = counts.map((row) => Float64Array.from(row, (count) => count / unit));
  const picked = sentence.map((word) => words.indexOf(word));
  const state = { words, table, picked, scores: null, weights: null, mixed: null, means: null, chances: null, best: null };
  if (!picked.length) return state;
  state.scores = picked.map((i) => Float64Array.from(picked, (j) => table[i][j]));
  state.weights = projectionWeights(state.scores, normaliser);
  if (!state.weights) return state;
  const profiles = picked.map((i) => table[i]);
  state.mixed = multiply(state.weights, profiles);
  state.means = words.map((_, j) => state.mixed.reduce((total, row) => total + row[j], 0) / picked.length);
  state.chances = softmax(state.means);
  state.best = firstLargest(state.chances);
  return state;
}
