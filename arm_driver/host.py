"""The host's end of the contour link, without any wire: requests in, answers out, one result.

Bytes, time and the station's wishes are handed in; what is to be sent comes back. So the same
machine runs behind a serial port with a thread, and in step with an emulated robot in virtual time.

Safety rests on what is not sent. There is no answer before the start is agreed, none out of an
empty slot, none to a request that is too old, and only one for many: the robot then ends at rest.
"""

import math
from typing import NoReturn

from arm_driver.contour import EndReason, Request, RobotStatus
from arm_driver.host_states import CAUSES, RESULTS, HostEvent, HostState, StreamResult, step
from arm_driver.host_values import HostSettings, LinkCounts, LinkReport, Offer, StreamPlan
from arm_driver.latency import LatencyHistogram
from arm_driver.link_errors import StartRefusedError, WaypointRefusedError
from arm_driver.location import Location
from arm_driver.requests import RequestReader
from arm_driver.stream import Prepared, Stream, check_start
from arm_driver.supervision import SupervisionReport

_STRAY_FORGOTTEN = 10
"""Noise can make one request out of sequence; another one within so many is a fault."""
_REPEATS_ALLOWED = 8
"""So often in a row a line is sent once more; a robot that never takes it is at fault."""


class ContourHost:
    """Answers a robot that asks for waypoints.

    Args:
        settings: Times and limits.
        now_s: Monotonic time [s].
    """

    def __init__(self, settings: HostSettings, now_s: float) -> None:
        self._settings = settings
        self._state = HostState.OFFLINE
        self._result: StreamResult | None = None
        self._text = "no robot has asked yet"
        self._stream: Stream | None = None
        self._reason: EndReason | None = None
        self._request: Request | None = None
        self._measured: Location | None = None
        self._heard_s = self._measured_s = -math.inf
        self._gap_s = math.inf
        self._looked_s = now_s
        self._stray_at = -math.inf
        self._repeats = 0
        self._left = True
        self._lost = ""
        self._counts = LinkCounts()
        self._requests = RequestReader(self._counts)
        self._latency = LatencyHistogram()

    @property
    def state(self) -> HostState:
        """State of the host's end."""
        return self._state

    def receive(self, data: bytes, now_s: float) -> bytes:
        """Take bytes of the robot, and return what is to be sent now.

        To be called at least once in `answer_within_s`: whoever looks less often does not know how
        old a request is, and gets no answer to it.

        Args:
            data: Any bytes, cut anywhere; none to let the time pass.
            now_s: Monotonic time [s].

        Returns:
            One line at most, however many requests came; often none.
        """
        waited_s, self._looked_s = now_s - self._looked_s, now_s
        timely = waited_s <= self._settings.answer_within_s
        latest: Request | None = None
        for request in self._requests.feed(data):
            self._counts.stale += latest is not None
            latest = request
            last_word = self._judge(request, now_s, timely=timely)
            if last_word:
                return last_word
        if latest is None:
            if now_s - self._heard_s > self._settings.lost_after_s:
                self._fall_silent(f"no request for {self._settings.lost_after_s:g} s")
            return b""
        if self._state not in (HostState.STREAMING, HostState.ENDING):
            return b""
        if not timely:
            self._counts.stale += 1  # the robot may have given up on it already
            return b""
        return self._answer(latest)

    def sent(self, line: bytes, now_s: float, *, whole: bool = True) -> None:
        """Note that an answer has gone out.

        Args:
            line: What `receive` returned.
            now_s: Monotonic time after its last byte was taken by the port [s].
            whole: Whether the port took all of it.
        """
        self._requests.expect_echo(line)
        self._counts.answers += 1
        self._counts.cut_answers += not whole
        self._latency.add(now_s - self._looked_s)

    def start(self, plan: StreamPlan, now_s: float, measured: Location | None = None) -> None:
        """Begin a stream, on the operator's arm command.

        Args:
            plan: Declared start and end.
            now_s: Monotonic time [s].
            measured: Where the robot is, read at the controller, if its requests do not say so.

        Raises:
            StartRefusedError: With the reason; the result is then "refused".
        """
        if self._state in (HostState.STREAMING, HostState.ENDING):
            raise StartRefusedError("a stream is under way; end it first")
        request = self._check_robot(now_s)
        self._state = step(self._state, HostEvent.ARMED)
        if now_s - self._measured_s <= self._settings.lost_after_s:
            measured = self._measured  # the robot's own word outranks the operator's
        try:
            check_start(plan.start, measured, self._settings)
        except StartRefusedError as refusal:
            self._refuse(str(refusal))
        self._stream = Stream(plan, self._settings, request.seq)
        self._result, self._reason = None, None
        self._stray_at, self._repeats = -math.inf, 0
        self._text = "start position agreed"
        self._state = step(self._state, HostEvent.START_AGREED)

    def offer(self, location: Location) -> Offer:
        """Put the next waypoint into the slot, for the robot's next request.

        Args:
            location: Where to be one period after the waypoint before.

        Returns:
            Whether it was taken.

        Raises:
            WaypointRefusedError: If it is too far from the one before; the slot stays empty.
        """
        stream = self._stream
        if stream is None or self._state is not HostState.STREAMING:
            return Offer.NO_STREAM
        if stream.slot is not None:
            return Offer.FULL
        stream.fill(location)
        return Offer.TAKEN

    def end(self, reason: EndReason) -> None:
        """End the stream; the robot comes to rest at the last waypoint. Does nothing without one.

        Args:
            reason: Completed lets the waypoint in the slot go out first; else it is dropped.
        """
        stream = self._stream
        if stream is None or self._state is not HostState.STREAMING:
            return
        if reason is not EndReason.COMPLETED:
            stream.slot = None
        self._reason = reason
        self._text = f"the stream is to end: {RESULTS[reason].value}"
        self._state = step(self._state, HostEvent.END_GIVEN)

    def lose(self, text: str) -> None:
        """Take note that the port is gone for good.

        Args:
            text: Why.
        """
        self._lost = text
        self._fall_silent(text)

    def report(self, now_s: float) -> LinkReport:
        """Return the link as it is now (monotonic time [s])."""
        stream, request = self._stream, self._request
        streaming = self._state is HostState.STREAMING
        return LinkReport(
            state=self._state,
            result=self._result,
            text=self._text,
            wants=streaming and stream is not None and stream.slot is None,
            sent=stream.last if stream is not None and stream.sent else None,
            streamed=0 if stream is None else stream.sent,
            status=None if request is None else request.status,
            measured=self._measured,
            silence_s=now_s - self._heard_s,
            gap_s=self._gap_s,
            supervision=SupervisionReport() if stream is None else stream.supervision.report(),
            simulated=self._requests.simulated,
            counts=self._requests.counts(),
            latency=self._latency.report(),
        )

    def _judge(self, request: Request, now_s: float, *, timely: bool) -> bytes:
        """Draw the consequences of a request, other than its answer.

        Returns:
            The end of the stream, if this request is the reason for it; else nothing.
        """
        self._gap_s = now_s - self._heard_s
        self._request, self._heard_s = request, now_s
        self._counts.requests += 1
        if request.location is not None:
            self._measured, self._measured_s = request.location, now_s
        if request.status is RobotStatus.CHECKSUM_ERROR:
            self._counts.told_checksum_errors += 1
        cause = CAUSES.get(request.status)
        if cause is not None:
            held = request.status is RobotStatus.HOLD
            event = HostEvent.HOLD if held else HostEvent.FAULT
            result = StreamResult.HELD if held else StreamResult.FAULTED
            self._finish(event, result, f"the robot tells: {cause} (status {request.status:d})")
            return b""
        if self._state is HostState.OFFLINE:
            self._text = "a robot asks; it waits for the arm command"
        self._state = step(self._state, HostEvent.ASKED)
        stream = self._stream
        if stream is not None and self._state in (HostState.STREAMING, HostState.ENDING):
            return self._judge_in_stream(stream, request, now_s, timely=timely)
        self._left = stream is None or stream.left_by(request)
        return b""

    def _judge_in_stream(
        self, stream: Stream, request: Request, now_s: float, *, timely: bool
    ) -> bytes:
        """End a stream whose robot is at rest, restarts, is off its period or does not follow."""
        flying = stream.in_flight
        if request.status is RobotStatus.RAN_DRY and stream.begun(request.seq):
            self._run_dry(stream.dry_text(request.seq))
        elif flying is None:
            return b""
        elif request.status is RobotStatus.CHECKSUM_ERROR and request.seq != flying.seq:
            self._finish(
                HostEvent.FAULT,
                StreamResult.FAULTED,
                f"the robot tells a wrong checksum of waypoint {request.seq}, which it was not "
                f"sent: in flight is {flying.seq}",
            )
        elif flying.location is not None and stream.asks_anew(request.seq):
            offence = stream.supervision.heard(request, now_s, timely=timely)
            if offence is not None:
                self._finish(HostEvent.FAULT, offence.result, offence.text)
                return stream.take_end(EndReason.CANCELLED).line if timely else b""
        return b""

    def _answer(self, request: Request) -> bytes:
        """Return the answer to the newest request of a stream."""
        stream = self._stream
        if stream is None:
            return b""
        flying = stream.in_flight
        if flying is not None and request.seq == flying.seq:
            return self._repeat(flying)
        self._repeats = 0
        if flying is None and request.status is RobotStatus.CHECKSUM_ERROR:
            return b""  # nothing was sent that could have had a checksum
        if flying is None and request.seq != stream.expected:
            stream.renumber(request.seq)  # written anew now, sent at the next request
            return b""
        if request.seq != stream.expected:
            return self._stray(request, stream)
        if flying is not None and flying.location is None:
            self._finish_end(stream, request)  # it asks beyond the end, so it has taken the end
            return b""
        return self._next(request, stream)

    def _repeat(self, flying: Prepared) -> bytes:
        """Send what is in flight once more; it is a fault if that never helps."""
        self._counts.repeats += 1
        self._repeats += 1
        if self._repeats > _REPEATS_ALLOWED:
            text = f"the robot asked {self._repeats} times more for waypoint {flying.seq}"
            self._finish(HostEvent.FAULT, StreamResult.FAULTED, f"{text} and never took it")
            return b""
        return flying.line

    def _next(self, request: Request, stream: Stream) -> bytes:
        """Answer a request that is in sequence, out of the slot."""
        try:
            if stream.in_flight is None and request.location is not None:
                check_start(stream.start, request.location, self._settings)
            prepared, late = stream.take()
        except (WaypointRefusedError, StartRefusedError) as refusal:
            self.end(EndReason.REFUSED)
            self._reason, self._text = EndReason.REFUSED, f"refused: {refusal}"
            return stream.take_end(EndReason.REFUSED).line
        if prepared is not None:
            self._counts.waypoints += 1
            self._counts.late_answers += late
            return prepared.line
        if self._reason is not None:
            return stream.take_end(self._reason).line
        self._counts.empty_slot += 1
        return b""

    def _stray(self, request: Request, stream: Stream) -> bytes:
        """Leave a request out of sequence without an answer; a second one soon is a fault."""
        self._counts.out_of_sequence += 1
        before, self._stray_at = self._stray_at, self._counts.requests
        if self._stray_at - before <= _STRAY_FORGOTTEN:
            text = f"the robot asks for waypoint {request.seq}; the stream is at {stream.expected}"
            self._finish(HostEvent.FAULT, StreamResult.FAULTED, f"{text}, as if it began anew")
        return b""

    def _run_dry(self, text: str) -> None:
        """Close a stream whose robot has come to rest without being told to."""
        if self._reason is EndReason.REFUSED:
            self._finish(HostEvent.AT_REST, StreamResult.REFUSED, f"{self._text}; {text}")
        else:
            self._finish(HostEvent.AT_REST, StreamResult.RAN_DRY, text)

    def _finish_end(self, stream: Stream, request: Request) -> None:
        """Close a stream that was ended, now that the robot is at rest."""
        offence = stream.supervision.at_rest(request.location)
        if offence is not None and self._reason is not EndReason.REFUSED:
            self._finish(HostEvent.FAULT, offence.result, offence.text)
            return
        reason = EndReason.CANCELLED if self._reason is None else self._reason
        result, text = RESULTS[reason], self._text
        if result is StreamResult.COMPLETED and not stream.at_end:
            result, text = StreamResult.CANCELLED, "ended before the declared end"
        elif result is not StreamResult.REFUSED:
            text = f"{result.value}, at rest"
        self._finish(HostEvent.AT_REST, result, text)

    def _finish(self, event: HostEvent, result: StreamResult, text: str) -> None:
        """Leave the stream, if there is one, with a result."""
        if self._state in (HostState.STREAMING, HostState.ENDING):
            self._result = result
            self._left = event is HostEvent.AT_REST
        after = step(self._state, event)
        if after is not self._state:
            self._text = text
        self._state = after

    def _fall_silent(self, text: str) -> None:
        if self._state is not HostState.OFFLINE:
            self._finish(HostEvent.SILENCE, StreamResult.LINK_LOST, f"link lost: {text}")

    def _check_robot(self, now_s: float) -> Request:
        """Return the robot's last request, if a stream can begin on it."""
        silence_s, request = now_s - self._heard_s, self._request
        if self._lost:
            self._refuse(self._lost)
        if request is None or silence_s > self._settings.lost_after_s:
            limit_s = self._settings.lost_after_s
            self._refuse(f"no request within the last {limit_s:g} s; start the robot's program")
        cause = CAUSES.get(request.status)
        if cause is not None:
            self._refuse(f"the robot tells: {cause} (status {request.status:d}); clear it there")
        if not self._left:
            self._refuse(
                f"the robot has not told yet that it has left the stream before: it asked last for "
                f"waypoint {request.seq} of it; wait until it is at rest, or start its program anew"
            )
        return request

    def _refuse(self, text: str) -> NoReturn:
        """Refuse to start."""
        self._result, self._text = StreamResult.REFUSED, f"refused: {text}"
        raise StartRefusedError(text)
