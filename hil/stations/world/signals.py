"""Signals of a row of the virtual environment: every driven joint, and the tool."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from hil.recording.signals import CODE, QUATERNION, Signal, Signals

if TYPE_CHECKING:
    from sim.world.sensors.sensor_signals import SensorSignal

STATION: Final = "world"
MODES: Final = ("moving", "settling", "stopping", "stopped", "off")
"""Modes of the station, in the order of their codes."""
ACTIONS: Final = ("passed", "controlled stop", "hold", "drives off")
"""Actions of the gate, in the order of `safety.robot_limits.RobotAction`."""
HEAD: Final = (
    Signal("index", "u8"),
    Signal("t_s", "f8", unit="s"),
    Signal("mode", "u1", unit=CODE, codes=MODES),
    Signal("action", "u1", unit=CODE, codes=ACTIONS),
    Signal("flags", "u2"),
)
PLACE: Final = (
    Signal("tool_pose", "f8", 7, "m,m,m,1,1,1,1", "world", "tool", QUATERNION),
    Signal("loop_gap_m", "f8", unit="m"),
    Signal("contacts", "u2"),
    Signal("contact_force_n", "f8", unit="N"),
)
SIGNALS: Final = Signals(STATION, (*HEAD, *PLACE))
"""Table of a robot without drives; `world_signals` has the others."""

Names = Sequence[tuple[int, bool]]
"""Number of each driven joint, and whether it slides."""


def world_signals(
    joints: Names,
    control: str,
    moving: Sequence[tuple[str, str]] = (),
    sensors: Iterable[SensorSignal] = (),
    shown: Iterable[Signal] = (),
) -> Signals:
    """Table of a robot with these drives, commanded by speed, torque or voltage.

    Args:
        moving: name and unit of each coordinate of everything that moves.
        sensors: signals of its sensors.
        shown: values that its diagram shows a person.

    Raises:
        SignalsError: if a sensor has a name that is taken, or there is too much for a row.
    """
    asked = {"speed": ("rad/s", "m/s"), "torque": ("N m", "N")}.get(control, ("1", "1"))
    return Signals(
        STATION,
        (
            *HEAD,
            joint_signal("wanted", joints, "rad", "m"),
            joint_signal("position", joints, "rad", "m"),
            joint_signal("speed", joints, "rad/s", "m/s"),
            joint_signal("effort", joints, "N m", "N"),
            joint_signal("command", joints, *asked),
            *PLACE,
            *_of_moving(moving),
            *(_of_sensor(one) for one in sensors),
            *shown,
        ),
    )


def still_signals(moving: Sequence[tuple[str, str]]) -> Signals:
    """Table of a world without drives: coordinates of everything that moves."""
    return Signals(STATION, (*HEAD, *PLACE, *_of_moving(moving)))


def _of_moving(moving: Sequence[tuple[str, str]]) -> Iterator[Signal]:
    """Coordinates of everything that moves, in the engine's order."""
    if not moving:
        return
    endings = {"rad": "_rad", "m": "_m"}
    parts = [f"{name.replace('/', '_')}{endings.get(unit, '')}" for name, unit in moving]
    units = ",".join(unit for _, unit in moving)
    yield Signal("world_coordinates", "f8", len(moving), units,
                 parts=tuple(parts) if len(parts) > 1 else ())  # fmt: skip


def _of_sensor(one: SensorSignal) -> Signal:
    units = "m,m,m,1,1,1,1" if one.child else one.unit
    return Signal(one.name, "f8", one.count, units, one.frame, one.child, one.parts)


def joint_signal(name: str, joints: Names, turning: str, sliding: str) -> Signal:
    """Signal with a value per joint, in the unit of all of them or each in its own."""
    units = [sliding if slides else turning for _, slides in joints]
    endings = ["" if unit == "1" else re.sub("[/ ]", "_", f"_{unit}").lower() for unit in units]
    if len(set(units)) == 1:
        parts = tuple(f"joint{number}" for number, _ in joints)
        return Signal(f"{name}{endings[0]}", "f8", len(joints), units[0],
                      parts=parts if len(parts) > 1 else ())  # fmt: skip
    parts = tuple(f"joint{one[0]}{end}" for one, end in zip(joints, endings, strict=True))
    return Signal(f"{name}_joints", "f8", len(joints), ",".join(units), parts=parts)
