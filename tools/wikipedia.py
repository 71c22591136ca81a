"""Rebuild the sample of Wikipedia from the shortened dump that gensim carries for its own tests.

    python -m tools.wikipedia            # some ten seconds

Kept are the articles of more than fifty words, without markup, each with its title: at
https://en.wikipedia.org/wiki/TITLE stand its authors, as LICENSE-wikipedia says.
"""

from __future__ import annotations

import bz2
import json
import lzma
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent / "regattn" / "words" / "shipped" / "wikipedia.json.xz"
DUMP = "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"  # of May 2016
SHORTEST = 50  # words


def articles() -> dict[str, str]:
    """Return the text of each article by its title."""
    from gensim.corpora.wikicorpus import extract_pages, filter_wiki
    from gensim.test.utils import datapath

    with bz2.open(datapath(DUMP), "rb") as dump:
        pages = {title: filter_wiki(text) for title, text, _ in extract_pages(dump, ("0",)) if not _leads_on(text)}
    return {title: text for title, text in pages.items() if len(text.split()) > SHORTEST}


def _leads_on(text: str) -> bool:
    return text.lower().startswith("#redirect")


if __name__ == "__main__":
    packed = json.dumps(articles(), ensure_ascii=False).encode()
    HOME.write_bytes(lzma.compress(packed, preset=9 | lzma.PRESET_EXTREME))
