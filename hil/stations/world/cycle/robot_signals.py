"""Signals of a robot for the diagram that moves it, each with unit, shape and axes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError
from hil.diagram.check.seam import Endpiece
from hil.diagram.run.connection import Feed, Read
from hil.stations.world.plan.sensor_fault import joint_signals
from sim.world.control.laws import JointMotion
from sim.world.sensors.sensor_signals import SensorSignal

if TYPE_CHECKING:
    from hil.stations.world.cycle.received_sensors import ReceivedSensors
    from sim.world.engine.world import WorldRobot
    from sim.world.motion.chain import Chain

Array = NDArray[np.float64]

ERRORS: Final = (
    ("end_error_m", "m", 0), ("end_error_rad", "rad", 1),
    ("end_error_m_s", "m/s", 2), ("end_error_rad_s", "rad/s", 3),
    ("end_speed_m_s", "m/s", 4), ("end_speed_rad_s", "rad/s", 5),
)  # fmt: skip
"""Name, unit, and number in the result of `EndErrors.of`."""


BOUNDLESS: Final = (
    "it is infinite where nothing is seen, which no block can take; give the rangefinder a range_m"
)


class EndErrors:
    """Wanted minus measured motion of the end of a chain.

    Args:
        chain: its variables are the driven joints at `Chain.places`.
    """

    def __init__(self, chain: Chain) -> None:
        self._chain, self._own = chain, list(chain.places)

    def of(self, wanted: JointMotion, found: JointMotion) -> tuple[Array, ...]:
        """Errors of position, orientation (rotation vector), velocity, turn rate, shape (3,) each.

        Measured velocity and turn rate follow. All in the axes of the end effector as measured.
        """
        chain, own = self._chain, self._own
        should, there = chain.frames(wanted.positions[own]), chain.frames(found.positions[own])
        back = there[-1][:3, :3].T
        way = back @ (should[-1][:3, 3] - there[-1][:3, 3])
        turn = rotation_vector(back @ should[-1][:3, :3])
        now = chain.jacobian(there) @ found.speeds[own]
        off = chain.jacobian(should) @ wanted.speeds[own] - now
        return way, turn, *(back @ one for one in (off[:3], off[3:], now[:3], now[3:]))


def rotation_vector(turn: Array) -> Array:
    """Axis times angle of a rotation matrix, shape (3,); near half a turn the axis is arbitrary."""
    aside = 0.5 * np.array(
        [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
    )
    sine = float(np.sqrt(aside @ aside))
    angle = float(np.arctan2(sine, 0.5 * (np.trace(turn) - 1.0)))
    return aside * (angle / sine) if sine > 1e-12 else aside


@dataclass(frozen=True, slots=True, eq=False)
class SignalGroup:
    """Joints that a diagram commands together."""

    name: str
    """Name, with which its signals begin; empty for the only group of a diagram."""
    places: tuple[int, ...]
    """Places of its joints among the robot's drives."""
    slides: tuple[bool, ...]
    """Whether each of them slides."""
    chain: Chain | None
    """Chain of driven joints to its end effector; None if there is none."""


class RobotSignals:
    """Signals of a robot for the diagram that moves it.

    Args:
        groups: groups of joints that it commands.

    Raises:
        ConfigError: if a signal of a group is called as another one.
    """

    def __init__(
        self, robot: WorldRobot, sensors: ReceivedSensors, groups: Sequence[SignalGroup]
    ) -> None:
        self._wanted: JointMotion
        self._found: JointMotion
        self._needed: Array
        self._of_model: set[str] = set()
        self._geometry: dict[str, tuple[Array, Array]] = {}
        self._errors: dict[str, tuple[Array, ...]] = {}
        self._robot, self._sensors = robot, sensors
        self._reads: dict[str, Read] = {}
        self._sensed: dict[str, slice] = {}
        """Place of each signal of a sensor in a reading."""
        self.groups: tuple[SignalGroup, ...] = tuple(groups)
        """Groups of joints that the diagram commands."""
        self.offered: list[Endpiece] = []
        """Signals, each with unit, shape and frame."""
        for one in groups:
            if not any(one.slides):
                self._offer_joints(one, "rad", "N m")
                self._offer_geometry(one)
            elif all(one.slides):
                self._offer_joints(one, "m", "N")
        for one in sensors.signals:
            if not one.child:
                shape = (one.count,) if one.count > 1 else ()
                self._offer_sensor(one, shape)

    def now(self, wanted: JointMotion, found: JointMotion, needed: Array) -> None:
        """Set the values of this tick, of all drives of the robot."""
        self._wanted, self._found, self._needed = wanted, self._received(found), needed
        self._geometry.clear()
        self._errors.clear()

    def _received(self, found: JointMotion) -> JointMotion:
        """Measured motion as it is received, with the faults of this step."""
        faults = self._sensors.faults
        if not faults.any_now:
            return found
        positions, speeds = found.positions.copy(), found.speeds.copy()
        for one in self.groups:
            at = np.array(one.places, np.intp)
            position, speed, _ = joint_signals(one.name, slides=all(one.slides))
            positions[at] = faults.received(position, positions[at])
            speeds[at] = faults.received(speed, speeds[at])
        return JointMotion(positions, speeds, found.accelerations)

    def _effort(self, name: str, at: slice | NDArray[np.intp]) -> Array:
        """Effort of joints as it is received."""
        return self._sensors.faults.received(name, self._robot.efforts()[at])

    def is_of_model(self, name: str) -> bool:
        """Whether a signal is an effort of the robot's model."""
        return name in self._of_model

    def feeds(self, wanted: Iterable[tuple[slice, str]]) -> tuple[Feed, ...]:
        """Feeds of signals at this tick: those of sensors together, each other one alone.

        Args:
            wanted: places of an input's numbers, and the name of its signal.
        """
        feeds: list[Feed] = []
        places, sensed = list[int](), list[int]()
        for where, name in wanted:
            if (at := self._sensed.get(name)) is None:
                feeds.append((where, self._reads[name]))
            else:
                places += range(where.start, where.stop)
                sensed += range(at.start, at.stop)
        if places:
            picked = np.array(sensed, np.intp)
            feeds.append((np.array(places, np.intp), lambda: self._sensors.latest[picked]))
        return tuple(feeds)

    def _offer_joints(self, group: SignalGroup, unit: str, effort: str) -> None:
        end, force, of = unit, effort.replace(" ", "_").lower(), (len(group.places),)
        position, speed, felt = joint_signals(group.name, slides=unit == "m")
        at, own = _part(group.places), _prefix(group)
        per_s, per_s2 = f"{unit}/s", f"{unit}/s2"
        self._offer(f"{own}wanted_{end}", unit, of, lambda: self._wanted.positions[at])
        self._offer(f"{own}wanted_{end}_s", per_s, of, lambda: self._wanted.speeds[at])
        self._offer(f"{own}wanted_{end}_s2", per_s2, of, lambda: self._wanted.accelerations[at])
        self._offer(position, unit, of, lambda: self._found.positions[at])
        self._offer(speed, per_s, of, lambda: self._found.speeds[at])
        self._offer(felt, effort, of, lambda: self._effort(felt, at))
        self._offer(f"{own}needed_{force}", effort, of, lambda: self._needed[at])
        self._of_model.add(f"{own}needed_{force}")

    def _offer(
        self, name: str, unit: str, shape: tuple[int, ...], read: Read, frame: str = ""
    ) -> None:
        self._add(Endpiece(name, unit, shape, frame), read)

    def _add(self, piece: Endpiece, read: Read) -> None:
        if piece.name in self._reads and any(one.name for one in self.groups):
            text = f"signal {piece.name} is there twice; call the group, or the sensor, otherwise"
            raise ConfigError("diagram.group", [text])
        self.offered.append(piece)
        self._reads[piece.name] = read

    def _offer_sensor(self, one: SensorSignal, shape: tuple[int, ...]) -> None:
        kind, unfit = "boolean" if one.boolean else "real", BOUNDLESS if one.boundless else ""
        piece = Endpiece(one.name, one.unit, shape, one.frame, kind, unfit)
        at = self._sensed[one.name] = one.at
        self._add(piece, lambda: self._sensors.latest[at])

    def _offer_geometry(self, group: SignalGroup) -> None:
        """Offer the end effector's place in each joint, if each turns once on the path to it."""
        chain, own = group.chain, _prefix(group)
        if chain is None:
            return
        frames = chain.frames(np.zeros(len(chain.places)))
        turned = [chain.places[variable] for variable, _, _, _ in chain.axes(frames)]
        if any(turned.count(place) != 1 for place in group.places):
            return
        rows, count = [turned.index(place) for place in group.places], len(group.places)
        at_end = partial(self._at_end, own, chain, rows)
        self._offer(f"{own}joint_to_end", "1", (count, 3, 3), lambda: at_end()[0])
        self._offer(f"{own}end_in_joint_m", "m", (count, 3), lambda: at_end()[1])
        errors, axes = EndErrors(chain), f"{own}end"
        for name, unit, part in ERRORS:
            self._offer(f"{own}{name}", unit, (3,), partial(self._off, own, errors, part), axes)

    def _off(self, own: str, errors: EndErrors, part: int) -> Array:
        if own not in self._errors:
            self._errors[own] = errors.of(self._wanted, self._found)
        return self._errors[own][part]

    def _at_end(self, own: str, chain: Chain, rows: Sequence[int]) -> tuple[Array, Array]:
        """Rotation from each joint's axes to the end effector's, and its position in them."""
        if own not in self._geometry:
            frames = chain.frames(self._found.positions[list(chain.places)])
            rotations, places = chain.ends(frames)
            self._geometry[own] = rotations[rows], places[rows]
        return self._geometry[own]


def _part(places: Sequence[int]) -> slice | NDArray[np.intp]:
    """Return an index of some drives: a slice, which copies nothing, where they are in a row."""
    first = places[0] if places else 0
    end = first + len(places)
    return slice(first, end) if [*places] == [*range(first, end)] else np.array(places, np.intp)


def _prefix(group: SignalGroup) -> str:
    """Beginning of the names of a group's signals."""
    return f"{group.name}_" if group.name else ""
