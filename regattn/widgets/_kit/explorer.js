// What every explorer is, from top to bottom and in the order of Tab: what to press first, the panel that answers, a
// sentence, the other panels, "More" with the other controls and numbers; and the loop "a trait changed → compute → draw".
import { buildControls, element, output } from "./controls.js";
import { cursor } from "./cursor.js";
import { same } from "./link.js";
import { buildMenu, buildPresets } from "./menu.js";
import { buildPlay } from "./play.js";
import { plot } from "./plot.js";

const COLUMN = "42rem"; // of a sheet of paper, for which plots are drawn again

// The frame of an explorer in `el` (an empty box in a live notebook, the figure itself in a page).
function frameOf({ model, el, name }) {
  const kit = model.get("kit");
  const own = !el.matches("figure.regattn");
  const root = own ? el.appendChild(element("figure", { class: "regattn", "data-widget": name })) : el;
  root.setAttribute("aria-label", model.get("alt"));
  const part = (tag, name) => element(tag, { class: name });
  const parts = {
    bar: part("div", "ra-bar"),
    first: part("div", "ra-controls ra-first"),
    lead: part("div", "ra-panels ra-lead"),
    live: element("p", { class: "ra-live", "aria-live": "polite", "aria-atomic": "true", "data-output": "message" }),
    answers: part("dl", "ra-numbers"),
    panels: part("div", "ra-panels"),
    rest: part("div", `ra-controls ra-rest${kit.hides_unused ? " ra-no-unused" : ""}`),
    numbers: part("dl", "ra-numbers"),
  };
  const sentence = element("div", { class: "ra-sentence" }, parts.live, parts.bar);
  const said = element("div", { class: "ra-readout" }, sentence, parts.answers);
  const more = element("details", { class: "ra-more" }, element("summary"), parts.rest, parts.numbers);
  const body = root.appendChild(element("div", { class: "ra-body" }, parts.first, parts.lead, said, parts.panels, more));
  const stop = new AbortController();
  const view = { root, body, said, more, controls: parts.first, model, own, stop, ...parts, signal: stop.signal, refreshers: [], rows: new Map(), specs: kit.controls, kit };
  view.hides = (part) => kit.hide.includes(part);
  view.listen = (target, event, handler) => target.addEventListener(event, handler, { signal: stop.signal });
  view.use = (row) => {
    for (const other of body.querySelectorAll(".ra-active")) other.classList.remove("ra-active");
    (row.closest(".ra-played") ?? row).classList.add("ra-active");
  };
  view.now = () => Object.fromEntries(view.specs.map((spec) => [spec.name, model.get(spec.name)]));
  return view;
}

// A titled box for one panel, with a legend of [role, mark, words]. The first leads; one `beside` it stands there too.
function panelBox(view, key, { title, wide = false, beside = false, legend = [] }) {
  const box = element("div", { class: wide ? "ra-panel ra-wide" : "ra-panel", "data-panel": key });
  box.append(element("p", { class: "ra-title" }, title));
  if (legend.length) {
    const items = legend.map(([role, mark, words]) => {
      const swatch = { class: `ra-swatch ra-swatch-${mark} ra-${role}`, "aria-hidden": "true" };
      return element("li", {}, element("span", swatch), words);
    });
    box.append(element("ul", { class: "ra-legend" }, ...items));
  }
  (view.lead.childElementCount && !beside ? view.panels : view.lead).append(box);
  return box;
}

// A panel: { title, wide, beside, legend, plot: options, make } with make(plot) → draw(state), or without `plot` make(host).
// `plot` may be a list: several plots below each other, made together by make(...plots). `at(k, state)` is where the
// common cursor stands; `ghost(state)` the line [xs, ys] that stays, dotted, from before the last move; `handle`: { at(state), to(x, y) → traits } is what a hand can drag, click(x, y) → traits a click.
function buildPanel(view, key, panel) {
  const legend = panel.ghost ? [...panel.legend, ["prediction", "dotted", "before the last move"]] : panel.legend;
  const box = panelBox(view, key, { ...panel, legend });
  const host = () => box.appendChild(element("div", { class: "ra-host" }));
  const plots = [panel.plot ?? []].flat().map((options) => plot(host(), options));
  const ghost = panel.ghost && plots[0].line("prediction", { dotted: true });
  let kept = null;
  const draw = plots.length ? panel.make(...plots) : panel.make(host());
  const { handle } = panel;
  if (panel.click) {
    view.listen(plots[0].svg, "click", (event) => {
      const at = plots[0].svg.getBoundingClientRect();
      view.set(panel.click(plots[0].invertX(event.clientX - at.left), plots[0].invertY(event.clientY - at.top)));
    });
  }
  const hold = handle && plots[0].handle((x, y) => view.set(handle.to(x, y)), view.signal);
  return {
    ...panel,
    plots,
    remember: (state) => ghost && (kept = panel.ghost(state).map((values) => Array.from(values))),
    draw(state) {
      if (!plots.map((p) => p.measure()).every(Boolean)) return;
      draw(state);
      if (kept) ghost(...kept);
      if (ghost) box.querySelector("li:last-child").style.visibility = kept ? "" : "hidden";
      if (hold) hold(...(handle.at(state) ?? []));
    },
  };
}

// Cursors that move together: one for each place [plot, at(k, state)] where the same point k is shown.
function buildCursors(view, places, { count, text, pick, ...options }, now) {
  const cursors = places.map(([p, at, by]) =>
    cursor(p, {
      ...options,
      count: () => count(now()),
      at: (k) => at(k, now()),
      text: (k) => text(k, now()),
      by,
      start: () => options.start?.(now()) ?? 0,
      moved(k) {
        for (const each of cursors) each.show(k);
        options.moved?.(k, now());
      },
      pick: pick && ((k) => view.set(pick(k))),
      signal: view.signal,
    }),
  );
  return cursors;
}

// The loop. A trait that changes, from wherever, is computed and drawn at once; several set together only once.
function run(view, compute, draw) {
  let [held, started] = [false, false];
  view.update = () => {
    if (held || !started) return;
    compute();
    for (const refresh of view.refreshers) refresh();
    if (view.body.clientWidth > 0) draw();
  };
  // Set several traits and tell the kernel once; the picture follows once, not once per trait. Of a control that moves
  // further what stood before its first move is remembered; what plays is no move.
  view.set = (values, { move = Object.keys(values).join() } = {}) => {
    if (typeof move === "string") view.free?.(); // a hand has moved something
    if (move && started) view.remember(move);
    held = true;
    for (const [key, value] of Object.entries(values)) view.model.set(key, value);
    held = false;
    view.model.save_changes();
    view.update();
  };
  // A ready-made state: what it changes in More is shown.
  view.show = (values) => {
    const before = view.now();
    view.set(values, { move: {} });
    const changed = view.specs.filter(({ name }) => !same(before[name], view.model.get(name)));
    if (changed.some(({ name }) => view.rest.contains(view.rows.get(name)))) view.more.open = true;
  };
  return () => {
    started = true;
    for (const { name } of view.specs) view.model.on(`change:${name}`, view.update);
    if (view.restore()) view.root.scrollIntoView();
    view.update();
    let width = 0;
    const observer = new ResizeObserver(() => {
      if (view.body.clientWidth !== width) {
        width = view.body.clientWidth;
        view.said.style.minHeight = "";
        view.update();
        view.reserve();
      }
      // the sentence keeps the height it once needed, so that the pictures below do not jump while a slider moves
      view.said.style.minHeight = `${Math.ceil(view.said.getBoundingClientRect().height)}px`;
    });
    for (const part of [view.body, view.said]) observer.observe(part);
    let opened = false; // on paper the numbers of More are printed
    for (const [event, size] of [["beforeprint", COLUMN], ["afterprint", ""]]) {
      view.listen(window, event, () => {
        if (size) opened = view.more.open;
        view.more.open = Boolean(size) || opened;
        view.root.style.width = size;
        view.update();
      });
    }
    view.signal.addEventListener("abort", () => observer.disconnect());
  };
}

// Keep the lines that the longest sentence of `longest` characters needs; a twin of it that nobody sees is measured.
function reserveLines(view, longest) {
  view.live.style.minHeight = "";
  const now = view.live.textContent;
  if (!longest) return;
  const twin = element("p", { class: "ra-live", "aria-hidden": "true" }, now.length ? now.repeat(Math.ceil(longest / now.length)).slice(0, longest) : "");
  view.live.after(twin);
  view.live.hidden = true;
  const { height } = twin.getBoundingClientRect();
  view.live.hidden = false;
  twin.remove();
  view.live.style.minHeight = `${Math.ceil(height)}px`;
}

// The sentence: a text, or [strong, rest].
function sayer(view) {
  const [who, rest] = [element("strong"), element("span")];
  view.live.append(who, rest);
  return (said) => {
    const parts = Array.isArray(said) ? said : ["", said];
    [who, rest].forEach((part, k) => part.textContent === parts[k] || (part.textContent = parts[k]));
  };
}

// What More holds, in its own words, the controls as far as they are shown; without anything, or where a page hides it,
// it is not there.
function nameMore(view) {
  const { more, rest, numbers, answers, kit } = view;
  const printed = numbers.childElementCount && "the numbers";
  for (const part of [rest, numbers, answers]) if (!part.childElementCount) part.remove();
  if (view.hides("more") || !(rest.childElementCount || printed)) more.remove();
  const shown = (row) => !(kit.hides_unused && row.querySelector(":scope > :disabled"));
  view.refreshers.push(() => {
    const count = [...rest.children].filter(shown).length;
    const held = [count && `${count} control${count === 1 ? "" : "s"}`, printed].filter(Boolean);
    const words = `More: ${held.join(" and ")}`;
    if (more.firstChild.textContent !== words) more.firstChild.textContent = words;
  });
}

// Make the function `render` of an explorer. Its definition:
//   name; prepare(data, view) → problem; compute(problem, now, before) → state; result(state, problem) → numbers drawn;
//   ended(state, problem): whether a walk that plays has come to its end before its last step; drive(problem, view) → what
//   moves it in place of frames;
//   texts(problem, view) → words for controls; lasts(problem) → { control: now → where its slider ends };
//   own: controls only this explorer has; valid: their values from outside;
//   keeps: controls that every link names;
//   longest: how many characters the sentence may come to, whose lines are kept free;
//   numbers(problem, view) → [key, label, text(state)] to print, those of answers(view) below the sentence, others in More; say(state, problem, view) → sentence;
//   panels(problem, view) → { key: panel }; hint: what the keys do; cursor(problem, view) → the common cursor.
export function explorer(definition) {
  return ({ model, el }) => {
    const view = frameOf({ model, el, name: definition.name });
    const problem = definition.prepare ? definition.prepare(model.get("data"), view) : model.get("data");
    let state = null;
    const compute = () => (state = definition.compute(problem, view.now(), state));
    let draw = () => {};
    const begin = run(view, compute, () => draw());
    buildPresets(view, view.kit.presets);
    buildControls(view, view.specs, { texts: definition.texts?.(problem, view), lasts: definition.lasts?.(problem), own: definition.own });
    buildPlay(view, { ended: () => definition.ended?.(state, problem) ?? false, drive: definition.drive?.(problem, view) });
    const answers = definition.answers?.(view) ?? [];
    const place = (key) => (answers.includes(key) ? view.answers : view.numbers);
    const printed = view.hides("more") ? [] : (definition.numbers?.(problem, view) ?? []);
    const printers = printed.map(([key, label, text]) => [output(place(key), key, label), text]);
    nameMore(view);
    const say = sayer(view);
    view.reserve = () => reserveLines(view, definition.longest);
    compute();
    const wanted = Object.entries(definition.panels(problem, view)).filter(([key]) => !view.hides(key));
    const panels = wanted.map(([key, panel]) => buildPanel(view, key, panel));
    const plots = panels.flatMap((panel) => panel.plots);
    let move = null; // of which controls the last one was
    view.remember = (next) => {
      if (next !== move) for (const panel of panels) panel.remember(state);
      move = next;
    };
    const cursors = panels.flatMap((panel) => panel.cursor ? buildCursors(view, panel.cursor.places(panel.plots), panel.cursor, () => state) : []); // prettier-ignore
    const common = panels.filter((panel) => panel.at).map((panel) => [panel.plots[0], panel.at, panel.by]);
    if (definition.cursor) cursors.push(...buildCursors(view, common, definition.cursor(problem, view), () => state));
    draw = () => {
      for (const [print, text] of printers) print(text(state));
      say(definition.say(state, problem, view));
      for (const panel of panels) {
        panel.draw(state);
        for (const p of panel.plots) p.speak(panel.hint?.(state) ?? definition.hint?.(state, problem) ?? "");
      }
      for (const each of cursors) each.redraw();
    };
    buildMenu(view, { live: view.own, plots, valid: definition.valid, keeps: definition.keeps });
    view.root.model = {
      get: (key) => model.get(key),
      set: (key, value) => model.set(key, value),
      save_changes: () => model.save_changes(),
      result: () => definition.result(state, problem),
    };
    begin();

    // The clean-up that render returns: listeners, observer and elements go; the page's figure stays.
    return () => {
      view.stop.abort();
      for (const { name } of view.specs) model.off(`change:${name}`, view.update);
      delete view.root.model;
      (view.own ? view.root : view.body).remove();
    };
  };
}
