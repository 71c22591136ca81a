// The numbers behind the PositionExplorer, pure: angles of eight hands, and which of them training never showed.
const TURN = 2 * Math.PI;

// By how much each hand turns more slowly than in training.
function slowness(hands, times, speeds, trained) {
  if (hands === "base") return speeds.map((_, i) => times ** (i / (speeds.length - 1)));
  return speeds.map((speed) => (hands === "all" || trained * speed < TURN ? times : 1));
}

// The distance at which hand i, held at `angle`, stands nearest to where it is now.
export function distanceAt({ place, speeds, places }, i, angle) {
  const by = angle - (place - 1) * speeds[i];
  const turn = by - TURN * Math.round(by / TURN);
  return Math.max(0, Math.min(places - 1, Math.round(place - 1 + turn / speeds[i])));
}

// Everything shown for one setting of the controls.
export function positionState({ places, trained, group, losses, speeds: all }, { place, hands, stretch }) {
  const slowed = !(losses[hands][""] ?? false);
  const kept = all[hands] ?? all[""];
  const slower = slowness(hands, slowed ? Number(stretch) : 1, kept, trained);
  const speeds = kept.map((speed, i) => speed / slower[i]);
  const arcs = kept.map((speed) => Math.min(TURN, (trained - 1) * speed));
  // a step of training or more from every angle of training
  const far = (angle, step) => angle >= trained * step * (1 - 1e-9) && angle <= TURN - step;
  const awayAt = (distance) => speeds.map((speed, i) => far((distance * speed) % TURN, kept[i]));
  const everywhere = Array.from({ length: places }, (_, distance) => awayAt(distance));
  // past the last angle of training, by less than a step
  const past = (angle, i) => angle > arcs[i] + 1e-9 && angle < trained * kept[i] * (1 - 1e-9);
  const met = [];
  for (const away of everywhere) met.push((met.at(-1) ?? 0) + (away.some(Boolean) ? 1 : 0));
  const curve = losses[hands][slowed ? stretch : ""];
  const lossAt = (n) => curve[Math.floor((n - 1) / group)];
  const before = losses.trained[""];
  return {
    place, hands, stretch, slowed, places, speeds, arcs, everywhere, met, curve, before, lossAt, // prettier-ignore
    angles: speeds.map((speed) => (place - 1) * speed),
    around: speeds.map((speed) => TURN / speed),
    away: everywhere[place - 1],
    beyond: speeds.map((_, i) => everywhere.slice(0, place).some((away) => away[i])),
    unseen: met[place - 1],
    over: Array.from({ length: place }, (_, distance) => speeds.some((speed, i) => past((distance * speed) % TURN, i))).some(Boolean), // prettier-ignore
    price: curve[trained / group - 1] - before[trained / group - 1], // at the end of training
    loss: lossAt(place),
    lossBefore: before[Math.floor((place - 1) / group)],
    within: before.slice(trained / group / 2, trained / group).reduce((sum, value) => sum + value, 0) / (trained / group / 2), // later half
    step: speeds[0],
  };
}
