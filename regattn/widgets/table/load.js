// How a table comes into the page: dropped, chosen or pasted, read there, and shown before anything is fitted to it.
import { element } from "../_kit/controls.js";
import { formatNumber, shorten } from "../_kit/format.js";
import { limits, rolesOf } from "./design.js";
import { reading, readTable, textOf } from "./parse.js";
import { inSlices } from "./slices.js";

const MOST_BYTES = 50e6;
const AT_ONCE = 300_000; // characters that are read in one go
const GLANCE = 20_000; // characters that are shown while the rest is read
const MANY = 12; // predictors that are not ticked one by one
const DRAWS = [1, 2, 3];
const SAMPLE = 5; // rows that are shown
const KINDS = { number: "numbers", date: "dates", text: "text" };
const SIGNS = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars" };

const plural = (n, word) => `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;
const sizeOf = ({ columns }) => `${plural(columns[0].values.length, "row")}, ${plural(columns.length, "column")}`;

function button(words, listen, action, attributes = {}) {
  const made = element("button", { type: "button", class: "ra-tool", ...attributes }, words);
  listen(made, "click", action);
  return made;
}

// The first rows of a table, with what each column holds; cells are text, whatever they say.
export function sampleTable({ columns }) {
  const head = element("tr", {}, ...columns.map(({ name, kind }) => element("th", { scope: "col", dir: "auto" }, shorten(name, 24), element("small", {}, KINDS[kind]))));
  const cell = (value) => element("td", { dir: "auto" }, value === null ? "–" : typeof value === "number" ? String(Number(value.toPrecision(8))).replace("-", "−") : shorten(value, 24));
  const count = Math.min(SAMPLE, columns[0].values.length);
  const rows = Array.from({ length: count }, (_, i) => element("tr", {}, ...columns.map(({ values }) => cell(values[i]))));
  const table = element("table", { class: "ra-sample" }, element("thead", {}, head), element("tbody", {}, ...rows));
  return element("div", { class: "ra-scroll", tabindex: "0", role: "region", "aria-label": "The first rows of the table" }, table);
}

function picker(label, options, value, listen, changed) {
  const input = element("select", { "aria-label": label }, ...options.map(([own, words]) => element("option", { value: own }, words)));
  input.value = value;
  listen(input, "change", () => changed(input.value));
  return element("label", { class: "ra-control" }, element("span", { class: "ra-control-name" }, label), input);
}

function box(words, checked, listen, changed) {
  const input = element("input", { type: "checkbox" });
  input.checked = checked;
  listen(input, "change", () => changed(input.checked));
  return element("label", { class: "ra-control ra-tickbox" }, element("span", { class: "ra-control-name" }, words), input);
}

// The first rows of a long text, while the rest is being read.
function glance(text, file, how, stop) {
  const read = readTable(text.slice(0, Math.max(text.lastIndexOf("\n", GLANCE), 0)), how);
  const rows = read.columns ? [sampleTable(read)] : [];
  return element("section", { class: "ra-setup", "aria-label": "The first rows" }, element("p", {}, element("strong", {}, file), " begins like this. The rest is being read."), ...rows, element("div", { class: "ra-tools" }, stop));
}

// What was read, its troubles, and what to forecast from what; `fit(settings)` goes on, `back()` leaves all as it was.
function setup(read, settings, { listen, again, fit, back }) {
  const { target, date, predictors } = rolesOf(read.columns);
  const { delimiter, decimal, header, part } = read.dialect;
  const parts = element("section", { class: "ra-setup", "aria-label": "The table that was read" });
  const said = `${sizeOf(read)}. Fields are set apart by ${SIGNS[delimiter]}; the decimal sign is “${decimal}”.`;
  parts.append(element("p", {}, element("strong", {}, read.file), `: ${said}`), sampleTable(read));
  parts.append(box("Line 1 holds the names of the columns", header, listen, (on) => again({ header: on })));
  if (part) {
    const rows = [["last", `the last ${plural(part.rows, "row")}`], ["first", `the first ${plural(part.rows, "row")}`], ...DRAWS.map((seed) => [String(seed), `${plural(part.rows, "row")} at random, draw ${seed}`])];
    const chosen = part.seed ? String(part.seed) : part.first ? "first" : "last";
    parts.append(element("div", { class: "ra-controls" }, picker(`Of ${plural(part.of, "row")} take`, rows, chosen, listen, (own) => again({ first: own === "first", seed: Number(own) || 0 }))));
  }
  if (read.troubles.length) {
    parts.append(element("p", {}, element("strong", {}, "What to know about it")), element("ul", { class: "ra-troubles" }, ...read.troubles.map((trouble) => element("li", {}, trouble))));
  }
  const boxes = element("div", { class: "ra-choices" });
  const tick = (words, chosen) => button(words, listen, () => {
    settings.predictors = chosen;
    offer();
  });
  const offer = () => {
    const names = predictors.filter((name) => name !== settings.target && name !== settings.date);
    boxes.replaceChildren(...names.map((name) => box(shorten(name, 32), settings.predictors.includes(name), listen, (on) => {
      settings.predictors = predictors.filter((each) => (each === name ? on : settings.predictors.includes(each)));
    })));
  };
  const choose = (key, read = (value) => value) => (value) => {
    settings[key] = read(value);
    offer();
  };
  offer();
  const room = `A fit has room for ${limits().columns} columns; what comes after is left out.`;
  const several = predictors.length > MANY ? [element("p", {}, room), element("div", { class: "ra-tools" }, tick("Tick all", predictors), tick("Tick none", []))] : [];
  const named = (list) => list.map((name) => [name, name]);
  const most = Math.min(limits().lags, read.rows - 1);
  const lags = Array.from({ length: most + 1 }, (_, k) => [k, k ? `${k}: from the ${k === 1 ? "row" : `${k} rows`} before` : "0: from the row itself"]);
  parts.append(
    element("div", { class: "ra-controls" },
      picker("Target: what is forecast", named(target), settings.target, listen, choose("target")),
      picker("Date or name of a row", [["", "none: in the order of the file"], ...named(date)], settings.date, listen, choose("date")),
      picker("Lags", lags, settings.lags, listen, choose("lags", Number)),
    ),
    element("div", { class: "ra-group", role: "group", "aria-label": "Predictors" }, element("span", { class: "ra-control-name" }, "Predictors: what it is forecast from"), ...several, boxes),
    element("div", { class: "ra-tools" }, button("Fit", listen, () => fit(settings), { "data-load": "fit" }), button("Back", listen, back)),
  );
  return parts;
}

// The frame in which a table arrives. `use(table, settings)` is called with one that is to be fitted; `now` is the one
// that is shown, { columns, file, troubles }; `first(columns)`: the settings that a table begins with; `said`: what is
// said at the start.
export function loader(root, { now, examples, signal, use, first, said = "" }) {
  const listen = (target, event, handler) => target.addEventListener(event, handler, { signal });
  const status = element("p", { class: "ra-load-said", role: "status" }, said);
  const place = element("div");
  const pasted = element("textarea", { rows: 6, "aria-label": "A table as text, its columns set apart by commas, semicolons or tabs", spellcheck: "false" });
  const area = element("div", { class: "ra-paste" }, pasted, button("Read it", listen, () => take(pasted.value, "pasted table"), { "data-load": "read" }));
  area.hidden = true;
  const chooser = element("input", { type: "file", accept: ".csv,.tsv,.txt,text/csv,text/plain", "aria-label": "A file with a table", tabindex: "-1" });
  chooser.hidden = true;
  const show = (part) => {
    place.replaceChildren(...(part ? [part] : []));
    root.classList.toggle("ra-loading", Boolean(part));
  };
  let turn = 0;
  const back = () => {
    turn += 1;
    status.textContent = "";
    show(null);
  };
  const arrived = (text, file, how, before, read) => {
    const wrong = read.error ?? (rolesOf(read.columns).target.length ? "" : `${file} has no column of numbers that vary, which a target must be.`);
    status.textContent = wrong;
    if (wrong && !before) return show(null);
    if (wrong) return null;
    const names = read.columns.map(({ name }) => name).join("\n");
    const settings = before?.names === names ? before.settings : first(read.columns);
    const again = (change) => take(text, file, { ...how, ...change }, { names, settings });
    return show(setup({ ...read, file }, settings, { listen, fit: (chosen) => use({ ...read, file }, chosen), again, back }));
  };
  // `before`: what was chosen when the same text was read in another way.
  const take = (text, file, how = {}, before = null) => {
    const mine = (turn += 1);
    const done = (read) => arrived(text, file, how, before, read);
    if (text.length <= AT_ONCE) return done(readTable(text, how));
    if (!before) show(glance(text, file, how, button("Stop", listen, back)));
    const progress = (share) => (status.textContent = `Reading ${file}: ${Math.floor(100 * share)} %`);
    progress(0);
    return inSlices(reading(text, how), { alive: () => !signal.aborted && turn === mine, done, progress });
  };
  const open = async (file) => {
    if (!file) return;
    if (file.size > MOST_BYTES) {
      status.textContent = `${file.name} has ${formatNumber(file.size / 1e6)} MB; the page reads files of up to ${MOST_BYTES / 1e6} MB. Leave out columns or rows that you do not need, and choose it again.`;
      return;
    }
    status.textContent = `Reading ${file.name} …`;
    const mine = (turn += 1);
    const bytes = await file.arrayBuffer();
    if (turn !== mine || signal.aborted) return; // another table has come in the meantime
    const { text, encoding } = textOf(new Uint8Array(bytes));
    take(text, file.name, { encoding });
  };
  listen(chooser, "change", () => {
    open(chooser.files[0]);
    chooser.value = "";
  });
  const over = (on) => (event) => {
    event.preventDefault();
    root.classList.toggle("ra-over", on);
  };
  listen(root, "dragover", over(true));
  listen(root, "dragleave", over(false));
  listen(root, "drop", (event) => {
    over(false)(event);
    open(event.dataTransfer.files[0]);
  });
  const paste = button("Paste a table", listen, () => {
    area.hidden = !area.hidden;
    paste.setAttribute("aria-expanded", String(!area.hidden));
    if (!area.hidden) pasted.focus();
  }, { "aria-expanded": "false" });
  const tools = [button("Choose a file", listen, () => chooser.click()), paste];
  const others = examples.map((example) => button(example.name, listen, () => use({ ...example, file: example.name, troubles: [] }, first(example.columns)), { class: "ra-word", "data-example": example.name }));
  const given = element("details", { class: "ra-given" }, element("summary", {}, "The table as it was read"), sampleTable(now));
  if (now.troubles.length) given.append(element("ul", { class: "ra-troubles" }, ...now.troubles.map((trouble) => element("li", {}, trouble))));
  return element("div", { class: "ra-load", role: "group", "aria-label": "Table" },
    element("p", {}, element("strong", {}, now.file), `: ${sizeOf(now)}. Drop a CSV file of your own here; it stays in this page.`),
    element("div", { class: "ra-words" }, ...tools, ...(others.length ? [element("span", {}, "or an example:"), ...others] : [])),
    chooser, area, status, place, given);
}
