// The numbers behind the NeighbourExplorer, pure: cosines over the first L directions, and ranks in every copy.

// Whole numbers, a byte each, as text.
function neighbourBytes(text) {
  return Int8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

export function neighbourProblem(data) {
  const spaces = Object.fromEntries(Object.entries(data.spaces).map(([key, text]) => [key, neighbourBytes(text)]));
  return { ...data, spaces, count: data.words.length };
}

// Cosines of all words with one in a copy; −1 where either is absent. Whole numbers until the last step.
function neighbourCosines({ longest, count }, space, copy, query, rank) {
  const start = (word) => (copy * count + word) * longest;
  const product = (a, b) => {
    let total = 0;
    for (let k = 0; k < rank; k++) total += space[a + k] * space[b + k];
    return total;
  };
  const own = product(start(query), start(query));
  return Float64Array.from({ length: count }, (_, word) => {
    const size = Math.sqrt(product(start(word), start(word)) * own);
    return size > 0 ? product(start(word), start(query)) / size : -1;
  });
}

function neighbourRank(cosines, query, word) {
  let rank = 1;
  for (let k = 0; k < cosines.length; k++) if (k !== query && cosines[k] > cosines[word]) rank += 1;
  return rank;
}

// Everything shown for one setting of the controls.
export function neighbourState(problem, settings) {
  const { query, method, window, shift, rank } = settings;
  const { copies, count, longest, listed, groups } = problem;
  const space = problem.spaces[`${method}|${window}|${shift}`];
  const all = Array.from({ length: copies }, (_, copy) => neighbourCosines(problem, space, copy, query, rank));
  const known = all.filter((cosines, copy) => copy === 0 || cosines.some((cosine) => cosine > -1));
  const [cosines] = all;
  const others = Array.from({ length: count }, (_, k) => k).filter((k) => k !== query);
  const nearest = others.sort((a, b) => cosines[b] - cosines[a] || a - b).slice(0, listed);
  const ranks = nearest.map((word) => known.map((values) => neighbourRank(values, query, word)));
  const places = Array.from({ length: count }, (_, word) => {
    const row = space.subarray(word * longest, (word + 1) * longest);
    const length = Math.sqrt(row.reduce((total, value) => total + value * value, 0)) || 1;
    return [row[0] / length, row[1] / length];
  });
  const [least, most] = [ranks.map((each) => Math.min(...each)), ranks.map((each) => Math.max(...each))];
  const kin = Array.from({ length: count }, (_, k) => groups.length > 0 && groups[k] === groups[query]);
  const [alike, stay] = [nearest.filter((k) => kin[k]).length, most.filter((rank) => rank <= listed).length];
  return { ...settings, cosines, nearest, least, most, places, kin, alike, stay };
}
