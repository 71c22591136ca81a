// The past of a series as columns, and an orthonormal basis of what they span.
import { dot, norm } from "./maths.js";

const ABSENT = 1e-12; // share of a column that is left of it once the others are taken off: rounding

// The columns of X: a one if there is an intercept, then every series 1, 2, …, p dates back.
export function pastColumns({ series }, columns, lags, intercept) {
  const n = series.length - lags;
  const past = intercept ? [new Float64Array(n).fill(1)] : [];
  for (let back = 1; back <= lags; back++) {
    for (const j of columns) past.push(Float64Array.from({ length: n }, (_, t) => series[t + lags - back][j]));
  }
  return past;
}

// Orthonormal columns with the same span (Gram–Schmidt, each column twice); what repeats the others is left out.
export function orthonormal(columns) {
  const basis = [];
  for (const column of columns) {
    const rest = Float64Array.from(column);
    const size = norm(rest);
    for (let pass = 0; pass < 2; pass++) {
      for (const known of basis) {
        const along = dot(known, rest);
        for (let t = 0; t < rest.length; t++) rest[t] -= along * known[t];
      }
    }
    const left = norm(rest);
    if (left > ABSENT * size) basis.push(rest.map((value) => value / left));
  }
  return basis;
}
