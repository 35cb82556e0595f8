"""State of the operation for panels: tempo, motion in force, refused presses, the run's end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import orjson

from hil.desk.order import NO_PRESSES
from hil.desk.run_end import RunEnd

OPERATION_KIND: Final = 3
"""Entries of telemetry that hold an `Operation`; 1 and 2 are the cycles and events of
`hil.recording`."""
OPERATION_MAX_BYTES: Final = 1000
"""An entry of telemetry holds a little more."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Report that something an operator ordered was not done."""

    why: str = ""
    """Reason as half a sentence; empty if all was done."""
    button: str = ""
    """Name of the button that was pressed; empty if it was no press."""
    serial: int = 0
    """Number of the motion that was ordered; 0 if it was none."""

    def __bool__(self) -> bool:
        return bool(self.why)

    def __str__(self) -> str:
        what = f"motion {self.serial}" if self.serial else self.button.upper()
        return f"{what}: {self.why}" if self.why else ""

    @classmethod
    def from_mapping(cls, raw: Mapping[str, Any]) -> Refusal:
        """Read one back out of JSON.

        Raises:
            KeyError, TypeError, ValueError: if it is none.
        """
        return cls(str(raw["why"]), str(raw["button"]), int(raw["serial"]))


DONE: Final = Refusal()
"""Nothing was refused."""


@dataclass(frozen=True, slots=True)
class Operation:
    """The operation as control has it."""

    override: float = 1.0
    """The tempo now, 0 to 1."""
    held: bool = False
    """Whether hold-to-run counts as pressed."""
    playing: str = ""
    """``"play"``, ``"pose"`` or empty."""
    motion_serial: int = 0
    """Number of the motion in force."""
    motion_t_s: float = 0.0
    """Time of the platform in that motion [s]."""
    refused: Refusal = DONE
    """Last order that was not done."""
    seen: tuple[int, ...] = NO_PRESSES
    """Presses taken so far, one counter per `Button`."""
    dead_man: str = "hold"
    """``"hold"`` or ``"presence"``."""
    end: RunEnd | None = None
    """The end of the run, once it is under way; None before."""
    cause: Mapping[str, Any] | None = None
    """What the bench stopped for first: ``check``, ``leg``, ``value``, ``low``, ``limit``, ``unit``
    and ``message`` of the violation; None if nothing is latched."""
    clear: bool = True
    """Whether that is gone, so that a reset works."""
    stalled: bool = False
    """Whether nothing but a stall of the computer stopped it: one press leads back."""

    def to_bytes(self) -> bytes:
        """Return JSON of at most `OPERATION_MAX_BYTES`; words too long for that lose their ends.

        Raises:
            TypeError: if a field is of another type than it should be.
        """
        longest = OPERATION_MAX_BYTES
        encoded = self._encode(longest)
        while len(encoded) > OPERATION_MAX_BYTES and longest:
            longest = longest * 3 // 4
            encoded = self._encode(longest)
        return encoded

    def _encode(self, longest: int) -> bytes:
        """JSON with no words of more than so many characters."""
        end = self.end
        if end is not None:
            end = replace(
                end, why=_printable(end.why, longest), waits=_printable(end.waits, longest)
            )
        cause = self.cause
        if cause is not None:
            cause = {**cause, "message": _printable(str(cause["message"]), longest)}
        return orjson.dumps(
            {
                "override": self.override,
                "held": self.held,
                "playing": self.playing,
                "motion_serial": self.motion_serial,
                "motion_t_s": self.motion_t_s,
                "refused": {
                    "why": _printable(self.refused.why, longest),
                    "button": self.refused.button,
                    "serial": self.refused.serial,
                },
                "seen": self.seen,
                "dead_man": self.dead_man,
                "end": None if end is None else end.to_mapping(),
                "cause": cause,
                "clear": self.clear,
                "stalled": self.stalled,
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
                refused=Refusal.from_mapping(raw["refused"]),
                seen=tuple(int(count) for count in raw["seen"]),
                dead_man=str(raw["dead_man"]),
                end=None if raw["end"] is None else RunEnd.from_mapping(raw["end"]),
                cause=None if raw["cause"] is None else {"message": "", **raw["cause"]},
                clear=bool(raw["clear"]),
                stalled=bool(raw["stalled"]),
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"not an operation: {error!r} in {raw!r:.200}") from error


def _printable(words: str, longest: int) -> str:
    """Shorten to so many characters, with one that says that others were left out."""
    # A stray byte of a file name in a system's error has no form in UTF-8.
    words = words.encode("utf-8", "replace").decode("utf-8")
    return words if len(words) <= longest else f"{words[:longest]}…"
