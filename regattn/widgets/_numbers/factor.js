// A matrix taken apart: QR by Householder's reflections with pivoting, then one-sided Jacobi rotations of what is left.
import { dot, norm } from "./maths.js";

const SWEEPS = 60;
const SMALL = 1e-15; // cosine of two columns that counts as a right angle

// Q R = A with columns in the order of their size, in place: `columns` become the reflections, above them stands R.
function reflect(columns) {
  const [n, p] = [columns[0].length, columns.length];
  const order = columns.map((_, j) => j);
  const reflections = [];
  for (let k = 0; k < p; k++) {
    const left = columns.map((column, j) => (j < k ? -1 : norm(column.subarray(k))));
    const best = left.indexOf(Math.max(...left));
    [columns[k], columns[best]] = [columns[best], columns[k]];
    [order[k], order[best]] = [order[best], order[k]];
    const v = columns[k].slice(k);
    const size = norm(v);
    const alpha = v[0] > 0 ? -size : size;
    v[0] -= alpha;
    const square = dot(v, v);
    reflections.push({ v, square });
    for (let j = k; j < p && square > 0; j++) apply({ v, square }, columns[j].subarray(k));
  }
  const R = columns.map((column) => column.slice(0, Math.min(n, p)));
  R.forEach((column, j) => column.fill(0, j + 1));
  return { R, order, reflections, n };
}

function apply({ v, square }, x) {
  const along = (2 * dot(v, x)) / square;
  for (let i = 0; i < v.length; i++) x[i] -= along * v[i];
}

// One-sided Jacobi: columns are turned, two by two, until all stand at right angles; V records the turns.
function jacobi(columns) {
  const p = columns.length;
  const V = columns.map((_, j) => Float64Array.from({ length: p }, (_, k) => Number(j === k)));
  const turn = (a, b, cos, sin) => {
    for (let i = 0; i < a.length; i++) [a[i], b[i]] = [cos * a[i] - sin * b[i], sin * a[i] + cos * b[i]];
  };
  for (let sweep = 0, moved = true; moved && sweep < SWEEPS; sweep++) {
    moved = false;
    for (let i = 0; i < p; i++) {
      for (let j = i + 1; j < p; j++) {
        const [aa, bb, ab] = [dot(columns[i], columns[i]), dot(columns[j], columns[j]), dot(columns[i], columns[j])];
        if (Math.abs(ab) <= SMALL * Math.sqrt(aa * bb)) continue;
        moved = true;
        const slope = (bb - aa) / (2 * ab);
        const tan = (slope < 0 ? -1 : 1) / (Math.abs(slope) + Math.hypot(slope, 1));
        const cos = 1 / Math.hypot(tan, 1);
        turn(columns[i], columns[j], cos, tan * cos);
        turn(V[i], V[j], cos, tan * cos);
      }
    }
  }
  return V;
}

// Columns, their sizes taken off, largest first: { values, vectors, V }, each a list of columns; only those that stand above rounding.
function sorted(columns, V, tolerance) {
  const sizes = columns.map((column) => norm(column));
  const most = Math.max(...sizes);
  const order = sizes.map((_, k) => k).filter((k) => sizes[k] > tolerance * most);
  order.sort((a, b) => sizes[b] - sizes[a]);
  return {
    values: Float64Array.from(order, (k) => sizes[k]),
    vectors: order.map((k) => columns[k].map((value) => value / sizes[k])),
    V: order.map((k) => V[k]),
  };
}

// The thin singular value decomposition of an n × p matrix given as p columns, which stay as they are: left vectors
// (r of length n), values, right vectors (r of length p). Directions below rounding are left out, as
// regattn.regression.spectrum does where columns are of one size.
export function singular(columns) {
  const [n, p] = [columns[0].length, columns.length];
  const tolerance = 2 ** -52 * Math.max(n, p);
  if (n < p) {
    const rows = Array.from({ length: n }, (_, i) => Float64Array.from(columns, (column) => column[i]));
    const { left, values, right } = singular(rows);
    return { left: right, values, right: left };
  }
  const { R, order, reflections } = reflect(columns.map((column) => Float64Array.from(column)));
  const { values, vectors, V } = sorted(R, jacobi(R), tolerance);
  const left = vectors.map((vector) => {
    const long = new Float64Array(n);
    long.set(vector);
    for (let k = p - 1; k >= 0; k--) if (reflections[k].square > 0) apply(reflections[k], long.subarray(k));
    return long;
  });
  const right = V.map((turned) => {
    const plain = new Float64Array(p);
    turned.forEach((value, k) => (plain[order[k]] = value));
    return plain;
  });
  return { left, values, right };
}
