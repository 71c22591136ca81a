// Long work in slices, between which the page draws and answers.
const SLICE = 12; // milliseconds of work after which the page is let draw
const UNSEEN = 200; // the same in a tab that nobody sees, where timers come once a second

// Runs the generator `steps` to its end while `alive()`; `done` gets what it returns, `progress` what it yields.
export function inSlices(steps, { alive, done, progress = () => {} }) {
  const slice = () => {
    if (!alive()) return undefined;
    const until = performance.now() + (document.hidden ? UNSEEN : SLICE);
    let step = steps.next();
    while (!step.done && performance.now() < until) step = steps.next();
    if (step.done) return done(step.value);
    progress(step.value);
    return setTimeout(slice);
  };
  setTimeout(slice);
}
