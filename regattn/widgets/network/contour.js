const HALVINGS = 4; // of the edge of a cell on which the function crosses, before the last piece is taken for straight

// Where the function crosses the level on each of the edges [x, y, x', y', value, value'], less the level. A function
// that is level on both sides of a steep step, as a tanh is, would be far from straight along a whole edge.
function placesOn(edges, of, level) {
  for (let round = 0; of && round < HALVINGS; round++) {
    const middles = Float64Array.from(edges.flatMap(([x, y, xx, yy]) => [(x + xx) / 2, (y + yy) / 2]));
    const values = of(middles);
    edges = edges.map(([x, y, xx, yy, here, there], k) => {
      const [a, b, value] = [middles[2 * k], middles[2 * k + 1], values[k] - level];
      return here >= 0 === value >= 0 ? [a, b, xx, yy, value, there] : [x, y, a, b, here, value];
    });
  }
  return edges.map(([x, y, xx, yy, here, there]) => {
    const share = here / (here - there);
    return [x + share * (xx - x), y + share * (yy - y)];
  });
}

// Where a function on a grid of columns × rows crosses a level: short segments, each in one cell. `of`, if given,
// returns its values at other points, x and y in turn, and the ends of the segments are then as good as exact.
export function crossings(values, xs, ys, level, of = null) {
  const edges = [];
  const at = (i, j) => values[j * xs.length + i] - level;
  for (let j = 0; j + 1 < ys.length; j++) {
    for (let i = 0; i + 1 < xs.length; i++) {
      const above = (at(i, j) >= 0) + (at(i + 1, j) >= 0) + (at(i + 1, j + 1) >= 0) + (at(i, j + 1) >= 0);
      if (above === 0 || above === 4) continue; // most cells
      const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]]; // prettier-ignore
      corners.forEach(([a, b], k) => {
        const [c, d] = corners[(k + 1) % 4];
        const [here, there] = [at(a, b), at(c, d)];
        if (here >= 0 !== there >= 0) edges.push([xs[a], ys[b], xs[c], ys[d], here, there]);
      });
    }
  }
  const points = placesOn(edges, of, level); // two or four of each cell, one behind the other
  return Array.from({ length: points.length / 2 }, (_, k) => [points[2 * k], points[2 * k + 1]]);
}
