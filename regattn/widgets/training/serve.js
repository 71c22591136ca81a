// Trains for a short while when it is asked, and tells the state: in a worker, or between two pictures of the page.
import { grammarTask, textTask } from "./tasks.js";
import { makeTrainer } from "./walk.js";

export function taskOf(data, text) {
  return data.kind === "text" ? textTask(text, data) : grammarTask(data);
}

// A function of { data, text, settings, state, slice }: a state to begin from, and the milliseconds that it may take.
// What has been sent once is kept.
export function server(tell) {
  let [data, text, trainer] = [null, null, null];
  return (asked) => {
    if (asked.data) data = asked.data;
    if (asked.data || asked.text !== text) trainer = makeTrainer(taskOf(data, asked.text), data);
    text = asked.text;
    if (asked.state) trainer.load(asked.state);
    const end = performance.now() + asked.slice;
    do trainer.advance(asked.settings);
    while (trainer.step() < data.steps && performance.now() < end);
    tell({ run: asked.run, state: { ...trainer.state(), loss: trainer.loss() } }); // which the page need not compute
  };
}
