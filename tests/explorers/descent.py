"""The DescentExplorer's numbers by the package, from the arrays that the page carries and where its controls stand."""

from regattn.widgets import DescentExplorer


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
    )
    explorer.sign = traits["sign"]
    return explorer.result()
