"""What control tells of the operation: tempo, motion in force, and why a press did nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from hil.desk.order import NO_PRESSES

OPERATION_MAX_BYTES: Final = 1000
"""An entry of telemetry holds a little more."""


@dataclass(frozen=True, slots=True)
class Operation:
    """The operation as control has it.

    Args:
        override: the tempo now, 0 to 1.
        held: whether hold-to-run counts as pressed.
        playing: ``"play"``, ``"pose"`` or empty.
        motion_serial: number of the motion in force.
        motion_t_s: where in it the platform is [s].
        refused: why the last press did nothing; empty if it did.
        seen: presses taken so far, one counter per `Button`.
        dead_man: ``"hold"`` or ``"presence"``.
    """

    override: float = 1.0
    held: bool = False
    playing: str = ""
    motion_serial: int = 0
    motion_t_s: float = 0.0
    refused: str = ""
    seen: tuple[int, ...] = NO_PRESSES
    dead_man: str = "hold"

    def to_bytes(self) -> bytes:
        """Return JSON of at most `OPERATION_MAX_BYTES`; a reason too long for that loses its end.

        Raises:
            TypeError: if a field is of another type than it should be.
        """
        encoded = self._encode(self.refused)
        kept = self.refused[:OPERATION_MAX_BYTES]
        while len(encoded) > OPERATION_MAX_BYTES and kept:
            kept = kept[: len(kept) * 3 // 4]
            encoded = self._encode(kept + "…")
        return encoded

    def _encode(self, refused: str) -> bytes:
        return orjson.dumps(
            {
                "override": self.override,
                "held": self.held,
                "playing": self.playing,
                "motion_serial": self.motion_serial,
                "motion_t_s": self.motion_t_s,
                # A stray byte of a file name in a system's error has no form in UTF-8.
                "refused": refused.encode("utf-8", "replace").decode("utf-8"),
                "seen": self.seen,
                "dead_man": self.dead_man,
            }
        )

    @classmethod
    def from_bytes(cls, payload: bytes | memoryview) -> Operation:
        """Read an operation back.

        Raises:
            ValueError: if it is not one (a missing key is named).
        """
        raw: Mapping[str, Any] = orjson.loads(payload)
        try:
            return cls(
                override=float(raw["override"]),
                held=bool(raw["held"]),
                playing=str(raw["playing"]),
                motion_serial=int(raw["motion_serial"]),
                motion_t_s=float(raw["motion_t_s"]),
                refused=str(raw["refused"]),
                seen=tuple(int(count) for count in raw["seen"]),
                dead_man=str(raw["dead_man"]),
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"not an operation: {error!r} in {raw!r:.200}") from error
