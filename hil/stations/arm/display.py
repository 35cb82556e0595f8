"""What a run shows its operator while it lasts: what happens, and for a live motion how it goes.

The loop that answers to the robot must never wait for a terminal. So a line is written only if the
terminal takes it at once; one that is stopped (Ctrl-S), gone or slow misses lines and nothing else.
"""

import os
import select
from contextlib import suppress
from typing import Final

import numpy as np

from arm_driver.host_values import LinkReport
from hil.stations.arm.peers import Witness
from hil.stations.arm.step import ArmStep, RobotStep
from hil.timing.clock import Tick

LINE_MAX: Final = 400
"""Characters of the longest line; a terminal that is ready takes as many without waiting."""
STATUS_COLUMNS: Final = 79
_TO_LINE_START: Final = "\r\x1b[K"


class ConsoleEcho:
    """A witness that shows what it passes on.

    Args:
        live: whether to show each waypoint of a motion, on one line of a terminal.
    """

    def __init__(self, witness: Witness, fd: int, *, live: bool) -> None:
        self._witness = witness
        self._fd = fd
        self._terminal = os.isatty(fd)
        self._live = live and self._terminal
        self._writable = select.poll()
        self._writable.register(fd, select.POLLOUT)
        self._open = False

    def step(self, tick: Tick, step: RobotStep, report: LinkReport) -> None:
        """Pass a waypoint on, and show how fast both grippers go and what holds them back."""
        self._witness.step(tick, step, report)
        if self._live:
            self._write(_TO_LINE_START + status_line(step)[:STATUS_COLUMNS])
            self._open = True

    def note(self, tick: Tick, text: str) -> None:
        """Pass a note on and show it on a line of its own."""
        self._witness.note(tick, text)
        start = _TO_LINE_START if self._open else ""
        self._write(f"{start}{tick.t_s:7.2f} s  {text.replace(chr(10), '; ')}"[:LINE_MAX] + "\n")
        self._open = False

    def _write(self, text: str) -> None:
        with suppress(OSError):  # it is gone, which is no reason to stop
            ready = self._writable.poll(0)
            if ready and ready[0][1] & select.POLLOUT:
                os.write(self._fd, text.encode())


def status_line(step: RobotStep) -> str:
    """A waypoint in one line.

    Returns:
        Waypoint, what is wanted, what is done, and what binds, if something does; of a robot that
        moves alone where it is to be.
    """
    if not isinstance(step, ArmStep):
        place = "" if step.location is None else f"  at {step.location}"
        return f"{step.index:5d}{place}{'' if step.share else ', at rest'}"
    asked = 1e3 * float(np.linalg.norm(step.wanted.linear_m_s))
    turn = np.degrees(float(np.linalg.norm(step.wanted.angular_rad_s)))
    done = 1e3 * float(np.linalg.norm(step.snapshot.velocity_BG_m_s))
    text = f"{step.index:5d}  wanted {asked:3.0f} mm/s {turn:4.1f} deg/s, moves {done:3.0f} mm/s"
    if step.command.limits:
        text += f", held back by {step.command.limits[0]}"
    elif step.command.near_singularity:
        text += ", near a singularity"
    return text
