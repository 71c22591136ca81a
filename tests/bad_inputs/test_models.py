"""Faults in, refusals or distributions out: language models, drawing text, training, and the files they leave."""

import contextlib
import json
import os
import pickle
import resource
import struct
from dataclasses import asdict

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st

from regattn.transformer import (
    Architecture,
    Block,
    BlockDesign,
    FeedForward,
    LanguageModel,
    MultiHeadAttention,
    TrainingPlan,
    generate,
    load_model,
    next_token_distribution,
    next_token_loss,
    save_model,
    text_batches,
    train,
)
from regattn.transformer._plan import learning_rate
from regattn.transformer.checkpoints import read_tensors, write_tensors
from regattn.transformer.multihead import KeyValueCache
from tests.bad_inputs.inputs import ODD, REFUSED, many, outcome

pytestmark = pytest.mark.weekly  # and whenever what it imports differs from main

SIZES = {"vocabulary": 11, "layers": 1, "context": 7, "width": 6, "n_heads": 3}
MODEL = LanguageModel(Architecture(**SIZES)).eval()

ENTRANCES = {
    "logits": next_token_distribution,
    "temperature": lambda x: next_token_distribution(torch.arange(3.0), temperature=x),
    "top_k": lambda x: next_token_distribution(torch.arange(3.0), top_k=x),
    "top_p": lambda x: next_token_distribution(torch.arange(3.0), top_p=x),
    "prompt": lambda x: generate(MODEL, x, 2),
    "n_new": lambda x: generate(MODEL, torch.tensor([[1]]), x if not isinstance(x, int) else 0),
    "tokens": MODEL,
    "trace": MODEL.trace,
    "text_batches": lambda x: text_batches(x, batch_size=2, context=1)(0),
    "batch": lambda x: text_batches(range(9), batch_size=0 if isinstance(x, int) else x, context=1)(0),
    "step": lambda x: learning_rate(TrainingPlan(steps=5), x),
    "KeyValueCache": KeyValueCache,
    "block input": lambda x: MultiHeadAttention(6, 2).double()(x),
    "feed-forward width": lambda x: FeedForward(0 if isinstance(x, int) else x, 4),
    **{
        f"plan, {name}": lambda x, name=name: TrainingPlan(**({"steps": 5} | {name: x}))
        for name in (
            "steps",
            "peak",
            "warmup",
            "final",
            "weight_decay",
            "clip",
            "patience",
            "evaluate_every",
            "save_every",
        )
    },
    **{
        f"architecture, {name}": lambda x, name=name: Architecture(**(SIZES | {name: x}))
        for name in (*SIZES, "hidden", "order", "norm", "activation", "kernel", "positions")
    },
}


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_odd_inputs_are_refused_or_answered(entrance):
    for odd in ODD.values():
        outcome(ENTRANCES[entrance], odd())


@many(500)
@given(st.data())
def test_any_logits_and_settings_are_refused_or_give_a_distribution(data):
    vocabulary = data.draw(st.integers(1, 6))
    dtype = data.draw(st.sampled_from([torch.float32, torch.float64, torch.float16]))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    size = 10.0 ** data.draw(st.integers(-320, 300))
    logits = torch.from_numpy(np.round(rng.normal(size=(2, vocabulary)), 1) * size).to(dtype)
    settings = {
        "temperature": data.draw(st.sampled_from([0, 5e-324, 1e-50, 1e-10, 0.5, 1.0, 1e8, 1e308, -1.0, np.nan])),
        "top_k": data.draw(st.sampled_from([None, 1, 2, vocabulary, vocabulary + 1, 0])),
        "top_p": data.draw(st.sampled_from([1.0, 0.9, 0.5, 1e-8, 5e-324, 0.0, 1.1])),
    }
    p = outcome(lambda logits: next_token_distribution(logits, **settings), logits)
    k, top_p = settings["top_k"], settings["top_p"]
    fits = torch.isfinite(logits).all() and settings["temperature"] >= 0 and 0 < top_p <= 1
    assert (p is not REFUSED) == bool(fits and (k is None or 1 <= k <= vocabulary))
    if p is REFUSED:
        return
    room = {torch.float16: 5e-3, torch.float32: 1e-6, torch.float64: 1e-12}[dtype]
    assert (p >= 0).all()
    torch.testing.assert_close(p.double().sum(-1), torch.ones(2, dtype=torch.float64), rtol=0, atol=room)
    assert ((p > 0).sum(-1) <= (vocabulary if k is None else k)).all()
    best = (logits == logits.amax(-1, keepdim=True)).to(torch.uint8).argmax(-1)
    assert (p.gather(-1, best[:, None])[:, 0] >= p.amax(-1) - room).all()
    if settings["temperature"] == 1.0 and k is None and top_p == 1.0:
        expected = torch.from_numpy(logits.double().numpy())
        torch.testing.assert_close(p.double(), torch.softmax(expected, -1), rtol=0, atol=room)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("settings", [{"temperature": 1e-50}, {"temperature": 5e-324}, {"top_p": 5e-324}])
def test_the_smallest_settings_put_all_mass_on_the_largest_logit(dtype, settings):
    p = next_token_distribution(torch.tensor([1.0, 3.0, 2.0], dtype=dtype), **settings)
    assert p.tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("dtype", [torch.bool, torch.int8, torch.uint8, torch.float32, torch.complex64])
def test_tokens_of_another_kind_are_refused_by_name(dtype):
    with pytest.raises(ValueError, match=rf"tokens must be whole numbers of shape \(B, T\), got {dtype} \(1, 1\)"):
        MODEL(torch.ones(1, 1, dtype=dtype))


def test_one_token_and_one_word_are_enough():
    single = LanguageModel(Architecture(vocabulary=1, layers=1, context=1, width=1, n_heads=1)).eval()
    assert next_token_distribution(single(torch.tensor([[0]]))).tolist() == [[[1.0]]]
    assert generate(single, torch.tensor([[0]]), 3).tolist() == [[0, 0, 0, 0]]
    assert next_token_loss(single, torch.tensor([[0, 0]])).item() == 0.0


@pytest.mark.parametrize(
    "call",
    [
        lambda: MODEL(torch.zeros(0, 3, dtype=torch.int64)),
        lambda: MODEL(torch.zeros(2, 0, dtype=torch.int64)),
        lambda: MODEL.trace(torch.zeros(0, 3, dtype=torch.int64)),
        lambda: next_token_loss(MODEL, torch.zeros(0, 3, dtype=torch.int64)),
        lambda: generate(MODEL, torch.zeros(0, 3, dtype=torch.int64), 2),
        lambda: generate(MODEL, torch.zeros(2, 0, dtype=torch.int64), 2),
        lambda: MultiHeadAttention(6, 2)(torch.zeros(0, 3, 6)),
        lambda: MultiHeadAttention(6, 2)(torch.zeros(2, 0, 6)),
        lambda: MultiHeadAttention(6, 2).weights(torch.zeros(0, 3, 6)),
        lambda: Block(BlockDesign(width=6, n_heads=2))(torch.zeros(0, 3, 6)),
        lambda: next_token_distribution(torch.zeros(0, 3)),
        lambda: text_batches([], batch_size=2, context=1),
    ],
)
def test_an_empty_batch_is_refused_in_words(call):
    with pytest.raises(ValueError, match=r"empty|got .*\(0, |got .*\(2, 0\b|got shape \(0,|got 0"):
        call()


def test_extreme_weights_of_a_model_give_a_distribution_or_are_refused():
    for size in (1e8, -1e8):
        model = LanguageModel(Architecture(**SIZES)).eval()
        with torch.no_grad():
            model.embedding.weight.mul_(size)
        p = outcome(lambda tokens, model=model: next_token_distribution(model(tokens)), torch.tensor([[1, 2, 3]]))
        assert p is not REFUSED
        torch.testing.assert_close(p.sum(-1), torch.ones(1, 3))


@pytest.mark.parametrize("tokens", [[0.5, 1.5, 2.5], [True, False, True], ["a", "b", "c"], [None, 1, 2]])
def test_a_text_that_is_not_of_whole_numbers_is_refused(tokens):
    with pytest.raises(ValueError, match="tokens must be whole numbers, got dtype"):
        text_batches(tokens, batch_size=1, context=1)


def test_training_on_numbers_that_are_not_finite_stops_before_it_touches_the_weights():
    model = torch.nn.Linear(1, 1)
    before = model.weight.detach().clone()
    with pytest.raises(ValueError, match="the loss must be finite, got nan at step 0"):
        train(model, lambda step: torch.tensor([[np.nan]]), TrainingPlan(steps=2), loss=lambda m, x: m(x).mean())
    assert torch.equal(model.weight, before)


TENSORS = {"x": torch.arange(6.0).reshape(2, 3), "y": torch.ones(1, dtype=torch.float16)}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("checkpoints") / "model.safetensors"
    save_model(MODEL, path, card={"steps": 3})
    return path


@many(400)
@given(data=st.data())
def test_a_truncated_or_altered_checkpoint_is_refused(data, saved):
    original = saved.read_bytes()
    place = data.draw(st.integers(0, len(original) - 1))
    damage = data.draw(st.sampled_from(["cut", "flip", "insert", "append", "zero"]))
    altered = {
        "cut": original[:place],
        "flip": original[:place]
        + bytes([original[place] ^ (1 << data.draw(st.integers(0, 7)))])
        + original[place + 1 :],
        "insert": original[:place] + b"7" + original[place:],
        "append": original + b"\0",
        "zero": original[:place] + bytes(len(original) - place),
    }[damage]
    path = saved.with_name("altered.safetensors")
    path.write_bytes(altered)
    if altered == original:
        return
    with contextlib.suppress(ValueError):
        model, card = load_model(path)
        # only what carries no meaning may differ: blanks in the header
        assert card == {"steps": 3}
        assert all(torch.equal(a, b) for a, b in zip(model.parameters(), MODEL.parameters(), strict=True))


def _header(path):
    raw = path.read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    return json.loads(raw[8 : 8 + length]), raw[8 + length :]


def _with_header(path, header, body):
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)
    return path


def test_a_note_that_was_changed_is_refused(saved, tmp_path):
    header, body = _header(saved)
    header["__metadata__"]["note"] = header["__metadata__"]["note"].replace('"steps": 3', '"steps": 9')
    with pytest.raises(ValueError, match=r"a.safetensors was altered and was not loaded: sha256 is"):
        load_model(_with_header(tmp_path / "a.safetensors", header, body))


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 7, b"\xff" * 64, b"not a checkpoint", pickle.dumps({"x": 1}), b"PK\3\4"]
)
def test_files_of_another_make_are_refused_and_never_run(content, tmp_path):
    path = tmp_path / "other.safetensors"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"checkpoint other.safetensors is damaged and was not loaded"):
        read_tensors(path)


class _Bomb:
    def __reduce__(self):
        return os.mkdir, ("ran",)


def test_a_pickle_is_not_unpickled(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    torch.save(_Bomb(), tmp_path / "bomb.pt")
    with pytest.raises(ValueError, match=r"bomb.pt is damaged"):
        load_model(tmp_path / "bomb.pt")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("fault", ["write", "fsync", "replace"])
@pytest.mark.parametrize("error", [OSError("no space left"), KeyboardInterrupt()])
def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(fault, error, tmp_path, monkeypatch):
    path = tmp_path / "a.safetensors"
    write_tensors(path, TENSORS, note={"step": 1})

    def interrupted(*_):
        raise error

    if fault == "write":
        open_file = os.fdopen

        def half_written(*args):
            file = open_file(*args)
            write = file.write

            class Half:
                def __enter__(self):
                    return self

                def __exit__(self, *_):
                    file.close()

                def write(self, data):
                    write(data[: len(data) // 2])
                    raise error

            return Half()

        monkeypatch.setattr(os, "fdopen", half_written)
    else:
        monkeypatch.setattr(os, fault, interrupted)
    with pytest.raises(type(error)):
        write_tensors(path, {"x": torch.zeros(2)}, note={"step": 2})
    monkeypatch.undo()
    assert [each.name for each in tmp_path.iterdir()] == ["a.safetensors"]
    tensors, note = read_tensors(path)
    assert note == {"step": 1}
    assert torch.equal(tensors["x"], TENSORS["x"])


@pytest.mark.parametrize("note", [{"architecture": SIZES}, {"card": {}}, {}, ["architecture", "card"], 3])
def test_a_checkpoint_of_something_else_is_no_language_model(note, tmp_path):
    write_tensors(tmp_path / "a.safetensors", TENSORS, note=note)
    with pytest.raises(ValueError, match=r"checkpoint a.safetensors holds no language model: its note has"):
        load_model(tmp_path / "a.safetensors")


@pytest.mark.parametrize("note", [{"x": object()}, {"x": {1, 2}}])
def test_a_note_that_is_no_json_writes_nothing(note, tmp_path):
    with pytest.raises(TypeError, match="not JSON serializable"):
        write_tensors(tmp_path / "a.safetensors", TENSORS, note=note)
    assert list(tmp_path.iterdir()) == []


LARGE = {  # what a note may claim, however small the file
    "vocabulary": [10**9, 10**30],
    "layers": [10**9, 10**30, 2],
    "width": [6 * 10**6, 6 * 10**18],
    "n_heads": [4, 10**9],
    "hidden": [10**12, 10**30],
    "context": [10**15, 10**30],
    "positions": ["learned", ["none"], {}],
    "kernel": ["linear", 3, None, ["softmax"]],
    "activation": [[], "exec"],
    "tied": [False],
    "surplus": [1],
}


@pytest.mark.parametrize(("size", "value"), [(size, value) for size in LARGE for value in LARGE[size]])
def test_a_note_that_describes_another_model_than_the_file_holds_is_refused_before_it_is_built(size, value, tmp_path):
    claimed = {**asdict(MODEL.architecture), "positions": "learned" if size == "context" else "none", size: value}
    write_tensors(tmp_path / "a.safetensors", dict(MODEL.named_parameters()), note={"architecture": claimed, "card": 0})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ValueError, match=r"checkpoint a.safetensors was not loaded: "):
        load_model(tmp_path / "a.safetensors")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes


def _claiming(tensors, path):
    write_tensors(path, tensors, note={"architecture": asdict(MODEL.architecture), "card": 0})
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.to(torch.int64), "of one floating-point type, got torch.int64"),
        (lambda t: t if t.ndim > 1 else t.double(), "of one floating-point type, got torch.float32, torch.float64"),
        (lambda t: t.flatten(), r"has shape \(\d+,\), expected \(\d+, \d+\)"),
        (lambda t: t * np.nan, "has numbers that are not finite"),
    ],
)
def test_tensors_that_are_not_the_models_are_refused(change, message, tmp_path):
    path = _claiming({name: change(p.detach()) for name, p in MODEL.named_parameters()}, tmp_path / "a.safetensors")
    with pytest.raises(ValueError, match=message):
        load_model(path)


@pytest.mark.parametrize("architecture", [None, [], "small", 3, {}])
def test_an_architecture_that_is_no_set_of_sizes_is_refused(architecture, tmp_path):
    note = {"architecture": architecture, "card": 0}
    write_tensors(tmp_path / "a.safetensors", dict(MODEL.named_parameters()), note=note)
    with pytest.raises(ValueError, match="it describes an unknown architecture"):
        load_model(tmp_path / "a.safetensors")


@pytest.mark.parametrize("text", ["[" * 200_000, "{", "9" * 5000])
def test_a_note_that_is_no_json_is_refused(text, tmp_path, monkeypatch):
    monkeypatch.setattr(json, "dumps", lambda note, **_: text)
    write_tensors(tmp_path / "a.safetensors", TENSORS, note={})
    with pytest.raises(ValueError, match=r"checkpoint a.safetensors has a note that is no JSON"):
        read_tensors(tmp_path / "a.safetensors")


def test_a_checkpoint_of_something_else_does_not_resume_a_training(tmp_path):
    path, model, plan = tmp_path / "a.safetensors", torch.nn.Linear(1, 1), TrainingPlan(steps=1)
    how = {"loss": lambda model, x: (model(x) ** 2).mean(), "checkpoint": path}
    before = model.weight.detach().clone()
    for note in ({"step": 1}, ["plan", "rows"], None, 3):
        write_tensors(path, {}, note=note)
        with pytest.raises(ValueError, match=r"checkpoint a.safetensors is not one of a training: its note says"):
            train(model, lambda step: torch.ones(1, 1), plan, **how)
    path.unlink()
    train(model, lambda step: torch.ones(1, 1), plan, **how)
    tensors, note = read_tensors(path)
    for missing in tensors:
        write_tensors(path, {name: t for name, t in tensors.items() if name != missing}, note=note | {"step": 0})
        before = model.weight.detach().clone()
        with pytest.raises(ValueError, match="the checkpoint belongs to another model"):
            train(model, lambda step: torch.ones(1, 1), plan, **how)
        assert torch.equal(model.weight, before)


@pytest.mark.parametrize(
    ("module", "x", "message"),
    [
        (MultiHeadAttention(6, 2), torch.zeros(1, 2, 6).double(), "x must be torch.float32 .* torch.float64"),
        (FeedForward(6, 11), torch.zeros(2, 6).half(), "x must be torch.float32 .* torch.float16"),
        (FeedForward(6, 11), torch.zeros(2, 7), r"x must have shape \(\.\.\., 6\), got \(2, 7\)"),
        (FeedForward(6, 11), [[0.0] * 6], "x must be a tensor of shape .* got list"),
        (Block(BlockDesign(width=6, n_heads=2)), torch.zeros(1, 2, 6).double(), "r must be torch.float32"),
        (
            Block(BlockDesign(width=6, n_heads=2)),
            torch.zeros(1, 2, 5),
            r"r must have shape \(B, T, 6\), got \(1, 2, 5\)",
        ),
    ],
    ids=["heads-double", "memory-half", "memory-width", "memory-list", "block-double", "block-width"],
)
def test_tokens_that_do_not_fit_the_weights_are_refused_by_name(module, x, message):
    with pytest.raises(ValueError, match=message):
        module(x)
