"""Whether an answer is right, and what to say if it is not.

``book/_ext/exercise_reading.js`` judges on the page by the same rules, from the same sheet and the same messages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from regattn.exercises._reading import numbers_in, words_in

MESSAGES = {
    "empty": "No answer yet.",
    "right": "Right.",
    "hint": "Not yet. Hint: ",
    "several": "Name one only.",
    "negated": "Say which it is, not which it is not.",
    "near": "Close, but not close enough: look for a small slip, or give more digits.",
    "none": "There is no number in this answer that I can read: write it like 0.25, 1/4 or 25 %.",
    "count": "Not as many numbers as the question asks for.",
    "order": "the numbers are right, their order is not.",
}
NEGATIONS = ["not", "neither", "never", "no", "isn", "doesn", "don"]
NEAR = 4.0  # so many times the room for rounding is still called close
ROUNDING = 1 + 1e-9  # ".33" is one per cent from a third: a tie is right, whichever way its last bit fell

Sheet = dict[str, Any]


def judge_text(sheet: Sheet, text: str) -> tuple[bool, str]:
    """Return whether a text answers a question, and the message."""
    if not text.strip():
        return False, MESSAGES["empty"]
    if counted := sheet.get("counted"):
        text = re.sub(rf"(?<![^\W\d_]){counted}s?(?![^\W\d_])", " ", text, flags=re.IGNORECASE)
    return judge_words(sheet, text) if sheet["kind"] == "words" else judge_numbers(sheet, numbers_in(text))


def judge_numbers(sheet: Sheet, readings: Sequence[Sequence[float]]) -> tuple[bool, str]:
    """Return whether one of the ways to read an answer is right, and the message."""
    targets = sheet["targets"]
    fitting = [values for values in readings if len(values) == len(targets)]
    if not fitting:
        return False, MESSAGES["count" if readings else "none"]
    error = error_of(sheet, fitting, targets)
    if error <= 1:
        return True, MESSAGES["right"]
    slips = [(error_of(sheet, fitting, each["values"]), each["hint"]) for each in sheet["mistakes"]]
    nearest = min(slips, default=(2.0, ""), key=lambda slip: slip[0])
    if nearest[0] <= 1:
        return False, MESSAGES["hint"] + nearest[1]
    if error_of(sheet, [sorted(values) for values in fitting], sorted(targets)) <= 1:
        return False, MESSAGES["hint"] + MESSAGES["order"]
    if sheet["tolerance"] and error <= NEAR:
        return False, MESSAGES["near"]
    return False, MESSAGES["hint"] + sheet["hint"]


def judge_words(sheet: Sheet, text: str) -> tuple[bool, str]:
    """Return whether a text names the right thing and nothing else, and the message."""
    words = words_in(text)
    named = [option for option, spellings in sheet["options"].items() if mentions(words, spellings)]
    if len(named) > 1:
        return False, MESSAGES["several"]
    if named and set(words) & set(NEGATIONS):
        return False, MESSAGES["negated"]
    if named == [sheet["right"]]:
        return True, MESSAGES["right"]
    hints = {each["option"]: each["hint"] for each in sheet["mistakes"]}
    return False, MESSAGES["hint"] + hints.get(named[0] if named else None, sheet["hint"])


def mentions(words: Sequence[str], spellings: Sequence[str]) -> bool:
    """Return whether, in one of the spellings, the beginning of every word is there."""
    return any(all(any(word.startswith(part) for word in words) for part in each.split()) for each in spellings)


def error_of(sheet: Sheet, readings: Sequence[Sequence[float]], wanted: Sequence[float]) -> float:
    """Return how far the best reading is from what is wanted, in units of the room there is for rounding."""
    room = max(sheet["tolerance"] * max(map(abs, wanted)), 1e-9) * ROUNDING

    def away(value: float, target: float) -> float:
        """Return a distance; a share above one may be meant in per cent."""
        distance = abs(value - target)
        return min(distance, abs(value / 100 - target)) if sheet["share"] and abs(value) > 1 else distance

    return min(max(map(away, values, wanted)) for values in readings) / room
