"""What a vehicle did in cycles that control was not there for, made up for in the next one.

The gate bridges a cycle without a setpoint at constant speed, and control finds itself some cycles
later. Whatever goes step by step then makes as many steps as cycles have passed; what its source
told in between nobody heard, so it goes evenly from what was heard before to what is heard now.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hil.hosts.states import Heard
from platform6dof.cueing.attitude import product, rotated_by, vector_between
from platform6dof.cueing.vehicle import REST, Vector3, VehicleState

Told = tuple[VehicleState, float]
"""What a vehicle does in a cycle, and the share of it that is wanted."""


def told_in(before: Heard, now: Heard, cycles: int) -> Iterator[Told]:
    """What to follow in each of the cycles since the last one that was made; the last is now's.

    Args:
        before: what was heard in that one.
        cycles: how many have passed, at least 1.
    """
    state = REST if now.state is None else now.state
    was = None if now.anchor else before.state
    for cycle in range(1, cycles):
        share = cycle / cycles
        weight = before.weight + share * (now.weight - before.weight)
        yield (state if was is None else between(was, state, share)), weight
    yield state, now.weight


def between(a: VehicleState, b: VehicleState, share: float) -> VehicleState:
    """A state on the even way from one to another; flags and what follows from none are of `b`.

    Args:
        share: of the way, 0 to 1.
    """
    x, y, z = vector_between(a.attitude, b.attitude)
    return replace(
        b,
        t_s=a.t_s + share * (b.t_s - a.t_s),
        f_m_s2=_mixed(a.f_m_s2, b.f_m_s2, share),
        omega_rad_s=_mixed(a.omega_rad_s, b.omega_rad_s, share),
        domega_rad_s2=_mixed(a.domega_rad_s2, b.domega_rad_s2, share),
        attitude=product(a.attitude, rotated_by((share * x, share * y, share * z))),
        v_m_s=_mixed(a.v_m_s, b.v_m_s, share),
        position_m=_mixed(a.position_m, b.position_m, share),
    )


def _mixed(a: Vector3, b: Vector3, share: float) -> Vector3:
    x, y, z = (one + share * (other - one) for one, other in zip(a, b, strict=True))
    return x, y, z
