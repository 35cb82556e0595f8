"""The largest scale with three digits that a proof lets pass."""

import math
from collections.abc import Callable
from typing import Final

SMALLEST: Final = 0.001
"""A motion that has to become smaller than that does not fit."""
_PER_DECADE: Final = 900
"""Numbers of three digits between two powers of ten."""


def largest_scale(passes: Callable[[float], bool], guess: float, most: float) -> float | None:
    """Find a scale that passes while the next of three digits does not, by bisection on the proof.

    Args:
        passes: the proof at a scale; a scale below one that passes is taken to pass as well.
        guess: where to begin, which costs fewer proofs the nearer it is.
        most: above which nothing is looked for; it need not have three digits.

    Returns:
        `most` if that passes, else a number of three digits; None if nothing down to `SMALLEST`
        passes.
    """
    if guess >= most and passes(most):
        return most
    bottom, top = _index(SMALLEST), _index(most)
    if _number(top) >= most:
        top -= 1
    start = min(max(_index(guess), bottom), top) if guess > 0.0 else bottom
    if top < bottom:
        return None
    if passes(_number(start)):
        low, high = _last_that_passes(passes, start, top)
        if low == top:
            return most if guess < most and passes(most) else _number(top)
    else:
        low, high = _next_that_passes(passes, start, bottom)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if passes(_number(middle)) else (low, middle)
    return _number(low) if low >= bottom else None


def next_scale(scale: float, most: float) -> float:
    """The next scale of three digits above one, at most `most`."""
    return min(_number(_index(scale) + 1), most)


def _last_that_passes(passes: Callable[[float], bool], start: int, top: int) -> tuple[int, int]:
    """From an index that passes upwards in growing steps: one that passes, one that does not."""
    low, step = start, 1
    while low < top:
        probe = min(low + step, top)
        if not passes(_number(probe)):
            return low, probe
        low, step = probe, 2 * step
    return top, top + 1


def _next_that_passes(passes: Callable[[float], bool], start: int, bottom: int) -> tuple[int, int]:
    """From an index that does not pass downwards likewise; below `bottom` if none passes.

    `bottom` comes second: where nothing passes that is known after two proofs.
    """
    high, step = start, 1
    while high > bottom:
        probe = max(high - step, bottom)
        if passes(_number(probe)):
            return probe, high
        if step == 1 and not (probe > bottom and passes(_number(bottom))):
            break
        high, step = probe, 2 * step
    return bottom - 1, bottom


def _number(index: int) -> float:
    decade, digits = divmod(index, _PER_DECADE)
    return float(f"{digits + 100}e{decade - 2}")


def _index(value: float) -> int:
    """The last number of three digits that is not above a positive value."""
    decade = math.floor(math.log10(value))
    index = decade * _PER_DECADE + int(value / 10.0 ** (decade - 2)) - 100
    while _number(index) > value:
        index -= 1
    while _number(index + 1) <= value:
        index += 1
    return index
