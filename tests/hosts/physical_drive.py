"""A vehicle in motion by rigid-body kinematics alone, and its packets with wrong signs and bytes.

Made of attitude and velocity over the earth by SciPy's rotations; shares nothing with what judges
it, and is what `benchmarks` and campaigns send.
"""

import struct
from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation as Turn

from platform6dof.cueing.vehicle import VehicleState

G = 9.80665


def drive(seconds: float, rate_hz: float, seed: int) -> list[VehicleState]:
    """A vehicle that speeds up, brakes, rises, banks and turns, all the time; SI, FRD."""
    rng = np.random.default_rng(seed)
    fine = 4
    t = np.arange(int(seconds * rate_hz * fine)) / (rate_hz * fine)

    def wave(size):
        """Sines at rates that no two axes share, of the same size."""
        parts = rng.uniform(0.08, 0.45, 3)
        phases = rng.uniform(0.0, 2.0 * np.pi, 3)
        return size / 2.0 * np.sin(2.0 * np.pi * np.outer(t, parts) + phases).sum(axis=1)

    angles = np.stack([wave(0.6), wave(0.15), wave(0.2)], axis=1)
    turns = Turn.from_euler("ZYX", angles)
    speed = np.stack([20.0 + wave(2.5), wave(1.0), wave(1.2)], axis=1)
    velocity = turns.apply(speed)
    step = t[1]
    acceleration = np.gradient(velocity, step, axis=0)
    force = turns.inv().apply(acceleration - [0.0, 0.0, G])
    rates = np.empty_like(force)
    rates[1:-1] = (turns[:-2].inv() * turns[2:]).as_rotvec() / (2.0 * step)
    rates[0], rates[-1] = rates[1], rates[-2]
    position = np.cumsum(velocity, axis=0) * step
    quaternions = np.roll(turns.as_quat(), 1, axis=1)
    return [
        VehicleState(
            t_s=float(t[at]), f_m_s2=tuple(force[at]), omega_rad_s=tuple(rates[at]),
            domega_rad_s2=(0.0, 0.0, 0.0), attitude=tuple(quaternions[at]),
            v_m_s=tuple(speed[at]), position_m=tuple(position[at]),
        )
        for at in range(fine, len(t) - fine, fine)
    ]  # fmt: skip


def wrong_axes(rng) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """An order and signs of three axes that are not the right ones."""
    while True:
        order = tuple(int(one) for one in rng.permutation(3))
        signs = tuple(float(one) for one in rng.choice([-1.0, 1.0], 3))
        if order != (0, 1, 2) or signs != (1.0, 1.0, 1.0):
            return order, signs


def turned(vector, axes, factor=1.0):
    """The components of a vector in a wrong order, with wrong signs and unit."""
    order, signs = axes
    return tuple(factor * sign * vector[at] for at, sign in zip(order, signs, strict=True))


def swapped(vector, form="f"):
    """Numbers as somebody reads them who has their bytes the other way round."""
    data = struct.pack(f"<{len(vector)}{form}", *vector)
    return struct.unpack(f">{len(vector)}{form}", data)


FACTORS = (1.0 / G, 1.0 / 0.3048, 0.3048, G, 100.0, 0.01)
RATE_FACTORS = (57.29578, 1.0 / 57.29578)


def wronged(state: VehicleState, kind: str, draw) -> VehicleState:
    """A state as a wrong map makes it."""
    if kind == "force_axes":
        return replace(state, f_m_s2=turned(state.f_m_s2, draw))
    if kind == "rate_axes":
        return replace(state, omega_rad_s=turned(state.omega_rad_s, draw))
    if kind == "force_unit":
        return replace(state, f_m_s2=turned(state.f_m_s2, ((0, 1, 2), (1.0, 1.0, 1.0)), draw))
    if kind == "rate_unit":
        rates = turned(state.omega_rad_s, ((0, 1, 2), (1.0, 1.0, 1.0)), draw)
        return replace(state, omega_rad_s=rates)
    if kind == "force_bytes":
        return replace(state, f_m_s2=swapped(state.f_m_s2, draw))
    if kind == "rate_bytes":
        return replace(state, omega_rad_s=swapped(state.omega_rad_s, draw))
    if kind == "all_bytes":
        fields = ("f_m_s2", "omega_rad_s", "attitude", "v_m_s", "position_m")
        return replace(state, **{name: swapped(getattr(state, name), draw) for name in fields})
    if kind == "no_gravity":
        down = Turn.from_quat(np.roll(state.attitude, -1)).inv().apply([0.0, 0.0, G])
        return replace(state, f_m_s2=tuple(np.add(state.f_m_s2, down)))
    raise AssertionError(kind)


def drawn(rng) -> tuple[str, object]:
    """A random mistake."""
    kind = str(rng.choice(KINDS))
    if kind.endswith("axes"):
        return kind, wrong_axes(rng)
    if kind == "force_unit":
        return kind, float(rng.choice(FACTORS))
    if kind == "rate_unit":
        return kind, float(rng.choice(RATE_FACTORS))
    return kind, str(rng.choice(["f", "d"]))


KINDS = (
    "force_axes", "rate_axes", "force_unit", "rate_unit", "force_bytes", "rate_bytes", "all_bytes",
    "no_gravity",
)  # fmt: skip
