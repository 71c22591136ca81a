"""Training inside a page: the steps of two explorers in the browser, beside the same steps in torch and scikit-learn.

All begin with the same numbers and end with the same. The page's steps are measured where readers have them, in a
browser with the network cut off; without drawing, as the others, and with the picture that the explorer draws in every
frame while it plays. A page has one thread, and so have all: for steps as small as these a second one gains nothing.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from measure import alternate, goal, ratio_to, summary, write
from sklearn.neural_network import MLPClassifier
from threadpoolctl import threadpool_limits
from torch import nn

from regattn.regression import _context_training as training
from regattn.widgets import ContextExplorer, NetworkExplorer
from regattn.widgets._kit.page import scope_name

sys.path.append(str(Path(__file__).parents[1]))
from tests.browser import launch, open_offline
from tests.widgets.pages import write_page

OURS, DRAWN = "regattn, in the page", "regattn, in the page, every frame drawn"
NUMPY, TORCH, SKLEARN = "regattn, NumPy", "torch", "scikit-learn MLPClassifier, partial_fit"
FRAMES = 60  # a second
ROWS, UNITS = 480, 8
ALONE = "All on one thread."
CONTEXT = {"depth": 4, "tied": False, "learning_rate": 0.05}

# Leaves two calls on the window: steps of training alone, and steps of the explorer as it plays, each frame drawn.
READY = """async ([code, scope, name, settings]) => {
  const exported = `${code}\\nexport const module = ${scope};`;
  const { module } = await import("data:text/javascript;charset=utf-8," + encodeURIComponent(exported));
  const { model } = document.querySelector("figure.regattn");
  const data = model.get("data");
  const flat = (rows) => Float64Array.from(rows.flat());
  const training = name === "network"
    ? module.networkTraining({ ...data, inputs: flat(data.X), inputs_held_out: flat(data.X_held_out) })
    : module.contextTraining({ ...data, scales: Object.values(data.scales) });
  window.train = (steps) => {
    const state = training.begin(settings);
    for (let k = 0; k < steps; k += 1) training.advance(state, settings);
    return Array.from(state.theta);
  };
  window.play = (steps, stride) => {
    model.set("step", 0);
    for (let k = stride; k <= steps; k += stride) {
      model.set("step", k);
      document.body.getBoundingClientRect();
    }
  };
}"""


def leaning(rows=ROWS):
    """Return rows of two inputs and a yes or no that bends around them."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(rows, 2))
    return X, (np.hypot(*X.T) + 0.3 * rng.normal(size=rows) > 1.2).astype(float)


def network(rows, units, steps):
    """Return an explorer, and functions that train its network by other means and return its numbers."""
    X, y = leaning(rows)
    kit = {"units_1": units, "units_2": units, "activation": "tanh", "learning_rate": 0.3, "weight_decay": 0.01}
    explorer = NetworkExplorer(X, y, steps=max(steps, 10), **kit)
    start = explorer.start()

    def by_torch():
        layers = []
        for weights, biases in start.layers:
            linear = nn.Linear(weights.shape[1], len(weights), dtype=torch.float64)
            with torch.no_grad():
                linear.weight.copy_(torch.from_numpy(weights))
                linear.bias.copy_(torch.from_numpy(biases))
            layers += [linear, nn.Tanh()]
        model = nn.Sequential(*layers[:-1])
        named = dict(model.named_parameters())
        matrices, vectors = ([p for p in named.values() if (p.ndim > 1) is wanted] for wanted in (True, False))
        groups = [{"params": matrices, "weight_decay": kit["weight_decay"]}, {"params": vectors, "weight_decay": 0.0}]
        optimiser = torch.optim.SGD(groups, lr=kit["learning_rate"])
        inputs, outcomes = torch.from_numpy(X), torch.from_numpy(y)[:, None]
        for _ in range(steps):
            optimiser.zero_grad(set_to_none=True)
            nn.functional.binary_cross_entropy_with_logits(model(inputs), outcomes).backward()
            optimiser.step()
        return np.concatenate([p.detach().numpy().ravel() for p in model.parameters()])

    def by_scikit_learn():
        # its penalty is divided by the rows of a batch; a first fit makes the arrays that then are set to the start
        model = MLPClassifier(
            (units, units),
            activation="tanh",
            solver="sgd",
            alpha=kit["weight_decay"] * rows,
            batch_size=rows,
            learning_rate_init=kit["learning_rate"],
            momentum=0.0,
            nesterovs_momentum=False,
            shuffle=False,
        )
        model.partial_fit(X, y, classes=[0.0, 1.0])
        for k, (weights, biases) in enumerate(start.layers):
            model.coefs_[k][:], model.intercepts_[k][:] = weights.T, biases
        for _ in range(steps):
            model.partial_fit(X, y)
        parts = zip(model.coefs_, model.intercepts_, strict=True)
        return np.concatenate([part for weights, biases in parts for part in (weights.T.ravel(), biases)])

    runs = {NUMPY: lambda: explorer.trained(step=steps)[0].parameters, TORCH: by_torch, SKLEARN: by_scikit_learn}
    return explorer, runs


def context(steps):
    """Return an explorer, and functions that train its layers by other means and return their numbers."""
    explorer = ContextExplorer(steps=steps, **CONTEXT)
    settings = explorer.settings()
    batches = [training.tasks(settings, training.TRAIN, t, training.BATCH, training.QUERIES) for t in range(steps)]
    drawn = [tuple(torch.from_numpy(np.array(part)) for part in batch) for batch in batches]

    def loss_of(theta, X, y, queries, goals):
        n, z = X.shape[1], X.mT @ y[..., None]
        G, w = X.mT @ X / n, torch.zeros_like(z)
        for A in theta.unflatten(0, (settings.depth, settings.dimension, settings.dimension)):
            w = w + A @ (z / n - G @ w)
        return ((queries @ w)[..., 0] - goals).square().mean()

    def by_torch():
        theta = torch.from_numpy(training.start(settings)).requires_grad_()
        pace, limit = torch.zeros_like(theta), None
        for t, batch in enumerate(drawn):
            loss = loss_of(theta, *batch)
            (slope,) = torch.autograd.grad(loss, theta)
            limit = limit or training.GROWTH_LIMIT * max(loss.item(), batch[3].square().mean().item())
            with torch.no_grad():
                cut = min(1.0, training.CLIP / max(slope.norm().item(), 1e-300))
                pace = training.MOMENTUM * pace + (1 - training.MOMENTUM) * cut * slope
                rise, fall = (t + 1) / (training.RISE * steps), (1 - t / steps) / (1 - training.RISE)
                moved = theta - settings.learning_rate * min(rise, 1.0, fall) * pace
                if not loss_of(moved, *batch) <= limit:
                    break
            theta = moved.requires_grad_()
        return theta.detach().numpy()

    return explorer, {NUMPY: lambda: training.train.__wrapped__(settings, steps).theta, TORCH: by_torch}


def case(browser, name, explorer, runs, *, steps, rounds):
    """Return the steps of an explorer in a page beside the same steps by other means."""
    played = explorer.traits()["step"].spec(explorer)["play"]
    stride = max(1, played // FRAMES)
    settings = {each: getattr(explorer, each) for each in explorer.controls if each != "step"}
    with tempfile.TemporaryDirectory() as folder, open_offline(browser, write_page(Path(folder), explorer)) as page:
        page.wait_for_function("document.querySelector('figure.regattn').model")
        page.evaluate(READY, [explorer._esm, scope_name(f"{name}/training.js"), name, settings])
        ours = {
            OURS: lambda: np.array(page.evaluate("(steps) => train(steps)", steps)),
            DRAWN: lambda: page.evaluate("([steps, stride]) => play(steps, stride)", [steps, stride]),
        }
        check_agreement({OURS: ours[OURS]} | runs)
        with threadpool_limits(1):
            seconds = alternate(ours | runs, rounds=rounds)
        errors = page.errors
    if errors:
        raise AssertionError(f"the page of {name} logged {errors}")
    rows = summary(seconds, ours=OURS, also=(DRAWN, NUMPY), times=steps)
    for row in rows:
        row["steps per second"] = 1 / row["seconds"]
    pace = next(row["steps per second"] for row in rows if row["contender"] == DRAWN)
    goals = [
        goal(f"≥ {played} steps a second with every frame drawn, as it plays", pace, least=float(played)),
        goal("≥ 1 times as fast as torch", ratio_to(rows, TORCH), least=1.0),
    ]
    return rows, goals


def check_agreement(runs):
    """Raise unless all end with the same numbers: sums of a few hundred terms, taken in another order."""
    ours = runs[OURS]()
    for name, run in runs.items():
        np.testing.assert_allclose(run(), ours, rtol=0, atol=1e-7 * np.abs(ours).max(), err_msg=name)


def measure(*, rows=ROWS, units=UNITS, steps=(240, 60), rounds=5):
    few, fewer = steps
    explorer, runs = network(rows, units, few)
    own, others = context(fewer)
    with launch() as browser:
        table, goals = case(browser, "network", explorer, runs, steps=few, rounds=rounds)
        more, aims = case(browser, "context", own, others, steps=fewer, rounds=rounds)
    first = {
        "case": f"NetworkExplorer: {rows} rows, two hidden layers of {units} units, {few} steps on all rows",
        "note": ALONE,
        "rows": table,
        "goals": goals,
    }
    second = {
        "case": f"ContextExplorer: {CONTEXT['depth']} layers, {training.BATCH} new tasks in each of {fewer} steps",
        "note": f"{ALONE} The page and NumPy draw the tasks of a step and judge every tenth; torch is given its tasks.",
        "rows": more,
        "goals": aims,
    }
    return [first, second]


def main():
    torch.set_num_threads(1)
    write("page_training", "One step of training in a page", measure(), "torch", "scikit-learn", "playwright")


if __name__ == "__main__":
    main()
