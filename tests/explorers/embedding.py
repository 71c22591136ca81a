"""The EmbeddingExplorer's numbers by the package, from the arrays of the page and where its controls stand."""

import numpy as np

from regattn.regression import embedding_descent, identified_directions, largest_embedding_step, map_error
from regattn.widgets import EmbeddingExplorer


def example(**options) -> EmbeddingExplorer:
    """Return five columns, eight targets that depend on them, and one more."""
    rng = np.random.default_rng(13)
    X = rng.normal(size=(61, 5)) @ (np.eye(5) + 0.5 * rng.normal(size=(5, 5))) / np.sqrt(61)
    Y = X @ rng.normal(size=(5, 9)) + rng.normal(size=(61, 9)) / np.sqrt(61)
    return EmbeddingExplorer(X, Y[:, :8], Y[:, 8], names=list("abcde"), **({"count": 3, "step": 200} | options))


def expected(traits: dict) -> dict:
    """Give the package data with the same X'X, X'Y and residuals, in fewer rows, and let it walk."""
    data, count, step = traits["data"], traits["count"], traits["step"]
    drawn, root = data["draws"][traits["seed"] - 1], np.array(data["root"])
    pool = data["listed"] if traits["teacher"] == "listed" else drawn[traits["teacher"]]
    p = len(root)
    X = np.vstack([root.T, np.zeros((count, p))])
    Z = np.array(pool["Z"])[:, :count]
    Y = np.vstack([np.linalg.solve(root, Z), np.diag(np.sqrt(pool["rest"][:count]))])
    starts = {name: np.array(matrix) for name, matrix in drawn["starts"].items()}
    begin = {"zero": None, "random": starts["random"], "factors": (starts["W_Q"], starts["W_K"])}
    rate = traits["learning_rate"] * largest_embedding_step(X, Y)
    if traits["start"] == "factors":
        rate = traits["learning_rate"] * drawn["limits"][traits["teacher"]][count - 1]
    path = embedding_descent(X, Y, learning_rate=rate, steps=max(1, step), start=begin[traits["start"]])
    omegas, shown = path.omegas[: step + 1], identified_directions(X, Y)
    new = X[:p] @ np.array(data["new"]["coef"])
    fits = X[:p] @ omegas @ np.array(data["new"]["z"])
    return {
        "omega": omegas[-1].tolist(),
        "losses": path.losses[: step + 1].tolist(),
        "errors": (np.linalg.norm(fits - new, axis=1) / np.linalg.norm(new)).tolist(),
        "map_errors": [map_error(X, omega) for omega in omegas],
        "learned": np.diag(root.T @ omegas[-1] @ root).tolist(),
        "shares": shown.shares.tolist(),
        "rank": shown.rank,
        "diverged_at": path.diverged_at if path.diverged_at is not None and path.diverged_at <= step else None,
    }
