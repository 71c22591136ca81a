// Native inputs tied to the traits of a model, built from what Python declared: label, range, text, keyboard.
import { formatNumber, isolate } from "./format.js";
import { logScale } from "../_numbers/maths.js";

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children); // strings become text nodes, never markup
  return made;
}

// A row with a name, an optional place for the value, and an input.
export function controlRow(view, name, label, input, { value = null, wide = false, help = "" } = {}) {
  input.dataset.control = name;
  // In JupyterLab its keys are its own. It must stand on the input itself: the notebook looks there before its parents.
  input.dataset.lmSuppressShortcuts = "";
  input.setAttribute("aria-label", label);
  const words = element("span", { class: "ra-control-name", ...(help && { title: help }) }, label);
  const row = element("label", { class: `ra-control${wide ? " ra-wide" : ""}` }, words);
  if (value) row.append(value);
  row.append(input);
  view.controls.append(row);
  view.rows.set(name, row);
  // On a phone the row in use stays on the screen. A finger on a slider does not always focus it, so both count.
  for (const event of ["pointerdown", "focus", "input"]) view.listen(input, event, () => view.use(row));
  return row;
}

// Between the places of a slider and the values of its trait. Values of a logarithmic slider are what is printed: three
// significant digits, inside the bounds.
export function sliderScale({ kind, min, max, step = 1, stops, log, zero, places }) {
  if (stops) {
    const nearest = (v) => stops.reduce((best, s, k) => (Math.abs(s - v) < Math.abs(stops[best] - v) ? k : best), 0);
    return { min: 0, max: stops.length - 1, step: 1, position: nearest, value: (place) => stops[place] };
  }
  if (kind !== "slider" || !log) return { min, max, step, position: (v) => v, value: (p) => p };
  const scale = logScale(min, max, places, zero);
  return { ...scale, min: 0, max: scale.steps, step: 1 };
}

// Whether a control means nothing where the others stand.
function isIdle({ used }, view) {
  return Object.entries(used ?? {}).some(([other, values]) => !values.includes(view.model.get(other)));
}

const OUT_OF_USE = " (not in use)";
const MOST_PLACES = 500; // of a slider, that are asked for their words

// The words for a value: the number with its unit, a name, or both with a note.
export function controlText(spec, view) {
  const { notes = [], units = "", digits, decimals, names, of } = spec;
  const known = new Map(notes);
  const write = (v) => (decimals === undefined ? formatNumber(v, digits) : v.toFixed(decimals).replace("-", "−"));
  const number = (v) => (spec.kind === "seed" ? `draw ${v}` : spec.kind === "count" ? String(v) : `${known.has(v) ? String(v) : write(v)}${units && ` ${units}`}`);
  const called = names && view.model.get("data")[names];
  return (v) => {
    const note = known.get(v) ?? known.get(null);
    const text = called ? isolate(called[v]) : `${number(v)}${of ? ` of ${spec.max}` : ""}${note ? ` (${note})` : ""}`;
    return isIdle(spec, view) ? `${text}${OUT_OF_USE}` : text;
  };
}

// The longest words a slider can show: at most of its places, at those with a note, and out of use.
function longestText(spec, text, { count, value }) {
  const some = Math.min(MOST_PLACES, count);
  const places = Array.from({ length: some + 1 }, (_, k) => value(Math.round((k * count) / Math.max(1, some))));
  const noted = (spec.notes ?? []).map(([v]) => v).filter((v) => v !== null);
  const words = [...places, ...noted].map((v) => text(v).replace(OUT_OF_USE, ""));
  const longest = words.reduce((a, b) => ([...b].length > [...a].length ? b : a));
  return spec.used ? `${longest}${OUT_OF_USE}` : longest;
}

function slider(view, spec, text) {
  const { name, label, sets = {} } = spec;
  const { min, max, step, position, value } = sliderScale(spec);
  const input = element("input", { type: "range", min, max, step });
  const output = element("span", { "data-output": name });
  const room = longestText(spec, text, { count: Math.round((max - min) / step), value: (k) => value(min + k * step) });
  const said = element("span", { class: "ra-control-value", "data-room": room }, output);
  controlRow(view, name, label, input, { ...spec, value: said });
  view.listen(input, "input", () => view.set({ [name]: value(Number(input.value)), ...sets }));
  view.refreshers.push(() => {
    const now = view.model.get(name);
    // a slider that already stands for this value is left where the hand put it
    if (value(Number(input.value)) !== now) input.value = String(position(now));
    const words = text(now);
    if (output.textContent !== words) output.textContent = words;
    input.setAttribute("aria-valuetext", words);
  });
}

// A drop-down list; options are pairs [value, words].
function select(view, { name, label, sets = {}, ...spec }, options, read) {
  const input = element("select", {}, ...options.map(([value, words]) => element("option", { value }, words)));
  controlRow(view, name, label, input, spec);
  view.listen(input, "change", () => view.set({ [name]: read(input.value), ...sets }));
  view.refreshers.push(() => {
    const now = String(view.model.get(name));
    if (input.value !== now) input.value = now;
  });
}

function tick(view, { name, label, ...spec }) {
  const input = element("input", { type: "checkbox" });
  const row = controlRow(view, name, label, input, spec);
  row.classList.add("ra-tickbox");
  view.listen(input, "change", () => view.set({ [name]: input.checked }));
  view.refreshers.push(() => {
    input.checked = Boolean(view.model.get(name));
    const words = isIdle(spec, view) ? `${label}${OUT_OF_USE}` : label;
    if (row.firstChild.textContent === words) return;
    row.firstChild.textContent = words;
    input.setAttribute("aria-label", words);
  });
}

// A quiet button that draws again: the seed goes up by one, so that a draw can be linked to and comes back on Reset.
function seedButton(view, { name, label, min, max, ...spec }, text) {
  const said = element("span", { class: "ra-control-value", "data-output": name });
  const tip = spec.help ? { title: spec.help } : {};
  const made = element("button", { type: "button", class: "ra-tool", "data-control": name, ...tip }, label);
  const row = element("div", { class: "ra-seed" }, made, said);
  view.controls.append(row);
  view.rows.set(name, row);
  for (const event of ["pointerdown", "focus"]) view.listen(made, event, () => view.use(row));
  view.listen(made, "click", () => view.set({ [name]: view.model.get(name) < max ? view.model.get(name) + 1 : min, ...spec.sets }));
  view.refreshers.push(() => {
    const words = text(view.model.get(name));
    if (said.textContent !== words) said.textContent = words;
  });
}

// Build the inputs that Python declared and the page does not hide. A control that could not move is not shown.
// `texts` are words of the explorer's own for some values; `own` are controls it builds itself, by the kind it gave.
export function buildControls(view, specs, { texts = {}, own = {} }) {
  for (const spec of specs) {
    const words = texts[spec.name] ?? controlText(spec, view);
    if (view.hides(spec.name) || (spec.kind === "count" && spec.max <= spec.min)) continue;
    if (own[spec.kind]) own[spec.kind](view, spec);
    else if (spec.kind === "choice") select(view, spec, spec.options, (v) => v);
    else if (spec.menu) select(view, spec, view.model.get("data")[spec.names].map((word, k) => [k, word]), Number);
    else if (spec.kind === "tick") tick(view, spec);
    else if (spec.kind === "seed") seedButton(view, spec, words);
    else slider(view, spec, words);
  }
}

// Whether a value that came from outside is one that the input could have.
export function fits({ kind, min, max, options }, value) {
  if (kind === "tick") return typeof value === "boolean";
  if (kind === "choice") return options.some(([word]) => word === value);
  return Number.isFinite(value) && value >= min && value <= max && (kind === "slider" || Number.isInteger(value));
}

// A printed number with its name; returns the function that prints it.
export function output(view, name, label) {
  const value = element("dd", { "data-output": name });
  view.numbers.append(element("div", {}, element("dt", {}, label), value));
  return (words) => {
    if (value.textContent === words) return;
    value.textContent = words;
    value.classList.toggle("ra-long", words.length > 7); // among many it is set smaller, so as to keep to its line
  };
}
