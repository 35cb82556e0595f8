"""Other robots of a scene: each held where it stands, by drives behind a gate of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from safety.robot_limits import RobotSetpoint

if TYPE_CHECKING:
    from hil.stations.world.gated_robot import GatedRobot


class StandingRobot:
    """A robot that shall stay where it begins.

    Args:
        name: of it in the scene.
        gated: its drives.
    """

    def __init__(self, name: str, gated: GatedRobot) -> None:
        self.name: str = name
        """Of it in the scene."""
        self._gated = gated
        found = gated.found()
        still = (0.0,) * len(found.positions)
        self._asked = RobotSetpoint(found.positions, still, still)
        self._refused = tuple(one.message for one in gated.reset())

    def step(self) -> tuple[str, ...]:
        """Hold it for one step; what its gate objects to, if it is pushed away or cannot hold."""
        verdict = self._gated.step(self._asked, self._gated.found())
        messages = self._refused + tuple(one.message for one in verdict.violations)
        self._refused = ()
        return messages

    def carry_over(self, old: StandingRobot) -> None:
        """Go on from before an edit of another robot, as nothing of this one has changed."""
        self._asked, self._refused = old._asked, old._refused
        self._gated.carry_over(old._gated, range(len(self._asked.positions)))

    @property
    def gated(self) -> GatedRobot:
        """Its drives behind their gate."""
        return self._gated

    @property
    def asked(self) -> RobotSetpoint:
        """Where it shall stay."""
        return self._asked

    def resume(self, positions: tuple[float, ...]) -> None:
        """Shall stay elsewhere; what its gate remembers is set apart."""
        still = (0.0,) * len(positions)
        self._asked, self._refused = RobotSetpoint(positions, still, still), ()
