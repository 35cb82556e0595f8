"""What can be made to go wrong with the emulated Modbus rack: on the wire, and in the drives.

A fault is one line, on the console or in a script: `kind [axis] [value] [for seconds]`, such as
`delay 0.08 for 1`, `estop 3`, `exception 4`, `jump 2 0.05`. `clear` ends them all.

Not modelled: several faults of the same kind at once, of which the newest counts.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from sim.devices.drive402 import Event
from sim.devices.drive_parameters import NODES
from sim.devices.modbus_rack_core import ModbusRackCore, state_words


class ModbusFaultError(ValueError):
    """A fault that cannot be injected as written; the text says what would be right."""


class Takes(Enum):
    """What follows the name of a fault."""

    NOTHING = "nothing"
    VALUE = "a value"
    AXIS = "an axis"
    AXIS_AND_VALUE = "an axis and a value"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of fault.

    Attributes:
        takes: What follows its name.
        low: Least value.
        high: Greatest value.
        text: What it does.
    """

    takes: Takes
    text: str
    low: float = 0.0
    high: float = 0.0


KINDS: Final[dict[str, Kind]] = {
    "drop": Kind(Takes.NOTHING, "answers are lost"),
    "delay": Kind(Takes.VALUE, "answers come later [s]", 0.0, 60.0),
    "garble": Kind(Takes.NOTHING, "a byte of each answer is flipped"),
    "truncate": Kind(Takes.NOTHING, "answers lose their last three bytes"),
    "glue": Kind(Takes.NOTHING, "each answer comes twice in one piece"),
    "exception": Kind(Takes.VALUE, "requests are refused with this code", 1, 255),
    "wrong_unit": Kind(Takes.VALUE, "answers carry this unit address", 1, 247),
    "mute": Kind(Takes.NOTHING, "requests are not heard at all"),
    "unplug": Kind(Takes.NOTHING, "the connection is cut, the pty hangs up"),
    "stuck": Kind(Takes.AXIS, "state words stay what they are"),
    "jump": Kind(Takes.AXIS_AND_VALUE, "the encoder jumps [m]", -10.0, 10.0),
    "lag": Kind(Takes.AXIS_AND_VALUE, "the rod crawls after its setpoint [s]", 0.0, 10.0),
    "scale": Kind(Takes.AXIS_AND_VALUE, "the encoder counts this much for each metre", -1e4, 1e4),
    "state_drop": Kind(Takes.AXIS, "the drive switches itself off"),
    "emcy": Kind(Takes.AXIS_AND_VALUE, "the drive trips with this code", 1, 0xFFFF),
    "estop": Kind(Takes.AXIS, "the interlock input opens"),
    "reboot": Kind(Takes.NOTHING, "the device restarts"),
}


@dataclass(frozen=True, slots=True)
class ModbusInjection:
    """One fault.

    Attributes:
        kind: One of `KINDS`.
        axis: Axis 1 to 6; 0 where the kind takes none.
        value: What the kind says.
        duration_s: How long it lasts [s]; None until it is cleared.

    Raises:
        ModbusFaultError: If it cannot be injected.
    """

    kind: str
    axis: int = 0
    value: float = 0.0
    duration_s: float | None = None

    def __post_init__(self) -> None:
        kind = KINDS.get(self.kind)
        if kind is None:
            raise ModbusFaultError(f"fault {self.kind!r} is unknown; known: {', '.join(KINDS)}")
        if kind.takes in (Takes.AXIS, Takes.AXIS_AND_VALUE) and not 1 <= self.axis <= NODES:
            raise ModbusFaultError(f"{self.kind}: axis {self.axis}, 1 to {NODES} is needed")
        if kind.takes in (Takes.VALUE, Takes.AXIS_AND_VALUE) and not (
            kind.low <= self.value <= kind.high
        ):
            text = f"{self.kind}: value {self.value:g}, {kind.low:g} to {kind.high:g} is needed"
            raise ModbusFaultError(text)
        lasting = self.duration_s
        if lasting is not None and not (math.isfinite(lasting) and lasting > 0.0):
            raise ModbusFaultError(f"{self.kind}: for {lasting} s, more than 0 is needed")


def parse_fault(line: str) -> ModbusInjection:
    """Return the fault of a console line.

    Args:
        line: `kind [axis] [value] [for seconds]`.

    Raises:
        ModbusFaultError: If the line is none; the text says what would be right.
    """
    words = line.split()
    lasting: float | None = None
    if len(words) >= 2 and words[-2] == "for":
        lasting = _number(words[-1], line)
        words = words[:-2]
    name = words[0] if words else ""
    kind = KINDS.get(name)
    if kind is None:
        raise ModbusFaultError(f"fault {name!r} is unknown; known: {', '.join(KINDS)}")
    wanted = {Takes.NOTHING: 0, Takes.VALUE: 1, Takes.AXIS: 1, Takes.AXIS_AND_VALUE: 2}[kind.takes]
    if len(words) != 1 + wanted:
        raise ModbusFaultError(f"{line.strip()!r}: {name} takes {kind.takes.value} [for seconds]")
    numbers = [_number(word, line) for word in words[1:]]
    axis = int(numbers.pop(0)) if kind.takes in (Takes.AXIS, Takes.AXIS_AND_VALUE) else 0
    return ModbusInjection(name, axis, numbers[0] if numbers else 0.0, lasting)


def parse_script(text: str) -> tuple[tuple[float, ModbusInjection], ...]:
    """Return the faults of a TOML script, `[[fault]]` tables of `at_s` and `line`, in time order.

    Raises:
        ModbusFaultError: If it is no such script.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ModbusFaultError(f"fault script is no TOML: {error}") from error
    found: list[tuple[float, ModbusInjection]] = []
    if set(table) - {"fault"} or not isinstance(table.get("fault", []), list):
        raise ModbusFaultError("a fault script holds [[fault]] tables with at_s and line")
    for number, entry in enumerate(table.get("fault", []), start=1):
        at_s = entry.get("at_s")
        if set(entry) != {"at_s", "line"} or type(at_s) not in (int, float) or not at_s >= 0.0:
            raise ModbusFaultError(f"fault {number}: exactly at_s >= 0 and line are needed")
        found.append((float(at_s), parse_fault(str(entry["line"]))))
    return tuple(sorted(found, key=lambda each: each[0]))


def _number(word: str, line: str) -> float:
    try:
        value = float(int(word, 0)) if word.lower().startswith("0x") else float(word)
    except ValueError:
        raise ModbusFaultError(f"{line.strip()!r}: {word!r} is no number") from None
    if not math.isfinite(value):
        raise ModbusFaultError(f"{line.strip()!r}: {word!r} is not finite")
    return value


class ModbusFaults:
    """The faults of one rack, and when each ends.

    Args:
        core: The device.
        script: Faults and when they begin, from the first `advance` on [s].
    """

    def __init__(
        self, core: ModbusRackCore, script: Sequence[tuple[float, ModbusInjection]] = ()
    ) -> None:
        self._core, self._script = core, list(script)
        self._began_s: float | None = None
        self._active: dict[tuple[str, int], tuple[ModbusInjection, float | None]] = {}
        self.unplug_wanted = False

    @property
    def active(self) -> tuple[ModbusInjection, ...]:
        """Faults that are on."""
        return tuple(injection for injection, _ in self._active.values())

    @property
    def mute(self) -> bool:
        """Whether requests are not heard."""
        return ("mute", 0) in self._active

    @property
    def exception(self) -> int:
        """Code with which every request is refused; 0 for none."""
        return int(self._value("exception") or 0)

    def start(self, injection: ModbusInjection, now_s: float) -> None:
        """Begin a fault.

        Args:
            injection: What goes wrong.
            now_s: Monotonic time [s].
        """
        ends_s = None if injection.duration_s is None else now_s + injection.duration_s
        if self._begin_in_device(injection):
            self._active[injection.kind, injection.axis] = (injection, ends_s)

    def clear(self) -> None:
        """End all faults."""
        for injection, _ in list(self._active.values()):
            self._end(injection)

    def advance(self, now_s: float) -> None:
        """Begin what the script says and end what is over.

        Args:
            now_s: Monotonic time [s].
        """
        if self._began_s is None:
            self._began_s = now_s
        while self._script and self._began_s + self._script[0][0] <= now_s:
            self.start(self._script.pop(0)[1], now_s)
        for injection, ends_s in list(self._active.values()):
            if ends_s is not None and ends_s <= now_s:
                self._end(injection)

    def on_wire(self, data: bytes, *, rtu: bool) -> tuple[float, bytes]:
        """Return the delay of an answer [s] and what is left of it.

        Args:
            data: The answer as it would be sent.
            rtu: Whether it begins with the unit, or with the header of TCP.
        """
        unit = self._value("wrong_unit")
        if unit is not None:
            data = _readdressed(data, int(unit), rtu=rtu)
        if ("garble", 0) in self._active:
            at = len(data) - 3 if rtu else 2  # TCP carries no checksum of its own: the header
            data = data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]
        if ("truncate", 0) in self._active:
            data = data[:-3]
        if ("glue", 0) in self._active:
            data += data
        if ("drop", 0) in self._active:
            data = b""
        return self._value("delay") or 0.0, data

    def _value(self, kind: str) -> float | None:
        found = self._active.get((kind, 0))
        return None if found is None else found[0].value

    def _begin_in_device(self, injection: ModbusInjection) -> bool:
        """Do to the drives what the fault says; tell whether it lasts."""
        kind, value = injection.kind, injection.value
        if kind == "reboot":
            self._core.power_up()
        elif kind == "unplug":
            self.unplug_wanted = True
        elif injection.axis:
            drive = self._core.drives[injection.axis - 1]
            if kind == "stuck":
                self._core.hold_values[injection.axis - 1] = state_words(drive)
            elif kind == "jump":
                drive.jump_encoder(value)
            elif kind == "lag":
                drive.lag_s = value
            elif kind == "scale":
                drive.encoder_scale = value
            elif kind == "state_drop":
                drive.drop_to(Event.DISABLE_VOLTAGE)
            elif kind == "emcy":
                drive.trip(int(value))
            elif kind == "estop":
                drive.set_interlock(False)
        return kind not in ("reboot", "unplug", "jump", "state_drop", "emcy")

    def _end(self, injection: ModbusInjection) -> None:
        del self._active[injection.kind, injection.axis]
        if not injection.axis:
            return
        drive = self._core.drives[injection.axis - 1]
        if injection.kind == "stuck":
            self._core.hold_values.pop(injection.axis - 1, None)
        elif injection.kind == "lag":
            drive.lag_s = 0.0
        elif injection.kind == "scale":
            drive.encoder_scale = 1.0
        elif injection.kind == "estop":
            drive.set_interlock(True)


def _readdressed(data: bytes, unit: int, *, rtu: bool) -> bytes:
    """Return an answer with another unit address, and on a serial line with a right checksum."""
    if not rtu:
        return data[:6] + bytes([unit]) + data[7:]
    frame = bytes([unit]) + data[1:-2]
    crc = 0xFFFF
    for byte in frame:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0xA001 if crc & 1 else crc >> 1
    return frame + crc.to_bytes(2, "little")
