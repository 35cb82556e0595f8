"""The link to the industrial arm: one reader thread, and a slot that is filled a period ahead.

The reader waits for requests and answers them with bytes that lie ready. Whatever takes time, as
kinematics and the writing of a waypoint do, is done by the caller before the robot asks.

Python lets one thread compute at a time and hands over after `sys.getswitchinterval()`, 5 ms
unless set otherwise: a process that computes besides this link should set 0.5 ms, and give the
reader (`reader_thread`) a priority above its own.
"""

import threading
from collections.abc import Callable
from typing import Final

from arm_driver.contour.host import ContourHost
from arm_driver.contour.host_values import HostReport, HostSettings, StreamPlan
from arm_driver.contour.location import Location
from arm_driver.contour.port import ArmPort, open_port
from arm_driver.contour.urls import parse_arm_link
from arm_driver.link import EndReason, Offer
from arm_driver.link_errors import ArmLinkLostError

LOOK_S: Final = 0.02
"""Longest wait of the reader for bytes [s]; so often it looks at the time."""
_JOIN_S: Final = 1.0


class ContourLine:
    """A robot's controller behind a port.

    Args:
        port: Open port, owned by the link from here on.
    """

    def __init__(self, port: ArmPort, settings: HostSettings, now_s: Callable[[], float]) -> None:
        self._port = port
        self._now_s = now_s
        self._host = ContourHost(settings, now_s())
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._reader = threading.Thread(target=self._read, name="arm link", daemon=True)
        self._reader.start()

    @property
    def reader_thread(self) -> int | None:
        """Number of the reader's thread, as the kernel counts, to give it a priority."""
        return self._reader.native_id

    def start(self, plan: StreamPlan, measured: Location | None = None) -> None:
        """Begin a stream, on the operator's arm command and never otherwise.

        Args:
            plan: Declared start and end.
            measured: Where the robot is, read at the controller, if its requests do not say so.

        Raises:
            StartRefusedError: With the reason; nothing is sent then.
        """
        with self._lock:
            self._host.start(plan, self._now_s(), measured)

    def offer(self, location: Location) -> Offer:
        """Put the next waypoint into the slot; `poll` says when it wants one.

        Args:
            location: Where to be one period after the waypoint before.

        Returns:
            Whether it was taken.

        Raises:
            WaypointRefusedError: If it is too far from the one before; the slot stays empty.
        """
        with self._lock:
            return self._host.offer(location)

    def poll(self) -> HostReport:
        """Return the link as it is now."""
        with self._lock:
            return self._host.report(self._now_s())

    def end(self, reason: EndReason) -> None:
        """End the stream; the robot comes to rest at the last waypoint. Does nothing without one.

        Args:
            reason: Completed lets the waypoint in the slot go out first; else it is dropped.
        """
        with self._lock:
            self._host.end(reason)

    def close(self) -> None:
        """End the reader and close the port; a robot that is moving comes to rest by itself."""
        self._closing.set()
        self._reader.join(_JOIN_S)
        self._port.close()

    def _read(self) -> None:
        """Answer requests until the link is closed or lost, and say why it was."""
        why = "the link was closed by this program"
        try:
            while not self._closing.is_set():
                data = self._port.read(LOOK_S)
                self._answer(data, self._now_s())
        except ArmLinkLostError as lost:
            why = str(lost)
        except Exception as error:
            why = f"{self._port.url}: the reader failed: {error!r}"
        finally:
            with self._lock:
                self._host.lose(why)

    def _answer(self, data: bytes, received_s: float) -> None:
        """Answer what was received; the time until then counts from before the lock is awaited."""
        with self._lock:
            line = self._host.receive(data, received_s)
        if not line:
            if self._port.cut:
                self._port.write(b"")
            return
        whole = self._port.write(line)
        with self._lock:
            self._host.sent(line, self._now_s(), whole=whole)


def open_line(
    url: str, *, now_s: Callable[[], float], settings: HostSettings | None = None
) -> ContourLine:
    """Open a link by its URL, for this program alone.

    Args:
        url: `serial:/dev/ttyS0?baud=9600`, `socket://host:port`.
        settings: Times and limits; None for those of the protocol.

    Returns:
        The link, listening.

    Raises:
        ArmLinkError: If the URL is wrong, or the port absent, taken, or refuses.
    """
    port = open_port(parse_arm_link(url), now_s)
    return ContourLine(port, settings or HostSettings(), now_s)
