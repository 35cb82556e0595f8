"""Operators who jog a robot: a script, the keys of a terminal, or another process's handles."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError, RefusedError
from hil.stations.world.plan.operator_motions import JogStep, KeysSettings

if TYPE_CHECKING:
    from pathlib import Path

    from hil.desk.velocity.source import VelocitySource
    from hil.stations.world.plan.operator_motions import HandlesSettings

Array = NDArray[np.float64]

AXES: Final = ("x", "y", "z", "about_x", "about_y", "about_z")
"""Axes of the tool in the order of deflections."""
SCREEN_M_S: Final = 0.05
"""Speed that handles send at full deflection [m/s]; only its share of this counts."""
SCREEN_RAD_S: Final = math.radians(5.0)
"""Turn rate that handles send at full deflection [rad/s]; only its share of this counts."""


@dataclass(frozen=True, slots=True, eq=False)
class JogCommand:
    """Command of an operator: shares of the full speed, -1 to 1."""

    joints: Array | None = None
    """Share of each driven joint, shape (drives,); None if no joint is led."""
    tool: Array | None = None
    """Shares along and about x, y, z, shape (6,); None if the tool is not led."""


REST: Final = JogCommand()
"""Command to rest."""


class JogOperator(Protocol):
    """Operator who jogs."""

    @property
    def end_reason(self) -> str:
        """Reason why he has ended it; empty while it lasts."""
        ...

    @property
    def duration_s(self) -> float | None:
        """Duration [s]; None if nobody knows."""
        ...

    def request(self, t_s: float) -> JogCommand:
        """Command at a time that never goes back; never blocks."""
        ...

    def close(self) -> None:
        """Release what it holds."""
        ...


class ScriptOperator:
    """Script of steps, one after the other.

    Args:
        places: place of each step's joint among the drives; None for a step that leads none.
        drives: number of drives.
    """

    def __init__(self, steps: Sequence[JogStep], places: Sequence[int | None], drives: int) -> None:
        self._ends_s = list(accumulate(step.for_s for step in steps))
        self._commands = [
            _command_of_step(step, place, drives) for step, place in zip(steps, places, strict=True)
        ]
        self.duration_s: float = self._ends_s[-1] if steps else 0.0
        """Duration [s]."""
        self.end_reason: str = ""
        """Reason why it has ended; empty while it lasts."""

    def request(self, t_s: float) -> JogCommand:
        """Command of the step at a time."""
        for end_s, command in zip(self._ends_s, self._commands, strict=True):
            if t_s < end_s - 1e-9:
                return command
        self.end_reason = "the script is over"
        return REST

    def close(self) -> None:
        """Do nothing: no resource is held."""


def _command_of_step(step: JogStep, place: int | None, drives: int) -> JogCommand:
    if place is not None:
        joints = np.zeros(drives)
        joints[place] = step.share
        return JogCommand(joints=joints)
    if step.axis is not None:
        tool = np.zeros(6)
        tool[AXES.index(step.axis)] = step.share
        return JogCommand(tool=tool)
    return REST


class VelocityOperator:
    """Operator at keys or handles: six deflections of joints, or of the tool.

    Args:
        source: source of velocities, at full deflection `SCREEN_M_S` and `SCREEN_RAD_S`.
        places: places of the led joints among the drives, at most six; None for the tool.
        drives: number of drives.
    """

    duration_s: float | None = None
    """Duration, which nobody knows."""

    def __init__(self, source: VelocitySource, places: Sequence[int] | None, drives: int) -> None:
        self._source, self._places, self._drives = source, places, drives

    @property
    def end_reason(self) -> str:
        """Reason why it has ended; empty while it lasts."""
        return self._source.end_reason

    def request(self, t_s: float) -> JogCommand:
        """Command by the present deflections."""
        self._source.listen()
        twist = self._source.sample(t_s)
        if twist is None or twist.at_rest:
            return REST
        said = [*(twist.linear_m_s / SCREEN_M_S), *(twist.angular_rad_s / SCREEN_RAD_S)]
        shares = np.clip(said, -1.0, 1.0)
        if self._places is None:
            return JogCommand(tool=shares)
        joints = np.zeros(self._drives)
        joints[list(self._places)] = shares[: len(self._places)]
        return JogCommand(joints=joints)

    def close(self) -> None:
        """Release the terminal or the socket."""
        self._source.close()


def velocity_source(
    by: KeysSettings | HandlesSettings, scenario: Path, now_s: Callable[[], float],
    keys_fd: int | None,
) -> VelocitySource:  # fmt: skip
    """Open the keys of a terminal, or the handles of another process.

    Args:
        scenario: file of the scenario, in whose folder socket and token are.
        keys_fd: descriptor of the terminal; None for that in which the program was started.

    Raises:
        RefusedError: if it does not exist; nothing has moved.
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
