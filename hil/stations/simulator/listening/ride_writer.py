"""Writes packets of a host as a ride that ``hil cue`` reads: CSV, units in the columns' names.

A row is in the file as soon as its packet was understood; an end at any moment leaves all whole
rows behind.
"""

from __future__ import annotations

import math
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

from hil.config.errors import ConfigError, RefusedError
from hil.hosts.kind import Received
from hil.hosts.watch.clocks import ArrivalLoop
from platform6dof.cueing.vehicle import VehicleState

FIELDS: Final = (
    ("f_m_s2", ("f_x_m_s2", "f_y_m_s2", "f_z_m_s2")),
    ("omega_rad_s", ("p_rad_s", "q_rad_s", "r_rad_s")),
    ("attitude", ("qw", "qx", "qy", "qz")),
    ("v_m_s", ("v_x_m_s", "v_y_m_s", "v_z_m_s")),
    ("position_m", ("north_m", "east_m", "down_m")),
)
"""Fields of a state, and their columns."""
ALWAYS: Final = ("flags", "host_stamp_s", "kernel_stamp_s")
"""Columns behind those of the motion; an unknown stamp is left empty."""
_STEP_MAX_S: Final = 1.0
_STEP_MIN_S: Final = 1e-4


class RideWriter:
    """Appends packets to a new file.

    Times come from the host's stamps where they rise; else from a smoothed count of arrivals. What
    the first packet lacks has no column; a packet with less than the first is counted and left out.

    Args:
        path: the file; it must not be there.

    Raises:
        ConfigError: if it is there, or cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self.path: Path = path
        self.rows: int = 0
        """Number of rows written so far."""
        self.left_out: int = 0
        """Packets with fewer quantities than the first one."""
        self.lasts_s: float = 0.0
        """Time from the first row to the last [s]."""
        self.longest_gap_s: float = 0.0
        """Longest time between two rows [s]."""
        self._fields: tuple[str, ...] = ()
        self._loop = ArrivalLoop()
        self._stamp_s = self._at_s = math.nan
        try:
            self._file: IO[str] = path.open("x", encoding="utf-8", newline="", buffering=1)
        except FileExistsError:
            text = "is there already; a recording is never overwritten: name another file"
            raise ConfigError(str(path), [text]) from None
        except OSError as error:
            raise ConfigError(str(path), [f"cannot be written: {error.strerror}"]) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def take(self, received: Received) -> None:
        """Append one packet.

        Raises:
            RefusedError: if the disk takes no more; what was written stays.
        """
        state = received.packet.state
        if not self.rows:
            self._fields = tuple(name for name, _ in FIELDS if _known(state, name))
            names = [
                column for name, columns in FIELDS if name in self._fields for column in columns
            ]
            self._write(",".join(["t_s", *names, *ALWAYS]))
        if not all(_known(state, name) for name in self._fields):
            self.left_out += 1
            return
        step_s = self._step(state.t_s, received.kernel_s)
        if not self.rows:
            step_s = 0.0
        self.lasts_s += step_s
        self.longest_gap_s = max(self.longest_gap_s, step_s)
        numbers = [value for name in self._fields for value in getattr(state, name)]
        stamps = ["" if math.isnan(one) else f"{one:.9f}" for one in (state.t_s, received.kernel_s)]
        row = [f"{self.lasts_s:.6f}", *(f"{value:.9g}" for value in numbers)]
        self._write(",".join([*row, str(int(state.flags)), *stamps]))
        self.rows += 1

    def _step(self, stamp_s: float, kernel_s: float) -> float:
        """Return the time from the row before to this one."""
        at_s = self._loop.at(kernel_s)
        by_stamp_s, by_arrival_s = stamp_s - self._stamp_s, at_s - self._at_s
        self._stamp_s, self._at_s = stamp_s, at_s
        step_s = by_stamp_s if 0.0 < by_stamp_s <= _STEP_MAX_S else by_arrival_s
        return max(step_s, _STEP_MIN_S)

    def _write(self, line: str) -> None:
        try:
            self._file.write(line + "\n")
        except OSError as error:
            text = f"{self.path}: {error.strerror}; {self.rows} rows are in it"
            raise RefusedError(text) from None


def _known(state: VehicleState, name: str) -> bool:
    return all(math.isfinite(value) for value in getattr(state, name))
