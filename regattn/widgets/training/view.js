// TrainingExplorer: a small language model that trains in the page, beside what can be had.
import { element } from "../_kit/controls.js";
import { explorer } from "../_kit/explorer.js";
import { formatNumber, shareText } from "../_kit/format.js";
import { pageBox, textBox, textFits } from "../_kit/typed_text.js";
import { trainingDrive } from "./drive.js";
import { outsideBox } from "./expects.js";
import { bytesIn, keeperOf, lowestOf } from "./keeper.js";
import { gramsOf, lossPanel, mapPanel, samplesPanel } from "./panels.js";

const WORSE = 0.2; // bits per byte above the losses about the best, from which it has plainly grown worse
const NEAR = 5; // losses whose mean is taken
const BYTE = 8; // bits that a guess among all bytes costs
const LEVEL = 0.005; // bits from a line, at which a loss is level with it
const SOON = 200; // steps that a link may ask for: they are taken at once

// How far it has come; what moves it are the buttons beside it.
function runRow(view, { name, label, max }) {
  const bar = element("progress", { max, "aria-label": label });
  const said = element("span", { class: "ra-control-value", "data-output": name });
  const row = element("div", { class: "ra-control ra-wide" }, element("span", { class: "ra-control-name" }, label), said, bar);
  view.controls.append(row);
  view.rows.set(name, row);
  view.refreshers.push(() => {
    const now = view.model.get(name);
    bar.value = now;
    said.textContent = `${now} of ${max}`;
  });
}

// The box of a text, below it how much is missing, and beside it what of it is held out.
function ownBox(view, spec) {
  pageBox(view, spec);
  view.drawOutside = outsideBox(view);
  const { least } = view.model.get("data");
  const line = view.rows.get(spec.name).appendChild(element("span", { class: "ra-lacks", role: "status" }));
  view.refreshers.push(() => {
    const n = bytesIn(view.model.get(spec.name));
    const words = n < least ? `${plural(n, "byte")}; it takes ${least}: ${least - n} more.` : "";
    if (line.textContent !== words) line.textContent = words;
  });
}

// The line of a beginning; empty, it is that of the text.
function beginningBox(view, spec) {
  textBox(view, spec);
  const [input, { text = "", given }] = [view.rows.get(spec.name).querySelector("input"), view.model.get("data")];
  const now = input.value;
  input.defaultValue = text.slice(0, given); // to type
  input.value = now;
  view.refreshers.push(() => {
    const begins = view.model.get("own").slice(0, given);
    if (input.placeholder !== begins) input.placeholder = begins;
  });
}

// The button that goes back to where the loss was lowest, and from there to the furthest step again.
function backButton(view, { keeper, data }) {
  const button = element("button", { type: "button", class: "ra-tool" });
  const low = () => lowestOf(keeper.far().losses) * data.every;
  const [now, far] = [() => view.model.get("step"), () => keeper.far().step];
  const turns = () => now() === low() && far() > now();
  view.listen(button, "click", () => view.set({ step: turns() ? far() : low() }));
  view.refreshers.push(() => {
    const none = keeper.tooShort(view.now());
    const words = !none && turns() ? `On to step ${far()} again` : "Back to the lowest";
    if (button.textContent !== words) button.textContent = words;
    button.toggleAttribute("disabled", none || (now() === low() && !turns()));
  });
  return element("div", { class: "ra-tools ra-back" }, button);
}

let groups = 0; // of keys on the page

// A choice whose words all stand there, as keys.
function keysRow(view, { name, label, options }) {
  const group = `ra-keys-${(groups += 1)}`;
  const inputs = options.map(([value]) => element("input", { type: "radio", name: group, value, "data-control": name, "data-lm-suppress-shortcuts": "" }));
  const keys = options.map(([, words], k) => element("label", {}, inputs[k], element("span", {}, words)));
  const row = element("div", { class: "ra-control ra-keys", role: "radiogroup", "aria-label": label }, element("span", { class: "ra-control-name" }, label), element("div", {}, ...keys));
  view.controls.append(row);
  view.rows.set(name, row);
  for (const input of inputs) {
    view.listen(input, "change", () => input.checked && view.set({ [name]: input.value }));
    for (const event of ["pointerdown", "focus"]) view.listen(input, event, () => view.use(row));
  }
  view.refreshers.push(() => inputs.forEach((input) => (input.checked = input.value === view.model.get(name))));
}

// How far a loss is from the best counting, in words: a model of a text may be below it.
const besideText = (gap, said) => (said ? `${formatNumber(Math.abs(gap), 3)} bits ${gap < 0 ? "below" : "above"}` : formatNumber(gap, 3));

const plural = (n, word) => `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;

// Whom it names where two women stand: no sentence that it reads settles it.
function askedText({ asked }, { data }) {
  if (!asked.length) return "";
  const best = asked.indexOf(Math.max(...asked));
  const sentence = data.asked.slice(1).map((token) => data.words[token]).join(" ");
  const men = data.men.reduce((sum, token) => sum + asked[token], 0);
  return ` To “${sentence} …” it says “${data.words[best]}” (${shareText(asked[best])}); all men together have ${shareText(men)}.`;
}

// Where a loss stands among the lines of counting, in words, the next one below it too if `above`.
function placeAmong(rungs, loss, above = false) {
  const counted = rungs.filter(([name]) => name.includes("gram"));
  const level = counted.filter(([, bits]) => Math.abs(loss - bits) < LEVEL);
  if (level.length) return `level with ${level.length < counted.length ? `the ${gramsOf(level)}` : "every line"}`;
  const passed = counted.filter(([, bits]) => loss < bits).sort((a, b) => a[1] - b[1]);
  if (!passed.length) return "still above every line";
  const next = above && counted.filter(([, bits]) => loss >= bits).sort((a, b) => b[1] - a[1])[0];
  return `below the ${passed[0][0]}${next ? `, above the ${next[0]}` : ""}`;
}

function describe(state, problem) {
  const { step, loss, losses, learnt, rungs, all } = state;
  const { data, units } = problem;
  if (loss === null) return "";
  const told = data.kind === "text";
  const first = `${told ? "Held out " : ""}${formatNumber(loss)} ${units}`;
  const read = `After ${plural(step, "step")}, ${plural(step * data.batch * data.length, told ? "byte" : "word")}`;
  if (!told) return [first, `, ${formatNumber(loss - rungs.at(-1)[1], 2)} above the floor. ${read}: ${placeAmong(rungs, loss)}.${askedText(state, problem)}`];
  const best = lowestOf(all.losses);
  const back = step === best * data.every && step < all.step; // to the lowest: what came after it is known
  const [seen, last] = back ? [all.losses, all.step] : [losses, step];
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const worse = mean(seen.slice(-NEAR)) - mean(seen.slice(Math.max(0, best - 2), best + 3)) > WORSE && last - best * data.every >= 5 * data.every;
  const guess = loss > BYTE ? `, above ${BYTE}: worse than guessing among all bytes` : "";
  let end = `${read}: ${placeAmong(rungs, loss, true)}.`;
  if (worse && back) end = `Of ${all.step} steps this is the best on what it never read; after it, it learns the rest by heart.`;
  else if (worse) end = `Since step ${best * data.every} (${formatNumber(all.losses[best])}) it has grown worse on what it never read: it learns the rest by heart.`;
  return [first, `${guess}; read ${formatNumber(learnt.at(-1), 2)}. ${end}`];
}

// What a text that is too short has to show.
const NOTHING = { begun: null, losses: [], learnt: [], onMen: [], rungs: [], samples: [], map: [], asked: [], words: [], weights: [], next: [], counted: [], costs: [], loss: null };
const known = (text) => (state) => (state.loss === null ? "–" : text(state));

const render = explorer({
  name: "TrainingExplorer",
  longest: 190,
  own: { run: runRow, pasted: ownBox, keys: keysRow, beginning: beginningBox },
  valid: { keys: (value, { options }) => options.some(([word]) => word === value), run: (value, { min }) => Number.isInteger(value) && value >= min && value <= SOON, pasted: textFits, beginning: textFits },
  prepare: (data) => ({ data, units: data.kind === "text" ? "bits per byte" : "nats per word", keeper: keeperOf(data) }),
  drive: trainingDrive,
  ended: ({ loss }) => loss === null,
  compute({ keeper, data }, { step, head, writes, beginning, ...settings }) {
    if (keeper.tooShort(settings)) return { ...NOTHING, step };
    const state = keeper.stateAt(step, settings);
    const samples = writes === "likeliest" ? state.samples.map(({ step, likeliest }) => ({ step, tokens: likeliest })) : state.samples;
    const { task, rungs } = keeper.known(settings);
    const begun = task.begun(beginning);
    const own = begun.tokens.length ? [{ step, tokens: keeper.writeOn(begun.tokens, writes === "likeliest" ? null : settings.seed), given: begun.tokens.length }] : [];
    const map = keeper.look(head);
    const loss = step % data.every ? keeper.loss() : state.losses.at(-1);
    const asked = data.asked ? keeper.ask(data.asked) : [];
    const told = data.kind === "text";
    const [next, counted] = told ? keeper.expects(begun.tokens.length ? begun.tokens : task.begin) : [[], []];
    const costs = told ? keeper.costs() : [];
    return { ...state, samples: [...samples, ...own], begun, task, rungs, map, asked, words: task.wordsOf(task.looked), loss, next, counted, costs, all: keeper.far() };
  },
  texts: () => ({ head: (head) => `head ${head}` }),
  panels(problem, view) {
    const play = view.body.querySelector("[data-play=play]");
    view.refreshers.push(() => play?.toggleAttribute("disabled", problem.keeper.tooShort(view.now())));
    return { loss: lossPanel(problem, view.drawOutside && { back: backButton(view, problem), outside: view.drawOutside, root: view.root }), samples: samplesPanel(problem, ["writes", "beginning"].map((name) => view.rows.get(name)).filter(Boolean)), map: mapPanel(view, problem) };
  },
  answers: (view) => (view.hides("own") ? [] : ["above", "copied"]), // the sentence says the others
  numbers: ({ data, units }) => [
    ["loss", `loss, ${units}`, known(({ loss }) => formatNumber(loss, 4))],
    ["above", data.kind === "text" ? "the best count, per byte" : "above the floor, nats per word", known(({ loss, rungs }) => besideText(loss - Math.min(...rungs.map(([, level]) => level)), data.kind === "text"))],
    ...(data.kind === "text" ? [["copied", `longest copied piece, bytes of the ${data.written - data.given} it wrote`, known(({ samples, task }) => String(task.copied(samples.at(-1).tokens, samples.at(-1).given)[1]))]] : []),
    ["count", "parameters", known(({ weights }) => String(weights.length))],
  ],
  say: describe,
  cursor: ({ data }) => ({
    count: ({ all }) => all?.losses.length ?? 0,
    text: (k, { all: { losses, learnt } = {} }) => !losses ? "" : `step ${k * data.every}: ${learnt.length ? `held out ${formatNumber(losses[k], 3)}, read ${formatNumber(learnt[k], 3)}` : formatNumber(losses[k], 4)}`,
  }),
  result: ({ weights, loss, losses, learnt, onMen, rungs, samples, map, asked, task, next, counted, costs }) => ({
    parameters: Array.from(weights),
    loss,
    losses,
    learnt,
    on_men: onMen,
    rungs: rungs.map(([, level]) => level),
    samples: samples.map(({ tokens }) => task.written(tokens)),
    lawful: samples.map(({ tokens }) => task.lawful(tokens.slice(1))),
    copied: samples.map(({ tokens, given }) => task.copied(tokens, given)[1]),
    weights: map,
    asked,
    next,
    counted,
    costs,
  }),
}); // prettier-ignore

export default { render };
