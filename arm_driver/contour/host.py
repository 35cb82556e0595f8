"""The host's end of the contour link, without any wire: requests in, answers out, one result.

Bytes, time and the station's requests are handed in; what is to be sent comes back. So the same
machine runs behind a serial port with a thread, and in step with an emulated robot in virtual time.

Safety rests on what is not sent. There is no answer before the start is agreed, none out of an
empty slot, none to a request that is too old, and only one for many: the robot then ends at rest.
"""

import math
from typing import NoReturn

from arm_driver.contour.answers import Answers
from arm_driver.contour.host_states import CAUSES, RESULTS, HostEvent, step
from arm_driver.contour.host_values import HostReport, HostSettings, ReceivedRequest, StreamPlan
from arm_driver.contour.latency import LatencyHistogram
from arm_driver.contour.location import Location
from arm_driver.contour.messages import RobotStatus, WaypointRequest
from arm_driver.contour.requests import RequestReader
from arm_driver.contour.stream import Stream, check_start
from arm_driver.contour.stream_end import StreamEnd, end_in_request, judged
from arm_driver.link import EndReason, Offer
from arm_driver.link_errors import StartRefusedError
from arm_driver.link_report import LinkCounts, SupervisionReport
from arm_driver.link_states import LinkState, StreamResult


class ContourHost:
    """Answers a robot that asks for waypoints."""

    def __init__(self, settings: HostSettings, now_s: float) -> None:
        self._settings, self._lost_after_s = settings, settings.lost_after_s
        self._state = LinkState.OFFLINE
        self._result: StreamResult | None = None
        self._text = "no robot has asked yet"
        self._stream: Stream | None = None
        self._answers: Answers | None = None
        self._request: WaypointRequest | None = None
        self._measured: Location | None = None
        self._received_s = self._measured_s = -math.inf
        self._length = 0
        self._gap_s = math.inf
        self._looked_s = now_s
        self._left = True
        self._lost = ""
        self._counts = LinkCounts()
        self._requests = RequestReader(self._counts)
        self._latency = LatencyHistogram()

    @property
    def state(self) -> LinkState:
        """State of the host's end."""
        return self._state

    def receive(self, data: bytes, now_s: float) -> bytes:
        """Take bytes of the robot, and return what is to be sent now.

        To be called at least once in `answer_within_s`: who polls less often does not know how
        old a request is, and gets no answer to it.

        Args:
            data: Any bytes, cut anywhere; none to let the time pass.

        Returns:
            One line at most, however many requests came; often none.
        """
        waited_s, self._looked_s = now_s - self._looked_s, now_s
        timely = waited_s <= self._settings.answer_within_s
        latest: WaypointRequest | None = None
        for request in self._requests.feed(data) if data else ():
            self._counts.stale += latest is not None
            latest = request
            end = self._judge(request, now_s, timely=timely)
            if end is not None:
                self._finish(end)
                if end.line:
                    return end.line
        if latest is None:
            if now_s - self._received_s > self._lost_after_s:
                self._fall_silent(f"no request for {self._lost_after_s:g} s")
            return b""
        if self._state not in (LinkState.STREAMING, LinkState.ENDING):
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
            measured: Where the robot is, read at the controller, if its requests do not say so.

        Raises:
            StartRefusedError: With the reason; the result is then "refused".
        """
        if self._state in (LinkState.STREAMING, LinkState.ENDING):
            raise StartRefusedError("a stream is under way; end it first")
        request = self._check_robot(now_s)
        self._state = step(self._state, HostEvent.ARMED)
        if now_s - self._measured_s <= self._lost_after_s:
            measured = self._measured  # the robot's own word outranks the operator's
        try:
            check_start(plan.start, measured, self._settings)
        except StartRefusedError as refusal:
            self._refuse(str(refusal))
        self._stream = Stream(plan, self._settings, request.seq)
        self._answers = Answers(self._stream, self._settings, self._counts)
        self._result = None
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
        if stream is None or self._state is not LinkState.STREAMING:
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
        if stream is None or self._state is not LinkState.STREAMING:
            return
        if reason is not EndReason.COMPLETED:
            stream.slot = None
        self._text = f"the stream is to end: {RESULTS[reason].value}"
        stream.reason, stream.why = reason, self._text
        self._state = step(self._state, HostEvent.END_GIVEN)

    def lose(self, text: str) -> None:
        """Take note that the port is gone for good."""
        self._lost = text
        self._fall_silent(text)

    def report(self, now_s: float) -> HostReport:
        """Return the link as it is now (monotonic time [s])."""
        stream, request = self._stream, self._request
        streaming = self._state is LinkState.STREAMING
        return HostReport(
            state=self._state,
            result=self._result,
            text=self._text,
            wants=streaming and stream is not None and stream.slot is None,
            sent=stream.last if stream is not None and stream.sent else None,
            streamed=0 if stream is None else stream.sent,
            status=None if request is None else request.status,
            received=None
            if request is None
            else ReceivedRequest(request, self._received_s, self._length),
            measured=self._measured,
            silence_s=now_s - self._received_s,
            gap_s=self._gap_s,
            supervision=SupervisionReport() if stream is None else stream.supervision.report(),
            simulated=self._requests.simulated,
            counts=self._requests.counts(),
            latency=self._latency.report(),
        )

    def _judge(self, request: WaypointRequest, now_s: float, *, timely: bool) -> StreamEnd | None:
        """Draw the consequences of a request, other than its answer.

        Returns:
            The end of the stream, if this request is the reason for it.
        """
        self._gap_s = now_s - self._received_s
        self._request, self._received_s, self._length = request, now_s, self._requests.length
        self._counts.requests += 1
        if request.location is not None:
            self._measured, self._measured_s = request.location, now_s
        if request.status is RobotStatus.CHECKSUM_ERROR:
            self._counts.told_checksum_errors += 1
        if (end := end_in_request(request)) is not None:
            return end
        if self._state is LinkState.OFFLINE:
            self._text = "a robot asks; it waits for the arm command"
        self._state = step(self._state, HostEvent.ASKED)
        stream = self._stream
        if stream is not None and self._state in (LinkState.STREAMING, LinkState.ENDING):
            return judged(stream, request, now_s, timely=timely)
        self._left = stream is None or stream.left_by(request)
        return None

    def _answer(self, request: WaypointRequest) -> bytes:
        """Return the answer to the newest request of a stream."""
        stream, answers = self._stream, self._answers
        if stream is None or answers is None:
            return b""
        answer = answers.answer(request)
        if isinstance(answer, StreamEnd):
            self._finish(answer)
            return answer.line
        if stream.reason is EndReason.REFUSED:
            self._text = stream.why
            self._state = step(self._state, HostEvent.END_GIVEN)
        return answer

    def _finish(self, end: StreamEnd) -> None:
        """Leave the stream, if there is one, with a result."""
        if self._state in (LinkState.STREAMING, LinkState.ENDING):
            self._result = end.result
            self._left = end.event is HostEvent.AT_REST
        after = step(self._state, end.event)
        if after is not self._state:
            self._text = end.text
        self._state = after

    def _fall_silent(self, text: str) -> None:
        if self._state is not LinkState.OFFLINE:
            lost = f"link lost: {text}"
            self._finish(StreamEnd(HostEvent.SILENCE, StreamResult.LINK_LOST, lost))

    def _check_robot(self, now_s: float) -> WaypointRequest:
        """Return the robot's last request, if a stream can begin on it."""
        silence_s, request = now_s - self._received_s, self._request
        if self._lost:
            self._refuse(self._lost)
        if request is None or silence_s > self._lost_after_s:
            limit_s = self._lost_after_s
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
