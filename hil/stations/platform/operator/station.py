"""Control of a platform that an operator leads: first in each cycle the operator is looked at."""

from collections.abc import Callable

from hil.stations.platform.control import Control, ParkingProof, PlatformMachine, PlatformStation
from hil.stations.platform.operator.motion import OperatedMotion
from hil.stations.platform.operator.sequence import OperatedCourse
from hil.timing.clock import Tick
from safety.modes import Request
from safety.verdict import Verdict


class OperatedStation(PlatformStation):
    """Control of one platform through one operated run."""

    def __init__(
        self,
        machine: PlatformMachine,
        motion: OperatedMotion,
        course: OperatedCourse,
        period_s: float,
        parking: ParkingProof,
    ) -> None:
        super().__init__(machine, motion, course, period_s, parking)
        self._course = course
        self.watch: Callable[[Tick], None] = _nothing
        """Called in every cycle: a look at what is beside the run."""

    def step(self, tick: Tick, verdict: Verdict | None) -> Control:
        """What control asks in this cycle.

        Args:
            verdict: the gate's verdict of the last cycle.

        Raises:
            ForwardKinematicsError: if the commanded lengths belong to no pose.
        """
        self.watch(tick)
        self._course.look(tick, verdict)
        control = super().step(tick, verdict)
        self._course.asked(control.requests)
        self._course.tell(tick)
        return control._replace(reset=self._course.reset, act_s=self._course.act_s)

    def _without_way(self, tick: Tick, why: str) -> tuple[Request, ...]:
        """No way to park is free: the platform stays until the operator ends the run."""
        self._course.no_way_to_park(tick, why)
        return ()


def _nothing(tick: Tick) -> None:
    """There is nothing to be looked at."""
