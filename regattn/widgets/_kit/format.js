// Numbers and labels as people write them.
import { niceTicks } from "../_numbers/maths.js";

function superscript(power) {
  return [...String(power)].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)])).join("");
}

// A number for people: `digits` significant digits, a true minus sign, a power of ten instead of many zeros.
export function formatNumber(value, digits = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e6 || size < 1e-5) {
    const [front, power] = value.toExponential(digits - 1).split("e");
    const short = front.includes(".") ? front.replace(/\.?0+$/, "") : front;
    const times = short === "1" ? "" : short === "-1" ? "−" : `${short.replace("-", "−")} × `;
    return `${times}10${superscript(Number(power))}`;
  }
  const text =
    size >= 10 ** digits
      ? Math.round(value).toString()
      : value.toFixed(Math.max(0, Math.min(8, digits - 1 - Math.floor(Math.log10(size)))));
  return text.replace("-", "−");
}

const TINIEST = 1e-5; // what is measured and smaller is said to be small, not written out

// A measured number for people: formatNumber, but "< 0.00001" where only its smallness says something.
export function formatResult(value, digits = 3) {
  if (!Number.isFinite(value) || value === 0 || Math.abs(value) >= TINIEST) return formatNumber(value, digits);
  return value > 0 ? "< 0.00001" : "> −0.00001";
}

// A probability for people: three decimals, but neither 0 nor 1 unless it is.
export function shareText(share) {
  if (share === 0 || share === 1) return String(share);
  if (share < 0.0005) return "< 0.001";
  return share < 0.9995 ? share.toFixed(3) : "> 0.999";
}

// Counts short enough for a small cell; shares with two decimals.
export function cellText(value) {
  if (value === 0) return "0";
  if (Number.isInteger(value) && Math.abs(value) < 1e5) return String(value);
  return formatNumber(value, Math.abs(value) >= 100 ? 3 : 2);
}

// Text of another author inside a sentence: kept apart, so that a right-to-left label cannot reorder its neighbours.
export function isolate(label) {
  return `\u2068${label}\u2069`;
}

// What a number is, and what it is measured in.
export function measured(words, units) {
  return units ? `${words}, ${isolate(units)}` : words;
}

export function shorten(label, most = 14) {
  const letters = Array.from(label);
  return letters.length <= most ? label : `${letters.slice(0, most - 1).join("")}…`;
}

// Tick texts of one axis agree in their number of decimals; far from one they are powers of ten.
function tickTexts(ticks) {
  const step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : Math.abs(ticks[0] ?? 1);
  const largest = Math.max(0, ...ticks.map(Math.abs));
  if (largest >= 1e6 || (largest > 0 && largest < 1e-4)) return ticks.map((t) => formatNumber(Math.abs(t) < 1e-9 * step ? 0 : t, 3));
  let decimals = Math.max(0, Math.min(8, -Math.floor(Math.log10(step || 1) + 1e-9)));
  if (Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6) decimals += 1;
  return ticks.map((t) => (Math.abs(t) < 1e-12 ? "0" : t.toFixed(decimals).replace("-", "−")));
}

export function numberTicks(low, high, count) {
  const ticks = niceTicks(low, high, count);
  const texts = tickTexts(ticks);
  return ticks.map((at, k) => ({ at, text: texts[k] }));
}

// Powers of ten as people write them: 0.01, 1, 100, then 10⁴.
export function powerText(value) {
  const power = Math.round(Math.log10(value));
  return power >= -2 && power <= 3 ? String(10 ** power).slice(0, 6) : `10${superscript(power)}`;
}

// Ticks for an ordered list of labels: round years when the labels begin with one, else every so many labels.
export function orderTicks(labels, most) {
  const years = labels.map((label) => (/^[12]\d{3}(?!\d)/.test(label) ? Number(label.slice(0, 4)) : NaN));
  const starts = new Map();
  years.forEach((year, k) => starts.has(year) || starts.set(year, k));
  const dated = years.every((year, k) => Number.isFinite(year) && (k === 0 || year >= years[k - 1]));
  if (dated && starts.size > most / 2) {
    const step = [1, 2, 5, 10, 20, 50, 100].find((s) => starts.size / s <= most) ?? 200;
    return [...starts].filter(([year]) => year % step === 0).map(([year, at]) => ({ at, text: String(year) }));
  }
  const step = Math.max(1, Math.ceil(labels.length / Math.max(1, Math.floor(most / 2))));
  return labels.map((label, at) => ({ at, text: shorten(label) })).filter(({ at }) => at % step === 0);
}

// The smallest range of round numbers around one.
export function rounded([low, high], count = 5) {
  const ticks = niceTicks(low, high, count);
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : high - low || 1;
  return [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
}
