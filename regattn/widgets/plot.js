// Plots that keep their marks: made once, then only their attributes change. One SVG per plot, laid out in CSS pixels,
// so text stays its size on a phone. Colours come from the classes of explorer.css, never from here.
import { niceTicks } from "./maths.js";

const SVG = "http://www.w3.org/2000/svg";

export function svgElement(tag, attributes = {}) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

// A number for people: `digits` significant digits, a true minus sign, no exponent unless it is needed.
export function formatNumber(value, digits = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0";
  const text =
    size >= 1e6 || size < 1e-5
      ? value.toExponential(digits - 1)
      : size >= 10 ** digits
        ? Math.round(value).toString()
        : value.toFixed(Math.max(0, Math.min(8, digits - 1 - Math.floor(Math.log10(size)))));
  return text.replaceAll("-", "−");
}

// Text of another author inside a sentence: kept apart, so that a right-to-left label cannot reorder its neighbours.
export function isolate(label) {
  return `\u2068${label}\u2069`;
}

export function shorten(label, most = 14) {
  const letters = Array.from(label);
  return letters.length <= most ? label : `${letters.slice(0, most - 1).join("")}…`;
}

// Tick texts of one axis agree in their number of decimals.
function tickTexts(ticks) {
  const step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : Math.abs(ticks[0] ?? 1);
  let decimals = Math.max(0, Math.min(8, -Math.floor(Math.log10(step || 1) + 1e-9)));
  if (Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6) decimals += 1;
  return ticks.map((t) => (Math.abs(t) < 1e-12 ? "0" : t.toFixed(decimals).replace("-", "−")));
}

export function numberTicks(low, high, count) {
  const ticks = niceTicks(low, high, count);
  const texts = tickTexts(ticks);
  return ticks.map((at, k) => ({ at, text: texts[k] }));
}

// Powers of ten as people write them: 0.01, 1, 100, then 10⁴.
export function powerText(value) {
  const power = Math.round(Math.log10(value));
  if (power >= -2 && power <= 3) return String(10 ** power).slice(0, 6);
  return `10${[...String(power)].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)])).join("")}`;
}

// Ticks for an ordered list of labels: round years when the labels begin with one, else every so many labels.
export function orderTicks(labels, most) {
  const years = labels.map((label) => (/^[12]\d{3}(?!\d)/.test(label) ? Number(label.slice(0, 4)) : NaN));
  const starts = new Map();
  years.forEach((year, k) => starts.has(year) || starts.set(year, k));
  const dated = years.every((year, k) => Number.isFinite(year) && (k === 0 || year >= years[k - 1]));
  if (dated && starts.size > most / 2) {
    const step = [1, 2, 5, 10, 20, 50, 100].find((s) => starts.size / s <= most) ?? 200;
    return [...starts].filter(([year]) => year % step === 0).map(([year, at]) => ({ at, text: String(year) }));
  }
  const step = Math.max(1, Math.ceil(labels.length / Math.max(1, Math.floor(most / 2))));
  return labels.map((label, at) => ({ at, text: shorten(label) })).filter(({ at }) => at % step === 0);
}

// One plot in `host`. Options: label (spoken), xLabel, yLabel, height in pixels.
export function plot(host, { label, xLabel = "", yLabel = "", height = 220 }) {
  const svg = host.appendChild(svgElement("svg", { class: "ra-plot", role: "img", "aria-label": label }));
  const margin = { left: 46, right: 12, top: yLabel ? 26 : 10, bottom: xLabel ? 46 : 28 };
  const grid = svg.appendChild(svgElement("g", { class: "ra-grid" }));
  const marks = svg.appendChild(svgElement("g"));
  const captions = { x: svg.appendChild(svgElement("text")), y: svg.appendChild(svgElement("text")) };
  for (const caption of Object.values(captions)) caption.setAttribute("class", "ra-axis-label");
  captions.x.textContent = xLabel;
  captions.y.textContent = yLabel;
  captions.x.setAttribute("text-anchor", "end");
  const pools = { x: [], y: [] };
  const size = { width: 0, height: 0 };
  let domain = { x: [0, 1], y: [0, 1] };
  let drawnFrame = "";

  const self = { svg, host, size, margin };
  const inner = () => ({ w: size.width - margin.left - margin.right, h: size.height - margin.top - margin.bottom });
  self.x = (v) => margin.left + ((v - domain.x[0]) / (domain.x[1] - domain.x[0])) * inner().w;
  self.y = (v) => margin.top + (1 - (v - domain.y[0]) / (domain.y[1] - domain.y[0])) * inner().h;
  self.invertX = (px) => domain.x[0] + ((px - margin.left) / inner().w) * (domain.x[1] - domain.x[0]);

  // Take the width the page gives; false while the plot is not on screen.
  self.measure = () => {
    const width = Math.floor(host.clientWidth);
    if (width < 40) return false;
    if (width !== size.width) {
      size.width = width;
      size.height = height;
      svg.setAttribute("viewBox", `0 0 ${width} ${size.height}`);
      svg.setAttribute("height", size.height);
      captions.x.setAttribute("x", width - margin.right);
      captions.x.setAttribute("y", size.height - 6);
      captions.y.setAttribute("x", 2);
      captions.y.setAttribute("y", 13);
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

  self.frame = ({ x, y, xTicks, yTicks }) => {
    domain = { x, y };
    const { w, h } = inner();
    const ticksX = xTicks ?? numberTicks(...x, Math.max(2, Math.round(w / 80)));
    const ticksY = yTicks ?? numberTicks(...y, Math.max(2, Math.round(h / 42)));
    const key = JSON.stringify([x, y, ticksX, ticksY]);
    if (key === drawnFrame) return;
    drawnFrame = key;
    drawTicks("x", ticksX.filter(({ at }) => at >= x[0] && at <= x[1]));
    drawTicks("y", ticksY.filter(({ at }) => at >= y[0] && at <= y[1]));
  };

  function drawTicks(axis, ticks) {
    const pool = pools[axis];
    while (pool.length < ticks.length) {
      pool.push({ line: grid.appendChild(svgElement("line")), text: grid.appendChild(svgElement("text")) });
    }
    pool.forEach(({ line, text }, k) => {
      const hidden = k >= ticks.length;
      for (const element of [line, text]) element.style.display = hidden ? "none" : "";
      if (hidden) return;
      const { at, text: words } = ticks[k];
      const bottom = size.height - margin.bottom;
      const upright = [self.x(at), bottom - 4, self.x(at), bottom];
      const level = [margin.left, self.y(at), size.width - margin.right, self.y(at)];
      const [x1, y1, x2, y2] = axis === "x" ? upright : level;
      for (const [name, value] of Object.entries({ x1, y1, x2, y2 })) line.setAttribute(name, value.toFixed(1));
      line.setAttribute("class", axis === "x" ? "ra-tick" : at === 0 ? "ra-zero" : "ra-rule");
      text.textContent = words;
      text.setAttribute("x", axis === "x" ? x1.toFixed(1) : margin.left - 6);
      text.setAttribute("y", axis === "x" ? bottom + 18 : (y1 + 4).toFixed(1));
      text.setAttribute("text-anchor", axis === "x" ? "middle" : "end");
    });
  }

  const px = (v) => v.toFixed(2);
  function path(role, kind) {
    return marks.appendChild(svgElement("path", { class: `ra-${kind} ra-${role}` }));
  }

  self.line = (role, { dashed = false, steps = false } = {}) => {
    const element = path(role, dashed ? "line ra-dashed" : "line");
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
  };

  // Bars from 0 to ys[k] over the positions 0, 1, …, for the k that `wanted` keeps: one path, however many bars.
  self.bars = (role) => {
    const element = path(role, "bar");
    return (ys, wanted) => {
      const slot = self.x(1) - self.x(0);
      element.setAttribute("stroke-width", px(Math.max(0.8, slot > 4 ? slot - 1.5 : slot * 0.75)));
      const base = px(self.y(0));
      let d = "";
      for (let k = 0; k < ys.length; k++) if (wanted(k)) d += `M${px(self.x(k))},${base}V${px(self.y(ys[k]))}`;
      element.setAttribute("d", d);
    };
  };

  self.dots = (role) => {
    const element = path(role, "dot");
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
  };

  // A single sign: "diamond", "ring", "dot", or a full-height or full-width rule. Called without a place, it hides.
  self.marker = (role, shape = "diamond") => {
    const element = path(role, `mark ra-${shape}`);
    const shapes = {
      diamond: (x, y) => `M${x},${y - 7}l6,7l-6,7l-6,-7z`,
      ring: (x, y) => `M${x},${y}m-7,0a7,7 0 1 0 14,0a7,7 0 1 0 -14,0`,
      dot: (x, y) => `M${x},${y}m-4.5,0a4.5,4.5 0 1 0 9,0a4.5,4.5 0 1 0 -9,0`,
      upright: (x) => `M${x},${margin.top}V${size.height - margin.bottom}`,
      level: (x, y) => `M${margin.left},${y}H${size.width - margin.right}`,
    };
    return (x, y = domain.y[0]) => {
      const shown = x !== undefined && x !== null && Number.isFinite(y);
      element.setAttribute("d", shown ? shapes[shape](self.x(x), self.y(y)) : "");
    };
  };

  // A few words inside the plot, kept inside its frame.
  self.note = (role, anchor = "start") => {
    const element = marks.appendChild(svgElement("text", { class: `ra-note ra-${role}`, "text-anchor": anchor }));
    return (words, x, y, { dx = 0, dy = 0 } = {}) => {
      if (element.textContent !== words) element.textContent = words;
      const top = margin.top + 10;
      const bottom = size.height - margin.bottom - 4;
      element.setAttribute("x", px(self.x(x) + dx));
      element.setAttribute("y", px(Math.max(top, Math.min(bottom, self.y(y) + dy))));
    };
  };

  return self;
}
