"""Keeps a desk beside a run: `python -m hil.desk.respawner` starts it, and another one if it dies.

Control has this process started before anything moves. A new desk on the same slot and telemetry
is then a matter between keeper and desk, and costs no cycle more than the reading of a line that
says so. A desk that hangs is killed. Each has a pipe of its keeper's, so that it is gone with the
keeper, and the keeper with the bench. A run that is over says so down these pipes before they are
closed: a pipe that ends without that word tells nothing of the run, which may well go on.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from hil.ipc.child import PIPE, ChildProcess, start_child

START_TIMEOUT_S: Final = 30.0
END_TIMEOUT_S: Final = 2.0
AGAIN_S: Final = 0.5
AGAIN_MAX_S: Final = 8.0
"""Between the end of a desk and the next one [s]; doubled each time that one cannot begin."""
SILENT_MAX_S: Final = 4.0
"""A desk beats at least once a second; one that is silent for so long [s] hangs."""
CLOSING_S: Final = 0.2
"""Time that a desk which has closed its pipe has to be gone [s]."""
BENCH: Final = 0
"""Descriptor of standard input: at its end, or once `OVER` is said, the bench is gone."""
OVER: Final = b"over\n"
"""What control says to its keeper, and that one to the desk, at the end of the run."""
DESK_PROGRAM: Final = ("-m", "hil.desk.process")


class Respawner:
    """Starts desks, one after the other, and says what became of them.

    Args:
        order: what a desk is to do, as one line of JSON.
    """

    def __init__(self, order: bytes, say: Any) -> None:
        self._order, self._say = order, say
        facts = json.loads(order)
        self._descriptors = int(facts["slot_fd"]), int(facts["telemetry_fd"])
        self._socket = Path(facts["place"]) / facts["socket"]
        self._desk: ChildProcess | None = None

    def keep(self) -> int:
        """Have a desk there until the bench is gone.

        Returns:
            Exit status: 0 when the bench is gone, 2 if the first desk could not begin.
        """
        begun, again_s = False, AGAIN_S
        try:
            while True:
                answer = self._start()
                self._say(answer)
                ready = "ready" in answer
                if not (begun := begun or ready):
                    return 2
                if ready and self._bench_gone_before_desk():
                    return 0
                status = self._end(CLOSING_S)
                if ready:
                    self._say({"ended": status})
                again_s = AGAIN_S if ready else min(2.0 * again_s, AGAIN_MAX_S)
                if _readable((BENCH,), again_s):
                    return 0
        finally:
            self._end(END_TIMEOUT_S, over=_run_over())
            with suppress(OSError):  # left behind only by a desk that was killed
                self._socket.unlink()

    def _start(self) -> dict[str, Any]:
        """Start a desk; return its answer, with the number of its process."""
        desk = self._desk = start_child(
            DESK_PROGRAM, stdin=PIPE, stdout=PIPE, pass_fds=self._descriptors
        )
        if desk.stdout is None:
            return {"refused": "the desk's process has no pipes"}
        desk.send(self._order)
        if desk.stdout.fileno() in _readable((BENCH, desk.stdout.fileno()), START_TIMEOUT_S):
            with suppress(ValueError):
                answer = json.loads(desk.stdout.readline() or b"{}")
                if answer:
                    return answer | {"pid": desk.pid}
        return {
            "refused": f"the desk did not get ready within {START_TIMEOUT_S:g} s "
            f"(exit status {desk.poll()})"
        }

    def _bench_gone_before_desk(self) -> bool:
        """Wait until either is gone; a desk without a beat is as good as gone, and is killed."""
        if self._desk is None or self._desk.stdout is None:
            return False
        beats = self._desk.stdout.fileno()
        while ready := _readable((BENCH, beats), SILENT_MAX_S):
            if BENCH in ready:
                return True
            if not os.read(beats, 4096):
                return False
        self._desk.kill()  # before it can wake up and say that no other desk comes
        return False

    def _end(self, timeout_s: float, *, over: bool = False) -> int | None:
        """Let the desk end, at most so long [s], else kill it; harmless when repeated.

        Args:
            over: whether it is to be told that the run is over.

        Returns:
            Its exit status; None if there was none.
        """
        desk, self._desk = self._desk, None
        if desk is None:
            return None
        if over:
            desk.send(OVER)
        desk.close_pipes()
        return desk.end(timeout_s)


def _readable(descriptors: tuple[int, ...], timeout_s: float) -> list[int]:
    """Those of some descriptors that can be read or are at their end, after a wait [s]."""
    waiter = select.poll()
    for descriptor in descriptors:
        waiter.register(descriptor, select.POLLIN)
    found = waiter.poll(1000.0 * timeout_s)
    return [descriptor for descriptor, _ in found]


def _run_over() -> bool:
    """Whether control has said that the run is over; one that was killed has not."""
    return bool(_readable((BENCH,), 0.0)) and OVER in os.read(BENCH, 4096)


def _say(answer: dict[str, Any]) -> None:
    with suppress(OSError):  # control may be gone; then there is nobody to tell
        os.write(1, json.dumps(answer).encode() + b"\n")


def _ordinary() -> None:
    """Leave what a real-time control hands down to its children: its priority, its processor."""
    with suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    with suppress(OSError):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))


def main() -> int:
    """Run the keeper; the desk's order comes as one line of JSON on standard input.

    Returns:
        Exit status: 0 when the bench is gone, 2 if the first desk could not begin.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    _ordinary()
    order = sys.stdin.buffer.readline()
    return Respawner(order, _say).keep() if order else 0


if __name__ == "__main__":
    sys.exit(main())
