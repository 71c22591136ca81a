// A whole number that plays: play and pause, one step, back to the start. The one loop of frames of every explorer.
import { element } from "./controls.js";
import { svgElement } from "./plot.js";

const LONGEST_PAUSE = 100; // milliseconds that count between two frames: a slow machine plays slower, it does not skip

function playWords() {
  return { play: "Play", pause: "Pause", step: "One step", start: "Restart", tools: "Play" };
}

function playSign(d) {
  const sign = svgElement("svg", { viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" });
  sign.append(svgElement("path", { d }));
  return sign;
}

// Buttons beside the slider of `spec`, whose trait they move. Playing ends at the largest number, where the explorer
// says that it has ended, or when a hand or the kernel moves the number. Who asked for less motion sees the end at once.
// Where the explorer has a `drive`, { start(tell), stop(), paper }, that says where the number has come to; its end may be
// far, so neither less motion nor paper waits for it.
function playRow(view, { name, label, min, max, play: rate, runs }) {
  const words = playWords();
  const now = () => view.model.get(name);
  const { drive } = view;
  const over = () => now() >= max || view.ended();
  let [frame, last, due, wanted] = [0, null, 0, 0]; // `frame` is 0 while it stands

  const button = (key, sign, text, act) => {
    const made = element("button", { type: "button", class: "ra-tool", title: text, "data-play": key }, playSign(sign), element("span", {}, text));
    view.listen(made, "click", act);
    return made;
  };
  const icons = { play: "M2,1L11,6L2,11Z", pause: "M2,1H5V11H2ZM7,1H10V11H7Z", step: "M1,1L8,6L1,11ZM9,1H11V11H9Z", start: "M11,1L4,6L11,11ZM1,1H3V11H1Z" };
  const go = (value) => view.set({ [name]: (wanted = value) }, { move: null });
  const toggle = button("play", icons.play, words.play, () => (frame ? stop() : begin()));
  const steps = button("step", icons.step, words.step, () => (stop(), go(Math.min(max, now() + 1))));
  const starts = button("start", icons.start, words.start, () => (stop(), go(min)));

  function show() {
    const key = frame ? "pause" : "play";
    const text = toggle.lastElementChild;
    if (text.textContent !== words[key]) {
      text.textContent = toggle.title = words[key];
      toggle.querySelector("path").setAttribute("d", icons[key]);
    }
  }
  // While it plays, the sentence changes with every frame: it is read aloud when the playing ends.
  function stop() {
    if (!frame) return;
    if (drive) drive.stop();
    else cancelAnimationFrame(frame);
    frame = 0;
    view.live.setAttribute("aria-live", "polite");
    view.live.append(...view.live.childNodes);
    show();
  }
  function advance(time) {
    due += (Math.min(LONGEST_PAUSE, time - (last ?? time)) * rate) / 1000;
    last = time;
    const whole = Math.floor(due + 1e-9);
    due -= whole;
    if (whole) go(Math.min(max, now() + whole));
    if (!frame) return; // stopped by what was drawn
    if (over()) stop();
    else frame = requestAnimationFrame(advance);
  }
  function told(value) {
    go(Math.min(max, value));
    if (frame && over()) stop();
  }
  function begin() {
    if (over()) go(min);
    if (!drive && matchMedia("(prefers-reduced-motion: reduce)").matches) return go(max);
    [last, due, wanted] = [null, 0, now()];
    view.live.setAttribute("aria-live", "off");
    frame = drive ? 1 : requestAnimationFrame(advance);
    drive?.start(told);
    show();
  }
  view.run = { name, min, finishes: runs, finish: () => now() <= min && begin() };
  view.refreshers.push(() => {
    if (frame && now() !== wanted) stop();
    steps.toggleAttribute("disabled", over());
    starts.toggleAttribute("disabled", now() <= min);
  });
  // On paper a walk that plays, or has not begun, stands at its end; on the screen it is then where it was.
  let held = null;
  view.listen(window, "beforeprint", () => {
    held = frame || now() <= min ? now() : null;
    stop();
    if (held !== null) go(drive ? Math.min(max, Math.max(held, drive.paper)) : max);
  });
  view.listen(window, "afterprint", () => {
    if (held !== null) go(held);
    held = null;
  });
  view.signal.addEventListener("abort", stop);
  return element("div", { class: "ra-tools", role: "group", "aria-label": `${words.tools}: ${label}` }, toggle, steps, starts);
}

// Put the buttons beside every slider that plays; `ended` says whether a walk has ended before its last step.
export function buildPlay(view, { ended, drive }) {
  Object.assign(view, { ended, drive });
  for (const spec of view.specs) {
    const row = spec.play && view.rows.get(spec.name);
    if (!row) continue;
    const box = element("div", { class: "ra-played ra-wide" });
    row.replaceWith(box);
    box.append(row, playRow(view, spec));
    for (const event of ["pointerdown", "focusin"]) view.listen(box, event, () => view.use(row));
  }
}

// The state of a walk after any number of steps, the same whether it was played, dragged to or opened by a link:
// begin(settings) → state, advance(state, settings) changes it by one step. Of long walks a copy is kept every so many
// steps, so that going back does not begin at the start. `settings` must be plain values, without the number of steps.
export function walker({ begin, advance, keep = 50 }) {
  let [key, done, state, kept] = ["", 0, null, []];
  return (step, settings) => {
    const asked = JSON.stringify(settings);
    if (asked !== key) [key, kept, done, state] = [asked, [structuredClone(begin(settings))], 0, null];
    const near = Math.min(kept.length - 1, Math.floor(step / keep));
    if (!state || step < done || near * keep > done) [done, state] = [near * keep, structuredClone(kept[near])];
    while (done < step) {
      advance(state, settings);
      done += 1;
      if (done === kept.length * keep) kept.push(structuredClone(state));
    }
    return state;
  };
}
