// What a TrainingExplorer shows: the loss on its way down, what the model writes, and where one head looks.
import { element } from "../_kit/controls.js";
import { formatNumber, isolate, shareText } from "../_kit/format.js";
import { numberTable } from "../_kit/tables.js";
import { expectsTable } from "./expects.js";
import { lowestOf } from "./keeper.js";

const LATEST = 2; // samples of a grammar, below the first ones and the first without a fault
const EARLY = 200; // steps up to which they all stay: there the words that are struck out move to the right
const MILESTONES = [50, 0]; // steps of which a sample of a text stays, above the latest
const PAST = 5; // losses since the lowest one, from which it is marked
const LEAST = 0.05; // of the axis above the levels, where they are one
const [ROOM, TOUCHING] = [12, 4]; // pixels: what a name takes, and as near as one line
const ENDS = [100, 200, 400, 800]; // of the axis of steps, as far as a training has come

// Where the axis ends: at the largest loss until it is near the levels, then a little above them. A loss on a text may
// rise again, and the axis with it; below the third level from above only the lower ones are of interest.
function topOf(levels, losses, loss, twice) {
  const sorted = [...levels].sort((a, b) => b - a);
  const most = twice && loss < sorted[2] ? sorted[2] : sorted[0];
  const near = most + Math.max(LEAST, (twice ? 0.15 : 1.1) * (most - sorted.at(-1)));
  return loss > near ? Math.max(near, loss, ...losses) : near;
}

// The curve from where it comes below the top: what is above is left out, and not drawn along the edge.
function entering(points, top) {
  const from = points.findIndex(([, y]) => y <= top);
  if (from < 1) return from < 0 ? [] : points;
  const [[x0, y0], [x1, y1]] = [points[from - 1], points[from]];
  return [[x1 - ((x1 - x0) * (top - y1)) / (y0 - y1), top], ...points.slice(from)];
}

const orderOf = ([name]) => parseInt(name, 10);

// The name of some n-grams together: 3- to 5-gram, 2- and 4-gram.
export function gramsOf(rungs) {
  if (rungs.length < 2) return rungs[0][0];
  const orders = rungs.map(orderOf).sort((a, b) => a - b);
  const [first, last] = [orders[0], orders.at(-1)];
  if (last - first === orders.length - 1 && orders.length > 2) return `${first}- to ${last}-gram`;
  return `${orders.slice(0, -1).map((order) => `${order}-`).join(", ")} and ${last}-gram`;
}

// Levels in groups that have one name together, from above. In the plot a name stands above its line, and the
// lowest below it, which takes less room.
function named(rungs, height, last = TOUCHING) {
  const groups = [];
  const sorted = [...rungs].sort((a, b) => b[1] - a[1]);
  sorted.forEach((rung, k) => {
    const room = k === sorted.length - 1 ? last : ROOM;
    const near = groups.length && height(rung[1]) - height(groups.at(-1).at(-1)[1]) < room;
    if (near && orderOf(rung)) groups.at(-1).push(rung);
    else groups.push([rung]);
  });
  return groups;
}

const askedOf = ({ asked, words }) => asked.slice(1).map((token) => words[token]).join(" ");

// `text`: of a text the button back to the lowest loss, what draws the part held out, and the figure.
export function lossPanel({ data, units }, text) {
  const { steps, every } = data;
  const twice = data.kind === "text"; // what is learned comes again and again
  return {
    title: twice ? "Loss on the part held out, and on what it reads" : "Loss on held-out sentences",
    legend: [["train", "line", twice ? "held out" : "the model"], ...(twice ? [["neutral", "line", "what it reads"]] : []), ["truth", twice ? "dotted" : "line", twice ? "counting" : "what can be had"], ...(twice ? [] : [["prediction", "line", `all men after “${askedOf(data)} …”, 0 to 1`]])],
    plot: { label: "Loss after each step", xLabel: "step", yLabel: units, height: twice ? 300 : 270 },
    at: (k, { all }) => [k * every, all.losses[k]],
    by: "x",
    make(p) {
      const [read, line, here] = [p.line("neutral"), p.line("train"), p.marker("train", "dot")];
      const [share, shareNow] = twice ? [] : [p.line("prediction"), p.note("prediction", "end")];
      const ahead = twice ? [p.line("neutral", { dashed: true }), p.line("train", { dashed: true })] : [];
      let ringed = null; // on the lowest loss, above all lines
      if (text) p.host.after(text.back);
      const lines = [];
      const clear = () => {
        p.frame({ x: [0, ENDS[0]], y: [0, 8] });
        for (const [level, name] of lines) name("", level([], []) ?? 0, 0);
        for (const curve of [read, line, ...ahead]) curve([], []);
        if (ringed) ringed.slice(1).forEach((words) => words("", 0, 0));
        ringed?.[0]();
        here();
      };
      return (state) => {
        const { losses, learnt, onMen, step, loss, rungs, all } = state;
        text?.outside(state);
        if (loss === null) return clear();
        const levels = rungs.map(([, level]) => level);
        const top = topOf(levels, all.losses, step === all.step ? loss : all.losses.at(-1), twice);
        const least = Math.min(...levels, loss, ...all.learnt);
        const end = ENDS.find((each) => all.step <= each && each < steps) ?? steps;
        const foot = least - 0.09 * (top - least);
        const inner = (p.size.height - p.margin.top - p.margin.bottom) / p.size.unit;
        const groups = named(rungs.filter(([, level]) => level <= top), (level) => (inner * (top - level)) / (top - foot), twice ? ROOM : TOUCHING);
        // names of counting on a text stand right of the axis, which makes room for them and stays
        if (twice) p.margin.right = Math.max(p.margin.right, (6.4 * Math.max(...groups.map((group) => gramsOf(group).length)) + 8) * p.size.unit);
        p.frame({ x: [0, end], y: [foot, top] }); // the lowest name stands below its line
        while (lines.length < rungs.length) lines.push([p.line("truth", { dotted: rungs[lines.length][0] !== "floor" }), p.note("truth", twice ? "start" : "end")]);
        rungs.forEach(([, level], k) => {
          const seen = level <= top;
          lines[k][0](seen ? [0, end] : [], seen ? [level, level] : []);
        });
        lines.forEach(([, name], k) => {
          const [group, lowest] = [groups[k], k === groups.length - 1];
          if (group && twice) name(gramsOf(group), end, (group[0][1] + group.at(-1)[1]) / 2, { dx: 6, dy: 4 });
          else if (group) name(gramsOf(group), end, group.at(lowest ? -1 : 0)[1], { dx: -2, dy: lowest ? 13 : -4 });
          else name("", 0, foot);
        });
        const draw = (curve, values, now = [], from = 0) => {
          const seen = entering([...values.map((value, k) => [(from + k) * every, value]), ...now], top);
          curve(seen.map(([x]) => x), seen.map(([, y]) => Math.min(y, top)));
        };
        draw(read, learnt);
        draw(line, losses, step % every ? [[step, loss]] : []);
        here(step, Math.min(loss, top));
        if (twice) {
          const from = losses.length - 1; // what is known of the steps after this one stays, dashed
          [all.learnt, all.losses].forEach((values, k) => draw(ahead[k], values.slice(from), [], from));
          const best = lowestOf(all.losses);
          const [low, past] = [all.losses[best], all.losses.length - best > PAST];
          ringed ??= [p.marker("train", "ring"), p.note("train", "start"), p.note("train", "end")];
          const [ring, ...names] = ringed;
          ring(past ? best * every : null, low);
          names.forEach((words, k) => words(past && (best * every > end / 2) === (k === 1) ? `lowest, step ${best * every}` : "", best * every, low, { dx: k ? 6 : -6, dy: 22 }));
          text?.root.setAttribute("data-evidence", `lowest at step ${best * every}, ${formatNumber(low)}; ${formatNumber(loss)} at step ${step}`);
          return;
        }
        const height = (value) => foot + value * (top - foot);
        share(onMen.map((_, k) => k * every), onMen.map(height));
        const [last, at] = [onMen.at(-1), (onMen.length - 1) * every];
        shareNow(at < 0.12 * end ? "" : `men ${shareText(last)}`, at, height(last), { dx: -2, dy: last > 0.5 ? 14 : -4 });
      };
    },
  }; // prettier-ignore
}

// The first sample with the longest piece from the text. What is known of a sample is kept, by what it says.
const pieces = new Map();
function longest(samples, task) {
  const size = ({ tokens }) => {
    const key = task.written(tokens);
    if (pieces.get(key)?.[0] !== task) pieces.set(key, [task, task.copied(tokens)[1]]);
    return pieces.get(key)[1];
  };
  return samples.reduce((best, sample) => (size(sample) > size(best) ? sample : best));
}

// The samples that are listed: some stay, so that a reader can compare, and the latest.
function listed(samples, task, told, own) {
  const latest = samples.slice(told ? -LATEST : -1);
  const faultless = samples.find(({ tokens }) => task.lawful(tokens.slice(1)) === tokens.length - 1);
  const kept = told ? [...samples.filter(({ step }) => step <= EARLY), faultless] : [own ? null : MILESTONES.map((early) => samples.find(({ step }) => step === early)).find(Boolean), longest(samples, task)];
  const all = [...kept.filter((sample) => sample && !latest.includes(sample)), ...latest].filter((sample, k, all) => all.indexOf(sample) === k);
  return all.sort((a, b) => a.step - b.step);
}

// What cannot be read of a beginning, in words.
function leftOut({ lost, more, room }) {
  const [names, are, them] = [lost.map((char) => `“${char}”`).join(", "), ...(lost.length > 1 ? ["are", "they are"] : ["is", "it is"])];
  return [lost.length ? `${names} ${are} not in the text: ${them} left out.` : "", more ? `It reads the last ${room} bytes of this.` : ""].filter(Boolean).join(" ");
}

// `rows`: how a byte is taken, and the beginning of one's own.
export function samplesPanel({ data }, rows) {
  const told = data.kind !== "text"; // whether there is a grammar to ask
  return {
    title: told
      ? "What it writes; the first word that the grammar cannot write there is struck out"
      : "What it expects and writes (underlined: copied)",
    beside: true,
    make(host) {
      const [writes, beginning] = rows;
      if (beginning) host.append(beginning);
      const line = beginning?.appendChild(element("span", { class: "ra-lacks", role: "status" }));
      const expects = told ? () => {} : expectsTable(host, data.orders.at(-1));
      if (writes) host.append(writes);
      const list = host.appendChild(element("ul", { class: "ra-history", dir: "auto", style: "overflow-wrap: anywhere" }));
      let shown = "";
      return ({ samples, task, begun, next, counted }) => {
        expects(next, counted, task?.bytes);
        const words = begun && !told ? leftOut(begun) : "";
        if (line && line.textContent !== words) line.textContent = words;
        const own = samples.filter(({ given }) => given);
        const some = samples.length ? [...own, ...listed(samples.slice(0, samples.length - own.length), task, told, own.length)] : [];
        const key = JSON.stringify(some);
        if (key === shown) return;
        shown = key;
        list.replaceChildren(...some.map((sample) => sampleLine(sample, task, data.given)));
      };
    },
  };
}

// `given` is how many bytes of a text it was given; of a grammar nothing is.
function sampleLine({ step, tokens, given: own }, task, first) {
  const given = own ?? first;
  const line = element("li", {}, element("strong", {}, `step ${step}: `));
  const [words, lawful] = [task.wordsOf(tokens.slice(1)), task.lawful(tokens.slice(1))];
  if (given) {
    const [at, size] = task.copied(tokens, given);
    const piece = (from, to) => task.written(tokens.slice(from, to));
    line.append(element("span", { style: "color: var(--ra-soft)" }, piece(0, given)), piece(given, at), element("u", { title: `${size} bytes in a row stand in the text` }, piece(at, at + size)), piece(at + size));
  } else if (lawful === words.length) line.append(isolate(task.written(tokens)));
  else {
    const wrong = element("s", { class: "ra-lost", title: "the grammar cannot write this word here" }, words[lawful]);
    line.append(words.slice(0, lawful).join(" "), " ", wrong, ` ${words.slice(lawful + 1).join(" ")}`);
  }
  return line;
}

const weightText = (weight) => (!(weight >= 0.005) ? "" : weight > 0.995 ? "1" : weight.toFixed(2).slice(1));

export function mapPanel(view, { data }) {
  const title = "One head's weights: rows look, columns are looked at; hatched cells are masked";
  return {
    title,
    wide: true,
    make(host) {
      const said = host.parentElement.querySelector(".ra-title");
      const draw = numberTable(host, { label: title, hint: "The table scrolls sideways.", signal: view.signal });
      return ({ words, map }) => {
        if (!map.length) return draw(null);
        const place = view.model.get("head") - 1;
        const which = `Layer ${Math.floor(place / data.n_heads) + 1}, head ${(place % data.n_heads) + 1}`;
        said.textContent = title.replace("One head's weights", which);
        const cells = map.map((row, i) => row.map((weight, j) => (j <= i ? weight : NaN)));
        draw(words, words, cells, { text: weightText, most: 1, marked: (i, j) => (j > i ? "ra-masked" : "") });
      };
    },
  };
}
