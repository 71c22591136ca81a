// The curves of the ContextExplorer: risk after every tenth step, with the keys of the layers, and risk with every x multiplied.
import { formatNumber, formatResult, powerText } from "../_kit/format.js";
import { element } from "../_kit/controls.js";

const LOWEST = 1e-6; // a smaller risk runs along the floor
const height = (value) => Math.log10(Math.max(LOWEST, value));

// Rivals of the network: role, mark and words of each. Those that coincide are one line, which the legend names for all.
const RIVALS = {
  ols: ["key", "line", "least squares"],
  bayes: ["leave-one-out", "dashed", "Bayes"],
  ridge: ["neutral", "line", "ridge of the training"],
  layer: ["test", "dashed", "best single layer"],
};
const EARLY = 1.02; // times the least risk: from there on the curve says where it was least
const LETTER = 6.5; // pixels that one takes, about
const ABOVE = 100; // times the worst rival: a larger risk leaves the picture, and an arrow says so
const SAME = 1.005; // of two risks, how much larger the one may be where both are one line

// The rivals whose lines are drawn, each with those that coincide with it.
function distinct(rivals) {
  const found = [];
  for (const name of Object.keys(RIVALS)) {
    const twin = found.find(([first]) => Math.abs(height(rivals[first]) - height(rivals[name])) < Math.log10(SAME));
    if (twin) twin.push(name);
    else found.push([name]);
  }
  return found;
}

// Have the legend of a plot, whose first item is the network, name what is drawn.
function nameRivals(plot, found) {
  const items = plot.host.parentNode.querySelectorAll(".ra-legend > li");
  Object.keys(RIVALS).forEach((name, k) => {
    const own = found.find(([first]) => first === name);
    items[k + 1].hidden = !own;
    if (own) items[k + 1].lastChild.data = own.map((each) => RIVALS[each][2]).join(" = ");
  });
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

// The slider of the layers, drawn as a row of keys; under each the risk at the end of its training, once that is known.
function layerKeys(view, { learned, steps }) {
  const row = view.rows.get("depth");
  if (!row) return () => {};
  const keys = [1, 2, 3, 4].map((depth) => element("span", {}, element("b", {}, String(depth)), element("small")));
  row.classList.add("ra-layer-row");
  row.firstChild.textContent = "Layers and their risks";
  row.append(element("span", { class: "ra-layer-keys", "aria-hidden": "true" }, ...keys));
  view.first.prepend(row);
  const input = row.querySelector("input");
  // Pressed, it is trained at once; what has been trained is shown at its end.
  const go = (risks) => (risks ? view.set({ step: steps }, { move: null }) : view.run.finish());
  let known = {};
  const press = () => go(known[view.model.get("depth")]);
  view.listen(input, "click", press);
  view.listen(input, "keydown", (event) => event.key === "Enter" && press());
  return ({ settings, k }) => {
    known = learned(settings);
    keys.forEach((key, at) => {
      const words = known[at + 1] ? formatResult(known[at + 1][k]) : "–";
      key.classList.toggle("ra-on", settings.depth === at + 1);
      if (key.lastChild.textContent !== words) key.lastChild.textContent = words;
    });
  };
}

export function riskPanel(problem, view) {
  const { steps, every } = problem;
  return {
    title: "Risk on new tasks",
    ...(view.hides("omega") ? {} : { beside: true, wide: true }), // beside the tables, where Play is in view
    legend: [["prediction", "line", "network"], ...Object.values(RIVALS)],
    plot: { label: "Risk after every tenth step, on a logarithmic axis", xLabel: "step", yLabel: "mean squared distance, log scale", height: 200 },
    hint: () => "; arrow keys read the steps, Enter goes there",
    at: (k, { far }) => [k * every, height(far[Math.min(k, far.length - 1)])],
    by: "x",
    make(p) {
      const lines = Object.entries(RIVALS).map(([name, [role, mark]]) => [name, p.line(role, { dashed: mark === "dashed" })]);
      const [network, here] = [p.chains("prediction", 2), p.marker("prediction", "dot")];
      const [least, early, beyond] = [p.dots("prediction", { hollow: true }), p.note("prediction"), over(p, "prediction")];
      const layers = layerKeys(view, problem);
      return (state) => {
        const { far, home, plain, step, common, nothing } = state;
        layers(state);
        const ceiling = Math.max(far[0], ABOVE * Math.max(...Object.values(plain))); // what is higher is cut
        const within = (value) => height(Math.min(ceiling, value));
        const seen = [...far, home, nothing, ...Object.values(plain), ...(view.hides("omega") ? common : [])].map(within);
        const [low, high] = [Math.floor(8 * Math.min(...seen) - 0.5) / 8, Math.ceil(8 * Math.max(...seen) + 0.5) / 8];
        p.frame({ x: [0, steps], y: [low, high], yTicks: riskTicks(low, high) });
        const found = distinct(plain);
        for (const [name, line] of lines) {
          const drawn = found.some(([first]) => first === name);
          line(drawn ? [0, steps] : [], Array(2).fill(height(plain[name])));
        }
        nameRivals(p, found);
        network([far.map((found, k) => [k * every, height(found)])]);
        const above = far.findIndex((each) => height(each) > high);
        beyond(above, above * every, 10 ** high);
        const best = far.indexOf(Math.min(...far));
        const passed = best > 0 && far.at(-1) > EARLY * far[best];
        least(passed ? [best * every] : [], [height(far[best])], 6);
        const words = passed ? `lowest here, step ${best * every}: stopped early` : "";
        const free = p.size.width - p.margin.right - p.x(best * every) - LETTER * p.size.unit * words.length;
        early(words, best * every, height(far[best]), { dx: Math.min(12, free), dy: free < 12 ? 20 : 4 }); // beside it, or below
        here(Math.min(step, steps), within(home));
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
    plot: { label: "Risk against what multiplies every x, on a logarithmic axis", xLabel: "every x times", yLabel: "mean squared distance, log scale", height: 200 },
    click: to,
    handle: { to, at: (state) => (state.across() ? [state.factor, height(Math.min(ceilingOf(state), state.risk))] : []) },
    make(p) {
      const [ridges, ...levels] = ["ridge", "ols", "bayes"].map((name) => p.line(RIVALS[name][0], { dashed: RIVALS[name][1] === "dashed" }));
      const [network, here, upright] = [p.chains("prediction", 2), p.marker("prediction", "dot"), p.marker("cursor", "upright")];
      const [beyond, later] = [over(p, "prediction"), p.note("neutral")];
      return (state) => {
        const { across, factor, risk, plain } = state;
        const { network: risks, ridge } = across() ?? { network: [], ridge: [] };
        const level = [plain.ols, plain.bayes]; // whoever is told, or need not be, answers as before
        const ceiling = ceilingOf(state);
        const seen = [...risks, ...ridge, ...level].map((value) => height(Math.min(ceiling, value)));
        const [bottom, top] = [Math.floor(8 * Math.min(...seen) - 0.5) / 8, Math.ceil(8 * Math.max(...seen) + 0.5) / 8];
        p.frame({ x: [low, high], y: [bottom, top], yTicks: riskTicks(bottom, top) });
        levels.forEach((line, at) => line([low, high], Array(2).fill(height(level[at]))));
        ridges(factors.slice(0, ridge.length), ridge.map(height));
        network([risks.map((value, k) => [factors[k], height(value)])]);
        const above = risks.findIndex((value) => height(value) > top);
        beyond(above, factors[above], 10 ** top);
        later(risks.length ? "" : "drawn after the training", low, top, { dx: 8, dy: 12 });
        upright(factor);
        here(...(risks.length ? [factor, Math.min(top, height(risk))] : []));
      };
    },
  };
}
