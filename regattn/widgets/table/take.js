// What a reader takes away: weights as a file for a spreadsheet, the lines of Python that find them again, the page.
import { csvCell } from "../_kit/link.js";

const OWN_MISSING = ["-", "–", "."];

// One line for each row that was averaged: its name, outcome, weight and what it adds.
export function weightsFile({ table, fit, outcomes, weights, contributions, label }, target) {
  const head = ["row", target, `weight in the forecast for ${label}`, "adds"];
  const lines = fit.train.map((t, i) => [table.labels[t], outcomes[i], weights[i], contributions[i]]);
  return `${[head, ...lines].map((line) => line.map(csvCell).join(",")).join("\r\n")}\r\n`;
}

// A value as Python writes it.
function python(value) {
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

// What stands for nothing in each column, where one has unread texts: what is no number in one may be a kind in another.
function gapsOf(columns) {
  const own = columns.filter(({ unread }) => unread).map(({ name, unread }) => `${python(name)}: ${python([...OWN_MISSING, ...unread])}`);
  return own.length ? `dict.fromkeys(${python(columns.map(({ name }) => name))}, ${python(OWN_MISSING)}) | {${own.join(", ")}}` : null;
}

const readLines = ({ file, columns, dialect }) => {
  const { delimiter = ",", decimal = "." } = dialect ?? {};
  const how = [python(/\.\w+$/.test(file) ? file : `${file}.csv`)];
  if (delimiter !== ",") how.push(`sep=${python(delimiter)}`);
  if (dialect?.encoding) how.push(`encoding=${python(dialect.encoding)}`);
  if (decimal === ",") how.push('decimal=","');
  if (dialect?.thousands) {
    how.push(`thousands=${python(dialect.thousands)}`);
    const words = columns.filter(({ kind }) => kind !== "number").map(({ name }) => `${python(name)}: "str"`); // else 01.02.2024 is 1022024
    if (words.length) how.push(`dtype={${words.join(", ")}}`);
  }
  if (dialect && !(dialect.header && dialect.plain)) how.push(`names=${python(columns.map(({ name }) => name))}`, `header=${dialect.header ? 0 : "None"}`);
  const gaps = gapsOf(columns);
  if (dialect) how.push(`na_values=${gaps ? "gaps" : python(OWN_MISSING)}`);
  return [...(dialect && gaps ? [`gaps = ${gaps}`] : []), `table = pd.read_csv(${how.join(", ")})`];
};

// Which rows of a long file are taken, as keep.js takes them.
function partLines(part) {
  if (!part) return [];
  if (!part.seed) return [`table = table.${part.first ? "head" : "tail"}(${part.rows})`];
  return [
    `draw = np.arange(len(table), dtype=np.uint32) + np.uint32(${Math.imul(part.seed, 0x9e3779b1) >>> 0})`,
    "for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):",
    "    draw = (draw ^ (draw >> np.uint32(shift))) * np.uint32(factor)",
    `table = table.iloc[np.sort(np.argsort(draw)[:${part.rows}])]`,
  ];
}

// Months and quarters with their names first become numbers in their order.
const NAMED = {
  "Jan 2024": (name, months) => [
    `months = ${JSON.stringify(months).replace(/[:,](?=["\d])/g, "$& ")}`,
    `parts = table[${name}].str.strip().str.extract(r"^([^\\W\\d_]+)\\.?[- /]+(\\d+)$")`,
    "year = pd.to_numeric(parts[1])",
    "year = year.mask(year < 100, year + 1900 + 100 * (year < 69))",
    `table[${name}] = 12 * year + parts[0].map(months)`,
  ],
  "Q1 2024": (name) => [
    `parts = table[${name}].str.strip().str.extract(r"^[Qq]([1-4])[- /]?(\\d{4})$").astype(float)`,
    `table[${name}] = 4 * parts[1] + parts[0]`,
  ],
};

const KERNEL = { gaussian: "gaussian", softmax: "softmax" };

function weightLines(model, knob) {
  if (model === "neighbours") {
    return ["apart = (-0.5 * ((Z - z.iloc[0]) ** 2).sum(axis=1)).to_numpy().round(9)[None]", `weights = nearest(${knob}).weights(apart)`];
  }
  if (KERNEL[model]) return [`weights = attention_weights(z, Z, kernel=${python(KERNEL[model])}, scale=1 / ${knob})`];
  const how = { ridge: `, ridge=${knob}`, components: `, rank=${knob}` }[model] ?? "";
  return [`weights = spectrum(Z).weights(z${how})`];
}

const IMPORTS = { neighbours: "from regattn.kernels import nearest", gaussian: "from regattn import attention_weights", softmax: "from regattn import attention_weights" };

// The lines that find the same forecast from the same file, with pandas and regattn alone.
export function pythonLines(state, { target, date, listens, model, typed }, source) {
  const { table, knob, query, kept } = state;
  const by = new Map(source.columns.map((column) => [column.name, column]));
  const part = source.dialect?.part;
  const rough = part && source.dialect.decimal === "." && !source.dialect.thousands;
  const lines = [...(part?.seed ? ["import numpy as np"] : []), "import pandas as pd", "from regattn.attribution import forecast_report", IMPORTS[model] ?? "from regattn.regression import spectrum", "", ...readLines(source), ...partLines(part)]; // prettier-ignore
  const { form = "", months } = by.get(date) ?? {};
  if (NAMED[form]) lines.push(...NAMED[form](python(date), months));
  else if (form && !/^2024/.test(form)) lines.push(`table[${python(date)}] = pd.to_datetime(table[${python(date)}], format="mixed", dayfirst=${form.startsWith("31") ? "True" : "False"})`);
  if (date) lines.push(`table = table.dropna(subset=${python([date])}).sort_values(${python(date)}, kind="stable")`);
  lines.push(`table = table.tail(5000).reset_index(drop=True)`);
  lines.push(columnLine(target, by, 0, rough).replace(/^X\[.*?\] = (?=pd|table)/, "y = "));
  lines.push(`X = pd.DataFrame(index=table.index)`);
  for (const name of table.names) lines.push(columnLine(name, by, table.depth, rough));
  lines.push("known = X.notna().all(axis=1) & y.notna()");
  const heard = { all: "known", others: `known & (table.index != ${query})`, past: `known & (table.index < ${query})` }[listens];
  lines.push(`past, outcomes = X[${heard}], y[${heard}]`);
  if (query < table.rows.length) lines.push(`row = X.loc[[${query}]]`);
  else lines.push(`row = pd.DataFrame([${python(table.next.map((value, j) => typed[table.names[j]] ?? value))}], columns=X.columns)`);
  lines.push("spread = past.std(ddof=0).replace(0, float(\"inf\"))");
  lines.push("Z, z = (past - past.mean()) / spread, (row - past.mean()) / spread");
  lines.push(...weightLines(model, model === "components" ? kept.filter((share) => share > 0).length : knob));
  lines.push("report = forecast_report(weights, outcomes)", "print(report.to_frame(), report.top(5))");
  return lines.join("\n");
}

// The line that makes one column of the design: numbers, a category, or either of them some rows before. `rough`: there
// may be unread texts in rows that the page did not keep.
function columnLine(name, by, depth, rough) {
  const [, plain, back] = depth ? /^([^]*), (\d+) back$/.exec(name) : [null, name, null];
  const shift = back ? `.shift(${back})` : "";
  const numbers = rough && by.get(plain)?.unread ? `pd.to_numeric(table[${python(plain)}], errors="coerce")` : `table[${python(plain)}]`;
  if (by.has(plain)) return `X[${python(name)}] = ${numbers}${shift}`;
  const whole = [...by.keys()].find((column) => plain.startsWith(`${column}: `));
  const level = plain.slice(whole.length + 2);
  return `X[${python(name)}] = (table[${python(whole)}] == ${python(level)}).astype(float).where(table[${python(whole)}].notna())${shift}`;
}
