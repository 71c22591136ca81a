// Small pictures made of cells: an image, a feature map, a table of weights.
import { element } from "./controls.js";
import { formatNumber } from "./format.js";
import { svgElement } from "./plot.js";

export const lowest = (rows) => Math.min(...rows.flat());
export const highest = (rows) => Math.max(...rows.flat());

// Numbers as cells, paler for smaller, in the colour of their sign. Returns draw(rows, most, window), where the window
// is [row, column, size] of what is framed.
export function cellPicture(host, label) {
  const svg = host.appendChild(svgElement("svg", { class: "ra-cells", role: "img" }));
  let [cells, frame, shape] = [[], null, ""];
  const build = (height, width) => {
    svg.setAttribute("viewBox", `-0.1 -0.1 ${width + 0.2} ${height + 0.2}`);
    cells = Array.from({ length: height * width }, (_, k) =>
      svgElement("rect", { x: k % width, y: Math.floor(k / width), width: 1, height: 1 }),
    );
    frame = svgElement("rect", { class: "ra-window" });
    svg.replaceChildren(...cells, frame);
  };
  return (rows, most, [row, column, size] = [0, 0, 0]) => {
    const [height, width] = [rows.length, rows[0].length];
    if (shape !== `${height} ${width}`) build(height, width);
    shape = `${height} ${width}`;
    rows.flat().forEach((value, k) => {
      const role = value < 0 ? "ra-negative" : "ra-positive";
      if (cells[k].getAttribute("class") !== role) cells[k].setAttribute("class", role);
      cells[k].setAttribute("fill-opacity", Math.min(1, Math.abs(value) / most).toFixed(3));
    });
    for (const [name, value] of [["x", column], ["y", row], ["width", size], ["height", size]]) frame.setAttribute(name, value);
    svg.setAttribute("aria-label", `${label}, ${height} × ${width}: from ${formatNumber(lowest(rows))} to ${formatNumber(highest(rows))}`);
  };
}

// A picture of the size of the weights of one sign, as opaque as they are large, for a mask over the role's colour.
export function shades(map, limit, sign) {
  const n = map.length;
  const canvas = Object.assign(document.createElement("canvas"), { width: n, height: n });
  const context = canvas.getContext("2d");
  const image = context.createImageData(n, n);
  const shade = (weight) => 255 * Math.max(0, Math.min(1, (sign * weight) / limit));
  map.forEach((row, t) => row.forEach((weight, i) => (image.data[4 * (t * n + i) + 3] = shade(weight))));
  context.putImageData(image, 0, 0);
  return `url(${canvas.toDataURL()})`;
}

// Two layers behind a plot, one for each sign in the colour of its role. Returns place(pictures, [x, x], [y, y]): the
// sides are shares of the plot's, which on paper has another size.
export function signLayers(p) {
  const layer = (role) => element("div", { class: `ra-raster ra-${role}`, "aria-hidden": "true" });
  const layers = ["positive", "negative"].map(layer);
  p.host.classList.add("ra-layered");
  p.host.prepend(...layers);
  let shown = null;
  return (pictures, [left, right], [bottom, top]) => {
    const { width, height } = p.size;
    const box = {
      left: p.x(left) / width,
      top: p.y(top) / height,
      width: (p.x(right) - p.x(left)) / width,
      height: (p.y(bottom) - p.y(top)) / height,
    };
    layers.forEach(({ style }, k) => {
      if (shown !== pictures) style.maskImage = pictures[k];
      for (const [side, share] of Object.entries(box)) style[side] = `${100 * share}%`;
    });
    shown = pictures;
  };
}
