"""What a box of poses asks of the six cylinders: lengths, and forces that hold the platform."""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from platform6dof.dynamics.inverse_dynamics import loads_of_coordinates
from platform6dof.dynamics.machine import Machine
from platform6dof.sizing.demand import DemandFigures
from platform6dof.workspace.box_extremes import WorstPose, unit_starts, worst_pose
from platform6dof.workspace.leg_extremes import LegExtremes, PoseBox, extremes

Array = NDArray[np.float64]

UNBOUNDED_N: Final = 1e7
"""Force that no cylinder has: where a search finds it, the box goes through a singular pose [N]."""


class SingularBoxError(ValueError):
    """A pose of a box in which no forces of the legs hold the platform, or a pose beside it."""

    def __init__(self, coordinates: Array) -> None:
        super().__init__("a pose of the box is singular")
        self.coordinates = coordinates
        """Coordinates of the pose [m, rad], shape (6,)."""


@dataclass(frozen=True, slots=True, eq=False)
class BoxDemand:
    """What a box of poses asks of the cylinders, the platform at rest in any of them."""

    box: PoseBox
    """The box."""
    lengths: LegExtremes
    """Shortest and longest leg."""
    push: WorstPose
    """Greatest force of any leg [N], below 0 if all only pull."""
    pull: WorstPose
    """Least force of any leg [N], below 0 if one pulls."""

    @classmethod
    def of(cls, machine: Machine, box: PoseBox) -> Self:
        """Find the extremes of a box by corners, a sample and a search from the best of them.

        Raises:
            SingularBoxError: a pose that was tried is singular, or the search ran into one.
        """

        def held_n(poses: Array) -> Array:
            still = np.zeros_like(poses)
            found = loads_of_coordinates(machine, poses, still, still).force_n
            lost = ~np.isfinite(found).all(axis=1)
            if lost.any():
                raise SingularBoxError(poses[int(np.argmax(lost))])
            return found

        unit = unit_starts()
        every = [
            [worst_pose(box, unit, lambda poses, leg=leg: held_n(poses)[:, leg], sense)
             for leg in range(6)]
            for sense in (-1.0, 1.0)
        ]  # fmt: skip
        push, pull = max(every[0], key=_value), min(every[1], key=_value)
        found = cls(box, extremes(machine.geometry, box), push, pull)
        if found.hold_n > UNBOUNDED_N:
            raise SingularBoxError(found.hold_pose)
        return found

    @property
    def hold_n(self) -> float:
        """Greatest force of a leg either way [N]."""
        return max(self.push.value, -self.pull.value)

    @property
    def hold_pose(self) -> Array:
        """Coordinates of the pose of that force [m, rad], shape (6,)."""
        worst = self.push if self.push.value >= -self.pull.value else self.pull
        return worst.coordinates

    def figures(self) -> DemandFigures:
        """Greatest numbers; a pose may be held all the time, so that its force is also the rms."""
        return DemandFigures(
            shortest_m=self.lengths.min_m,
            longest_m=self.lengths.max_m,
            speed_m_s=0.0,
            acceleration_m_s2=0.0,
            peak_n=self.hold_n,
            push_n=max(0.0, self.push.value),
            rms_n=self.hold_n,
            cubic_mean_n=0.0,
            mean_speed_m_s=0.0,
        )


def _value(one: WorstPose) -> float:
    return one.value
