"""Faults of a robot's sensors during a run: settings, and the signals that each one strikes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from hil.config.errors import Wrong, about
from hil.config.settings import Settings
from hil.config.similar_names import nearest
from sim.world.robots.model import JointType
from sim.world.sensors.sensor_signals import sensor_signals

if TYPE_CHECKING:
    from hil.diagram.run.diagram_use import DiagramUse
    from sim.world.robots.model import Robot

Seconds = Annotated[float, Field(ge=0.0, le=86_400.0)]


class SensorFault(Settings):
    """Fault between a sensor and the diagram that reads it."""

    sensor: str
    """Name of a sensor or of a group of joints, for all that is measured by it, or of one signal,
    such as ``left_distance_m`` or ``arm_position_rad``; ``*`` stands for any characters."""
    part: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Number of the only value that it strikes, from 1 on; left out, all values of each signal."""
    kind: Literal["cut", "nan", "frozen"]
    """Reading while it lasts: ``cut``, that of a cut wire, which is 0, and of a beam that nothing
    is seen; ``nan``, no number; ``frozen``, the last one, which for a short time is silence."""
    at_s: Seconds
    """Time at which it begins [s]."""
    for_s: Annotated[float, Field(gt=0.0, le=86_400.0)] | None = None
    """Duration [s]; left out, to the end of the run."""


SensorFaultRows = Annotated[tuple[SensorFault, ...], Field(max_length=100)]
"""Faults of one run."""


def joint_signals(group: str, *, slides: bool) -> tuple[str, str, str]:
    """Names of the measured signals of a group of joints: position, speed and effort.

    Args:
        group: its name; empty for the only group of a diagram.
    """
    own, unit = f"{group}_" if group else "", "m" if slides else "rad"
    effort = "effort_n" if slides else "effort_n_m"
    return f"{own}position_{unit}", f"{own}speed_{unit}_s", f"{own}{effort}"


def measured_signals(robot: Robot, use: DiagramUse) -> dict[str, dict[str, int]]:
    """Measured signals and their numbers of values, by sensor and by group of joints."""
    found: dict[str, dict[str, int]] = {}
    for sensor in robot.sensors:
        rows = sensor_signals(replace(robot, sensors=(sensor,)))
        found[sensor.called] = {one.name: one.count for one in rows}
    slides = {one.number for one in robot.joints if one.type is JointType.SLIDE}
    rows = [(one.name, one.joints) for one in use.group]
    for name, joints in rows or [("", use.commanded([one.joint for one in robot.drives]))]:
        names = joint_signals(name, slides=slides.issuperset(joints))
        found.setdefault(name, {}).update(dict.fromkeys(names, len(joints)))
    return found


def struck_signals(fault: SensorFault, measured: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Names of the signals that a fault strikes.

    Args:
        measured: as `measured_signals` has them.
    """
    own = measured.get(fault.sensor) if fault.sensor else None
    if own is not None:
        return list(own)
    names = [name for one in measured.values() for name in one]
    return [name for name in names if fnmatchcase(name, fault.sensor)]


def fault_faults(
    faults: tuple[SensorFault, ...], robot: Robot, use: DiagramUse | None
) -> Iterator[Wrong]:
    """Find what is wrong with faults: nothing that reads a sensor, no such signal or value."""
    if use is None:
        if faults:
            text = 'sensor_fault: built-in laws read no sensors; law = "diagram" is needed'
            yield about("sensor_fault", text)
        return
    measured = measured_signals(robot, use) if faults else {}
    counts = {name: count for one in measured.values() for name, count in one.items()}
    for index, one in enumerate(faults):
        key = f"sensor_fault.{index}"
        names = struck_signals(one, measured)
        if not names:
            known = [name for name in [*measured, *counts] if name]
            hint = nearest(one.sensor, known)
            text = f"{key}.sensor = {one.sensor!r}: no such sensor or signal{hint}"
            yield about(f"{key}.sensor", f"{text}; there are {', '.join(known)}")
        for name in names:
            if one.part is not None and one.part > counts[name]:
                text = f"{key}.part = {one.part}: {name} has {counts[name]} values"
                yield about(f"{key}.part", text)
