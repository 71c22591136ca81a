import { taskOf } from "./serve.js";
import { makeTrainer } from "./walk.js";
import { countedBits } from "./counting.js";
