"""A link to a robot of somebody else's: `poses://HOST:PORT`, JSON lines over TCP.

The robot listens. A line is one JSON object in ASCII, at most 500 bytes with its newline. A place
is x, y, z [m] and the unit quaternion w, x, y, z of the gripper in the robot's base.

    robot to host   {"ask": N, "at": PLACE, "state": "run" | "rest" | "hold" | "fault"}
    host to robot   {"go": N, "to": PLACE}    the answer to ask N: be there at ask N + 1
                    {"stop": N}               the answer to ask N: nothing follows

The robot asks every 0.35 s. Without an answer until the next ask it is at rest where it was sent
last, and asks for the same N. An emulated robot, `poses-sim://HOST:PORT`, has no clock of its own:
the host says {"time": T}, and it answers with what it has to say until then, and {"time": T}.

A distribution offers this under the entry points `hil.arm_links`:

    [project.entry-points."hil.arm_links"]
    poses = "own_link:POSES"
    poses-sim = "own_link:EMULATED"
"""

import json
import math
import socket
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

import numpy as np

from arm_driver.link import DeclaredPath, EndReason, LinkKind, LinkOrder, Offer
from arm_driver.link_errors import (
    ArmLinkError,
    ArmLinkUrlError,
    StartRefusedError,
    WaypointRefusedError,
)
from arm_driver.link_report import DisplayedPose, LinkCounts, LinkReport
from arm_driver.link_states import LinkState, StreamResult
from hil_common.arrays.pose import Pose, angle_between_rad
from hil_common.arrays.rotation import quaternion_of

LINE_MOST = 500
CONNECT_S = 2.0
"""A robot that does not take the connection by then is absent [s]."""
ENDED = {
    "hold": (LinkState.HELD, StreamResult.HELD),
    "fault": (LinkState.FAULT, StreamResult.FAULTED),
}


def check(url: str) -> None:
    """Raise ArmLinkUrlError for a URL that is no //HOST:PORT."""
    try:
        parts = urlsplit(url)
        good = bool(parts.hostname and parts.port) and not (parts.path or parts.query)
    except ValueError:
        good = False
    if not good:
        raise ArmLinkUrlError(f"link '{url}' is no {url.partition(':')[0]}://HOST:PORT")


def open_link(order: LinkOrder, now_s: Callable[[], float]) -> "PoseLink":
    """Connect to the robot."""
    parts = urlsplit(order.url)
    try:
        connection = socket.create_connection((parts.hostname, parts.port), CONNECT_S)
    except OSError as error:
        raise ArmLinkError(f"{order.url}: {error}") from None
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return PoseLink(connection, order, now_s)


class PoseLink:
    """The host's end; everything happens in `poll`, and nothing in between."""

    def __init__(
        self, connection: socket.socket, order: LinkOrder, now_s: Callable[[], float]
    ) -> None:
        self._emulated = order.url.startswith("poses-sim:")
        connection.settimeout(CONNECT_S if self._emulated else 0.0)
        self._socket, self._settings, self._now_s = connection, order.settings, now_s
        self._state, self._result, self._text = LinkState.OFFLINE, None, "no robot has asked yet"
        self._data = b""
        self._place: Pose | None = None
        self._told = ""
        self._asked_s = self._gap_s = -math.inf
        self._path: DeclaredPath | None = None
        self._last: Pose | None = None
        self._slot: Pose | None = None
        self._reason: EndReason | None = None
        self._counts = LinkCounts()
        self._sent = 0

    def start(self, path: DeclaredPath, measured: DisplayedPose | None = None) -> None:
        """Begin a stream where the robot stands."""
        if self._state not in (LinkState.SYNCHRONISING, LinkState.READY) or self._told != "rest":
            raise StartRefusedError(f"the robot is not at rest: {self._state.value}, {self._told}")
        here = self._place  # it always says so itself, which goes before what a person reads
        if here is None:
            raise StartRefusedError("where the robot is, is not known")
        way_m, turn_rad = apart(path.start, here)
        limit_m, limit_rad = self._settings.start_tolerance_m, self._settings.start_tolerance_rad
        if not (way_m <= limit_m and turn_rad <= limit_rad):
            raise StartRefusedError(
                f"the robot is {1e3 * way_m:.2f} mm and {math.degrees(turn_rad):.3f} deg from the "
                f"planned start, at most {1e3 * limit_m:g} mm and {math.degrees(limit_rad):g} deg"
            )
        self._path, self._last, self._slot, self._reason = path, path.start, None, None
        self._state, self._result, self._sent = LinkState.STREAMING, None, 0
        self._text = "start position agreed"

    def offer(self, X_RT: Pose) -> Offer:
        """Put the next waypoint into the slot."""
        if self._state is not LinkState.STREAMING or self._last is None:
            return Offer.NO_STREAM
        if self._slot is not None:
            return Offer.FULL
        settings = self._settings
        way_m, turn_rad = apart(self._last, X_RT)
        most_m, most_rad = (
            1.001 * settings.period_s * limit
            for limit in (settings.speed_max_m_s, settings.turn_rate_max_rad_s)
        )
        if not (way_m <= most_m and turn_rad <= most_rad):
            raise WaypointRefusedError(
                f"{1e3 * way_m:.2f} mm and {math.degrees(turn_rad):.3f} deg in a period, at most "
                f"{1e3 * most_m:.2f} mm and {math.degrees(most_rad):.3f} deg"
            )
        self._slot = X_RT
        return Offer.TAKEN

    def poll(self) -> LinkReport:
        """Take what the robot has said, answer it, and return the link as it is now."""
        now_s = self._now_s()
        try:
            for line in self._lines(now_s):
                self._take(line, now_s)
        except OSError as error:
            self._lose(f"the connection is gone: {error}")
        if now_s - self._asked_s > self._settings.lost_after_s:
            self._lose(f"no request for {self._settings.lost_after_s:g} s")
        return LinkReport(
            state=self._state,
            result=self._result,
            text=self._text,
            asked=self._place is not None,
            wants=self._state is LinkState.STREAMING and self._slot is None,
            streamed=self._sent,
            measured=None if self._place is None else DisplayedPose(self._place),
            silence_s=now_s - self._asked_s,
            gap_s=abs(self._gap_s),
            simulated=self._emulated,
            counts=replace(self._counts),
        )

    def end(self, reason: EndReason) -> None:
        """End the stream at the robot's next request."""
        if self._state is LinkState.STREAMING:
            self._state, self._reason = LinkState.ENDING, reason
            if reason is not EndReason.COMPLETED:
                self._slot = None

    def close(self) -> None:
        """Leave the robot, which comes to rest by itself."""
        self._socket.close()

    def _lines(self, now_s: float) -> list[bytes]:
        """Return the whole lines that have come; of an emulated robot all until now."""
        time_line = json.dumps({"time": now_s}).encode()
        if self._emulated:
            self._socket.sendall(time_line + b"\n")
        found: list[bytes] = []
        while True:
            try:
                data = self._socket.recv(4096)
            except BlockingIOError:
                return found
            if not data:
                raise ConnectionError("the robot has closed it")
            *lines, self._data = (self._data + data).split(b"\n")
            found += lines
            if len(self._data) > LINE_MOST:
                raise ConnectionError(f"a line of more than {LINE_MOST} bytes")
            if self._emulated and time_line in lines:
                return [line for line in found if line != time_line]

    def _take(self, line: bytes, now_s: float) -> None:
        """Take one request; what is none is counted and passed over."""
        try:
            told = json.loads(line)
            number, place, state = int(told["ask"]), place_of(told["at"]), str(told["state"])
        except (ValueError, KeyError, TypeError, RecursionError):
            self._counts.unparsed += 1
            return
        self._counts.requests += 1
        self._gap_s, self._asked_s = now_s - self._asked_s, now_s
        self._place, self._told = place, state
        if state in ENDED:
            self._finish(*ENDED[state], f"the robot tells of {state}")
        elif self._state is LinkState.OFFLINE:
            self._state, self._text = LinkState.SYNCHRONISING, "a robot asks"
        elif self._state in (LinkState.STREAMING, LinkState.ENDING):
            self._answer(number, resting=state == "rest" and self._sent > 0)

    def _answer(self, number: int, *, resting: bool) -> None:
        if resting and self._reason is None:
            self._finish(LinkState.READY, StreamResult.RAN_DRY, "the robot ran dry, at rest")
        elif resting or (self._reason is not None and self._slot is None and not self._sent):
            self._finish(LinkState.READY, *self._outcome())
        elif self._slot is not None:
            self._say({"go": number, "to": [*self._slot.position_m.tolist(),
                                            *quaternion_of(self._slot.rotation)]})  # fmt: skip
            self._last, self._slot = self._slot, None
            self._sent += 1
            self._counts.waypoints += 1
        elif self._reason is not None:
            self._say({"stop": number})
        else:
            self._counts.empty_slot += 1

    def _outcome(self) -> tuple[StreamResult, str]:
        """Return how a stream went that was ended and whose robot is at rest."""
        end = None if self._path is None else self._path.end
        if self._reason is EndReason.REFUSED:
            return StreamResult.REFUSED, "refused, at rest"
        if self._reason is EndReason.CANCELLED:
            return StreamResult.CANCELLED, "cancelled, at rest"
        if end is None or self._place is None or apart(end, self._place)[0] <= 1e-3:
            return StreamResult.COMPLETED, "completed, at rest"
        return StreamResult.NOT_FOLLOWING, "the robot did not arrive"

    def _say(self, told: dict[str, object]) -> None:
        self._socket.sendall(json.dumps(told).encode() + b"\n")
        self._counts.answers += 1

    def _lose(self, text: str) -> None:
        if self._state is not LinkState.OFFLINE:
            self._finish(LinkState.OFFLINE, StreamResult.LINK_LOST, f"link lost: {text}")

    def _finish(self, state: LinkState, result: StreamResult, text: str) -> None:
        if self._state in (LinkState.STREAMING, LinkState.ENDING):
            self._result = result
        self._state, self._text, self._slot = state, text, None


def place_of(numbers: object) -> Pose:
    """Return a place of the protocol as X_RT; raises ValueError for one that is none."""
    if not isinstance(numbers, list) or len(numbers) != 7:
        raise ValueError("seven numbers are needed")
    x, y, z, *turn = map(float, numbers)
    size = math.hypot(*turn)
    if not 0.999 < size < 1.001:
        raise ValueError("no unit quaternion")
    w, i, j, k = (value / size for value in turn)
    rotation = [
        [1 - 2 * (j * j + k * k), 2 * (i * j - w * k), 2 * (i * k + w * j)],
        [2 * (i * j + w * k), 1 - 2 * (i * i + k * k), 2 * (j * k - w * i)],
        [2 * (i * k - w * j), 2 * (j * k + w * i), 1 - 2 * (i * i + j * j)],
    ]
    return Pose(np.array([x, y, z]), np.array(rotation))


def apart(first: Pose, second: Pose) -> tuple[float, float]:
    """Return how far two places are from each other [m, rad]."""
    way_m = math.dist(first.position_m, second.position_m)
    return way_m, angle_between_rad(first, second)


POSES = LinkKind(form="poses://HOST:PORT", check=check, open=open_link)
EMULATED = LinkKind(form="poses-sim://HOST:PORT", check=check, open=open_link, virtual=True)
