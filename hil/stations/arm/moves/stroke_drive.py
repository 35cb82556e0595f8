"""Strokes are driven: held, one after the other, each a recorded stream of its own.

A stroke that was let go is driven to its end when it is held again, and does not count.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Final

import numpy as np

from arm_driver.contour.host_values import HostReport, ReceivedRequest, StreamPlan
from arm_driver.contour.link import ContourLink, Line
from arm_driver.contour.location import Location
from arm_driver.contour.place import location_of
from arm_driver.fit.strokes import PlaceUnknownError, Stroke, StrokeUnknownError, read_stroke
from arm_driver.link import EndReason, Offer
from arm_driver.link_states import StreamResult
from hil.config.errors import RefusedError
from hil.run.run import new_run_dir
from hil.stations.arm.cycle.stream import Streamed
from hil.stations.arm.moves.move_operators import Hand
from hil.stations.arm.moves.session import RobotSession, notes_of
from hil.stations.arm.moves.strokes import ProvedStroke
from hil.stations.arm.run.session import arm_in_time
from hil.timing.clock import utc_stamp
from sim.world.space_arm.simulator import TICK_S

SETTLED_S: Final = 0.2
"""Rest between two strokes at least [s], before each begins with a stay; every other one lasts a
period more, so that ends of strokes fall into different parts of a step of the interpolation."""
HELD_WITHIN_S: Final = 60.0
"""A stroke that nobody begins to hold by then is not driven [s]."""


@dataclass(frozen=True, slots=True)
class Driven:
    """Result of the strokes that were driven."""

    strokes: tuple[Stroke, ...]
    """Strokes that can be evaluated."""
    spoilt: tuple[str, ...]
    """Reasons why the others cannot, one text each."""
    last: Streamed
    folder: Path
    day: str
    """Date in UTC, YYYY-MM-DD."""

    @property
    def ok(self) -> bool:
        """Whether every stroke ended where it was to."""
        return self.last.ok and self.last.end.result is StreamResult.COMPLETED


class ListeningLine:
    """A line that outlives its streams, and keeps each request of the robot with its time."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._start: Location | None = None
        self._offered: list[Location] = []
        self.received: list[ReceivedRequest] = []

    def start(self, plan: StreamPlan, measured: Location | None = None) -> None:
        """Begin a stream."""
        self._line.start(plan, measured)
        self._start = plan.start
        self._offered.clear()
        self.received.clear()

    def offer(self, location: Location) -> Offer:
        """Put the next waypoint into the slot."""
        answer = self._line.offer(location)
        if answer is Offer.TAKEN:
            self._offered.append(location)
        return answer

    def poll(self) -> HostReport:
        """Return the line as it is now, and note a request that is new."""
        report = self._line.poll()
        if report.received is not None and (
            not self.received or self.received[-1] != report.received
        ):
            self.received.append(report.received)
        return report

    def end(self, reason: EndReason) -> None:
        """End the stream."""
        self._line.end(reason)

    def close(self) -> None:
        """Do nothing: the next stroke needs the line."""

    def asked(self) -> tuple[ReceivedRequest, ...]:
        """Find each number's first request, from the one that the first waypoint answered.

        Keys are not read while a recording is set up: the robot may get the order to stay first.
        """
        first = {one.request.seq: one for one in reversed(self.received)}
        stayed = sum(1 for _ in takewhile(lambda one: one == self._start, self._offered))
        return tuple(sorted(first.values(), key=lambda one: one.at_s))[stayed:]


def drive_strokes(
    session: RobotSession,
    strokes: tuple[ProvedStroke, ...],
    hand: Hand,
    out: Path,
    *,
    baud: int,
    say: Callable[[str], None],
    shown_at: int | None = None,
) -> Driven:
    """Drive strokes one after the other while they are held; the first that goes wrong is the last.

    Raises:
        RefusedError: if nobody holds, or the robot does not send its place while it moves.
    """
    link = session.wire
    if not isinstance(link, ContourLink):
        raise RefusedError(
            f"nothing has moved: {session.choice.url} is no contour link: only its requests tell "
            "when a controller asked, and where it was"
        )
    wire = ListeningLine(link.line)
    kept = replace(session, wire=ContourLink(wire, link.convention))
    robot, convention = session.choice.robot, session.choice.robot.oat_convention()
    folder = new_run_dir(out, f"identify-{robot.name}")
    read: list[Stroke] = []
    spoilt: list[str] = []
    streamed: Streamed | None = None
    with nullcontext() if session.dry else arm_in_time(link.reader_thread):
        for number, stroke in enumerate(strokes, 1):
            _rest(kept, hand, SETTLED_S + (number % 2) * TICK_S, say)
            name = f"stroke_{number:02d}_{stroke.axis}"
            say(f"{number} of {len(strokes)}: along {stroke.axis}")
            arm = kept.guard(np.array(stroke.start.q_rad))
            streamed = kept.run(
                arm, stroke.station(robot, hand, arm), stroke.start, stroke.poses[-1], name, folder,
                facts={"moves": "the robot alone, to identify its controller"},
                notes=notes_of(hand), shown_at=shown_at,
            )  # fmt: skip
            if streamed.end.result is not StreamResult.COMPLETED or not streamed.ok:
                break
            steps = len(stroke.poses) - 1
            ends = tuple(location_of(stroke.poses[k], convention) for k in (0, -1))
            received = wire.asked()
            try:
                one = read_stroke(
                    stroke.axis, ends, steps, received, baud=baud, convention=convention
                )
                read.append(one)
            except PlaceUnknownError as error:
                raise RefusedError(f"ended after stroke {number}, at rest: {error}") from None
            except StrokeUnknownError as error:
                spoilt.append(f"stroke {number}: {error}")
    if streamed is None:
        raise AssertionError("there are strokes")
    day = utc_stamp()[:8]
    day = f"{day[:4]}-{day[4:6]}-{day[6:]}"
    return Driven(tuple(read), tuple(spoilt), streamed, folder, day)


def _rest(session: RobotSession, hand: Hand, least_s: float, say: Callable[[str], None]) -> None:
    """Let the robot rest, and wait until it is held."""
    has_asked = False
    for tick in session.clock.ticks(0.01):
        session.wire.poll()
        hand.listen()
        if session.stop_request.asked is not None or hand.end_reason:
            why = hand.end_reason or "stopped by the operator"
            raise RefusedError(f"ended between two strokes, at rest: {why}")
        if tick.t_s < least_s:
            continue
        if hand.held:
            return
        if tick.t_s > least_s + 2.0 and not has_asked:
            has_asked = True
            say("waiting for the space key to be held")
        if tick.t_s > HELD_WITHIN_S:
            raise RefusedError(
                f"nobody has held the space key for {HELD_WITHIN_S:g} s; the robot rests"
            )
