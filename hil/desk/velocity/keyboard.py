"""Moving the gripper from the keyboard of a terminal, hold-to-run.

A terminal reports presses and repeats, never releases, and repeats only the key pressed last. So a
key counts as held for `hold_s` after each of its characters; between the first and the second one a
terminal waits (often 0.5 s, see `xset r rate`), and the gripper rests there: that is the price of
stopping soon after every release. Characters typed while nobody listened for `STALL_S`, or before
the first listening, are thrown away: nobody holds those keys any more.
"""

import math
import os
import re
import select
import termios
import tty
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from hil.desk.velocity.source import (
    Array,
    Frame,
    SourceError,
    SourceUnavailableError,
    Twist,
    TwistSource,
)

PAIRS = ("ws", "ad", "rf", "uo", "ik", "jl")
"""Keys for more and less of x, y, z and about x, y, z."""
KEYS = {
    key: (axis, sign)
    for axis, pair in enumerate(PAIRS)
    for key, sign in zip(pair, (1.0, -1.0), strict=True)
}
"""Key to coordinate (x, y, z, about x, y, z) and sign."""
HELP = (
    "w / s  forward / back    u / o  roll",
    "a / d  left / right      i / k  pitch",
    "r / f  up / down         j / l  yaw",
    "space  stop at once      q      end",
)
NUMBERS = tuple("123456789")
"""Keys that press a button, where there are buttons."""
STOP_KEY = " "
END_KEY = "q"

HOLD_S = 0.2
"""Time for which a key counts as held after each of its characters [s]."""
QUIET_S = 0.8
"""A key not typed for so long is pressed anew: terminals repeat one after 0.66 s at most [s]."""
STALL_S = 1.0
"""Longer pauses between two looks make what was typed meanwhile stale."""
READ_MAX = 1024
"""Characters taken per look; more than anybody types until the next."""

# Cursor and function keys come as sequences whose letters are no keys; one may be cut at the end.
_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|[^\[O])", re.DOTALL)
_CUT_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|O)?\Z")


class Terminal:
    """A terminal that gives characters at once and without echo, until it is closed.

    Args:
        fd: its file descriptor, which is not closed here.

    Raises:
        SourceUnavailableError: if it is no terminal.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        try:
            self._before: list[Any] | None = termios.tcgetattr(fd)
            tty.setcbreak(fd, termios.TCSANOW)
        except (termios.error, OSError) as error:
            raise SourceUnavailableError(
                f"keyboard: file descriptor {fd} is no terminal ({error}): "
                "start the run in a terminal, with its standard input left alone"
            ) from error

    def read(self) -> str | None:
        """Return what was typed since the last time, "" for nothing, None when it is gone."""
        try:
            if not select.select([self._fd], [], [], 0.0)[0]:
                return ""
            typed = os.read(self._fd, READ_MAX)
        except (OSError, ValueError):
            return None
        return typed.decode("latin-1") if typed else None

    def discard(self) -> None:
        """Throw away what was typed and not read."""
        try:
            termios.tcflush(self._fd, termios.TCIFLUSH)
        except (termios.error, OSError):
            return  # it is gone; the next read says so

    def close(self) -> None:
        """Give the terminal back as it was found."""
        before, self._before = self._before, None
        if before is None:
            return
        try:
            termios.tcsetattr(self._fd, termios.TCSANOW, before)
        except (termios.error, OSError):
            return  # it is gone, with nothing left to restore


class KeyHold:
    """Keys of a terminal that are held now.

    Args:
        hold_s: time for which a key counts as held after each of its characters [s].

    Raises:
        SourceError: if that time is none.
    """

    def __init__(
        self,
        terminal: Terminal,
        keys: Collection[str],
        *,
        now_s: Callable[[], float],
        hold_s: float = HOLD_S,
    ) -> None:
        if not 0.0 < hold_s <= STALL_S:
            raise SourceError(f"keyboard: hold_s = {hold_s} s outside (0, {STALL_S:g}] s")
        self._terminal = terminal
        self._keys = frozenset(keys)
        self._now_s = now_s
        self._hold_s = hold_s
        self._pressed_s: dict[str, float] = {}
        self._press = ""
        self._cut = ""
        self._looked_s: float | None = None
        self.end_reason = ""
        """Why the operator has ended it; empty while it lasts."""

    @property
    def held(self) -> list[str]:
        """Keys that count as held now, the one typed last at the end."""
        if self.end_reason:
            return []
        return sorted(filter(self.fresh, self._pressed_s), key=self._pressed_s.__getitem__)

    def fresh(self, key: str) -> bool:
        """Whether a key counts as held now."""
        age_s = self._now_s() - self._pressed_s.get(key, -math.inf)
        return not self.end_reason and 0.0 <= age_s < self._hold_s

    def take_press(self) -> str:
        """The key that was pressed anew since the last call, after `QUIET_S` without it; or none.

        A terminal repeats a key that is held, the first time after a while: that is no press.
        """
        press, self._press = self._press, ""
        return press

    def listen(self) -> None:
        """Note the keys typed since the last look, as pressed now."""
        if self.end_reason:
            return
        now_s = self._now_s()
        if self._looked_s is None or now_s - self._looked_s > STALL_S:
            self._terminal.discard()
            self._pressed_s.clear()
        self._looked_s = now_s
        self._take(self._terminal.read(), now_s)

    def _take(self, typed: str | None, now_s: float) -> None:
        if typed is None:
            self.end_reason = "the terminal is gone"
            return
        plain = _SEQUENCE.sub("", self._cut + typed)
        cut = _CUT_SEQUENCE.search(plain)
        self._cut = cut.group()[:16] if cut else ""
        for key in plain[: cut.start()] if cut else plain:
            if key == END_KEY:
                self.end_reason = f"ended with the key {END_KEY}"
            elif key in self._keys:
                if now_s - self._pressed_s.get(key, -math.inf) > QUIET_S:
                    self._press = key
                self._pressed_s[key] = now_s
            elif key == STOP_KEY:
                self._pressed_s.clear()

    def close(self) -> None:
        """Give the terminal back as it was found."""
        self._terminal.close()


class KeyboardSource(TwistSource):
    """Keys held in a terminal as a velocity; the terminal is closed with it.

    Args:
        linear_m_s: speed along each axis while its key is held [m/s].
        angular_rad_s: turn rate about each axis while its key is held [rad/s].
        hold_s: time for which a key counts as held after each of its characters [s].
        press: told the number of a key 1 to 9 that is pressed; None if they mean nothing.
    """

    def __init__(
        self,
        terminal: Terminal,
        linear_m_s: float,
        angular_rad_s: float,
        *,
        now_s: Callable[[], float],
        frame: Frame = "gripper",
        hold_s: float = HOLD_S,
        press: Callable[[int], object] | None = None,
    ) -> None:
        super().__init__(frame)
        self._press = press
        keys = KEYS if press is None else (*KEYS, *NUMBERS)
        self._keys = KeyHold(terminal, keys, now_s=now_s, hold_s=hold_s)
        self._speeds = np.array([linear_m_s] * 3 + [angular_rad_s] * 3)

    @property
    def held(self) -> bool:
        """Whether a key that moves counts as held."""
        return bool(self._moving)

    @property
    def _moving(self) -> list[str]:
        return [key for key in self._keys.held if key in KEYS]

    def _listen(self) -> None:
        self._keys.listen()
        self.end_reason = self._keys.end_reason
        if self._press is not None and (key := self._keys.take_press()) in NUMBERS:
            self._press(int(key))

    def _velocity(self) -> Twist:
        wanted = self._speeds * self._signs()
        return Twist(wanted[:3], wanted[3:], self._frame)

    def _signs(self) -> Array:
        """Sum of the signs of the keys held, shape (6,); opposite ones cancel."""
        signs = np.zeros(6)
        for key in self._moving:
            axis, sign = KEYS[key]
            signs[axis] += sign
        return signs

    def close(self) -> None:
        """Give the terminal back as it was found."""
        self._keys.close()
