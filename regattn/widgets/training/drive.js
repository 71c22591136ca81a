// What moves a training while it plays: a worker made from the page's own text, so that a file on disk can have one, or
// short stretches between two pictures where workers are refused. It sleeps with its tab, and out of sight.
import { server } from "./serve.js";

const STRETCH = { worker: 90, page: 14 }; // milliseconds
const PAPER = 120; // steps that a sheet of paper waits for, where none was taken

function openWorker(code, tell, failed) {
  try {
    const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    const worker = new Worker(address);
    worker.onmessage = ({ data }) => tell(data);
    worker.onerror = failed;
    return { ask: (asked) => worker.postMessage(asked), end: () => (worker.terminate(), URL.revokeObjectURL(address)), where: "worker" };
  } catch {
    return null;
  }
}

function inPage(tell) {
  const serve = server(tell);
  let waiting = 0;
  return { ask: (asked) => (waiting = setTimeout(() => serve(asked), 0)), end: () => clearTimeout(waiting), where: "page" };
}

// `keeper` is where states are kept: { textOf(settings), stateAt(step, settings), keep(state, settings) }.
export function trainingDrive({ data, keeper }, view) {
  const settings = () => Object.fromEntries(["learning_rate", "seed", "own"].map((name) => [name, view.model.get(name)]));
  let [helper, run, tell, own, pending, seen] = [null, 0, null, null, false, true];
  const awake = () => seen && !document.hidden;

  function ask(more = {}) {
    pending = false;
    helper.ask({ run, text: keeper.textOf(own), settings: own, slice: STRETCH[helper.where], ...more });
  }
  function answer({ run: of, state }) {
    if (of !== run || !tell) return;
    if (keeper.tooShort(settings())) return tell(0);
    if (JSON.stringify(settings()) !== JSON.stringify(own)) return self.start(tell); // moved before the first step
    keeper.keep(state, own);
    pending = true;
    if (awake() && state.step < data.steps) ask(); // it goes on while the picture is drawn
    tell(state.step);
  }
  function wake() {
    if (tell && pending && awake()) ask();
  }
  function begin(make) {
    helper?.end();
    helper = make; // what is refused late is replaced
    ask({ data: { ...data, worker: null }, state: keeper.stateAt(view.model.get("step"), own) });
  }
  const failed = () => tell && begin(inPage(answer));

  const watch = new IntersectionObserver((entries) => ((seen = entries.at(-1).isIntersecting), wake()));
  watch.observe(view.root);
  view.listen(document, "visibilitychange", wake);
  view.signal.addEventListener("abort", () => (watch.disconnect(), helper?.end()));
  const self = {
    paper: PAPER,
    start(told) {
      helper?.end();
      helper = null;
      [tell, own] = [told, settings()];
      run += 1;
      begin(openWorker(data.worker, answer, failed) ?? inPage(answer));
    },
    stop() {
      tell = null;
      helper?.end();
      helper = null;
    },
  };
  return self;
}
