"""Numbers as a reader of the page of benchmarks wants them, and the axes of its plots."""

from __future__ import annotations

import math
from dataclasses import dataclass

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
UNITS = ((1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1.0, "s"))
SIZES = ((1, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"))
MINUTES = 120.0  # seconds from which a duration is told in minutes
MOST_TICKS = 6
ROOM = 0.04  # of an axis, left free at each end


def significant(value: float, digits: int = 3) -> str:
    """Return a number as one reads it: a count in full, anything else to three digits, thousands set apart.

    Examples
    --------
    >>> [significant(x) for x in (65, 1234567, 0.70412, 12.0, 4512345.6, 0.00000213)]
    ['65', '1,234,567', '0.704', '12.0', '4,510,000', '2.13 × 10⁻⁶']
    """
    if isinstance(value, int) or value == 0:
        return f"{value:,.0f}".replace("-", "−")
    rounded = float(f"{value:.{digits}g}")
    places = digits - 1 - math.floor(math.log10(abs(rounded)))
    if places > digits + 3:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        return f"{mantissa} × 10{str(int(exponent)).translate(SUPERSCRIPTS)}".replace("-", "−")
    return f"{rounded:,.{max(places, 0)}f}".replace("-", "−")


def duration(seconds: float) -> str:
    """Return a time in the unit that leaves at most three digits before the point.

    Examples
    --------
    >>> [duration(s) for s in (2.13e-5, 0.0009996, 0.0123, 1.5, 150.0)]
    ['21.3 µs', '1.00 ms', '12.3 ms', '1.50 s', '2.50 min']
    """
    rounded = float(f"{seconds:.3g}")
    if rounded >= MINUTES:
        return f"{significant(float(seconds / 60))} min"
    size, unit = max((pair for pair in UNITS if pair[0] <= rounded), default=UNITS[0])
    return f"{significant(float(seconds / size))} {unit}"


def beside(value: float, bound: float) -> str:
    """Return a number with as many digits as it takes to see on which side of a bound it lies.

    Examples
    --------
    >>> beside(29.998, 30.0), beside(31.2345, 30.0), beside(30.0, 30.0)
    ('29.998', '31.2', '30.0')
    """
    for digits in range(3, 12):
        rounded = float(f"{value:.{digits}g}")
        if (rounded > bound) == (value > bound) and (rounded < bound) == (value < bound):
            return significant(value, digits)
    return repr(value)


def size(count: float) -> str:
    """Return a number of bytes in the unit that leaves at most three digits before the point.

    Examples
    --------
    >>> [size(count) for count in (512.0, 61_300.0, 1_499_000, 2.5e9)]
    ['512 B', '61.3 kB', '1.50 MB', '2.50 GB']
    """
    rounded = float(f"{count:.3g}")
    factor, unit = max((pair for pair in SIZES if pair[0] <= rounded), default=SIZES[0])
    return f"{significant(float(count / factor))} {unit}"


@dataclass(frozen=True)
class Axis:
    """An axis of a plot: its ends, its ticks, and whether it is logarithmic."""

    low: float
    high: float
    ticks: tuple[float, ...]
    logarithmic: bool

    def position(self, value: float) -> float:
        """Return where a value stands, in per cent of the axis."""
        low, high, here = (math.log10(x) if self.logarithmic else x for x in (self.low, self.high, value))
        return 100 * (here - low) / (high - low)


def log_axis(values: list[float]) -> Axis:
    """Return a logarithmic axis that holds the values and 1.

    Examples
    --------
    >>> log_axis([0.7, 12.6]).ticks, log_axis([1.02]).ticks, log_axis([20_000.0]).ticks
    ((0.5, 1.0, 2.0, 5.0, 10.0, 20.0), (0.5, 1.0, 2.0), (1.0, 100.0, 10000.0))
    """
    steps = [m * 10.0**k for k in range(-9, 10) for m in (1, 2, 5)]
    low = max(step for step in steps if step <= min(*values, 1.0))
    high = min(step for step in steps if step >= max(*values, 1.0))
    if high <= 2 and low >= 0.5:
        low, high = 0.5, 2.0
    ticks = [step for step in steps if low <= step <= high]
    if len(ticks) > MOST_TICKS:
        ticks = [m * 10.0**k for k in range(-9, 10) for m in (1, 3) if low <= m * 10.0**k <= high]
    if len(ticks) > MOST_TICKS:
        stride = math.ceil(math.log10(high / low) / (MOST_TICKS - 2))
        ticks = [10.0**k for k in range(-9, 10) if k % stride == 0 and low <= 10.0**k <= high]
    free = (high / low) ** ROOM
    return Axis(low / free, high * free, tuple(ticks), logarithmic=True)


def linear_axis(values: list[float]) -> Axis:
    """Return an axis from zero that holds the values.

    Examples
    --------
    >>> linear_axis([13.6, 0.0]).ticks
    (0.0, 5.0, 10.0, 15.0)
    """
    largest = max(values) or 1.0
    step = next(m * 10.0**k for k in range(-9, 10) for m in (1, 2, 5) if m * 10.0**k * (MOST_TICKS - 2) >= largest)
    count = math.ceil(largest / step)
    ticks = tuple(float(f"{k * step:.6g}") for k in range(count + 1))
    return Axis(min(0.0, *values), ticks[-1] * (1 + ROOM), ticks, logarithmic=False)
