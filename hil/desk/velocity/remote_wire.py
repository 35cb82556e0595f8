"""Lines of the `remote` source's wire: one JSON object each.

The listener begins with `{"nonce": "..."}`. The writer answers with `{"proof": "..."}`, the
HMAC-SHA256 of the nonce under the token, as at a run's desk: the token itself is never sent. Each
line after it is a set-point:

    {"seq": 17, "t_s": 5021.338, "linear_m_s": [0.02, 0, 0], "angular_rad_s": [0, 0, 0],
     "frame": "gripper"}

`seq` rises from line to line. `t_s` is the writer's monotonic clock (CLOCK_MONOTONIC, one for all
processes of a machine) when it wrote the line. `{"seq": 18, "end": true}` ends the motion.
"""

import math
from dataclasses import dataclass
from typing import Any, Final, cast

import orjson

from hil.desk.velocity.source import FRAMES, Twist

LINE_MAX: Final = 512
"""Bytes of the longest line, its end not counted."""
SEQUENCE_MAX: Final = 2**53


@dataclass(frozen=True, slots=True)
class VelocityOrder:
    """A set-point as it was written."""

    sequence: int
    written_s: float
    """Time of writing, by the clock of this machine [s]; 0 for the end of the motion."""
    twist: Twist | None
    """Wanted velocity; None ends the motion."""


def line_of(said: dict[str, object]) -> bytes:
    """A line to send."""
    return orjson.dumps(said) + b"\n"


def parse_word(line: bytes, key: str) -> str | None:
    """The text of a line that says one thing, a nonce or a proof; None for any other line."""
    said = _json(line)
    if said is None or set(said) != {key} or not isinstance(said[key], str):
        return None
    return said[key]


def parse_order(line: bytes) -> VelocityOrder | None:
    """Read one set-point; None for anything that is not exactly one."""
    said = _json(line)
    if said is None:
        return None
    sequence = said.get("seq")
    if type(sequence) is not int or not 0 <= sequence <= SEQUENCE_MAX:
        return None
    if set(said) == {"seq", "end"}:
        return VelocityOrder(sequence, 0.0, None) if said["end"] is True else None
    if set(said) != {"seq", "t_s", "linear_m_s", "angular_rad_s", "frame"}:
        return None
    if not _is_number(said["t_s"]) or said["frame"] not in FRAMES:
        return None
    vectors = (said["linear_m_s"], said["angular_rad_s"])
    if not all(isinstance(v, list) and len(v) == 3 and all(map(_is_number, v)) for v in vectors):
        return None
    return VelocityOrder(sequence, float(said["t_s"]), Twist(*vectors, said["frame"]))


def _json(line: bytes) -> dict[str, Any] | None:
    try:
        said = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return cast("dict[str, Any]", said) if isinstance(said, dict) else None


def _is_number(value: object) -> bool:
    # Far beyond any velocity or stamp, and squares of it are still finite.
    return (
        type(value) in (int, float)
        and abs(cast("float", value)) < 1e12
        and math.isfinite(cast("float", value))
    )
