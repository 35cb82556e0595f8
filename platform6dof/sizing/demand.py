"""What a motion asks of the six cylinders: lengths, speeds, forces."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from platform6dof.dynamics.inverse_dynamics import loads_of_setpoints
from platform6dof.dynamics.machine import Machine
from platform6dof.sizing.motor import root_mean_square
from platform6dof.sizing.screw import cubic_mean_force_n

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """What one motion asks of the cylinders; arrays over its samples are of shape (N, 6)."""

    step_s: float
    """Time between two samples [s]."""
    length_m: Array
    """Lengths joint to joint [m]."""
    speed_m_s: Array
    """Speeds of the rods [m/s]."""
    acceleration_m_s2: Array
    """Accelerations of the rods [m/s²]."""
    force_n: Array
    """Forces of the drives, pushing is positive; not numbers where a pose is singular [N]."""

    @classmethod
    def of(cls, machine: Machine, setpoints: Array, step_s: float) -> Self:
        """Demand of a motion's setpoints, shape (N, 24), at equal steps of time."""
        loads = loads_of_setpoints(machine, setpoints)
        return cls(step_s, loads.length_m, loads.speed_m_s, loads.acceleration_m_s2, loads.force_n)

    @property
    def duration_s(self) -> float:
        """Duration [s]."""
        return (len(self.length_m) - 1) * self.step_s

    @property
    def speed_max_m_s(self) -> float:
        """Greatest speed of a rod [m/s]."""
        return float(np.abs(self.speed_m_s).max())

    @property
    def peak_n(self) -> float:
        """Greatest force of a rod either way [N]."""
        return float(np.abs(self.force_n).max())

    @property
    def push_n(self) -> float:
        """Greatest pushing force of a rod [N], 0 where all only pull."""
        return max(0.0, float(self.force_n.max()))

    @property
    def rms_n(self) -> float:
        """Greatest root mean square of the force of a rod [N]."""
        return float(root_mean_square(self.force_n).max())

    @property
    def path_m(self) -> Array:
        """Path of each rod under each sample's force [m], shape (N - 1, 6)."""
        return np.abs(np.diff(self.length_m, axis=0))

    @property
    def cubic_mean_n(self) -> float:
        """Greatest cubic mean of the force over the path, of a rod [N]."""
        middle = 0.5 * (self.force_n[1:] + self.force_n[:-1])
        legs = zip(middle.T, self.path_m.T, strict=True)
        return max(cubic_mean_force_n(force, path) for force, path in legs)

    @property
    def mean_speed_m_s(self) -> float:
        """Greatest mean speed of a rod, standstill counted [m/s]."""
        return float(self.path_m.sum(axis=0).max() / max(self.duration_s, self.step_s))
