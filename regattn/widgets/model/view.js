// ModelExplorer: a trained language model on a sentence: beside the truth, opened up, silenced in parts, drawn from.
import { explorer } from "../_kit/explorer.js";
import { feeds } from "../_kit/linked_explorers.js";
import { formatResult, isolate, shareText } from "../_kit/format.js";
import { END, drawButton, modelFits, placeSlider, typedBox } from "./controls.js";
import { modelProblem, modelState } from "./numbers.js";
import { lensPanel, mapPanel, nextPanel, partsPanel } from "./panels.js";

function modelMessage({ words: read, map, known, unknown, dropped, at, q, p, before }, { words }, view) {
  if (view.hides("next") && !view.hides("map")) {
    const row = map[at];
    const most = row.indexOf(Math.max(...row.slice(0, at + 1)));
    return [isolate(read[at]), ` listens most to ${isolate(read[most])}: ${shareText(row[most])} of its weight.`];
  }
  const best = q.indexOf(Math.max(...q));
  const never = () => `no truth: the grammar never writes ${isolate(known[before - 1])} as word ${before}`;
  const truth = p ? `truth ${shareText(p[best])}` : never();
  const said = [`: ${shareText(q[best])} after ${at ? isolate(known[at - 1]) : "the start"} (${truth}).`];
  const close = unknown && words.filter((word) => word.startsWith(unknown)).slice(0, 6);
  if (unknown) said.push(`${isolate(unknown)} is none of the ${words.length} words; what stands before it is read.`);
  if (close?.length) said.push(`Do you mean ${close.map(isolate).join(", ")}?`);
  if (dropped) said.push(`Only the first ${END} words are read.`);
  return [words[best], said.join(" ")];
}

// What a SamplingExplorer of the page may draw from: the words before the prediction, what is silent, and the scores.
function prediction({ known, at, silenced, logits }, { words }) {
  const parts = silenced.map((part) => part.replace(/(.+)\.(.+)/, (_, l, h) => `layer ${l} ${h === "ff" ? "feed-forward" : `head ${h}`}`));
  const silent = parts.length ? ` (silent: ${parts.join(", ")})` : "";
  return { words, logits, read: `${known.slice(0, at).join(" ")}${silent}`.trim() };
}

const list = (shares) => shares && Array.from(shares);

const render = (context) => {
  let now = null; // what is drawn, for the button that goes on from it
  return explorer({
    name: "ModelExplorer",
    longest: 90,
    own: {
      text: typedBox,
      place: placeSlider,
      parts: () => {}, // a panel has its buttons
      draw: (view, spec) => drawButton(view, spec, () => now),
    },
    valid: modelFits,
    prepare(data, view) {
      feeds(view, () => prediction(now, data));
      return modelProblem(data);
    },
    compute: (problem, settings) => (now = modelState(problem, settings)),
    panels: (problem, view) => ({
      next: nextPanel(problem, view),
      parts: { ...partsPanel(view, problem), beside: true },
      map: mapPanel(view),
      lens: lensPanel(view, problem),
    }),
    answers: () => ["excess", "cost"],
    numbers: () => [
      ["entropy", "true entropy, nats", ({ entropy }) => formatResult(entropy[0])],
      ["entropy-model", "the model's entropy, nats", ({ entropy }) => formatResult(entropy[1])],
      ["excess", "excess of this prediction, nats", ({ excess }) => formatResult(excess)],
      ["cost", "cost of what is silent, nats", ({ cost }) => formatResult(cost)],
      ["mean", "mean excess of the sentence, nats", ({ mean }) => formatResult(mean[1])],
    ],
    say: modelMessage,
    result: ({ words, p, q, drawnQ, entropy, excess, cost, mean, map, lens, drawn }, problem) => ({
      read: words.join(" "),
      truth: list(p),
      model: list(q),
      drawn_from: list(drawnQ),
      entropy_truth: entropy[0],
      entropy_model: entropy[1],
      excess,
      cost,
      mean_excess: mean[1],
      mean_excess_whole: mean[0],
      weights: map.map((row) => words.map((_, j) => row[j] ?? 0)),
      lens: problem.words.map((_, k) => lens.map((shares) => shares[k])),
      next_word: problem.words[drawn],
    }),
  })(context);
};

export default { render };
