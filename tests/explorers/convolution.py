"""The ConvolutionExplorer's numbers by the package, from the images that the page carries and its controls."""

from sklearn.datasets import load_digits

from regattn.widgets import ConvolutionExplorer


def example(**options) -> ConvolutionExplorer:
    """Return four handwritten digits, as in chapter 2."""
    digits = load_digits()
    rows = [3, 8, 4, 7]
    return ConvolutionExplorer(digits.images[rows] / 16, titles=[f"a {digits.target[i]}" for i in rows], **options)


def expected(traits: dict) -> dict:
    """Let the package apply the kernel as a matrix."""
    explorer = ConvolutionExplorer(traits["data"]["images"], titles=traits["data"]["titles"])
    for name in explorer.controls:
        setattr(explorer, name, traits[name])
    return explorer.result()
