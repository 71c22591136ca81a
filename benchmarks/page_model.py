"""The language model of chapter 18 in JavaScript, as a page runs it: a word, and a sentence, beside NumPy and torch.

The page's modules run in Node, which has the engine of Chromium; one process stays open and times itself, so that
no start is counted. JavaScript and NumPy compute in double precision with the weights rounded to 16 bits, which is how
they travel; torch has them in single precision. The floors multiply one vector by every matrix of the model, once for
each token, in JavaScript and in NumPy.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from generation import floor
from measure import ROUNDS, THREADS, alternate, goal, repeated, summary, write

sys.path.append(str(Path(__file__).parents[1]))
from regattn.grammar import Grammar
from regattn.transformer import Decoder, LanguageModel, load_shipped
from regattn.transformer._halves import in_halves, packed
from regattn.widgets._kit.page import assemble
from tests.node import node

SENTENCE = 24  # words, the longest that an explorer reads; before them stands a full stop
OURS, NUMPY, TORCH = "regattn, JavaScript", "regattn, NumPy", "torch, the whole text at once"
FLOOR, FLOOR_NUMPY = "the matrix products alone, JavaScript", "reading the weights once a token, NumPy"
WORD_MS, SENTENCE_MS = 5.0, 60.0  # what a reader does not notice, and what is still at once

SERVER = """
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
const { packed, tokens } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const model = openModel(packed);
const begun = readText(model, tokens.slice(0, -1));
const maps = [...model.layers.flatMap((layer) => Object.values(layer)), model.unembedding];
const pairs = maps.map((map) => [map, new Float64Array(map.weight.length / map.bias.length).fill(1)]);
const runs = {
  word: () => readOn(model, begun, tokens.at(-1)),
  sentence: () => readText(model, tokens),
  products: (times) => { for (let k = 0; k < times; k++) for (const [map, ones] of pairs) applied(map, ones); },
};
for await (const line of createInterface({ input: process.stdin })) {
  const [name, times, ...more] = JSON.parse(line);
  let rows;
  for (let k = 0; k < times; k++) rows = runs[name](...more);
  console.log(JSON.stringify(rows ? Array.from(rows.at(-1).logits) : null));
}
"""


@contextmanager
def asked(model: LanguageModel, tokens: list[int]) -> Iterator[Callable[..., Any]]:
    """Give a function that has a process of Node do one of its runs some times, and returns the last logits."""
    with tempfile.TemporaryDirectory() as folder:
        given, server = Path(folder) / "given.json", Path(folder) / "server.mjs"
        given.write_text(json.dumps({"packed": packed(model), "tokens": tokens}), encoding="utf-8")
        server.write_text(f"{assemble('_numbers/transformer.js')}\n{SERVER}", encoding="utf-8")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        with subprocess.Popen([node(), server, given], **pipes) as process:

            def ask(*request: Any) -> Any:
                process.stdin.write(json.dumps(request) + "\n")
                process.stdin.flush()
                return json.loads(process.stdout.readline())

            try:
                yield ask
            finally:
                process.stdin.close()


def read_on(model: LanguageModel, tokens: list[int]) -> Callable[[], np.ndarray]:
    """Return a call that reads the last token after the others, which are kept."""
    decoder = Decoder(model, capacity=len(tokens))
    decoder.read(tokens[:-1])

    def run() -> np.ndarray:
        decoder.length = len(tokens) - 1
        return decoder.read(tokens[-1:])[-1]

    return run


def read_whole(model: LanguageModel, tokens: list[int]) -> Callable[[], np.ndarray]:
    """Return a call that reads all tokens at once, from the first."""
    decoder = Decoder(model, capacity=len(tokens))

    def run() -> np.ndarray:
        decoder.length = 0
        return decoder.read(tokens)[-1]

    return run


def case(ask: Callable[..., Any], name: str, tokens: list[int], *, rounds: int, times: int) -> list[dict[str, Any]]:
    """Return the rows for a "word" or the whole "sentence", after checking that all find the same logits."""
    shipped, _ = load_shipped()
    rounded, new = in_halves(shipped), 1 if name == "word" else len(tokens)
    whole = torch.tensor([tokens])
    in_numpy = (read_on if name == "word" else read_whole)(rounded, tokens)
    in_torch = torch.inference_mode()(lambda: shipped(whole)[0, -1])
    found = in_numpy()
    np.testing.assert_allclose(ask(name, 1), found, rtol=0, atol=1e-9)
    np.testing.assert_allclose(in_torch().numpy(), found, rtol=0, atol=0.02 * np.abs(found).max())  # 16 bits
    contenders = {
        OURS: lambda: ask(name, times),
        NUMPY: repeated(in_numpy, times),
        TORCH: repeated(in_torch, times),
        FLOOR: lambda: ask("products", times, new),
        FLOOR_NUMPY: floor(rounded, times * new),
    }
    return summary(alternate(contenders, rounds=rounds), ours=OURS, also=(NUMPY,), times=times)


def measure(*, words: int = SENTENCE, rounds: int = 2 * ROUNDS, times: int = 10) -> list[dict[str, Any]]:
    """Return two cases: one more word, read so many times in a run, and all words of a sentence, read once."""
    tokens = Grammar().sample_tokens(np.random.default_rng(0), texts=1, length=words + 1)[0].tolist()
    titles = {
        "word": (f"a new word, the {words}th of a sentence", WORD_MS),
        "sentence": (f"a sentence of {words} words", SENTENCE_MS),
    }
    cases = []
    with asked(load_shipped()[0], tokens) as ask:
        for name, (title, most) in titles.items():
            rows = case(ask, name, tokens, rounds=rounds, times=times if name == "word" else 1)
            aim = goal(f"≤ {most:g} ms in JavaScript", rows[0]["seconds"] * 1e3, most=most)
            cases.append({"case": title, "rows": rows, "goals": [aim]})
    return cases


def main() -> None:
    torch.set_num_threads(THREADS)
    write("page_model", "The language model in the page: how soon it answers", measure(), "torch")


if __name__ == "__main__":
    main()
