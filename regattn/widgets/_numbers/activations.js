// What bends the answers of a layer, as regattn/_activations.py has it.
import { erf } from "./erf.js";

const LEAK = 0.01;
const logistic = (z) => 1 / (1 + Math.exp(-z));
const hyperbolic = (z) => 1 - 2 / (1 + Math.exp(2 * z));
const normalShare = (z) => (1 + erf(z / Math.SQRT2)) / 2;

// Each activation a(z) with its derivative, from z and a(z).
export const ACTIVATIONS = {
  tanh: [hyperbolic, (z, h) => 1 - h * h],
  relu: [(z) => Math.max(z, 0), (z) => (z > 0 ? 1 : 0)],
  leaky_relu: [(z) => (z > 0 ? z : LEAK * z), (z) => (z > 0 ? 1 : LEAK)],
  gelu: [(z) => z * normalShare(z), (z) => normalShare(z) + (z * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI)],
  silu: [(z) => z * logistic(z), (z) => logistic(z) * (1 + z * (1 - logistic(z)))],
  identity: [(z) => z, () => 1],
};
