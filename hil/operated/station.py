"""Control of a platform that an operator leads: first in each cycle the operator is looked at."""

from hil.clock import Tick
from hil.operated.course import OperatedCourse
from hil.operated.motion import OperatedMotion
from hil.stations.platform import Control, PlatformMachine, PlatformStation
from safety.verdict import Verdict


class OperatedStation(PlatformStation):
    """Control of one platform through one operated run.

    Args:
        machine: the rig's mathematics.
        motion: what is followed in ENGAGED.
        course: of the run.
        period_s: cycle time [s].
    """

    def __init__(
        self,
        machine: PlatformMachine,
        motion: OperatedMotion,
        course: OperatedCourse,
        period_s: float,
    ) -> None:
        super().__init__(machine, motion, course, period_s)
        self._course = course

    def step(self, tick: Tick, verdict: Verdict | None) -> Control:
        """What control asks in this cycle.

        Args:
            tick: this cycle.
            verdict: the gate's verdict of the last cycle.

        Raises:
            ForwardKinematicsError: if the commanded lengths belong to no pose.
        """
        self._course.look(tick, verdict)
        control = super().step(tick, verdict)
        self._course.tell(tick)
        return control._replace(reset=True) if self._course.reset else control
