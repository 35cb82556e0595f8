"""A law that is a functional diagram: what a robot tells it, and what it tells the drives.

It stands where the built-in laws stand: behind the gate, which judges every setpoint, and before
the drives, whose limits hold what it commands. When a block makes a number that is not finite the
built-in law takes over in the same tick, and the gate is asked for a controlled stop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError
from hil.diagram.fault import NonFiniteError
from hil.diagram.seam import Endpiece, joined
from sim.world.sensors.signals import SensorSignal

if TYPE_CHECKING:
    from hil.diagram.use import DiagramUse, UsedDiagram
    from sim.world.control.laws import ControlBy, JointLaw, JointMotion, Law
    from sim.world.engine.world import WorldRobot
    from sim.world.motion.chain import Chain
    from sim.world.robots.model import RobotDrive
    from sim.world.sensors.readings import RobotSensors

Array = NDArray[np.float64]
Read = Callable[[], Array]

WHOLE_TICKS: Final = 1e-9
"""A diagram's period this near to whole steps is so many, as a share."""


class RobotTells:
    """Signals of a robot for the diagram that moves it.

    Args:
        places: of the joints that are told, among the robot's drives.
        slides: whether each of them slides.
        chain: of driven joints to the end effector; None if there is none.
    """

    def __init__(
        self, robot: WorldRobot, sensors: RobotSensors, places: Sequence[int],
        slides: Sequence[bool], chain: Chain | None,
    ) -> None:  # fmt: skip
        self._wanted: JointMotion
        self._found: JointMotion
        self._needed: Array
        self._geometry: tuple[Array, Array] | None = None
        self._places = np.array(places, np.intp)
        self._robot, self._sensors = robot, sensors
        self._reads: dict[str, Read] = {}
        self.offered: list[Endpiece] = []
        """Each with its unit, shape and frame."""
        if not any(slides):
            self._offer_joints("rad", "N m")
        elif all(slides):
            self._offer_joints("m", "N")
        if chain is not None and not any(slides):
            self._offer_geometry(chain)
        for one in sensors.signals:
            if not one.child:
                shape = (one.count,) if one.count > 1 else ()
                self._offer(one.name, one.unit, shape, self._sensed(one), one.frame)

    def now(self, wanted: JointMotion, found: JointMotion, needed: Array) -> None:
        """What holds at this tick, of all drives of the robot."""
        self._wanted, self._found, self._needed = wanted, found, needed
        self._geometry = None

    def reads(self, name: str) -> Read:
        """What reads a signal at this tick."""
        return self._reads[name]

    def _offer_joints(self, unit: str, effort: str) -> None:
        end, force = unit, effort.replace(" ", "_").lower()
        at, of = self._places, (len(self._places),)
        self._offer(f"wanted_{end}", unit, of, lambda: self._wanted.positions[at])
        self._offer(f"wanted_{end}_s", f"{unit}/s", of, lambda: self._wanted.speeds[at])
        self._offer(f"wanted_{end}_s2", f"{unit}/s2", of, lambda: self._wanted.accelerations[at])
        self._offer(f"position_{end}", unit, of, lambda: self._found.positions[at])
        self._offer(f"speed_{end}_s", f"{unit}/s", of, lambda: self._found.speeds[at])
        self._offer(f"effort_{force}", effort, of, lambda: self._robot.efforts()[at])
        self._offer(f"needed_{force}", effort, of, lambda: self._needed[at])

    def _offer(
        self, name: str, unit: str, shape: tuple[int, ...], read: Read, frame: str = ""
    ) -> None:
        self.offered.append(Endpiece(name, unit, shape, frame))
        self._reads[name] = read

    def _sensed(self, one: SensorSignal) -> Read:
        return lambda: self._sensors.latest[one.at]

    def _offer_geometry(self, chain: Chain) -> None:
        """Where the end effector is in each joint, if each turns once on the way to it."""
        frames = chain.frames(np.zeros(len(chain.places)))
        turned = [chain.places[variable] for variable, _, _, _ in chain.axes(frames)]
        if any(turned.count(place) != 1 for place in self._places):
            return
        rows, count = [turned.index(place) for place in self._places], len(self._places)
        self._offer("joint_to_end", "1", (count, 3, 3), lambda: self._at_end(chain, rows)[0])
        self._offer("end_in_joint_m", "m", (count, 3), lambda: self._at_end(chain, rows)[1])

    def _at_end(self, chain: Chain, rows: Sequence[int]) -> tuple[Array, Array]:
        """Rotation from each joint's axes to the end effector's, and its place in them.

        The axes of a joint: z about which it turns, x that of its frame as near as can be.
        """
        if self._geometry is not None:
            return self._geometry
        frames = chain.frames(self._found.positions[list(chain.places)])
        end, axes = frames[-1], chain.axes(frames)
        rotations, places = np.empty((len(rows), 3, 3)), np.empty((len(rows), 3))
        for number, row in enumerate(rows):
            _, _, axis, origin = axes[row]
            own = _axes_about(axis, frames[row][:3, :3])
            rotations[number] = end[:3, :3].T @ own
            places[number] = own.T @ (end[:3, 3] - origin)
        self._geometry = rotations, places
        return self._geometry


def _axes_about(axis: Array, frame: Array) -> Array:
    """Axes as columns: z along an axis, x as near as can be to that of a frame."""
    aside = frame[:, 0] - (frame[:, 0] @ axis) * axis
    if aside @ aside < 1e-6:
        aside = frame[:, 1] - (frame[:, 1] @ axis) * axis
    x = aside / np.sqrt(aside @ aside)
    return np.column_stack([x, np.cross(axis, x), axis])


class DiagramLaw:
    """A diagram that commands all drives of a robot.

    Args:
        used: the diagram.
        use: what the scenario says of it.
        tells: signals of the robot.
        control: by what the drives are commanded.
        drives: of the robot.
        places: of those that the diagram commands, among the drives.
        built_in: the law of the others, and of all when the diagram cannot go on.
        step_s: of control; the diagram's period is as many steps as it has.

    Raises:
        ConfigError: if it does not fit the robot.
    """

    law: Law = "computed"

    def __init__(
        self, used: UsedDiagram, use: DiagramUse, tells: RobotTells, control: ControlBy,
        drives: Sequence[RobotDrive], places: Sequence[int], built_in: JointLaw, step_s: float,
    ) -> None:  # fmt: skip
        from hil.diagram.engine import Engine

        source = str(used.path)
        base_s = used.sound.flat.base_s
        self._steps = round(base_s / step_s)
        if self._steps < 1 or abs(base_s / step_s - self._steps) > WHOLE_TICKS * self._steps:
            text = f"base_s = {base_s:g} s is no whole number of the steps of {step_s:g} s here"
            raise ConfigError(source, [text])
        own = [drives[place] for place in places]
        setpoint = _setpoint(control, len(own), tells)
        seam = joined(used.sound, tells.offered, [setpoint], use.wiring(control), source)
        self._engine = Engine(used.sound)
        self._start = self._engine.snapshot()
        for name, numbers in seam.steady.items():
            self._engine.set_input(name, numbers)
        self._start = self._engine.snapshot()
        self._feeds = [(self._engine.inputs[name], tells.reads(signal))
                       for name, signal in seam.signals.items()]  # fmt: skip
        self._output = self._engine.outputs[seam.outputs[control]]
        self._most = _most(control, own)
        self._places = np.array(places, np.intp)
        self._alone = len(own) == len(drives)
        self._tells, self._built_in = tells, built_in
        self._asked, self._left, self.fault = np.zeros(len(own)), 0, ""

    def command(self, wanted: JointMotion, found: JointMotion, needed: Array) -> Array:
        """What the drives are told, within their limits, shape (drives,).

        Args:
            needed: effort of the robot's model for what is wanted, shape (drives,).
        """
        if self._left == 0 and not self.fault:
            self._compute(wanted, found, needed)
        self._left -= 1
        if self._alone and not self.fault:
            return self._asked
        commands = self._built_in.command(wanted, found, needed)
        if not self.fault:
            commands[self._places] = self._asked
        return commands

    def _compute(self, wanted: JointMotion, found: JointMotion, needed: Array) -> None:
        """A tick of the diagram."""
        self._tells.now(wanted, found, needed)
        values = self._engine.values
        for where, read in self._feeds:
            values[where] = np.ravel(read())
        try:
            self._engine.step()
        except NonFiniteError as error:
            self.fault = f"the diagram stopped: {error}"
            return
        self._asked = np.clip(values[self._output], -self._most, self._most)
        self._left = self._steps

    def restart(self) -> None:
        """Begin again, with all states as at the start."""
        self._engine.restore(self._start)
        self._asked, self._left, self.fault = np.zeros(len(self._most)), 0, ""
        self._built_in.restart()

    def carry(self, integrals: Array) -> None:
        """Of the built-in law."""
        self._built_in.carry(integrals)

    @property
    def integrals(self) -> Array:
        """Effort of each drive's integral of the built-in law, shape (drives,)."""
        return self._built_in.integrals


def _setpoint(control: ControlBy, count: int, tells: RobotTells) -> Endpiece:
    """What the drives take."""
    turning = any(one.name == "wanted_rad" for one in tells.offered)
    sliding = any(one.name == "wanted_m" for one in tells.offered)
    if not (turning or sliding):
        text = "joints turn and slide; a diagram moves joints that all do the same"
        raise ConfigError("diagram.joints", [text])
    units = {"torque": ("N*m", "N"), "speed": ("rad/s", "m/s"), "voltage": ("1", "1")}
    return Endpiece(control, units[control][sliding], (count,))


def _most(control: ControlBy, drives: Sequence[RobotDrive]) -> Array:
    """Greatest command of each drive."""
    if control == "torque":
        return np.array([one.effort_max for one in drives])
    if control == "voltage":
        return np.ones(len(drives))
    return np.array([np.inf if one.speed_max is None else one.speed_max for one in drives])
