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
        slides: whether each driven joint slides, shape (drives,).
        chain: of joints to the tool; None if there is none.
    """

    def __init__(
        self, robot: WorldRobot, sensors: RobotSensors, slides: NDArray[np.bool_],
        chain: Chain | None,
    ) -> None:  # fmt: skip
        self.wanted: JointMotion
        self.found: JointMotion
        self.needed: Array
        self._robot, self._sensors, self._chain = robot, sensors, chain
        self._reads: dict[str, Read] = {}
        self.offered: list[Endpiece] = []
        """Each with its unit, shape and frame."""
        count = len(slides)
        if not slides.any():
            self._offer_joints("rad", "N m", count)
        elif slides.all():
            self._offer_joints("m", "N", count)
        if chain is not None and _moves_all(chain, count) and not slides.any():
            self._offer("joint_to_tool", "1", (count, 3, 3), lambda: self._geometry()[0])
            self._offer("tool_in_joint_m", "m", (count, 3), lambda: self._geometry()[1])
        for one in sensors.signals:
            if not one.child:
                shape = (one.count,) if one.count > 1 else ()
                self._offer(one.name, one.unit, shape, self._sensed(one), one.frame)

    def now(self, wanted: JointMotion, found: JointMotion, needed: Array) -> None:
        """What holds at this tick."""
        self.wanted, self.found, self.needed = wanted, found, needed

    def reads(self, name: str) -> Read:
        """What reads a signal at this tick."""
        return self._reads[name]

    def _offer_joints(self, unit: str, effort: str, count: int) -> None:
        end, force = unit, effort.replace(" ", "_").lower()
        of = (count,)
        self._offer(f"wanted_{end}", unit, of, lambda: self.wanted.positions)
        self._offer(f"wanted_{end}_s", f"{unit}/s", of, lambda: self.wanted.speeds)
        self._offer(f"wanted_{end}_s2", f"{unit}/s2", of, lambda: self.wanted.accelerations)
        self._offer(f"position_{end}", unit, of, lambda: self.found.positions)
        self._offer(f"speed_{end}_s", f"{unit}/s", of, lambda: self.found.speeds)
        self._offer(f"effort_{force}", effort, of, self._robot.efforts)
        self._offer(f"needed_{force}", effort, of, lambda: self.needed)

    def _offer(
        self, name: str, unit: str, shape: tuple[int, ...], read: Read, frame: str = ""
    ) -> None:
        self.offered.append(Endpiece(name, unit, shape, frame))
        self._reads[name] = read

    def _sensed(self, one: SensorSignal) -> Read:
        return lambda: self._sensors.latest[one.at]

    def _geometry(self) -> tuple[Array, Array]:
        """Rotation from each joint's axes to the tool's, and the tool's place in them.

        The axes of a joint: z about which it turns, x that of its frame as near as can be.
        """
        chain = self._chain
        assert chain is not None  # noqa: S101  # only offered with one
        frames = chain.frames(self.found.positions[list(chain.places)])
        tool = frames[-1]
        count = len(frames) - 1
        rotations, places = np.empty((count, 3, 3)), np.empty((count, 3))
        for number, (_, _, axis, origin) in enumerate(chain.axes(frames)):
            own = _axes_about(axis, frames[number][:3, :3])
            rotations[number] = tool[:3, :3].T @ own
            places[number] = own.T @ (tool[:3, 3] - origin)
        return rotations, places


def _moves_all(chain: Chain, count: int) -> bool:
    """Whether each drive turns one joint of the chain."""
    return chain.places == tuple(range(count)) and len(chain.frames(np.zeros(count))) == count + 1


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
        stopping: the built-in law that goes on when the diagram cannot.
        step_s: of control; the diagram's period is as many steps as it has.

    Raises:
        ConfigError: if it does not fit the robot.
    """

    law: Law = "computed"

    def __init__(
        self, used: UsedDiagram, use: DiagramUse, tells: RobotTells, control: ControlBy,
        drives: Sequence[RobotDrive], stopping: JointLaw, step_s: float,
    ) -> None:  # fmt: skip
        from hil.diagram.engine import Engine

        source = str(used.path)
        base_s = used.sound.flat.base_s
        self._steps = round(base_s / step_s)
        if self._steps < 1 or abs(base_s / step_s - self._steps) > WHOLE_TICKS * self._steps:
            text = f"base_s = {base_s:g} s is no whole number of the steps of {step_s:g} s here"
            raise ConfigError(source, [text])
        setpoint = _setpoint(control, drives, tells)
        seam = joined(used.sound, tells.offered, [setpoint], use.wiring(control), source)
        self._engine = Engine(used.sound)
        self._start = self._engine.snapshot()
        for name, numbers in seam.steady.items():
            self._engine.set_input(name, numbers)
        self._start = self._engine.snapshot()
        self._feeds = [(self._engine.inputs[name], tells.reads(signal))
                       for name, signal in seam.signals.items()]  # fmt: skip
        self._output = self._engine.outputs[seam.outputs[control]]
        self._most = _most(control, drives)
        self._tells, self._stopping = tells, stopping
        self._asked, self._left, self.fault = np.zeros(len(drives)), 0, ""

    def command(self, wanted: JointMotion, found: JointMotion, needed: Array) -> Array:
        """What the drives are told, within their limits, shape (drives,).

        Args:
            needed: effort of the robot's model for what is wanted, shape (drives,).
        """
        if self.fault:
            return self._stopping.command(wanted, found, needed)
        if self._left == 0:
            self._tells.now(wanted, found, needed)
            values = self._engine.values
            for where, read in self._feeds:
                values[where] = read().ravel()
            try:
                self._engine.step()
            except NonFiniteError as error:
                self.fault = f"the diagram stopped: {error}"
                return self._stopping.command(wanted, found, needed)
            self._asked = np.clip(values[self._output], -self._most, self._most)
            self._left = self._steps
        self._left -= 1
        return self._asked

    def restart(self) -> None:
        """Begin again, with all states as at the start."""
        self._engine.restore(self._start)
        self._asked, self._left, self.fault = np.zeros(len(self._most)), 0, ""
        self._stopping.restart()

    def carry(self, integrals: Array) -> None:
        """Of the built-in law."""
        self._stopping.carry(integrals)

    @property
    def integrals(self) -> Array:
        """Effort of each drive's integral of the built-in law, shape (drives,)."""
        return self._stopping.integrals


def _setpoint(control: ControlBy, drives: Sequence[RobotDrive], tells: RobotTells) -> Endpiece:
    """What the drives take."""
    turning = any(one.name == "wanted_rad" for one in tells.offered)
    sliding = any(one.name == "wanted_m" for one in tells.offered)
    if not (turning or sliding):
        text = "drives turn and slide; a diagram moves robots whose drives all do the same"
        raise ConfigError("control", [text])
    units = {"torque": ("N*m", "N"), "speed": ("rad/s", "m/s"), "voltage": ("1", "1")}
    return Endpiece(control, units[control][sliding], (len(drives),))


def _most(control: ControlBy, drives: Sequence[RobotDrive]) -> Array:
    """Greatest command of each drive."""
    if control == "torque":
        return np.array([one.effort_max for one in drives])
    if control == "voltage":
        return np.ones(len(drives))
    return np.array([np.inf if one.speed_max is None else one.speed_max for one in drives])
