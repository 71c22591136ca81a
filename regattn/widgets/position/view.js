// PositionExplorer: eight hands at a place of a long text, the angles that training showed, and the loss measured there.
import { explorer } from "../_kit/explorer.js";
import { formatNumber } from "../_kit/format.js";
import { svgElement } from "../_kit/plot.js";
import { distanceAt, positionState } from "./numbers.js";

const TURN = 2 * Math.PI;
const LABEL = 22; // pixels below a clock for its number
const THIN = TURN / 24; // an arc below it hides behind the hand

const inPlaces = (around) => (around < 9.95 ? around.toFixed(1) : Math.round(around).toLocaleString("en-US"));

// A piece of pie from one angle to another, clockwise from upright; at least as wide as can be seen.
function pie(x, y, r, from, to) {
  if (to - from <= 0) return "";
  if (to - from >= TURN - 1e-9) return `M${x},${y - r}a${r},${r} 0 1 1 0,${2 * r}a${r},${r} 0 1 1 0,${-2 * r}z`;
  const at = (angle) => `${(x + r * Math.sin(angle)).toFixed(2)},${(y - r * Math.cos(angle)).toFixed(2)}`;
  return `M${x},${y}L${at(from)}A${r},${r} 0 ${to - from > Math.PI ? 1 : 0} 1 ${at(to)}z`;
}

// What stands in the dial of an arc that is too thin to be seen.
const inWords = (arc) => (arc < THIN ? `seen ${((arc * 360) / TURN).toFixed(1)}°` : "");

// How far clocks are apart and how large: a row of eight, or two of four where the page is narrow.
function layout(width, count, unit) {
  const columns = width < 520 ? Math.ceil(count / 2) : count;
  const cell = width / columns;
  const radius = Math.min(0.44 * cell, 46);
  const row = 2 * radius + LABEL * unit + 6;
  const centre = (i) => [((i % columns) + 0.5) * cell, radius + 2 + row * Math.floor(i / columns)];
  return { radius, centre, height: row * Math.ceil(count / columns) };
}

function handsPanel({ speeds }, view) {
  const count = speeds[""].length;
  const svg = svgElement("svg", { class: "ra-plot ra-hands", role: "img" });
  const draw = (tag, name) => svg.appendChild(svgElement(tag, { class: name }));
  const clocks = Array.from({ length: count }, () => ({
    seen: draw("path", "ra-key"),
    fresh: draw("path", "ra-negative"),
    face: draw("circle", "ra-face"),
    hand: draw("line", "ra-hand"),
    text: draw("text", ""),
    thin: draw("text", ""),
  }));
  for (const { text, thin } of clocks) for (const words of [text, thin]) words.setAttribute("text-anchor", "middle");
  let [shown, placed, held] = [null, null, null];
  const angleOf = (event, i) => {
    const box = svg.getBoundingClientRect();
    const [x, y] = placed.centre(i);
    return Math.atan2(event.clientX - box.left - x, y - (event.clientY - box.top));
  };
  const nearest = (event) => {
    const box = svg.getBoundingClientRect();
    const away = clocks.map((_, i) => Math.hypot(event.clientX - box.left - placed.centre(i)[0], event.clientY - box.top - placed.centre(i)[1]));
    const least = Math.min(...away);
    return least < placed.radius + 8 ? away.indexOf(least) : null;
  };
  const turn = (event) => view.set({ place: distanceAt(shown, held, angleOf(event, held)) + 1 });
  view.listen(svg, "pointerdown", (event) => {
    held = nearest(event);
    if (held === null) return;
    svg.setPointerCapture(event.pointerId);
    turn(event);
  });
  view.listen(svg, "pointermove", (event) => held !== null && turn(event));
  for (const end of ["pointerup", "pointercancel"]) view.listen(svg, end, () => (held = null));
  return {
    title: "Eight hands, turned to the first token (drag one); below, places for one turn",
    wide: true,
    legend: [
      ["key", "box", "angles seen in training"],
      ["negative", "box", "new angles, met on the way here"],
      ["key", "line", "a hand at a seen angle"],
      ["negative", "line", "at a new one"],
    ],
    make(host) {
      host.append(svg);
      return (state) => {
        shown = state;
        const width = Math.floor(host.clientWidth);
        if (width < 40) return;
        const unit = (parseFloat(getComputedStyle(svg).fontSize) || 12) / 12;
        placed = layout(width, count, unit);
        svg.setAttribute("viewBox", `0 0 ${width} ${placed.height.toFixed(1)}`);
        svg.setAttribute("height", placed.height.toFixed(1));
        const { angles, arcs, away, beyond, around, place } = state;
        svg.setAttribute("aria-label", `${away.filter(Boolean).length} of ${count} hands stand at an angle never seen in training, at place ${place}.`);
        clocks.forEach(({ seen, fresh, face, hand, text, thin }, i) => {
          const [x, y] = placed.centre(i);
          const r = placed.radius;
          seen.setAttribute("d", pie(x, y, r, 0, arcs[i]));
          fresh.setAttribute("d", pie(x, y, r, arcs[i], beyond[i] ? Math.min(TURN, angles[i]) : 0));
          for (const [name, value] of Object.entries({ cx: x, cy: y, r })) face.setAttribute(name, value.toFixed(2));
          const tip = { x1: x, y1: y, x2: x + 0.9 * r * Math.sin(angles[i]), y2: y - 0.9 * r * Math.cos(angles[i]) };
          for (const [name, value] of Object.entries(tip)) hand.setAttribute(name, value.toFixed(2));
          hand.setAttribute("class", `ra-hand ra-${away[i] ? "negative" : "key"}`);
          text.setAttribute("x", x.toFixed(2));
          text.setAttribute("y", (y + r + 15 * unit).toFixed(2));
          text.textContent = inPlaces(around[i]);
          thin.setAttribute("x", x.toFixed(2));
          thin.setAttribute("y", (y + 0.5 * r).toFixed(2));
          thin.textContent = inWords(arcs[i]);
        });
      };
    },
  };
}

// The stretches of places at which hand i is, or is not, at an angle never seen: lists of two points each.
function stretches(everywhere, i, wanted) {
  const found = [];
  everywhere.forEach((away, distance) => {
    if (away[i] !== wanted) return;
    const last = found.at(-1);
    if (last?.[1][0] === distance + 0.5) last[1][0] += 1;
    else found.push([[distance + 0.5, -i - 1], [distance + 1.5, -i - 1]]); // prettier-ignore
  });
  return found;
}

function lossPanel({ places, trained, group, letters }, view) {
  const to = (x) => ({ place: Math.max(1, Math.min(places, Math.round(x))) });
  const xTicks = [1, trained, 2 * trained, 3 * trained, places].map((at) => ({ at, text: String(at) }));
  const x = [0, places + 1];
  return {
    title: "Where each hand is at an angle never seen; below, the measured loss",
    wide: true,
    legend: [
      ["negative", "box", "never seen"],
      ["key", "line", "measured loss"],
      ["neutral", "dotted", "loss, hands as trained"],
      ["query", "diamond", "this place (drag)"],
      ["test", "line", "end of training"],
    ],
    plot: [
      { label: "Places at which each of eight hands stands at an angle never seen in training", height: 100 },
      { label: "Loss by place", xLabel: "place in the text", yLabel: "nats per character", height: 182 },
    ],
    make(strips, loss) {
      const rows = [strips.chains("key ra-seen", 8), strips.chains("negative", 8)];
      const [old, line] = [loss.line("neutral", { dotted: true }), loss.line("key")];
      const level = loss.marker("neutral", "level");
      const words = loss.note("neutral", "start");
      const ends = [strips, loss].map((p) => p.marker("test", "upright"));
      const here = [strips, loss].map((p) => p.marker("query", "upright"));
      const diamond = loss.marker("query");
      const holds = [strips, loss].map((p) => p.handle((at) => view.set(to(at)), view.signal));
      const legend = loss.svg.closest("[data-panel]").querySelector("li:nth-child(3)").lastChild;
      return ({ everywhere, speeds, curve, before, place, loss: now, hands }) => {
        strips.margin.bottom = 10;
        const yTicks = [{ at: -1, text: "fastest" }, { at: -speeds.length, text: "slowest" }]; // prettier-ignore
        strips.frame({ x, y: [-0.5 - speeds.length, -0.5], xTicks: [], yTicks });
        loss.margin.left = strips.margin.left;
        loss.frame({ x, y: [1.6, 3.6], xTicks, yTicks: [2, 2.5, 3, 3.5].map((at) => ({ at, text: at.toFixed(1) })) });
        legend.textContent = hands === "fast" ? "loss, base 10,000" : "loss, hands as trained";
        rows.forEach((draw, unseen) => draw(speeds.flatMap((_, i) => stretches(everywhere, i, Boolean(unseen)))));
        const edges = curve.flatMap((_, k) => [group * k + 0.5, group * (k + 1) + 0.5]);
        const twice = (means) => means.flatMap((mean) => [mean, mean]);
        line(edges, twice(curve));
        old(edges, hands === "trained" ? [] : twice(before));
        level(1, letters);
        words("letter frequencies", 9, letters, { dy: 15 });
        for (const mark of ends) mark(trained + 0.5);
        for (const mark of here) mark(place);
        diamond(place, now);
        holds[0](place, -(1 + speeds.length) / 2);
        holds[1](place, now);
      };
    },
    cursor: {
      places: ([strips, loss]) => [
        [strips, (k) => [k + 1, -0.6], "x"],
        [loss, (k, state) => [k + 1, state.lossAt(k + 1)], "x"],
      ],
      count: () => places,
      text: (k, { lossAt, met }) => `place ${k + 1}: ${lossAt(k + 1).toFixed(2)} nats\n${met[k]} of ${k + 1} tokens at new angles`,
      pick: (k) => ({ place: k + 1 }),
      start: ({ place }) => place - 1,
    },
    hint: ({ place }) => `at place ${place}; arrow keys read the places, Enter takes one`,
  };
}

const NOISE = 0.1; // nats; each point is a mean of three models and four places
const signless = (value) => value.toFixed(2).replace(/^0/, "");
const nats = (value) => `${value.toFixed(2)} nats`;
const among = (loss) => formatNumber(Math.exp(loss), 2); // letters, all as likely, that would leave this loss

const render = explorer({
  name: "PositionExplorer",
  longest: 170,
  prepare: (data) => data,
  compute: positionState,
  panels: (problem, view) => ({ hands: handsPanel(problem, view), loss: lossPanel(problem, view) }),
  numbers: ({ trained }) => [
    ["unseen", "tokens so far at new angles", ({ unseen, place }) => `${unseen} of ${place}`],
    ["away", "hands at a new angle here", ({ away }) => `${away.filter(Boolean).length} of ${away.length}`],
    ["loss", "loss here", ({ loss }) => nats(loss)],
    ["before", "loss here, base 10,000 as trained", ({ lossBefore }) => nats(lossBefore)],
    ["round", `hands that go round within ${trained} places`, ({ arcs }) => `${arcs.filter((arc) => arc >= TURN - 1e-9).length} of ${arcs.length}`],
  ],
  say({ place, unseen, over, loss, lossBefore, within, price, hands, step }, { trained, letters, sorts }) {
    const tokens = unseen ? ` ${unseen} of its ${place} tokens ${unseen > 1 ? "turn" : "turns"} a hand to a new angle.` : over ? " no hand is a step too far." : " no angle is new.";
    const [other, when] = hands === "trained" ? [place > trained ? within : null, "in training"] : [lossBefore, hands === "fast" ? "with base 10,000" : "as trained"];
    const apart = other !== null && Math.abs(loss - other) > NOISE;
    const than = other === null ? "" : apart ? `, ${formatNumber(other, 3)} ${when}` : `, about as ${when === "as trained" ? "trained" : when}`;
    const worse = loss > letters + NOISE ? `; letter frequencies leave ${among(letters)}` : "";
    const unsure = `: as unsure as among ${among(loss)} letters${apart ? `, not ${among(other)}` : ""}${worse}.`;
    const why = {
      all: ` The fastest hand turns ${Math.round((step * 360) / TURN)}° a step, not ${Math.round(360 / TURN)}°: neighbours look alike.`,
      slow: place > trained ? ` At place ${trained} slowing costs ${signless(price)} already: slower hands part near places less.` : "",
    };
    if (hands === "fast") {
      const [right, before] = [sorts.fast, sorts.trained].map((share) => Math.round(100 * share));
      return ["Another model, trained with base 5.", ` Place ${place}:${tokens} Loss ${formatNumber(loss, 3)} nats${than}${unsure} Its price: trained to sort, it gets ${right} % right, not ${before}.`]; // prettier-ignore
    }
    return [`Place ${place}:`, `${tokens} Loss ${formatNumber(loss, 3)} nats${than}${unsure}${why[hands] ?? ""}`];
  },
  result: ({ angles, arcs, around, away, unseen, loss, curve }) => ({ angles, arcs, around, away, unseen, loss, curve }),
});

export default { render };
