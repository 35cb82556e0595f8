"""The eye that looks at a scene: it goes round a point, comes nearer, and is shifted.

Its axes in the scene's, as rows: right and up as on the screen, and from the point towards the eye.
At azimuth and elevation 0 the eye is on the scene's x axis, with y on its right and z above.
"""

import math
from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

NARROW_FOV_DEG: Final = 32.0
"""Angle of view across the shorter side: small enough that upright things look upright."""

NEAR, FAR = 1e-2, 1e2
"""Nearest and farthest distance from the eye that is drawn; as shares of its distance."""


@dataclass(frozen=True, slots=True, eq=False)
class Eye:
    """Position of the eye; its array is read-only. All is finite, and the distance above 0."""

    middle_m: Array
    distance_m: float
    azimuth_deg: float
    """Azimuth of the eye about the scene's z, from x [deg]."""
    elevation_deg: float
    """Elevation of the eye over the scene's plane x-y [deg], -90 to 90."""

    def __post_init__(self) -> None:
        middle = np.array(self.middle_m, np.float64).reshape(3)
        numbers = (*middle.tolist(), self.distance_m, self.azimuth_deg, self.elevation_deg)
        if not (all(map(math.isfinite, numbers)) and self.distance_m > 0.0):
            raise ValueError(
                f"eye at {self.distance_m} m from {middle.tolist()} m, {self.azimuth_deg} deg, "
                f"{self.elevation_deg} deg; all must be finite, the distance above 0 m"
            )
        middle.setflags(write=False)
        object.__setattr__(self, "middle_m", middle)

    @classmethod
    def of_size(
        cls, middle_m: ArrayLike, size_m: float, azimuth_deg: float, elevation_deg: float
    ) -> Self:
        """Far enough away to see all that is so large [m]."""
        distance_m = 0.5 * size_m / math.sin(math.radians(0.5 * NARROW_FOV_DEG))
        return cls(np.asarray(middle_m), distance_m, azimuth_deg, elevation_deg)

    @property
    def axes(self) -> Array:
        """Right, up and towards the eye as rows, in the scene's axes, shape (3, 3)."""
        azimuth, elevation = math.radians(self.azimuth_deg), math.radians(self.elevation_deg)
        ca, sa = math.cos(azimuth), math.sin(azimuth)
        ce, se = math.cos(elevation), math.sin(elevation)
        return np.array([[-sa, ca, 0.0], [-se * ca, -se * sa, ce], [ce * ca, ce * sa, se]])

    def turned(self, azimuth_deg: float, elevation_deg: float) -> Self:
        """Farther round the point [deg], at most to straight above or below it."""
        elevation = min(max(self.elevation_deg + elevation_deg, -90.0), 90.0)
        return replace(self, azimuth_deg=self.azimuth_deg + azimuth_deg, elevation_deg=elevation)

    def seen_from(self, azimuth_deg: float, elevation_deg: float) -> Self:
        """The same point from another side [deg]."""
        return replace(self, azimuth_deg=azimuth_deg, elevation_deg=elevation_deg)

    def at(self, distance_m: float) -> Self:
        """The same at another distance [m]."""
        return replace(self, distance_m=distance_m)

    def shifted(self, right_m: float, up_m: float) -> Self:
        """Looking at a point farther right and up on the screen [m]."""
        right, up, _ = self.axes
        return replace(self, middle_m=self.middle_m + right_m * right + up_m * up)

    def shifted_level(self, right_m: float, ahead_m: float, up_m: float = 0.0) -> Self:
        """Looking at a point farther right, ahead over the floor, and above [m]."""
        right, _, _ = self.axes
        above = np.array([0.0, 0.0, 1.0])
        ahead = np.cross(above, right)
        shift_m = right_m * right + ahead_m * ahead + up_m * above
        return replace(self, middle_m=self.middle_m + shift_m)

    def pixel_m(self, width: int, height: int) -> float:
        """Size of a pixel at the point that is looked at [m], in a picture of so many pixels."""
        across, _ = _half_tangents(width, height)
        return 2.0 * self.distance_m * across / max(1, width)

    def view(self, width: int, height: int) -> Array:
        """Projection from scene to screen: right, up, depth -1 to 1 after division by w, (4, 4).

        The projection is OpenGL's: M. Segal, K. Akeley, "The OpenGL Graphics System", version
        2.1, section 2.11.2, for a frustum about the line of sight. The picture's size is in pixels.
        """
        placed = np.eye(4)
        axes = self.axes
        placed[:3, :3] = axes
        placed[:3, 3] = -axes @ self.middle_m - [0.0, 0.0, self.distance_m]
        near, far = NEAR * self.distance_m, FAR * self.distance_m
        across, upwards = _half_tangents(width, height)
        projected = np.zeros((4, 4))
        projected[0, 0], projected[1, 1] = 1.0 / across, 1.0 / upwards
        projected[2, 2] = -(far + near) / (far - near)
        projected[2, 3] = -2.0 * far * near / (far - near)
        projected[3, 2] = -1.0
        return projected @ placed

    @property
    def lamp(self) -> Array:
        """Direction to a lamp over the left shoulder of who looks, unit vector, shape (3,)."""
        lamp = np.array([-0.45, 0.55, 0.75]) @ self.axes
        return lamp / np.linalg.norm(lamp)


def _half_tangents(width: int, height: int) -> tuple[float, float]:
    """Tangents of half the angles of view, across and upwards."""
    narrow = math.tan(math.radians(0.5 * NARROW_FOV_DEG))
    ratio = max(1, width) / max(1, height)
    return (narrow * ratio, narrow) if ratio > 1.0 else (narrow, narrow / ratio)
