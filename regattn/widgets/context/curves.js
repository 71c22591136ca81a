// The curves of the ContextExplorer: risk after every tenth step, with the keys of the layers, and risk with every x multiplied.
import { layerKeys } from "./layers.js";
import { formatNumber, powerText } from "../_kit/format.js";

const LOWEST = 1e-6; // a smaller risk runs along the floor
const logOf = (value) => Math.log10(Math.max(LOWEST, value));

// Rivals of the network: role, mark and words of each. Those that coincide are one line, which the legend names for all.
const RIVALS = {
  ols: ["key", "line", "least squares"],
  bayes: ["leave-one-out", "dashed", "Bayes"],
  ridge: ["neutral", "line", "ridge of the training"],
  layer: ["test", "dashed", "best single layer"],
};
const ENDS = "where descent ends"; // the best single layer, where one is trained
const EARLY = 1.05; // times the least risk: from there on the curve says where it was least
const LETTER = 6.5; // pixels that one takes, about
const WIDE = 736; // pixels: tables and the risk stand beside each other
const ABOVE = 100; // times the worst rival: a larger risk leaves the picture, and an arrow says so
const SAME = 1.005; // of two risks, how much larger the one may be where both are one line

// The rivals whose lines are drawn, each with those that coincide with it.
function distinct(rivals) {
  const found = [];
  for (const name of Object.keys(RIVALS)) {
    const twin = found.find(([first]) => Math.abs(logOf(rivals[first]) - logOf(rivals[name])) < Math.log10(SAME));
    if (twin) twin.push(name);
    else found.push([name]);
  }
  return found;
}

// Names at the right ends of lines, above or below where nothing else is drawn; the legend names those without room.
// name({ key: [height, words, words of the legend] }, curves): the legend's first item is the network.
function lineNames(p, keys) {
  const notes = keys.map((key) => p.note(RIVALS[key][0], "end"));
  return (lines, curves) => {
    const items = p.host.parentNode.querySelectorAll(".ra-legend > li");
    const unit = p.size.unit;
    const [right, top, bottom] = [p.size.width - p.margin.right, p.margin.top, p.size.height - p.margin.bottom];
    const points = curves.flat().map(([x, y]) => [p.x(x), p.y(y)]);
    const taken = []; // [from, to] of words
    keys.forEach((key, k) => {
      const [value, words, short] = lines[key] ?? [0, ""];
      const y = p.y(value);
      const leftOf = (text) => right - LETTER * unit * text.length;
      const drawn = (left) => [...points.filter(([x]) => x > left - 6).map((each) => each[1]), ...Object.keys(lines).filter((other) => other !== key).map((other) => p.y(lines[other][0]))];
      const free = (left) => ([from, to]) => from > top && to < bottom && !drawn(left).some((at) => at > from && at < to) && !taken.some(([a, b]) => a < to && b > from);
      const roomOf = (text) => leftOf(text) > p.margin.left && [[y - 16 * unit, y - 1.5], [y + 1.5, y + 16 * unit]].find(free(leftOf(text))); // prettier-ignore
      const said = [words, words.split(" = ")[0]].find((text) => text && roomOf(text)); // of lines that coincide at least the first
      const room = said && roomOf(said);
      if (room) taken.push(room);
      notes[k](said ?? "", p.domain().x[1], value, { dy: room && room[0] > y ? 13 * unit : -4 });
      items[k + 1].hidden = !words || Boolean(room);
      items[k + 1].lastChild.data = short ?? words;
    });
  };
}

// Words above all that is drawn from a point of a curve on, and a dotted line down to it.
function raised(p, role) {
  const [note, stem] = [p.note(role), p.line(role, { dotted: true })];
  return (words, [x, y] = [0, 0], heights = []) => {
    const free = p.size.width - p.margin.right - p.x(x) - LETTER * p.size.unit * words.length;
    const up = Math.min(...heights.map(p.y)) - 24 * p.size.unit; // a name of a line lies between
    note(words, x, y, { dx: Math.min(4, free), dy: words ? up - p.y(y) : 0 });
    stem(words ? [x, x] : [], [y, p.invertY(up + 4)]);
  };
}

// Ticks of a logarithmic axis: powers of ten, and 2 and 5 times them where there is room.
function riskTicks(low, high) {
  const gap = Math.max(1, Math.ceil((high - low) / 5));
  const powers = Array.from({ length: Math.ceil(high - low) + 2 }, (_, k) => Math.floor(low) + k);
  const places = powers.filter((power) => power % gap === 0).flatMap((power) => (high - low < 2.5 ? [1, 2, 5] : [1]).map((front) => [front, power])); // prettier-ignore
  const word = (front, power) => (Math.abs(power) < 4 ? String(Number((front * 10 ** power).toPrecision(1))) : powerText(10 ** power));
  return places.map(([front, power]) => ({ at: power + Math.log10(front) || 1e-9, text: word(front, power) })); // 1 is no zero line
}

// What says that a curve leaves its frame: over(p, role) → draw(k, x, y, limit), for the first point k that does, or -1.
export function over(p, role) {
  const note = p.note(role);
  return (k, x, limit) => {
    const words = k < 0 ? "" : `↑ above ${formatNumber(limit, 2)}`;
    const at = k < 0 ? p.domain().x[0] : x;
    const free = p.size.width - p.margin.right - p.x(at) - LETTER * p.size.unit * words.length;
    note(words, at, p.domain().y[1], { dx: Math.min(4, free), dy: 12 });
  };
}

export function riskPanel(problem, view) {
  const { steps, every } = problem;
  const height = () => (view.hides("omega") || view.hides("drawn") || view.body.clientWidth <= WIDE ? 200 : 290); // beside two rows
  return {
    title: "Risk on new tasks",
    ...(view.hides("omega") ? {} : { beside: true, wide: true }), // beside the tables, where Play is in view
    legend: [["prediction", "line", "network"], ...Object.values(RIVALS), ["neutral", "dotted", "before"]],
    plot: { label: "Risk after every tenth step, on a logarithmic axis", xLabel: "step", yLabel: "mean squared distance, log scale", height },
    hint: () => "; arrow keys read the steps, Enter goes there",
    at: (k, { far, begun }) => [begun + k * every, logOf(far[Math.min(k, far.length - 1)])],
    by: "x",
    make(p) {
      const lines = Object.entries(RIVALS).map(([name, [role, mark]]) => [name, p.line(role, { dashed: mark === "dashed" })]);
      const [network, earlier, here] = [p.chains("prediction", 2), p.line("neutral", { dotted: true }), p.marker("prediction", "dot")];
      const [least, early, beyond] = [p.dots("prediction", { hollow: true }), raised(p, "prediction"), over(p, "prediction")];
      const name = lineNames(p, Object.keys(RIVALS));
      const box = p.host.parentNode;
      const [title, layers] = [box.querySelector(".ra-title"), layerKeys(view, problem, p.host)];
      return (state) => {
        const { far, home, plain, step, common, nothing, before, begun, k, single, early: shrinks } = state;
        const passed = (before?.points ?? []).map(([at, risks]) => [at, risks[k]]);
        layers(state);
        const words = state.factor === 1 ? "Risk on new tasks" : "Risk, every x as in training";
        if (title.textContent !== words) title.textContent = words;
        const ceiling = Math.max(far[0], ABOVE * Math.max(...Object.values(plain))); // what is higher is cut
        const within = (value) => logOf(Math.min(ceiling, value));
        const seen = [...far, ...passed.map((point) => point[1]), home, nothing, ...Object.values(plain), ...(view.hides("omega") ? common : [])].map(within);
        const [low, high] = [Math.floor(8 * Math.min(...seen) - 0.5) / 8, Math.ceil(8 * Math.max(...seen) + 0.5) / 8];
        const from = begun; // where Ω was kept the curve goes on where it stood
        p.frame({ x: [0, from + steps], y: [low, high], yTicks: riskTicks(low, high) });
        const found = distinct(plain);
        for (const [name, line] of lines) {
          const drawn = found.some(([first]) => first === name);
          line(drawn ? [0, from + steps] : [], Array(2).fill(logOf(plain[name])));
        }
        const curve = far.map((risk, k) => [from + k * every, logOf(risk)]);
        const past = passed.length ? [...passed.map(([at, risk]) => [at, within(risk)]), curve[0]] : [];
        const nameOf = (each, many) => (each === "layer" && single ? ENDS : each === "ridge" && many ? "ridge" : RIVALS[each][2]);
        const named = (twins) => twins.map((each) => nameOf(each, twins.length > 2)).join(" = ");
        name(Object.fromEntries(found.map((twins) => [twins[0], [logOf(plain[twins[0]]), named(twins)]])), [curve, past]);
        box.querySelector(".ra-legend > :last-child").hidden = !past.length;
        earlier(past.map((point) => point[0]), past.map((point) => point[1]));
        network([curve]);
        const above = far.findIndex((each) => logOf(each) > high);
        beyond(above, from + above * every, 10 ** high);
        const best = far.indexOf(Math.min(...far));
        const rose = shrinks && best > 0 && far.at(-1) > EARLY * far[best];
        least(rose ? [best * every] : [], [logOf(far[best])], 6);
        if (rose) early(`lowest here, step ${best * every}: stopped early`, [best * every, logOf(far[best])], [...far.slice(best), ...Object.values(plain)].map(logOf));
        else early("");
        here(from + Math.min(step, steps), within(home));
      };
    },
  };
}

// Risk against what multiplies every x, which a hand can drag.
export function factorsPanel({ factors }, view) {
  const [low, high] = [factors[0], factors.at(-1)];
  const to = (x) => ({ factor: Math.round(20 * Math.max(low, Math.min(high, x))) / 20 });
  const ceilingOf = ({ plain }) => ABOVE * Math.max(...Object.values(plain));
  return {
    title: "Risk, with every x multiplied",
    beside: view.hides("omega"),
    legend: [["prediction", "line", "network"], RIVALS.ols, RIVALS.ridge, ["leave-one-out", "dashed", "Bayes, who is told"]],
    plot: { label: "Risk against what multiplies every x, on a logarithmic axis", xLabel: "every x times; 1 in training", yLabel: "mean squared distance, log scale", height: 200 },
    click: to,
    handle: { to, at: (state) => [state.factor, logOf(Math.min(ceilingOf(state), state.risk))] },
    make(p) {
      const [ridges, ...levels] = ["ridge", "ols", "bayes"].map((name) => p.line(RIVALS[name][0], { dashed: RIVALS[name][1] === "dashed" }));
      const [network, here, upright] = [p.chains("prediction", 2), p.marker("prediction", "dot"), p.marker("cursor", "upright")];
      const beyond = over(p, "prediction");
      const name = lineNames(p, ["ols", "ridge", "bayes"]);
      return (state) => {
        const { across, factor, risk, plain } = state;
        const { network: risks, ridge } = across();
        const level = [plain.ols, plain.bayes]; // whoever is told, or need not be, answers as before
        const ceiling = ceilingOf(state);
        const seen = [...risks, ...ridge, ...level].map((value) => logOf(Math.min(ceiling, value)));
        const [bottom, top] = [Math.floor(8 * Math.min(...seen) - 0.5) / 8, Math.ceil(8 * Math.max(...seen) + 0.5) / 8];
        p.frame({ x: [low, high], y: [bottom, top], yTicks: riskTicks(bottom, top) });
        levels.forEach((line, at) => line([low, high], Array(2).fill(logOf(level[at]))));
        ridges(factors, ridge.map(logOf));
        const [curve, bent] = [risks, ridge].map((values) => values.map((value, k) => [factors[k], logOf(value)]));
        network([curve]);
        name({ ols: [logOf(level[0]), RIVALS.ols[2]], ridge: [logOf(ridge.at(-1)), RIVALS.ridge[2], "ridge"], bayes: [logOf(level[1]), "Bayes, who is told", "Bayes"] }, [curve, bent.slice(0, -1)]);
        const home = factors.indexOf(1);
        const above = risks.findIndex((value, k) => k > home && logOf(value) > top);
        beyond(above, factors[above], 10 ** top);
        upright(factor);
        here(factor, Math.min(top, logOf(risk)));
      };
    },
  };
}
