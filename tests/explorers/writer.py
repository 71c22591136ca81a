"""The WriterExplorer's numbers by a plain loop over every place of the text."""

from regattn.widgets import WriterExplorer
from regattn.widgets._kit.page_rng import mulberry32

TEXT = "the cat saw the dog and the dog saw the owl and the owl saw the cat in the rain and the sun came out again"
OWN = "to be or not to be that is the question and to be is to do and to do is to be or so it is said to be"


def example(**options) -> WriterExplorer:
    """Return one with a text of its own, so that a hand on that line changes what is written."""
    return WriterExplorer(TEXT, **({"own": OWN, "order": 2} | options))


def expected(traits: dict) -> dict:
    """Look at every place for every word."""
    text, uniform = traits["own"].split() or traits["data"]["text"].split(), mulberry32(traits["seed"])
    written, places, agree = [], [], []
    for _ in range(40):
        for size in range(min(traits["order"] - 1, len(written)), -1, -1):
            before = written[len(written) - size :]
            found = [text[k] for k in range(size, len(text)) if text[k - size : k] == before]
            if found:
                break
        written.append(found[int(next(uniform) * len(found))])
        places.append(len(found))
        agree.append(size)
    runs = [
        (length, -start)
        for start in range(40)
        for length in range(1, 41 - start)
        if any(text[k : k + length] == written[start : start + length] for k in range(len(text)))
    ]
    return {
        "words": written,
        "places": places,
        "agree": agree,
        "forced": sum(count == 1 for count in places[1:]),
        "longest": max(runs)[0],
        "from": -max(runs)[1],
    }
