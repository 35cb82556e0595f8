"""A drive bus of one's own: its URLs, its table in the file of a rig, and its emulated drives.

    [project.entry-points."hil.buses"]
    rodline = "own_bus:BUS"

    [drives]
    url = "rodline://10.0.0.7:4001"
    [drives.rodline]
    channels = [2, 1, 4, 3, 6, 5]

`examples/own_bus_bank.py` is the half that the gate's process loads.
"""

import json
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Annotated, Any

from own_bank import GlidingBank
from pydantic import Field, model_validator

from drives.bank import DriveGoal
from drives.links import LinkUrlError
from drives.plugin_bank import BankOrder
from hil.config.settings import Settings
from hil.machines.rig.bus_kind import BusKind, Emulation, Serve
from hil_common.legs import LegTarget
from sim.devices.admission import Admission

FORM = "rodline://HOST:PORT"
Channel = Annotated[int, Field(ge=1, le=6)]
POLL_S = 0.005
SIX = (0.0,) * 6


class RodlineTable(Settings):
    """``[drives.rodline]`` of a rig."""

    channels: tuple[Channel, Channel, Channel, Channel, Channel, Channel] = (1, 2, 3, 4, 5, 6)
    """Of the controller, of legs 1 to 6."""
    answer_within_s: Annotated[float, Field(ge=0.001, le=0.1)] = 0.015
    """How long a cycle waits for its answer: less than the cycle itself [s]."""

    @model_validator(mode="after")
    def _channels_differ(self) -> "RodlineTable":
        if len(set(self.channels)) < 6:
            raise ValueError(f"channels {self.channels}: each leg needs a channel of its own")
        return self


def check(url: str) -> None:
    """Refuse a URL that is written wrongly."""
    found = re.fullmatch(r"rodline://[A-Za-z0-9._-]+:([0-9]{1,5})", url)
    if found is None or not 0 < int(found[1]) <= 65535:
        raise LinkUrlError(f"link '{url}' is not {FORM}, with a port from 1 to 65535")


class Controller:
    """The emulated controller without its wire: a line in, a line out; six legs that glide."""

    def __init__(self) -> None:
        self._bank: GlidingBank | None = None
        self.watchdog_s = 0.05

    def answer(self, line: bytes) -> dict[str, Any]:
        """Do what a line says."""
        asked = json.loads(line)
        if "set" in asked:
            self._bank, self.watchdog_s = _legs(asked["set"]), asked["set"]["watchdog_s"]
            return {"set": asked["set"], "simulated": True}
        if self._bank is None:
            raise ValueError("a line without limits before it")
        self._bank.request(DriveGoal(asked["goal"]))
        target = None
        if "length_m" in asked:
            target = LegTarget(tuple(asked["length_m"]), tuple(asked["speed_m_s"]))
        seen = self._bank.exchange(target)
        return {
            "length_m": seen.length_m,
            "speed_m_s": seen.speed_m_s,
            "state": [one.value for one in seen.state],
            "homed": seen.homed,
            "sent": seen.accepted is not None,
        }

    def fall_silent(self) -> None:
        """Nobody has written for as long as the watchdog: the legs lose their power."""
        if self._bank is not None:
            self._bank.request(DriveGoal.DISABLED)
            self._bank.exchange(None)


def _legs(values: dict[str, Any]) -> GlidingBank:
    """Six legs with the limits that were written."""
    limits: dict[str, Any] = {
        name: tuple(one) if isinstance(one, list) else one for name, one in values.items()
    }
    bank = GlidingBank(
        BankOrder(
            url="glide:",
            name="rodline",
            counts_per_m=SIX,
            sign=(1,) * 6,
            acceleration_max_m_s2=SIX,
            quick_stop_deceleration_m_s2=SIX,
            **limits,
        )
    )
    bank.configure()
    return bank


def emulate(order: Emulation) -> Serve:
    """What `hil drives rack --protocol rodline` runs: the controller on a port of this computer."""

    def serve(now_s: Callable[[], float], stop: Callable[[], bool]) -> None:
        admission = Admission(any_user=order.any_user, say=order.say)
        with socket.create_server(("127.0.0.1", order.port)) as listening:
            listening.settimeout(POLL_S)
            order.ready(f"rodline://127.0.0.1:{listening.getsockname()[1]}")
            while not stop():
                with suppress(TimeoutError):
                    connection, _ = listening.accept()
                    with connection:
                        if admission.lets_in(connection):
                            _converse(connection, now_s, stop)

    return serve


def _converse(
    connection: socket.socket, now_s: Callable[[], float], stop: Callable[[], bool]
) -> None:
    """Answer one bench until it leaves, or writes what is none of the protocol."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    controller = Controller()
    with suppress(ValueError, KeyError, TypeError, OSError):
        for line in _lines(connection, now_s, stop, controller):
            connection.sendall(json.dumps(controller.answer(line)).encode() + b"\n")


def _lines(
    connection: socket.socket,
    now_s: Callable[[], float],
    stop: Callable[[], bool],
    controller: Controller,
) -> Iterator[bytes]:
    data, last_s = b"", now_s()
    connection.settimeout(POLL_S)
    while not stop() and len(data) < 4096:
        try:
            some = connection.recv(4096)
            if not some:
                return
            data, last_s = data + some, now_s()
        except TimeoutError:
            if now_s() - last_s > controller.watchdog_s:
                controller.fall_silent()
        *lines, data = data.split(b"\n")
        yield from lines


BUS = BusKind(
    protocol="rodline", form=FORM, check=check, table=lambda: RodlineTable, emulate=emulate
)
"""What the entry point gives."""
