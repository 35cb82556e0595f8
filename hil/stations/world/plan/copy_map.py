"""Map of values to the joints of a robot, joint by joint."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import Wrong, about
from hil.stations.world.plan.operator_motions import (
    SLIDING,
    UNITS,
    CopyMotion,
    CopyPair,
    JogMotion,
    ScriptSettings,
)
from sim.world.robots.model import JointType

if TYPE_CHECKING:
    from sim.world.robots.model import Robot

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class CopyMap:
    """Map of values to joints: target = factor · value + offset."""

    values: tuple[str, ...]
    """Names of all values of a frame, in their order."""
    places: NDArray[np.int64]
    """Places of the led joints among the drives, shape (pairs,)."""
    columns: NDArray[np.int64]
    """Column of each pair's value in a frame, shape (pairs,)."""
    factors: Array
    """Factors of unit and ratio, shape (pairs,)."""
    offsets: Array
    """Offsets [rad] or [m], shape (pairs,)."""

    def of_used(self) -> Self:
        """Map for frames that have only the values in use, pair by pair."""
        used = tuple(self.values[column] for column in self.columns)
        return replace(self, values=used, columns=np.arange(len(used)))

    def targets(self, values: Array, others: Array) -> Array:
        """Targets of the driven joints [rad] or [m], shape (drives,).

        Args:
            values: values of a frame, shape (values,).
            others: coordinates of the joints that are not led, shape (drives,).
        """
        found = others.copy()
        found[self.places] = self.factors * values[self.columns] + self.offsets
        return found


def place_of(joint: int | str, robot: Robot) -> int:
    """Place of a joint among the drives, by its number or name; -1 if it is not driven."""
    drives = [drive.joint for drive in robot.drives]
    names = {one.name: one.number for one in robot.joints if one.name and one.number in drives}
    number = names.get(joint, -1) if isinstance(joint, str) else joint
    return drives.index(number) if number in drives else -1


def jog_faults(motion: JogMotion, robot: Robot) -> list[Wrong]:
    """Faults of the joints that a scenario jogs."""
    steps = motion.by.steps if isinstance(motion.by, ScriptSettings) else ()
    said = {f"motion.joints.{index}": joint for index, joint in enumerate(motion.joints)}
    said |= {
        f"motion.by.steps.{index}": step.joint
        for index, step in enumerate(steps)
        if step.joint is not None
    }
    there = ", ".join(str(drive.joint) for drive in robot.drives)
    return [
        about(key, f"{key}: joint {joint!r} is not driven; there are {there}")
        for key, joint in said.items()
        if place_of(joint, robot) < 0
    ]


def copy_map(motion: CopyMotion, robot: Robot) -> tuple[CopyMap, list[Wrong]]:
    """Map of a scenario, and its faults; a faulty pair is left out."""
    joints = {joint.number: joint for joint in robot.joints}
    drives = [drive.joint for drive in robot.drives]
    slides = [joints[number].type is JointType.SLIDE for number in drives]
    names = {joints[number].name: number for number in drives if joints[number].name}
    values = motion.values or tuple(f"joint{number}" for number in drives)
    pairs = motion.map or tuple(_by_name(values, names))
    wrong, found = list[Wrong](), dict[int, tuple[int, float, float]]()
    for index, pair in enumerate(pairs):
        key = f"motion.map.{index}"
        joint = names.get(pair.joint, pair.joint) if isinstance(pair.joint, str) else pair.joint
        if joint not in drives:
            there = ", ".join([*map(str, drives), *names])
            wrong.append(
                about(key, f"{key}: joint {pair.joint!r} is not driven; there are {there}")
            )
        elif drives.index(joint) in found:
            wrong.append(about(key, f"{key}: joint {pair.joint!r} is led twice"))
        elif pair.value not in values:
            there = ", ".join(values)
            wrong.append(about(key, f"{key}: no value {pair.value!r}; there are {there}"))
        elif problem := _misfit(pair, slides[drives.index(joint)]):
            wrong.append(about(key, f"{key}: joint {pair.joint!r} {problem}"))
        else:
            factor = pair.ratio * UNITS[pair.unit or "rad"]
            offset = math.radians(pair.offset_deg) + pair.offset_m
            found[drives.index(joint)] = values.index(pair.value), factor, offset
    if not pairs:
        text = "motion.map is empty, and no value has the name of a driven joint"
        wrong.append(about("motion.map", text))
    columns, factors, offsets = zip(*found.values(), strict=True) if found else ((), (), ())
    return CopyMap(
        tuple(values), np.array([*found], np.int64), np.array(columns, np.int64),
        np.array(factors, np.float64), np.array(offsets, np.float64),
    ), wrong  # fmt: skip


def _by_name(values: tuple[str, ...], names: dict[str, int]) -> list[CopyPair]:
    """Pairs of values with the name of a driven joint, or its number: ``joint5``."""
    pairs = list[CopyPair]()
    for value in values:
        number = value.removeprefix("joint")
        if value in names:
            pairs.append(CopyPair(joint=value, value=value))
        elif number != value and number.isdecimal():
            pairs.append(CopyPair(joint=int(number), value=value))
    return pairs


def _misfit(pair: CopyPair, slides: bool) -> str:
    """Reason why a pair does not fit a joint, as half a sentence; empty if it does."""
    if pair.unit is not None and (pair.unit in SLIDING) != slides:
        return "slides: unit m or mm is needed" if slides else "turns: unit rad or deg is needed"
    if slides and pair.offset_deg:
        return "slides: offset_m is needed"
    if not slides and pair.offset_m:
        return "turns: offset_deg is needed"
    return ""
