"""Control law that is a functional diagram.

It takes the place of the built-in laws: behind the gate, which judges every setpoint, and before
the drives, whose limits hold what it commands. When a block makes a number that is not finite the
built-in law takes over in the same tick, and the gate is asked for a controlled stop.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from hil.config.errors import ConfigError
from hil.diagram.check.seam import Endpiece, joined
from hil.diagram.run.connection import ConnectedDiagram, Connections, OutputBounds
from hil.diagram.run.fault import StoppedError
from hil.diagram.run.panel_page import paths_of_displays, places_of_displays
from hil.stations.world.cycle.robot_signals import Array, RobotSignals, SignalGroup

if TYPE_CHECKING:
    from hil.diagram.run.diagram_use import DiagramUse, UsedDiagram
    from hil.diagram.run.live import Version
    from hil.diagram.run.models import DiagramModels
    from sim.world.control.laws import ControlBy, JointLaw, JointMotion, Law
    from sim.world.robots.model import RobotDrive

WHOLE_TICKS: Final = 1e-9
"""Distance from whole steps within which a diagram's period counts as whole, as a share."""
JUMP_PART: Final = 0.05
"""Largest jump of a command at a change, as a share of the drive's greatest; 0 without bound."""


class DiagramLaw:
    """Functional diagram that commands all drives of a robot.

    Args:
        used: the diagram.
        use: table of the scenario about it.
        robot_signals: signals of the robot, and the groups of joints that it commands.
        control: by what the drives are commanded.
        drives: drives of the robot.
        built_in: the law of the others, and of all when the diagram cannot go on.
        step_s: period of control [s]; the diagram's period is a whole number of these.
        models: its FMUs; None if it has none.

    Raises:
        ConfigError: if it does not fit the robot.
    """

    def __init__(
        self, used: UsedDiagram, use: DiagramUse, robot_signals: RobotSignals, control: ControlBy,
        drives: Sequence[RobotDrive], built_in: JointLaw, step_s: float,
        models: DiagramModels | None = None,
    ) -> None:  # fmt: skip
        base_s = used.sound.flat.base_s
        self._steps = round(base_s / step_s)
        if self._steps < 1 or abs(base_s / step_s - self._steps) > WHOLE_TICKS * self._steps:
            text = f"base_s = {base_s:g} s is no whole number of the steps of {step_s:g} s here"
            raise ConfigError(str(used.path), [text])
        places = [place for one in robot_signals.groups for place in one.places]
        own = [drives[place] for place in places]
        self._use, self._robot_signals, self._control = use, robot_signals, control
        self._setpoints = [setpoint_of(control, one) for one in robot_signals.groups]
        units = [one.diagram_unit for one in self._setpoints for _ in range(one.shape[0])]
        most = _most(control, own)
        jump = np.where(np.isfinite(most), JUMP_PART * most, 0.0)
        jump = jump if use.jump is None else np.full(len(own), use.jump)
        self._places = np.array(places, np.intp)
        self._alone = places == list(range(len(drives)))
        self._shown = paths_of_displays(used.file)
        self._uses_model = False
        self._built_in = built_in
        bounds = OutputBounds(most, jump, units)
        self.models = models
        """FMUs of the diagram; None if it has none."""
        self.diagram = ConnectedDiagram(
            used.version, self._connections, used.bound, bounds, models=models
        )
        """Diagram that computes the commands."""
        self._asked, self._left, self.fault = np.zeros(len(own)), 0, ""

    def _connections(self, version: Version) -> Connections:
        """Connect inputs and output of a version.

        Raises:
            ConfigError: if it does not fit the robot.
        """
        wiring, source = self._use.wiring(self._control), str(version.file.path)
        seam = joined(version.sound, self._robot_signals.offered, self._setpoints, wiring, source)
        engine = version.engine
        for name, numbers in seam.steady.items():
            engine.set_input(name, numbers)
        self._uses_model |= any(
            self._robot_signals.is_of_model(signal) for signal in seam.signals.values()
        )
        feeds = self._robot_signals.feeds(
            (engine.inputs[name], signal) for name, signal in seam.signals.items()
        )
        outputs = [engine.outputs[seam.outputs[one.name]] for one in self._setpoints]
        places = np.concatenate([np.arange(one.start, one.stop) for one in outputs])
        return Connections(feeds, places, places_of_displays(engine, self._shown))

    @property
    def law(self) -> Law:
        """Effort of the robot's model that the diagram, or the law beside it, needs."""
        return "computed" if self._uses_model or self.fault or not self._alone else "pid"

    def output_now(self, name: str) -> float:
        """First number of an output after the last tick; nan if there is no such output."""
        engine = self.diagram.now.version.engine
        at = engine.outputs.get(name)
        return np.nan if at is None else float(engine.values[at.start])

    def shown_now(self) -> Array:
        """Values of the blocks that show something, shape (blocks,)."""
        return self.diagram.shown()

    def command(self, wanted: JointMotion, found: JointMotion, needed: Array) -> Array:
        """Commands of the drives within their limits, shape (drives,).

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
        """Compute a tick of the diagram."""
        self._robot_signals.now(wanted, found, needed)
        try:
            self._asked = self.diagram.compute()
        except StoppedError as error:
            self.fault = f"the diagram stopped: {error}"
            return
        self._left = self._steps
        self.diagram.publish()

    def restart(self) -> None:
        """Begin again, with all states as at the start."""
        self.diagram.restart()
        self._asked, self._left, self.fault = np.zeros(len(self._places)), 0, ""
        self._built_in.restart()

    def close(self) -> None:
        """End the diagram's FMUs."""
        self.diagram.close()

    def carry(self, integrals: Array) -> None:
        """Take over the integrals of the built-in law."""
        self._built_in.carry(integrals)

    @property
    def integrals(self) -> Array:
        """Effort of each drive's integral of the built-in law, shape (drives,)."""
        return self._built_in.integrals


def setpoint_of(control: ControlBy, group: SignalGroup) -> Endpiece:
    """Setpoint of the drives of a group, as an end of the diagram.

    Raises:
        ConfigError: if some of its joints turn and others slide.
    """
    if len(set(group.slides)) != 1:
        text = "joints turn and slide; give each kind a [[diagram.group]] of its own"
        raise ConfigError("diagram.joints", [text])
    units = {"torque": ("N*m", "N"), "speed": ("rad/s", "m/s"), "voltage": ("1", "1")}
    return Endpiece(group.name or control, units[control][group.slides[0]], (len(group.places),))


def _most(control: ControlBy, drives: Sequence[RobotDrive]) -> Array:
    """Greatest command of each drive."""
    if control == "torque":
        return np.array([one.effort_max for one in drives])
    if control == "voltage":
        return np.ones(len(drives))
    return np.array([np.inf if one.speed_max is None else one.speed_max for one in drives])
