"""What the name of a test of the ledger says: which entries it checks, and which fact.

`test_gc_1a_the_nearest_row_is_seldom_the_heaviest` checks GC-1a and says: the nearest row is seldom the heaviest.
"""

from __future__ import annotations

import re


def read_name(name: str, ids: list[str]) -> tuple[list[str], str]:
    """Return the ids of the entries that the name of a test begins with, and the fact that it goes on to say.

    >>> read_name("test_gc_02_to_04_and_2_1a_one_prediction", ["GC-02", "GC-03", "GC-04", "GC-2.1a"])
    (['GC-02', 'GC-03', 'GC-04', 'GC-2.1a'], 'one prediction')
    >>> read_name("test_gc_21a_halves", ["GC-2.1a", "GC-21"])
    (['GC-2.1a'], 'halves')
    >>> read_name("test_mh_2_5c_d_and_2_6a_numbers", ["MH-2.5c", "MH-2.5d", "MH-2.6a"])
    (['MH-2.5c', 'MH-2.5d', 'MH-2.6a'], 'numbers')

    A letter goes on from the one before it, so that the article is no entry.

    >>> read_name("test_gc_5b_a_shock", ["GC-5a", "GC-5b"])
    (['GC-5b'], 'a shock')
    """
    _, source, *words = name.split("_")
    by_key = {entry.lower(): entry for entry in ids}
    found, upto = [], False
    while words:
        one = f"{source}-{words[0]}"
        two = f"{source}-{'.'.join(words[:2])}"
        short = re.sub(r"-(\d)(\d[a-z])$", r"-\1.\2", one)
        goes_on = bool(found) and len(words[0]) == 1 and words[0] > found[-1][-1].lower() >= "a"
        letter = found[-1].lower()[:-1] + words[0] if goes_on else ""
        key = next((key for key in (two, one, short, letter) if key in by_key), None)
        if key is None and words[0] not in ("and", "to"):
            break
        if key is not None:
            entry = by_key[key]
            found += ids[ids.index(found[-1]) + 1 : ids.index(entry) + 1] if upto else [entry]
        upto = words[0] == "to"
        words = words[2 if key == two else 1 :]
    return found, " ".join(words)
