"""The cut on Modbus: no request at all for as long as the drives may take, then one look."""

from __future__ import annotations

from typing import Final

from drives.cia402 import State402, state_of
from drives.modbus_codec import CycleCodec
from drives.modbus_gateway import ModbusGateway
from drives.register_map import RegisterMap

LOOK_AFTER_S: Final = 0.02
"""Time beyond the watchdog after which the drives are looked at [s]."""


def silence_s(watchdog_s: float, period_s: float) -> float:
    """Return how long nothing is asked [s].

    Args:
        watchdog_s: Silence after which the drives shall stop by themselves [s].
        period_s: Bus cycle [s].
    """
    return watchdog_s + max(LOOK_AFTER_S, period_s)


def look(gateway: ModbusGateway, map_: RegisterMap) -> tuple[bool, ...]:
    """Say for each drive whether it is in Operation enabled; writes nothing.

    Args:
        gateway: Who is asked.
        map_: Where the words lie.

    Raises:
        ModbusError: If a unit does not answer.
    """
    codec, read, enabled = CycleCodec(map_), map_.read, list[bool]()
    for unit in map_.units:
        answer = codec.decode(gateway.read(unit, read.address, read.count))
        enabled += [state_of(axis.statusword) is State402.OPERATION_ENABLED for axis in answer.axes]
    return tuple(enabled)
