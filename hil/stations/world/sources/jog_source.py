"""Jogging: an operator leads joints or the tool by velocities; released, all comes to rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hil.stations.world.sources.jog_operators import REST
from hil.stations.world.sources.source import SourceNews, setpoint_of

if TYPE_CHECKING:
    from hil.stations.world.sources.jog_operators import JogCommand, JogOperator
    from safety.robot_limits import RobotSetpoint
    from sim.world.motion.joint_bounds import BoundedJoints
    from sim.world.motion.tool_jog import ToolJog

Array = NDArray[np.float64]

SLOW: Final = 0.02
"""Share of its speed below which a commanded motion counts as stuck."""


class JogSource:
    """Source that leads a robot by its operator's commands, while it is held where it must be.

    Joints and tool take turns: one comes to rest before the other begins.

    Args:
        joints: joints where the robot starts.
        jog: jog of its tool; None if no driven joint leads to one.
        operator: source of the commands.
        full_joints: full speed of each driven joint, shape (drives,).
        full_tool: full speeds of the tool [m/s], [rad/s], shape (6,).
        names: names of the driven joints.
        in_tool: whether the tool is led in its own axes.
        held: whether it is held where it must be, besides its operator's own device.
        duration_s: longest duration; None if its operator ends it.
    """

    def __init__(
        self,
        joints: BoundedJoints,
        jog: ToolJog | None,
        operator: JogOperator,
        *,
        full_joints: Array,
        full_tool: Array,
        names: Sequence[str],
        in_tool: bool,
        held: Callable[[], bool],
        duration_s: float | None,
    ) -> None:
        self._joints, self._jog, self._operator, self._held = joints, jog, operator, held
        self._full_joints, self._full_tool, self._names = full_joints, full_tool, names
        self._in_tool = in_tool
        self._by_tool = False
        self._moves = False
        self._stuck = ""
        self._news = list[SourceNews]()
        self.duration_s: float | None = duration_s or operator.duration_s
        """Duration [s]; None if nobody knows."""
        self.ended: bool = False
        """Whether it is over, and the joints are at rest."""

    def setpoint(self, index: int) -> RobotSetpoint:
        """Setpoint of a step."""
        if index and not self.ended:  # the first step is where it starts
            t_s = (index - 1) * self._joints.period_s
            command = self._operator.request(t_s)
            over = self.duration_s is not None and t_s >= self.duration_s - 1e-9
            if over or self._operator.end_reason or not self._held():
                command = REST
            self._go(command)
            self.ended = (over or bool(self._operator.end_reason)) and self._joints.at_rest
        return setpoint_of(self._joints)

    def _go(self, command: JogCommand) -> None:
        wanted = command.joints is not None or command.tool is not None
        if wanted != self._moves:
            self._moves = wanted
            text = "led: it moves" if wanted else "let go: it comes to rest"
            self._news.append(SourceNews(text, {"led": wanted}))
        if wanted and self._joints.at_rest:
            self._by_tool = command.tool is not None
        if self._by_tool and self._jog is not None:
            tool = np.zeros(6) if command.tool is None else command.tool * self._full_tool
            self._jog.step(tool, in_tool=self._in_tool)
            self._note_stuck(self._tool_stuck() if command.tool is not None else "")
        else:
            still = np.zeros(len(self._full_joints))
            speeds = still if command.joints is None else command.joints * self._full_joints
            self._joints.at_speeds(speeds)
            self._note_stuck(self._joints_stuck(speeds))

    def _tool_stuck(self) -> str:
        jog = self._jog
        if jog is None or not (jog.blocked or jog.share < SLOW):
            return ""
        name = "" if jog.held_back is None else f"; {self._names[jog.held_back]} holds it back"
        return f"the tool: no further that way{name}"

    def _joints_stuck(self, wanted: Array) -> str:
        bounds, joints = self._joints.bounds, self._joints
        slow = np.abs(joints.speeds) < SLOW * np.abs(wanted)
        ends = np.where(wanted > 0.0, bounds.greatest, bounds.least)
        near = np.abs(ends - joints.positions) < SLOW * bounds.stop_s * np.abs(wanted)
        stuck = [name for name, one in zip(self._names, slow & near, strict=True) if one]
        return f"{', '.join(stuck)}: no further, the limit is there" if stuck else ""

    def _note_stuck(self, text: str) -> None:
        if text and not self._stuck:
            self._news.append(SourceNews(text, warning=True))
        self._stuck = text

    def news(self) -> Sequence[SourceNews]:
        """Events: led or released, and places where it goes no further."""
        taken, self._news = self._news, []
        return taken

    def close(self) -> None:
        """Close the operator."""
        self._operator.close()
