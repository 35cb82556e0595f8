"""The desk as control starts it, and its process: `python -m hil.desk.process`.

Control keeps three things of it: a slot to read, a ring to push into, and a pipe whose end tells
the desk that the bench is gone, however it went. Nothing of control waits for the desk once it
runs. If the desk dies, the stamp in the slot gets old and the dead-man releases; nothing else
happens to the motion.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Literal, Self

from hil.desk.order import OperatorSlot
from hil.desk.parts import Case, DeskFacts
from hil.desk.pen import NOTHING_BEFORE
from hil.desk.places import PlaceError, folder, socket_name, token
from hil.desk.prover import ProverChild
from hil.desk.server import Desk
from hil.desk.service import Service, listen
from hil.desk.telemetry import Telemetry
from hil.recording.header import RunHeader

START_TIMEOUT_S: Final = 30.0
END_TIMEOUT_S: Final = 2.0
_MODULE: Final = "hil.desk.process"


class DeskError(Exception):
    """The desk cannot be started; the text says why. Nothing has moved by then."""


class DeskProcess:
    """The desk beside a run, as a context: it runs inside, and is gone with the context's end.

    Args:
        header: of the run; clients get it, and the plan in it is what proofs are made for.
        period_s: cycle time [s].
        station: whose run it is.
        name: of the run; the header's scenario if left out.
        dead_man: what keeps the motion alive, told to clients.
        place: folder for the socket and the token; the user's own if left out.

    Raises (on entering):
        DeskError: if the folder cannot be trusted, or the process does not get ready.
    """

    def __init__(
        self,
        header: RunHeader,
        period_s: float,
        *,
        station: Literal["platform", "arm"] = "platform",
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
            "bench": name,
            "dead_man": dead_man,
        }
        self.slot = OperatorSlot.shared()
        """What the operator wants; control reads it once per cycle."""
        self.telemetry = Telemetry.shared()
        """Where control pushes what it tells."""
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def path(self) -> Path:
        """The socket that panels connect to."""
        return self._path

    @property
    def pid(self) -> int:
        """Number of the desk's process; 0 if it does not run."""
        return self._process.pid if self.running and self._process else 0

    @property
    def running(self) -> bool:
        """Whether it runs; one system call."""
        return self._process is not None and self._process.poll() is None

    def __enter__(self) -> Self:
        """Start the process; return when panels can connect."""
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Tell the desk that the bench is gone, and see it end."""
        self.close()

    def _start(self) -> None:
        descriptors = self.slot.fileno(), self.telemetry.fileno()
        process = self._process = subprocess.Popen(  # noqa: S603 our own interpreter and module
            [sys.executable, "-m", _MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            pass_fds=descriptors,
            start_new_session=True,
        )
        order = {
            "slot_fd": descriptors[0],
            "telemetry_fd": descriptors[1],
            "place": str(self._place.absolute()),
            "socket": self._path.name,
            "facts": self._facts,
            "header": self._header.to_json().decode("utf-8"),
        }
        if process.stdin is None or process.stdout is None:
            raise DeskError(f"{self._path}: the desk's process has no pipes")
        with suppress(BrokenPipeError):  # it died at once: its missing answer says so below
            rest = memoryview(json.dumps(order).encode() + b"\n")
            while rest:  # unbuffered: a signal may cut a long write short
                rest = rest[process.stdin.write(rest) :]
        answer: dict[str, Any] = {}
        if select.select([process.stdout], [], [], START_TIMEOUT_S)[0]:
            answer = json.loads(process.stdout.readline() or b"{}")
        if "refused" in answer:
            raise DeskError(answer["refused"])
        if not answer.get("ready"):
            raise DeskError(
                f"{self._path}: the desk did not get ready within {START_TIMEOUT_S:g} s "
                f"(exit status {process.poll()})"
            )

    def close(self) -> None:
        """End the desk and let go of the memory; harmless when repeated."""
        process, self._process = self._process, None
        if process is not None:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(END_TIMEOUT_S)
            if process.poll() is None:
                process.kill()
                process.wait()
            with suppress(OSError):  # left behind only if the desk was killed
                self._path.unlink()
        self.slot.release()
        self.telemetry.release()


# --- the process -----------------------------------------------------------------------------


def _ordinary() -> None:
    """Leave what a real-time control hands down to its children: its priority, its processor."""
    with suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    with suppress(OSError):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))


def _read_only(fd: int) -> int:
    """A second descriptor of a memory file, without the right to write."""
    return os.open(f"/proc/self/fd/{fd}", os.O_RDONLY | os.O_CLOEXEC)


def _header_file(header: bytes) -> int:
    """A memory file with the run's header, which nobody can change; its read-only descriptor."""
    fd = os.memfd_create("hil-header", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        with os.fdopen(os.dup(fd), "wb") as stream:
            stream.write(header)
        seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SEAL
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
        return _read_only(fd)
    finally:
        os.close(fd)


def _service(order: dict[str, Any]) -> Service:
    """Build the desk that an order describes.

    Raises:
        PlaceError: if the folder or the token cannot be trusted.
        OSError: if the socket or the memory cannot be had.
    """
    # Imported here: control's half of this module need not have the real clock.
    from hil.realtime import RealClock

    place, header = Path(order["place"]), order["header"].encode("utf-8")
    slot = OperatorSlot.attach(order["slot_fd"])
    header_fd = _header_file(header)
    facts = DeskFacts(header_bytes=len(header), **order["facts"])
    secret = token(place, make=True)

    def verdict(case: Case, error: str, motion_json: bytes) -> None:
        desk.proved(case, error, motion_json)

    def ask(case: Case) -> None:
        prover.ask(case)

    prover = ProverChild(header_fd, verdict)
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
        (_read_only(order["telemetry_fd"]), header_fd),
        prover if facts.station == "platform" else None,
    )


def _say(**answer: Any) -> None:
    with suppress(OSError):  # control may be gone; then there is nobody to tell
        os.write(1, json.dumps(answer).encode() + b"\n")


def main() -> int:
    """Run the desk's process; its order comes as one line of JSON on standard input.

    Returns:
        Exit status: 0 when the bench is gone, 2 if the desk could not begin.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    _ordinary()
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
