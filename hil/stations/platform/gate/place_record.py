"""Record of where the legs were left, written by the gate's process at its end.

The file is removed while the gate works. So a process that was killed leaves none, and an old
place is never taken for the newest one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from hil.config.files import write_whole

AT_REST_M_S: Final = 1e-3
"""Highest speed of a leg at rest [m/s]."""


class PlaceRecord:
    """File of where the legs were left.

    Args:
        path: path of the file; empty for no record at all.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path) if path else None

    def begin(self) -> None:
        """Remove the last place, because the legs may move from now on."""
        if self._path is not None:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)

    def end(self, length_m: Sequence[float], speed_m_s: Sequence[float]) -> None:
        """Write where the legs are.

        Args:
            length_m: last measured lengths, of this very cycle; empty if they were not measured.
            speed_m_s: speeds that were measured with them.
        """
        at_rest = length_m and all(abs(speed) <= AT_REST_M_S for speed in speed_m_s)
        if self._path is None or not at_rest:
            return
        with suppress(OSError):
            write_whole(self._path, json.dumps({"length_m": list(length_m)}).encode(), sync=False)
