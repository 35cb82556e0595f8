"""Fields of drifting bodies near an arm, drawn by a seed: places, attitudes, twists, masses.

Each body has a generator of its own, from the field's seed and the body's number, so that a larger
field begins with the bodies of a smaller one.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hil_common.arrays.rotation import rotation_about
from sim.world.space_arm.free_body import ForbiddenBall, FreeBody
from sim.world.space_arm.links import Body, SpaceArmError, numbers

Array = NDArray[np.float64]

ATTEMPTS = 500
"""Most places that are tried for a body."""


@dataclass(frozen=True, slots=True)
class DriftField:
    """Bounds of the bodies of a field.

    Raises:
        SpaceArmError: if a bound is not finite, negative, or below its other one.
    """

    low_m: tuple[float, float, float]
    """Lower corner of the box of the fixtures, in the base [m]."""
    high_m: tuple[float, float, float]
    """Upper corner of the box [m]."""
    mass_kg: tuple[float, float] = (300.0, 3000.0)
    """Least and greatest mass; their logarithms are spread evenly."""
    size_m: float = 1.0
    """Radius of a body: its gyration and its centre of mass stay within it [m]."""
    speed_m_s: float = 0.03
    """Greatest speed of a fixture."""
    spin_rad_s: float = 0.005
    """Greatest angular rate."""

    def __post_init__(self) -> None:
        low, high = numbers(self.low_m, (3,), "low_m"), numbers(self.high_m, (3,), "high_m")
        if (high < low).any():
            raise SpaceArmError(f"field: high_m {list(high)} is below low_m {list(low)}")
        lightest, heaviest = self.mass_kg
        if not 0.0 < lightest <= heaviest < math.inf:
            raise SpaceArmError(
                f"field: masses of {lightest!r} to {heaviest!r} kg, must be above 0, finite, rising"
            )
        for name in ("size_m", "speed_m_s", "spin_rad_s"):
            value = getattr(self, name)
            if not (0.0 <= value < math.inf and (value > 0.0 or name != "size_m")):
                raise SpaceArmError(f"field: {name} = {value!r}, must be finite and not below 0")

    def draw(self, count: int, seed: int) -> tuple[FreeBody, ...]:
        """Draw bodies that are apart when they begin.

        Args:
            count: how many.
            seed: 0 or more.

        Raises:
            SpaceArmError: if the box is too small for them.
        """
        found: list[FreeBody] = []
        for number in range(count):
            rng = np.random.default_rng((seed, number))
            for _ in range(ATTEMPTS):
                one = self._drawn(number, rng)
                if all(_centre_distance_m(one, other) > 2.0 * self.size_m for other in found):
                    found.append(one)
                    break
            else:
                raise SpaceArmError(
                    f"field: {number} of {count} bodies of {self.size_m:g} m found a place, the "
                    f"next one none in {ATTEMPTS} attempts: fewer, smaller, or a larger box"
                )
        return tuple(found)

    def _drawn(self, number: int, rng: np.random.Generator) -> FreeBody:
        lightest, heaviest = np.log(self.mass_kg)
        mass = float(np.exp(rng.uniform(lightest, heaviest)))
        second = rng.uniform(0.02, 0.1, 3) * mass * self.size_m**2
        centre = np.array([rng.uniform(0.3, 0.5) * self.size_m, 0.0, 0.0])  # behind its fixture
        body = Body(mass, centre, np.diag(second.sum() - second))
        turn_rad = _within_ball(rng, math.pi)
        twist = np.concatenate(
            [
                _within_ball(rng, self.speed_m_s),
                _within_ball(rng, self.spin_rad_s),
            ]
        )
        return FreeBody(
            body, rotation_about(turn_rad),
            rng.uniform(self.low_m, self.high_m), twist,
            (ForbiddenBall(2.0 * centre, 0.6 * float(centre[0])),), f"body_{number + 1}",
        )  # fmt: skip


def _centre_distance_m(one: FreeBody, other: FreeBody) -> float:
    """Compute the distance of two bodies' centres of mass [m]."""
    first, second = (b.position_BF_m + b.rotation_BF @ b.body.com_m for b in (one, other))
    return float(np.linalg.norm(first - second))


def _within_ball(rng: np.random.Generator, radius: float) -> Array:
    """Draw a vector of any direction, no longer than a radius."""
    direction = rng.normal(size=3)
    return radius * float(rng.random()) ** (1.0 / 3.0) * direction / np.linalg.norm(direction)
