"""The arm station's loop: it polls the link, and keeps the next waypoint ready for it.

The robot is the clock: it asks, and the link answers out of a slot without asking anybody here. A
planned waypoint is made a period ahead, even before the slot is free; a live one as soon as it is,
and not earlier: an operator who lets go is not to wait for two periods. A stop ends the robot's
stream at once, at rest at the waypoint that it has. The simulated arm slows down along its path and
swings out, which goes into the recording, a waypoint a period, and no further.
"""

from collections.abc import Callable
from enum import Enum

from arm_driver.link import EndReason, Offer
from arm_driver.link_errors import StartRefusedError, WaypointRefusedError
from arm_driver.link_report import LinkReport, SupervisionReport
from arm_driver.link_states import LinkState, StreamResult
from hil.run.run import play
from hil.stations.arm.cycle.dead_man import DeadMan
from hil.stations.arm.cycle.step import ArmStep, MotionPhase, RobotStep
from hil.stations.arm.cycle.stream import ArmEnd, Observer, Stream
from hil.stations.arm.plan.supervision import near_limits
from hil.timing.clock import Clock, Tick
from sim.world.space_arm.simulator import TICK_S

LOOK_S = 0.01
"""Time between two polls of the link, and of a live source's operator [s]."""
ASKED_WITHIN_S = 10.0
"""Longest time until the robot's first request [s]; without one it is not there."""
WORDS_WITH_A_PLACE = 3
"""Requests in a row of which one at least is no repeat, even if one between them is lost."""
ENDED_WITHIN_S = 10.0
"""Longest time until a stream that was asked to end has ended [s]."""
RESTARTABLE = (LinkState.SYNCHRONISING, LinkState.READY)

UNDER_WAY = (MotionPhase.FOLLOWING, MotionPhase.STOPPING)


class StreamPhase(Enum):
    """Phases of a stream, by what the loop waits for."""

    ASKED = "the robot's first request"
    STREAMING = "the robot's next request"
    ENDING = "the end of the stream"
    SWINGING_OUT = "the rest of the space arm"
    OVER = "nothing"


class ArmLoop:
    """One stream from its start to its end, as `hil.run.run.Run` has it.

    Args:
        witness: notes what happens.
        first_notes: what is noted when the stream begins.
    """

    period_s = LOOK_S

    def __init__(
        self, stream: Stream, witness: Observer, first_notes: tuple[str, ...] = ()
    ) -> None:
        self._stream, self._witness, self._first_notes = stream, witness, first_notes
        self.beside: Callable[[Tick], None] | None = None
        """Further work at each poll; it never waits. None for nothing."""
        self._station, self._wire = stream.station, stream.wire
        self.clock: Clock = stream.clock
        """Clock that paces the polls of the link."""
        self._dead_man = DeadMan(stream.station, witness)
        self._phase = StreamPhase.ASKED
        self._since_s = 0.0
        self._due_s: float | None = None
        self._final: LinkReport | None = None
        self._seen: LinkReport | None = None
        self._next: RobotStep | None = None
        self._gap_m = 0.0
        self._cancelled = self._ended = self._reason = self._lost = ""
        self._near: set[str] = set()
        self._supervision: SupervisionReport | None = None
        self._shown = ""

    @property
    def ending(self) -> str:
        """Reason why the run ends before its motion does; empty while it does not."""
        return self._cancelled or self._reason

    def run(self) -> ArmEnd:
        """Run until the stream is over; the link is closed on every exit."""
        play(self)
        return self.end

    def turn(self, tick: Tick) -> bool:
        """Poll once; return whether it was the last time."""
        self._seen = self._wire.poll()
        if (shown := self._stream.shown()) != self._shown:
            self._note_shown(tick, shown)
        self.look(tick, self._seen)
        if self._phase is not StreamPhase.OVER:
            return False
        self._publish_end(tick)
        return True

    def failed(self, error: Exception) -> bool:
        """Return False: no error is an end that the result could report."""
        return False

    def close(self) -> None:
        """End the robot's stream, should it last, and leave the link."""
        self._wire.end(EndReason.CANCELLED)
        self._wire.close()

    @property
    def end(self) -> ArmEnd:
        """End of the run."""
        final = self._final or self._seen or self._wire.poll()
        return ArmEnd(final.result, self._reason, final.streamed, final, self._lost)

    def _publish_end(self, tick: Tick) -> None:
        """Poll the operator once more, so that his panels learn why it ends.

        The run has ended as it has: whatever goes wrong here is noted and changes nothing.
        """
        try:
            self._station.listen()
        except Exception as error:
            self._witness.note(tick, f"panels were not told of the end: {error!r}")

    def look(self, tick: Tick, report: LinkReport) -> None:
        """Poll the operator and the link once."""
        self._station.listen()
        if self.beside is not None:
            self.beside(tick)
        if report.supervision is not self._supervision:
            self._warn(tick, report)
        if self._due_s is not None:
            self._swing_out(tick, report, self._due_s)
        if self._phase is StreamPhase.ASKED:
            self._await_robot(tick, report)
        elif self._phase is StreamPhase.SWINGING_OUT:
            self._end_if_at_rest()
        elif report.result is not None:
            self._over(tick, report)
        elif self._phase is StreamPhase.STREAMING:
            self._while_streaming(tick, report)
        elif tick.t_s - self._since_s > ENDED_WITHIN_S:
            self._end_with(tick, f"the stream did not end within {ENDED_WITHIN_S:g} s")

    def _warn(self, tick: Tick, report: LinkReport) -> None:
        """Note once what the supervision has come near to, of a stream that is under way."""
        if self._phase not in (StreamPhase.STREAMING, StreamPhase.ENDING):
            return
        self._supervision = report.supervision
        for text in near_limits(report.supervision):
            if text not in self._near:
                self._near.add(text)
                self._witness.note(tick, f"warning: {text}")

    def _note_shown(self, tick: Tick, shown: str) -> None:
        """Note what an emulated robot shows at its controller, once for each text."""
        if shown:
            self._witness.note(tick, f"the emulated controller shows: {shown}")
        self._shown = shown

    def _await_robot(self, tick: Tick, report: LinkReport) -> None:
        if why := self._end_asked():
            self._end_with(tick, f"{why} before the robot moved")
        elif report.state is LinkState.FAULT or report.state is LinkState.HELD:
            self._end_with(tick, report.text)
        elif self._can_start(report):
            try:
                self._wire.start(self._stream.path, self._stream.start.shown)
            except StartRefusedError as refusal:
                self._end_with(tick, f"{refusal}{self._stream.start.hint(report.measured)}")
                return
            if why := self._stream.start.refusal(report.measured):
                self._refuse_start(tick, why)
                return
            for note in self._first_notes:
                self._witness.note(tick, note)
            confirmation = self._stream.start.confirmation(report.measured)
            self._witness.note(tick, f"the start is agreed; the stream begins; {confirmation}")
            self._phase, self._since_s = StreamPhase.STREAMING, tick.t_s
            self._offer(tick, self._wire.poll())
        elif tick.t_s > ASKED_WITHIN_S:
            self._end_with(tick, f"no robot asked for a waypoint within {ASKED_WITHIN_S:g} s")

    def _can_start(self, report: LinkReport) -> bool:
        """Return whether the robot has asked, and has sent its place or has had the time to.

        The first request that is received may repeat one from before, and a repeat has no place.
        """
        if report.state not in RESTARTABLE or not report.asked:
            return False
        known = report.measured is not None or self._stream.start.shown is not None
        return known or report.counts.requests >= WORDS_WITH_A_PLACE

    def _end_asked(self) -> str:
        """Find why the operator, or the want of one, asks for the end; empty while none does."""
        self._lost = self._stream.lost()
        return self._lost or (
            "" if self._stream.stop_request.asked is None else "stopped by the operator"
        )

    def _refuse_start(self, tick: Tick, why: str) -> None:
        self._witness.note(tick, f"the start is refused, nothing has been sent: {why}")
        self._reason = why
        self._wire.end(EndReason.REFUSED)
        self._phase, self._since_s = StreamPhase.ENDING, tick.t_s

    def _while_streaming(self, tick: Tick, report: LinkReport) -> None:
        if why := self._end_asked():
            self._cancel(tick, why)
        elif tick.t_s - self._since_s > self._stream.longest_s:
            self._cancel(tick, f"the motion lasted longer than {self._stream.longest_s:g} s")
        elif why := self._dead_man.look(tick):
            self._cancel(tick, why)
        elif report.wants:
            self._offer(tick, report)

    def _cancel(self, tick: Tick, why: str) -> None:
        """End the robot's stream now; what lies in the slot is not sent any more."""
        self._wire.end(EndReason.CANCELLED)
        self._cancelled = why
        beside = "" if self._station.robot_alone else ", the space arm swings out"
        self._witness.note(tick, f"{why}; the robot comes to rest at the waypoint it has{beside}")
        self._part(tick, why)
        self._phase, self._since_s = StreamPhase.ENDING, tick.t_s

    def _part(self, tick: Tick, why: str) -> None:
        """Let the space arm come to rest alone, if it has not yet."""
        if self._due_s is None:
            self._station.part(why)
            self._due_s = tick.t_s

    def _swing_out(self, tick: Tick, report: LinkReport, due_s: float) -> None:
        """Step the space arm, if it is alone: in time with the robot while its stream lasts.

        After that nobody is to wait for a simulation, least of all machines that stop with it.
        """
        if self._phase is not StreamPhase.SWINGING_OUT and tick.t_s < due_s:
            return
        ready, self._next = self._next, None
        if ready is not None or self._station.course in UNDER_WAY:
            step = ready or self._station.step()
            if isinstance(step, ArmStep):
                self._witness.step(tick, step.without_robot(), report)
            self._due_s = due_s + TICK_S

    def _end_if_at_rest(self) -> None:
        if self._next is None and self._station.course not in UNDER_WAY:
            self._phase = StreamPhase.OVER

    def _offer(self, tick: Tick, report: LinkReport) -> None:
        """Put the next step into the slot, and make the one after it if it is planned."""
        step = self._next
        if step is None:
            step = self._next = self._station.step()
            if self._station.note:
                self._witness.note(tick, self._station.note)
        self._note_end(tick)
        if step.waypoint is None:
            self._refused(tick, step, report, step.refusals[0])
            return
        try:
            if self._wire.offer(step.waypoint) is not Offer.TAKEN:
                return
        except WaypointRefusedError as refusal:
            self._refused(tick, step, report, str(refusal))
            return
        self._witness.step(tick, step, report)
        self._next = None
        self._gap_m = max(self._gap_m, step.gap_m)
        if step.course is MotionPhase.AT_REST:
            self._wire.end(EndReason.COMPLETED)
            self._phase, self._since_s = StreamPhase.ENDING, tick.t_s
        elif not self._station.live:
            self._next = self._station.step()

    def _note_end(self, tick: Tick) -> None:
        why = self._station.why
        over = self._station.course in (MotionPhase.STOPPING, MotionPhase.AT_REST)
        if over and why and not self._ended:
            self._ended = why
            arms = "the robot comes" if self._station.robot_alone else "both arms come"
            self._witness.note(tick, f"{why}; {arms} to rest along the path")

    def _refused(self, tick: Tick, step: RobotStep, report: LinkReport, why: str) -> None:
        self._witness.step(tick, step, report)
        self._witness.note(tick, f"waypoint {step.index} was refused and not sent: {why}")
        self._reason = why
        self._next = None
        self._wire.end(EndReason.REFUSED)
        self._part(tick, why)
        self._phase, self._since_s = StreamPhase.ENDING, tick.t_s

    def _over(self, tick: Tick, report: LinkReport) -> None:
        result = report.result
        behind = f"; the robot was up to {1e3 * self._gap_m:.1f} mm from the simulated gripper"
        over = f"the stream is over: {result.value if result else ''}"
        self._witness.note(tick, over + (behind if self._gap_m else ""))
        if result is StreamResult.COMPLETED:
            self._reason = self._ended
        elif result is StreamResult.CANCELLED:
            self._reason = self._reason or self._cancelled or self._ended
        else:
            self._reason = self._reason or report.text
        self._final = report
        self._phase = StreamPhase.SWINGING_OUT
        if result is not StreamResult.COMPLETED:
            self._part(tick, self._reason)
        self._end_if_at_rest()

    def _end_with(self, tick: Tick, why: str) -> None:
        self._reason = why
        self._witness.note(tick, why)
        self._phase = StreamPhase.OVER
