"""Which variable of a model is which quantity of the bench, with unit, sign and bias.

A table of a scenario names for each quantity a variable, or a table about it::

    [source.outputs]
    f_x = "body.ax"
    r = { variable = "yaw_rate", unit = "deg/s", sign = -1 }
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from hil.config.errors import ConfigError
from hil.config.settings import Settings
from hil.fmu.description import NUMERIC, Description, Variable, span_of
from platform6dof.cueing.vehicle import GRAVITY_M_S2

_DEG: Final = math.pi / 180.0
UNITS: Final[Mapping[str, Mapping[str, float]]] = {
    "acceleration": {"m/s2": 1.0, "g": GRAVITY_M_S2, "ft/s2": 0.3048},
    "rate": {"rad/s": 1.0, "deg/s": _DEG, "rpm": 2.0 * math.pi / 60.0},
    "angular acceleration": {"rad/s2": 1.0, "deg/s2": _DEG},
    "angle": {"rad": 1.0, "deg": _DEG, "1": 1.0},
    "speed": {"m/s": 1.0, "km/h": 1.0 / 3.6, "ft/s": 0.3048, "kt": 1852.0 / 3600.0},
    "length": {"m": 1.0, "ft": 0.3048, "mm": 0.001},
    "number": {"1": 1.0},
}
"""Units of each kind of quantity, and how much of the SI unit they are."""
_SPELT: Final[Mapping[str, str]] = {
    "m/s^2": "m/s2", "m/s²": "m/s2", "m.s-2": "m/s2", "m/(s2)": "m/s2", "m s-2": "m/s2",
    "rad.s-1": "rad/s", "rad s-1": "rad/s", "1/s": "rad/s",
    "rad/s^2": "rad/s2", "rad/s²": "rad/s2", "rad.s-2": "rad/s2", "1/s2": "rad/s2",
    "m.s-1": "m/s", "m s-1": "m/s", "kmh": "km/h", "g_n": "g", "degree": "deg", "-": "1", "": "1",
}  # fmt: skip
"""Other ways in which tools write them."""


class Mapped(Settings):
    """One variable of a model, for one quantity."""

    variable: str
    """Its name in the model."""
    unit: str = ""
    """Unit of the variable; left out: what the model says, or SI if it says nothing."""
    sign: Literal[-1, 1] = 1
    """-1 where the model counts the other way."""
    bias: float = 0.0
    """Taken off the variable, in its own unit."""


@dataclass(frozen=True, slots=True)
class MappedVariable:
    """A quantity with the variable that is its own."""

    quantity: str
    variable: Variable
    factor: float
    """SI unit and sign."""
    bias: float
    """In the variable's unit."""

    def si(self, value: float) -> float:
        """The quantity [SI] that a value of the variable is."""
        return (value - self.bias) * self.factor

    def own(self, value_si: float) -> float:
        """The value of the variable that a quantity [SI] is."""
        return value_si / self.factor + self.bias


def map_variables(
    model: Description,
    table: Mapping[str, Mapped | str],
    quantities: Mapping[str, str],
    place: str,
    causality: Literal["output", "input"],
) -> tuple[MappedVariable, ...]:
    """The variables of a model that a table names, with their units.

    Args:
        table: quantity → variable.
        quantities: each quantity that there is → its kind in `UNITS`.
        place: of the table, for errors.
        causality: what the variables must be; an output may also be a local variable.

    Raises:
        ConfigError: with every line that is wrong.
    """
    made: list[MappedVariable] = []
    problems: list[str] = []
    for quantity, entry in table.items():
        if quantity not in quantities:
            problems.append(f"{place}.{quantity}: unknown{_near(quantity, quantities)}")
            continue
        mapped = Mapped(variable=entry) if isinstance(entry, str) else entry
        try:
            variable = model.variable(mapped.variable, f"{place}.{quantity}")
        except ConfigError as error:
            problems += error.problems
            continue
        wrong = _unsuitable(variable, causality)
        unit = _SPELT.get(mapped.unit or variable.unit, mapped.unit or variable.unit)
        known = UNITS[quantities[quantity]]
        if not (mapped.unit or variable.unit) or quantities[quantity] == "number":
            unit = next(iter(known))  # neither says: SI; a plain number is in the variable's unit
        if wrong:
            problems.append(f"{place}.{quantity} = {mapped.variable!r}: {wrong}")
        elif unit not in known:
            problems.append(
                f"{place}.{quantity}: unit {unit!r} of {mapped.variable!r} is no unit of "
                f"{quantities[quantity]}; it must be one of {', '.join(known)}: "
                f'{{ variable = "{mapped.variable}", unit = "{next(iter(known))}" }}'
            )
        else:
            made.append(MappedVariable(quantity, variable, mapped.sign * known[unit], mapped.bias))
    if problems:
        raise ConfigError(str(model.path), problems)
    return tuple(made)


def _unsuitable(variable: Variable, causality: str) -> str:
    if variable.type not in NUMERIC:
        return f"is a {variable.type}; a number is needed"
    if variable.shape:
        return f"is an array; one element is needed: {span_of(variable)}"
    if causality == "input" and variable.size > 1:
        return "is an element of an array; a scalar is needed"
    if causality == "input" and variable.causality != "input":
        return f"is {_a(variable.causality)}; an input is needed"
    if causality == "output" and variable.causality not in ("output", "local"):
        return f"is {_a(variable.causality)}; an output is needed"
    return ""


def _a(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def _near(word: str, known: Mapping[str, str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f" (did you mean {close[0]}?)" if close else f"; there are {', '.join(known)}"
