"""Passage from one motion to another, proved before it is followed.

Both motions were proved, each along its own path; what lies between them was not. So the passage
begins at a place of the old motion that is reached only when the proof is done, as in `PoseMove`.
"""

from enum import Enum

from hil.stations.platform.lead.motion_builder import BuiltMotion
from hil.stations.platform.lead.path_check import PathCheck, PathScan, cycle_count
from hil.stations.platform.lead.paths import Crossfade, Played
from hil.stations.platform.lead.pose_move import SPARE_CYCLES, SPARE_SHARE
from hil.stations.platform.motion.source import Floats


class BlendStage(Enum):
    """Next step of the work."""

    PLAN = "plan"
    PROVE = "prove"
    PROVED = "proved"
    REFUSED = "refused"


TRANSITIONS: dict[BlendStage, tuple[BlendStage, ...]] = {
    BlendStage.PLAN: (BlendStage.PROVE,),
    BlendStage.PROVE: (BlendStage.PLAN, BlendStage.PROVED, BlendStage.REFUSED),
    BlendStage.PROVED: (BlendStage.PLAN,),
    BlendStage.REFUSED: (),
}
"""Stages that may follow each; PLAN follows where the place of the beginning was passed too early,
or the tempo has dropped so that it would be reached late or never."""


class _Stretch:
    """Fade of a crossfade by itself, in rows that nothing overwrites."""

    def __init__(self, crossfade: Crossfade, begin_s: float) -> None:
        self._crossfade, self._begin_s = crossfade, begin_s
        self.duration_s = crossfade.end_s - begin_s

    def rows(self, t_s: float) -> Floats:
        """Return the rows at a time since it began [s]."""
        return self._crossfade.rows(self._begin_s + t_s).copy()


class MotionBlend:
    """Passage, from the finished motion to the moment when it may begin.

    Args:
        made: motion to be taken, with the length of the passage.
    """

    def __init__(self, old: Played, made: BuiltMotion, reach: PathCheck, period_s: float) -> None:
        if made.motion is None:
            raise ValueError(f"motion {made.serial} was refused: {made.refused}")
        self.made = made
        """Motion at the end of the passage."""
        self.objection = ""
        """Reason why it may not begin; empty while none is known."""
        self._old, self._new, self._reach = old, made.motion, reach
        self._ahead_s = self._new.lead_in_s - old.lead_in_s
        cycles = SPARE_CYCLES + SPARE_SHARE * cycle_count(made.fade_s, made.apart_s)
        self._wait_s = cycles * period_s
        self._stage = BlendStage.PLAN
        self._begin_s = 0.0
        self._crossfade: Crossfade | None = None
        self._survey: PathScan | None = None

    @property
    def stage(self) -> BlendStage:
        """Stage that it has reached."""
        return self._stage

    def step(self, path_s: float, tempo: float) -> BlendStage:
        """Do the part of one cycle; before the path is sampled.

        Args:
            path_s: elapsed time of the old motion's path [s].
            tempo: highest rate at which that rises until the proof is done, 0 to 1.
        """
        following = self._work(path_s, tempo)
        if following is not self._stage:
            if following not in TRANSITIONS[self._stage]:
                raise AssertionError(f"passage: {self._stage} is not followed by {following}")
            self._stage = following
        return self._stage

    def _work(self, path_s: float, tempo: float) -> BlendStage:
        if self._stage is BlendStage.REFUSED:
            return self._stage
        ahead_s = self._begin_s - path_s
        if self._stage is not BlendStage.PLAN and not 0.0 <= ahead_s <= tempo * self._wait_s + 1e-9:
            return BlendStage.PLAN  # that place was passed before all was proved, or is far by now
        if self._stage is BlendStage.PLAN:
            self._begin_s = path_s + tempo * self._wait_s
            begin_s = self._begin_s + self._ahead_s
            fade_s = self.made.fade_s
            self._crossfade = Crossfade(self._old, self._new, begin_s, self._ahead_s, fade_s)
            stretch = _Stretch(self._crossfade, begin_s)
            self._survey = PathScan(self._reach, stretch, apart_s=self.made.apart_s)
            return BlendStage.PROVE
        if self._stage is BlendStage.PROVE and self._survey is not None:
            objection = self._survey.step()
            if objection is None:
                return BlendStage.PROVE
            self.objection = objection
            return BlendStage.REFUSED if objection else BlendStage.PROVED
        return self._stage

    def begun(self, path_s: float) -> tuple[Crossfade, float] | None:
        """Passage and the new motion's time [s], as soon as it has begun; None before.

        Args:
            path_s: elapsed time of the old motion's path [s].
        """
        if (
            self._stage is not BlendStage.PROVED
            or self._crossfade is None
            or path_s < self._begin_s
        ):
            return None
        return self._crossfade, path_s + self._ahead_s
