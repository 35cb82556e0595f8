"""From whatever a source tells of a vehicle to all that a filter needs, cycle by cycle.

Force, where it is not told, is acceleration minus gravity: f = dv/dt + ω × v − Rᵀ g. Rates, where
they are not told, are those of rotation matrices between two cycles; angles are never subtracted,
so neither half a turn of heading nor a quarter of pitch is seen. What nobody can know is level, and
rest. The head is not where the vehicle's sensor is: f_head = f + dω × r + ω × (ω × r).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from platform6dof.cueing.attitude import (
    cross,
    product,
    rotated,
    rotated_by,
    to_body,
    vector_between,
)
from platform6dof.cueing.parameters import PERIOD, CueingError
from platform6dof.cueing.vehicle import GRAVITY_M_S2, Quaternion, Vector3, VehicleState

SMOOTH_S: Final = 0.02
"""Time constant of a derivative that a force is made of [s]."""
_LEVEL: Final[Quaternion] = (1.0, 0.0, 0.0, 0.0)
_ZERO: Final[Vector3] = (0.0, 0.0, 0.0)


class Completion:
    """Completes the states of one source, one a cycle.

    Args:
        period_s: between two states, unless each says otherwise [s].
        head_m: the rider's head from where the source's force and velocity are, body axes FRD [m].
        smooth_s: time constant of derivatives that a force is made of [s].

    Raises:
        CueingError: if a number is out of its bounds.
    """

    def __init__(
        self, period_s: float, head_m: Vector3 = _ZERO, smooth_s: float = SMOOTH_S
    ) -> None:
        PERIOD.check("period_s", period_s)
        if not (_known(head_m) and max(map(abs, head_m)) <= 100.0):
            raise CueingError(f"head_m is {head_m}: each must be within 100 m", "head_m")
        if not 0.0 <= smooth_s <= 10.0:
            raise CueingError(f"smooth_s is {smooth_s:g} s: it must be 0 to 10 s", "smooth_s")
        self._period_s, self._head, self._smooth_s = period_s, head_m, smooth_s
        self.reset()

    def reset(self) -> None:
        """Forget what was before: the next state does not continue it."""
        self._attitude: Quaternion | None = None
        self._omega: Vector3 | None = None
        self._speed: Vector3 | None = None
        self._position: Vector3 | None = None
        self._slope: Vector3 = _ZERO
        self._velocity: Vector3 | None = None

    def complete(self, state: VehicleState, elapsed_s: float | None = None) -> VehicleState:
        """The state with all that can be known of it, at the rider's head.

        Position and velocity stay unknown where nothing tells them; so does the velocity of the
        first of several places.

        Args:
            state: what the source tells; NaN for what it does not.
            elapsed_s: since the state before, above 0 [s]; the period if left out.

        Raises:
            CueingError: if neither a force nor anything that one follows from is told.
        """
        dt = self._period_s if elapsed_s is None else elapsed_s
        if not dt > 0.0:
            raise CueingError(f"elapsed_s is {dt:g} s: it must be above 0", "elapsed_s")
        has_attitude = _known(state.attitude)
        before = self._attitude
        omega = self._rates(state, has_attitude, before, dt)
        attitude = _unit(state.attitude) if has_attitude else _advanced(before or _LEVEL, omega, dt)
        domega = self._rate_of_rates(state.domega_rad_s2, omega, dt)
        velocity = self._velocities(state, attitude, dt)
        force = self._forces(state, attitude, omega, velocity, dt)
        self._attitude, self._omega = attitude, omega
        position = state.position_m
        self._position = position if _known(position) else None
        if velocity is not None:
            self._speed = velocity
        head = self._head
        if head != _ZERO:
            lever = cross(omega, head)
            force = _sum(force, _sum(cross(domega, head), cross(omega, lever)))
            velocity = None if velocity is None else _sum(velocity, lever)
            position = _sum(position, rotated(attitude, head))
        return replace(
            state,
            f_m_s2=force,
            omega_rad_s=omega,
            domega_rad_s2=domega,
            attitude=attitude,
            v_m_s=state.v_m_s if velocity is None else velocity,
            position_m=position,
        )

    def _rates(
        self, state: VehicleState, has_attitude: bool, before: Quaternion | None, dt: float
    ) -> Vector3:
        """Angular velocity; what is not told follows from the attitudes, or is none."""
        omega = state.omega_rad_s
        if _known(omega):
            return omega
        turned = _ZERO
        if has_attitude and before is not None:
            vector = vector_between(before, _unit(state.attitude))
            turned = (vector[0] / dt, vector[1] / dt, vector[2] / dt)
        return _either(omega, turned)

    def _rate_of_rates(self, rate: Vector3, omega: Vector3, dt: float) -> Vector3:
        if _known(rate):
            return rate
        before = self._omega
        grown = _ZERO if before is None else _slope(before, omega, dt)
        return _either(rate, grown)

    def _velocities(self, state: VehicleState, attitude: Quaternion, dt: float) -> Vector3 | None:
        """Velocity in body axes; of a speed alone, straight on; None if nothing tells it yet."""
        v = state.v_m_s
        if _known(v):
            return v
        if math.isfinite(v[0]):
            return _either(v, _ZERO)
        if not _known(state.position_m):
            return None
        if self._position is None:  # nobody knows how fast it comes into sight
            self._velocity = self._speed = None
            return None
        raw = _slope(self._position, state.position_m, dt)
        last = raw if self._velocity is None else self._velocity
        self._velocity = _toward(last, raw, dt / (dt + self._smooth_s))
        return to_body(attitude, self._velocity)

    def _forces(
        self,
        state: VehicleState,
        attitude: Quaternion,
        omega: Vector3,
        velocity: Vector3 | None,
        dt: float,
    ) -> Vector3:
        f = state.f_m_s2
        if _known(f):
            return f
        weight = to_body(attitude, (0.0, 0.0, -GRAVITY_M_S2))
        if velocity is None:
            if not any(map(math.isfinite, f)) and not _known(state.position_m):
                text = "neither specific force nor velocity nor position is told"
                raise CueingError(f"{text}: a force needs one of them", "f_m_s2")
            return _either(f, weight)
        if self._speed is None:
            self._slope = _ZERO
        else:
            raw = _slope(self._speed, velocity, dt)
            self._slope = _toward(self._slope, raw, dt / (dt + self._smooth_s))
        return _either(f, _sum(_sum(self._slope, cross(omega, velocity)), weight))


def _known(values: tuple[float, ...]) -> bool:
    return all(map(math.isfinite, values))


def _either(vector: Vector3, otherwise: Vector3) -> Vector3:
    """Each component as it is told, or as it follows."""
    a, b, c = (x if math.isfinite(x) else y for x, y in zip(vector, otherwise, strict=True))
    return a, b, c


def _sum(a: Vector3, b: Vector3) -> Vector3:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _slope(before: Vector3, after: Vector3, dt: float) -> Vector3:
    a, b = before, after
    return (b[0] - a[0]) / dt, (b[1] - a[1]) / dt, (b[2] - a[2]) / dt


def _toward(a: Vector3, b: Vector3, share: float) -> Vector3:
    x, y, z = (p + share * (q - p) for p, q in zip(a, b, strict=True))
    return x, y, z


def _unit(q: Quaternion) -> Quaternion:
    size = math.hypot(*q)
    if not size > 0.0:
        raise CueingError(f"attitude is {q}: a rotation is needed", "attitude")
    return q[0] / size, q[1] / size, q[2] / size, q[3] / size


def _advanced(attitude: Quaternion, omega: Vector3, dt: float) -> Quaternion:
    """The attitude after a turn at a lasting rate."""
    x, y, z = omega
    return _unit(product(attitude, rotated_by((x * dt, y * dt, z * dt))))
