// The numbers behind the PositionExplorer, pure: scores of two places under three schemes.
import { dot, mulberry32 } from "../_numbers/maths.js";

// A function (p, t) → score of the place p that asks with the place t that answers.
function scorer({ scheme, dimension, base, exponent, draw, head }) {
  if (scheme === "alibi") return (p, t) => -(2 ** -head) * (p - t);
  const speeds = Array.from({ length: dimension / 2 }, (_, i) => base ** ((-2 * i) / dimension));
  if (scheme === "rotary") {
    const uniform = mulberry32(draw);
    const [q, k] = [0, 1].map(() => Float64Array.from({ length: dimension }, () => 2 * uniform() - 1));
    const along = speeds.map((_, i) => q[2 * i] * k[2 * i] + q[2 * i + 1] * k[2 * i + 1]);
    const across = speeds.map((_, i) => q[2 * i + 1] * k[2 * i] - q[2 * i] * k[2 * i + 1]);
    const score = (lag) => speeds.reduce((total, speed, i) => total + along[i] * Math.cos(lag * speed) + across[i] * Math.sin(lag * speed), 0); // prettier-ignore
    const known = new Map();
    return (p, t) => {
      if (!known.has(t - p)) known.set(t - p, score(t - p) / Math.sqrt(dimension));
      return known.get(t - p);
    };
  }
  const known = new Map();
  const code = (p) => {
    if (!known.has(p)) {
      const sines = speeds.map((speed) => Math.sin(p * speed));
      const cosines = speeds.map((speed) => Math.cos(p * speed * base ** (-exponent / dimension)));
      known.set(p, Float64Array.from([...sines, ...cosines]));
    }
    return known.get(p);
  };
  return (p, t) => dot(code(p), code(t), dimension);
}

// Everything shown for one setting of the controls.
export function positionState({ places, farthest }, now) {
  const { scheme, dimension, base, place, lag, length } = now;
  const score = scorer(now);
  const all = Array.from({ length: places }, (_, p) => p);
  const table = all.map((p) => all.map((t) => (scheme === "alibi" && t > p ? 0 : score(p, t))));
  const stripe = all.slice(lag).map((p) => table[p][p - lag]);
  const [least, most] = [Math.min(...stripe), Math.max(...stripe)];
  const curve = Array.from({ length: farthest }, (_, later) => score(place + later, place));
  const pairs = scheme === "alibi" ? 0 : dimension / 2;
  const around = Array.from({ length: pairs }, (_, i) => 2 * Math.PI * base ** ((2 * i) / dimension));
  const unfinished = around.filter((wave) => wave > length).length;
  const spread = most - least > 1e-9 ? most - least : 0;
  return { ...now, table, curve, least, most, spread, around, unfinished, score: curve[lag], pairs: places - lag };
}
