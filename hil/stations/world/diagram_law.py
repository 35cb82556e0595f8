"""A law that is a functional diagram, and changes of it while it runs.

It stands where the built-in laws stand: behind the gate, which judges every setpoint, and before
the drives, whose limits hold what it commands. When a block makes a number that is not finite the
built-in law takes over in the same tick, and the gate is asked for a controlled stop.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError
from hil.diagram.fault import NonFiniteError
from hil.diagram.live import Successor, Version
from hil.diagram.read import read_text
from hil.diagram.seam import Endpiece, joined
from hil.stations.world.panel_page import shown_paths
from hil.stations.world.robot_tells import Array, Read, RobotTells

if TYPE_CHECKING:
    from hil.diagram.change import DiagramChange
    from hil.diagram.engine import Engine
    from hil.diagram.taps import DiagramTaps
    from hil.diagram.use import DiagramUse, UsedDiagram
    from sim.world.control.laws import ControlBy, JointLaw, JointMotion, Law
    from sim.world.robots.model import RobotDrive

WHOLE_TICKS: Final = 1e-9
"""A diagram's period this near to whole steps is so many, as a share."""
NOTHING: Final = np.empty(0)
JUMP_PART: Final = 0.05
"""Of what a drive can, by which its command may jump at a change; 0 if it has no bound."""


@dataclass(frozen=True, slots=True, eq=False)
class ConnectedVersion:
    """A version of the diagram with its inputs and its output connected."""

    version: Version
    feeds: tuple[tuple[slice, Read], ...]
    """Where each input stands, and what reads its signal."""
    output: slice
    """Where the command stands."""
    shown: NDArray[np.intp]
    """Where the numbers stand that panel blocks show; -1 for one that is not there."""


@dataclass(frozen=True, slots=True, eq=False)
class PreparedChange:
    """A change that is ready to be tried in the next tick."""

    change: DiagramChange
    successor: Successor
    after: ConnectedVersion
    told: tuple[tuple[str, Any, Any], ...]
    """Each parameter that is set: its path, what it was, what it will be."""


@dataclass(frozen=True, slots=True)
class ChangeOutcome:
    """What came of a change."""

    refused: str
    """Why it was not taken; empty if it was."""
    jump: float
    """By how much the command jumped, or would have; nan if that is not known."""


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
        base_s = used.sound.flat.base_s
        self._steps = round(base_s / step_s)
        if self._steps < 1 or abs(base_s / step_s - self._steps) > WHOLE_TICKS * self._steps:
            text = f"base_s = {base_s:g} s is no whole number of the steps of {step_s:g} s here"
            raise ConfigError(str(used.path), [text])
        own = [drives[place] for place in places]
        self._used, self._use, self._tells, self._control = used, use, tells, control
        self._setpoint, self._most = _setpoint(control, len(own), tells), _most(control, own)
        jump = np.where(np.isfinite(self._most), JUMP_PART * self._most, 0.0)
        self._jump = jump if use.jump is None else np.full(len(own), use.jump)
        self._places = np.array(places, np.intp)
        self._alone = len(own) == len(drives)
        self.shown = shown_paths(used.file)
        """Paths of the blocks that show something to a person."""
        self._built_in = built_in
        self._first = self._now = self._connected(Version.of(used.file, used.changes))
        self._start = self._now.version.engine.snapshot()
        self._asked, self._left, self.fault = np.zeros(len(own)), 0, ""
        self._offered: PreparedChange | None = None
        self.outcome: ChangeOutcome | None = None
        """Of the change that was offered last; None until it was tried."""
        self.taps: DiagramTaps | None = None
        """Tells who watches what it computes; None while nobody can."""

    def _connected(self, version: Version) -> ConnectedVersion:
        """Connect inputs and output of a version.

        Raises:
            ConfigError: if it does not fit the robot.
        """
        wiring, source = self._use.wiring(self._control), str(version.file.path)
        seam = joined(version.sound, self._tells.offered, [self._setpoint], wiring, source)
        engine = version.engine
        for name, numbers in seam.steady.items():
            engine.set_input(name, numbers)
        feeds = tuple((engine.inputs[name], self._tells.reads(signal))
                      for name, signal in seam.signals.items())  # fmt: skip
        shown = [self._shown_at(engine, path) for path in self.shown]
        return ConnectedVersion(
            version, feeds, engine.outputs[seam.outputs[self._control]], np.array(shown, np.intp)
        )

    @staticmethod
    def _shown_at(engine: Engine, path: str) -> int:
        try:
            return engine.place(path, "u").start
        except KeyError:  # of a diagram that was put in the first one's place
            return -1

    def shown_now(self) -> Array:
        """What each block that shows something shows, shape (blocks,); nan where it is gone."""
        places = self._now.shown
        if not len(places):
            return NOTHING
        return np.where(places < 0, np.nan, self._now.version.engine.values[places])

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
        offered, self._offered = self._offered, None
        if offered is not None:
            offered.successor.carry_over()
        try:
            asked = self._step(self._now)
        except NonFiniteError as error:
            self.fault = f"the diagram stopped: {error}"
            return
        self._asked = asked if offered is None else self._tried(offered, asked)
        self._left = self._steps
        if self.taps is not None:
            self.taps.push(self._now.version.engine)

    def _step(self, one: ConnectedVersion) -> Array:
        """Read the signals and compute; the command within the drives' limits."""
        engine = one.version.engine
        for where, read in one.feeds:
            engine.values[where] = np.ravel(read())
        engine.step()
        return np.clip(engine.values[one.output], -self._most, self._most)

    # --- changes while it runs -----------------------------------------------------------------

    def prepare(self, change: DiagramChange) -> PreparedChange:
        """Build what a change makes of the diagram that runs; it may be called beside the cycle.

        Raises:
            ConfigError: with a line for each fault.
        """
        now, changes, file = self._now, change.changes, None
        if change.text:
            file = read_text(change.text, Path(change.source or "diagram.toml"))
            changes = self._used.bound(file, changes)
        version, told = now.version.changed(changes, file)
        after = self._connected(version)
        return PreparedChange(change, Successor(now.version, version), after, told)

    def offer(self, prepared: PreparedChange) -> None:
        """Try a change in the next tick; `outcome` says then what came of it.

        One that was prepared for another version than the one that runs is refused at once.
        """
        if prepared.successor.before is self._now.version:
            self._offered, self.outcome = prepared, None
        else:
            self.outcome = ChangeOutcome("another change came first", math.nan)

    def _tried(self, offered: PreparedChange, asked: Array) -> Array:
        """Compute the tick with the other version too, and go on with it if that is well."""
        try:
            wanted = self._step(offered.after)
        except NonFiniteError as error:
            return self._keep(asked, str(error), math.nan)
        jumps = np.abs(wanted - asked)
        worst = int(np.argmax(jumps - self._jump))
        jump = float(jumps[worst])
        if jump > self._jump[worst] and not offered.change.forced:
            unit = self._setpoint.diagram_unit
            told = f"the command jumps by {jump:.4g} {unit}, at most {self._jump[worst]:.4g} {unit}"
            return self._keep(asked, told, jump)
        self._now, self.outcome = offered.after, ChangeOutcome("", jump)
        return wanted

    def _keep(self, asked: Array, refused: str, jump: float) -> Array:
        self.outcome = ChangeOutcome(refused, jump)
        return asked

    def restart(self) -> None:
        """Begin again, with all states as at the start."""
        self._now, self._offered = self._first, None
        self._now.version.engine.restore(self._start)
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
