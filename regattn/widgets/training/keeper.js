// What a page keeps of a training: the last state, by whom ever it was taken there, and what is asked of it.
import { countedBits, countedNext } from "./counting.js";
import { taskOf } from "./serve.js";
import { makeTrainer } from "./walk.js";

export const lowestOf = (losses) => losses.indexOf(Math.min(...losses));
export const bytesIn = (text) => new TextEncoder().encode(text).length;

// The states that are known, and the one trainer of the page, for whatever is asked at once.
export function keeperOf(data) {
  let [key, settings, text, task, trainer, rungs, counted] = ["", null, null, null, null, null, null];
  let [first, kept, far, near] = [null, null, null, null]; // far: the furthest; near: the last one before the lowest loss
  const textOf = ({ own }) => (data.kind === "text" ? own : "");
  function open(given) {
    const asked = JSON.stringify([given.own, given.learning_rate, given.seed]); // in one order, whoever asks
    if (asked === key) return;
    const wanted = textOf(given);
    if (wanted !== text) {
      [text, task] = [wanted, taskOf(data, wanted)];
      trainer = makeTrainer(task, data);
      const bits = data.kind === "text" ? countedBits(task.counted, data.orders) : null;
      counted = bits && countedNext(task.counted, data.orders.at(-1));
      rungs = bits ? bits.map((level, k) => [`${data.orders[k]}-gram`, level]) : data.rungs;
    }
    [key, settings] = [asked, given];
    first = kept = far = near = trainer.begin(settings);
  }
  const latest = (states, step) => states.filter((state) => state.step <= step).reduce((a, b) => (b.step < a.step ? a : b));
  function take(state) {
    if (state.step >= far.step) far = state;
    near = latest([first, near, kept, state], lowestOf(far.losses) * data.every);
    kept = state;
  }
  return {
    textOf,
    tooShort: ({ own }) => data.kind === "text" && bytesIn(own) < data.least,
    known(given) {
      open(given);
      return { task, rungs };
    },
    keep(state, given) {
      open(given);
      take(state);
    },
    stateAt(step, given) {
      open(given);
      if (step === 0) kept = far = near = first; // begun anew
      if (kept.step === step) return kept;
      const from = latest([first, near, kept, far], step);
      if (from.step === step) return (kept = from);
      trainer.load(from);
      while (trainer.step() < step) trainer.advance(settings);
      take(trainer.state());
      return kept;
    },
    far: () => far,
    expects(tokens) {
      trainer.load(kept);
      return [trainer.ask(tokens), counted(tokens)];
    },
    costs() {
      trainer.load(kept);
      return trainer.costs();
    },
    look(head) {
      trainer.load(kept);
      return trainer.look(head);
    },
    ask(tokens) {
      trainer.load(kept);
      return trainer.ask(tokens);
    },
    writeOn(tokens, seed) {
      trainer.load(kept);
      return trainer.writeOn(tokens, seed);
    },
    // A state that comes from beside the page brings its own along.
    loss() {
      if (kept.loss === undefined) {
        trainer.load(kept);
        kept.loss = trainer.loss();
      }
      return kept.loss;
    },
  };
}
