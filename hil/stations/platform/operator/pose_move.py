"""A way that is planned and proved while the present path is still followed.

The proof takes some cycles, and the platform moves on in them. So the way begins at a place of the
present path that is reached only when the proof is done: there it has the path's state, and the
change is smooth to the second derivative. The present path is kept until then, and for good if the
way is refused. A pose from which there is no way to park is refused before a way to it is planned.
"""

from enum import Enum

from hil.stations.platform.motion.moves import MoveLimits
from hil.stations.platform.motion.source import Floats
from hil.stations.platform.operator.park_path import ParkPath
from hil.stations.platform.operator.path_check import PathCheck, PathScan, cycle_count, start_rows
from hil.stations.platform.operator.paths import RestPath, ScaledPath, ShortestPath
from hil.stations.platform.operator.phases import OperationEvent
from hil_common.arrays.pose import Pose

SPARE_CYCLES = 4
SPARE_SHARE = 1.25
"""The place where the way begins is so much further ahead than the proof should take."""


class PoseMoveStage(Enum):
    """What is done next."""

    TARGET = "target"
    """Whether the pose itself can be."""
    BACK = "back"
    """Whether there is a way from it to park."""
    GAUGE = "gauge"
    """How long the proof takes, and so from where the way begins."""
    PLAN = "plan"
    PROVE = "prove"
    PROVED = "proved"
    REFUSED = "refused"


class PoseMove:
    """One way to a pose, from the press to the moment when it may be gone.

    Args:
        happening: what the way is for, PLAY or POSE.
        target: coordinates of the pose [m, rad], shape (6,).
        park: finds the way to park from the pose; this errand's own until it is done.
    """

    def __init__(
        self,
        happening: OperationEvent,
        target: Floats,
        limits: MoveLimits,
        reach: PathCheck,
        park: ParkPath,
        period_s: float,
    ) -> None:
        self.happening = happening
        """What the way is for."""
        self.target = target
        """Where it leads, shape (6,)."""
        self.objection = ""
        """Why the way may not be gone; empty while nothing is known against it."""
        self._limits, self._reach, self._period_s = limits, reach, period_s
        self._park = park
        park.begin()
        # A motion was proved together with the way between its start and park.
        self._stage = (
            PoseMoveStage.TARGET if happening is OperationEvent.POSE else PoseMoveStage.GAUGE
        )
        self._ahead_s = 0.0
        self._begin_s = 0.0
        self._from_rest = False
        self._way: ShortestPath | None = None
        self._survey = PathScan(reach, RestPath(start_rows(target)))

    @property
    def stage(self) -> PoseMoveStage:
        """How far it has come."""
        return self._stage

    def step(self, path: ScaledPath, path_s: float) -> PoseMoveStage:
        """Do the part of one cycle; before the path is sampled.

        Args:
            path: that is followed at present.
            path_s: how far [s].
        """
        try:
            self._work(path, path_s)
        except ValueError as error:
            self._refuse(str(error))
        return self._stage

    def _work(self, path: ScaledPath, path_s: float) -> None:
        if self._stage in (PoseMoveStage.TARGET, PoseMoveStage.BACK):
            self._look_back()
            return
        if self._stage in (PoseMoveStage.PROVE, PoseMoveStage.PROVED) and self._late(path_s):
            self._stage = PoseMoveStage.GAUGE  # the place was passed before all was proved
        if self._stage is PoseMoveStage.GAUGE:
            self._from_rest = path_s >= path.duration_s
            if not self._from_rest:
                way = ShortestPath(path.rows(path_s), self.target, self._limits)
                cycles = SPARE_CYCLES + SPARE_SHARE * cycle_count(
                    way.duration_s, self._reach.spacing_s
                )
                self._ahead_s = cycles * self._period_s
                self._stage = PoseMoveStage.PLAN
                return
            self._ahead_s, self._stage = 0.0, PoseMoveStage.PLAN
        if self._stage is PoseMoveStage.PLAN:
            self._begin_s = path_s + self._ahead_s
            self._way = ShortestPath(path.rows(self._begin_s), self.target, self._limits)
            self._survey = PathScan(self._reach, self._way)
            self._stage = PoseMoveStage.PROVE
        elif self._stage is PoseMoveStage.PROVE:
            self._survey_to(PoseMoveStage.PROVED)

    def _survey_to(self, following: PoseMoveStage) -> None:
        """Do a part of the survey; go on to a stage if it ends well."""
        objection = self._survey.step()
        if objection:
            self._refuse(objection)
        elif objection is not None:
            self._stage = following

    def _look_back(self) -> None:
        """Look at the pose, and at the way from there to park."""
        if self._stage is PoseMoveStage.TARGET:
            self._survey_to(PoseMoveStage.BACK)
            return
        self._park.work(lambda: Pose.from_coordinates(self.target))
        if self._park.refused:
            self._refuse(f"no way from there to park is free: {self._park.refused}")
        elif self._park.path is not None:
            self._stage = PoseMoveStage.GAUGE

    def _late(self, path_s: float) -> bool:
        return not self._from_rest and path_s > self._begin_s

    def _refuse(self, why: str) -> None:
        self.objection, self._stage = why, PoseMoveStage.REFUSED

    def begun(self, path_s: float) -> tuple[ShortestPath, float] | None:
        """The way and how far on it the platform is [s], as soon as it is gone; None before.

        Args:
            path_s: how far the present path is followed [s].
        """
        if self._stage is not PoseMoveStage.PROVED or self._way is None:
            return None
        if self._from_rest:
            return self._way, 0.0
        return (self._way, path_s - self._begin_s) if path_s >= self._begin_s else None
