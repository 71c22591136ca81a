"""A language model that trains inside a page: its steps in the browser beside the same steps in torch and NumPy.

All begin with the same weights, read the same sentences and end with the same numbers. The page computes in double
precision on one thread; torch has two, once in double precision, once in single, as it is used. The page draws its
sentences in the measured time, the others are given them.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from measure import THREADS, alternate, goal, ratio_to, summary, write

from regattn.transformer import Architecture, LanguageModel, next_token_loss
from regattn.transformer._by_hand import BETAS, Adam, Sizes, first_weights, loss_and_gradient
from regattn.widgets import TrainingExplorer
from regattn.widgets._kit.page import scope_name
from regattn.widgets._kit.page_rng import mulberry32

sys.path.append(str(Path(__file__).parents[1]))
from tests.browser import launch, open_offline
from tests.widgets.pages import write_page

OURS, LOOPS, NUMPY = "regattn, in the page", "regattn, in the page, without vectors", "regattn, NumPy"
DOUBLE, SINGLE = "torch, double precision", "torch, single precision"
SEED, RATE = 1, 0.01
THEIRS = {
    "gain_1": "norm_1",
    "projection": "attention.projection",
    "output": "attention.output",
    "gain_2": "norm_2",
    "keys": "feed_forward.keys",
    "values": "feed_forward.values",
}

# Leaves train(steps, plain) on the window: steps alone, without judging or writing on the way.
READY = """async ([code, serve, walk, settings]) => {
  const exported = `${code}\\nexport const module = { ...${serve}, ...${walk} };`;
  const { module } = await import("data:text/javascript;charset=utf-8," + encodeURIComponent(exported));
  const data = { ...document.querySelector("figure.regattn").model.get("data"), every: Infinity, says: Infinity };
  const task = module.taskOf(data, data.text);
  const trainers = [false, true].map((plain) => module.makeTrainer(task, { ...data, plain }));
  window.train = (steps, plain) => {
    const trainer = trainers[Number(plain)];
    trainer.begin(settings);
    for (let k = 0; k < steps; k += 1) trainer.advance(settings);
  };
  window.trained = (plain) => Array.from(trainers[Number(plain)].state().weights);
}"""


def rate_at(data, t):
    return RATE * min((t + 1) / data["rise"], (data["steps"] - t) / (data["steps"] - data["rise"]))


def by_torch(sizes, data, batches, dtype):
    """Return a function that takes the steps in torch."""
    V, D, H, F, L = sizes
    design = Architecture(
        vocabulary=V,
        width=D,
        n_heads=H,
        hidden=F,
        layers=L,
        context=data["length"],
        norm="rms",
        activation="relu",
        bias=False,
        positions="rotary",
    )
    model = LanguageModel(design).to(dtype)
    parameters = dict(model.named_parameters())
    start, named = first_weights(sizes, mulberry32(SEED)), {}
    for name in start:
        part, _, k = name.partition(".")
        there = f"blocks.{k}.{THEIRS[part]}" if k else {"embedding": "embedding", "gain": "final_norm"}[part]
        named[name] = parameters[f"{there}.weight"]
    flip = [name for name in start if name.partition(".")[0] in ("projection", "output", "keys", "values")]
    first = {name: torch.from_numpy(value.T if name in flip else value).to(dtype) for name, value in start.items()}
    given = [torch.from_numpy(tokens) for tokens in batches]

    def run():
        with torch.no_grad():
            for name, parameter in named.items():
                parameter.copy_(first[name])
        optimiser = torch.optim.Adam(model.parameters(), lr=RATE, betas=BETAS, fused=True)
        for t, tokens in enumerate(given):
            optimiser.param_groups[0]["lr"] = rate_at(data, t)
            optimiser.zero_grad(set_to_none=True)
            next_token_loss(model, tokens).backward()
            optimiser.step()
        found = {name: parameter.detach().numpy() for name, parameter in named.items()}
        return np.concatenate([(part.T if name in flip else part).ravel() for name, part in found.items()])

    return run


def by_numpy(sizes, data, batches):
    """Return a function that takes the steps by hand."""

    def run():
        weights = first_weights(sizes, mulberry32(SEED))
        adam = Adam(weights)
        for t, tokens in enumerate(batches):
            adam.move(weights, loss_and_gradient(sizes, weights, tokens)[1], rate_at(data, t))
        return np.concatenate([part.ravel() for part in weights.values()])

    return run


def case(browser, *, steps, rounds, **sizes_of):
    """Return the steps of an explorer in a page beside the same steps by other means."""
    explorer = TrainingExplorer(seed=SEED, learning_rate=RATE, **sizes_of)
    data = explorer._data
    sizes = Sizes(len(data["words"]), *(data[name] for name in Sizes._fields[1:]))
    task, _ = explorer.trained()
    batches = [task.batch(SEED, t) for t in range(steps)]
    with tempfile.TemporaryDirectory() as folder, open_offline(browser, write_page(Path(folder), explorer)) as page:
        page.wait_for_function("document.querySelector('figure.regattn').model")
        scopes = [scope_name(f"training/{part}.js") for part in ("serve", "walk")]
        page.evaluate(READY, [explorer._esm, *scopes, {"seed": SEED, "learning_rate": RATE}])
        runs = {
            OURS: lambda: page.evaluate("(steps) => train(steps, false)", steps),
            LOOPS: lambda: page.evaluate("(steps) => train(steps, true)", steps),
            NUMPY: by_numpy(sizes, data, batches),
            DOUBLE: by_torch(sizes, data, batches, torch.float64),
            SINGLE: by_torch(sizes, data, batches, torch.float32),
        }
        runs[OURS]()
        runs[LOOPS]()
        ours, loops = (np.array(page.evaluate("(plain) => trained(plain)", plain)) for plain in (False, True))
        for name, weights in {LOOPS: loops, NUMPY: runs[NUMPY](), DOUBLE: runs[DOUBLE]()}.items():
            np.testing.assert_allclose(weights, ours, rtol=0, atol=1e-8 * np.abs(ours).max(), err_msg=name)
        rows = summary(alternate(runs, rounds=rounds), ours=OURS, also=(LOOPS, NUMPY), times=steps)
        errors = page.errors
    if errors:
        raise AssertionError(f"the page logged {errors}")
    for row in rows:
        row["words per second"] = data["batch"] * data["length"] / row["seconds"]
    goals = [
        goal(
            f"≥ 0.9 times as fast as torch on {THREADS} threads, both in double precision",
            ratio_to(rows, DOUBLE),
            least=0.9,
        ),
        goal(
            f"≥ 0.9 times as fast as torch on {THREADS} threads in single precision", ratio_to(rows, SINGLE), least=0.9
        ),
    ]
    width, layers = data["width"], data["layers"]
    what = f"TrainingExplorer: {layers} block{'s' if layers > 1 else ''} of width {width}, {steps} steps"
    return {
        "case": f"{what} of {data['batch']} texts of {data['length']} words",
        "note": "The page computes in double precision on one thread.",
        "rows": rows,
        "goals": goals,
    }


def measure(*, steps=60, rounds=7):
    with launch() as browser:
        return [case(browser, steps=steps, rounds=rounds)]


def main():
    torch.set_num_threads(THREADS)
    question = "Learning a language in a page"
    write("page_language_model", question, measure(), "torch", "playwright")


if __name__ == "__main__":
    main()
