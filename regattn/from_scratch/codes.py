"""From text and pictures to numbers: merged pairs, cuts, the nearest code."""

import numpy as np


def merge(parts, pair):
    """Return the parts of a word with every such pair of neighbours made one."""
    found = []
    for part in parts:
        if found and (found[-1], part) == pair:
            found[-1] += part
        else:
            found.append(part)
    return found


def learn_merges(words, size):
    """Return pairs in the order of their merging, from {word: count}."""
    number = {sign: k for k, sign in enumerate(sorted(set("".join(words))))}
    parts, merges = {word: list(word) for word in words}, []
    while len(number) < size:
        counts = {}
        for word, times in words.items():
            for pair in zip(parts[word][:-1], parts[word][1:], strict=True):
                counts[pair] = counts.get(pair, 0) + times
        # of equally frequent pairs, the one of the oldest tokens
        pair = min(counts, key=lambda p: (-counts[p], number[p[0]], number[p[1]]))
        merges.append(pair)
        number.setdefault("".join(pair), len(number))
        for word in words:
            if "".join(pair) in word:
                parts[word] = merge(parts[word], pair)
    return merges


def best_cut(word, costs):
    """Return the pieces of a word that cost least, from {piece: cost}."""
    best = [(0.0, [])]  # of the first 0, 1, 2, … characters
    for end in range(1, len(word) + 1):
        cuts = [(start, word[start:end]) for start in range(end)]
        known = [(start, piece) for start, piece in cuts if piece in costs]
        ways = [(best[s][0] + costs[p], [*best[s][1], p]) for s, p in known]
        best.append(min(ways))
    return best[-1][1]


def quantise(z, codebook, slope, beta):
    """Return the nearest codes, (n, d), and slopes by z, (n, d), and codebook."""
    distances = ((z[:, None] - codebook) ** 2).sum(axis=-1)
    nearest = distances.argmin(axis=1)
    codes = codebook[nearest]
    # the slope of the reconstruction by the codes goes straight through to z
    by_z = slope + 2 * beta * (z - codes)
    by_codebook = np.zeros_like(codebook)
    np.add.at(by_codebook, nearest, 2 * (codes - z))
    return codes, by_z, by_codebook
