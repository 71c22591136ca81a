// CodebookExplorer: a point of a latent plane is dragged, and a decoder draws from the code that stands for it.
import { cellPicture } from "../_kit/cells.js";
import { codebookProblem, codebookState, cooling, errorOf } from "./numbers.js";
import { cursor } from "../_kit/cursor.js";
import { element } from "../_kit/controls.js";
import { explorer } from "../_kit/explorer.js";
import { formatNumber, isolate, numberTicks, shareText } from "../_kit/format.js";
import { plot, svgElement } from "../_kit/plot.js";

const small = (error) => error.toFixed(3).replace(/^0/, "");
const twoDigits = (share) => share.toFixed(2).replace(/^0/, "");
const rowsOf = (pixels, width) => Array.from({ length: pixels.length / width }, (_, i) => Array.from(pixels.slice(i * width, (i + 1) * width)));
const inked = (rows) => rows.map((row) => row.map((shade) => Math.max(0, shade))); // paper is never whiter than white

const APART = 22; // pixels between labels: more of them would be a thicket
const SHADES = 6; // of the small pictures in the plane
const [FAINT, PULL, TOLD] = [0.005, 26, 4]; // of weights: the least that is drawn, pixels for one, how many are written
const [LEAST, MOST] = [11, 38]; // pixels that a small picture may be wide

// Half the width of the codes' pictures, the same for all of a codebook: three in four end before the next one.
function halves(p, codes) {
  const at = codes.map(([x, y]) => [p.x(x), p.y(y)]);
  const room = at.map(([a, b], k) => Math.min(...at.map(([x, y], j) => (j === k ? Infinity : Math.max(Math.abs(x - a), Math.abs(y - b)))))).sort((a, b) => a - b);
  return codes.map(() => Math.max(LEAST, Math.min(MOST, 0.92 * room[Math.floor(room.length / 4)])) / 2);
}

// What the decoder draws of each code, small, where the code is: one path for each shade, however many codes.
function pictures(p, width) {
  const group = p.svg.querySelectorAll(":scope > g")[2].appendChild(svgElement("g", { class: "ra-codes" }));
  const place = (k) => (({ x, y, half }) => ({ x: x - half, y: y - half, width: 2 * half, height: 2 * half }))(boxes[k]);
  const lines = group.parentNode.insertBefore(svgElement("g", { class: "ra-pulls" }), group);
  let [boxes, rims, papers] = [[], [], []];
  const shades = Array.from({ length: SHADES }, (_, k) => svgElement("path", { "fill-opacity": (k + 1) / SHADES }));
  const build = (codes, drawn, half, most) => {
    boxes = codes.map(([x, y], k) => ({ x: p.x(x), y: p.y(y), half: half[k] }));
    papers = boxes.map((_, k) => svgElement("rect", { class: "ra-paper", ...place(k) }));
    rims = boxes.map((_, k) => svgElement("rect", { class: "ra-rim", ...place(k) }));
    const ways = Array(SHADES).fill("");
    drawn.forEach((pixels, k) => {
      const { x, y, half } = boxes[k];
      const [wide, high] = [(2 * half) / width, (2 * half) / (pixels.length / width)];
      pixels.forEach((shade, i) => {
        const level = Math.min(SHADES, Math.round((SHADES * shade) / most)) - 1;
        if (level < 0) return;
        const [left, top] = [x - half + (i % width) * wide, y - half + Math.floor(i / width) * high];
        ways[level] += `M${left.toFixed(1)},${top.toFixed(1)}h${wide.toFixed(1)}v${high.toFixed(1)}h${(-wide).toFixed(1)}z`;
      });
    });
    shades.forEach((path, k) => path.setAttribute("d", ways[k]));
    group.replaceChildren(...papers, ...shades, ...rims);
  };
  // A choice frames its code; an average draws a line to every code that counts, as wide as its weight.
  const weigh = (weights, codes, [a, b], soft) => {
    rims.forEach((rim, k) => rim.setAttribute("stroke-width", !soft && weights[k] ? "4.2" : "0.8"));
    const pulls = soft ? [...weights.keys()].filter((k) => weights[k] > FAINT) : [];
    lines.replaceChildren(
      ...pulls.map((k) => {
        const [x, y] = codes[k];
        const ends = { x1: p.x(a), y1: p.y(b), x2: p.x(x), y2: p.y(y) };
        return svgElement("line", { ...ends, style: `stroke-width: ${(PULL * weights[k]).toFixed(2)}px` });
      }),
    );
  };
  return { build, weigh };
}

// Which images are labelled: those that touch no code and no label before.
function written(p, xs, ys, codes, half) {
  const taken = codes.map(([x, y], k) => [p.x(x), p.y(y), half[k] + 9 * p.size.unit]);
  return xs.map((value, i) => {
    const [x, y] = [p.x(value), p.y(ys[i])];
    const free = taken.every(([left, top, room]) => Math.max(Math.abs(left - x), Math.abs(top - y)) >= room);
    if (free) taken.push([x, y, APART * p.size.unit]);
    return free;
  });
}

function planePanel({ latents, labels, low, high, images, most, codebooks }, shown) {
  const [xs, ys] = [0, 1].map((axis) => latents.map((point) => point[axis]));
  const sides = [0, 1].map((axis) => [low[axis], high[axis]]);
  const slope = (high[1] - low[1]) / (high[0] - low[0]);
  const inside = (value, axis) => Math.max(low[axis], Math.min(high[axis], value));
  return {
    title: "The latent plane: drag the diamond",
    beside: true,
    legend: [
      ["query", "diamond", "your point"],
      ["query", "hollow", "the image sent: nearest to it"],
      ["key", "square", "codes (press one)"],
      ["neutral", "dot", "images"],
      ["truth", "line", "what the decoder is told"],
      ["key", "hollow", "sent as the same code"],
    ],
    plot: { label: "Images and codes in the latent plane", xLabel: "first latent number", yLabel: "second latent number", height: (width) => Math.max(220, Math.min(440, 72 + slope * (width - 58))) }, // prettier-ignore
    by: "xy",
    at: (k, { codes }) => codes[k],
    handle: { at: ({ point }) => point, to: (x, y) => ({ across: inside(x, 0), upwards: inside(y, 1) }) },
    make(p) {
      const [dots, members] = [p.dots("neutral"), p.dots("key", { hollow: true })];
      const notes = labels.map((label) => [p.note("neutral", "middle"), label]);
      const codes = pictures(p, images[0][0].length);
      const [way, told, sent, point] = [p.line("truth"), p.marker("truth", "dot"), p.marker("query", "ring"), p.marker("query")];
      const shares = Array.from({ length: TOLD }, () => p.note("key", "middle"));
      let [drawn, spelled, halvesNow] = ["", [], []];
      return (state) => {
        shown.state = state;
        for (let k = 0; k < 2; k++) {
          const even = p.evenDomain(...sides); // nearest is by distance; the first makes room for numbers
          p.frame({ ...even, xTicks: numberTicks(...even.x, 7), yTicks: numberTicks(...even.y, 7) });
        }
        const frame = `${p.size.width} ${p.margin.left} ${p.domain().x} ${p.domain().y} ${state.book} ${state.rounds}`;
        if (drawn !== frame) {
          const half = halves(p, codebooks[state.book]);
          halvesNow = half;
          codes.build(state.codes, state.pictured, half, most);
          spelled = written(p, xs, ys, state.codes, half);
          notes.forEach(([note, label], i) => note(spelled[i] ? label : "", xs[i], ys[i], { dy: 4 }));
        }
        drawn = frame; // while the point moves, the images stand still
        const nearest = new Set(state.assignment === "hard" ? state.members : []); // else nobody is sent as a code
        dots(xs, ys, 1.5, (i) => !spelled[i] && !nearest.has(i));
        members(xs, ys, (i) => (spelled[i] ? 8 : 2), (i) => nearest.has(i)); // prettier-ignore
        p.svg.closest("[data-panel]").querySelector(".ra-legend > :last-child").style.visibility = nearest.size ? "" : "hidden"; // its room stays
        way([state.point[0], state.told[0]], [state.point[1], state.told[1]]);
        const soft = state.assignment === "soft";
        codes.weigh(state.weights, state.codes, state.point, soft);
        const heaviest = soft ? [...state.weights.keys()].sort((i, j) => state.weights[j] - state.weights[i]) : [];
        shares.forEach((share, n) => {
          const k = heaviest[n] ?? 0;
          const named = soft && state.weights[k] > 1.5 / state.codes.length;
          share(named ? twoDigits(state.weights[k]) : "", ...state.codes[k], { dy: state.told[1] > state.codes[k][1] ? halvesNow[k] + 12 : -halvesNow[k] - 3 }); // away from what is told
        });
        told(...state.told);
        sent(...latents[state.sent]);
        point(...state.point);
      };
    },
  };
}

const ORIGINS = { hard: "drawn at the code", soft: "drawn at the average", none: "drawn at your point" };
const given = ({ rounds }) => rounds.length - 1;
const chosen = (problem, book, rounds = given(problem)) => errorOf(problem, { book, rounds, assignment: "hard" });

// What was sent in a setting.
function settingWords(problem, { book, assignment, rounds, temperature }) {
  if (assignment === "none") return "the point itself";
  const list = `${problem.codebooks[book].length} codes${rounds < given(problem) ? `, round ${rounds}` : ""}`;
  return assignment === "soft" ? `average of ${list}, T = ${formatNumber(temperature, 2)}` : list;
}

// Error and reading of all images for every setting that was shown, whose rounds of k-means join to a
// line; for an average the error over the temperature. The axis of the error is the same in both.
function tracePlots(host, problem, view) {
  const { images, codebooks, plain, on } = problem;
  const point = errorOf(problem, { book: 0, rounds: given(problem), assignment: "none" });
  const all = [...codebooks.map((_, book) => chosen(problem, book)), point];
  const errors = [plain, ...all.map(({ error }) => error)];
  const span = [0.9 * Math.min(...errors), 1.25 * Math.max(...errors)];
  const top = Math.min(images.length, 1.25 * Math.max(1, ...all.map(({ right }) => right)));
  const made = (options) => plot(host.appendChild(element("div", { class: "ra-trace" })), { height: 148, ...options });
  const within = (error) => Math.max(span[0], Math.min(span[1], error));
  const words = [`error of all ${images.length}`, "read right"];
  const tried = made({ label: "Error of all images and how many are read right, for every setting tried", xLabel: words[0], yLabel: `${words[1]}, in all that you have tried` });
  const cooled = made({ label: "Error of all images over the temperature", xLabel: "temperature T", yLabel: words[0] });
  const [mean, walks, dots] = [tried.marker("neutral", "upright"), tried.chains("key", 1.5), tried.dots("neutral")];
  const notes = [...all, plain].map((_, k) => tried.note("neutral", k === all.length ? "start" : "middle"));
  const here = tried.marker("key", "dot");
  const [level, curve, least, now] = [cooled.marker("neutral", "level"), cooled.line("key"), cooled.dots("truth", { hollow: true }), cooled.marker("key", "dot")];
  const [lowest, one] = [cooled.note("truth", "middle"), cooled.note("neutral")];
  const at = ({ error, right }) => [within(error), Math.min(top, right)];
  // Every dot says what was tried there.
  const known = () => [...on.trail.values()];
  const pointer = cursor(tried, {
    count: () => on.trail.size,
    at: (k) => at(known()[k]),
    text: (k) => `${settingWords(problem, known()[k])}\n${overall(known()[k], Infinity)}`,
    moved: (k) => pointer.show(k),
    start: () => on.trail.size - 1,
    signal: view.signal,
  });
  const asGiven = (each) => each.assignment === "hard" && each.rounds === given(problem);

  function drawTried(state) {
    const trail = known();
    const places = trail.map(at);
    tried.frame({ x: span, y: [0, top] });
    mean(plain);
    const learned = (k) => trail.filter((each) => each.book === k && each.assignment === "hard" && !asGiven(each)).sort((a, b) => a.rounds - b.rounds);
    walks(codebooks.map((_, k) => learned(k).map(at)));
    dots(places.map(([x]) => x), places.map(([, y]) => y), 2.5); // prettier-ignore
    all.forEach((own, k) => {
      const size = codebooks[k]?.length;
      const shown = trail.some((each) => (size ? each.book === k && asGiven(each) : each.assignment === "none"));
      notes[k](shown ? String(size ?? "point") : "", ...at(own), k === codebooks.length - 1 ? { dy: -8 } : { dx: size ? 10 : -4, dy: size ? 14 : 18 });
    });
    notes.at(-1)("one mean image", plain, top, { dx: 5, dy: 10 });
    here(...at(state));
    pointer.redraw();
  }

  function drawCooled(state) {
    const found = cooling(problem, state);
    const ends = [found.powers[0], found.powers.at(-1)];
    cooled.frame({ x: ends, y: span, xTicks: [-3, -1, 0, 1, 3].map((power) => ({ at: power, text: String(10 ** power) })) });
    level(0, plain);
    curve(found.powers, found.errors.map(within));
    least([found.at], [within(found.least)], 5);
    lowest(`least ${small(found.least)}`, found.at, within(found.least), { dy: -12 });
    one("one mean image", ends[0], plain, { dx: 4, dy: -5 });
    now(Math.max(ends[0], Math.min(ends[1], Math.log10(state.temperature))), within(state.error));
  }

  return (state) => {
    const { key, error, right, book, assignment, rounds, temperature } = state;
    on.trail.set(key, { error, right, book, assignment, rounds, temperature });
    const soft = assignment === "soft";
    [tried, cooled].forEach((each, k) => (each.host.hidden = soft !== Boolean(k)));
    if ((soft ? cooled : tried).measure()) (soft ? drawCooled : drawTried)(state);
  };
}

const tracePanel = (problem, view) => ({ title: `All ${problem.images.length} images`, beside: true, make: (host) => tracePlots(host, problem, view) });

// What is sent beside what arrives, how far apart they are on a scale that stays, and how many the judge reads right.
function drawnPanel(problem) {
  const { images, labels, most, plain, judge } = problem;
  const width = images[0][0].length;
  const rows = [
    ["query", "these two pictures", ({ apart }) => apart],
    ["key", `all ${images.length} images`, ({ error }) => error],
    ["neutral", "one mean image", () => plain],
  ];
  return {
    title: "Sent, and what arrives",
    make(host) {
      const two = host.appendChild(element("div", { class: "ra-two" }));
      const [left, right] = ["Sent image", "Drawn image"].map((label) => {
        const box = two.appendChild(element("div"));
        const draw = cellPicture(box, label);
        const below = box.appendChild(element("p"));
        const words = below.appendChild(element("span", {}, "arrives"));
        return { draw, words, note: below.appendChild(element("small", {}, "nearest to your point")) };
      });
      const list = host.appendChild(element("div", { class: "ra-errors" }));
      list.append(element("p", {}, "squared error per pixel"));
      const line = ([role, words, of], into = list, kind = "ra-error-number") => {
        const bar = element("span", { class: `ra-error ra-${role}`, "aria-hidden": "true" });
        const number = element("span", { class: kind });
        into.append(element("div", {}, element("span", {}, words), element("span", { class: "ra-track" }, bar), number));
        return { bar, number, of };
      };
      const lines = rows.map((row) => line(row));
      let readRight = null;
      if (judge) {
        list.append(element("p", { class: "ra-judged" }, "read right by the judge"));
        readRight = line(["truth", `of all ${images.length} images`, ({ right }) => right], list, "ra-read-number");
        readRight.bar.parentElement.classList.add("ra-whole");
      }
      return (state) => {
        right.note.textContent = ORIGINS[state.assignment];
        left.draw(images[state.sent], most);
        right.draw(inked(rowsOf(state.drawn, width)), most);
        const label = labels[state.sent];
        left.words.textContent = label === "·" ? "sent" : `sent: ${isolate(label)}`;
        if (judge) {
          right.words.textContent = `arrives, read as ${isolate(state.reads)}`;
          readRight.bar.style.width = `${((100 * state.right) / images.length).toFixed(1)}%`;
          readRight.number.textContent = String(state.right);
        }
        for (const { bar, number, of } of lines) {
          bar.style.width = `${Math.min(100, (50 * of(state)) / Math.max(1e-12, plain)).toFixed(1)}%`; // the mean image is in the middle
          number.textContent = of(state).toFixed(3);
        }
      };
    },
  };
}

// The images that are sent as the code nearest to the point, those closest to it first.
function membersPanel({ images, labels, most, shown }) {
  return {
    title: "Images nearest to the same code",
    make(host) {
      const row = host.appendChild(element("div", { class: "ra-unit-row ra-few" }));
      const places = Array.from({ length: Math.min(shown, images.length) }, (_, k) => {
        const box = row.appendChild(element("div"));
        return { box, draw: cellPicture(box, `Image ${k + 1}`) };
      });
      const none = host.appendChild(element("p", {}, "No image is nearest to this code: it is dead."));
      let before = "";
      return ({ members }) => {
        const now = members.slice(0, shown).join();
        none.hidden = members.length > 0;
        if (now === before) return;
        before = now;
        places.forEach(({ box, draw }, k) => {
          box.hidden = k >= members.length;
          box.title = box.hidden ? "" : labels[members[k]];
          if (!box.hidden) draw(images[members[k]], most);
        });
      };
    },
  };
}

function commonest(members, labels) {
  const counts = new Map();
  for (const i of members) counts.set(labels[i], (counts.get(labels[i]) ?? 0) + 1);
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best), ["", 0]);
}

// What all images tell of a setting: their error, beside that of one mean image where it is larger, and the reading.
function overall({ error, right }, plain) {
  const worse = error > plain ? `, more than one mean image (${small(plain)})` : "";
  return `error ${small(error)}${worse}${right === null ? "" : `, ${right} read right`}`;
}

// The list that the last round leaves, beside the one as given, which k-means found from another start.
function otherList({ error, right }, other) {
  if (right === null) return "";
  const [more, same] = [right - other.right, small(error) === small(other.error)];
  const read = more ? `${Math.abs(more)} ${more > 0 ? "more" : "fewer"}` : "as many";
  return ` Another start, another list: ${same ? "as little error" : `error ${small(error)} for ${small(other.error)}`}, ${read} read right.`;
}

// What a round of k-means did.
function learning({ rounds, codes, moved, spread, before, book, ...found }, problem) {
  const away = `Squared distance to the nearest code: ${before === null ? "" : `${small(before)} → `}${small(spread)}`;
  const first = `The codes begin on the first ${codes.length} images.`;
  const ended = rounds === given(problem) - 1;
  const next = `Round ${rounds}: ${ended ? "" : "each code moved to the mean of its images; "}${moved || "no"} image${moved === 1 ? "" : "s"} ${ended ? "" : "then "}changed code.`;
  return `${rounds ? next : first} ${away}; ${overall(found, problem.plain)}.${ended ? otherList(found, chosen(problem, book)) : ""}`;
}

function told(state, problem) {
  const { assignment, weights, codes, members, rounds, error, right, book } = state;
  const { labels, latents, codebooks, plain } = problem;
  if (assignment === "none") {
    const choices = codebooks.map((_, k) => ({ ...chosen(problem, k), size: codebooks[k].length }));
    const best = choices.reduce((a, b) => (b.right > a.right ? b : a));
    const least = choices.every((each) => each.error > error) ? ", the least" : "";
    const fewer = right === null ? "" : right < best.right ? `; yet ${right} are read right, fewer than with ${best.size} codes (${best.right})` : `, and ${right} are read right`;
    return ["", `No code: error ${small(error)}${least}${fewer}. The drawing is of your point, not of the image in the ring.`];
  }
  if (assignment === "hard") {
    if (rounds < given(problem)) return ["", learning(state, problem)];
    const [label, count] = commonest(members, labels);
    const most = label === "·" ? "" : `, ${count} of them labelled ${isolate(label)}`;
    const cell = members.length ? `stands for ${members.length} of ${latents.length} images${most}` : "stands for no image";
    return ["", `The nearest code ${cell}. ${codes.length} codes, all images: ${overall(state, plain)}.`];
  }
  const top = Math.max(...weights);
  const { least, at } = cooling(problem, state);
  const own = `An average of ${codes.length} codes; the nearest has ${top > 0.9995 ? "all" : shareText(top)} of the weight`;
  const best = `least ${small(least)}, near T = ${formatNumber(10 ** at, 2)}`;
  if (top < 1.2 / codes.length) return ["", `${own}, hardly more than any other: wherever you drag, the same is drawn. All images: ${overall(state, plain)}.`];
  if (top > 0.99) return ["", `${own}: the average has become the choice. All images: ${overall(state, plain)}; ${best}.`];
  return ["", `${own}. All images: ${overall(state, plain)}; ${best}. A choice has ${small(chosen(problem, book, rounds).error)}.`];
}

const render = explorer({
  name: "CodebookExplorer",
  longest: 190,
  prepare: (data) => ({ ...codebookProblem(data), on: { state: null, trail: new Map() } }),
  compute: codebookState,
  ended: ({ rounds }, problem) => rounds === given(problem) - 1, // the last place is no round
  panels: (problem, view) => ({ drawn: drawnPanel(problem), plane: planePanel(problem, problem.on), trace: tracePanel(problem, view), members: membersPanel(problem) }),
  hint: () => "; arrow keys read the codes, Enter puts the point on one",
  cursor: ({ on }) => ({
    count: ({ codes }) => codes.length,
    text: (k, { codes, nearest }) => `code ${k + 1} of ${codes.length}: nearest to ${nearest.filter((own) => own === k).length} images`,
    pick: (k) => ({ across: on.state.codes[k][0], upwards: on.state.codes[k][1] }),
    start: ({ code }) => code,
  }),
  numbers: () => [
    ["bits", "bits for an image", ({ codes, assignment }) => (assignment === "hard" ? formatNumber(Math.log2(codes.length), 3) : "not counted")],
    ["live", "codes nearest to one of these images", ({ live, codes }) => `${live} of ${codes.length}`],
  ],
  say: told,
  result: ({ weights, told, drawn, spread, code, members, error, live, sent, apart, plain, reads, right }) => ({
    weights: Array.from(weights),
    told: Array.from(told),
    drawn: Array.from(drawn),
    spread,
    code: code + 1,
    members: members.length,
    error,
    live,
    sent: sent + 1,
    apart,
    plain,
    reads,
    right,
  }),
});

export default { render };
