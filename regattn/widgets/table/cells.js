// What a cell says: nothing, a number as people of several countries write it, or a date in one of many forms.
const MISSING = new Set(["", "-", "–", ".", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None"]);
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
// How months begin in other languages of Europe, without accents, as in regattn/_months.py.
const BEGINS = ["jan ene gen", "feb fev", "mar mrz mrt mae", "apr avr abr", "may mai mei mag", "jun juin giu", "jul juil lug", "aug aou ago", "sep set", "oct okt ott out", "nov", "dec dez dic des"]; // prettier-ignore
const PLACES = new Map(BEGINS.flatMap((begins, k) => begins.split(" ").map((begin) => [begin, k + 1])));

export function isMissing(cell) {
  return MISSING.has(cell);
}

// Numbers with a decimal point or comma; thousands set apart by the other sign, a space or an apostrophe.
const PLAIN = { ".": /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i, ",": /^[-+]?(\d+,?\d*|,\d+)(e[-+]?\d+)?$/i };
export const GROUPED = { ".": /^[-+]?\d{1,3}([,\s'’])\d{3}(?:\1\d{3})*(?:\.\d*)?$/, ",": /^[-+]?\d{1,3}([.\s'’])\d{3}(?:\1\d{3})*(?:,\d*)?$/ };
const TELLING = { ".": /^[-+]?(\d{4,}\.\d+|0?\.\d+|\d{1,3}\.(\d{1,2}|\d{4,}))$/, ",": /^[-+]?(\d{4,},\d+|0?,\d+|\d{1,3},(\d{1,2}|\d{4,}))$/ };
const TWICE = /^[^\d]*\d{1,3}([,.])\d{3}\1/; // two groups of thousands
const EITHER = /^[-+]?[1-9]\d{0,2}[.,]\d{3}$/; // 1,234: one thousand, or a little more than one

const ENOUGH = 5000; // numbers that tell the decimal sign

// The number in a cell, or NaN; a true minus sign is one.
export function numberIn(cell, decimal) {
  const text = cell.replace("−", "-");
  if (PLAIN[decimal].test(text)) return Number(decimal === "," ? text.replace(",", ".") : text);
  if (!GROUPED[decimal].test(text)) return NaN;
  const digits = text.replace(decimal === "," ? /[.\s'’]/g : /[,\s'’]/g, "");
  return Number(decimal === "," ? digits.replace(",", ".") : digits);
}

// The decimal sign of a table, by the numbers that can be read in one way only; `doubt` is one that could be both.
export function decimalOf(cells, delimiter) {
  const seen = { ".": 0, ",": 0 };
  let doubt = null;
  for (const cell of cells) {
    if (seen["."] + seen[","] >= ENOUGH) break;
    if (!/[.,]/.test(cell)) continue;
    for (const sign of [".", ","]) {
      if (TELLING[sign].test(cell) || (GROUPED[sign].test(cell) && (cell.includes(sign) || TWICE.test(cell)))) seen[sign] += 1;
    }
    if (EITHER.test(cell) && (doubt === null || cell.includes(","))) doubt = cell;
  }
  const told = seen["."] !== seen[","];
  const decimal = told ? (seen[","] > seen["."] ? "," : ".") : delimiter === ";" && doubt?.includes(",") ? "," : ".";
  return { decimal, doubt: told ? null : doubt };
}

const two = (part) => String(part).padStart(2, "0");

// A day that exists, as 2024-01-31.
function day(year, month, date) {
  const [y, m, d] = [year, month, date].map(Number);
  const real = m >= 1 && m <= 12 && d >= 1 && d <= new Date(Date.UTC(y, m, 0)).getUTCDate();
  return real ? `${year}-${two(m)}-${two(d)}` : null;
}

const TIME = "(?:[T ]\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?(?:Z|[-+]\\d{2}:?\\d{2})?)?";
const named = (word) => MONTHS.indexOf(word.slice(0, 3).toLowerCase()) + 1;

// The number of a month from its name in any of these languages, 0 if it is none.
function monthOf(word) {
  const plain = word.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
  return PLACES.get(plain.slice(0, 4)) ?? PLACES.get(plain.slice(0, 3)) ?? 0;
}

const MONTH_YEAR = /^(\p{L}{3,10})\.?[- /]+(\d{4}|\d{2})$/u;
const century = (y) => (y.length > 2 ? y : String(Number(y) + (Number(y) < 69 ? 2000 : 1900))); // as Python reads %y

// The names of months in a column of the form "Jan 2024", each with its number.
export function monthNames(cells) {
  const words = cells.map((cell) => MONTH_YEAR.exec(cell)?.[1]).filter((word) => word && monthOf(word));
  return Object.fromEntries(words.map((word) => [word, monthOf(word)]));
}

// The forms of dates: each turns what its pattern found into a date, null where there is no such day.
const FORMS = {
  "2024-01-31": [new RegExp(`^(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})${TIME}$`), ([, y, , m, d]) => day(y, m, d)],
  "31.01.2024": [new RegExp(`^(\\d{1,2})([.-])(\\d{1,2})\\2(\\d{4})${TIME}$`), ([, d, , m, y]) => day(y, m, d)],
  "01/31/2024": [new RegExp(`^(\\d{1,2})/(\\d{1,2})/(\\d{4})${TIME}$`), ([, m, d, y]) => day(y, m, d)],
  "31/01/2024": [new RegExp(`^(\\d{1,2})/(\\d{1,2})/(\\d{4})${TIME}$`), ([, d, m, y]) => day(y, m, d)],
  "31 Jan 2024": [/^(\d{1,2})[ -]([A-Za-z]{3,9})\.?[ -](\d{4})$/, ([, d, m, y]) => day(y, named(m), d)],
  "Jan 31, 2024": [/^([A-Za-z]{3,9})\.? (\d{1,2}), ?(\d{4})$/, ([, m, d, y]) => day(y, named(m), d)],
  "2024-01": [/^(\d{4})[-/M](\d{1,2})$/, ([, y, m]) => (day(y, m, 1) ? `${y}-${two(m)}` : null)],
  "Jan 2024": [MONTH_YEAR, ([, m, y]) => (monthOf(m) ? `${century(y)}-${two(monthOf(m))}` : null)],
  "Q1 2024": [/^Q([1-4])[- /]?(\d{4})$/i, ([, q, y]) => `${y}Q${q}`],
  "2024Q1": [/^(\d{4})[- ]?Q([1-4])$/, ([, y, q]) => `${y}Q${q}`],
};
const US = "01/31/2024";

export function dateIn(cell, form) {
  const found = FORMS[form][0].exec(cell);
  return found && FORMS[form][1](found);
}

// The form that nearly all cells of a column have, or null; in doubt between two the first, and the cell that leaves it.
export function dateFormOf(cells, share) {
  const count = (form) => cells.filter((cell) => dateIn(cell, form)).length;
  const counts = Object.keys(FORMS).map((form) => [form, count(form)]);
  const [form, most] = counts.reduce((best, next) => (next[1] > best[1] ? next : best));
  if (!cells.length || most < share * cells.length) return null;
  const both = form === US && counts.find(([other]) => other === "31/01/2024")[1] === most;
  return { form, doubt: both ? (cells.find((cell) => dateIn(cell, form) !== dateIn(cell, "31/01/2024")) ?? null) : null };
}
