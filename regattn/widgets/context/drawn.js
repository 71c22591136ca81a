// A task of the step that comes: what Ω is told, and what is left of it where it meets the rows.
const SPREAD = 2.2; // standard deviations of an outcome: how far the axes reach
const REST = 0.01; // of the reach of the sums: this task moves Ω no more
const written = (value) => (Math.abs(value) < 0.005 ? "0.00" : value.toFixed(Math.abs(value) < 9.95 ? 1 : 0).replace("-", value > -0.05 ? "" : "−"));

// Sums are as large as they are at the start, on average: those of the targets themselves.
function reaches({ settings, n }) {
  const { dimension, noise, design } = settings;
  const [spread, rows] = [Math.sqrt(dimension + noise ** 2), design === "fixed" ? n : 8];
  return [SPREAD * spread, 1.5 * (rows + Math.sqrt(rows) * noise)];
}

// In words: whether this task has anything left to say to Ω, and where it has, whether that is chance.
function restWords({ settings, gap, shrunk, drawn, single, averaged }, most) {
  if (!single || averaged) return "";
  const rests = drawn.sums.every((sum) => Math.abs(sum) < REST * most);
  if (settings.target === "noisy" && gap < REST && rests) return settings.noise > 0 ? "Dots stay off the line, and the sums are zero: no such task moves Ω." : "";
  if (settings.target === "clean" && shrunk < 3 * REST && settings.noise > 0) return "No task is at rest; over many, the sums times X′y cancel.";
  return "These sums, times X′y, move Ω.";
}

export function drawnPanel(view) {
  return {
    title: "A task of this step",
    beside: !view.hides("omega"),
    legend: [["key", "dot", "a row"], ["neutral", "line", "answer = target"]],
    plot: [
      { label: "Targets of one task against its answers", xLabel: "answer", yLabel: "target", height: 146 },
      { label: "Sums over the rows of x times target minus answer", xLabel: "X′(target − answer)", height: 146 },
    ],
    make(p, sums) {
      const [even, rows, bars] = [p.line("neutral"), p.dots("key"), sums.signedBars()];
      const words = p.host.parentNode.appendChild(document.createElement("p"));
      words.className = "ra-below";
      return (state) => {
        const { answers, targets, sums: left } = state.drawn;
        const [far, most] = reaches(state);
        const within = (value) => Math.max(-far, Math.min(far, value));
        const ticks = [-1, 0, 1].map((side) => Number((side * far * 0.7).toPrecision(1))).map((at) => ({ at, text: String(at).replace("-", "−") }));
        p.frame({ x: [-far, far], y: [-far, far], yTicks: ticks, xTicks: ticks });
        even([-far, far], [-far, far]);
        rows(answers.map(within), targets.map(within), 3.5);
        sums.frame({ x: [-0.7, left.length - 0.3], y: [-most, most], yTicks: [{ at: 0, text: "0" }], xTicks: left.map((sum, at) => ({ at, text: written(sum) })) });
        bars(left.map((sum) => Math.max(-most, Math.min(most, sum))));
        const said = restWords(state, most);
        if (words.textContent !== said) words.textContent = said;
      };
    },
  };
}
