// ModelExplorer: a trained language model on a sentence: beside the truth, opened up, silenced in parts, drawn from.
import { explorer } from "../_kit/explorer.js";
import { formatResult, isolate, shareText } from "../_kit/format.js";
import { END, drawButton, modelFits, placeSlider, typedBox } from "./controls.js";
import { modelProblem, modelState, readTyped, stillBrought, wentOn } from "./numbers.js";
import { lensPanel, mapPanel, nextPanel } from "./panels.js";
import { partsPanel } from "./parts.js";
import { lastOf, textPanel, writingMessage, writtenResult } from "./writing.js";

const NOTHING = 0.0005; // of the probability, below which nothing is said to have gone over
const NEAR = 3; // words that say where another cannot stand

function after(begun) {
  const own = begun.slice(begun.lastIndexOf(".") + 1); // of its sentence
  return own.length ? `after ${isolate(`${own.length > NEAR ? "… " : ""}${own.slice(-NEAR).join(" ")}`)}` : "at the start";
}

// Nats with the decimals of a share, as far as that goes.
function natsText(nats) {
  if (nats === null || Math.abs(nats) >= 1) return formatResult(nats);
  return nats <= -0.0005 ? `−${shareText(-nats)}` : nats ? shareText(Math.abs(nats)) : "0";
}

// What parts that are silent cost, few of them one by one; of parts exchanged, what goes over.
function whatItCosts({ q, silenced, donor, cost, apart, over, overWhole }) {
  if (donor.length) {
    if (over === null || q.includes(over)) return "";
    const moved = over - overWhole;
    return ` ${moved < NOTHING ? "Nothing" : shareText(moved)} has gone over to words that are right only there.`;
  }
  if (cost === null) return "";
  if (!apart) return ` ${silenced.length > 1 ? "They cost" : "It costs"} ${natsText(cost)} nats.`;
  const each = apart.map(natsText);
  return ` One by one they cost ${each.slice(0, -1).join(", ")} and ${each.at(-1)} nats, together ${natsText(cost)}.`;
}

const named = (part) => (part.endsWith("ff") ? `feed-forward of layer ${part[0]}` : part);

// What moved when parts were pressed: [what was likeliest, the rest].
function whatMoved(state, words) {
  const { q, qWhole, silenced, donor } = state;
  const [was, best] = [qWhole, q].map((shares) => shares.indexOf(Math.max(...shares)));
  const [from, to] = [qWhole[was], q[was]].map(shareText);
  const parts = silenced.length > 3 ? `${silenced.length} parts` : silenced.map(named).join(", ");
  const moved = from === to ? `stays at ${to}` : `${q[was] < qWhole[was] ? "falls" : "rises"} from ${from} to ${to}`;
  const next = q[best] > qWhole[best] ? `rises from ${shareText(qWhole[best])} to` : "leads with";
  const still = stillBrought(state, words[was]);
  const others = still ? ` ${still.parts.join(", ")} still ${still.parts.length > 1 ? "bring" : "brings"} ${isolate(still.word)}: press ${still.parts.length > 1 ? "them" : "it"}.` : "";
  const instead = best === was ? "" : `, “${isolate(words[best])}” ${next} ${shareText(q[best])}`;
  return [`${isolate(words[was])} ${moved}`, `${instead}: ${parts} ${donor.length ? "exchanged" : "silent"}.${whatItCosts(state)}${others}`];
}

function modelMessage(state, problem, view) {
  return state.text ? writingMessage(state, problem) : readingMessage(state, problem, view);
}

function readingMessage(state, { words, states }, view) {
  const { words: read, map, known, unknown, dropped, donor, strangeThere, silenced, at, q, qWhole, p, before } = state;
  if (view.hides("next") && !view.hides("map")) {
    const row = map[at];
    const most = row.indexOf(Math.max(...row.slice(0, at + 1)));
    return [isolate(read[at]), ` listens most to ${isolate(read[most])}: ${shareText(row[most])} of its weight.`];
  }
  const best = q.indexOf(Math.max(...q));
  const never = () => `the grammar never writes ${isolate(known[before - 1])} ${after(known.slice(0, before - 1))}`;
  const beside = states ? ` (${p ? `truth ${shareText(p[best])}` : never()})` : "";
  const plain = [words[best], `: ${shareText(q[best])} after ${at ? isolate(known[at - 1]) : "the start"}${beside}.`];
  const [first, rest] = qWhole ? whatMoved(state, words) : plain;
  const said = [rest];
  const close = unknown && words.filter((word) => word.startsWith(unknown)).slice(0, 6);
  if (unknown) said.push(`${isolate(unknown)} is none of the ${words.length} words; what stands before it is read.`);
  if (close?.length) said.push(`Do you mean ${close.map(isolate).join(", ")}?`);
  if (donor.length && !silenced.length) said.push("Nothing is exchanged yet: press a head.");
  if (strangeThere) said.push(`In the other sentence ${isolate(strangeThere)} is none of the words.`);
  else if (!donor.length && !view.hides("donor")) said.push("Type a second sentence to exchange with.");
  if (dropped) said.push(`Only the first ${END} ${states ? "words" : "tokens"} are read.`);
  return [first, said.join(" ")];
}

const list = (shares) => shares && Array.from(shares);

// The numbers that are printed: beside a truth, or without one.
const MODEL_ENTROPY = ["entropy-model", "the model's entropy, nats", ({ entropy }) => natsText(entropy[1])];
const BESIDE_TRUTH = [
  ["entropy", "true entropy, nats", ({ entropy }) => natsText(entropy[0])],
  MODEL_ENTROPY,
  ["excess", "excess of this prediction, nats", ({ excess }) => natsText(excess)],
  ["over", "share of the words that are right only after the other sentence", ({ over }) => (over === null ? "–" : shareText(over))],
  ["cost", "cost of the parts pressed, nats", ({ cost }) => natsText(cost)],
  ["mean", "mean excess of the sentence, nats", ({ mean }) => natsText(mean[1])],
];
const OF_TEXT = [
  MODEL_ENTROPY,
  ["cost", "the parts pressed move the prediction by, nats", ({ cost }) => natsText(cost)],
  ["surprisal", "the text costs, nats a token", ({ mean }) => natsText(mean[1])],
];

// Where it writes: of the last word drawn, or of the next.
const OF_WRITING = [
  ["entropy", "entropy of what it was drawn from, nats", ({ text }) => natsText(lastOf(text).entropy)],
  ["possible", "words that could be drawn", ({ text, q }) => `${lastOf(text).possible} of ${q.length}`],
];

function numbersOf({ states, writes }, view) {
  if (writes) return OF_WRITING;
  return (states ? BESIDE_TRUTH : OF_TEXT).filter(([key]) => key !== "over" || !view.hides("donor"));
}

// What is asked first; beside a truth the sentence says it.
function printedFirst({ states, writes }) {
  if (writes) return ["entropy", "possible"];
  return states ? [] : ["cost", "surprisal"];
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
    longest: 100,
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
    panels(problem, view) {
      const pointed = { part: null };
      return {
        next: nextPanel(problem, view),
        parts: { ...partsPanel(view, problem, pointed), beside: true },
        map: mapPanel(view, pointed),
        lens: lensPanel(view, problem),
        text: textPanel(view, problem),
      };
    },
    answers: () => printedFirst(problem),
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
