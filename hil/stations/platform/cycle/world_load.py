"""Load of a scene on the drives of a rig, which must bear its weight and a controlled stop.

With J of the rods, forces f along them balance a generalised force w of the platform by J^T f = w
(principle of virtual work; Merlet, Parallel Robots, 2nd ed., section 9.2). A platform that goes
down is stopped with `stop_deceleration_m_s2` by each leg, z'' = J^-1 a, which takes H z'' besides
the weight. Both are judged where the rig parks and at neutral; at the ends of its pose box, which
not every motion reaches, it must bear the weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hil.machines.rig.machine import geometry_of, park_pose
from hil.machines.rig.payload import ends_of_box, force_limit_n
from platform6dof.inverse import leg_lengths

if TYPE_CHECKING:
    from hil.machines.rig.settings import Rig
    from hil_common.arrays.pose import Pose
    from sim.world.plants.platform_plant import PlatformInertia, PlatformPlant

Array = NDArray[np.float64]


ALWAYS: Final = 2
"""Number of the first poses, which are those of every run: parked and neutral."""


class TooHeavyError(ValueError):
    """Load that the drives cannot bear; the text says where, which leg, and how much they can."""


@dataclass(frozen=True, slots=True)
class Bearing:
    """Forces of the legs at one pose, with the present load and for each kg more."""

    where: str
    weight_n: Array
    """Force of each leg to hold still, positive outwards, shape (6,)."""
    stop_n: Array
    """Additional force to stop a platform that goes down, shape (6,); 0 where not judged."""
    per_kg_n: Array
    """Growth of the sum of both with the load [N/kg], shape (6,)."""

    @property
    def both_n(self) -> Array:
        """Forces for weight and stop [N]."""
        return self.weight_n + self.stop_n

    def most_kg(self, load_kg: float, able_n: Array) -> float:
        """Greatest load that legs of these forces bear here [kg]."""
        growing = np.sign(self.per_kg_n) * self.both_n
        return load_kg + float(((able_n - growing) / np.abs(self.per_kg_n)).min())


def check_load(rig: Rig, plant: PlatformPlant) -> None:
    """Refuse a load that the drives of a rig cannot bear and stop.

    Raises:
        TooHeavyError: with the worst leg's forces, its limit and the greatest load.
        PlantPlaceError: if the rods do not reach a pose.
    """
    able_n = np.array([force_limit_n(rig, leg) for leg in range(6)])
    brake_m_s2, load_kg = np.array(rig.limits.stop_deceleration_m_s2), 0.0
    found: list[Bearing] = []
    for where, extensions_m in _places(rig):
        plant.place_at(extensions_m.tolist())
        seen = plant.inertia()
        load_kg = seen.load_kg
        found.append(bearing(where, seen, brake_m_s2 if len(found) < ALWAYS else 0.0 * brake_m_s2))
    worst = max(found, key=lambda one: float((np.abs(one.both_n) / able_n).max()))
    leg = int((np.abs(worst.both_n) / able_n).argmax())
    weight_n, both_n, most_n = abs(worst.weight_n[leg]), abs(worst.both_n[leg]), able_n[leg]
    stop = (
        f", and needs {both_n - weight_n:.0f} N more to stop with limits.stop_deceleration_m_s2 = "
        f"{brake_m_s2[leg]:g}: {both_n:.0f} N"
    )
    if both_n <= most_n:
        return
    most_kg = min(one.most_kg(load_kg, able_n) for one in found)
    remedy = f"at most {most_kg:.0f} kg" if most_kg > 0.0 else "no load is borne"
    raise TooHeavyError(
        f"platform and payload of {load_kg:g} kg: {worst.where} leg {leg + 1} bears "
        f"{weight_n:.0f} N{stop if both_n > weight_n else ''}, above the {most_n:.0f} N that the "
        f"rig permits (supervision.force_max_n; cylinders.force_max_n = "
        f"{rig.cylinders.force_max_n[leg]:g}): {remedy}, "
        "or drives of a greater cylinders.force_max_n"
    )


def bearing(where: str, seen: PlatformInertia, stop_deceleration_m_s2: Array) -> Bearing:
    """Forces of the legs at one pose."""
    to_legs = np.linalg.inv(seen.J).T
    weight_n = to_legs @ seen.weight
    down = np.sign(weight_n.sum())  # legs of a rig that hangs pull
    braking = np.linalg.solve(seen.J, down * stop_deceleration_m_s2)
    per_kg = (seen.weight_load + seen.H_load @ braking) / seen.load_kg
    return Bearing(where, weight_n, to_legs @ seen.H @ braking, to_legs @ per_kg)


def _places(rig: Rig) -> Iterator[tuple[str, Array]]:
    """Poses of a load's check, with the rods' extensions [m]; the first `ALWAYS` are reached."""
    geometry = geometry_of(rig)
    poses: list[tuple[str, Pose]] = [
        ("where it parks", park_pose(rig, geometry)),
        ("at neutral", rig.neutral.pose()),
        *zip(_names_of_ends(rig), ends_of_box(rig), strict=True),
    ]
    for number, (where, pose) in enumerate(poses):
        extensions_m = leg_lengths(geometry, pose) - geometry.closed_length_m
        within = (extensions_m >= 0.0) & (extensions_m <= rig.cylinders.stroke_m)
        if number < ALWAYS or bool(within.all()):
            yield where, extensions_m


def _names_of_ends(rig: Rig) -> Iterator[str]:
    for axis, ends in rig.pose_box.model_dump().items():
        for end in ends:
            yield f"at pose_box.{axis} = {end:g}"
