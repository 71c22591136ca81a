// What every explorer shares: its root, its parts, and the loop "a trait changed → compute → draw".
import { element } from "./controls.js";

// Build the frame of an explorer in `el` (an empty box in a live notebook, the figure itself in a page).
export function explorer({ model, el, name }) {
  const own = !el.matches("figure.regattn");
  const root = own ? el.appendChild(element("figure", { class: "regattn", "data-widget": name })) : el;
  root.setAttribute("aria-label", model.get("alt"));
  const controls = element("div", { class: "ra-controls" });
  const numbers = element("dl", { class: "ra-numbers" });
  const live = element("p", { class: "ra-live", "aria-live": "polite", "aria-atomic": "true" });
  const panels = element("div", { class: "ra-panels" });
  const body = root.appendChild(element("div", { class: "ra-body" }, controls, live, numbers, panels));

  const stop = new AbortController();
  const watched = [];
  const view = { root, model, controls, numbers, live, panels, signal: stop.signal, refreshers: [] };
  let loop = null;
  let state = null;

  view.listen = (target, event, handler) => target.addEventListener(event, handler, { signal: stop.signal });

  // Set several traits and tell the kernel once; the picture follows once, not once per trait.
  view.set = (values) => {
    view.held = true;
    for (const [key, value] of Object.entries(values)) model.set(key, value);
    view.held = false;
    model.save_changes();
    view.update();
  };

  view.update = () => {
    if (view.held || !loop) return;
    state = loop.compute();
    for (const refresh of view.refreshers) refresh();
    if (body.clientWidth > 0) loop.draw(state);
  };

  // A titled box for one plot, with a legend of [role, mark, words].
  view.panel = (key, { title, wide = false, legend = [] }) => {
    const box = element("div", { class: wide ? "ra-panel ra-wide" : "ra-panel", "data-panel": key });
    box.append(element("p", { class: "ra-title" }, title));
    if (legend.length) {
      const items = legend.map(([role, mark, words]) => {
        const swatch = { class: `ra-swatch ra-swatch-${mark} ra-${role}`, "aria-hidden": "true" };
        return element("li", {}, element("span", swatch), words);
      });
      box.append(element("ul", { class: "ra-legend" }, ...items));
    }
    panels.append(box);
    return box;
  };

  view.host = (box) => box.appendChild(element("div", { class: "ra-host" }));

  // Begin: `traits` are watched; compute() → state, draw(state), result(state) → the numbers now drawn.
  view.start = ({ traits, compute, draw, result }) => {
    loop = { compute, draw };
    for (const trait of traits) {
      model.on(`change:${trait}`, view.update);
      watched.push(trait);
    }
    if (!numbers.children.length) numbers.remove();
    root.model = {
      get: (key) => model.get(key),
      set: (key, value) => model.set(key, value),
      save_changes: () => model.save_changes(),
      result: () => result(state),
    };
    view.update();
    const observer = new ResizeObserver(view.update);
    observer.observe(body);
    stop.signal.addEventListener("abort", () => observer.disconnect());
  };

  // The clean-up that render returns: listeners, observer and elements go; the page's figure stays.
  view.done = () => {
    stop.abort();
    for (const trait of watched) model.off(`change:${trait}`, view.update);
    delete root.model;
    (own ? root : body).remove();
  };

  return view;
}
