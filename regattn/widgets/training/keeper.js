// What a page keeps of a training: the last state, by whom ever it was taken there, and what is asked of it.
import { countedBits } from "./counting.js";
import { taskOf } from "./serve.js";
import { makeTrainer } from "./walk.js";

export const bytesIn = (text) => new TextEncoder().encode(text).length;

// The states that are known, and the one trainer of the page, for whatever is asked at once.
export function keeperOf(data) {
  let [key, settings, text, task, trainer, first, kept, rungs] = ["", null, null, null, null, null, null, null];
  const textOf = ({ own }) => (data.kind === "text" ? own : "");
  function open(given) {
    const asked = JSON.stringify([given.own, given.learning_rate, given.seed]); // in one order, whoever asks
    if (asked === key) return;
    const wanted = textOf(given);
    if (wanted !== text) {
      [text, task] = [wanted, taskOf(data, wanted)];
      trainer = makeTrainer(task, data);
      const bits = data.kind === "text" ? countedBits(task.counted, data.orders) : null;
      rungs = bits ? bits.map((level, k) => [`${data.orders[k]}-gram`, level]) : data.rungs;
    }
    [key, settings] = [asked, given];
    first = kept = trainer.begin(settings);
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
      kept = state;
    },
    stateAt(step, given) {
      open(given);
      if (kept.step !== step) {
        trainer.load(kept.step < step ? kept : first);
        while (trainer.step() < step) trainer.advance(settings);
        kept = trainer.state();
      }
      return kept;
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
