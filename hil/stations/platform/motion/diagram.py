"""Motion that a functional diagram draws, computed once ahead.

A motion is sampled at any time, a diagram only goes forward: so it is computed from its first tick
to its last before anything moves, and between two ticks it is the quintic polynomial through both.
Rates and accelerations that the diagram does not have are those of the spline through all ticks, as
of a recording: no delay, and no noise of differences.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil.config.errors import ConfigError, MotionError
from hil.config.similar_names import nearest
from hil.diagram.check.diagram import SoundDiagram
from hil.diagram.check.seam import DiagramEnds, Endpiece
from hil.diagram.file.units import unit
from hil.diagram.run.fault import NonFiniteError
from hil.diagram.run.live import Version
from hil.diagram.run.operator_actions import Timed
from hil.diagram.run.precomputation import precompute
from hil.stations.platform.motion.recorded_motion import RecordedMotion
from hil.stations.platform.motion.resample import DEVIATION_MAX, SAMPLES_MAX, SAMPLES_MIN
from hil.stations.platform.motion.source import AXES, Floats, clamp_time
from platform6dof.pose import PlatformSetpoint

ENDINGS: Final = ("", "_rate", "_acceleration")
"""Endings of outputs' names: a coordinate's deviation from neutral, its rate, acceleration."""
UNITS: Final = (("m", "rad"), ("m/s", "rad/s"), ("m/s^2", "rad/s^2"))
"""Units by these endings, for translations and for angles."""
OUTPUTS: Final = {
    f"{axis}{ending}": (order, number, UNITS[order][number // 3])
    for order, ending in enumerate(ENDINGS)
    for number, axis in enumerate(AXES)
}
"""Name of an output → order of the derivative, coordinate, and unit."""
TICK_SHARE: Final = 1e-6
"""Distance from whole ticks at which a duration counts as whole, as a share of a tick."""
AGREES_SHARE: Final = 0.02
"""Largest difference of an integrated rate from its coordinate, as a share of the latter's travel
(a delay of one tick is far below); likewise of an acceleration from its rate."""
AGREES_LEAST: Final = 1e-6
"""Difference that is always allowed [m, rad, m/s, rad/s]."""


_NOWHERE: Final = np.empty(0, np.intp)


class Computed(NamedTuple):
    """Outputs of a diagram at its ticks, from 0 on."""

    values: Floats
    """Deviation from neutral, its rate and acceleration, shape (N, 6, 3); 0 without an output."""
    is_computed: NDArray[np.bool_]
    """Whether the diagram has an output for each of them, shape (6, 3)."""
    base_s: float
    """Period of the ticks [s]."""
    fault: str
    """Reason why tick N could not be computed, in words; empty if all were."""


class DiagramMotion(RecordedMotion):
    """Motion that a diagram has drawn; it ends with an error where the diagram did.

    Args:
        computed: Outputs computed ahead.
        neutral: Coordinates to add the outputs to [m, rad], shape (6,).
        duration_s: Wanted length of the diagram's motion [s].
        fade_s: Length of the lead-in and of the lead-out, where they are needed [s].

    Raises:
        MotionError: If there are too few ticks, a number is not finite or out of all proportion, or
            a fade is longer than the motion.
    """

    def __init__(
        self, computed: Computed, neutral: ArrayLike, duration_s: float, fade_s: float = 2.0
    ) -> None:
        self._fault, self._fault_s = computed.fault, math.inf
        try:
            super().__init__(computed.values[:, :, 0], computed.base_s, neutral, fade_s)
        except MotionError as error:
            raise MotionError(computed.fault or str(error)) from None
        knots = self._knots.copy()
        own = knots[self._own]
        own[:, computed.is_computed] = computed.values[:, computed.is_computed]
        knots.setflags(write=False)
        self._knots = knots
        if computed.fault:
            self._fault_s = self.lead_in_s + (len(own) - 1) * computed.base_s
            self._fault += f"; the motion comes there at {self._fault_s + computed.base_s:g} s"
            self.duration_s = self.lead_in_s + duration_s + fade_s

    def sample(self, t_s: float) -> PlatformSetpoint:
        """Return the pose, twist and acceleration at a time since the lead-in began [s].

        Raises:
            MotionError: Where the diagram could not be computed; with the block and the tick.
        """
        t_s = clamp_time(t_s, self.duration_s)
        if t_s > self._fault_s + TICK_SHARE * self._step_s:
            raise MotionError(self._fault)
        return super().sample(t_s)

    def require_whole(self) -> None:
        """Refuse a motion that cannot be played to its end.

        Raises:
            MotionError: With the block and the tick.
        """
        if self._fault:
            raise MotionError(self._fault)


def ends_of(_: Path) -> DiagramEnds:
    """Ends of a diagram of any scenario; it has no inputs."""
    accepted = (Endpiece(name, si) for name, (_, _, si) in OUTPUTS.items())
    return DiagramEnds((), tuple(accepted), some=True)


def diagram_motion(
    version: Version, acts: Sequence[Timed], duration_s: float, neutral: ArrayLike,
    fade_s: float = 2.0,
) -> DiagramMotion:  # fmt: skip
    """Motion that a diagram draws.

    Args:
        acts: Changes with their times [s], in order.
        neutral: Coordinates to add its outputs to [m, rad], shape (6,).

    Raises:
        ConfigError: With a line for each fault of its inputs and outputs, and of the acts.
        MotionError: If no motion follows from it.
    """
    sound, path = version.sound, version.file.path
    if problems := list(_face_problems(sound)):
        raise ConfigError(str(path), problems)
    computed = _computed(version, acts, _ticks(sound, path, duration_s))
    _require_agreement(computed, path)
    return DiagramMotion(computed, neutral, duration_s, fade_s)


def _face_problems(sound: SoundDiagram) -> Iterator[str]:
    """Reasons why a diagram's inputs and outputs are not those of a motion."""
    inputs = [one.path for one in sound.flat.inputs()]
    if inputs:
        yield f"inputs {', '.join(inputs)}: nobody feeds them; a motion has outputs only"
    outputs = [one.path for one in sound.flat.outputs()]
    for name in outputs:
        if name not in OUTPUTS:
            meant = nearest(name, OUTPUTS) or f"; need some of {', '.join(AXES)}"
            yield f"output {name}: no coordinate of a pose{meant}"
            continue
        order, number, wanted = OUTPUTS[name]
        found = sound.types[name, "y"]
        if found.type != "real" or found.shape:
            size = " by ".join(map(str, found.shape)) or "scalar"
            yield f"output {name}: is {found.type}, {size}; a real scalar is needed"
        elif found.unit == "any" or unit(found.unit) != unit(wanted):
            yield f"output {name}: is in {found.unit}; {wanted} is needed"
        if order and f"{AXES[number]}{ENDINGS[order - 1]}" not in outputs:
            yield f"output {name}: needs the output {AXES[number]}{ENDINGS[order - 1]} as well"
    if not outputs:
        yield f"no output: a motion needs some of {', '.join(AXES)}"


def _ticks(sound: SoundDiagram, path: Path, duration_s: float) -> int:
    """Number of ticks of a motion, both ends counted."""
    base_s = sound.flat.base_s
    intervals = round(duration_s / base_s)
    if not SAMPLES_MIN - 1 <= intervals < SAMPLES_MAX:
        text = f"duration_s is {duration_s:g} s, {intervals} ticks of {base_s:g} s of {path}"
        raise MotionError(f"{text}: {SAMPLES_MIN - 1} to {SAMPLES_MAX - 1} make a motion")
    if abs(duration_s / base_s - intervals) > TICK_SHARE:
        text = f"duration_s is {duration_s!r} s: whole ticks of {base_s:g} s of {path} are needed"
        raise MotionError(f"{text}, {intervals * base_s:.9g} s are")
    return intervals + 1


def _computed(version: Version, acts: Sequence[Timed], ticks: int) -> Computed:
    """Compute a diagram ahead, to its end or to the tick that cannot be."""
    sound, path, names = version.sound, version.file.path, list(version.engine.outputs)
    rows, fault, done, ran, columns = np.zeros((ticks, len(names))), "", 0, None, _NOWHERE
    try:
        for engine in precompute(version, acts, ticks):
            if engine is not ran:
                ran, columns = engine, np.array([engine.outputs[name].start for name in names])
            rows[done] = engine.values[columns]
            done += 1
    except NonFiniteError as error:
        rows, fault = rows[:done], f"{path}: {error}"
    values, is_computed = (
        np.zeros((len(rows), len(AXES), 3)),
        np.zeros((len(AXES), 3), dtype=np.bool_),
    )
    for column, name in enumerate(names):
        order, number, si = OUTPUTS[name]
        large = np.flatnonzero(~(np.abs(rows[:, column]) <= DEVIATION_MAX))
        if len(large):
            tick = int(large[0])
            text = f"{path}: output {name} is {rows[tick, column]:g} {si} at tick {tick}"
            raise MotionError(f"{text} ({tick * sound.flat.base_s:g} s): at most {DEVIATION_MAX:g}")
        values[:, number, order], is_computed[number, order] = rows[:, column], True
    return Computed(values, is_computed, sound.flat.base_s, fault)


def _require_agreement(computed: Computed, path: Path) -> None:
    """Refuse rates that are not those of their coordinate, and accelerations of their rates."""
    for name, (order, number, _) in OUTPUTS.items():
        if not (order and computed.is_computed[number, order]):
            continue
        below, values = computed.values[:, number, order - 1], computed.values[:, number, order]
        integral = np.zeros(len(values))
        np.cumsum(0.5 * (values[1:] + values[:-1]) * computed.base_s, out=integral[1:])
        off = np.abs(below - below[:1] - integral)
        allowed = AGREES_LEAST + AGREES_SHARE * max(np.ptp(below), np.ptp(integral), 0.0)
        if len(off) and (at := int(off.argmax())) >= 0 and off[at] > allowed:
            other, si = f"{AXES[number]}{ENDINGS[order - 1]}", UNITS[order - 1][number // 3]
            text = f"{path}: output {name} adds up to {integral[at]:g} {si}"
            text = f"{text} at {at * computed.base_s:g} s"
            text = f"{text}, {other} has gone {below[at] - below[0]:g} {si}"
            raise MotionError(f"{text}: they may differ by {allowed:g} {si}")
