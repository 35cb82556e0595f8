"""A vehicle in motion by rigid-body kinematics alone: attitude and velocity, by SciPy's rotations.

It shares nothing with what judges it.
"""

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
