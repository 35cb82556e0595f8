"""Path to park, proved before it is followed, wherever the platform is.

A pose that could be reached may have no free straight path to park. Several paths are checked, the
shortest first, one part per cycle; which of them is followed, if any, is known before parking is
requested from the gate.
"""

from collections.abc import Callable
from enum import Enum

import numpy as np

from hil.stations.platform.lead.path_check import PathCheck, PathScan
from hil.stations.platform.lead.paths import Played
from hil.stations.platform.motion.moves import MoveLimits, Moves
from hil.stations.platform.motion.source import Floats
from hil_common.arrays.pose import Pose


class ParkStage(Enum):
    """Next step of the work."""

    LOCATE = "locate"
    """Find where the platform is."""
    PLAN = "plan"
    PROVE = "prove"
    PROVED = "proved"
    REFUSED = "refused"


TRANSITIONS: dict[ParkStage, tuple[ParkStage, ...]] = {
    ParkStage.LOCATE: (ParkStage.PLAN, ParkStage.REFUSED),
    ParkStage.PLAN: (ParkStage.PROVE, ParkStage.REFUSED),
    ParkStage.PROVE: (ParkStage.PROVE, ParkStage.PLAN, ParkStage.PROVED, ParkStage.REFUSED),
    ParkStage.PROVED: (),
    ParkStage.REFUSED: (),
}
"""Stages that may follow each."""


class _Rows(Played):
    """Move in rows that nothing overwrites."""

    def rows(self, t_s: float) -> Floats:
        """Return the rows at a time [s]."""
        return super().rows(t_s).copy()


class ParkPath:
    """Search for a path to park from one pose.

    Args:
        park: X_BP where homing ends.
        neutral: X_BP in the middle of the workspace, through which a path may lead.
    """

    def __init__(self, park: Pose, neutral: Pose, limits: MoveLimits, reach: PathCheck) -> None:
        self._park, self._neutral = park, neutral
        self._limits, self._reach = limits, reach
        self.begin()

    def begin(self) -> None:
        """Discard the path: the platform is elsewhere."""
        self._stage = ParkStage.LOCATE
        self._left: list[tuple[Pose, ...]] = []
        self._here = self._park
        self._survey: PathScan | None = None
        self._planned: Moves | None = None
        self._objection = ""

    @property
    def stage(self) -> ParkStage:
        """Stage that it has reached."""
        return self._stage

    @property
    def path(self) -> Moves | None:
        """Path that was proved; None before."""
        return self._planned if self._stage is ParkStage.PROVED else None

    @property
    def refused(self) -> str:
        """Objection to the shortest path, once no other is free either; empty before."""
        return self._objection if self._stage is ParkStage.REFUSED else ""

    def work(self, here: Callable[[], Pose]) -> None:
        """Do the part of one cycle.

        Args:
            here: returns X_BP of the platform; called once.
        """
        try:
            following = self._work(here)
        except (ArithmeticError, ValueError) as error:
            self._objection = self._objection or str(error)
            following = ParkStage.REFUSED
        if following is not self._stage:
            if following not in TRANSITIONS[self._stage]:
                raise AssertionError(f"way to park: {self._stage} is not followed by {following}")
            self._stage = following

    def _work(self, here: Callable[[], Pose]) -> ParkStage:
        if self._stage is ParkStage.LOCATE:
            self._here = here()
            self._left = self._routes(self._here)
            return ParkStage.PLAN
        if self._stage is ParkStage.PLAN:
            over = self._left.pop(0)
            self._planned = Moves(self._here, [(pose, 0.0) for pose in over], self._limits)
            self._survey = PathScan(self._reach, _Rows(self._planned), leave=True)
            return ParkStage.PROVE
        if self._stage is ParkStage.PROVE and self._survey is not None:
            found = self._survey.step()
            if found is None:
                return ParkStage.PROVE
            self._objection = self._objection or found
            if found:
                return ParkStage.PLAN if self._left else ParkStage.REFUSED
            return ParkStage.PROVED
        return self._stage

    def _routes(self, here: Pose) -> list[tuple[Pose, ...]]:
        """Candidate paths: straight there; or levelled out first; or over the middle."""
        at, neutral, park = here.coordinates(), self._neutral.coordinates(), self._park
        level = Pose.from_coordinates(np.concatenate([at[:3], park.coordinates()[3:]]))
        above = Pose.from_coordinates(np.concatenate([neutral[:3], at[3:]]))
        return [
            (park,),
            (level, park),
            (self._neutral, park),
            (level, self._neutral, park),
            (above, self._neutral, park),
        ]
