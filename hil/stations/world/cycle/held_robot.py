"""Other robots of a scene: each held where it starts, by drives behind a gate of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from safety.robot_limits import RobotSetpoint

if TYPE_CHECKING:
    from hil.stations.world.cycle.gated_robot import GatedRobot


class HeldRobot:
    """Robot that is held where it starts.

    Args:
        name: name of it in the scene.
        gated: its drives behind their gate.
    """

    def __init__(self, name: str, gated: GatedRobot) -> None:
        self.name: str = name
        """Name in the scene."""
        self._gated = gated
        found = gated.found()
        still = (0.0,) * len(found.positions)
        self._asked = RobotSetpoint(found.positions, still, still)
        self._refused = tuple(one.message for one in gated.reset())

    def step(self) -> tuple[str, ...]:
        """Hold it for one step; returns what its gate objects to, such as a robot pushed away."""
        verdict = self._gated.step(self._asked, self._gated.found())
        messages = self._refused + tuple(one.message for one in verdict.violations)
        self._refused = ()
        return messages

    def carry_over(self, old: HeldRobot) -> None:
        """Continue from before an edit of another robot, as nothing of this one has changed."""
        self._asked, self._refused = old._asked, old._refused
        self._gated.carry_over(old._gated, range(len(self._asked.positions)))

    @property
    def gated(self) -> GatedRobot:
        """Drives behind their gate."""
        return self._gated

    @property
    def asked(self) -> RobotSetpoint:
        """Setpoint that is held."""
        return self._asked

    def resume(self, positions: tuple[float, ...]) -> None:
        """Hold another place; the state of its gate is set separately."""
        still = (0.0,) * len(positions)
        self._asked, self._refused = RobotSetpoint(positions, still, still), ()
