// Reading a plot point by point, with a pointer, a finger or the arrow keys. To a screen reader the plot is a slider:
// its value text is what the others see in the tip.

// Options: count() points; at(k) → [x, y] in data units; text(k) → words; by: "x" or "xy" (what "nearest" means);
// moved(k or null): tell the other plots; pick(k): click, Enter or Space; start(): where the keyboard begins;
// shape: the sign that marks the point; signal: an AbortSignal that takes the listeners away.
export function cursor(plot, { count, at, text, by = "xy", moved, pick, start = () => 0, shape = "ring", signal }) {
  const { svg, host } = plot;
  const tip = host.appendChild(document.createElement("div"));
  tip.className = "ra-tip";
  tip.setAttribute("aria-hidden", "true");
  tip.hidden = true;
  const mark = plot.marker("cursor", shape);
  let current = null;
  let active = false;

  svg.setAttribute("role", "slider");
  svg.setAttribute("tabindex", "0");
  svg.setAttribute("data-lm-suppress-shortcuts", ""); // on the plot itself, as on the inputs of controls.js
  svg.setAttribute("aria-valuemin", "0");

  function speak() {
    const k = Math.min(current ?? start(), count() - 1);
    svg.setAttribute("aria-valuemax", String(count() - 1));
    svg.setAttribute("aria-valuenow", String(k));
    svg.setAttribute("aria-valuetext", text(k));
  }

  function nearest(event) {
    const box = svg.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    let best = 0;
    let least = Infinity;
    for (let k = 0; k < count(); k++) {
      const [a, b] = at(k);
      const away = (plot.x(a) - x) ** 2 + (by === "x" ? 0 : (plot.y(b) - y) ** 2);
      if (away < least) [best, least] = [k, away];
    }
    return best;
  }

  function placeTip() {
    const [a, b] = at(current);
    const x = plot.x(a);
    const room = plot.size.width;
    const width = tip.offsetWidth;
    const above = plot.y(b) - tip.offsetHeight - 12;
    tip.style.left = `${Math.max(0, Math.min(room - width, x - width / 2))}px`;
    tip.style.top = `${above >= 0 ? above : plot.y(b) + 14}px`;
  }

  const self = {
    // Mark point k (null: none); only the plot under the pointer or the keyboard shows its words.
    show(k) {
      current = k === null || k >= count() ? null : k;
      if (current === null || !plot.size.width) {
        mark();
        tip.hidden = true;
      } else {
        mark(...at(current));
        tip.hidden = !active;
        if (active) {
          const words = text(current);
          if (tip.textContent !== words) tip.textContent = words;
          placeTip();
        }
      }
      speak();
    },
    redraw: () => self.show(current),
  };

  function move(k) {
    active = true;
    moved(k);
  }

  // A finger has no hover: its first tap shows a point and keeps it, a second tap on the same point chooses it.
  let shownBefore = null;
  const touch = (event) => event.pointerType === "touch";

  function leave() {
    if (!active) return;
    active = false;
    moved(null);
  }

  const steps = {
    ArrowLeft: (k) => k - 1,
    ArrowDown: (k) => k - 1,
    ArrowRight: (k) => k + 1,
    ArrowUp: (k) => k + 1,
    PageDown: (k) => k - 10,
    PageUp: (k) => k + 10,
    Home: () => 0,
    End: () => count() - 1,
  };
  const listen = (name, handler) => svg.addEventListener(name, handler, { signal });
  listen("pointermove", (event) => touch(event) || move(nearest(event)));
  listen("pointerdown", (event) => {
    shownBefore = touch(event) && active ? current : null;
    move(nearest(event));
  });
  listen("pointerleave", (event) => touch(event) || leave());
  const elsewhere = (event) => touch(event) && !svg.contains(event.target) && leave();
  svg.ownerDocument.addEventListener("pointerdown", elsewhere, { signal });
  listen("blur", leave);
  listen("focus", () => svg.matches(":focus-visible") && move(current ?? start()));
  listen("click", (event) => {
    const k = nearest(event);
    if (!touch(event) || k === shownBefore) pick?.(k);
  });
  listen("keydown", (event) => {
    if (event.key in steps) move(Math.max(0, Math.min(count() - 1, steps[event.key](current ?? start()))));
    else if (event.key === "Enter" || event.key === " ") pick?.(current ?? start());
    else if (event.key === "Escape") leave();
    else return;
    event.preventDefault();
  });
  return self;
}
