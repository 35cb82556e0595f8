"""Two three-axis handles on the screen, as velocities that an arm station listens to.

Each of six axes has a deflection of -1 to 1: from pads drawn with a mouse, from keys, and from a
gamepad if there is one. What is let go is zero, and so is everything as soon as the window loses
the keyboard. The writer sends thirty times a second, zeros as well; the listener takes silence for
zero, so a panel that freezes stops the gripper within the listener's bound.
"""

import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import orjson

from hil.panel.scenarios.models.launch import RemoteAddress
from hil.stations.arm.sources.evdev_handles import open_handles
from hil.stations.arm.sources.gamepad import AXIS_COUNT, GamepadSource, Handles, HandleShape
from hil.stations.arm.sources.source import Frame, SourceUnavailableError, Twist

KEYS: Final[dict[str, tuple[int, float]]] = {
    "W": (0, 1.0), "S": (0, -1.0), "A": (1, 1.0), "D": (1, -1.0), "Q": (2, 1.0), "E": (2, -1.0),
    "U": (3, 1.0), "O": (3, -1.0), "I": (4, 1.0), "K": (4, -1.0), "J": (5, 1.0), "L": (5, -1.0),
}  # fmt: skip
"""Key → axis (x, y, z, about x, y, z) and sign: the left hand moves, the right one turns."""
GAMEPAD_AXES: Final = ("ABS_Y", "ABS_X", "ABS_HAT0Y", "ABS_HAT0X", "ABS_RY", "ABS_RX")
GAMEPAD_SIGNS: Final = (-1.0, -1.0, -1.0, 1.0, 1.0, -1.0)
GAMEPAD_HOLD: Final = "BTN_TL"
CONNECT_EVERY_S: Final = 0.2


class HandlesModel:
    """Deflections of the six axes, from all inputs.

    Args:
        shape: how deflections become velocities.
        frame: whose axes the handles are along.
    """

    def __init__(self, shape: HandleShape, frame: Frame = "gripper") -> None:
        self.shape = shape
        self.frame: Frame = frame
        self._pads = [0.0] * AXIS_COUNT
        self._keys: dict[int, str] = {}
        self._gamepad: GamepadSource | None = None
        self.gamepad_error = ""
        """Why there is no gamepad, or none any more; empty if there is one or none was asked."""

    @property
    def deflections(self) -> tuple[float, ...]:
        """Deflection of each axis by pads and keys, -1 to 1."""
        total = list(self._pads)
        for axis, sign in (KEYS[name] for name in {*self._keys.values()} & KEYS.keys()):
            total[axis] += sign
        return tuple(min(max(value, -1.0), 1.0) for value in total)

    def pad(self, axis: int, value: float) -> None:
        """Deflect an axis by mouse; what is no number or too far is none, or the end."""
        self._pads[axis] = min(max(value, -1.0), 1.0) if value == value else 0.0

    def press(self, place: int, name: str) -> bool:
        """Take a key that goes down.

        Args:
            place: which key it is, whatever it is called when it comes up.
            name: what it is called now.

        Returns:
            Whether it is one of the handles'.
        """
        self._keys[place] = name.upper()
        return name.upper() in KEYS

    def let_go(self, place: int) -> None:
        """Take a key that comes up; one that never went down means that something was missed.

        Then no key counts as pressed any more.
        """
        if self._keys.pop(place, None) is None:
            self._keys.clear()

    def release(self) -> None:
        """Let go of everything: the window lost the keyboard, or is hidden."""
        self._keys.clear()
        self._pads = [0.0] * AXIS_COUNT

    def open_gamepad(self, device: str, now_s: Callable[[], float]) -> bool:
        """Take a gamepad in, by its path or a part of its name.

        Returns:
            Whether there is one; `gamepad_error` says why not.
        """
        try:
            self.use_gamepad(open_handles(device, GAMEPAD_AXES, GAMEPAD_HOLD, now_s=now_s))
        except SourceUnavailableError as error:
            self.gamepad_error = str(error)
            return False
        return True

    def use_gamepad(self, handles: Handles) -> None:
        """Take a device in; it moves nothing before it was seen at rest, nor without its button."""
        self.close_gamepad()
        shape = HandleShape(
            self.shape.linear_m_s, self.shape.angular_rad_s, self.shape.dead_zone,
            self.shape.expo, GAMEPAD_SIGNS,
        )  # fmt: skip
        self._gamepad, self.gamepad_error = GamepadSource(handles, shape, self.frame), ""

    def close_gamepad(self) -> None:
        """Give a gamepad back, if there is one."""
        if self._gamepad is not None:
            self._gamepad.close()
        self._gamepad = None

    def twist(self) -> Twist:
        """The velocity wanted now; that of the screen's handles while any of them is deflected."""
        screen = self.shape.twist(self.deflections, self.frame)
        if self._gamepad is None:
            return screen
        wanted = self._gamepad.sample(0.0)
        if wanted is None:
            self.gamepad_error = self._gamepad.end_reason
            self.close_gamepad()
            return screen
        return wanted if screen.at_rest else screen


class RemoteWriter:
    """The end of an arm station's `remote` source that writes; nothing in it waits.

    Args:
        address: where the station listens.
        token: what it wants to hear first.
        now_s: monotonic time [s] of this machine's clock.
    """

    def __init__(self, address: Path, token: str, now_s: Callable[[], float]) -> None:
        self._address, self._token, self._now_s = address, token, now_s
        self._socket: socket.socket | None = None
        self._unsent = b""
        self._sequence = 0
        self._tried_s = -float("inf")

    @property
    def connected(self) -> bool:
        """Whether somebody listens."""
        return self._socket is not None

    def send(self, twist: Twist) -> bool:
        """Say the velocity wanted now.

        Returns:
            Whether it was taken whole.
        """
        return self._say(
            {
                "t_s": self._now_s(), "linear_m_s": twist.linear_m_s.tolist(),
                "angular_rad_s": twist.angular_rad_s.tolist(), "frame": twist.frame,
            }
        )  # fmt: skip

    def end(self) -> bool:
        """Say that the motion is over; whether it was taken whole."""
        return self._say({"end": True})

    def _say(self, what: dict[str, object]) -> bool:
        if self._socket is None and not self._connect():
            return False
        self._sequence += 1
        if not self._flush():
            return False  # what is old by the time it is read would be worth nothing
        self._unsent = orjson.dumps({"seq": self._sequence} | what) + b"\n"
        return self._flush()

    def _connect(self) -> bool:
        now_s = self._now_s()
        if now_s - self._tried_s < CONNECT_EVERY_S:
            return False
        self._tried_s = now_s
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        made.setblocking(False)
        try:
            made.connect(os.fspath(self._address))
        except OSError:
            made.close()
            return False
        self._socket = made
        self._unsent = orjson.dumps({"token": self._token}) + b"\n"
        return self._flush()

    def _flush(self) -> bool:
        """Send what is left; whether nothing is."""
        while self._unsent and self._socket is not None:
            try:
                sent = self._socket.send(self._unsent, socket.MSG_NOSIGNAL)
            except BlockingIOError:
                return False
            except OSError:
                self.close()
                return False
            self._unsent = self._unsent[sent:]
        return self._socket is not None

    def close(self) -> None:
        """Leave; the listener takes that for zero."""
        if self._socket is not None:
            self._socket.close()
        self._socket, self._unsent = None, b""


class HandlesPlace:
    """A folder of this user's alone with a token, for one arm station to listen in.

    Raises:
        OSError: if it cannot be made.
    """

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="hil-handles-"))  # mode 0700
        self.token = secrets.token_hex(32)
        self.address = RemoteAddress(self._folder / "arm.sock", self._folder / "token")
        fd = os.open(self.address.token_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(fd, "w") as stream:
            stream.write(self.token + "\n")

    def remove(self) -> None:
        """Remove it; harmless when repeated."""
        with suppress(OSError):
            shutil.rmtree(self._folder)
