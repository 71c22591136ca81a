// EmbeddingExplorer: Ω trained on M targets, beside the inverse that it should become.
import { embeddingProblem, embeddingState } from "./numbers.js";
import { beyondFrames, directionsPanel, errorPanel, excessPanel, matrixPanel } from "./panels.js";
import { explorer } from "../_kit/explorer.js";
import { formatNumber, isolate } from "../_kit/format.js";

const LEVEL = 1e-12; // of the first loss: what lies below is rounding

const percent = (share) => (share < 10 ? `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %` : "over 1000 %");

// The targets taught, by the name of the last: the slider has no room for it.
function taughtWords(count, { targets, draws }, { model }) {
  const teacher = model.get("teacher");
  const last = teacher === "mixed" ? draws[model.get("seed") - 1].order[count - 1] : count - 1;
  const words = teacher === "noise" ? " of noise" : `, ${count > 1 ? "up to " : ""}${isolate(targets[last])},`;
  return count === 1 ? `One target${words} has` : `${count} targets${words} have`;
}

function embeddingMessage(state, problem, view) {
  const { names, new_name } = problem;
  const { last, losses, errors, rank, whole, diverged_at } = state;
  const rim = beyondFrames(state) ? " What lies beyond a frame is drawn at its rim." : "";
  if (diverged_at !== null) {
    const beyond = "beyond a million million times its start. Take a smaller learning rate.";
    return `Descent ran away: step ${diverged_at} would have taken the loss ${beyond}${rim}`;
  }
  const fixed = `${taughtWords(view.model.get("count"), problem, view)} rank ${rank} of ${names.length}.`;
  if (last === 0) return `${fixed} Nothing is learned yet.${rim}`;
  const above = losses[last] - whole.least;
  const height = above > LEVEL * losses[0] ? `${formatNumber(above, 2)} above` : "at";
  const after = last === 1 ? "one step" : `${last} steps`;
  const risky = view.model.get("start") === "factors" && view.model.get("learning_rate") > 1;
  const chaos = "Beyond the limit factors may neither settle nor run away; where they stand is a matter of rounding.";
  return (
    `${fixed} After ${after} the loss is ${height} its least value; ` +
    `on ${isolate(new_name)} the error is ${percent(errors[last])}.${risky ? ` ${chaos}` : ""}${rim}`
  );
}

const render = explorer({
  name: "EmbeddingExplorer",
  longest: 180,
  prepare: embeddingProblem,
  compute: embeddingState,
  ended: ({ diverged_at }) => diverged_at !== null,
  answers: () => ["error", "map_error", "rank"],
  numbers: () => [
    ["loss", "loss", ({ losses }) => formatNumber(losses.at(-1), 4)],
    ["least_loss", "loss of least squares", ({ whole }) => formatNumber(whole.least, 4)],
    ["map_error", "error of the map", ({ map_errors }) => percent(map_errors.at(-1))],
    ["error", "error, new target", ({ errors }) => percent(errors.at(-1))],
    ["rank", "rank of what the targets show", ({ rank, shares }) => `${rank} of ${shares.length}`],
  ],
  say: embeddingMessage,
  panels: (problem, view) => ({
    error: errorPanel(problem),
    directions: directionsPanel(problem),
    omega: matrixPanel("Ω now", problem, view, ({ omega }) => omega),
    inverse: matrixPanel("(X′X)⁻¹", problem, view, () => problem.inverse),
    loss: excessPanel(problem),
  }),
  cursor: () => ({
    count: ({ losses }) => losses.length,
    text: (k, { losses, errors, map_errors }) =>
      `step ${k}: loss ${formatNumber(losses[k], 4)}\nerror, new target: ${percent(errors[k])}\n` +
      `error of the map: ${percent(map_errors[k])}`,
  }),
  result: ({ omega, losses, errors, map_errors, learned, shares, rank, diverged_at }) => ({
    omega, losses, errors, map_errors, learned, shares, rank, diverged_at, // prettier-ignore
  }),
});

export default { render };
