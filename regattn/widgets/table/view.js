// TableExplorer: a table of one's own, six models, and whose outcomes each averages into the forecast of a row.
import { addedPanel, averagedPanel } from "../_kit/averaged.js";
import { printed, widened } from "../_kit/dates.js";
import { element } from "../_kit/controls.js";
import { explorer } from "../_kit/explorer.js";
import { formatNumber, formatResult, isolate, numberTicks } from "../_kit/format.js";
import { readHash, writeHash } from "../_kit/link.js";
import { pageModel } from "../_kit/page.js";
import { design, guess, limits, rolesOf } from "./design.js";
import { pageOf, save } from "./file.js";
import { cellsFit, columnBoxes, columnsFit, typedCells } from "./inputs.js";
import { loader } from "./load.js";
import { AT_MEANS, tableProblem, tableResult, tableState } from "./numbers.js";
import { inSlices } from "./slices.js";
import { pythonLines, weightsFile } from "./take.js";

// Long work: what is wanted last is done, and what it found is put into `memory`.
function remembered(view, memory) {
  let job = null;
  return (key, steps) => {
    if (job?.key === key) return;
    const mine = (job = { key });
    const done = (value) => {
      job = null;
      memory.set(key, value);
      view.update();
    };
    inSlices(steps, { alive: () => !view.signal.aborted && job === mine, done });
  };
}

function prepare(data, view) {
  const problem = tableProblem(data);
  problem.later = (key, steps) => (problem.slices ??= remembered(view, problem.memory))(key, steps);
  const now = () => tableState(problem, view.now());
  return { problem, data, view, design: () => problem.prepared?.table ?? now().table };
}

const MODEL_KNOBS = { ridge: "λ", components: "components", neighbours: "neighbours", gaussian: "temperature", softmax: "temperature" };
const COUNTED = ["components", "neighbours"];

// Why a row has no forecast.
function lackingWords({ depth, lacking }, query, columns) {
  if (query < depth) return query ? `only ${query} row${query === 1 ? " is" : "s are"} before it` : "no row is before it";
  const missing = lacking(query);
  const names = missing.map((name) => isolate(name));
  const unread = columns.some((column) => column.unread && missing.includes(column.name)) ? " or unread" : "";
  const list = [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" and ");
  return `${list} ${names.length === 1 ? "is" : "are"} empty${unread}${depth ? " in a row before it" : ""}`;
}

function said(state, { view, data }) {
  const { label, prediction, observed, order, weights, contributions, table, fit, knob, searched, pending, outcomes } = state;
  const { model, target, listens } = view.now();
  const notes = table.notes.length ? ` ${table.notes.join(" ")}` : "";
  if (!fit.n) return ["", `There is no row with a number in every predictor and in ${isolate(target)}.${notes}`];
  if (prediction === null) {
    const alone = listens === "past" && fit.train.every((t) => t >= state.query);
    const why = state.query < table.rows.length && !table.whole[state.query] ? lackingWords(table, state.query, data.columns) : alone ? "no row before it can be learned from" : "no other row can be learned from";
    return ["", `${isolate(label)}${label.includes(",") ? "," : ""} has no forecast: ${why}.${notes}`];
  }
  const [k] = order;
  const seen = observed === null ? "" : `, observed ${formatNumber(observed)}`;
  const loud = `${isolate(table.labels[fit.train[k]])} (${formatNumber(outcomes[k])}) moves it most: with weight ${formatResult(weights[k])} it adds ${formatResult(contributions[k])}.`;
  const chosen = COUNTED.includes(model) ? String(knob) : formatNumber(knob);
  const by = pending ? " Leave-one-out is being computed." : searched ? ` Leave-one-out chose ${MODEL_KNOBS[model]} ${chosen}.` : "";
  const typed = state.query < table.rows.length ? [] : (view.readings?.() ?? []);
  const more = label === AT_MEANS && view.readings && table.names.length ? "; type your own under More" : "";
  return [formatResult(prediction), ` for ${isolate(label)}${more}${seen}. ${[...typed, loud].join(" ")}${by}${notes}`];
}

// Outcomes of the rows that can be learned from, as the first panel draws them.
function drawn({ table, fit, outcomes, weights, prediction }) {
  const values = Array.from(outcomes);
  const range = values.length ? widened([values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))], 0.08) : [0, 1];
  return { outcomes: values, dates: fit.train.map((t) => table.ticks[t]), range, weights: Array.from(weights), prediction };
}

function keptPanel() {
  return {
    title: "What is kept of each direction of the predictors",
    legend: [["key", "line", "share kept, the strongest direction first"]],
    plot: { label: "Shares kept", xLabel: "direction", yLabel: "share", height: 230 },
    make(p) {
      const bars = p.bars("key");
      return ({ kept }) => {
        const most = Math.max(1, ...kept);
        const least = Math.min(0, ...kept);
        const count = Math.max(1, kept.length);
        const ticks = Array.from({ length: count }, (_, k) => ({ at: k, text: String(k + 1) }));
        p.frame({ x: [-0.7, count - 0.3], y: [least, most], xTicks: ticks, yTicks: numberTicks(least, most, 4) });
        bars(kept);
      };
    },
  };
}

// The panel from which a reader takes something away: files, and the lines of Python.
function takePanel({ view, data }) {
  return {
    title: "Take it with you",
    wide: true,
    make(host) {
      const lines = element("pre", { class: "ra-code", tabindex: "0", role: "region", "aria-label": "Lines of Python" });
      let state = null;
      const tool = (words, action) => {
        const made = element("button", { type: "button", class: "ra-tool" }, words);
        view.listen(made, "click", () => action(made));
        return made;
      };
      const stem = () => data.file.replace(/\.\w+$/, "");
      const tools = [tool("Weights as CSV", () => save(`${stem()} weights.csv`, `\ufeff${weightsFile(state, view.now().target)}`, "text/csv"))];
      tools.push(tool("Copy the Python lines", async (made) => {
        try {
          await navigator.clipboard.writeText(lines.textContent);
          made.textContent = "Copied";
        } catch {
          getSelection().selectAllChildren(lines);
          made.textContent = document.execCommand("copy") ? "Copied" : "Selected: copy them";
        }
      }));
      if (!view.own) tools.push(tool("This page as one file", () => {
        const values = { ...view.now(), data: view.model.get("data"), kit: view.model.get("kit"), alt: view.model.get("alt") };
        save(`${stem()}.html`, pageOf(view.root, values, data.file), "text/html");
      }));
      host.append(element("div", { class: "ra-tools" }, ...tools), lines);
      return (now) => {
        state = now;
        tools[0].disabled = !now.able;
        const words = now.able ? pythonLines(now, view.now(), data) : "";
        if (lines.textContent !== words) lines.textContent = words;
      };
    },
  };
}

const shown = (key) => (state) => (state[key] === null ? "–" : printed(key)(state));

const draw = explorer({
  name: "TableExplorer",
  prepare,
  compute: ({ problem }, now) => tableState(problem, now),
  keeps: ["target"],
  own: { columns: columnBoxes, cells: (view, spec) => typedCells(view, spec, () => view.design()) },
  valid: { columns: columnsFit, cells: cellsFit },
  texts: ({ design, view }) => {
    view.design = design;
    return { query: (q) => (q < design().rows.length ? isolate(design().labels[q]) : design().depth ? "the next row" : "a row you type") };
  },
  panels: (problem, view) => ({ rows: averagedPanel({ title: "Whose past it averages", label: "Rows it learned from", height: 250, of: drawn }), sum: addedPanel(), kept: keptPanel(), take: takePanel(problem, view) }),
  hint: ({ label }) => `for ${isolate(label)}; arrow keys read the rows, Enter lets one ask`,
  cursor: () => ({
    count: ({ fit }) => fit.n,
    text: (k, { table, fit, weights, contributions, outcomes }) =>
      fit.n ? `${isolate(table.labels[fit.train[k]])}: weight ${formatResult(weights[k])}\noutcome ${formatNumber(outcomes[k])}\nadds ${formatResult(contributions[k])}` : "no rows",
    start: ({ order }) => order[0] ?? 0,
    pick: (k, { fit }) => ({ query: fit.train[k] }),
  }),
  answers: () => ["dof", "loo"],
  numbers: () => [
    ["prediction", "forecast, in units of the target", shown("prediction")],
    ["observed", "observed, in units of the target", shown("observed")],
    ["knob", "λ, rank, k or temperature in use", shown("knob")],
    ["dof", "degrees of freedom", shown("dof")],
    ["loo", "leave-one-out error, in units of the target", shown("loo")],
    ["error", "error of the fit, in units of the target", shown("error")],
    ["effective", "effective number of rows", shown("effective")],
  ],
  say: said,
  result: tableResult,
});

// The controls of a kit for another table: their options and how far they go.
function controlsFor(specs, columns) {
  const { target, predictors, date } = rolesOf(columns);
  const pairs = (names) => names.map((name) => [name, name]);
  const rows = columns[0].values.length;
  const own = {
    query: { max: rows },
    listens: { used: [{ query: Array.from({ length: rows }, (_, k) => k) }] },
    target: { options: pairs(target) },
    date: (spec) => ({ options: [spec.options[0], ...pairs(date)] }),
    lags: { max: Math.min(limits().lags, rows - 1) },
    predictors: { options: predictors },
    typed: { columns: columns.map(({ name }) => name) },
  };
  return specs.map((spec) => ({ ...spec, ...(own[spec.name]?.call ? own[spec.name](spec) : own[spec.name]) }));
}

const LINK = "regattn-table";
const BEGIN = { model: "ridge", listens: "others", tuning: "loo" }; // with a table of one's own
const ROLES = ["target", "date", "lags", "predictors"]; // what is chosen before a table is fitted

// The last row that can be forecast, or where there is none the last.
function lastWhole(columns, settings) {
  const { whole } = design(columns, settings);
  return whole.includes(true) ? whole.lastIndexOf(true) : columns[0].values.length - 1;
}

// What a link sets of a table with these controls, or null.
const linkedTo = (controls) => readHash(location.hash, LINK, controls, { columns: columnsFit, cells: cellsFit });

// A link says what the form begins with; from then on the form decides.
function settle(controls, settings) {
  if (!location.hash.includes(`${LINK}=`)) return;
  history.replaceState(history.state, "", writeHash(location.hash, LINK, { ...linkedTo(controls), ...settings }));
}

// Of a link that was made with another table, what it was about.
function strangeTarget(controls) {
  const found = readHash(location.hash, LINK, [{ name: "target", kind: "any" }], { any: (value) => typeof value === "string" });
  return found && !controls.find(({ name }) => name === "target").options.some(([name]) => name === found.target) ? found.target : null;
}

function render({ model, el }) {
  let [leave, stop] = [() => {}, new AbortController()];
  const defaults = Object.fromEntries(model.get("kit").controls.map(({ name }) => [name, model.get(name)]));
  const mount = (current, troubles = []) => {
    leave();
    stop.abort();
    stop = new AbortController();
    leave = draw({ model: current, el });
    const root = el.matches("figure.regattn") ? el : el.lastElementChild;
    root.classList.remove("ra-loading");
    root.querySelector(":scope > .ra-load")?.remove();
    const { columns, file, examples } = current.get("data");
    const strange = strangeTarget(current.get("kit").controls);
    const words = strange === null ? "" : `This link was made with another table, one with a column “${strange}”. Choose that table, and its settings come back.`;
    root.querySelector(".ra-body").before(loader(root, { now: { columns, file, troubles }, examples, signal: stop.signal, use, first, said: words }));
  };
  const first = (columns) => {
    const linked = linkedTo(controlsFor(model.get("kit").controls, columns)) ?? {};
    return { ...guess(columns), ...("target" in linked && Object.fromEntries(ROLES.filter((name) => name in linked).map((name) => [name, linked[name]]))) };
  };
  const use = ({ columns, file, dialect = null, troubles }, settings) => {
    const data = { ...model.get("data"), columns, file, dialect };
    const kit = { ...model.get("kit"), presets: [], controls: controlsFor(model.get("kit").controls, columns) };
    settle(kit.controls, settings);
    mount(pageModel({ ...defaults, ...BEGIN, query: lastWhole(columns, settings), typed: {}, ...settings, data, kit, alt: `The table ${file}. ${model.get("alt").replace(/^[^;]*; /, "")}` }, model), troubles);
  };
  mount(model);
  return () => {
    leave();
    stop.abort();
    el.querySelector(".ra-load")?.remove();
  };
}

export default { render };
