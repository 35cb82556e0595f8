"""The bank of a drive bus of one's own, for URLs `rodline://HOST:PORT`: the gate's half of it.

Six drives behind one controller that takes a line of JSON in each cycle, over TCP, and answers with
one. `examples/own_bus.py` has what the rest of the bench knows of it, and the emulated controller.

    [project.entry-points."hil.banks"]
    rodline = "own_bus_bank:make"

It is imported in the gate's process, and nothing that is not needed there comes along.
"""

import json
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from drives.bank import (
    BankEnd,
    BankFeedback,
    BankReport,
    DriveGoal,
    DriveSequenceError,
    DriveSetupError,
    DriveState,
    LinkError,
    LinkLostError,
    LinkTally,
    check_command,
)
from drives.plugin_bank import BankOrder
from hil_common.legs import LegTarget

OPEN_WITHIN_S = 2.0
LINE_MOST = 4096
"""A longer line is none of the controller's [bytes]."""
LIMITS = ("reference_length_m", "length_min_m", "length_max_m", "speed_max_m_s")
NUMBERS = ("period_s", "homing_speed_m_s", "watchdog_s")


class RodlineBank:
    """Six legs whose controller has them in an order of its own, its channels."""

    def __init__(self, order: BankOrder, now_s: Callable[[], float]) -> None:
        self._order, self._now_s = order, now_s
        self._channel_of_leg = [one - 1 for one in order.settings["channels"]]
        self._goal = DriveGoal.DISABLED
        self._socket: socket.socket | None = None
        self._data = b""
        self._last: BankFeedback | None = None
        self._cycles, self._missing = 0, 0
        self._closed = False

    def configure(self) -> BankReport:
        """Connect, and write the limits of the legs; they are read back."""
        if self._socket is not None:
            raise DriveSequenceError("configure() comes once")
        place, url = urlsplit(self._order.url), self._order.url
        try:
            address = (place.hostname or "", place.port or 0)
            self._socket = socket.create_connection(address, OPEN_WITHIN_S)
        except OSError as error:
            raise LinkError(f"{url}: {error.strerror or error}") from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        wanted: dict[str, Any] = {
            one: self._of_channels(getattr(self._order, one)) for one in LIMITS
        }
        wanted |= {
            one: getattr(self._order, one) for one in ("period_s", "homing_speed_m_s", "watchdog_s")
        }
        self._send({"set": wanted})
        answer = self._answer(OPEN_WITHIN_S)
        if answer is None or answer.get("set") != json.loads(json.dumps(wanted)):
            raise DriveSetupError(f"{url}: wrote {wanted}, and read back {answer}")
        axes = tuple(
            f"leg {leg}: channel {channel + 1}"
            for leg, channel in enumerate(self._channel_of_leg, 1)
        )
        return BankReport(self._order.name, url, answer["simulated"] is True, axes)

    def request(self, goal: DriveGoal) -> None:
        """Ask for a goal; it goes out with the next cycle."""
        self._require_open()
        if self._goal is not DriveGoal.QUICK_STOPPED or goal is DriveGoal.DISABLED:
            self._goal = goal

    def exchange(self, command: LegTarget | None) -> BankFeedback:
        """One cycle: a line out and a line in, for which it waits as long as the rig says."""
        self._require_open()
        line: dict[str, Any] = {"goal": self._goal.value}
        if command is not None:
            check_command(command)
            line |= {
                "length_m": self._of_channels(command.length_m),
                "speed_m_s": self._of_channels(command.speed_m_s),
            }
        self._cycles += 1
        self._send(line)
        answer = self._answer(self._order.settings["answer_within_s"])
        if answer is None:
            if self._last is None:
                raise DriveSetupError(f"{self._order.url}: no answer to the first line")
            self._missing += 1
            return self._last._replace(fresh=(False,) * 6, accepted=None)
        self._last = self._feedback(answer, command)
        return self._last

    def link_tally(self) -> LinkTally:
        """How many cycles there were, and how many without an answer."""
        return {"cycles": self._cycles, "missing": (self._missing,) * 6}

    def close(self) -> BankEnd:
        """Take the legs' power, and leave."""
        if self._socket is not None and not self._closed:
            self._send({"goal": DriveGoal.DISABLED.value})
            self._socket.close()
        self._closed = True
        return BankEnd(self.link_tally())

    def _feedback(self, answer: dict[str, Any], command: LegTarget | None) -> BankFeedback:
        sent = command if answer["sent"] else None
        zero = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        return BankFeedback(
            self._of_legs(answer["length_m"]),
            self._of_legs(answer["speed_m_s"]),
            zero,
            self._of_legs([DriveState(one) for one in answer["state"]]),
            self._of_legs(answer["homed"]),
            (0, 0, 0, 0, 0, 0),
            (True, True, True, True, True, True),
            sent,
        )

    def _of_channels(self, legs: Any) -> list[Any]:
        """Values of legs in the order of the channels."""
        return [legs[self._channel_of_leg.index(channel)] for channel in range(6)]

    def _of_legs(self, channels: Any) -> Any:
        """Values of channels in the order of the legs."""
        return tuple(channels[channel] for channel in self._channel_of_leg)

    def _send(self, line: dict[str, Any]) -> None:
        try:
            self._wire().sendall(json.dumps(line).encode() + b"\n")
        except OSError as error:
            raise LinkLostError(f"{self._order.url}: {error.strerror or error}") from error

    def _answer(self, within_s: float) -> dict[str, Any] | None:
        """The newest line of the controller; None if none comes within a time [s]."""
        wire, until_s = self._wire(), self._now_s() + within_s
        while b"\n" not in self._data:
            left_s = until_s - self._now_s()
            try:
                wire.settimeout(max(left_s, 1e-4))
                some = wire.recv(LINE_MOST)
            except TimeoutError:
                return None
            except OSError as error:
                raise LinkLostError(f"{self._order.url}: {error.strerror or error}") from error
            self._data += some
            if not some or len(self._data) > LINE_MOST:
                raise LinkLostError(
                    f"{self._order.url}: the controller has left, or sends no lines"
                )
        *lines, self._data = self._data.split(b"\n")
        return json.loads(lines[-1])

    def _wire(self) -> socket.socket:
        if self._socket is None:
            raise DriveSequenceError("configure() comes first")
        return self._socket

    def _require_open(self) -> None:
        self._wire()
        if self._closed:
            raise DriveSequenceError("the bank is closed")


def make(order: BankOrder, now_s: Callable[[], float]) -> RodlineBank:
    """What the entry point gives: makes a bank of an order; nothing is opened or sent yet."""
    return RodlineBank(order, now_s)
