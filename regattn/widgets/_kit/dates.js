// What explorers of a series share: time along an axis, the date that asks, and dots as large as their weights.
import { formatNumber, isolate, orderTicks } from "./format.js";

// Dates along an axis, as many as there is room for.
export function timeTicks(p, { dates }) {
  return orderTicks(dates, Math.max(3, Math.floor(p.size.width / 56)));
}

export function bounded(value, [low, high]) {
  return Math.max(low, Math.min(high, value));
}

// A range and a share of it more on either side.
export function widened([low, high], share) {
  const room = share * (high - low || 1);
  return [low - room, high + room];
}

// The query that stands at a place of the whole series; the last of its `dates`, those with `labels`, can ask.
export function asQuery(place, { dates, labels }) {
  return { query: bounded(Math.round(place) - (dates.length - labels.length), [0, labels.length - 1]) };
}

export function dateHint({ query }, { labels }) {
  return `for ${isolate(labels[query])}; arrow keys read the dates, Enter lets one ask`;
}

// The area of a dot is in proportion to the size of its weight.
export function radiusOf(weights) {
  const largest = Math.max(...weights.map(Math.abs)) || 1;
  return (i) => 1 + 6.5 * Math.sqrt(Math.abs(weights[i]) / largest);
}

// A function that prints a number of the state, without the digits that are rounding.
export function printed(key) {
  return (state) => formatNumber(Number(state[key].toPrecision(12)));
}
