// The error function, which GELU needs.

// Coefficients of W. J. Cody's rational functions (Mathematics of Computation 23, 1969), from the highest power down,
// numerator and denominator, for |x| up to 0.46875, up to 4, and beyond.
const NEAR = [
  [1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2, 3.20937758913846947e3],
  [1, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3],
]; // prettier-ignore
const MIDDLE = [
  [2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1, 2.98635138197400131e2,
    8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3],
  [1, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
    3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3],
]; // prettier-ignore
const FAR = [
  [1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
    1.60837851487422766e-2, 6.58749161529837803e-4],
  [1, 2.56852019228982242, 1.87295284992346725, 5.27905102951428412e-1, 6.05183413124413191e-2, 2.33520497626869185e-3],
]; // prettier-ignore

function ratio([above, below], t) {
  let [p, q] = [above[0], below[0]];
  for (let k = 1; k < above.length; k++) [p, q] = [p * t + above[k], q * t + below[k]];
  return p / q;
}

// The error function, to the last digit or two.
export function erf(x) {
  const size = Math.abs(x);
  if (size <= 0.46875) return x * ratio(NEAR, x * x);
  if (!(size < 6)) return Number.isNaN(x) ? x : Math.sign(x);
  const t = 1 / (size * size);
  const rest = size <= 4 ? ratio(MIDDLE, size) : (1 / Math.sqrt(Math.PI) - t * ratio(FAR, t)) / size;
  return Math.sign(x) * (1 - Math.exp(-size * size) * rest);
}
