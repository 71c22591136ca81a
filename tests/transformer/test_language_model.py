"""Facts about the language model, its generation and its files."""

from __future__ import annotations

import json
import math
import struct
from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn import functional

from regattn.transformer import (
    Architecture,
    LanguageModel,
    count_parameters,
    generate,
    load_model,
    next_token_distribution,
    next_token_loss,
    save_model,
)
from regattn.transformer._checks import ORDERS, SCHEMES
from regattn.transformer.checkpoints import read_tensors, write_tensors

SMALL = Architecture(vocabulary=13, layers=3, context=17, width=20, n_heads=5)


def tokens_of(*shape: int, seed: int = 1) -> torch.Tensor:
    return torch.randint(0, 13, shape, generator=torch.Generator().manual_seed(seed))


def test_model_equals_a_stack_of_torch_layers_with_the_same_weights():
    a = replace(SMALL, positions="learned", tied=False)
    model = LanguageModel(a, rng=3)
    tokens = tokens_of(2, 11)
    layer = nn.TransformerEncoderLayer(20, 5, 80, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
    stack = nn.TransformerEncoder(layer, 3, norm=nn.LayerNorm(20), enable_nested_tensor=False)
    names = {
        "attention.projection.": "self_attn.in_proj_",
        "attention.output.": "self_attn.out_proj.",
        "feed_forward.keys.": "linear1.",
        "feed_forward.values.": "linear2.",
        "norm_1.": "norm1.",
        "norm_2.": "norm2.",
    }
    for ours, theirs in zip(model.blocks, stack.layers, strict=True):
        state = {}
        for name, weight in ours.state_dict().items():
            prefix = next(p for p in names if name.startswith(p))
            state[names[prefix] + name.removeprefix(prefix)] = weight
        theirs.load_state_dict(state)
    r = model.embedding.weight[tokens] * math.sqrt(20) + model.positions.weight[:11]
    causal = nn.Transformer.generate_square_subsequent_mask(11)
    expected = functional.linear(stack(r, mask=causal), model.unembedding.weight)
    torch.testing.assert_close(model(tokens), expected, atol=2e-5, rtol=0)  # float32, sums of 80 terms


@pytest.mark.parametrize("positions", SCHEMES)
@pytest.mark.parametrize("order", ORDERS)
def test_no_logit_depends_on_a_later_token_to_the_bit(positions, order):
    model = LanguageModel(replace(SMALL, positions=positions, order=order))
    tokens = tokens_of(2, 11)
    changed = tokens.clone()
    changed[:, 6:] = (changed[:, 6:] + 5) % 13
    assert torch.equal(model(tokens)[:, :6], model(changed)[:, :6])
    assert not torch.equal(model(tokens)[:, 6:], model(changed)[:, 6:])


@pytest.mark.parametrize("positions", SCHEMES)
def test_cache_gives_the_logits_of_no_cache(positions):
    model = LanguageModel(replace(SMALL, positions=positions)).double()
    tokens = tokens_of(2, 11)
    caches = model.new_caches(11)
    pieces = [model(piece, caches=caches) for piece in tokens.split([4, 1, 1, 5], dim=1)]
    torch.testing.assert_close(torch.cat(pieces, 1), model(tokens), atol=1e-12, rtol=0)


@pytest.mark.parametrize("positions", SCHEMES)
def test_generation_is_the_same_with_and_without_the_cache(positions):
    model = LanguageModel(replace(SMALL, positions=positions), rng=2).double()
    with_cache, without = (
        generate(model, tokens_of(2, 3), 14, rng=torch.Generator().manual_seed(8), cached=cached)
        for cached in (True, False)
    )
    assert torch.equal(with_cache, without)
    assert torch.equal(with_cache[:, :3], tokens_of(2, 3))


def test_temperature_zero_takes_the_most_probable_token_at_every_step():
    model = LanguageModel(SMALL)
    text = generate(model, tokens_of(1, 3), 9, temperature=0.0)
    assert torch.equal(model(text[:, :-1])[:, 2:].argmax(-1), text[:, 3:])


def test_drawn_tokens_have_the_frequencies_of_their_distribution():
    model = LanguageModel(SMALL, rng=4)
    prompt = tokens_of(1, 5).expand(20_000, 5)
    drawn = generate(model, prompt, 1, temperature=0.7, rng=torch.Generator().manual_seed(3))[:, -1]
    p = torch.softmax(model(prompt[:1])[0, -1] / 0.7, dim=-1).detach()
    frequencies = torch.bincount(drawn, minlength=13) / 20_000
    assert ((frequencies - p).abs() < 5 * (p * (1 - p) / 20_000).sqrt() + 1e-9).all()  # five standard errors


def test_trace_ends_in_the_logits_and_its_weights_sum_to_one():
    model = LanguageModel(replace(SMALL, positions="rotary"))
    tokens = tokens_of(2, 7)
    trace = model.trace(tokens)
    assert torch.equal(trace.logits, model(tokens))
    assert not any(part.requires_grad for part in trace)
    assert trace.streams.shape == (4, 2, 7, 20)
    assert trace.weights.shape == (3, 2, 5, 7, 7)
    torch.testing.assert_close(trace.weights.sum(-1), torch.ones(3, 2, 5, 7))
    assert trace.weights.triu(1).abs().max() == 0


def test_seed_decides_the_weights_and_the_global_generator_is_left_alone():
    state = torch.get_rng_state()
    one, same, other = (LanguageModel(SMALL, rng=s) for s in (1, 1, 2))
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.equal(one.embedding.weight, same.embedding.weight)
    assert not torch.equal(one.embedding.weight, other.embedding.weight)


@pytest.mark.parametrize("layers", [1, 4])
def test_maps_that_write_to_the_stream_start_smaller_by_the_root_of_their_number_and_intercepts_at_zero(layers):
    model = LanguageModel(Architecture(vocabulary=997, layers=layers, context=5, width=96, n_heads=3, tied=False))
    for block in model.blocks:
        attention, forward = block.attention, block.feed_forward
        for reads in (attention.projection, forward.keys):
            assert reads.weight.std().item() == pytest.approx(96**-0.5, rel=0.04)  # 9216 or more draws: 1 % is usual
        for writes, width in ((attention.output, 96), (forward.values, 384)):
            assert writes.weight.std().item() == pytest.approx((width * 2 * layers) ** -0.5, rel=0.04)
        for each in (attention.projection, attention.output, forward.keys, forward.values):
            assert not each.bias.any()
    for end in (model.embedding, model.unembedding):
        assert end.weight.std().item() == pytest.approx(96**-0.5, rel=0.04)


def test_loss_is_the_mean_surprisal_in_nats():
    model = LanguageModel(SMALL)
    tokens = tokens_of(2, 5)
    p = torch.softmax(model(tokens[:, :-1]), dim=-1).detach()
    surprisals = [-math.log(p[b, t, tokens[b, t + 1]]) for b in range(2) for t in range(4)]
    assert next_token_loss(model, tokens).item() == pytest.approx(sum(surprisals) / 8, abs=1e-6)


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("positions", ["learned", "rotary"])
def test_parameter_counts_by_part_add_up_to_the_closed_form(tied, positions):
    a = replace(SMALL, tied=tied, positions=positions)
    d = 20
    expected = {
        "embedding": 13 * d,
        "positions": 17 * d if positions == "learned" else 0,
        "attention": 3 * (4 * d * d + 4 * d),
        "feed_forward": 3 * (8 * d * d + 5 * d),
        "norms": (2 * 3 + 1) * 2 * d,
        "unembedding": 0 if tied else 13 * d,
    }
    model = LanguageModel(a)
    assert count_parameters(model) == expected | {"total": sum(expected.values())}
    assert count_parameters(model)["total"] == sum(p.numel() for p in model.parameters())


def test_a_model_of_175_billion_parameters_is_counted_without_memory():
    with torch.device("meta"):
        model = LanguageModel(
            Architecture(vocabulary=50_257, layers=96, context=2048, width=12_288, n_heads=96, positions="learned")
        )
    counts = count_parameters(model)
    assert round(counts["total"] / 1e9, 1) == 174.6
    assert round(counts["attention"] / 1e9, 1) == 58.0


def test_next_token_distribution_equals_a_slow_loop():
    generator = torch.Generator().manual_seed(6)
    logits = torch.randn(23, generator=generator, dtype=torch.float64)
    for temperature, top_k, top_p in [(1.0, None, 1.0), (0.5, 7, 1.0), (1.3, None, 0.6), (0.9, 11, 0.8), (2.0, 1, 0.1)]:
        weights = {v: math.exp(float(z) / temperature) for v, z in enumerate(logits)}
        ranked = sorted(weights, key=lambda v: -weights[v])[: top_k or 23]
        total, kept, mass = sum(weights[v] for v in ranked), [], 0.0
        for v in ranked:
            if mass >= top_p:
                break
            kept.append(v)
            mass += weights[v] / total
        expected = torch.zeros(23, dtype=torch.float64)
        for v in kept:
            expected[v] = weights[v] / sum(weights[u] for u in kept)
        got = next_token_distribution(logits, temperature=temperature, top_k=top_k, top_p=top_p)
        torch.testing.assert_close(got, expected, atol=1e-14, rtol=0)


@pytest.mark.parametrize("vocabulary", [8, 4096])
def test_of_equally_probable_tokens_the_first_are_kept_and_no_more_than_needed(vocabulary):
    logits = torch.full((2, vocabulary), 0.7)
    for eighths in range(1, 9):
        kept = eighths * vocabulary // 8
        expected = torch.arange(vocabulary) < kept
        for settings in ({"top_p": eighths / 8}, {"top_p": (eighths - 0.5 * 8 / vocabulary) / 8}, {"top_k": kept}):
            p = next_token_distribution(logits, **settings)
            assert torch.equal(p > 0, expected.expand(2, -1)), settings
            torch.testing.assert_close(p[:, :kept], torch.full((2, kept), 1 / kept))


def test_ties_at_the_edge_go_to_the_first_by_number_wherever_the_larger_ones_stand():
    logits = torch.tensor([0.0, 1.0, 0.0, 1.0, 0.0, 1.0]) * math.log(2)  # ninths: 1, 2, 1, 2, 1, 2
    kept = {  # ranks 1, 3, 5, 0, 2, 4 with masses 2, 4, 6, 7, 8, 9 ninths
        0.1: [1],
        0.3: [1, 3],
        0.5: [1, 3, 5],
        0.7: [1, 3, 5, 0],
        0.85: [1, 3, 5, 0, 2],
        0.95: [1, 3, 5, 0, 2, 4],
    }
    for count, (top_p, tokens) in enumerate(kept.items(), start=1):
        for settings in ({"top_p": top_p}, {"top_k": count}):
            p = next_token_distribution(logits, **settings)
            assert p.nonzero()[:, 0].tolist() == sorted(tokens), settings


def test_extreme_logits_and_temperatures_stay_finite():
    for logits in (torch.tensor([1e8, -1e8, 0.0]), torch.tensor([1e-30, 0.0, 0.0])):
        for temperature in (0.0, 1e-30, 1e30):
            p = next_token_distribution(logits, temperature=temperature, top_p=0.9)
            assert torch.isfinite(p).all()
            assert float(p.sum()) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m(torch.zeros(1, 3)), "whole numbers"),
        (lambda m: m(torch.zeros(3, dtype=torch.long)), r"\(B, T\).*\(3,\)"),
        (lambda m: m(torch.zeros(0, 3, dtype=torch.long)), r"\(0, 3\)"),
        (lambda m: m(torch.tensor([[0, 13]])), "from 0 to 12, got 13"),
        (lambda m: m(torch.tensor([[0, -2]])), "from 0 to 12, got -2"),
        (lambda m: m(tokens_of(1, 18)), "17 rows, got 18 tokens"),
        (lambda m: generate(m, tokens_of(1, 5), 14), "17 rows, got 18 tokens"),
        (lambda m: generate(m, tokens_of(1, 5), 0), "n_new must be ≥ 1, got 0"),
        (lambda m: generate(m, tokens_of(1, 5), 3, temperature=-1.0), "temperature must be ≥ 0, got -1.0"),
        (lambda m: generate(m, tokens_of(1, 5), 3, top_k=14), "top_k must be ≤ 13 .*got 14"),
        (lambda m: generate(m, tokens_of(1, 5), 3, top_p=0.0), "top_p must be > 0, got 0.0"),
        (lambda m: next_token_distribution(torch.tensor([1.0, math.nan])), "logits must be finite, got nan"),
        (lambda m: next_token_loss(m, tokens_of(2, 1)), r"\(B, T \+ 1\).*\(2, 1\)"),
        (lambda m: LanguageModel(replace(SMALL, layers=0)), "layers must be ≥ 1, got 0"),
        (lambda m: LanguageModel(SMALL, rng=-1), "rng must be ≥ 0, got -1"),
    ],
)
def test_bad_input_is_refused_with_its_value(call, message):
    model = LanguageModel(replace(SMALL, positions="learned"))
    with pytest.raises(ValueError, match=message):
        call(model)


@pytest.mark.parametrize("tied", [True, False])
def test_a_saved_model_comes_back_bit_for_bit_with_its_card(tmp_path, tied):
    model = LanguageModel(replace(SMALL, tied=tied, positions="learned"), rng=5).double()
    path = tmp_path / "model.safetensors"
    save_model(model, path, card={"seed": 5})
    again, card = load_model(path)
    assert card == {"seed": 5}
    assert again.architecture == model.architecture
    assert torch.equal(again(tokens_of(2, 5)), model(tokens_of(2, 5)))
    assert [f.name for f in tmp_path.iterdir()] == ["model.safetensors"]  # nothing left behind


def test_a_truncated_checkpoint_is_refused_at_every_length(tmp_path):
    whole, cut = tmp_path / "whole.safetensors", tmp_path / "cut.safetensors"
    save_model(LanguageModel(SMALL), whole)
    data = whole.read_bytes()
    for length in (0, 5, 100, len(data) // 2, len(data) - 1):
        cut.write_bytes(data[:length])
        with pytest.raises(ValueError, match=r"cut\.safetensors is damaged"):
            load_model(cut)


def test_one_changed_bit_of_a_weight_is_refused(tmp_path):
    path = tmp_path / "m.safetensors"
    save_model(LanguageModel(SMALL), path)
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(data)
    with pytest.raises(ValueError, match="was altered"):
        load_model(path)


def test_a_changed_card_is_refused(tmp_path):
    path = tmp_path / "m.safetensors"
    save_model(LanguageModel(SMALL), path, card={"steps": 100})
    data = path.read_bytes()
    assert data.count(b'\\"steps\\": 100') == 1
    path.write_bytes(data.replace(b'\\"steps\\": 100', b'\\"steps\\": 900'))
    with pytest.raises(ValueError, match="was altered"):
        load_model(path)


def test_a_pickle_is_not_run(tmp_path):
    path, witness = tmp_path / "evil.safetensors", tmp_path / "ran"

    class Evil:
        def __reduce__(self):
            return (open, (str(witness), "w"))

    torch.save({"x": Evil()}, path)
    with pytest.raises(ValueError, match="damaged"):
        load_model(path)
    assert not witness.exists()


def test_files_of_another_make_are_refused(tmp_path):
    path = tmp_path / "other.safetensors"
    header = json.dumps({"x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + b"\0" * 4)
    with pytest.raises(ValueError, match="not written by this package"):
        load_model(path)
    write_tensors(path, {"x": torch.ones(1)}, note={"step": 1})
    with pytest.raises(ValueError, match=r"holds no language model: its note has \['step'\]"):
        load_model(path)
    with pytest.raises(FileNotFoundError, match="no checkpoint at"):
        load_model(tmp_path / "absent.safetensors")


def test_an_interrupted_write_leaves_the_old_file_whole(tmp_path, monkeypatch):
    path = tmp_path / "m.safetensors"
    write_tensors(path, {"x": torch.ones(3)}, note={"step": 1})

    def full_disk(_):
        raise OSError("no space left")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(OSError, match="no space left"):
        write_tensors(path, {"x": torch.zeros(3)}, note={"step": 2})
    assert read_tensors(path)[1] == {"step": 1}
    assert [f.name for f in tmp_path.iterdir()] == ["m.safetensors"]


def test_a_kernel_that_is_a_function_cannot_be_saved(tmp_path):
    model = LanguageModel(replace(SMALL, kernel=torch.relu))
    with pytest.raises(ValueError, match="kernel must be a name"):
        save_model(model, tmp_path / "m.safetensors")


@pytest.mark.parametrize("positions", ["learned", "rotary", "alibi", "sinusoidal"])
def test_a_model_that_has_generated_can_still_be_trained(positions):
    design = Architecture(vocabulary=11, layers=1, context=13, width=12, n_heads=3, positions=positions)
    model = LanguageModel(design, rng=3)
    text = generate(model, torch.tensor([[5, 2]]), 7)
    next_token_loss(model, text).backward()
    assert all(weight.grad is not None and weight.grad.isfinite().all() for weight in model.parameters())
