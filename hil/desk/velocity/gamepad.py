"""Two three-axis handles as a velocity: a gamepad's sticks and triggers, or a SpaceMouse.

Only while the hold button is pressed is anything wanted, and only after the button was seen
released with all six axes inside the dead zone: a button that sticks, a handle held when the motion
begins, or a trigger that rests at one end of its range starts nothing. Each axis, -1 to 1, is
shaped before it is scaled: nothing inside the dead zone d, then with u = (|a| - d) / (1 - d) the
curve (1 - e)·u + e·u³ with the share e ("expo") of the cubic.

A device is read through the package `evdev`, which needs no window and no event pump, and asks the
kernel for its present state: a stick held still is seen, and a device unplugged is an error.
Relative axes (a SpaceMouse on most kernels) report the deflection about a hundred times a second
while it lasts, and nothing at zero: a value counts for `FRESH_S` after it was read.
"""

import contextlib
import importlib
import math
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from hil.desk.velocity.source import Frame, SourceError, SourceUnavailableError, Twist, TwistSource

AXIS_COUNT = 6
AT_REST = (0.0,) * AXIS_COUNT
INPUTS: Final = "/dev/input"
"""Folder of input devices; a scenario opens no other one."""


@dataclass(frozen=True, slots=True)
class HandleState:
    """State of the handles at one moment."""

    axes: tuple[float, ...]
    """Deflections x, y, z, about x, y, z, each -1 to 1 and 0 at rest, six."""
    held: bool


@dataclass(frozen=True, slots=True)
class HandleShape:
    """Map from deflections to velocities; raises SourceError: a value outside its range."""

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
        """The velocity of six deflections; raises SourceError if there are not six."""
        if len(axes) != AXIS_COUNT:
            raise SourceError(f"handles: {len(axes)} axes; need {AXIS_COUNT}")
        shaped = np.array(
            [sign * self.curve(axis) for sign, axis in zip(self.signs, axes, strict=True)]
        )
        return Twist(shaped[:3] * self.linear_m_s, shaped[3:] * self.angular_rad_s, frame)


class GamepadSource(TwistSource):
    """Two handles as a velocity, hold-to-run; the device is closed with it."""

    def __init__(
        self, handles: "EvdevHandles", shape: HandleShape, frame: Frame = "gripper"
    ) -> None:
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


FRESH_S = 0.1
"""Time for which a relative axis' value counts [s]."""
RELATIVE_FULL = 350.0
"""Relative axes' value at full deflection: that of the SpaceMouse family."""
EVENTS_MAX = 4096
"""Events after which one read stops; the kernel's own queue is shorter."""
REMEDY = "install it with: pip install evdev (Linux only; it needs the kernel's headers to build)"


class EvdevHandles:
    """Six axes and a hold button of one input device.

    Args:
        codes: the table `evdev.ecodes.ecodes`: numbers by name.
        axes: names of six axes, such as ABS_X or REL_RZ, in the order x, y, z, about x, y, z.
        hold_button: name of the button, such as BTN_TL.

    Raises:
        SourceUnavailableError: the device has not all of them; the text says what it has.
    """

    def __init__(
        self,
        device: Any,
        codes: dict[str, int],
        axes: Iterable[str],
        hold_button: str,
        *,
        now_s: Callable[[], float],
    ) -> None:
        self._device = device
        self._now_s = now_s
        self._codes = codes
        names = tuple(axes)
        offered = _offered(device, codes)
        wanted = (*names, hold_button)
        missing = [name for name in wanted if name not in offered]
        if missing or len(names) != AXIS_COUNT:
            has = ", ".join(sorted(offered)) or "nothing that is known"
            raise SourceUnavailableError(
                f"handles: {device.name!r} has no {', '.join(missing) or 'six axes named'}; "
                f"it has {has}: name six axes and a hold button of these"
            )
        self._names = names
        self._button = codes[hold_button]
        self._relative = {codes[name]: name for name in names if name.startswith("REL_")}
        self._readings: dict[str, tuple[float, float]] = {}  # value, and when [s]

    def read(self) -> HandleState:
        """Return its state now, without waiting; raises OSError: the device is gone."""
        now_s = self._now_s()
        self._drain(now_s)
        axes = tuple(
            self._relative_value(name, now_s)
            if name.startswith("REL_")
            else _deflection(self._device.absinfo(self._codes[name]))
            for name in self._names
        )
        return HandleState(axes, self._button in self._device.active_keys())

    def _drain(self, now_s: float) -> None:
        """Empty the queue, a batch at a time; keep the newest value of each relative axis."""
        relative = self._codes["EV_REL"]
        taken = 0
        with contextlib.suppress(BlockingIOError):  # the queue is empty
            while taken < EVENTS_MAX:
                for event in self._device.read():
                    taken += 1
                    if event.type == relative and event.code in self._relative:
                        name = self._relative[event.code]
                        self._readings[name] = (float(event.value), now_s)

    def _relative_value(self, name: str, now_s: float) -> float:
        value, received_s = self._readings.get(name, (0.0, now_s))
        if now_s - received_s >= FRESH_S:
            return 0.0
        return max(-1.0, min(1.0, value / RELATIVE_FULL))

    def close(self) -> None:
        """Close the device."""
        self._device.close()


def _offered(device: Any, codes: dict[str, int]) -> set[str]:
    present = device.capabilities(absinfo=False)
    kinds = {"ABS_": "EV_ABS", "REL_": "EV_REL", "BTN_": "EV_KEY"}
    return {
        name
        for name, code in codes.items()
        if name[:4] in kinds and code in present.get(codes[kinds[name[:4]]], ())
    }


def _deflection(info: Any) -> float:
    """Deflection of an absolute axis, -1 to 1 with 0 in the middle of its range."""
    half = 0.5 * (info.max - info.min)
    if half <= 0.0:
        return 0.0
    return max(-1.0, min(1.0, (info.value - info.min - half) / half))


def open_handles(
    device: str, axes: Iterable[str], hold_button: str, *, now_s: Callable[[], float]
) -> EvdevHandles:
    """Open the handles of a scenario.

    Args:
        device: path such as /dev/input/event5, or part of the device's name such as "SpaceMouse".

    Raises:
        SourceUnavailableError: the package, the device or the permission is missing, or the name
            fits more than one device; with the remedy.
    """
    try:
        evdev = importlib.import_module("evdev")
    except ImportError as error:
        raise SourceUnavailableError(f"handles: no package evdev: {REMEDY}") from error
    path = device if device.startswith("/") else _find(evdev, device)
    if not Path(os.path.realpath(path)).is_relative_to(INPUTS):
        raise SourceUnavailableError(f"handles: {path} is no device in {INPUTS}")
    try:
        opened = evdev.InputDevice(path)
    except OSError as error:
        raise SourceUnavailableError(
            f"handles: {path} cannot be opened: {error.strerror or error}: plug it in, and let the "
            "user read it (group input, or a udev rule with TAG+=uaccess)"
        ) from error
    try:
        return EvdevHandles(opened, evdev.ecodes.ecodes, axes, hold_button, now_s=now_s)
    except BaseException:
        opened.close()
        raise


def _find(evdev: Any, part: str) -> str:
    """Path of the one device whose name holds a text, without regard to case."""
    named: list[tuple[str, str]] = []
    for path in evdev.list_devices():
        with contextlib.suppress(OSError), contextlib.closing(evdev.InputDevice(path)) as each:
            named.append((path, str(each.name)))
    fitting = [path for path, name in named if part.lower() in name.lower()]
    if len(fitting) == 1:
        return fitting[0]
    there = ", ".join(f"{path} ({name})" for path, name in named) or "none that may be read"
    count = "no" if not fitting else "more than one"
    raise SourceUnavailableError(
        f"handles: {count} input device has {part!r} in its name; there are: {there}: "
        "plug it in, name its path, or join the group input"
    )
