"""The colour of each role in figures and explorers, on light pages and on dark ones; stated here and nowhere else."""

from types import MappingProxyType

__all__ = ["ROLES"]

ROLES = MappingProxyType(
    {
        "query": ("#B3127D", "#F78BB8"),
        "key": ("#0072B2", "#5AB8EC"),
        "value": ("#4D4D4D", "#C4C4C4"),
        "positive": ("#0072B2", "#5AB8EC"),
        "negative": ("#C74A00", "#FF9152"),
        "prediction": ("#B3127D", "#F78BB8"),
        "train": ("#0072B2", "#5AB8EC"),
        "test": ("#8A6500", "#E0B84A"),
        "leave-one-out": ("#00795A", "#3CCF9F"),
        "truth": ("#222222", "#E6E9EC"),
        "neutral": ("#757575", "#9AA1A9"),
    }
)
"""The colour of each role on a light page and on a dark one. Blue against vermilion carries signs, which colour-blind
readers can tell apart. A light colour has a contrast of at least 4.5 to white, and to the dark page once inverted; a
dark one has at least 3 to the dark surface of an explorer, and 4.5 where it colours text."""
