"""What a user is told is wrong, below every folder that may find it so."""

import math
from collections.abc import Iterable
from typing import Final, Self

from hil.config.visible_text import visible

DEVICE_ABSENT: Final = "device_absent"
"""Code of a refusal because nothing answers at a device's URL; its values: ``url``, ``says``."""


PROBLEMS_MAX: Final = 50
"""Lines of an error at most; of more problems only the number is told."""
LINE_MAX: Final = 1000
"""Characters of such a line at most; what is cut was quoted from the file."""


class RefusedError(Exception):
    """The machine, the motion or a recording was refused; the text says why.

    Args:
        code: what is refused, for those who decide by it; empty where nobody does.
    """

    def __init__(self, text: str, code: str = "", **values: str) -> None:
        super().__init__(text)
        self.code = code
        self.values = values


def shortened(line: str) -> str:
    """Begin and end of a line that is too long, and what cannot be seen in it as escapes."""
    if len(line) > LINE_MAX:
        line = f"{line[: LINE_MAX // 2]} ... {line[-LINE_MAX // 2 :]}"
    return visible(line).replace("\t", "\\t")


class MotionError(ValueError):
    """A motion that cannot be made as described; the text says what would have been right."""

    def __init__(self, text: str) -> None:
        super().__init__("\n".join(map(shortened, text.split("\n"))))


class Wrong(str):
    """A line of a `ConfigError` about one field of a model, and its parts for a form."""

    place: tuple[str | int, ...]
    """Keys and indices from the top of the table to the field, or to the tag that is wrong."""
    message: str
    """What is wrong, without the field's name and value."""

    code: str
    """Which rule of a model it breaks; empty for one of several fields."""

    def __new__(cls, place: tuple[str | int, ...], message: str, line: str, code: str = "") -> Self:
        """The whole line, with its parts."""
        made = super().__new__(cls, line)
        made.place, made.message, made.code = place, message, code
        return made


def about(place: str, line: str) -> Wrong:
    """A line about a key of a table, such as ``devices.drives`` or ``part.0.name``."""
    keys = tuple(int(key) if key.isdigit() else key for key in place.split("."))
    return Wrong(keys, line, line)


class ConfigError(ValueError):
    """A settings file that cannot be used; the text has one line for each thing that is wrong."""

    def __init__(self, source: str, problems: Iterable[str]) -> None:
        found = tuple(problems)
        shown = [_shortened_line(one) for one in found[:PROBLEMS_MAX]]
        if len(found) > PROBLEMS_MAX:
            shown.append(f"and {len(found) - PROBLEMS_MAX} more")
        self.source = source
        self.problems = tuple(shown)
        super().__init__("\n".join(f"{source}: {problem}" for problem in self.problems))


def _shortened_line(line: str) -> str:
    short = shortened(line)
    if short is line or not isinstance(line, Wrong):
        return short
    return Wrong(line.place, line.message, short, line.code)


def require_number(
    name: str, value: float, unit: str, *, least: float = -math.inf, above: float = -math.inf
) -> float:
    """Return the value as a float, if it is finite and within its bounds.

    Args:
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
