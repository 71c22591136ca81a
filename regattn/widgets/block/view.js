// BlockExplorer: one sentence through one transformer block, drawn; each number with what it is made of.
import { countTable, flowDrawing } from "./flow.js";
import { blockCounts, blockSteps, saidBy, wordsOf } from "./numbers.js";
import { rowPanel, saysPanel, shareShort } from "./row.js";
import { factorTable } from "./sums.js";
import { element, fits } from "../_kit/controls.js";
import { explorer } from "../_kit/explorer.js";
import { formatNumber, isolate } from "../_kit/format.js";
import { numberTable } from "../_kit/tables.js";

// What each step does, in a sentence.
const told = {
  embedding: "Each word brings its own row of numbers.",
  norm_1: "Each row gets mean 0 and variance 1.",
  queries: "What a word asks for: row × query matrix.",
  keys: "What it is found by: its row × key matrix.",
  values: "What it hands over: its row × value matrix.",
  scores: "Every query on every key, divided by √d.",
  mask: "No word may look at a later one.",
  weights: "Softmax of the scores: who looks at whom.",
  average: "The values, averaged with these weights.",
  output: "All heads’ averages, mixed: what is written.",
  add_1: "What attention wrote joins the stream.",
  norm_2: "Each row gets mean 0 and variance 1.",
  hidden: "Scores against 4D keys, none below zero.",
  back: "Scores times 4D values: what is written.",
  add_2: "What feed-forward wrote joins it, too.",
};
const toldByHand = {
  queries: "What each word asks for.",
  keys: "What each word is found by.",
  values: "What each word hands over.",
};
const HEADS_AT_FIRST = 2;
const HIDDEN = 8; // columns shown of the hidden ones
const AMONG = ["scores", "mask", "weights"]; // tables of words on words

const signedText = (value) => (value === 0 ? "0" : value.toFixed(2).replace("-", "−").replace(/^(−?)0/, "$1"));

function flowPanel(view) {
  const label = "The block: every box is a step";
  return {
    title: "The block: click a step",
    beside: true,
    make(host) {
      const draw = flowDrawing(host, { label, pick: (step) => view.set({ step }), signal: view.signal });
      return ({ steps, order, shown, layers, positions, width: D }) => draw(steps, { order, layers, positions }, shown.key, [4 * D ** 2, 8 * D ** 2]);
    },
  };
}

// What stands above the columns: words, or the names of the numbers.
function columnNames({ names }, { words, shown: { key, values } }) {
  if (AMONG.includes(key)) return words;
  return names[key === "average" ? "values" : key] ?? Array.from(values[0], (_, i) => String(i + 1));
}

// The number that is looked at: under the pointer, else the one last pressed, else the last word's largest, and where
// a part adds the one to which it adds most.
function cellOf({ hovered, pressed }, { key, values, written = values }) {
  const there = (at) => at && values[at[0]]?.[at[1]] !== undefined;
  if (there(hovered)) return hovered;
  const i = there(pressed) ? pressed[0] : values.length - 1;
  if (there(pressed) && pressed[2] === key) return pressed;
  const sizes = Array.from(written[i], key === "scores" ? Number : Math.abs); // of scores the best
  return [i, sizes.indexOf(Math.max(...sizes))];
}

function numbersPanel(view, problem, hand) {
  const title = problem.trained ? "The numbers" : "The numbers after this step"; // what they are stands beside
  return {
    title,
    beside: Boolean(problem.trained),
    make(host) {
      const does = problem.trained ? host.appendChild(element("p", { class: "ra-does" })) : null;
      const line = element("p", { class: "ra-below", "aria-live": "polite" });
      const light = (cell) => {
        hand.hovered = cell && [cell[0], hand.columns[cell[1]]];
        view.update();
      };
      const pick = (i, j) => {
        hand.pressed = [i, hand.columns[j], hand.key];
        view.update();
      };
      const draw = numberTable(host, { label: title, hint: "The table scrolls sideways.", light, pick, signal: view.signal });
      host.append(line);
      const drawFactors = factorTable(host, view.signal);
      return (state) => {
        const { words, shown, at } = state;
        const { key, values, how } = shown;
        hand.key = key;
        const columns = columnNames(problem, state);
        hand.columns = problem.trained && key === "hidden" ? strongest(values.at(-1), at[1]) : columns.map((_, j) => j);
        const most = values.reduce((largest, row) => Math.max(largest, ...Array.from(row, Math.abs)), 0) || 1;
        const masked = (i, j) => key === "weights" && j > i;
        const lit = (i, j) => (i === at[0] && j === at[1] ? " ra-lit" : "");
        const marked = (i, j) => (masked(i, j) ? "ra-masked" : values[i][j] < 0 ? "ra-below" : "ra-above") + lit(i, j);
        if (does) does.textContent = key === "hidden" ? `The ${hand.columns.length} largest of ${columns.length}; below zero is 0.` : told[key];
        const own = (row) => hand.columns.map((j) => row[j]);
        draw(words, own(columns), values.map(own), { text: signedText, most, marked: (i, j) => marked(i, hand.columns[j]), chosen: [words.map((_, i) => i === at[0]), hand.columns.map((j) => j === at[1])] }); // prettier-ignore
        const write = (piece) => (typeof piece === "number" ? formatNumber(piece) : piece);
        const whole = how(...at).map(write).join("").replaceAll("+ −", "− ");
        const made = `${whole}${problem.written?.[key] ? "," : " ="} ${write(values[at[0]][at[1]])}`;
        const said = `${isolate(words[at[0]])}, ${columns[at[1]]}: ${made}`;
        const summed = drawFactors(state, columns) ?? said;
        if (line.textContent !== summed) line.textContent = summed;
      };
    },
  };
}

// Of the hidden numbers those that answer most to the last word, and the one that is looked at, in their order: a table
// of all would leave its frame.
function strongest(row, wanted) {
  const places = Array.from(row.keys()).sort((i, j) => (j === wanted) - (i === wanted) || row[j] - row[i]);
  return places.slice(0, HIDDEN).sort((i, j) => i - j);
}

function countsPanel({ known }) {
  const title = "Parameters of a model of such blocks";
  return {
    title,
    make(host) {
      const draw = countTable(host, title);
      return ({ words, counts, width: D, layers: L, positions, order }) =>
        draw([
          ["word vectors", `V D = ${known.length} · ${D}`, counts.embedding],
          ["places", positions === "learned" ? `T D = ${words.length} · ${D}` : "none", counts.positions],
          ["attention", `L · 4D² = ${L} · 4 · ${D}²`, counts.attention],
          ["feed-forward", `L · 8D² = ${L} · 8 · ${D}²`, counts.feed_forward],
          ["norms", `${{ pre: "(2L + 1) D", post: "2L D", parallel: "(L + 1) D" }[order]}`, counts.norms],
          ["all", "", counts.total],
        ]);
    },
  };
}

const COUNTED = [
  ["attention", "parameters of attention", ({ width, layers }) => `${layers} · 4 · ${width}² = `],
  ["feed_forward", "of feed-forward", ({ width, layers }) => `${layers} · 8 · ${width}² = `],
  ["total", "of the model, with words and norms", () => ""],
];

const NOUNS = ["dog", "dogs", "gate", "gates"];

// What the last word says at the end, and whether its subject wants that; then what made it so. Of other heads than those
// at first, that the block is another one.
function sayStops({ words, says, out, n_heads, counts }, { known }) {
  const ends = says.map((stop) => stop.at(-1)).map((shares) => [known[shares.indexOf(Math.max(...shares))], shareShort(Math.max(...shares))]);
  const [[enters], [attended, share], [told, sure]] = ends;
  const [subject, wanted, last] = [words[1], /s$/.test(words[1]) ? "are" : "is", isolate(words.at(-1))];
  const asked = words.length > 3 && words[2] === "near" && NOUNS.includes(subject) && NOUNS.includes(words.at(-1));
  const one = String(subject).replace(/s$/, "");
  const verdict = !asked ? "" : told === wanted ? `: right for “${subject}”` : `: wrong, “${subject}” needs “${wanted}”`;
  const why = {
    attention: `Attention is taken out: “${last}” ${asked ? `cannot tell ${one} from ${one}s` : "hears of no other word"}.`,
    "feed-forward": "Feed-forward is taken out: what attention wrote stands alone.",
    nothing: `“${last}” enters saying “${enters}”; attention ${attended === enters ? "leaves that" : `makes it “${attended}”`} (${share}).`,
  };
  const heads = n_heads === 1 ? "1 head" : `${n_heads} heads`;
  const other = n_heads === HEADS_AT_FIRST ? "" : ` Another block, trained with ${heads}: ${counts.total} parameters, as with ${HEADS_AT_FIRST}.`;
  return [`${words.map(isolate).join(" ")} … ${told}`, ` (${sure})${verdict}. ${why[out]}${other}`];
}

const render = explorer({
  name: "BlockExplorer",
  longest: 150,
  valid: {
    count: (value, { stops, ...spec }) => (stops ? stops.includes(value) : fits(spec, value)),
  },
  prepare: (data) => ({ ...data, hand: { hovered: null, pressed: null } }),
  compute(problem, now) {
    const steps = blockSteps(problem, { ...now, head: Math.min(now.head, now.n_heads) });
    const shown = steps.find(({ key }) => key === now.step) ?? steps.at(-1);
    const words = wordsOf(problem, now);
    const at = cellOf(problem.hand, shown);
    return { ...now, words, steps, shown, at, says: saidBy(problem, now, steps), counts: blockCounts(problem, now) };
  },
  panels(problem, view) {
    if (problem.trained) view.lead.before(view.said); // what changes, beside what is pressed
    return {
      says: saysPanel(problem),
      numbers: numbersPanel(view, problem, problem.hand),
      flow: flowPanel(view),
      row: rowPanel(view, problem),
      counts: countsPanel(problem),
    };
  },
  // where a page hides their table, the counts stand in More
  numbers: (_, view) => view.hides("counts") && !view.hides("flow") ? COUNTED.map(([key, words, formula]) => [key, words, (state) => formula(state) + state.counts[key].toLocaleString("en")]) : [], // prettier-ignore
  say(state, problem) {
    if (state.says.length) return sayStops(state, problem);
    const { key, values } = state.shown;
    return [`${values.length} × ${values[0].length} numbers.`, ` ${(problem.written && toldByHand[key]) || told[key]}`];
  },
  result: ({ shown, steps, says, counts }) => ({
    step: shown.key,
    values: shown.values.map((row) => Array.from(row)),
    stream: steps.at(-1).values.map((row) => Array.from(row)),
    says: says.map((stop) => Array.from(stop.at(-1))),
    ...counts,
  }),
});

export default { render };
