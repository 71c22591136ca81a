// An explorer's state as text: in the address of a page, and as a table of numbers. Pure but for reading the address.
import { fits } from "./controls.js";

export function same(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}

// What follows "#" for a state that differs from the default; other explorers of the page keep their parts.
export function writeHash(hash, key, values) {
  const parts = hash.replace(/^#/, "").split("&").filter((part) => part.startsWith("regattn-") && !part.startsWith(`${key}=`));
  return `#${[...parts, `${key}=${encodeURIComponent(JSON.stringify(values))}`].join("&")}`;
}

// The state that an address gives for `key`, or null. Whatever else it says, only values that a control could have
// come through: `valid` decides for kinds of control that only the explorer knows.
export function readHash(hash, key, specs, valid = {}) {
  const part = hash.replace(/^#/, "").split("&").find((text) => text.startsWith(`${key}=`));
  if (!part) return null;
  let found = null;
  try {
    found = JSON.parse(decodeURIComponent(part.slice(key.length + 1)));
  } catch {
    return null; // not written by us
  }
  if (found === null || typeof found !== "object" || Array.isArray(found)) return null;
  const values = {};
  for (const spec of specs) {
    if (!Object.hasOwn(found, spec.name)) continue;
    const value = found[spec.name];
    if ((valid[spec.kind] ?? ((v) => fits(spec, v)))(value, spec)) values[spec.name] = value;
  }
  // an empty state is a state as well: the one at the start
  return Object.keys(values).length || !Object.keys(found).length ? values : null;
}

export function differences(now, before) {
  return Object.fromEntries(Object.entries(now).filter(([name, value]) => !same(value, before[name])));
}

// A cell of a file that a spreadsheet opens: words that it would take for a formula are kept from being one.
export function csvCell(value) {
  const plain = value === null || value === undefined ? "" : String(value);
  const formula = typeof value === "string" && plain.length > 1 && /^[=+\-@\t\r]/.test(plain) && Number.isNaN(Number(plain));
  const text = formula ? `'${plain}` : plain;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// One rectangle: a column for every setting, number and list, a list of lists as one column for each of its columns,
// named parts as a column each. Short columns end in empty cells. Numbers keep all their digits.
export function csvOf(settings, result) {
  const columns = [];
  const add = (name, value) => {
    if (value?.constructor === Object) Object.entries(value).forEach(([part, own]) => add(`${name}_${part}`, own));
    else if (!Array.isArray(value)) columns.push([name, [value]]);
    else if (!value.some(Array.isArray)) columns.push([name, value]);
    else value[0].forEach((_, j) => add(`${name}_${j + 1}`, value.map((row) => row[j])));
  };
  for (const [name, value] of [...Object.entries(settings), ...Object.entries(result)]) add(name, value);
  const length = Math.max(...columns.map(([, cells]) => cells.length));
  const lines = Array.from({ length }, (_, i) => columns.map(([, cells]) => csvCell(cells[i])).join(","));
  return `${[columns.map(([name]) => csvCell(name)).join(","), ...lines].join("\r\n")}\r\n`;
}
