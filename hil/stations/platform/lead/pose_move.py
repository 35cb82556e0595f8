"""Path to a pose, planned and proved while the present path is still followed.

The proof takes some cycles, and the platform moves on in them. So the path begins at a place of the
present one that is reached only when the proof is done: there it has the present path's state, and
the change is smooth to the second derivative. The present path is kept until then, and for good if
the new one is refused. A pose without a path to park is refused before a path to it is planned.
"""

from enum import Enum

from hil.stations.platform.lead.park_path import ParkPath
from hil.stations.platform.lead.path_check import PathCheck, PathScan, cycle_count, start_rows
from hil.stations.platform.lead.paths import RestPath, ScaledPath, ShortestPath
from hil.stations.platform.lead.phases import OperationEvent
from hil.stations.platform.motion.moves import MoveLimits
from hil.stations.platform.motion.source import Floats
from hil_common.arrays.pose import Pose

SPARE_CYCLES = 4
SPARE_SHARE = 1.25
"""Distance of the place where the path begins, as a multiple of the proof's expected time."""


class PoseMoveStage(Enum):
    """Next step of the work."""

    TARGET = "target"
    """Check whether the pose itself is possible."""
    BACK = "back"
    """Check whether there is a path from it to park."""
    GAUGE = "gauge"
    """Estimate the time of the proof, and so where the path begins."""
    PLAN = "plan"
    PROVE = "prove"
    PROVED = "proved"
    REFUSED = "refused"


class PoseMove:
    """Path to a pose, from the press to the moment when it may begin.

    Args:
        happening: purpose of the path, PLAY or POSE.
        target: coordinates of the pose [m, rad], shape (6,).
        park: finds the path to park from the pose; used by this move alone until it is done.
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
        """Purpose of the path, PLAY or POSE."""
        self.target = target
        """Coordinates of the goal, shape (6,)."""
        self.objection = ""
        """Reason why the path may not begin; empty while none is known."""
        self._limits, self._reach, self._period_s = limits, reach, period_s
        self._park = park
        park.begin()
        # A motion was proved together with the path between its start and park.
        self._stage = (
            PoseMoveStage.TARGET if happening is OperationEvent.POSE else PoseMoveStage.GAUGE
        )
        self._ahead_s = 0.0
        self._begin_s = 0.0
        self._from_rest = False
        self._planned: ShortestPath | None = None
        self._survey = PathScan(reach, RestPath(start_rows(target)))

    @property
    def stage(self) -> PoseMoveStage:
        """Stage that it has reached."""
        return self._stage

    def step(self, path: ScaledPath, path_s: float) -> PoseMoveStage:
        """Do the part of one cycle; before the path is sampled.

        Args:
            path: path that is followed at present.
            path_s: elapsed time of that path [s].
        """
        try:
            self._work(path, path_s)
        except ValueError as error:
            self._refuse(str(error))
        return self._stage

    def _work(self, path: ScaledPath, path_s: float) -> None:
        if self._stage in (PoseMoveStage.TARGET, PoseMoveStage.BACK):
            self._check_park_path()
            return
        if self._stage in (PoseMoveStage.PROVE, PoseMoveStage.PROVED) and self._late(path_s):
            self._stage = PoseMoveStage.GAUGE  # the place was passed before all was proved
        if self._stage is PoseMoveStage.GAUGE:
            self._from_rest = path_s >= path.duration_s
            if not self._from_rest:
                planned = ShortestPath(path.rows(path_s), self.target, self._limits)
                cycles = SPARE_CYCLES + SPARE_SHARE * cycle_count(
                    planned.duration_s, self._reach.spacing_s
                )
                self._ahead_s = cycles * self._period_s
                self._stage = PoseMoveStage.PLAN
                return
            self._ahead_s, self._stage = 0.0, PoseMoveStage.PLAN
        if self._stage is PoseMoveStage.PLAN:
            self._begin_s = path_s + self._ahead_s
            self._planned = ShortestPath(path.rows(self._begin_s), self.target, self._limits)
            self._survey = PathScan(self._reach, self._planned)
            self._stage = PoseMoveStage.PROVE
        elif self._stage is PoseMoveStage.PROVE:
            self._scan_path(PoseMoveStage.PROVED)

    def _scan_path(self, following: PoseMoveStage) -> None:
        """Do a part of the scan; go on to a stage if it ends well."""
        objection = self._survey.step()
        if objection:
            self._refuse(objection)
        elif objection is not None:
            self._stage = following

    def _check_park_path(self) -> None:
        """Check the pose, and the path from there to park."""
        if self._stage is PoseMoveStage.TARGET:
            self._scan_path(PoseMoveStage.BACK)
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
        """Path and elapsed time on it [s], as soon as it has begun; None before.

        Args:
            path_s: elapsed time of the present path [s].
        """
        if self._stage is not PoseMoveStage.PROVED or self._planned is None:
            return None
        if self._from_rest:
            return self._planned, 0.0
        return (self._planned, path_s - self._begin_s) if path_s >= self._begin_s else None
