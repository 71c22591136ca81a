"""The page on large jobs: every piece of its code runs, on files as it names them, and finds what one machine finds."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch.distributed as dist
import yaml
from distributed import LocalCluster

from regattn.regression import spectrum
from regattn.transformer import load_model
from regattn.words import PartialCounts, Vocabulary, count_cooccurrences, split_words
from tests.built import ROOT
from tests.words.test_totals import same

pytestmark = pytest.mark.weekly("book/reference/scaling.md", "tests/test_scaling.py")

PAGE = ROOT / "book" / "reference" / "scaling.md"
BLOCKS = re.findall(r"(?s)```python\n(.*?)```", PAGE.read_text(encoding="utf-8"))
TEXTS = ["the river flooded the bank", "a loan from the bank\nthe bank of the river"]


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """Return an empty folder, in which the code of the page runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def cluster():
    """Return a scheduler with two workers, which the code of the page finds by its file."""
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    with LocalCluster(**options, protocol="tcp", host="127.0.0.1") as found:
        yield found


def block(name: str) -> str:
    """Return the one piece of code that calls something."""
    (found,) = [code for code in BLOCKS if name in code]
    return found


def write_texts(folder: Path) -> None:
    (folder / "texts").mkdir(parents=True)
    (folder / "done").mkdir()
    for i, text in enumerate(TEXTS):
        (folder / "texts" / f"{i}.txt.gz").write_bytes(gzip.compress(text.encode()))


def expected():
    documents = [split_words(line) for text in TEXTS for line in text.splitlines()]
    words = Vocabulary.from_documents(documents, min_count=2, unknown="gap")
    return count_cooccurrences(documents, words, window=5, weighting="harmonic")


def test_every_piece_of_code_is_tried():
    assert len(BLOCKS) == 4


def test_counting_shard_by_shard_runs_as_it_stands(here):
    write_texts(here)
    names = {}
    exec(block('folder="done"'), names)
    assert same(names["table"], expected())


def test_counting_with_dask_runs_as_it_stands(here, cluster):
    write_texts(here / "shared")
    (here / "shared" / "scheduler.json").write_text(json.dumps({"address": cluster.scheduler_address}))
    exec(block("client=client"), {})
    assert same(PartialCounts.load(here / "shared" / "counts.npz").table(), expected())


def test_least_squares_in_parts_runs_as_it_stands(here, cluster):
    rows = np.random.default_rng(8).standard_normal((3, 31, 5))
    (here / "shared" / "rows").mkdir(parents=True)
    for i, part in enumerate(rows):
        np.save(here / "shared" / "rows" / f"{i}.npy", part)
    (here / "shared" / "scheduler.json").write_text(json.dumps({"address": cluster.scheduler_address}))
    names = {}
    exec(block("Factor.accumulate"), names)
    X, y = rows.reshape(-1, 5)[:, 1:], rows.reshape(-1, 5)[:, 0]
    whole = spectrum(X - X.mean(axis=0), centre=False).coefficients(y - y.mean(), ridge=[0.0, 1.0, 10.0])
    np.testing.assert_allclose(names["fit"].coef, whole.coef, atol=1e-13)  # of order one; three triangles added


def test_training_runs_as_it_stands(here, monkeypatch):
    (here / "shared").mkdir()
    np.save(here / "shared" / "tokens.npy", np.random.default_rng(9).integers(0, 65, 1000))
    # as torchrun would set it, for one process
    for name, value in {
        "RANK": 0,
        "LOCAL_RANK": 0,
        "WORLD_SIZE": 1,
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": 0,
    }.items():
        monkeypatch.setenv(name, str(value))
    code = block("DistributedDataParallel")
    small = [
        ("20_000", "2"),
        ("warmup=100", "warmup=1"),
        ("batch_size=64", "batch_size=2"),
        ("progress=True", "progress=False"),
    ]
    for old, new in small:
        assert old in code
        code = code.replace(old, new)
    names = {}
    exec(code, names)
    assert not dist.is_initialized()
    with pytest.raises(ValueError, match="holds no language model"):  # it is one of a training
        load_model(here / "shared" / "model.safetensors")
    again = names["LanguageModel"](names["architecture"], rng=1)
    names["train"](again, pytest.fail, names["plan"], checkpoint=here / "shared" / "model.safetensors")
    for ours, theirs in zip(again.parameters(), names["model"].parameters(), strict=True):
        assert ours.equal(theirs.cpu())


def test_the_extra_is_declared_and_the_page_stands_in_the_reference():
    assert "scale = [" in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    parts = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    (reference,) = [part for part in parts if part.get("caption") == "Reference"]
    assert {"file": "book/reference/scaling"} in reference["chapters"]
