"""A link of another distribution, of which an error ends the stream and never the program."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeVar

from arm_driver.link import ArmLink, DeclaredPath, EndReason, LinkOrder, Offer
from arm_driver.link_errors import ArmLinkError, StartRefusedError, WaypointRefusedError
from arm_driver.link_report import DisplayedPose, LinkReport
from arm_driver.link_states import LinkState, StreamResult
from hil.machines.robot.offered_links import OWN, link_kind
from hil_common.arrays.pose import Pose

T = TypeVar("T")
_FOREIGN: Final = (Exception, SystemExit)
"""Exceptions of foreign code; Ctrl-C is ours."""


def open_link(order: LinkOrder, now_s: Callable[[], float]) -> ArmLink:
    """Open a link by its URL.

    Raises:
        ArmLinkError: If the robot is not there, or the link fails for any other reason.
    """
    kind = link_kind(order.url)
    if order.url.partition(":")[0] in OWN:
        return kind.open(order, now_s)
    try:
        return GuardedLink(kind.open(order, now_s), order.url)
    except ArmLinkError:
        raise
    except _FOREIGN as error:
        raise ArmLinkError(f"{order.url} cannot be opened: {_describe(error)}") from None


class GuardedLink:
    """A link whose first error is a latched fault: nothing is offered to it any more."""

    def __init__(self, link: ArmLink, url: str) -> None:
        self._link, self._url = link, url
        self._last = LinkReport(LinkState.OFFLINE)
        self._failed = ""

    @property
    def reader_thread(self) -> int | None:
        """Number of the thread that answers the robot, as the kernel counts; None without one."""
        number = getattr(self._link, "reader_thread", None)
        return number if type(number) is int else None

    def start(self, path: DeclaredPath, measured: DisplayedPose | None = None) -> None:
        """Begin a stream; an error refuses it."""
        self._refuse_if_failed(StartRefusedError)
        try:
            self._link.start(path, measured)
        except StartRefusedError:
            raise
        except _FOREIGN as error:
            raise StartRefusedError(self._fail("start", error)) from None

    def offer(self, X_RT: Pose) -> Offer:
        """Put the next waypoint into the slot; an error refuses it."""
        self._refuse_if_failed(WaypointRefusedError)
        try:
            answer = self._link.offer(X_RT)
            if type(answer) is not Offer:
                raise TypeError(f"offer() returned {type(answer).__name__}, an Offer is needed")
        except WaypointRefusedError:
            raise
        except _FOREIGN as error:
            raise WaypointRefusedError(self._fail("offer", error)) from None
        return answer

    def poll(self) -> LinkReport:
        """Return the link as it is now; one that fails is at fault, and stays so."""
        if not self._failed:
            try:
                report = self._link.poll()
                if type(report) is not LinkReport:
                    raise TypeError(
                        f"poll() returned {type(report).__name__}, a LinkReport is needed"
                    )
                self._last = report
            except _FOREIGN as error:
                self._fail("poll", error)
        if self._failed:
            return replace(
                self._last, state=LinkState.FAULT, result=StreamResult.FAULTED,
                text=self._failed, wants=False,
            )  # fmt: skip
        return self._last

    def end(self, reason: EndReason) -> None:
        """End the stream; an error is kept for the report."""
        try:
            self._link.end(reason)
        except _FOREIGN as error:
            self._fail("end", error)

    def close(self) -> None:
        """Close the link, whatever it raises."""
        try:
            self._link.close()
        except _FOREIGN as error:
            self._fail("close", error)

    def _refuse_if_failed(self, kind: type[ArmLinkError]) -> None:
        if self._failed:
            raise kind(self._failed)

    def _fail(self, where: str, error: BaseException) -> str:
        """Note the first failure, and end what the robot is doing, if the link still can."""
        first = not self._failed
        self._failed = (
            self._failed or f"the link {self._url} failed in {where}(): {_describe(error)}"
        )
        if first and where not in ("end", "close"):
            self.end(EndReason.CANCELLED)
        return self._failed


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
