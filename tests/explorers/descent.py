"""The DescentExplorer's numbers by the package, from the arrays that the page carries and where its controls stand."""

from regattn.data import load_diabetes
from regattn.widgets import DescentExplorer


def example(**options) -> DescentExplorer:
    """Return the progression of diabetes by two blood measurements that say nearly the same, as in chapter 1."""
    X, y = load_diabetes()
    pair = X[["s1", "s2"]]
    return DescentExplorer(((pair - pair.mean()) / pair.std(ddof=0)).to_numpy(), (y - y.mean()).to_numpy(), **options)


def expected(traits: dict) -> dict:
    """Let the package take the same steps; small batches are dealt by the Python twin of the page's generator."""
    data = traits["data"]
    explorer = DescentExplorer(
        data["X"],
        data["y"],
        learning_rate=traits["learning_rate"],
        batch_size=traits["batch_size"],
        start=(traits["start_1"], traits["start_2"]),
        steps=data["steps"],
        step=traits["step"],
        seed=traits["seed"],
    )
    explorer.sign = traits["sign"]
    return explorer.result()
