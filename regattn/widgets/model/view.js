// ModelExplorer: a trained language model on a sentence: beside the truth, opened up, silenced in parts, drawn from.
import { explorer } from "../_kit/explorer.js";
import { formatResult, isolate, shareText } from "../_kit/format.js";
import { END, drawButton, modelFits, placeSlider, typedBox } from "./controls.js";
import { modelProblem, modelState, readTyped, wentOn } from "./numbers.js";
import { lensPanel, mapPanel, nextPanel, partsPanel } from "./panels.js";
import { lastOf, textPanel, writingMessage, writtenResult } from "./writing.js";

const NEAR = 3; // words that say where another cannot stand

function after(begun) {
  const own = begun.slice(begun.lastIndexOf(".") + 1); // of its sentence
  return own.length ? `after ${isolate(`${own.length > NEAR ? "… " : ""}${own.slice(-NEAR).join(" ")}`)}` : "at the start";
}

// Nats that parts cost; a hair less than nothing is nothing.
const costText = (cost) => formatResult(cost < 0 && cost > -1e-5 ? 0 : cost);

// What the answer was before parts were pressed, and what few of them cost one by one.
function withoutPressing(qWhole, words, silenced, exchanges, cost, apart) {
  const best = qWhole.indexOf(Math.max(...qWhole));
  const parts = silenced.length > 3 ? `${silenced.length} parts` : silenced.join(", ");
  const done = exchanges ? "exchanged" : "silent";
  const each = (apart ?? []).map((alone, k) => `${silenced[k]} ${costText(alone)}`);
  const one_by_one = `One by one they cost ${each.join(", ")}, together ${costText(cost)} nats.`;
  return [`${parts} ${done}; with nothing ${done} ${isolate(words[best])} had ${shareText(qWhole[best])}.`, ...(apart ? [one_by_one] : [])];
}

function modelMessage(state, problem, view) {
  return state.text ? writingMessage(state, problem) : readingMessage(state, problem, view);
}

function readingMessage({ words: read, map, known, unknown, dropped, donor, silenced, at, q, qWhole, p, cost, apart, before }, { words, states }, view) {
  if (view.hides("next") && !view.hides("map")) {
    const row = map[at];
    const most = row.indexOf(Math.max(...row.slice(0, at + 1)));
    return [isolate(read[at]), ` listens most to ${isolate(read[most])}: ${shareText(row[most])} of its weight.`];
  }
  const best = q.indexOf(Math.max(...q));
  const never = () => `no truth: the grammar never writes ${isolate(known[before - 1])} ${after(known.slice(0, before - 1))}`;
  const truth = p ? `truth ${shareText(p[best])}` : states && never();
  const beside = states ? ` (${truth})` : "";
  const said = [`: ${shareText(q[best])} after ${at ? isolate(known[at - 1]) : "the start"}${beside}.`];
  const close = unknown && words.filter((word) => word.startsWith(unknown)).slice(0, 6);
  if (unknown) said.push(`${isolate(unknown)} is none of the ${words.length} words; what stands before it is read.`);
  if (close?.length) said.push(`Do you mean ${close.map(isolate).join(", ")}?`);
  if (donor.length && silenced.length) said.push(`Exchanged with: ${isolate(donor.join(states ? " " : ""))}.`);
  if (donor.length && !silenced.length) said.push("Nothing is exchanged yet.");
  if (qWhole) said.push(...withoutPressing(qWhole, words, silenced, donor.length > 0, cost, apart));
  if (dropped) said.push(`Only the first ${END} ${states ? "words" : "tokens"} are read.`);
  return [words[best], said.join(" ")];
}

const list = (shares) => shares && Array.from(shares);

// The numbers that are printed: beside a truth, or without one.
const MODEL_ENTROPY = ["entropy-model", "the model's entropy, nats", ({ entropy }) => formatResult(entropy[1])];
const BESIDE_TRUTH = [
  ["entropy", "true entropy, nats", ({ entropy }) => formatResult(entropy[0])],
  MODEL_ENTROPY,
  ["excess", "excess of this prediction, nats", ({ excess }) => formatResult(excess)],
  ["over", "gone over: probability of words that are right only after the other sentence", ({ over }) => (over === null ? formatResult(over) : shareText(over))],
  ["cost", "cost of the parts pressed, nats", ({ cost }) => costText(cost)],
  ["mean", "mean excess of the sentence, nats", ({ mean }) => formatResult(mean[1])],
];
const OF_TEXT = [
  MODEL_ENTROPY,
  ["cost", "the parts pressed move the prediction by, nats", ({ cost }) => formatResult(cost)],
  ["surprisal", "the text costs, nats a token", ({ mean }) => formatResult(mean[1])],
];

// Where it writes: of the last word drawn, or of the next.
const OF_WRITING = [
  ["entropy", "entropy of what it was drawn from, nats", ({ text }) => formatResult(lastOf(text).entropy)],
  ["possible", "words that could be drawn", ({ text, q }) => `${lastOf(text).possible} of ${q.length}`],
];

function numbersOf({ states, writes }, view) {
  if (writes) return OF_WRITING;
  return (states ? BESIDE_TRUTH : OF_TEXT).filter(([key]) => key !== "over" || !view.hides("donor"));
}

// What is asked first: of an exchange, what goes over.
function printedFirst({ states, writes }, view) {
  if (writes) return ["entropy", "possible"];
  if (!states) return ["cost", "surprisal"];
  return view.hides("donor") ? ["excess", "cost"] : ["over"];
}

function resultBeside({ words, p, entropy, excess, cost, over, mean, tokens }, { states, names }) {
  if (!states) return { read: tokens.map((k) => names[k]), cost, surprisal: mean[1], surprisal_whole: mean[0] };
  const [mean_excess_whole, mean_excess] = mean;
  return { read: words.join(" "), truth: list(p), entropy_truth: entropy[0], excess, cost, goes_over: over, mean_excess, mean_excess_whole };
}

const render = (context) => {
  let now = null; // what is drawn, for the button that goes on from it
  let problem = null;
  const known = (view) => () => readTyped(problem, view.model.get("sentence")).known;
  return explorer({
    name: "ModelExplorer",
    longest: 90,
    own: {
      text: typedBox,
      place: (view, spec) => placeSlider(view, spec, known(view)),
      parts: () => {}, // a panel has its buttons
      draw: (view, spec) => drawButton(view, spec, () => now, (state) => wentOn(problem, state)), // prettier-ignore
    },
    valid: modelFits,
    prepare(data, view) {
      return (problem = { ...modelProblem(data), writes: !view.hides("written") });
    },
    compute: (problem, settings) => (now = modelState(problem, settings)),
    panels: (problem, view) => ({
      next: nextPanel(problem, view),
      parts: { ...partsPanel(view, problem), beside: true },
      map: mapPanel(view),
      lens: lensPanel(view, problem),
      text: textPanel(view, problem),
    }),
    answers: (view) => printedFirst(problem, view),
    numbers: numbersOf,
    say: modelMessage,
    result(state, problem) {
      const { words, q, drawnQ, entropy, map, lens, drawn } = state;
      return {
        ...resultBeside(state, problem),
        model: list(q),
        drawn_from: list(drawnQ),
        entropy_model: entropy[1],
        weights: map.map((row) => words.map((_, j) => row[j] ?? 0)),
        lens: problem.names.map((_, k) => lens.map((shares) => shares[k])),
        next_word: problem.names[drawn],
        ...(state.text ? writtenResult(state.text, problem) : {}),
      };
    },
  })(context);
};

export default { render };
