"""Streams of packets for tests of hosts, made without any code of the hosts themselves."""

import math
from dataclasses import replace

import numpy as np

from hil.hosts.kind import Packet, Received
from platform6dof.cueing.vehicle import VehicleState

PERIOD_S = 1 / 60


def vehicle(t_s: float, speed_m_s: float = 20.0) -> VehicleState:
    """A vehicle that winds its way north at a nearly steady speed; SI, FRD."""
    shake, other = math.sin(2.0 * math.pi * t_s), math.cos(2.0 * math.pi * t_s)
    yaw, turn = 0.1 * shake, 0.2 * math.pi * other
    return VehicleState(
        t_s=t_s,
        f_m_s2=(0.5 * shake, speed_m_s * turn, -9.80665),
        omega_rad_s=(0.0, 0.0, turn),
        domega_rad_s2=(0.0, 0.0, 0.0),
        attitude=(math.cos(0.5 * yaw), 0.0, 0.0, math.sin(0.5 * yaw)),
        v_m_s=(speed_m_s - 0.5 * other / (2.0 * math.pi), 0.0, 0.0),
        position_m=(speed_m_s * t_s, 0.0, -100.0),
    )


def packet(index: int, t_s: float | None = None, came_s: float | None = None, **changes):
    """Packet `index` of a stream of 60 a second that began at 0."""
    at_s = index * PERIOD_S if t_s is None else t_s
    came_s = at_s if came_s is None else came_s
    sequence = changes.pop("sequence", index)
    state = replace(vehicle(at_s), **changes)
    return Received(Packet(state, sequence), came_s, came_s)


def stripped(received: Received, *fields: str, sequence: bool = False) -> Received:
    """The same of a wire that lacks fields."""
    nan = math.nan
    none = {"t_s": nan, "attitude": (nan,) * 4, "speed_factor": nan}
    state = replace(received.packet.state, **{one: none.get(one, (nan,) * 3) for one in fields})
    count = None if not sequence else received.packet.sequence
    return Received(Packet(state, count), received.kernel_s, received.taken_s)


def jittered(count: int, seed: int, jitter_s: float = 0.01, lost: float = 0.01):
    """Times of sending and arrival of a host of 60 Hz: jitter, 2 ms of way, some lost."""
    rng = np.random.default_rng(seed)
    sent_s = np.arange(count) * PERIOD_S
    came_s = sent_s + 0.002 + jitter_s * rng.random(count)
    kept = rng.random(count) >= lost
    return sent_s[kept], came_s[kept]
