"""What can be made to go wrong with the emulated Modbus rack: on the wire, and in the drives.

How faults are written is in `sim.devices.modbus.injection`.

Not modelled: several faults of the same kind at once, of which the newest counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sim.devices.drive.cia402 import DriveEvent
from sim.devices.modbus.device import ModbusDevice
from sim.devices.modbus.injection import ModbusInjection


class ModbusFaults:
    """The faults of one rack, and when each ends.

    Args:
        script: Faults and when they begin, from the first `advance` on [s].
    """

    def __init__(
        self, core: ModbusDevice, script: Sequence[tuple[float, ModbusInjection]] = ()
    ) -> None:
        self._core, self._script = core, list(script)
        self._began_s: float | None = None
        self._active: dict[tuple[str, int], tuple[ModbusInjection, float | None]] = {}
        self.unplug_wanted = False

    @property
    def active(self) -> tuple[ModbusInjection, ...]:
        """Faults that are on."""
        return tuple(injection for injection, _ in self._active.values())

    def due_s(self) -> float:
        """Return when the next fault begins or ends [s]; at once if `advance` was never called."""
        if self._began_s is None:
            return -math.inf
        times = [ends_s for _, ends_s in self._active.values() if ends_s is not None]
        times += [self._began_s + at_s for at_s, _ in self._script[:1]]
        return min(times, default=math.inf)

    @property
    def mute(self) -> bool:
        """Whether requests are not heard."""
        return ("mute", 0) in self._active

    @property
    def exception(self) -> int:
        """Code with which every request is refused; 0 for none."""
        return int(self._value("exception") or 0)

    def start(self, injection: ModbusInjection, now_s: float) -> None:
        """Begin a fault."""
        ends_s = None if injection.duration_s is None else now_s + injection.duration_s
        if self._begin_in_device(injection):
            self._active[injection.kind, injection.axis] = (injection, ends_s)

    def clear(self) -> None:
        """End all faults."""
        for injection, _ in list(self._active.values()):
            self._end(injection)

    def advance(self, now_s: float) -> None:
        """Begin what the script says and end what is over."""
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
            data = _readdress(data, int(unit), rtu=rtu)
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
            self.unplug_wanted: bool = True
        elif injection.axis:
            drive = self._core.drives[injection.axis - 1]
            if kind == "stuck":
                self._core.hold_values[injection.axis - 1] = self._core.state_words(drive)
            elif kind == "jump":
                drive.jump_encoder(value)
            elif kind == "lag":
                drive.lag_s = value
            elif kind == "scale":
                drive.encoder_scale = value
            elif kind == "state_drop":
                drive.drop_to(DriveEvent.DISABLE_VOLTAGE)
            elif kind == "emcy":
                drive.trip(int(value))
            elif kind == "unwatched":
                drive.watched = False
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
        elif injection.kind == "unwatched":
            drive.watched = True
        elif injection.kind == "estop":
            drive.set_interlock(True)


def _readdress(data: bytes, unit: int, *, rtu: bool) -> bytes:
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
