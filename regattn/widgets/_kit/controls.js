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

const OUT_OF_USE = " (not in use)";
const LATER = " (acts once it plays)";

// What another control must be for one to matter, in words.
function condition([other, values], view) {
  const spec = view.specs.find(({ name }) => name === other);
  const word = (value) => new Map(spec.options).get(value) ?? view.model.get("data")[spec.names]?.[value] ?? value;
  const few = values.length > 3 ? [`${word(values[0])} to ${word(values.at(-1))}`] : values.map(word);
  return `“${spec.label}” at ${few.join(" or ")}`;
}

// How a control stands where the others stand: what is said of it, why it means nothing, and whether it is off, as a move
// of it would not bring it into use. What only what plays will show says so while that is at its start.
function standing({ used = [], sets, waits }, view) {
  const unmet = used.map((all) => Object.entries(all).find(([other, values]) => !values.includes(view.model.get(other))));
  if (unmet.length && unmet.every(Boolean)) {
    const off = !unmet.some(([other, values]) => values.includes(sets?.[other]));
    return { said: OUT_OF_USE, why: `Only with ${unmet.map((one) => condition(one, view)).join(", or with ")}`, off };
  }
  const early = waits && view.run && view.model.get(view.run.name) <= view.run.min;
  return { said: early ? LATER : "", why: "", off: false };
}

// Show on the input and its row how a control stands; returns what is said of it.
function showStanding(view, spec, input) {
  const { said, why, off } = standing(spec, view);
  if (input.disabled !== off) input.disabled = off;
  if (input.title !== why) {
    view.rows.get(spec.name).title = input.title = why;
    input.setAttribute("aria-description", why);
  }
  return said;
}
const FIRST = 2; // controls above the pictures
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
    return text;
  };
}

// The longest words a slider can show: at most of its places, at those with a note, and with what is said of it.
function longestText(spec, text, { count, value }) {
  const some = Math.min(MOST_PLACES, count);
  const places = Array.from({ length: some + 1 }, (_, k) => value(Math.round((k * count) / Math.max(1, some))));
  const noted = (spec.notes ?? []).map(([v]) => v).filter((v) => v !== null);
  const longest = [...places, ...noted].map(text).reduce((a, b) => ([...b].length > [...a].length ? b : a));
  return longest + (spec.waits ? LATER : spec.used ? OUT_OF_USE : "");
}

function slider(view, spec, text, last) {
  const { name, label, sets = {} } = spec;
  const { min, max, step, position, value } = sliderScale(spec);
  const input = element("input", { type: "range", min, max, step });
  const output = element("span", { "data-output": name });
  const room = longestText(spec, text, { count: Math.round((max - min) / step), value: (k) => value(min + k * step) });
  const said = element("span", { class: "ra-control-value", "data-room": room }, output);
  controlRow(view, name, label, input, { ...spec, value: said });
  view.listen(input, "input", () => view.set({ [name]: value(Number(input.value)), ...sets }));
  view.refreshers.push(() => {
    if (last) input.max = String(position(last(view.now())));
    const now = view.model.get(name);
    // a slider that already stands for this value is left where the hand put it
    if (value(Number(input.value)) !== now) input.value = String(position(now));
    const words = text(now) + showStanding(view, spec, input);
    if (output.textContent !== words) output.textContent = words;
    input.setAttribute("aria-valuetext", words);
  });
}

// A drop-down list; options are pairs [value, words].
function select(view, spec, options, read) {
  const { name, label, sets = {} } = spec;
  const input = element("select", {}, ...options.map(([value, words]) => element("option", { value }, words)));
  const row = controlRow(view, name, label, input, spec);
  view.listen(input, "change", () => view.set({ [name]: read(input.value), ...sets }));
  view.refreshers.push(() => {
    const now = String(view.model.get(name));
    if (input.value !== now) input.value = now;
    nameRow(row, input, label + showStanding(view, spec, input));
  });
}

function nameRow(row, input, words) {
  if (row.firstChild.textContent === words) return;
  row.firstChild.textContent = words;
  input.setAttribute("aria-label", words);
}

function tick(view, spec) {
  const { name, label } = spec;
  const input = element("input", { type: "checkbox" });
  const row = controlRow(view, name, label, input, spec);
  row.classList.add("ra-tickbox");
  view.listen(input, "change", () => view.set({ [name]: input.checked }));
  view.refreshers.push(() => {
    input.checked = Boolean(view.model.get(name));
    nameRow(row, input, label + showStanding(view, spec, input));
  });
}

// A quiet button that draws again: the seed goes up by one, so that a draw can be linked to and comes back on Reset.
function seedButton(view, spec, text) {
  const { name, label, min, max } = spec;
  const said = element("span", { class: "ra-control-value", "data-output": name });
  const tip = spec.help ? { title: spec.help } : {};
  const made = element("button", { type: "button", class: "ra-tool", "data-control": name, ...tip }, label);
  const row = element("div", { class: "ra-seed" }, made, said);
  view.controls.append(row);
  view.rows.set(name, row);
  for (const event of ["pointerdown", "focus"]) view.listen(made, event, () => view.use(row));
  view.listen(made, "click", () => view.set({ [name]: view.model.get(name) < max ? view.model.get(name) + 1 : min, ...spec.sets }));
  view.refreshers.push(() => {
    const words = text(view.model.get(name)) + showStanding(view, spec, made);
    if (said.textContent !== words) said.textContent = words;
  });
}

// Build the inputs that Python declared and the page does not hide: at most two that are declared first stand above
// the pictures, what plays among them, the others in More. A control that could not move is not shown.
// `texts` are words of the explorer's own for some values, `lasts` where a slider ends as the other controls
// stand; `own` are controls it builds itself, by the kind it gave.
export function buildControls(view, specs, { texts = {}, lasts = {}, own = {} }) {
  const shown = specs.filter((spec) => !view.hides(spec.name) && !(spec.kind === "count" && spec.max <= spec.min));
  const [asked, played] = [shown.filter((spec) => spec.first), shown.filter((spec) => spec.first && spec.play)];
  const least = asked.filter((spec) => !played.includes(spec)).slice(0, FIRST - played.length);
  const first = asked.length ? [...least, ...played] : shown.slice(0, 1);
  for (const spec of shown) {
    const words = texts[spec.name] ?? controlText(spec, view);
    view.controls = first.includes(spec) ? view.first : view.rest;
    if (own[spec.kind]) own[spec.kind](view, spec);
    else if (spec.kind === "choice") select(view, spec, spec.options, (v) => v);
    else if (spec.menu) select(view, spec, view.model.get("data")[spec.names].map((word, k) => [k, word]), Number);
    else if (spec.kind === "tick") tick(view, spec);
    else if (spec.kind === "seed") seedButton(view, spec, words);
    else slider(view, spec, words, lasts[spec.name]);
  }
}

// Whether a value that came from outside is one that the input could have.
export function fits({ kind, min, max, options }, value) {
  if (kind === "tick") return typeof value === "boolean";
  if (kind === "choice") return options.some(([word]) => word === value);
  return Number.isFinite(value) && value >= min && value <= max && (kind === "slider" || Number.isInteger(value));
}

// A printed number with its name, at the end of a list; returns the function that prints it.
export function output(list, name, label) {
  const value = element("dd", { "data-output": name });
  list.append(element("div", {}, element("dt", {}, label), value));
  return (words) => {
    if (value.textContent === words) return;
    value.textContent = words;
    value.classList.toggle("ra-long", words.length > 7); // among many it is set smaller, so as to keep to its line
  };
}
