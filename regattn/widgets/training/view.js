// TrainingExplorer: a small language model that trains in the page, beside what can be had.
import { element } from "../_kit/controls.js";
import { explorer } from "../_kit/explorer.js";
import { formatNumber, shareText } from "../_kit/format.js";
import { pageBox, textFits } from "../_kit/typed_text.js";
import { trainingDrive } from "./drive.js";
import { keeperOf } from "./keeper.js";
import { lossPanel, mapPanel, samplesPanel } from "./panels.js";

const WORSE = 0.2; // bits per byte above the best loss so far, from which it has plainly grown worse
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

function describe(state, problem) {
  const { step, loss, losses, learnt, rungs, own } = state;
  const { data, units } = problem;
  const tokens = data.kind === "text" ? "byte" : "word";
  const read = `After ${plural(step, "step")}, ${plural(step * data.batch * data.length, tokens)}`;
  const passed = rungs.filter(([name, level]) => name.includes("gram") && loss < level).map(([name]) => name);
  const short = own && data.kind === "text" && new TextEncoder().encode(own).length < 2 * data.length + 2;
  const more = short ? ` Your text is too short: it takes ${2 * data.length + 2} bytes.` : "";
  const best = losses.indexOf(Math.min(...losses));
  const first = `${data.kind === "text" ? "Held out " : ""}${formatNumber(loss)} ${units}`;
  const both = data.kind === "text" ? `, read ${formatNumber(learnt.at(-1), 2)}` : "";
  if (data.kind === "text" && loss - losses[best] > WORSE && step - best * data.every >= 5 * data.every) {
    return [first, `${both}; since step ${best * data.every} it has grown worse on what it never read: it learns the rest by heart. ${read}.${more}`];
  }
  const below = passed.length ? `below the ${passed.at(-1)}` : "still above every line";
  const above = data.kind === "text" ? both : `, ${formatNumber(loss - rungs.at(-1)[1], 2)} above the floor`;
  return [first, `${above}. ${read}: ${below}.${askedText(state, problem)}${more}`];
}

const render = explorer({
  name: "TrainingExplorer",
  longest: 190,
  own: { run: runRow, pasted: pageBox },
  valid: { run: (value, { min }) => Number.isInteger(value) && value >= min && value <= SOON, pasted: textFits },
  prepare: (data) => ({ data, units: data.kind === "text" ? "bits per byte" : "nats per word", keeper: keeperOf(data) }),
  drive: trainingDrive,
  compute({ keeper, data }, { step, head, ...settings }) {
    const state = keeper.stateAt(step, settings);
    const { task, rungs } = keeper.known(settings);
    const map = keeper.look(head);
    const loss = step % data.every ? keeper.loss() : state.losses.at(-1);
    const asked = data.asked ? keeper.ask(data.asked) : [];
    return { ...state, own: settings.own, task, rungs, map, asked, words: task.wordsOf(task.looked), loss };
  },
  texts: () => ({ head: (head) => `head ${head}` }),
  panels: (problem, view) => ({ loss: lossPanel(problem), samples: samplesPanel(problem), map: mapPanel(view, problem) }),
  answers: (view) => (view.hides("own") ? [] : ["above", "copied"]), // the sentence says the others
  numbers: ({ data, units }) => [
    ["loss", `loss, ${units}`, ({ loss }) => formatNumber(loss, 4)],
    ["above", data.kind === "text" ? "the best count, per byte" : "above the floor, nats per word", ({ loss, rungs }) => besideText(loss - Math.min(...rungs.map(([, level]) => level)), data.kind === "text")],
    ...(data.kind === "text" ? [["copied", `longest piece from the text, bytes, of the ${data.written - data.given} it wrote`, ({ samples, task }) => String(task.copied(samples.at(-1).tokens)[1])]] : []),
    ["count", "parameters", ({ weights }) => String(weights.length)],
  ],
  say: describe,
  cursor: ({ data }) => ({
    count: ({ losses }) => losses.length,
    text: (k, { losses, learnt }) => `step ${k * data.every}: ${formatNumber(losses[k], 4)}${learnt.length ? `, learned ${formatNumber(learnt[k], 4)}` : ""}`,
  }),
  result: ({ weights, loss, losses, learnt, onMen, rungs, samples, map, asked, task }) => ({
    parameters: Array.from(weights),
    loss,
    losses,
    learnt,
    on_men: onMen,
    rungs: rungs.map(([, level]) => level),
    samples: samples.map(({ tokens }) => task.written(tokens)),
    lawful: samples.map(({ tokens }) => task.lawful(tokens.slice(1))),
    copied: samples.map(({ tokens }) => task.copied(tokens)[1]),
    weights: map,
    asked,
  }),
}); // prettier-ignore

export default { render };
