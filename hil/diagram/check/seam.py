"""Match of a diagram's inputs and outputs with the signals and setpoints of a station, by name.

A station offers signals and accepts setpoints, each with unit, shape and frame; a diagram's file
knows neither. Here each input finds its signal, or numbers that stay, and each setpoint its output;
whatever does not fit is reported before anything runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError
from hil.config.similar_names import nearest
from hil.diagram.check.diagram import SoundDiagram
from hil.diagram.check.types import ANY, FoundType
from hil.diagram.file.units import OTHERS, unit

Array = NDArray[np.float64]
Numbers = float | Sequence["Numbers"]
"""A number, or a list or rows of them."""
_POWERS: Final = {"m/s2": "m/s^2", "rad/s2": "rad/s^2", "kg m2": "kg*m^2"}
"""Units of recordings that diagrams write otherwise, but for spaces."""


@dataclass(frozen=True, slots=True)
class Endpiece:
    """A signal that a diagram may take, or a setpoint that it has to give."""

    name: str
    unit: str
    """Unit in the form of diagrams or of recordings: ``N*m`` or ``N m``."""
    shape: tuple[int, ...] = ()
    frame: str = ""
    """Axes of its numbers; empty where it does not matter."""
    type: str = "real"
    """Type of a port that it fits: ``real``, or ``boolean``, whose numbers are 1 and 0."""
    unfit: str = ""
    """Reason why no diagram can take it, with a remedy; empty if it can."""

    @property
    def diagram_unit(self) -> str:
        """Unit in the form of diagrams."""
        return _POWERS.get(self.unit, self.unit.replace(" ", "*"))

    @property
    def words(self) -> str:
        """Description of sizes, unit and axes: ``7 by 3 [m], axes wrist``."""
        sizes = " by ".join(map(str, self.shape)) or "scalar"
        if self.type != "real":
            return f"{sizes} {self.type}"
        return f"{sizes} [{self.diagram_unit}]" + (f", axes {self.frame}" if self.frame else "")


@dataclass(frozen=True, slots=True)
class DiagramEnds:
    """Signals that a station offers to a scenario's diagram, and setpoints that it takes."""

    offered: tuple[Endpiece, ...]
    """Signals, measured or wanted; none where nobody feeds a diagram."""
    accepted: tuple[Endpiece, ...]
    """Setpoints that the station takes."""
    some: bool = False
    """Whether some of the setpoints are enough; else each needs an output."""
    step_s: float | None = None
    """Step of which the diagram's base period is a whole multiple [s]; None for any."""


@dataclass(frozen=True, slots=True)
class Wiring:
    """Connections of a diagram by the user, where names do not give them."""

    inputs: Mapping[str, str | Numbers] = field(default_factory=dict[str, str | Numbers])
    """Input → name of a signal, or numbers that stay."""
    outputs: Mapping[str, str] = field(default_factory=dict[str, str])
    """Setpoint → name of an output."""
    frames: Mapping[str, str] = field(default_factory=dict[str, str])
    """Input → what the diagram calls the axes of its signal."""


@dataclass(frozen=True, slots=True, eq=False)
class Seam:
    """A diagram's inputs and outputs, each with what it is connected to."""

    signals: Mapping[str, str]
    """Input → name of the signal that feeds it."""
    steady: Mapping[str, Array]
    """Input → numbers that stay, row after row."""
    outputs: Mapping[str, str]
    """Setpoint → output that gives it."""


def joined(
    sound: SoundDiagram, offered: Sequence[Endpiece], accepted: Sequence[Endpiece], wiring: Wiring,
    source: str,
) -> Seam:  # fmt: skip
    """Match a diagram with a station.

    Args:
        sound: the diagram.
        offered: signals of the station.
        accepted: setpoints of the station; each needs an output.
        wiring: what the user says of both.
        source: of the diagram, for error texts.

    Raises:
        ConfigError: with a line for each input and output that does not fit.
    """
    problems: list[str] = []
    inputs = {one.path: sound.types[one.path, "y"] for one in sound.flat.inputs()}
    drivers = sound.flat.drivers
    outputs = {one.path: sound.types[drivers[one.path, "u"]] for one in sound.flat.outputs()}
    for name in wiring.inputs:
        if name not in inputs:
            problems.append(f"input {name!r:.60}: {_absent(name, inputs, 'input')}")
    signals: dict[str, str] = {}
    steady: dict[str, Array] = {}
    there = {one.name: one for one in offered}
    for name, found in inputs.items():
        fed = wiring.inputs.get(name, name)
        if not isinstance(fed, str):
            steady[name], fault = _steady(fed, found)
            problems += [f"input {name}: {fault}"] if fault else []
        elif fed not in there:
            feeding = _known(fed, there)
            problems.append(f"input {name}: {fed!r:.60} is no signal here; {feeding}")
        else:
            signals[name] = fed
            frame = wiring.frames.get(name, there[fed].frame)
            piece = replace(there[fed], frame=frame)
            problems += (f"input {name}: {one}" for one in _misfits(found, piece))
    given = dict(_given(outputs, accepted, wiring, problems))
    if problems:
        raise ConfigError(source, problems)
    return Seam(signals, steady, given)


def _given(
    outputs: Mapping[str, FoundType],
    accepted: Sequence[Endpiece],
    wiring: Wiring,
    problems: list[str],
) -> Iterator[tuple[str, str]]:
    """Yield the setpoint and output that gives it."""
    names = {one.name for one in accepted}
    for name in wiring.outputs:
        if name not in names:
            problems.append(f"{name!r:.60}: no setpoint here; {_known(name, sorted(names))}")
    for one in accepted:
        name = wiring.outputs.get(one.name, one.name)
        if name not in outputs:
            problems.append(f"setpoint {one.name}: {_absent(name, outputs, 'output')}")
            continue
        problems += (f"output {name}: {fault}" for fault in _misfits(outputs[name], one))
        yield one.name, name


def _absent(name: str, known: Mapping[str, Any], what: str) -> str:
    there = f"it has {', '.join(known)}" if known else "it has none"
    return f"the diagram has no {what} {name!r:.60}{nearest(name, known)} ({there})"


def _known(name: str, known: Mapping[str, Any] | Sequence[str]) -> str:
    text = ", ".join(known) if len(known) else "none"
    return f"there are {text}{nearest(name, known)}"


def _misfits(found: FoundType, other: Endpiece) -> Iterator[str]:
    """List why a port cannot be connected with a signal or setpoint."""
    if other.unfit:
        yield f"cannot take {other.name}: {other.unfit}"
        return
    if found.type != other.type:
        yield f"is {found.type}; {other.name} is {other.type}"
        return
    if found.shape != other.shape:
        yield f"is {_size(found.shape)}; {other.name} is {_size(other.shape)}"
    if found.type != "real":
        return
    wanted = other.diagram_unit
    if found.unit != ANY and unit(found.unit) != unit(wanted):
        foreign = found.unit in OTHERS and unit(OTHERS[found.unit][1]) == unit(wanted)
        helps = "; a Convert block has to stand between" if foreign else ""
        yield f"is in {found.unit}; {other.name} is in {wanted}{helps}"
    if found.frame and other.frame and found.frame != other.frame:
        yield (
            f"is in axes of {found.frame}; {other.name} is in those of {other.frame}: a Rotate "
            "block has to stand between"
        )


def _steady(value: Numbers, found: FoundType) -> tuple[Array, str]:
    """Return the numbers of an input that stays, and what is wrong with them."""
    nothing = np.zeros(found.size)
    if found.type not in ("real", "boolean"):
        return nothing, f"is {found.type}; only real and boolean inputs take numbers that stay"
    try:
        numbers = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        return nothing, f"{value!r:.60}: {_size(found.shape)} is needed"
    if numbers.shape != found.shape:
        return nothing, f"{_size(numbers.shape)} is given; it is {_size(found.shape)}"
    if not np.isfinite(numbers).all():
        return nothing, f"{value!r:.60}: finite numbers are needed"
    if found.type == "boolean" and not np.isin(numbers, (0.0, 1.0)).all():
        return nothing, f"is boolean; {value!r:.60} is none: 1 or 0 is needed"
    return numbers.ravel(), ""


def _size(shape: tuple[int, ...]) -> str:
    if not shape:
        return "a number"
    if len(shape) == 1:
        return f"a vector of {shape[0]}"
    return f"{' by '.join(map(str, shape))} numbers"
