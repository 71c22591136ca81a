"""What explorers are made of: the class, its controls, and the JavaScript and the look that all share."""

from regattn.widgets._kit.base import Explorer, check_labels, label_place, name_of
from regattn.widgets._kit.controls import Choice, Control, Count, PastedText, Seed, Slider, Tick, TypedText

__all__ = [
    "Choice",
    "Control",
    "Count",
    "Explorer",
    "PastedText",
    "Seed",
    "Slider",
    "Tick",
    "TypedText",
    "check_labels",
    "label_place",
    "name_of",
]
