"""The desk as control starts it, and its process: `python -m hil.desk.process`.

Control keeps three things of it: a slot to read, a ring to push into, and the pipes of its
respawner (`hil.desk.respawner`): a word down the one says that the run is over, and its end that
the bench is gone, however it went; by the other control learns of a desk that died and of the next
one. Nothing of control waits for the desk once it runs. If the desk dies, the stamp in the slot
gets old and the dead-man releases; nothing else happens to the motion.
"""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Literal, Self

from hil.desk.endpoints import PlaceError, folder, socket_name, token
from hil.desk.order import LatestOrder
from hil.desk.order_writer import NOTHING_BEFORE
from hil.desk.parts import DeskFacts, PendingRequest
from hil.desk.prover import ProverChild
from hil.desk.respawner import END_TIMEOUT_S, OVER, START_TIMEOUT_S
from hil.desk.server import Desk
from hil.desk.service import Service, listen
from hil.ipc.broadcast import Broadcast
from hil.ipc.child import PIPE, ChildProcess, start_child
from hil.ipc.memory import constant_file, read_only, slot_bytes
from hil.recording.header import RunHeader

_RESPAWNER: Final = "hil.desk.respawner"
TELEMETRY_SLOTS: Final = 8192
_SLACK_S: Final = 5.0
"""Time that the desk's parent is given beyond the times that it gives the desk [s]."""
_REPLY_MAX_BYTES: Final = 4096


class DeskError(Exception):
    """The desk cannot be started; the text says why. Nothing has moved by then."""


class DeskProcess:
    """The desk beside a run, as a context: it runs inside, and is gone with the context's end.

    Args:
        prover: arguments of the interpreter for the station's prover (`hil.desk.prover`); empty
            for a station that has nothing to prove.
        name: of the run; the header's scenario if left out.
        dead_man: what keeps the motion alive, sent to clients.
        place: folder for the socket and the token; the user's own if left out.

    Raises (on entering):
        DeskError: if the folder cannot be trusted, or the process does not get ready.
    """

    def __init__(
        self,
        header: RunHeader,
        period_s: float,
        *,
        station: str,
        prover: tuple[str, ...] = (),
        name: str = "",
        dead_man: Literal["hold", "presence"] = "hold",
        place: Path | None = None,
    ) -> None:
        self._place = folder() if place is None else place
        name = name or header.metadata.get("scenario", "") or "bench"
        self._path = self._place / socket_name(name, os.getpid())
        self._header = header
        self._facts: dict[str, Any] = {
            "period_s": period_s,
            "station": station,
            "proves": bool(prover),
            "bench": name,
            "dead_man": dead_man,
        }
        self._prover = prover
        self.slot = LatestOrder.shared()
        """What the operator wants; control reads it once per cycle."""
        self.telemetry = Broadcast.shared(
            TELEMETRY_SLOTS, slot_bytes(header.signals.size, Broadcast.head_bytes)
        )
        """Ring that control pushes its reports into."""
        self._respawner: ChildProcess | None = None
        self._poll = select.poll()
        self._said, self._news = b"", list[str]()
        self._pid = 0

    @property
    def path(self) -> Path:
        """The socket that panels connect to; that of the next desk, too."""
        return self._path

    @property
    def pid(self) -> int:
        """Number of the desk's process; 0 if none runs, by the last word of its parent."""
        self._listen()
        return self._pid

    @property
    def running(self) -> bool:
        """Whether a desk runs, by the last word of its parent; one system call."""
        return self.pid > 0

    def news(self) -> str:
        """Return the news of the desk since the last call: one thing at a time, else empty.

        It never waits: one system call, a few microseconds.
        """
        self._listen()
        return self._news.pop(0) if self._news else ""

    def __enter__(self) -> Self:
        """Start the process; return when panels can connect."""
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Report to the desk that the run is over, and wait for its end."""
        self.close()

    def _start(self) -> None:
        descriptors = self.slot.fileno(), self.telemetry.fileno()
        respawner = self._respawner = start_child(
            ("-m", _RESPAWNER), stdin=PIPE, stdout=PIPE, pass_fds=descriptors
        )
        order = {
            "slot_fd": descriptors[0],
            "telemetry_fd": descriptors[1],
            "place": str(self._place.absolute()),
            "socket": self._path.name,
            "facts": self._facts,
            "prover": self._prover,
            "header": self._header.to_json().decode("utf-8"),
        }
        if respawner.stdout is None:
            raise DeskError(f"{self._path}: the desk's keeper has no pipes")
        respawner.send(json.dumps(order).encode() + b"\n")
        self._poll.register(respawner.stdout, select.POLLIN)
        self._poll.poll(1000.0 * (START_TIMEOUT_S + _SLACK_S))
        self._listen()
        if not self._pid:
            why = self._news[0] if self._news else "the desk's keeper says nothing"
            raise DeskError(f"{self._path}: {why}")
        self._news.clear()

    def _listen(self) -> None:
        """Read the words of the desk's parent, if there are any."""
        respawner = self._respawner
        if respawner is None or respawner.stdout is None or not self._poll.poll(0):
            return
        said = os.read(respawner.stdout.fileno(), _REPLY_MAX_BYTES)
        if not said:
            self._poll.unregister(respawner.stdout)
            self._pid = 0
            self._news.append("the desk's keeper has died: no panel can be heard in this run")
            return
        *lines, self._said = (self._said + said).split(b"\n")
        for line in lines:
            self._take_reply(json.loads(line))

    def _take_reply(self, answer: dict[str, Any]) -> None:
        self._pid = answer.get("pid", 0) if answer.get("ready") else 0
        if self._pid:
            self._news.append("a new desk has begun: panels can connect again")
        elif "refused" in answer:
            self._news.append(str(answer["refused"]))
        elif answer.get("ended") is not None:
            self._news.append(f"the desk has died (exit status {answer['ended']})")

    def close(self) -> None:
        """End the desk and let go of the memory; harmless when repeated."""
        respawner, self._respawner = self._respawner, None
        self._pid = 0
        if respawner is not None:
            respawner.send(OVER)
            respawner.close_pipes()
            respawner.end(END_TIMEOUT_S + _SLACK_S)
            with suppress(OSError):  # left behind only if both were killed
                self._path.unlink()
        self.slot.release()
        self.telemetry.release()


# --- the process -----------------------------------------------------------------------------


def _service(order: dict[str, Any]) -> Service:
    """Build the desk that an order describes.

    Raises:
        PlaceError: if the folder or the token cannot be trusted.
        OSError: if the socket or the memory cannot be had.
    """
    # Imported here: control's half of this module need not have the real clock.
    from hil.timing.realtime import RealClock

    place, header = Path(order["place"]), order["header"].encode("utf-8")
    slot = LatestOrder.attach(order["slot_fd"])
    header_fd = constant_file(header)
    facts = DeskFacts(header_bytes=len(header), **order["facts"])
    secret = token(place, make=True)

    def verdict(case: PendingRequest, error: str, motion_json: bytes) -> None:
        desk.proved(case, error, motion_json)

    def ask(case: PendingRequest) -> None:
        prover.ask(case)

    prover = ProverChild(header_fd, verdict, tuple(order["prover"]))
    desk = Desk(
        secret,
        facts,
        uid=os.geteuid(),
        now_s=RealClock().now_s,
        nonce=lambda: secrets.token_hex(32),
        write=slot.write,
        ask=ask,
        before=slot.read() or NOTHING_BEFORE,
    )
    return Service(
        desk,
        listen(place, order["socket"]),
        sys.stdin.fileno(),
        (read_only(order["telemetry_fd"]), header_fd),
        prover if facts.proves else None,
        lambda: _send_line(b"\n"),
    )


def _say(**answer: Any) -> None:
    _send_line(json.dumps(answer).encode() + b"\n")


def _send_line(line: bytes) -> None:
    with suppress(OSError):  # the respawner may be gone; then nobody is left to write to
        os.write(1, line)


def main() -> int:
    """Run the desk's process; its order comes as one line of JSON on standard input.

    Returns:
        Exit status: 0 when the bench is gone, 2 if the desk could not begin.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    try:
        order = json.loads(sys.stdin.buffer.readline())
        service = _service(order)
    except (PlaceError, OSError, ValueError, KeyError, TypeError) as error:
        _say(refused=f"the desk cannot begin: {error}")
        return 2
    _say(ready=True)
    try:
        service.run()
    finally:
        with suppress(OSError):
            (Path(order["place"]) / order["socket"]).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
