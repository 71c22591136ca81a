"""On a graphics card: softmax attention against torch's fused kernel, and a training step in whole and half precision.

Needs a card that torch can use, and says so where there is none; `make bench` leaves it out there and the page keeps
the results that it has. The host only hands out work, so every run ends when the card has finished it.
"""

import sys
from functools import partial

import torch
from attend_softmax import FUSED, PLAIN, fused, ours
from measure import ROUNDS, THREADS, alternate, goal, ratio_to, repeated, summary, write
from training import BY_HAND, ENCODER, HEADS, LAYERS, VOCABULARY, contenders, plain_loss, step_of

from regattn.transformer import next_token_loss

OURS, STEP = "regattn attend", "regattn"
ROUGH = {torch.float32: 2e-5, torch.bfloat16: 2e-2}  # sums of thousands of terms; bfloat16 has eight bits
SHORT = {torch.float32: "float32", torch.bfloat16: "bfloat16"}


def finished(run, device):
    """Return a call that ends when the device has done its work."""

    def call():
        run()
        if device.type == "cuda":
            torch.cuda.synchronize(device)

    return call


@torch.inference_mode()
def attention_case(device, dtype, tokens, *, heads, causal, rounds, times):
    """Compare outputs in full, then time; ours checks its inputs, which the others do not."""
    generator = torch.Generator().manual_seed(tokens)
    q, k, v = torch.randn(3, 1, heads, tokens, 64, generator=generator).to(device, dtype).unbind()
    runs = {name: partial(run, q, k, v, causal=causal) for name, run in ((OURS, ours), (FUSED, fused))}
    if not causal:
        runs[PLAIN] = partial(scaled_plain, q, k, v)
    found = runs[OURS]().float()
    for name, run in runs.items():
        torch.testing.assert_close(run().float(), found, rtol=0, atol=ROUGH[dtype], msg=lambda m, n=name: f"{n}: {m}")
    calls = {name: finished(repeated(run, times), device) for name, run in runs.items()}
    rows = summary(alternate(calls, rounds=rounds), ours=OURS, times=times)
    behind = 1 / min(ratio_to(rows, name) for name in runs if name != OURS)
    aims = [goal("≤ 1.05 times as long as the fastest of torch's", behind, most=1.05)]
    case = f"{tokens:,} tokens, {heads} heads of width 64, {SHORT[dtype]}{', causal' if causal else ''}"
    return {"case": case, "rows": rows, "goals": aims}


def scaled_plain(q, k, v):
    return torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, dim=-1) @ v


def step_in(precision, model, loss, tokens, device):
    """Return one step of training whose products are in a precision; the weights stay in float32."""

    def rounded(model, tokens):
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=precision == torch.bfloat16):
            return loss(model, tokens)

    return step_of(model, rounded, tokens)


def training_case(device, precision, *, width, tokens, batch, steps, rounds):
    text = torch.randint(VOCABULARY, (batch, tokens + 1), generator=torch.Generator().manual_seed(0))
    models = contenders(width, tokens, text[:2])  # which compares losses and gradients, on the processor
    calls = {}
    for name, model in models.items():
        loss = next_token_loss if name == STEP else plain_loss
        step = step_in(precision, model.to(device), loss, text.to(device), device)
        calls[name] = finished(repeated(step, steps), device)
    rows = summary(alternate(calls, rounds=rounds), ours=STEP, times=steps)
    for row in rows:
        row["tokens per second"] = batch * tokens / row["seconds"]
    goals = [
        goal("≥ 1 times the tokens per second of nn.TransformerEncoder", ratio_to(rows, ENCODER), least=1.0),
        goal("≥ 1 times the tokens per second of the block by hand", ratio_to(rows, BY_HAND), least=1.0),
    ]
    case = f"training: {LAYERS} layers, {HEADS} heads, width {width}, {tokens} tokens, batch {batch}, "
    return {"case": case + SHORT[precision], "rows": rows, "goals": goals}


def measure(device="cuda", *, sizes=(2048, 16384), heads=16, width=512, tokens=256, batch=64, rounds=3 * ROUNDS):
    """Return the cases; `device` may be "cpu", so that a test can run them small."""
    device, cases = torch.device(device), []
    for dtype in SHORT:
        for n in sizes:
            times = max(1, max(sizes) // n // 2)
            cases += [
                attention_case(device, dtype, n, heads=heads, causal=causal, rounds=rounds, times=times)
                for causal in (False, True)
            ]
    sides = {"width": width, "tokens": tokens, "batch": batch, "steps": 3, "rounds": rounds}
    return [*cases, *(training_case(device, precision, **sides) for precision in SHORT)]


def main():
    if not torch.cuda.is_available():
        sys.exit("benchmarks/gpu.py needs a graphics card that torch can use; the results on the page stay")
    torch.set_num_threads(THREADS)
    card = torch.cuda.get_device_name()
    write("gpu", "On a graphics card: attention, and a training step", measure(), "torch", machine=card)


if __name__ == "__main__":
    main()
