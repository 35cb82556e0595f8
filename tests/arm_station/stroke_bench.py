"""Strokes of an emulated controller, driven over the host's end of the link on a virtual clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from arm_driver.contour.host_values import HostSettings, ReceivedRequest, StreamPlan
from arm_driver.contour.location import Location
from arm_driver.contour.val import OatConvention, from_oat, to_oat
from arm_driver.fit.strokes import AXES, Stroke, plan_strokes, read_stroke
from arm_driver.link import EndReason
from arm_driver.link_states import StreamResult
from hil.stations.arm.run.wire import VirtualLine
from sim.devices.arm.controller import ArmController
from sim.devices.arm.path import BlendSettings
from sim.devices.arm.servo import ServoSettings
from sim.devices.arm.settings import ArmControllerSettings

PERIOD_S = 0.35
LOOK_S = 0.01
STEP_S = 0.028
STAYS = 3
"""Waypoints at the start, in which the robot's period is measured."""
VAL = OatConvention.VAL


@dataclass(frozen=True)
class Drawn:
    """What is drawn of a controller: its own delay, half the longest blend, bandwidth."""

    delay_s: float = 0.0
    half_s: float = 0.1
    bandwidth_rad_s: float = 120.0

    @property
    def path_delay_s(self) -> float:
        """Two periods, half a blend, and what it takes longer."""
        return 2.0 * PERIOD_S + self.half_s + self.delay_s

    @property
    def lag_s(self) -> float:
        """Of a critically damped servo."""
        return 2.0 / self.bandwidth_rad_s

    def settings(self, **other: object) -> ArmControllerSettings:
        settings = ArmControllerSettings(
            tool_m=0.1,
            feedback=True,
            delay_s=self.delay_s,
            blends=BlendSettings(longest_s=self.half_s, shortest_s=min(0.014, self.half_s)),
            servos=ServoSettings(bandwidth_rad_s=self.bandwidth_rad_s),
        )
        return replace(settings, **other)

    def controller(self, **other: object) -> ArmController:
        return ArmController(self.settings(**other), now_s=0.0)


class Bench:
    """A host, a controller, and a clock."""

    def __init__(self, controller: ArmController, baud: int = 9600) -> None:
        self.controller, self.baud, self.now_s = controller, baud, 0.0
        self.link = VirtualLine(controller, HostSettings(), lambda: self.now_s)
        self.received: list[ReceivedRequest] = []
        self.wait(1.0)

    def look(self):
        self.now_s += LOOK_S
        report = self.link.poll()
        if report.received and (
            not self.received or self.received[-1].at_s != report.received.at_s
        ):
            self.received.append(report.received)
        return report

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds / LOOK_S)):
            self.look()

    def drive(
        self, ends: tuple[Location, Location], between: Sequence[Location]
    ) -> list[ReceivedRequest]:
        self.link.start(StreamPlan(ends[0], ends[1]), None)
        self.received.clear()
        left = [*[ends[0]] * STAYS, *between, ends[1]]
        while (report := self.look()).result is None:
            if left and report.wants:
                self.link.offer(left.pop(0))
            elif not left:
                self.link.end(EndReason.COMPLETED)
        assert report.result is StreamResult.COMPLETED, report.text
        return list({one.request.seq: one for one in self.received}.values())[STAYS:]


def strokes_of(
    drawn: Drawn, controller: type[ArmController] = ArmController, axes: Sequence[str] = AXES
) -> list[Stroke]:
    """All strokes of a controller, as `hil arm identify` drives them."""
    bench = Bench(controller(drawn.settings(), now_s=0.0))
    here, found = bench.link.poll().measured, []
    for axis in axes:
        step = np.radians(9.4) if axis == "turn" else 0.0315
        for number, (steps, way) in enumerate(plan_strokes(step)):
            places = [here, *(moved(here, axis, way * (k + 1) / steps) for k in range(steps))]
            heard = bench.drive((here, places[-1]), places[1:-1])
            here = places[-1]
            found.append(
                read_stroke(axis, (places[0], here), steps, heard, baud=9600, convention=VAL)
            )
            bench.wait(1.0 + PERIOD_S * (number % 2))
    return found


def moved(place: Location, axis: str, way: float) -> Location:
    """A place further along an axis [m or rad]."""
    position, turn = np.array(place.position_m), from_oat(place.oat_rad, VAL)
    if axis == "turn":
        turn = turn @ Rotation.from_euler("z", way).as_matrix()
    else:
        position[AXES.index(axis)] += way
    return Location.from_si(position.tolist(), to_oat(turn, VAL).tolist())
