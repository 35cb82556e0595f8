"""A rack that ends while a client is just connecting leaves nothing open."""

import asyncio
import contextlib
import gc
import socket
import sys

import pytest

from sim.devices.modbus.device import ModbusRackSettings
from sim.devices.modbus.faults import ModbusFaults
from sim.devices.modbus.rack import ModbusRackCore
from sim.devices.modbus.server import LOOPBACK, RackServer


async def leave_after(turns, unplugged):
    """Serve, let a client connect, and leave so many turns of the loop later; return the client."""
    core = ModbusRackCore(ModbusRackSettings(), seed=1)
    server = RackServer(core, ModbusFaults(core), lambda: 0.0)
    await server.serve_forever(background=True)
    place = LOOPBACK, server.bound_port
    client = socket.create_connection(place)
    for _ in range(turns):
        await asyncio.sleep(0)
    if unplugged:
        await server.unplug()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(place)
    await server.leave()
    return client


@pytest.mark.parametrize("unplugged", [False, True])
@pytest.mark.parametrize("turns", range(9))
def test_a_connection_that_is_being_accepted_is_closed(turns, unplugged, monkeypatch):
    left = []
    gc.collect()
    monkeypatch.setattr(sys, "unraisablehook", lambda each: left.append(str(each.exc_value)))
    with asyncio.run(leave_after(turns, unplugged)) as client:
        client.settimeout(5.0)
        gc.collect()
        assert left == []
        with contextlib.suppress(ConnectionResetError):  # one that was never accepted
            assert client.recv(1) == b""
