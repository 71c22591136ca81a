// Two controls of the TableExplorer's own: ticks for the columns that are predictors, and cells of a row that is typed.
import { element } from "../_kit/controls.js";
import { formatNumber, isolate } from "../_kit/format.js";
import { same } from "../_kit/link.js";
import { numberIn } from "./cells.js";

// A group of inputs under one name, made anew when the list of them changes; `make(name)` → { label, input }.
function groupOf(view, { name, label, help }, namesOf, make) {
  const list = element("div", { class: "ra-choices" });
  const words = element("span", { class: "ra-control-name", ...(help && { title: help }) }, label);
  const group = element("div", { class: "ra-group ra-wide", role: "group", "aria-label": label }, words, list);
  view.controls.append(group);
  view.rows.set(name, group);
  let [shown, inputs] = [null, []];
  view.refreshers.push(() => {
    const names = namesOf();
    if (!same(names, shown)) {
      inputs = names.map((own) => {
        const made = make(own);
        Object.assign(made.input.dataset, { control: name, lmSuppressShortcuts: "", column: own });
        for (const event of ["pointerdown", "focus", "input"]) view.listen(made.input, event, () => view.use(group));
        return made;
      });
      list.replaceChildren(...inputs.map((made) => made.label));
      shown = names;
    }
    for (const made of inputs) made.show();
    group.hidden = !names.length;
  });
}

// One box to tick for each column that may be a predictor; not for the target and the date.
export function columnBoxes(view, spec) {
  const now = () => view.model.get(spec.name);
  const names = () => spec.options.filter((own) => own !== view.model.get("target") && own !== view.model.get("date"));
  groupOf(view, spec, names, (own) => {
    const input = element("input", { type: "checkbox" });
    const label = element("label", { class: "ra-control ra-tickbox" }, element("span", { class: "ra-control-name" }, own), input);
    view.listen(input, "change", () => {
      const chosen = new Set(now());
      chosen[input.checked ? "add" : "delete"](own);
      view.set({ [spec.name]: spec.options.filter((each) => chosen.has(each)) });
    });
    return { input, label, show: () => (input.checked = now().includes(own)) };
  });
}

// One cell for each column of the design, read by the signs of the file. What is typed is kept as it is written; a number
// in it asks for a forecast. `view.readings()`: sentences on what is no number, or a number written in another way.
export function typedCells(view, spec, designOf) {
  const last = () => designOf().rows.length;
  const decimal = view.model.get("data").dialect?.decimal ?? ".";
  const cells = new Map();
  view.readings = () => designOf().names.flatMap((own) => (cells.has(own) ? readingOf(cells.get(own), own, decimal, designOf()) : []));
  groupOf(view, spec, () => designOf().names, (own) => {
    const value = view.model.get(spec.name)[own];
    const input = element("input", { type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false", value: written(value, decimal) });
    cells.set(own, input);
    const label = element("label", { class: "ra-control ra-cell" }, element("span", { class: "ra-control-name" }, own), input);
    view.listen(input, "input", () => {
      const { [own]: _, ...others } = view.model.get(spec.name);
      const typed = cellNumber(input.value, decimal);
      input.setAttribute("aria-invalid", String(input.value.trim() !== "" && !Number.isFinite(typed)));
      view.set({ [spec.name]: Number.isFinite(typed) ? { ...others, [own]: typed } : others, query: last() });
      view.update();
    });
    const show = () => {
      const typed = view.model.get(spec.name)[own];
      if (document.activeElement !== input && !(input.getAttribute("aria-invalid") === "true" && typed === undefined)) {
        if (cellNumber(input.value, decimal) !== typed) input.value = written(typed, decimal);
      }
      const { names, next } = designOf();
      input.placeholder = formatNumber(next[names.indexOf(own)], 4);
      input.setAttribute("aria-description", `${isolate(input.placeholder)} where it is empty`);
    };
    return { input, label, show };
  });
}

// The number that was typed: by the decimal sign of the file, else by the other one.
export function cellNumber(text, decimal) {
  const value = numberIn(text.trim(), decimal);
  return Number.isFinite(value) ? value : numberIn(text.trim(), decimal === "," ? "." : ",");
}

const written = (value, decimal) => (value === undefined ? "" : String(value).replace(".", decimal));

function readingOf(input, own, decimal, { names, next, depth }) {
  const text = input.value.trim();
  const value = cellNumber(text, decimal);
  const plain = decimal === "," ? text.replace(/[.,]/g, (sign) => (sign === "," ? "." : ",")) : text;
  if (!text || Number(plain) === value) return [];
  if (Number.isFinite(value)) return [`${isolate(own)}: “${text}” is read as ${value}.`];
  const stands = formatNumber(next[names.indexOf(own)], 4);
  return [`${isolate(own)}: “${text}” is no number; ${depth ? stands : `the mean, ${stands},`} stands in its place.`];
}

export const columnsFit = (value, { options }) => Array.isArray(value) && value.every((own) => options.includes(own));

// Cells that a link may bring: finite numbers under names that begin with that of a column.
export function cellsFit(value, { columns }) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  return Object.entries(value).every(([own, cell]) => Number.isFinite(cell) && columns.some((name) => own.startsWith(name)));
}
