"""What every test of a figure has: drawings without a screen, closed when it ends."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

mpl.use("Agg")


@pytest.fixture(autouse=True)
def closed_figures():
    """Close what a test has drawn."""
    yield
    plt.close("all")
