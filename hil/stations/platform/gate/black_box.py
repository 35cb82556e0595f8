"""Record of the gate's last seconds, written to a file once everything is at rest.

While control runs, control records; this is for the time after. Nothing is written and nothing
grows without bound while anything moves.
"""

from __future__ import annotations

import json
from collections import deque
from pathlib import Path
from typing import Any, Final

from hil.stations.platform.gate.status import decode
from hil.timing.clock import Tick
from safety.modes import Mode
from safety.verdict import Verdict

BEFORE_CYCLES: Final = 100
"""Number of cycles kept from before control was lost."""
AFTER_CYCLES: Final = 20_000
"""Number of cycles kept from then on."""
EVENTS: Final = 1000


class BlackBox:
    """Ring of the newest cycles; from `keep` on all of them."""

    def __init__(self, period_s: float) -> None:
        self._period_s = period_s
        self._before: deque[bytes] = deque(maxlen=BEFORE_CYCLES)
        self._after: list[bytes] = []
        self._events: list[tuple[int, str]] = []
        self._mode: Mode | None = None
        self._index = -1
        self._keeping = False

    @property
    def kept(self) -> bool:
        """Whether an event happened that calls for a file."""
        return self._keeping

    def note(self, tick: Tick, verdict: Verdict, record: bytes) -> None:
        """Take one cycle.

        Args:
            record: its status record.
        """
        self._index = tick.index
        if verdict.mode is not self._mode:
            self._mode = verdict.mode
            self.event(f"mode {verdict.mode.name}")
        if not self._keeping:
            self._before.append(record)
        elif len(self._after) < AFTER_CYCLES:
            self._after.append(record)

    def event(self, text: str) -> None:
        """Take a line of text about this moment."""
        if len(self._events) < EVENTS:
            self._events.append((self._index, text))

    def keep(self) -> None:
        """Keep every cycle from now on."""
        self._keeping = True

    def write(self, path: Path) -> None:
        """Write one JSON object per line: the events, then the cycles.

        Call it at rest: it waits for the disk.

        Raises:
            OSError: if the file cannot be written.
        """
        lines = [{"event": text, "cycle": index} for index, text in self._events]
        lines += [_line(record) for record in (*self._before, *self._after)]
        with path.open("x", encoding="utf-8") as file:
            for line in lines:
                file.write(json.dumps(line) + "\n")


def complaint(path: Path) -> str:
    """Reason why the file is unusable, by its name; empty if it is whole.

    Args:
        path: path that `BlackBox.write` was given.
    """
    unknown = "what the gate did by itself is not known"
    try:
        lines = path.read_bytes().split(b"\n")
        if len(lines) < 2:
            return f"{path.name} is empty: {unknown}"
        if lines[-1]:
            return f"{path.name} is cut off: {unknown} to the end"
        for line in lines[:-1]:
            json.loads(line)
    except FileNotFoundError:
        return f"{path.name} is missing: {unknown}"
    except OSError as error:
        return f"{path.name} cannot be read ({error.strerror}): {unknown}"
    except ValueError:
        return f"{path.name} is damaged: {unknown} for certain"
    return ""


def _line(record: bytes) -> dict[str, Any]:
    """Cycle for a reader of the file; NaN, which JSON does not know, becomes null."""
    status = decode(record)
    verdict, feedback = status.verdict, status.feedback
    allowed = verdict.allowed
    return {
        "cycle": status.tick.index,
        "t_s": status.tick.t_s,
        "late_s": status.tick.late_s,
        "mode": verdict.mode.name,
        "action": verdict.action.name,
        "drives": verdict.drives.name,
        "heard": status.received,
        "allowed_length_m": None if allowed is None else list(allowed.length_m),
        "measured_length_m": [x if x == x else None for x in feedback.length_m],
        "measured_speed_m_s": [x if x == x else None for x in feedback.speed_m_s],
        "violations": [str(violation) for violation in verdict.violations],
        "faults": [str(fault) for fault in verdict.faults],
    }
