"""What a user is told is wrong, below every folder that may find it so."""

import math


class RefusedError(Exception):
    """The machine, the motion or a recording was refused; the text says why."""


class MotionError(ValueError):
    """A motion that cannot be made as described; the text says what would have been right."""


def require_number(
    name: str, value: float, unit: str, *, least: float = -math.inf, above: float = -math.inf
) -> float:
    """Return the value as a float, if it is finite and within its bounds.

    Args:
        name: What it is, for the error.
        value: The value.
        unit: Its unit, for the error.
        least: Smallest value allowed.
        above: Bound that must be exceeded.

    Raises:
        MotionError: With name, value, unit and what would have been right.
    """
    if math.isfinite(value) and value >= least and value > above:
        return float(value)
    wanted = "it must be finite"
    if math.isfinite(least):
        wanted += f" and at least {least:g} {unit}"
    if math.isfinite(above):
        wanted += f" and above {above:g} {unit}"
    raise MotionError(f"{name} is {value} {unit}: {wanted}")
