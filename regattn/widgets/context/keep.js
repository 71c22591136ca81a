// Ω is kept where a cell of it is put to zero, or the noise or the target changes, and the training goes on from there.
import { trained } from "./state.js";
import { alone } from "./training.js";

const MOST = 400; // points of the curve before that are remembered
const LEARNED = 20; // pasts that are

// Keep Ω as it stands, but for the cell put to zero, and say why. What its risk has been is remembered.
function keep(view, { training, pasts, every }, why, cell = null) {
  const { step, ...now } = view.now();
  const settings = trained(now);
  const { theta, diverged_at } = training.train(step, settings);
  if (!alone(settings) || diverged_at !== null || (step === 0 && !now.kept)) return view.set({ step: 0, kept: "", begun: 0 }, { move: null });
  const numbers = Array.from(theta, (value, i) => (i === cell ? 0 : Number(value.toPrecision(6))));
  const [past, at] = [pasts.get(now.kept), now.begun + step];
  const curve = training.far(settings).slice(0, 1 + Math.floor(step / every)).map((risks, k) => [now.begun + k * every, risks]); // prettier-ignore
  const points = [...(past?.points ?? []), ...curve, [at, training.measure(settings, theta)]].slice(-MOST);
  const kept = numbers.join(",");
  const first = step === 0 && past?.why.name === why.name ? past.why : why; // of a slider that still moves
  pasts.delete(kept);
  pasts.set(kept, { points, why: first });
  if (pasts.size > LEARNED) pasts.delete(pasts.keys().next().value);
  return view.set({ kept, begun: at, step: 0 }, { move: null });
}

// A press on a cell of Ω puts it to zero.
export function pressed(view, problem) {
  return (i, j) => {
    const { step, kept, dimension, ...rest } = view.now();
    if (alone(rest) && (step > 0 || kept)) keep(view, problem, { name: "zero" }, i * dimension + j); // of zeros none can be put to zero
  };
}

// Before the noise or the target is another, Ω is kept; what plays goes on. Back to the start is back to zero.
export function keepsOmega(view, problem) {
  const plays = () => view.live.getAttribute("aria-live") === "off";
  for (const [name, event] of [["noise", "input"], ["target", "change"]]) {
    const row = view.rows.get(name);
    if (!row) continue;
    let played = false;
    const before = ({ target }) => {
      const to = target.value;
      played = plays();
      keep(view, problem, { name, was: view.model.get(name) });
      target.value = to; // drawing has put it back
    };
    row.addEventListener(event, before, { capture: true, signal: view.signal });
    view.listen(row, event, () => played && !plays() && view.run.finish());
  }
  const start = view.first.querySelector("[data-play='start']");
  if (!start) return;
  start.addEventListener("click", () => view.set({ kept: "", begun: 0 }, { move: null }), { capture: true, signal: view.signal });
  view.refreshers.push(() => view.model.get("kept") && start.removeAttribute("disabled"));
}

// What was done to Ω, at the first step after it.
export function keptMessage({ before, home, gap, shrunk, thirdGap, settings, k, words, averaged }, percent, short) {
  const { why, points } = before;
  const on = "Press Play, and the training goes on from there.";
  if (why?.name === "zero") return `Put to zero: risk ${short(points.at(-1)[1][k])} → ${short(home)}. ${on}`;
  if (!why) return `Ω is kept, ${percent(gap)} away from ${words}. ${on}`;
  const own = settings.target === "noisy" && !averaged;
  const away = percent(averaged ? thirdGap : own ? gap : shrunk);
  const end = averaged ? "where descent ends" : own ? "the inverse" : "the ridge";
  const told = settings.target === "noisy" ? "its own target" : "the clean target";
  if (why.name === "target") return `From here it is told ${told}: Ω is ${away} away from ${end}. ${on}`;
  const moved = `Noise ${why.was.toFixed(2)} → ${settings.noise.toFixed(2)}`;
  return `${moved}: ${end} ${own ? "is the same" : "moved"}, Ω is ${away} away from it. ${on}`;
}
