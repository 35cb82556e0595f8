"""The operator of a robot that moves alone: a key held in a terminal, or nobody in a dry run."""

import sys
from typing import Final, Protocol

from hil.config.errors import RefusedError
from hil.desk.velocity.keyboard import KEYS, PAIRS, KeyHold, Terminal
from hil.desk.velocity.source import SourceUnavailableError
from hil.timing.clock import Clock, VirtualClock

HOLD_KEY: Final = " "
HELP: Final = ("space  hold: it moves, let go: it rests on its way      q  end",)
DRY_NOTE: Final = "dry run: nobody holds a dead-man; the move counts as held from beginning to end"


def jog_help(axes: str, step: float | None) -> tuple[str, ...]:
    """Return the keys that jog, for the operator.

    Args:
        step: mm or degrees of one press; None if it moves while a key is held.
    """
    how = "moves while its key is held" if step is None else f"a press is a step of {step:g}"
    if axes == "joint":
        pairs = "  ".join(
            f"{keys}  joint {number}" for number, keys in enumerate(map("/".join, PAIRS), 1)
        )
        return (pairs, f"{how} (deg)" if step else how, "q  end")
    names = ("x", "y", "z", "about x", "about y", "about z")
    pairs = "  ".join(
        f"{keys}  {name}" for keys, name in zip(map("/".join, PAIRS), names, strict=True)
    )
    return (f"{pairs}  of the {axes}, + / -", f"{how} (mm, deg)" if step else how, "q  end")


class Hand(Protocol):
    """An operator who holds a move, or lets it go."""

    @property
    def held(self) -> bool:
        """Whether the move is held to run, by the last poll."""
        ...

    @property
    def end_reason(self) -> str:
        """Reason why the operator has ended it; empty while it lasts."""
        ...

    def listen(self) -> None:
        """Take note of what the operator does now; never blocks."""

    def close(self) -> None:
        """Give back what it holds. More than once does no harm."""


class AlwaysHeld:
    """Operator of a dry run: nobody holds a move that is only simulated."""

    held = True
    end_reason = ""

    def listen(self) -> None:
        """Do nothing: there are no keys."""

    def close(self) -> None:
        """Do nothing: there is no terminal."""


class HeldKey:
    """The space key that is held; the keys of the terminal are closed with it."""

    def __init__(self, keys: KeyHold) -> None:
        self._keys = keys

    @property
    def held(self) -> bool:
        """Whether the move counts as held now."""
        return self._keys.fresh(HOLD_KEY)

    @property
    def end_reason(self) -> str:
        """Reason why it has ended; empty while it lasts."""
        return self._keys.end_reason

    def listen(self) -> None:
        """Note the keys typed since the last poll."""
        self._keys.listen()

    def close(self) -> None:
        """Give the terminal back as it was found."""
        self._keys.close()


class KeyJogOperator(HeldKey):
    """Keys that jog: the robot moves while one is held or, if stepping, by a step at a press."""

    def __init__(self, keys: KeyHold, *, stepping: bool) -> None:
        super().__init__(keys)
        self._stepping = stepping
        self._press: tuple[int, float] | None = None
        self._busy = False
        self.stopped = False
        """Whether the current step is to stop: any press does that."""

    @property
    def direction(self) -> tuple[int, float] | None:
        """Axis, 0 to 5, and sign of the key typed last, if it is held."""
        held = self._keys.held
        return KEYS.get(held[-1]) if held else None

    @property
    def held(self) -> bool:
        """Whether motion is requested, or a step is in progress."""
        if self._stepping:
            return self._busy or self._press is not None
        return self.direction is not None

    def take_press(self) -> tuple[int, float] | None:
        """Take axis and sign of a key pressed since the last call; None if none was."""
        press, self._press = self._press, None
        return press

    def busy(self, moving: bool) -> None:
        """Note whether a step is in progress."""
        self._busy = moving
        self.stopped = self.stopped and moving

    def listen(self) -> None:
        """Note the keys typed since the last poll."""
        self._keys.listen()
        key = self._keys.take_press()
        if key and self._busy:
            self.stopped = True
        elif key in KEYS:
            self._press = KEYS[key]


def open_jog_operator(clock: Clock, *, stepping: bool, fd: int | None = None) -> KeyJogOperator:
    """Make the operator who jogs; raises RefusedError on the virtual clock or without terminal."""
    if isinstance(clock, VirtualClock):
        raise RefusedError("jogging takes an operator, who lives in real time: --clock real")
    return KeyJogOperator(terminal_keys(clock, "".join(KEYS) + HOLD_KEY, fd=fd), stepping=stepping)


def open_operator(clock: Clock, fd: int | None = None) -> Hand:
    """Return the operator of a move to a place: who holds the space key, or nobody in a dry run.

    Raises:
        RefusedError: in real time without a terminal: then nobody could hold it.
    """
    if isinstance(clock, VirtualClock):
        return AlwaysHeld()
    return HeldKey(terminal_keys(clock, HOLD_KEY, fd=fd))


def terminal_keys(clock: Clock, keys: str, *, fd: int | None = None) -> KeyHold:
    """Return the keys of the terminal that the program was started in.

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
    return KeyHold(terminal, keys, now_s=clock.now_s)
