// Where a function on a grid of columns × rows crosses a level: short segments, each in one cell.
export function crossings(values, xs, ys, level) {
  const found = [];
  const at = (i, j) => values[j * xs.length + i] - level;
  for (let j = 0; j + 1 < ys.length; j++) {
    for (let i = 0; i + 1 < xs.length; i++) {
      const above = (at(i, j) >= 0) + (at(i + 1, j) >= 0) + (at(i + 1, j + 1) >= 0) + (at(i, j + 1) >= 0);
      if (above === 0 || above === 4) continue; // most cells
      const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]]; // prettier-ignore
      const points = [];
      corners.forEach(([a, b], k) => {
        const [c, d] = corners[(k + 1) % 4];
        const [here, there] = [at(a, b), at(c, d)];
        if (here >= 0 === there >= 0) return;
        const share = here / (here - there);
        points.push([xs[a] + share * (xs[c] - xs[a]), ys[b] + share * (ys[d] - ys[b])]);
      });
      for (let k = 0; k + 1 < points.length; k += 2) found.push([points[k], points[k + 1]]);
    }
  }
  return found;
}
