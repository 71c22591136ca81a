// Plots that keep their marks: made once, then only their attributes change. One SVG per plot, laid out in CSS pixels,
// so text stays its size on a phone and grows with the page's. Colours come from explorer.css, never from here.
import { isolate, numberTicks } from "./format.js";
import { plotMarks } from "./marks.js";

const SVG = "http://www.w3.org/2000/svg";

export function svgElement(tag, attributes = {}) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

// One plot in `host`. Options: label (spoken), xLabel, yLabel, height in pixels of ordinary text, or what gives it for
// the width.
export function plot(host, { label, xLabel = "", yLabel = "", height = 220 }) {
  const svg = host.appendChild(svgElement("svg", { class: "ra-plot", role: "img", "aria-label": label }));
  const grid = svg.appendChild(svgElement("g", { class: "ra-grid" }));
  const under = svg.appendChild(svgElement("g"));
  const marks = svg.appendChild(svgElement("g"));
  const captions = { x: svg.appendChild(svgElement("text")), y: svg.appendChild(svgElement("text")) };
  for (const caption of Object.values(captions)) caption.setAttribute("class", "ra-axis-label");
  captions.x.textContent = xLabel && isolate(xLabel);
  captions.y.textContent = yLabel && isolate(yLabel);
  captions.x.setAttribute("text-anchor", "end");
  const pools = { x: [], y: [] };
  const margin = { left: 0, right: 0, top: 0, bottom: 0 };
  const size = { width: 0, height: 0, unit: 1 };
  let domain = { x: [0, 1], y: [0, 1] };
  let drawnFrame = "";
  let kept = null; // the frame that stays while the axes are locked
  let locked = false;

  const self = { svg, host, size, margin };
  const inner = () => ({ w: size.width - margin.left - margin.right, h: size.height - margin.top - margin.bottom });
  self.x = (v) => margin.left + ((v - domain.x[0]) / (domain.x[1] - domain.x[0])) * inner().w;
  self.y = (v) => margin.top + (1 - (v - domain.y[0]) / (domain.y[1] - domain.y[0])) * inner().h;
  self.invertX = (px) => domain.x[0] + ((px - margin.left) / inner().w) * (domain.x[1] - domain.x[0]);
  self.invertY = (px) => domain.y[0] + (1 - (px - margin.top) / inner().h) * (domain.y[1] - domain.y[0]);
  self.domain = () => domain;

  // Take the width the page gives; false while the plot is not on screen.
  self.measure = () => {
    const width = Math.floor(host.clientWidth);
    if (width < 40) return false;
    if (width !== size.width) {
      const unit = (parseFloat(getComputedStyle(svg).fontSize) || 12) / 12; // a reader's larger text needs larger margins
      Object.assign(size, { width, unit, height: Math.round((height.call ? height(width) : height) * Math.sqrt(unit)) });
      const room = { left: 46, right: 12, top: yLabel ? 26 : 10, bottom: xLabel ? 46 : 28 };
      for (const side of Object.keys(room)) margin[side] = room[side] * unit;
      svg.setAttribute("viewBox", `0 0 ${width} ${size.height}`);
      svg.setAttribute("height", size.height);
      for (const [axis, x, y] of [["x", width - margin.right, size.height - 6], ["y", 2, 13 * unit]]) {
        captions[axis].setAttribute("x", x);
        captions[axis].setAttribute("y", y);
      }
      drawnFrame = "";
    }
    return true;
  };

  // Say more than the label: what the plot is of just now, and what the keys do.
  self.speak = (more) => {
    const words = `${label} ${more}`;
    if (svg.getAttribute("aria-label") !== words) svg.setAttribute("aria-label", words);
  };

  // Half-widths of a domain centred on 0 with the same units per pixel on both axes.
  self.squareDomain = (radius) => {
    const { w, h } = inner();
    const unit = radius / Math.min(w, h);
    return { x: [-unit * w, unit * w], y: [-unit * h, unit * h] };
  };

  // The smallest domain around two intervals with the same units per pixel on both axes.
  self.evenDomain = (...sides) => {
    const room = [inner().w, inner().h];
    const unit = Math.max(...sides.map(([low, high], axis) => (high - low) / room[axis]));
    const [x, y] = sides.map(([low, high], axis) => [-1, 1].map((way) => (low + high + way * unit * room[axis]) / 2));
    return { x, y };
  };

  // Keep the limits of both axes as they are; what leaves them is cut off, so that "small" looks small.
  self.lock = (on) => {
    locked = on;
    drawnFrame = "";
  };

  self.frame = (wanted) => {
    if (!locked || !kept) kept = wanted;
    const { x, y, xTicks, yTicks } = kept;
    domain = { x, y };
    const ticksY = yTicks ?? numberTicks(...y, Math.max(2, Math.round(inner().h / (42 * size.unit))));
    const longest = Math.max(0, ...ticksY.map(({ text }) => [...text].length));
    margin.left = Math.max(margin.left, (longest * 6.6 + 10) * size.unit); // it never shrinks, so the plot stands still
    const ticksX = xTicks ?? numberTicks(...x, Math.max(2, Math.round(inner().w / (80 * size.unit))));
    const key = JSON.stringify([x, y, ticksX, ticksY, margin.left]);
    if (key === drawnFrame) return;
    drawnFrame = key;
    drawTicks("x", ticksX.filter(({ at }) => at >= x[0] && at <= x[1]));
    drawTicks("y", ticksY.filter(({ at }) => at >= y[0] && at <= y[1]));
    const [left, right, top, low] = [margin.left - 1, size.width - margin.right + 1, margin.top - 1, size.height - margin.bottom + 1];
    const box = `polygon(${left}px ${top}px, ${right}px ${top}px, ${right}px ${low}px, ${left}px ${low}px) view-box`;
    marks.style.clipPath = locked ? box : "";
  };

  function drawTicks(axis, ticks) {
    const pool = pools[axis];
    while (pool.length < ticks.length) {
      pool.push({ line: grid.appendChild(svgElement("line")), text: grid.appendChild(svgElement("text")) });
    }
    const bottom = size.height - margin.bottom;
    let free = -Infinity; // where the next text on the horizontal axis may begin
    pool.forEach(({ line, text }, k) => {
      const hidden = k >= ticks.length;
      for (const element of [line, text]) element.style.display = hidden ? "none" : "";
      if (hidden) return;
      const { at, text: words } = ticks[k];
      const upright = [self.x(at), bottom - 4, self.x(at), bottom];
      const level = [margin.left, self.y(at), size.width - margin.right, self.y(at)];
      const [x1, y1, x2, y2] = axis === "x" ? upright : level;
      for (const [name, value] of Object.entries({ x1, y1, x2, y2 })) line.setAttribute(name, value.toFixed(1));
      line.setAttribute("class", axis === "x" ? "ra-tick" : at === 0 ? "ra-zero" : "ra-rule");
      let place = margin.left - 6;
      if (axis === "x") {
        const half = ([...words].length * 7 * size.unit) / 2; // a guess that is never too small
        place = Math.max(half, Math.min(size.width - half, x1));
        if (place - half < free) text.style.display = "none";
        else free = place + half + 4;
      }
      text.textContent = words;
      text.setAttribute("x", place.toFixed(1));
      text.setAttribute("y", axis === "x" ? bottom + 18 * size.unit : (y1 + 4).toFixed(1));
      text.setAttribute("text-anchor", axis === "x" ? "middle" : "end");
    });
  }

  return Object.assign(self, plotMarks(self, { under, marks, svgElement }));
}
