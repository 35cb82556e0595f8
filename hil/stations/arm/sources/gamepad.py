"""Two three-axis handles as a velocity: a gamepad's sticks and triggers, or a SpaceMouse.

Only while the hold button is pressed is anything wanted, and only after the button was seen
released with all six axes inside the dead zone: a button that sticks, a handle held when the motion
begins, or a trigger that rests at one end of its range starts nothing. Each axis, -1 to 1, is
shaped before it is scaled: nothing inside the dead zone d, then with u = (|a| - d) / (1 - d) the
curve (1 - e)·u + e·u³ with the share e ("expo") of the cubic.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hil.stations.arm.sources.source import Frame, LiveSource, SourceError, Twist

AXIS_COUNT = 6
AT_REST = (0.0,) * AXIS_COUNT


@dataclass(frozen=True, slots=True)
class HandleState:
    """What the handles are at one moment."""

    axes: tuple[float, ...]
    """Deflections x, y, z, about x, y, z, each -1 to 1 and 0 at rest, six."""
    held: bool


class HandleDevice(Protocol):
    """A device with six axes and a hold button."""

    def read(self) -> HandleState:
        """Return its state now, without waiting.

        Raises:
            OSError: the device is gone.
        """
        ...

    def close(self) -> None:
        """Give the device back."""


@dataclass(frozen=True, slots=True)
class HandleShape:
    """How deflections become velocities.

    Raises:
        SourceError: a value outside its range.
    """

    linear_m_s: float
    """Speed along an axis at full deflection [m/s]."""
    angular_rad_s: float
    """Turn rate about an axis at full deflection [rad/s]."""
    dead_zone: float = 0.08
    """Deflection up to which nothing is wanted, 0 to below 1."""
    expo: float = 0.4
    """Share of the cubic in the curve, 0 (straight) to 1."""
    signs: tuple[float, ...] = (1.0,) * AXIS_COUNT
    """+1 or -1 per axis, for devices that count the other way."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.dead_zone < 1.0:
            raise SourceError(f"handles: dead_zone = {self.dead_zone} outside [0, 1)")
        if not 0.0 <= self.expo <= 1.0:
            raise SourceError(f"handles: expo = {self.expo} outside [0, 1]")
        for name in ("linear_m_s", "angular_rad_s"):
            if not (math.isfinite(value := getattr(self, name)) and value > 0.0):
                raise SourceError(f"handles: {name} = {value}: it must be finite and above 0")
        if len(self.signs) != AXIS_COUNT or any(abs(sign) != 1.0 for sign in self.signs):
            raise SourceError(f"handles: signs = {self.signs}: need six, each 1 or -1")

    def curve(self, deflection: float) -> float:
        """The shaped deflection, -1 to 1; 0 for anything that is no number.

        Args:
            deflection: of one axis; beyond -1 or 1 it counts as full.
        """
        size = abs(deflection)
        if not (size > self.dead_zone):
            return 0.0
        u = min((size - self.dead_zone) / (1.0 - self.dead_zone), 1.0)
        return math.copysign((1.0 - self.expo) * u + self.expo * u**3, deflection)

    def twist(self, axes: tuple[float, ...], frame: Frame) -> Twist:
        """The velocity of six deflections.

        Raises:
            SourceError: if there are not six.
        """
        if len(axes) != AXIS_COUNT:
            raise SourceError(f"handles: {len(axes)} axes; need {AXIS_COUNT}")
        shaped = np.array(
            [sign * self.curve(axis) for sign, axis in zip(self.signs, axes, strict=True)]
        )
        return Twist(shaped[:3] * self.linear_m_s, shaped[3:] * self.angular_rad_s, frame)


class GamepadSource(LiveSource):
    """Two handles as a velocity, hold-to-run; the device is closed with it."""

    def __init__(self, handles: HandleDevice, shape: HandleShape, frame: Frame = "gripper") -> None:
        super().__init__(frame)
        self._handles = handles
        self._shape = shape
        self._seen_at_rest = False
        self._state = HandleState(AT_REST, held=False)

    @property
    def held(self) -> bool:
        """Whether the hold button is pressed, and was seen released before."""
        return not self.end_reason and self._state.held and self._seen_at_rest

    def _listen(self) -> None:
        try:
            self._state = self._handles.read()
        except OSError as error:
            self.end_reason = f"the handles are gone: {error.strerror or error}"
            return
        if not self._state.held and not any(map(self._shape.curve, self._state.axes)):
            self._seen_at_rest = True

    def _velocity(self) -> Twist:
        return self._shape.twist(self._state.axes if self.held else AT_REST, self._frame)

    def close(self) -> None:
        """Give the device back."""
        self._handles.close()
