// The slider of the layers, drawn as a row of keys; under each the risk at the end of its training, once that is known.
import { trained } from "./state.js";
import { element } from "../_kit/controls.js";
import { formatResult } from "../_kit/format.js";
import { heads } from "./numbers.js";

const DEPTHS = [1, 2, 3, 4];
const SLICE = 24; // milliseconds of training between two pictures

// A button that trains every number of layers, out of sight: the keys fill.
function trainAll(view, problem, box) {
  const { training, learned, steps } = problem;
  const button = element("button", { type: "button", class: "ra-word ra-train" }, "train 1 to 4 layers");
  box.append(button);
  let timer = 0;
  const settingsNow = () => ({ ...trained(view.now()), kept: "", begun: 0 });
  const key = () => JSON.stringify({ ...settingsNow(), depth: 0 });
  const missing = (settings) => DEPTHS.filter((depth) => !learned({ ...settings, depth })[depth]);
  const say = () => {
    const [next, settings] = [timer && missing(settingsNow())[0], settingsNow()];
    const words = next ? `training ${next} of 4 …` : "train 1 to 4 layers";
    if (button.textContent !== words) button.textContent = words;
    button.hidden = heads(settings) > 0;
    button.toggleAttribute("disabled", timer > 0 || missing(settings).length === 0);
  };
  const run = (asked, at = 0) => {
    const settings = settingsNow();
    const [depth] = missing(settings);
    timer = 0;
    if (depth && key() === asked && !view.signal.aborted) {
      const end = performance.now() + SLICE;
      let [step, state] = [at, null];
      while (step < steps && performance.now() < end) state = training.train(++step, { ...settings, depth });
      const ended = step === steps;
      const risks = ended && state.risks.at(-1).map((risk) => (state.diverged_at === null ? risk : Infinity));
      if (ended) learned({ ...settings, depth })[depth] = { theta: state.theta, risks };
      timer = setTimeout(() => run(asked, ended ? 0 : step), 0);
      if (!ended) return;
    }
    view.update();
  };
  view.listen(button, "click", () => {
    run(key());
    view.update();
  });
  view.signal.addEventListener("abort", () => clearTimeout(timer));
  return say;
}

export function layerKeys(view, problem, box) {
  const row = view.rows.get("depth");
  if (!row) return () => {};
  const keys = DEPTHS.map((depth) => element("span", {}, element("b", {}, String(depth)), element("small")));
  row.classList.add("ra-layer-row");
  row.append(element("span", { class: "ra-layer-keys", "aria-hidden": "true" }, ...keys));
  view.first.prepend(row);
  const input = row.querySelector("input");
  // Pressed, it is trained at once; what has been trained is shown at its end.
  const go = (known) => (known ? view.set({ step: problem.steps }, { move: null }) : view.run.finish());
  let known = () => null;
  const press = () => go(known(view.model.get("depth")));
  view.listen(input, "click", press);
  view.listen(input, "input", () => known(view.model.get("depth")) && press()); // moved by keys, too, it is as it was left
  view.listen(input, "keydown", (event) => event.key === "Enter" && press());
  const say = trainAll(view, problem, box);
  return ({ settings, factor, under }) => {
    known = (depth) => under(depth) !== undefined;
    const words = factor === 1 ? "Layers and their risks" : `Layers, risks at ${factor.toFixed(2)}`;
    if (row.firstChild.textContent !== words) row.firstChild.textContent = words;
    say();
    keys.forEach((key, at) => {
      const risk = under(at + 1);
      const words = risk === undefined ? "–" : risk === Infinity ? "∞" : risk > 9999 ? "> 9999" : formatResult(risk, risk < 0.1 ? 2 : 3);
      key.classList.toggle("ra-on", settings.depth === at + 1);
      if (key.lastChild.textContent !== words) key.lastChild.textContent = words;
    });
  };
}
