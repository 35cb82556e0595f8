"""X-Plane's quantities as a vehicle's state, the same on both of its wires.

Local axes point east, up, south; a vehicle's forward, right, down.
"""

from __future__ import annotations

import math
from typing import Final

from hil.hosts.kind import Packet, Refused
from platform6dof.cueing.attitude import from_euler, to_body
from platform6dof.cueing.vehicle import (
    GRAVITY_M_S2,
    UNKNOWN,
    Vector3,
    VehicleFlags,
    VehicleState,
)

MOST_DEG: Final = 720.0
"""An attitude's angle is never larger."""


def state_of(
    *,
    t_s: float,
    force_g: Vector3,
    rates_rad_s: Vector3,
    angles_deg: Vector3,
    local_m: Vector3,
    local_m_s: Vector3,
    paused: bool = False,
    replay: bool = False,
    ground: bool = False,
    speed_factor: float = math.nan,
) -> Packet | Refused:
    """Make the packet of X-Plane's quantities; each wire corrects its own signs.

    Args:
        t_s: its own time [s]; NaN if it has none.
        force_g: specific force forward, right, down [g].
        rates_rad_s: about forward, right, down [rad/s].
        angles_deg: roll, pitch, true heading [deg].
        local_m: local x, y, z: east, up, south [m]; NaN if it has none.
        local_m_s: velocity along them [m/s]; NaN likewise.
        speed_factor: seconds of the simulation in one of ours; NaN likewise.
    """
    if max(map(abs, angles_deg)) > MOST_DEG:
        return Refused.RANGE
    roll, pitch, yaw = (math.radians(angle) for angle in angles_deg)
    attitude = from_euler(roll, pitch, yaw)
    f_x, f_y, f_z = (GRAVITY_M_S2 * load for load in force_g)
    x, y, z = local_m
    v_x, v_y, v_z = local_m_s
    known = not math.isnan(v_x + v_y + v_z)
    flags = VehicleFlags(0)
    for said, flag in (
        (paused, VehicleFlags.PAUSED),
        (replay, VehicleFlags.REPLAY),
        (ground, VehicleFlags.GROUND),
    ):
        flags |= flag if said else VehicleFlags(0)
    return Packet(
        VehicleState(
            t_s=t_s,
            f_m_s2=(f_x, f_y, f_z),
            omega_rad_s=rates_rad_s,
            attitude=attitude,
            v_m_s=to_body(attitude, (-v_z, v_x, -v_y)) if known else UNKNOWN,
            position_m=(-z, x, -y),
            flags=flags,
            speed_factor=speed_factor,
        )
    )
