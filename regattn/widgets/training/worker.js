// The worker of a TrainingExplorer: what serve.js does, beside the page.
import { server } from "./serve.js";

const serve = server((told) => postMessage(told));
onmessage = ({ data }) => serve(data);
