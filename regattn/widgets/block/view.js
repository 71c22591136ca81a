// BlockExplorer: one sentence through one transformer block, drawn; each number with what it is made of.
import { countTable, flowDrawing } from "./flow.js";
import { acting, nudgeRow, nudgesFit } from "./nudge.js";
import { blockCounts, blockSteps, saidBy, wordsOf } from "./numbers.js";
import { LEGEND, rowPanel, saysPanel, shareShort, standsAt, topOf, WATCHED } from "./row.js";
import { sentenceWords } from "./sentence.js";
import { factorTable } from "./sums.js";
import { element, fits } from "../_kit/controls.js";
import { explorer } from "../_kit/explorer.js";
import { formatNumber, isolate } from "../_kit/format.js";
import { numberTable } from "../_kit/tables.js";

// What each step does, in a sentence.
const told = {
  embedding: "Each word brings a row of numbers without names.",
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
  back: "hidden × W₂: what is written.",
  add_2: "What feed-forward wrote joins it, too.",
};
const toldByHand = {
  queries: "What each word asks for.",
  keys: "What each word is found by.",
  values: "What each word hands over.",
};
const toldToPress = { weights: "Who looks at whom (softmax): press a cell." };
// In fewer words, where the head is chosen beside them.
const toldShort = {
  queries: "row × query matrix",
  keys: "row × key matrix",
  values: "row × value matrix",
  scores: "q · k / √d: press one",
  mask: "none looks ahead",
  weights: "softmax: press a cell",
  average: "weights × values",
};
const WRITES = { attention: ["output", "add_1"], "feed-forward": ["back", "add_2"] };
const HEADS_AT_FIRST = 2;
const HIDDEN = 8; // columns shown of the hidden ones
const AMONG = ["scores", "mask", "weights"]; // tables of words on words

const signedText = (value) => (value === 0 ? "0" : value.toFixed(2).replace("-", "−").replace(/^(−?)0/, "$1"));

function flowPanel(view, { trained, known }) {
  const label = "The block: every box is a step";
  return {
    title: "The block: click a step",
    beside: true,
    legend: trained ? LEGEND : [],
    make(host) {
      const draw = flowDrawing(host, { label, pick: (step) => view.set({ step }), signal: view.signal });
      return ({ steps, order, shown, layers, positions, out, width: D, words, says, lit, at: [row] }) => {
        const stops = says.map((stop, k) => [WATCHED.map((word) => stop[row][known.indexOf(word)] ?? 0), topOf(stop[row], known).join(" "), lit.includes(k)]);
        draw(steps, { order, layers, positions, out, word: words[row] }, shown.key, [4 * D ** 2, 8 * D ** 2], stops);
      };
    },
  };
}

// What stands above the columns: words, or the names of the numbers.
function columnNames({ names }, { words, shown: { key, values } }) {
  if (AMONG.includes(key)) return words;
  return names[key === "average" ? "values" : key] ?? Array.from(values[0], (_, i) => String(i + 1));
}

// The number that is looked at: under the pointer, else the one last pressed, else the last word's largest, and where
// a part adds the one to which it adds most; of a trained block, where words look at words, what it gives the subject.
function cellOf({ hand: { hovered, pressed }, trained }, { key, values, written = values }) {
  const there = (at) => at && values[at[0]]?.[at[1]] !== undefined;
  if (there(hovered)) return hovered;
  const i = there(pressed) ? pressed[0] : values.length - 1;
  const alike = there(pressed) && (pressed[2] === key || (AMONG.includes(pressed[2]) && AMONG.includes(key)));
  if (alike) return pressed;
  if (trained && AMONG.includes(key) && i > 1 && i === values.length - 1) return [i, 1];
  const sizes = Array.from(written[i], key === "scores" ? Number : Math.abs); // of scores the best
  return [i, sizes.indexOf(Math.max(...sizes))];
}

function numbersPanel(view, problem, hand) {
  const title = problem.trained ? "The numbers" : "The numbers after this step"; // what they are stands beside
  return {
    title,
    beside: Boolean(problem.trained),
    make(host) {
      const does = problem.trained ? host.appendChild(element("p", { class: "ra-does" }, element("span"), element("span"))) : null;
      const line = element("p", { class: "ra-below", "aria-live": "polite" });
      if (view.rows.has("head")) host.append(headSwitch(view));
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
      const drawNudges = problem.trained && !view.hides("nudges") ? nudgeRow(host, view, problem) : () => {};
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
        if (does) {
          does.firstChild.textContent = /norm/.test(key) ? "" : key === "hidden" ? `The ${hand.columns.length} largest of ${columns.length}; below zero is 0.` : WRITES[state.out]?.includes(key) ? "Nothing is written: the stream passes." : toldToPress[key] ?? told[key];
          does.lastChild.textContent = (view.rows.has("head") && toldShort[key]) || "";
        }
        const own = (row) => hand.columns.map((j) => row[j]);
        draw(words, own(columns), values.map(own), { text: signedText, most, marked: (i, j) => marked(i, hand.columns[j]), chosen: [words.map((_, i) => i === at[0]), hand.columns.map((j) => j === at[1])] }); // prettier-ignore
        const write = (piece) => (typeof piece === "number" ? formatNumber(piece) : piece);
        const whole = how(...at).map(write).join("").replaceAll("+ −", "− ");
        const made = `${whole}${problem.written?.[key] ? "," : " ="} ${write(values[at[0]][at[1]])}`;
        const said = `${isolate(words[at[0]])}, ${columns[at[1]]}: ${made}`;
        drawNudges(state);
        const summed = drawFactors(state, columns) ?? said;
        if (line.textContent !== summed) line.textContent = summed;
      };
    },
  };
}

// The control of the head, beside the numbers that are one head's: a slider drawn as a row of keys, 1 | 2.
function headSwitch(view) {
  const row = view.rows.get("head");
  const keys = element("span", { class: "ra-heads", "aria-hidden": "true" });
  const [name] = row.children;
  name.textContent = "Head";
  row.classList.add("ra-head-row");
  row.append(keys);
  view.refreshers.push(() => {
    const { n_heads, head } = view.now();
    if (keys.childElementCount !== n_heads) keys.replaceChildren(...Array.from({ length: n_heads }, (_, h) => element("span", {}, String(h + 1))));
    row.style.setProperty("--heads", n_heads);
    [...keys.children].forEach((key, h) => key.classList.toggle("ra-on", h === Math.min(head, n_heads) - 1));
  });
  return row;
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

const [NOUNS, VERBS] = [["dog", "dogs", "gate", "gates"], ["is", "are"]];

const named = (word) => `“${isolate(word)}”`;

// A word by its place: of one that stands there twice, which of them.
function calledAt(words, k) {
  const same = words.flatMap((word, l) => (word === words[k] ? [l] : []));
  return same.length < 2 ? named(words[k]) : `the ${["first", "second", "third"][same.indexOf(k)] ?? "next"} ${named(words[k])}`;
}

// What a step does to the row that is looked at, in its own words.
function sayStep({ words, steps, shown: { key }, stay: [i, j], says, n_heads, head }, { known }) {
  const whom = (k) => calledAt(words, k);
  const word = whom(i);
  const valuesOf = (step) => steps.find((one) => one.key === step).values[i];
  const at = (step) => signedText(valuesOf(step)[j]);
  const next = says.map((stop) => topOf(stop[i], known));
  const [enters, attended, leaves] = next.map(([said, share]) => `“${said}” (${share})`);
  const now = (k) => (next[k][0] === next[k - 1][0] ? "still says" : "now says");
  const [weights, scores] = [valuesOf("weights"), Array.from(valuesOf("scores")).slice(0, i + 1)];
  const fits = Math.max(...scores);
  const ask = steps.find((one) => one.key === "scores").values.at(-1)[i];
  const top = Math.max(...weights);
  const heads = n_heads === 1 ? "the head" : n_heads === 2 ? "both heads" : `all ${n_heads} heads`;
  const looked = j <= i ? `gives ${whom(j)} ${shareShort(weights[j])} of its weight` : `may not look at ${whom(j)}, which comes later`;
  const most = weights.indexOf(top);
  const twin = weights.slice(0, i + 1).filter((weight, k) => words[k] === words[most] && top - weight < 1e-9).length > 1;
  const heard = most === i ? "itself" : twin ? `each ${named(words[most])}` : whom(most);
  const instead = key === "weights" && j <= i && most !== j ? `, ${heard} ${shareShort(top)}` : "";
  const own = most !== i && weights[i] >= 0.05 ? ` and ${shareShort(weights[i])} of its own` : "";
  const inHead = n_heads === 1 ? "" : `in head ${Math.min(head, n_heads)} of ${n_heads}, `;
  const answering = valuesOf("hidden").filter((value) => value > 0).length;
  return {
    embedding: () => `${word} enters, and says ${enters}`,
    norm_1: () => `mean 0, variance 1: number ${j + 1} of ${word} goes from ${at("embedding")} to ${at("norm_1")}`,
    queries: () => `${inHead}${word} asks with ${valuesOf("queries").length} numbers: they fit ${words[scores.indexOf(fits)] === words[i] ? "itself" : whom(scores.indexOf(fits))} best, with the score ${signedText(fits)}`,
    keys: () => `${inHead}${word} is found by ${valuesOf("keys").length} numbers: ${whom(words.length - 1)} gives it the score ${signedText(ask)}`,
    values: () => `${word} hands over ${valuesOf("values").length} numbers, number ${j + 1} is ${at("values")}`,
    scores: () => `${inHead}${word} gives ${whom(j)} the score ${at("scores")}`,
    mask: () => `${word} may ${j <= i ? "" : "not "}look at ${j === i ? "itself" : whom(j)}`,
    weights: () => `${inHead}${word} ${looked}${instead}`,
    average: () => `${inHead}${word} takes ${shareShort(top)} of ${most === i ? "its own values" : `the values of ${whom(most)}`}${own}: number ${j + 1} is ${at("average")}`,
    output: () => `${heads} mixed, ${at("output")} for number ${j + 1} of ${word}`,
    add_1: () => `its number ${j + 1} goes from ${at("embedding")} to ${at("add_1")}: ${word} ${now(1)} ${attended}, after ${enters}`,
    norm_2: () => `mean 0, variance 1: number ${j + 1} of ${word} goes from ${at("add_1")} to ${at("norm_2")}`,
    hidden: () => `of ${valuesOf("hidden").length} hidden numbers ${answering} answer to ${word}, number ${j + 1} with ${at("hidden")}`,
    back: () => `the ${valuesOf("hidden").length} hidden numbers write ${at("back")} for number ${j + 1} of ${word}`,
    add_2: () => `its number ${j + 1} goes from ${at("add_1")} to ${at("add_2")}: ${word} ${now(2)} ${leaves}, after ${attended}`,
  }[key]();
}

// What the step does; at the last step, and where a hand has changed the block, first what the last word says at the end,
// and whether its subject wants that. Of other heads than those at first, that the block is another one.
function sayStops(state, problem) {
  const { words, steps, says, out, n_heads, counts, shown, stay, nudged, untouched } = state;
  const [attended, [told, sure]] = says.slice(1).map((stop) => topOf(stop.at(-1), problem.known));
  const [subject, wanted, last] = [words[1], /s$/.test(words[1]) ? "are" : "is", named(words.at(-1))];
  const asked = words.length > 3 && words[2] === "near" && NOUNS.includes(subject) && NOUNS.includes(words.at(-1));
  const one = String(subject).replace(/s$/, "");
  const right = told === wanted;
  const verdict = !asked ? "" : right ? `: right for “${subject}”` : `: wrong, “${subject}” needs “${wanted}”`;
  const moved = nudged.length > 0;
  const end = shown === steps.at(-1); // whose own sentence says how the answer turned
  const [row, column] = stay;
  const ends = moved || (row === words.length - 1 && (end || out !== "nothing")); // of another row nothing else is said
  const turned = ends && moved && !end && out === "nothing" && attended[0] !== told ? ` After attention it says “${attended[0]}” (${attended[1]}); feed-forward turns it ${asked && right && VERBS.includes(attended[0]) ? "back " : ""}to “${told}”.` : "";
  const before = shown.key === "weights" ? shareShort(untouched(shown.key)[row][column]) : "";
  const trained = before && !turned && before !== shareShort(shown.values[row][column]) ? ` As trained, it is ${before}.` : "";
  const only = row < words.length - 1 && nudged.some((one) => one.row === row) ? ` Only this row changes; the next word is asked at ${last}.` : "";
  const why = {
    attention: `Attention is taken out: ${last} ${asked ? `cannot tell ${one} from ${one}s` : "hears of no other word"}`,
    "feed-forward": "Feed-forward is taken out: what attention wrote stands alone",
    nothing: sayStep(state, problem),
  };
  const heads = n_heads === 1 ? "1 head" : `${n_heads} heads`;
  const rest = counts.total - counts.attention - counts.feed_forward;
  const parts = `${counts.attention} + ${counts.feed_forward} in the drawing, ${rest} for words and norms`;
  const other = n_heads === HEADS_AT_FIRST ? "" : ` Another block, trained with ${heads}: ${counts.total} parameters, as with ${HEADS_AT_FIRST} (${parts}).`;
  const begun = `${words.map(isolate).join(" ")} …`;
  return [ends ? `${begun} ${told}` : begun, `${ends ? ` (${sure})${verdict}.` : ""}${turned} ${capital(why[out])}.${only || trained}${other}`];
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

// A button beside the list of steps that takes the next one, and after the last, as it says, the first.
function nextButton(view) {
  const { options } = view.specs.find(({ name }) => name === "step");
  const keys = options.map(([key]) => key);
  const [word, more] = [element("b"), element("span")];
  const next = element("button", { type: "button", class: "ra-tool ra-next" }, word, more);
  view.rows.get("step").after(next);
  const place = () => keys.indexOf(view.model.get("step")) + 1;
  view.listen(next, "click", () => view.set({ step: keys[place() % keys.length] }));
  view.refreshers.push(() => {
    const words = place() < keys.length ? ["Next", " step"] : ["Start", " again"];
    if (word.textContent === words[0]) return;
    [word.textContent, more.textContent] = words;
    next.setAttribute("aria-label", words.join(""));
  });
}

const render = explorer({
  name: "BlockExplorer",
  longest: 165,
  lasts: () => ({ head: ({ n_heads }) => n_heads }),
  valid: {
    count: (value, { stops, ...spec }) => (stops ? stops.includes(value) : fits(spec, value)),
    nudges: nudgesFit,
  },
  own: { nudges: () => {} }, // they stand beside the numbers
  prepare: (data) => ({ ...data, hand: { hovered: null, pressed: null } }),
  compute(problem, now, before) {
    const steps = blockSteps(problem, now);
    const shown = steps.find(({ key }) => key === now.step) ?? steps.at(-1);
    const words = wordsOf(problem, now);
    const { hand } = problem;
    if (before && before.sentence !== now.sentence) hand.hovered = hand.pressed = null; // it is the subject's again
    const at = cellOf(problem, shown);
    const stay = cellOf({ ...problem, hand: { ...hand, hovered: null } }, shown); // which a pointer that passes leaves alone
    const says = saidBy(problem, now, steps);
    const nudged = problem.trained ? acting(now, words) : [];
    const plain = nudged.length ? blockSteps(problem, { ...now, nudges: {} }) : steps;
    const untouched = (step) => plain.find(({ key }) => key === step).values;
    // lit is what a hand has changed; where none has, what the walk has come to
    const text = (stop) => topOf(stop[at[0]], problem.known).join(" ");
    const trained = nudged.length ? saidBy(problem, now, plain).map(text) : [];
    const lit = nudged.length ? [0, 1, 2].filter((k) => text(says[k]) !== trained[k]) : [standsAt(steps, shown.key)];
    return { ...now, words, steps, shown, at, stay, says, nudged, untouched, lit, counts: blockCounts(problem, now) };
  },
  panels(problem, view) {
    if (problem.trained) view.lead.before(view.said); // what changes, beside what is pressed
    if (problem.trained && view.rows.has("step")) nextButton(view);
    sentenceWords(view, problem);
    const asBegun = ({ target }) => target.closest("[data-preset]") && (problem.hand.pressed = null);
    view.body.addEventListener("click", asBegun, { capture: true, signal: view.signal }); // before the preset is set
    return {
      says: saysPanel(problem),
      numbers: numbersPanel(view, problem, problem.hand),
      flow: flowPanel(view, problem),
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
