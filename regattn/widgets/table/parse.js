// A table read from text: its columns with what they hold, and each trouble in a sentence with line and column.
import { GROUPED, monthNames, dateFormOf, dateIn, decimalOf, isMissing, numberIn } from "./cells.js";
import { keeper, roomFor } from "./keep.js";
import { delimiterOf, recordsIn } from "./records.js";

const NEARLY = 0.8; // share of the cells that makes a column one of numbers or dates, the others being slips
const LARGEST = 1e150; // of numbers, whose squares and their sums are still numbers
const MOST_COLUMNS = 2000; // that are shown to choose from
const NAMED = 5; // troubles of a kind that are written out

function quote(cell) {
  const short = Array.from(cell).slice(0, 24).join("");
  return `“${short}${short.length < cell.length ? "…" : ""}”`;
}

// Sentences, of each kind the first few and how many more.
function troubleList() {
  const kinds = new Map();
  const add = (kind, sentence) => (kinds.has(kind) ? kinds.get(kind).push(sentence) : kinds.set(kind, [sentence]));
  const all = () => [...kinds.values()].flatMap((said) => (said.length > NAMED ? [...said.slice(0, NAMED), `… and ${said.length - NAMED} more like this.`] : said)); // prettier-ignore
  return { add, all };
}

// Names that differ: a second x is x.1, what has no name is called after its place.
function namesOf(cells, { add }) {
  const names = [];
  cells.forEach((cell, j) => {
    const plain = cell.trim() || `column ${j + 1}`;
    let name = plain;
    for (let k = 1; names.includes(name); k++) name = `${plain}.${k}`;
    if (name !== plain) add("name", `Line 1, column ${j + 1}: the name ${quote(plain)} is there twice; this one is called ${quote(name)}.`);
    if (!cell.trim()) add("name", `Line 1, column ${j + 1}: there is no name; it is called ${quote(name)}.`);
    names.push(name);
  });
  return names;
}

// What a column holds and what cells are amiss: { name, kind, values } with null for what is missing; `unread`: the texts
// that are no value, as the file has them.
function columnOf(name, written, lines, decimal, { add }) {
  const cells = written.map((cell) => cell.trim());
  const filled = cells.filter((cell) => !isMissing(cell));
  const numbers = cells.map((cell) => (isMissing(cell) ? null : numberIn(cell, decimal)));
  const many = numbers.filter(Number.isFinite).length >= NEARLY * filled.length;
  const date = many ? null : dateFormOf(filled, NEARLY);
  const kind = many ? "number" : date ? "date" : "text";
  if (!filled.length) add("empty", `Column ${quote(name)} is empty.`);
  if (date?.doubt) add("date", `Column ${quote(name)}: ${quote(date.doubt)} is read as ${dateIn(date.doubt, date.form)}, month first.`);
  const values = cells.map((cell, i) => {
    if (numbers[i] === null) return null;
    const value = many ? (Math.abs(numbers[i]) < LARGEST ? numbers[i] : null) : date ? dateIn(cell, date.form) : cell;
    const what = many && Number.isFinite(numbers[i]) ? "too large to be squared" : `no ${kind}`;
    if (value === null) add(kind, `Line ${lines[i]}, column ${quote(name)}: ${quote(cell)} is ${what}; the cell counts as missing.`);
    return value;
  });
  if (filled.length > 1 && filled.length === cells.length && values.every((value) => value === values[0])) add("constant", `Column ${quote(name)} is ${quote(filled[0])} in every row.`);
  const unread = [...new Set(written.filter((cell, i) => values[i] === null && !isMissing(cell)))];
  return { name, kind, values, ...(unread.length && { unread }), ...(kind === "date" && { form: date.form, ...(date.form === "Jan 2024" && { months: monthNames(filled) }) }) };
}

function sayRepeated(columns, { add }) {
  columns.forEach(({ name, values }, j) => {
    const first = columns.slice(0, j).find((other) => other.values.every((value, i) => value === values[i]));
    if (first) add("same", `Column ${quote(name)} repeats column ${quote(first.name)}.`);
  });
}

function* eachOf(lists) {
  for (const list of lists) yield* list;
}

// The sign between thousands, or null.
function groupSign(columns, cells, decimal) {
  for (const [j, { kind }] of columns.entries()) {
    const found = kind === "number" && cells[j].find((cell) => GROUPED[decimal].test(cell));
    if (found) return GROUPED[decimal].exec(found)[1];
  }
  return null;
}

// Whether the first record holds names: no cell in it is a number or a date.
function hasNames(first) {
  const isValue = (cell) => Number.isFinite(numberIn(cell, ".")) || Number.isFinite(numberIn(cell, ",")) || dateFormOf([cell], 1) !== null;
  return !first.some((cell) => isValue(cell.trim()));
}

// The text in the bytes of a file, and the encoding by the name that Python gives it where it is not UTF-8.
export function textOf(bytes) {
  const [a, b] = bytes;
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return { text: new TextDecoder(a === 0xff ? "utf-16le" : "utf-16be").decode(bytes), encoding: "utf-16" };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), encoding: null };
  } catch {
    return { text: new TextDecoder("windows-1252").decode(bytes), encoding: "cp1252" };
  }
}

const counted = (n) => n.toLocaleString("en");
const CHOSEN = { last: "the last", first: "the first", random: "a random choice" };

// The table that a text holds. `header`: whether its first line names the columns; null: as it looks; `encoding`: that
// of the file; `first` and `seed`: which rows of a long one are kept. { columns, troubles, rows, dialect } or { error } in
// a sentence. Yields the share that is done.
export function* reading(given, { header = null, encoding = null, first = false, seed = 0 } = {}) {
  const text = given.replace(/^\ufeff/, "");
  const delimiter = delimiterOf(text);
  const troubles = troubleList();
  let [head, named, keep] = [null, false, null];
  const open = yield* recordsIn(text, delimiter, (cells, line) => {
    if (head === null) {
      head = { cells, line };
      named = header ?? hasNames(cells);
      keep = keeper({ first, seed }, roomFor(cells.length));
      if (named) return;
    }
    keep.add({ cells, line });
  });
  if (head === null) return { error: "There is no table: the text is empty." };
  if (head.cells.length > MOST_COLUMNS) return { error: `The table has ${counted(head.cells.length)} columns; the page reads up to ${counted(MOST_COLUMNS)}. Leave out those that you do not need.` };
  const [kept, count] = [keep.kept(), keep.count()];
  if (open !== null) troubles.add("quote", `Line ${open}: a quotation mark is opened and never closed.`);
  if (encoding === "cp1252") troubles.add("code", "The file is not in UTF-8; it was read as Windows-1252.");
  if (text.includes("\ufffd")) troubles.add("code", "Some letters could not be read: save the file as UTF-8.");
  const width = head.cells.length;
  if (count > kept.length) troubles.add("rows", `The file has ${counted(count)} rows; the page computes with ${counted(kept.length)}, ${CHOSEN[seed ? "random" : first ? "first" : "last"]}.`);
  if (!named) troubles.add("name", "Line 1 holds values, so the columns are called column 1, column 2 and so on.");
  const names = namesOf(named ? head.cells : head.cells.map((_, j) => `column ${j + 1}`), troubles);
  const body = kept.map(({ cells }) => cells);
  const at = kept.map(({ line }) => line);
  if (!body.length) return { error: `Line 1 holds the names ${names.slice(0, 4).map(quote).join(", ")}, but no row follows.` };
  body.forEach((row, i) => {
    const has = `Line ${at[i]} has ${row.length} field${row.length === 1 ? "" : "s"}, line ${head.line} has ${width}`;
    if (row.length < width) troubles.add("short", `${has}: columns from ${quote(names[row.length])} on are missing there.`);
    if (row.length > width) troubles.add("long", `${has}: what is beyond column ${quote(names[width - 1])} is left out.`);
  });
  const written = names.map((_, j) => body.map((row) => row[j] ?? ""));
  const cells = written.map((column) => column.map((cell) => cell.trim()));
  const { decimal, doubt } = decimalOf(eachOf(cells), delimiter);
  if (doubt) troubles.add("decimal", `${quote(doubt)} is read as ${numberIn(doubt, decimal)}: the decimal sign is ${quote(decimal)}.`);
  const columns = [];
  for (const [j, name] of names.entries()) {
    columns.push(columnOf(name, written[j], at, decimal, troubles));
    yield 1;
  }
  sayRepeated(columns, troubles);
  const dialect = { delimiter, decimal, encoding, header: named, thousands: groupSign(columns, cells, decimal), plain: names.every((name, j) => name === head.cells[j]), ...(count > kept.length && { part: { first, seed, rows: kept.length, of: count } }) };
  return { columns, troubles: troubles.all(), rows: body.length, dialect };
}

// The same at once.
export function readTable(given, how = {}) {
  const steps = reading(given, how);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}
