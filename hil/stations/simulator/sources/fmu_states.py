"""What a vehicle does, from the quantities that a model tells of it."""

from __future__ import annotations

import math
from typing import Final

from hil.stations.simulator.sources.fmu_settings import (
    ACCELERATIONS,
    FLAGS,
    FORCES,
    PLACES,
    RATES,
    RATES_OF_RATES,
    VELOCITIES,
)
from platform6dof.cueing.attitude import from_euler, to_body
from platform6dof.cueing.vehicle import (
    GRAVITY_M_S2,
    UNKNOWN,
    Quaternion,
    Vector3,
    VehicleFlags,
    VehicleState,
)

FORCE_MOST_M_S2: Final = 2000.0
"""No vehicle has a greater force."""
RATE_MOST_RAD_S: Final = 200.0
"""No vehicle turns faster."""


def state_of(told: dict[str, float], t_s: float) -> VehicleState:
    """What a vehicle does, from quantities [SI]; NaN for what is not there.

    A force that is told counts; where it is not, an acceleration and gravity make one.
    """
    attitude: Quaternion = (math.nan, math.nan, math.nan, math.nan)
    if all(name in told for name in ("roll", "pitch")):
        attitude = from_euler(told["roll"], told["pitch"], told.get("yaw", 0.0))
    force = _vector(told, FORCES)
    if any(name in told for name in ACCELERATIONS):
        level = attitude if attitude[0] == attitude[0] else (1.0, 0.0, 0.0, 0.0)
        weight = to_body(level, (0.0, 0.0, -GRAVITY_M_S2))
        moved = (told.get(name, 0.0) + w for name, w in zip(ACCELERATIONS, weight, strict=True))
        x, y, z = (f if f == f else other for f, other in zip(force, moved, strict=True))
        force = x, y, z
    flags = VehicleFlags(0)
    for name, flag in FLAGS.items():
        flags |= flag if told.get(name, 0.0) > 0.5 else VehicleFlags(0)
    return VehicleState(
        t_s, force, _vector(told, RATES), _vector(told, RATES_OF_RATES), attitude,
        _vector(told, VELOCITIES), _vector(told, PLACES), flags,
    )  # fmt: skip


def beyond(state: VehicleState) -> str:
    """What in a whole state no vehicle does; empty if all may be."""
    for name, value in zip(FORCES, state.f_m_s2, strict=True):
        if not abs(value) <= FORCE_MOST_M_S2:
            return f"{name} = {value:g} m/s2: no vehicle has more than {FORCE_MOST_M_S2:g} m/s2"
    for name, value in zip(RATES, state.omega_rad_s, strict=True):
        if not abs(value) <= RATE_MOST_RAD_S:
            return f"{name} = {value:g} rad/s: no vehicle has more than {RATE_MOST_RAD_S:g} rad/s"
    if not all(map(math.isfinite, state.domega_rad_s2)):
        return f"angular acceleration {state.domega_rad_s2} rad/s2 is not finite"
    return ""


def _vector(told: dict[str, float], names: tuple[str, ...]) -> Vector3:
    if not any(name in told for name in names):
        return UNKNOWN
    x, y, z = (told.get(name, math.nan) for name in names)
    return x, y, z
