"""Two three-axis handles on the screen, as velocities that a run listens to.

Each of six axes has a deflection of -1 to 1: from pads drawn with a mouse, from keys, and from a
gamepad if there is one. What is let go is zero, and so is everything as soon as the window loses
the keyboard.
"""

from collections.abc import Callable
from typing import Final

from hil.config.errors import RefusedError
from hil.run.lead import Gamepad, Handles, Velocity

AXIS_COUNT: Final = 6
KEYS: Final[dict[str, tuple[int, float]]] = {
    "W": (0, 1.0), "S": (0, -1.0), "A": (1, 1.0), "D": (1, -1.0), "Q": (2, 1.0), "E": (2, -1.0),
    "U": (3, 1.0), "O": (3, -1.0), "I": (4, 1.0), "K": (4, -1.0), "J": (5, 1.0), "L": (5, -1.0),
}  # fmt: skip
"""Key → axis (x, y, z, about x, y, z) and sign: the left hand moves, the right one turns."""


class HandlesModel:
    """Deflections of the six axes, from all inputs.

    Args:
        handles: what deflections mean; None if no station that is installed has any.
    """

    def __init__(self, handles: Handles | None) -> None:
        self.handles = handles
        """What deflections mean."""
        self._pads = [0.0] * AXIS_COUNT
        self._keys: dict[int, str] = {}
        self._gamepad: Gamepad | None = None
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
        if self.handles is None:
            return False
        try:
            made = self.handles.gamepad(device, now_s)
        except RefusedError as error:
            self.gamepad_error = str(error)
            return False
        self.close_gamepad()
        self._gamepad, self.gamepad_error = made, ""
        return True

    def close_gamepad(self) -> None:
        """Give a gamepad back, if there is one."""
        if self._gamepad is not None:
            self._gamepad.close()
        self._gamepad = None

    def velocity(self) -> Velocity | None:
        """The velocity wanted now; that of the screen's handles while any of them is deflected.

        None where nobody knows what deflections mean.
        """
        if self.handles is None:
            return None
        screen = self.handles.velocity(self.deflections)
        if self._gamepad is None:
            return screen
        wanted: Velocity | None = self._gamepad.sample(0.0)
        if wanted is None:
            self.gamepad_error = self._gamepad.end_reason
            self.close_gamepad()
            return screen
        return wanted if screen.at_rest else screen
