"""Reaction of the robot to a released dead-man: it rests, and continues from there once held again.

The simulated arm cannot rest so: its request goes to zero smoothly, and it swings out. The robot
repeats the first of it; then it comes to rest by itself. Rest is no end of the stream: the robot
continues to ask, and gets the place where it is.
"""

import math

from hil.stations.arm.cycle.step import RobotStep
from hil.stations.arm.cycle.stream import Observer, WaypointMaker
from hil.timing.clock import Tick

REST_AFTER_S = 1.05
"""A dead-man let go for so long brings the robot to rest, whatever the simulated arm does [s]."""
RELEASED_S = 2.0
"""A robot that still moves when the dead-man was let go for so long is not waited for [s]."""
GAP_MAX_M = 0.15
"""Largest gap between the simulated gripper and a robot at rest [m]: beyond it does not swing, it
leaves, and the return would be a motion that nobody asked for."""
GAP_MAX_RAD = math.radians(10.0)


class DeadMan:
    """Watches whether a live motion is held, and keeps the robot at rest while it is not."""

    def __init__(self, station: WaypointMaker[RobotStep], witness: Observer) -> None:
        self._station = station
        self._witness = witness
        self._let_go_s: float | None = None

    def look(self, tick: Tick) -> str:
        """Check the dead-man; return why the stream is to end as the robot cannot rest, or ""."""
        gap_m, gap_rad = self._station.gap
        if gap_m > GAP_MAX_M or gap_rad > GAP_MAX_RAD:
            limit = f"{1e3 * GAP_MAX_M:g} mm and {math.degrees(GAP_MAX_RAD):g} deg"
            return f"the robot is {_describe(gap_m, gap_rad)}; at most {limit} are allowed"
        if self._station.held:
            self._let_go_s = None
            if self._station.resting:
                self._go_on(tick)
            return ""
        if self._let_go_s is None:
            self._let_go_s = tick.t_s
        return self._released(tick, tick.t_s - self._let_go_s)

    def _go_on(self, tick: Tick) -> None:
        text = "" if self._station.robot_alone else f", {_describe(*self._station.gap)}"
        self._witness.note(tick, f"held again; the robot goes on{text}")
        self._station.resting = False

    def _released(self, tick: Tick, since_s: float) -> str:
        station = self._station
        if since_s > REST_AFTER_S and not station.resting:
            self._witness.note(
                tick, f"let go for {REST_AFTER_S:g} s; the robot rests until it is held again"
            )
            station.resting = True
        if since_s > RELEASED_S and station.robot_moves:
            return f"let go for {RELEASED_S:g} s, and the robot still moved"
        return ""


def _describe(gap_m: float, gap_rad: float) -> str:
    return f"{1e3 * gap_m:.1f} mm and {math.degrees(gap_rad):.2f} deg from the simulated gripper"
