"""Who jogs a robot: a script, the keys of a terminal, or handles that another process moves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError, RefusedError
from hil.stations.world.operator_motion_settings import JogStep, KeysSettings

if TYPE_CHECKING:
    from pathlib import Path

    from hil.desk.velocity.source import VelocitySource
    from hil.stations.world.operator_motion_settings import HandlesSettings

Array = NDArray[np.float64]

AXES: Final = ("x", "y", "z", "about_x", "about_y", "about_z")
"""In the order of deflections."""
SCREEN_M_S: Final = 0.05
"""Speed that handles say at full deflection; only its share of this counts."""
SCREEN_RAD_S: Final = math.radians(5.0)
"""Likewise the turn rate."""


@dataclass(frozen=True, slots=True, eq=False)
class JogWish:
    """What an operator wants now: shares of the full speed, -1 to 1."""

    joints: Array | None = None
    """Of each driven joint, shape (drives,); None if no joint is led."""
    tool: Array | None = None
    """Along and about x, y, z, shape (6,); None if the tool is not led."""


REST: Final = JogWish()
"""Nothing is wanted."""


class JogOperator(Protocol):
    """Somebody who jogs."""

    @property
    def end_reason(self) -> str:
        """Why he has ended it; empty while it lasts."""
        ...

    @property
    def duration_s(self) -> float | None:
        """How long it lasts [s]; None if nobody knows."""
        ...

    def wish(self, t_s: float) -> JogWish:
        """What he wants at a time that never goes back; never blocks."""
        ...

    def close(self) -> None:
        """Give back what he holds."""
        ...


class ScriptHand:
    """Steps one after the other.

    Args:
        places: of the joint of each step among the drives; None of one that leads none.
        drives: how many there are.
    """

    def __init__(self, steps: Sequence[JogStep], places: Sequence[int | None], drives: int) -> None:
        self._ends_s = list(accumulate(step.for_s for step in steps))
        self._wishes = [
            _step_wish(step, place, drives) for step, place in zip(steps, places, strict=True)
        ]
        self.duration_s: float = self._ends_s[-1] if steps else 0.0
        """How long it lasts [s]."""
        self.end_reason: str = ""
        """Why it has ended."""

    def wish(self, t_s: float) -> JogWish:
        """What the step at a time wants."""
        for end_s, wish in zip(self._ends_s, self._wishes, strict=True):
            if t_s < end_s - 1e-9:
                return wish
        self.end_reason = "the script is over"
        return REST

    def close(self) -> None:
        """Nothing is held."""


def _step_wish(step: JogStep, place: int | None, drives: int) -> JogWish:
    if place is not None:
        joints = np.zeros(drives)
        joints[place] = step.share
        return JogWish(joints=joints)
    if step.axis is not None:
        tool = np.zeros(6)
        tool[AXES.index(step.axis)] = step.share
        return JogWish(tool=tool)
    return REST


class VelocityHand:
    """Keys or handles: six deflections of joints, or of the tool.

    Args:
        source: of velocities, at full deflection `SCREEN_M_S` and `SCREEN_RAD_S`.
        places: among the drives of the joints that they lead, at most six; None for the tool.
        drives: how many there are.
    """

    duration_s: float | None = None
    """Nobody knows."""

    def __init__(self, source: VelocitySource, places: Sequence[int] | None, drives: int) -> None:
        self._source, self._places, self._drives = source, places, drives

    @property
    def end_reason(self) -> str:
        """Why it has ended."""
        return self._source.end_reason

    def wish(self, t_s: float) -> JogWish:
        """What is held now."""
        self._source.listen()
        twist = self._source.sample(t_s)
        if twist is None or twist.at_rest:
            return REST
        said = [*(twist.linear_m_s / SCREEN_M_S), *(twist.angular_rad_s / SCREEN_RAD_S)]
        shares = np.clip(said, -1.0, 1.0)
        if self._places is None:
            return JogWish(tool=shares)
        joints = np.zeros(self._drives)
        joints[list(self._places)] = shares[: len(self._places)]
        return JogWish(joints=joints)

    def close(self) -> None:
        """Give the terminal or the socket back."""
        self._source.close()


def velocity_source(
    by: KeysSettings | HandlesSettings, scenario: Path, now_s: Callable[[], float],
    keys_fd: int | None,
) -> VelocitySource:  # fmt: skip
    """Keys of a terminal, or handles of another process.

    Args:
        scenario: its file, in whose folder socket and token are.
        keys_fd: descriptor of the terminal; None for that in which the program was started.

    Raises:
        RefusedError: if it is not there; nothing has moved.
        ConfigError: if socket or token are elsewhere.
    """
    import sys

    from hil.desk.velocity.keyboard import KeyboardSource, Terminal  # Linux only
    from hil.desk.velocity.listener import own_places
    from hil.desk.velocity.remote import RemoteSource
    from hil.desk.velocity.source import SourceUnavailableError

    try:
        if isinstance(by, KeysSettings):
            terminal = Terminal(sys.stdin.fileno() if keys_fd is None else keys_fd)
            return KeyboardSource(terminal, SCREEN_M_S, SCREEN_RAD_S, now_s=now_s)
        address, token = own_places(by.listen, by.token_file, scenario)
        return RemoteSource(address, token, now_s=now_s, age_max_s=by.age_max_s)
    except ConfigError:
        raise
    except (SourceUnavailableError, OSError, ValueError) as error:
        raise RefusedError(f"nothing has moved: {error}") from None
