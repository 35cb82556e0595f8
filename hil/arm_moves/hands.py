"""The operator of a robot that moves alone: a key held in a terminal, or nobody in a dry run."""

import sys
from typing import Final, Protocol

from hil.arm_sources.keyboard import HeldKeys, Terminal
from hil.arm_sources.source import SourceUnavailableError
from hil.clock import Clock, VirtualClock
from hil.console import RefusedError

HOLD_KEY: Final = " "
HELP: Final = ("space  hold: it moves, let go: it rests on its way      q  end",)
"""The keys, for the operator."""
DRY_NOTE: Final = "dry run: nobody holds a dead-man; the move counts as held from beginning to end"


class Hand(Protocol):
    """An operator who holds a move, or lets it go."""

    @property
    def held(self) -> bool:
        """Whether the move is held to run, as heard last."""
        ...

    @property
    def end_reason(self) -> str:
        """Why the operator has ended it; empty while it lasts."""
        ...

    def listen(self) -> None:
        """Take note of what the operator does now; never blocks."""
        ...

    def close(self) -> None:
        """Give back what it holds. More than once does no harm."""
        ...


class AlwaysHeld:
    """Nobody: a move that is looked at, not made."""

    held = True
    end_reason = ""

    def listen(self) -> None:
        """Nothing to hear."""

    def close(self) -> None:
        """Nothing to give back."""


class HeldKey:
    """One key that is held.

    Args:
        keys: of the terminal; closed with this.
        key: which.
    """

    def __init__(self, keys: HeldKeys, key: str = HOLD_KEY) -> None:
        self._keys, self._key = keys, key

    @property
    def held(self) -> bool:
        """Whether the key counts as held now."""
        return self._keys.fresh(self._key)

    @property
    def end_reason(self) -> str:
        """Why it has ended; empty while it lasts."""
        return self._keys.end_reason

    def listen(self) -> None:
        """Note the keys typed since the last look."""
        self._keys.listen()

    def close(self) -> None:
        """Give the terminal back as it was found."""
        self._keys.close()


def hand_for(clock: Clock, fd: int | None = None) -> Hand:
    """The operator of a move to a place: who holds the space key, or nobody in a dry run.

    Args:
        clock: of the move.
        fd: of the terminal; standard input if left out.

    Raises:
        RefusedError: in real time without a terminal: then nobody could hold it.
    """
    if isinstance(clock, VirtualClock):
        return AlwaysHeld()
    return HeldKey(terminal_keys(clock, HOLD_KEY, fd=fd))


def terminal_keys(clock: Clock, keys: str, *, fd: int | None = None) -> HeldKeys:
    """Keys of the terminal that the program was started in.

    Raises:
        RefusedError: if there is none.
    """
    try:
        terminal = Terminal(sys.stdin.fileno() if fd is None else fd)
    except (SourceUnavailableError, OSError, ValueError) as error:
        raise RefusedError(
            f"nothing has moved: the move has to be held, and there is no terminal for that: "
            f"{error}; without a robot: --clock virtual"
        ) from None
    return HeldKeys(terminal, keys, now_s=clock.now_s)
