"""What passes between the desk's mind and those who carry for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from hil.desk.order import Six


@dataclass(frozen=True, slots=True)
class DeskFacts:
    """What a client is told of the run.

    Args:
        header_bytes: size of the run's header in its memory file.
        period_s: cycle time [s].
        station: whose run it is.
        bench: name of the run.
        dead_man: what keeps the motion alive.
    """

    header_bytes: int
    period_s: float
    station: Literal["platform", "arm"]
    bench: str
    dead_man: Literal["hold", "presence"] = "hold"


@dataclass(frozen=True, slots=True)
class Packet:
    """Something to be sent to a client; the descriptors of `Welcome` go along if so marked."""

    client: int
    data: bytes
    with_descriptors: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """Something to be proved before it becomes an order.

    Args:
        client: who asks.
        id: number of its question.
        pose: the pose, for a target; None for a motion.
        table: the ``[motion]`` table, for a motion; None for a target.
    """

    client: int
    id: int
    pose: Six | None = None
    table: dict[str, Any] | None = None
