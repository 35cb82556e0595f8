"""What a motion asks of the six cylinders: lengths, speeds, forces."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from platform6dof.dynamics.inverse_dynamics import LegLoads, loads_of_setpoints
from platform6dof.dynamics.machine import Machine
from platform6dof.sizing.screw import cubic_mean_force_n

Array = NDArray[np.float64]


class DemandFigures(NamedTuple):
    """Greatest numbers that something asks of a cylinder: a motion, a box of poses, or several."""

    shortest_m: float
    """Shortest length joint to joint [m]."""
    longest_m: float
    """Longest length joint to joint [m]."""
    speed_m_s: float
    """Greatest speed [m/s]."""
    acceleration_m_s2: float
    """Greatest acceleration [m/s²]."""
    peak_n: float
    """Greatest force of a drive either way [N]."""
    push_n: float
    """Greatest pushing force of a rod [N]."""
    rms_n: float
    """Greatest root mean square of the force of a drive [N]."""
    cubic_mean_n: float
    """Greatest cubic mean of a rod's force over the path [N]."""
    mean_speed_m_s: float
    """Greatest mean speed, standstill counted [m/s]."""

    @classmethod
    def all_of(cls, several: Iterable["DemandFigures"]) -> Self:
        """Take the greatest of each number, and the shortest length; of at least one."""
        shortest, *others = zip(*several, strict=True)
        return cls(min(shortest), *map(max, others))


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """What one motion asks of the cylinders; arrays over its samples are of shape (N, 6)."""

    step_s: float
    """Time between two samples [s]."""
    loads: LegLoads
    """Motion of the legs, and forces by parts."""
    force_n: Array
    """Forces of the drives, pushing is positive; not numbers where a pose is singular [N]."""

    @classmethod
    def of(cls, machine: Machine, setpoints: Array, step_s: float) -> Self:
        """Demand of a motion's setpoints, shape (N, 24), at equal steps of time."""
        loads = loads_of_setpoints(machine, setpoints)
        return cls(step_s, loads, loads.force_n)

    def with_friction(self, friction_n: Array) -> Self:
        """Demand on drives that also overcome a friction, shape (N, 6)."""
        return replace(self, force_n=self.loads.force_n + friction_n)

    @property
    def length_m(self) -> Array:
        """Lengths joint to joint [m]."""
        return self.loads.length_m

    @property
    def speed_m_s(self) -> Array:
        """Speeds of the rods [m/s]."""
        return self.loads.speed_m_s

    @property
    def duration_s(self) -> float:
        """Duration [s]."""
        return (len(self.length_m) - 1) * self.step_s

    @property
    def path_m(self) -> Array:
        """Path of each rod under each sample's force [m], shape (N - 1, 6)."""
        return np.abs(np.diff(self.length_m, axis=0))

    def figures(self) -> DemandFigures:
        """Greatest numbers of all rods."""
        path_m, thrust_n = self.path_m, self.loads.thrust_n
        middle = 0.5 * (thrust_n[1:] + thrust_n[:-1])
        legs = zip(middle.T, path_m.T, strict=True)
        return DemandFigures(
            shortest_m=float(self.length_m.min()),
            longest_m=float(self.length_m.max()),
            speed_m_s=float(np.abs(self.speed_m_s).max()),
            acceleration_m_s2=float(np.abs(self.loads.acceleration_m_s2).max()),
            peak_n=float(np.abs(self.force_n).max()),
            push_n=max(0.0, float(thrust_n.max())),
            rms_n=float(np.sqrt((self.force_n**2).mean(axis=0).max())),
            cubic_mean_n=max(cubic_mean_force_n(force, path) for force, path in legs),
            mean_speed_m_s=float(path_m.sum(axis=0).max() / max(self.duration_s, self.step_s)),
        )
