"""The cut on Modbus: no request at all for as long as the drives may take, then one look."""

from __future__ import annotations

from typing import Final

from drives.axes.cia402 import State402, state_of
from drives.modbus.codec import AxisAnswer, CycleCodec
from drives.modbus.cycle import UnitExchange
from drives.modbus.gateway import ModbusGateway
from drives.modbus.register_map import RegisterMap
from drives.modbus.requests import READ_MAX, CycleRequest, pieces

CHECK_AFTER_S: Final = 0.02
"""Time beyond the watchdog after which the drives are looked at [s]."""


def silence_s(watchdog_s: float, period_s: float) -> float:
    """Return how long nothing is asked [s].

    Args:
        watchdog_s: Silence after which the drives shall stop by themselves [s].
    """
    return watchdog_s + max(CHECK_AFTER_S, period_s)


def enabled_drives(gateway: ModbusGateway, map_: RegisterMap) -> tuple[bool, ...]:
    """Say for each drive whether it is in Operation enabled; writes nothing.

    Raises:
        ModbusError: If a unit does not answer.
    """
    return tuple(
        state_of(axis.statusword) is State402.OPERATION_ENABLED
        for axis in axis_answers(gateway, map_)
    )


def axis_answers(gateway: ModbusGateway, map_: RegisterMap) -> tuple[AxisAnswer, ...]:
    """Return the words of six drives; writes nothing.

    Raises:
        ModbusError: If a unit does not answer.
    """
    codec, found = CycleCodec(map_), list[AxisAnswer]()
    most = min(map_.registers_per_request or READ_MAX, READ_MAX)
    reads = [CycleRequest(None, piece) for piece in pieces(map_.read, map_.axes_per_unit, most)]
    for unit in map_.units:
        exchange = UnitExchange(map_, unit, (), reads)
        while not exchange.complete:
            exchange.ask(gateway)
        found += codec.decode(exchange.read).axes
    return tuple(found)
