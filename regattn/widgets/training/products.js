// Matrix products on one array of doubles: by two doubles at a time where the browser has WebAssembly's vectors, else by
// plain loops. Both add in the same order, one k after the other, so they end in the same bits.

const ROWS = 4; // of a block of the product, whose sums stay in registers
const PAIRS = 2; // of its columns

const unsigned = (n) => (n < 128 ? [n] : [(n & 127) | 128, ...unsigned(n >>> 7)]);
const signed = (n) => (n >= -64 && n < 64 ? [n & 127] : [(n & 127) | 128, ...signed(n >> 7)]);
const sized = (bytes) => [...unsigned(bytes.length), ...bytes];

// The instructions of WebAssembly that the product needs.
const get = (local) => [0x20, ...unsigned(local)];
const set = (local) => [0x21, ...unsigned(local)];
const whole = (n) => [0x41, ...signed(n)];
const [PLUS, TIMES, LESS] = [[0x6a], [0x6c], [0x48]];
const pairs = (code, ...more) => [0xfd, ...unsigned(code), ...more];
const loaded = (offset) => pairs(0, 3, ...unsigned(offset));
const stored = (offset) => pairs(11, 3, ...unsigned(offset));
const doubled = () => pairs(10, 3, 0); // one double, twice
const nothing = () => pairs(12, ...new Array(16).fill(0));
const [PAIRS_PLUS, PAIRS_TIMES] = [pairs(0xf0), pairs(0xf2)];
const moved = (local, by) => [...get(local), ...get(by), ...PLUS, ...set(local)];
const at = (base, index, stride) => [...get(base), ...get(index), ...stride, ...TIMES, ...PLUS];
const counted = (local, end, step, body) => [
  ...whole(0), ...set(local), 0x03, 0x40, ...body, ...get(local), ...whole(step), ...PLUS, 0x22, ...unsigned(local),
  ...get(end), ...LESS, 0x0d, 0, 0x0b,
]; // prettier-ignore

// A module of one function, product(c, a, b, M, N, K, row of a, column of a, row of b, row of c): places and strides in
// bytes. For each block of C the sums over k are kept in registers: C_ij = Σ_k A_ik B_kj.
function moduleBytes() {
  const [c, a, b, M, N, K, aRow, aColumn, bRow, cRow] = Array.from({ length: 10 }, (_, k) => k);
  const [i, j, k, toB, toC] = Array.from({ length: 5 }, (_, n) => 10 + n);
  const toA = Array.from({ length: ROWS }, (_, r) => 15 + r);
  const sums = toA.map((_, r) => Array.from({ length: PAIRS }, (_, p) => 15 + ROWS + r * PAIRS + p));
  const fromB = Array.from({ length: PAIRS }, (_, p) => 15 + ROWS + ROWS * PAIRS + p);
  const fromA = 15 + ROWS + ROWS * PAIRS + PAIRS;
  const inner = [
    ...fromB.flatMap((local, p) => [...get(toB), ...loaded(16 * p), ...set(local)]),
    ...toA.flatMap((place, r) => [
      ...get(place), ...doubled(), ...set(fromA),
      ...sums[r].flatMap((sum, p) => [...get(sum), ...get(fromA), ...get(fromB[p]), ...PAIRS_TIMES, ...PAIRS_PLUS, ...set(sum)]),
      ...moved(place, aColumn),
    ]),
    ...moved(toB, bRow),
  ]; // prettier-ignore
  const block = [
    ...at(a, i, get(aRow)), ...set(toA[0]),
    ...toA.slice(1).flatMap((place, r) => [...get(toA[r]), ...get(aRow), ...PLUS, ...set(place)]),
    ...at(b, j, whole(8)), ...set(toB),
    ...sums.flat().flatMap((sum) => [...nothing(), ...set(sum)]),
    ...counted(k, K, 1, inner),
    ...at(c, i, get(cRow)), ...get(j), ...whole(8), ...TIMES, ...PLUS, ...set(toC),
    ...sums.flatMap((row) => [...row.flatMap((sum, p) => [...get(toC), ...get(sum), ...stored(16 * p)]), ...moved(toC, cRow)]),
  ]; // prettier-ignore
  const vectors = ROWS * PAIRS + PAIRS + 1;
  const code = [2, 5 + ROWS, 0x7f, vectors, 0x7b, ...counted(i, M, ROWS, counted(j, N, 2 * PAIRS, block)), 0x0b];
  const section = (id, bytes) => [id, ...sized(bytes)];
  return Uint8Array.from([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, [1, 0x60, 10, ...new Array(10).fill(0x7f), 0]),
    ...section(2, [1, 1, 0x6d, 1, 0x6d, 2, 0, 1]), // the memory m.m
    ...section(3, [1, 0]),
    ...section(7, [1, 1, 0x70, 0, 0]), // exported as p
    ...section(10, [1, ...sized(code)]),
  ]); // prettier-ignore
}

// The same by plain loops, on the array itself.
function loops(heap) {
  return (c, a, b, M, N, K, aRow, aColumn, bRow, cRow) => {
    for (let i = 0; i < M; i++) {
      for (let j = 0; j < N; j += 4) {
        let [s, t, u, v] = [0, 0, 0, 0];
        for (let k = 0, x = a + i * aRow, y = b + j; k < K; k++, x += aColumn, y += bRow) {
          const factor = heap[x];
          s += factor * heap[y];
          t += factor * heap[y + 1];
          u += factor * heap[y + 2];
          v += factor * heap[y + 3];
        }
        const to = c + i * cRow + j;
        heap[to] = s;
        heap[to + 1] = t;
        heap[to + 2] = u;
        heap[to + 3] = v;
      }
    }
  };
}

// An array of `length` doubles and product(c, a, b, M, N, K, row of a, column of a, row of b, row of c), places and
// strides counted in doubles; M and N are multiples of four. `plain` asks for the loops.
export function productsOn(length, { plain = false } = {}) {
  try {
    if (plain) throw new Error("loops were asked for");
    const memory = new WebAssembly.Memory({ initial: Math.ceil((8 * length) / 65536) });
    const { p } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes()), { m: { m: memory } }).exports;
    const product = (c, a, b, M, N, K, aRow, aColumn, bRow, cRow) => p(8 * c, 8 * a, 8 * b, M, N, K, 8 * aRow, 8 * aColumn, 8 * bRow, 8 * cRow); // prettier-ignore
    return { heap: new Float64Array(memory.buffer), product, vectors: true };
  } catch {
    const heap = new Float64Array(length); // an old browser, or a host that allows no WebAssembly
    return { heap, product: loops(heap), vectors: false };
  }
}
