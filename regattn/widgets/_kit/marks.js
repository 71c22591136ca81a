// What a plot can draw. Each maker adds one path to the plot and returns the function that moves it.
import { clipSegment } from "../_numbers/maths.js";

export function plotMarks(self, { under, marks, svgElement }) {
  const px = (v) => v.toFixed(2);
  function path(role, kind, layer = marks) {
    return layer.appendChild(svgElement("path", { class: `ra-${kind} ra-${role}` }));
  }

  function line(role, { dashed = false, dotted = false, steps = false } = {}) {
    const element = path(role, `line${dashed ? " ra-dashed" : ""}${dotted ? " ra-dotted" : ""}`);
    return (xs, ys) => {
      let d = "";
      for (let k = 0; k < xs.length; k++) {
        if (!Number.isFinite(ys[k])) continue;
        const y = px(self.y(ys[k]));
        if (steps && d) d += `H${px(self.x(xs[k]))}V${y}`;
        else d += `${d ? "L" : "M"}${px(self.x(xs[k]))},${y}`;
      }
      element.setAttribute("d", d);
    };
  }

  // Chains of points below all other marks, cut exactly at the frame, however far they run.
  function chains(role, width) {
    const element = path(role, "line", under);
    element.style.strokeWidth = `${width}px`;
    return (lists) => {
      let d = "";
      for (const chain of lists) {
        for (let k = 1; k < chain.length; k++) {
          const kept = clipSegment(chain[k - 1], chain[k], self.domain());
          if (kept) d += `M${kept.map(([x, y]) => `${self.x(x).toFixed(1)},${self.y(y).toFixed(1)}`).join("L")}`;
        }
      }
      element.setAttribute("d", d);
    };
  }

  // Bars from 0 to ys[k] over the positions 0, 1, …, for the k that `wanted` keeps: one path, however many bars.
  function bars(role) {
    const element = path(role, "bar");
    return (ys, wanted = () => true) => {
      const slot = self.x(1) - self.x(0);
      element.setAttribute("stroke-width", px(Math.max(0.8, slot > 4 ? slot - 1.5 : slot * 0.75)));
      const base = px(self.y(0));
      let d = "";
      for (let k = 0; k < ys.length; k++) if (wanted(k)) d += `M${px(self.x(k))},${base}V${px(self.y(ys[k]))}`;
      element.setAttribute("d", d);
    };
  }

  function dots(role, { hollow = false } = {}) {
    const element = path(role, hollow ? "hollow" : "dot");
    return (xs, ys, radius, wanted = () => true) => {
      let d = "";
      for (let k = 0; k < xs.length; k++) {
        if (!wanted(k)) continue;
        const r = px(typeof radius === "function" ? radius(k) : radius);
        const half = `a${r},${r} 0 1 0`;
        d += `M${px(self.x(xs[k]))},${px(self.y(ys[k]))}m-${r},0${half} ${2 * r},0${half} -${2 * r},0`;
      }
      element.setAttribute("d", d);
    };
  }

  // Dots or bars in the colour of the sign of their weight.
  function signedDots() {
    const [above, below] = [dots("positive"), dots("negative")];
    return (xs, ys, radius, weights) => {
      above(xs, ys, radius, (k) => weights[k] >= 0);
      below(xs, ys, radius, (k) => weights[k] < 0);
    };
  }

  function signedBars() {
    const [above, below] = [bars("positive"), bars("negative")];
    return (weights) => {
      above(weights, (k) => weights[k] >= 0);
      below(weights, (k) => weights[k] < 0);
    };
  }

  // A single sign: "diamond", "ring", "dot", or a full-height or full-width rule. Called without a place, it hides.
  function marker(role, shape = "diamond") {
    const element = path(role, `mark ra-${shape}`);
    const { margin, size } = self;
    const shapes = {
      diamond: (x, y) => `M${x},${y - 7}l6,7l-6,7l-6,-7z`,
      ring: (x, y) => `M${x},${y}m-7,0a7,7 0 1 0 14,0a7,7 0 1 0 -14,0`,
      dot: (x, y) => `M${x},${y}m-4.5,0a4.5,4.5 0 1 0 9,0a4.5,4.5 0 1 0 -9,0`,
      upright: (x) => `M${x},${margin.top}V${size.height - margin.bottom}`,
      level: (x, y) => `M${margin.left},${y}H${size.width - margin.right}`,
    };
    return (x, y = self.domain().y[0]) => {
      const shown = x !== undefined && x !== null && Number.isFinite(y);
      element.setAttribute("d", shown ? shapes[shape](self.x(x), self.y(y)) : "");
    };
  }

  // A few words inside the plot, kept inside its frame.
  function note(role, anchor = "start") {
    const element = marks.appendChild(svgElement("text", { class: `ra-note ra-${role}`, "text-anchor": anchor }));
    return (words, x, y, { dx = 0, dy = 0 } = {}) => {
      if (element.textContent !== words) element.textContent = words;
      const top = self.margin.top + 10;
      const bottom = self.size.height - self.margin.bottom - 4;
      element.setAttribute("x", px(self.x(x) + dx));
      element.setAttribute("y", px(Math.max(top, Math.min(bottom, self.y(y) + dy))));
    };
  }

  // A place to take hold of: a round target for a pointer or a finger, dragged to `to(x, y)` in units of the axes.
  function handle(to, signal) {
    const target = self.svg.appendChild(svgElement("circle", { class: "ra-handle", r: 18 }));
    let held = false;
    const on = (name, handler) =>
      target.addEventListener(name, (event) => (event.stopPropagation(), handler(event)), { signal });
    on("pointerdown", (event) => {
      held = true;
      target.setPointerCapture(event.pointerId);
    });
    on("pointermove", (event) => {
      if (!held) return;
      const box = self.svg.getBoundingClientRect();
      to(self.invertX(event.clientX - box.left), self.invertY(event.clientY - box.top));
    });
    for (const end of ["pointerup", "pointercancel"]) on(end, () => (held = false));
    on("click", () => {});
    return (x, y) => {
      const shown = x !== undefined && x !== null;
      target.style.display = shown ? "" : "none";
      if (!shown) return;
      target.setAttribute("cx", px(self.x(x)));
      target.setAttribute("cy", px(self.y(y)));
    };
  }

  return { line, chains, bars, dots, signedDots, signedBars, marker, note, handle };
}
