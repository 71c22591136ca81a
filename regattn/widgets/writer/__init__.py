"""The WriterExplorer: sentences written word by word, each copied from where the same few words stand in a text."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from regattn._text import check_text
from regattn.widgets._kit import Count, Explorer, PastedText, Seed
from regattn.widgets._kit.page_rng import mulberry32

__all__ = ["WriterExplorer"]

HIGHEST = 5
WRITTEN = 40  # words, here and in numbers.js
BETWEEN = re.compile(r"[ \t\n\r\f\v]+")  # words, as numbers.js finds them


class WriterExplorer(Explorer, panels=["written"]):
    r"""Write words one at a time: each is copied from a random place where the same few words stand before it.

    .. math:: P(w \mid h) = \frac{c(h w)}{c(h)}, \qquad h \text{ the last } n - 1 \text{ words}

    These are the shares of an n-gram model, drawn without a table: one of the places where h stands is chosen, all
    alike, and the word after it is written. Where h stands nowhere else, fewer words have to agree.

    Parameters
    ----------
    text : str
        What is written like, words with spaces between them.

    Raises
    ------
    ValueError
        If the text has no word, or a control is out of its range.

    Examples
    --------
    >>> explorer = WriterExplorer("to be or not to be", order=3)
    >>> explorer.result()["words"][:4]
    ['not', 'to', 'be', 'or']
    """

    order = Count(
        "Order n",
        least=1,
        most=lambda self: HIGHEST,
        default=3,
        bound="the highest order",
        first=True,
        help="n − 1 words before have to agree.",
    )
    seed = Seed("Write again", first=True, help="Another draw at every word.")
    own = PastedText("Your own text", default="", wide=True, help="Paste some: it writes like that.")

    def __init__(self, text: str, **kit: Any) -> None:
        self.text = check_text(text, "text")
        if not _words(self.text):
            raise ValueError(f"text must have at least one word, got {text!r}")
        alt = (
            f"{WRITTEN} words, each copied from a place of a text where the same words stand before it; where there "
            "was one such place only, the word stands out."
        )
        super().__init__(**{"data": {"text": self.text}, "alt": alt} | kit)

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            The ``words`` written; of how many ``places`` each was copied from one; how many words had to ``agree``
            there; how many words after the first were ``forced``, with one place only; and how long the
            ``longest`` run is that stands in the text word for word, and ``from`` which word on, from 0.
        """
        text = _words(self.own) or _words(self.text)
        after = defaultdict(list)
        for place, word in enumerate(text[:-1], start=1):
            after[word].append(place)
        uniform, written, places, agree = mulberry32(self.seed), [], [], []
        for _ in range(WRITTEN):
            found, size = range(len(text)), min(self.order - 1, len(written))
            while size:
                before = written[-size:]
                if alike := [k for k in after[before[-1]] if k >= size and text[k - size : k] == before]:
                    found = alike
                    break
                size -= 1
            written.append(text[found[int(next(uniform) * len(found))]])
            places.append(len(found))
            agree.append(size)
        longest, first = _longest_run(written, text)
        return {
            "words": written,
            "places": places,
            "agree": agree,
            "forced": sum(count == 1 for count in places[1:]),
            "longest": longest,
            "from": first,
        }


def _words(text: str) -> list[str]:
    return [word for word in BETWEEN.split(text) if word]


def _longest_run(written: list[str], text: list[str]) -> tuple[int, int]:
    """Return how many words in a row stand in the text in the same order, and the first of them, from 0."""
    longest, first, ends = 0, 0, dict[int, int]()  # runs by the place in the text where they end
    where = defaultdict(list)
    for place, word in enumerate(text):
        where[word].append(place)
    for k, word in enumerate(written):
        ends = {place: ends.get(place - 1, 0) + 1 for place in where[word]}
        if (most := max(ends.values())) > longest:
            longest, first = most, k + 1 - most
    return longest, first
