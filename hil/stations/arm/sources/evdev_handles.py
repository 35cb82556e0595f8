"""Handles on a Linux input device (/dev/input/event*), through the package `evdev`.

It needs no window and no event pump, and reads the kernel's present state rather than a queue that
can run over: absolute axes and buttons are asked of the kernel at every read, so a stick held still
is seen, and a device unplugged is an error of the request. Relative axes (a SpaceMouse on most
kernels) tell the deflection about a hundred times a second while it lasts, and nothing at zero: a
value counts for `FRESH_S` after it was read.
"""

import contextlib
import importlib
from collections.abc import Callable, Iterable
from typing import Any

from hil.stations.arm.sources.gamepad import AXIS_COUNT, HandleState
from hil.stations.arm.sources.source import SourceUnavailableError

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
        self._heard: dict[str, tuple[float, float]] = {}  # value, and when [s]

    def read(self) -> HandleState:
        """Return its state now, without waiting.

        Raises:
            OSError: the device is gone.
        """
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
                        self._heard[name] = (float(event.value), now_s)

    def _relative_value(self, name: str, now_s: float) -> float:
        value, heard_s = self._heard.get(name, (0.0, now_s))
        if now_s - heard_s >= FRESH_S:
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
    """Of an absolute axis, -1 to 1 with 0 in the middle of its range."""
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
