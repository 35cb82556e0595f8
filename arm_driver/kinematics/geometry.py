"""The geometry of an arm of the PUMA 560 class: its lengths and its joints' limits."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from arm_driver.errors import ArmError, arm_array

Array = NDArray[np.float64]

JOINTS = 6
TABLE_ROWS = 7

_POSITION_MIN_RAD = np.radians([-160.0, -45.0, -225.0, -110.0, -100.0, -266.0])
_POSITION_MAX_RAD = np.radians([160.0, 225.0, 45.0, 170.0, 100.0, 266.0])
# The bench's own limits, far inside what the motors can do: people are beside the arm.
_RATE_MAX_RAD_S = np.array([1.0, 0.8, 1.0, 2.0, 2.0, 2.0])
_ACCELERATION_MAX_RAD_S2 = np.array([3.0, 2.5, 3.0, 8.0, 8.0, 8.0])
# A radian at the shoulder moves a metre of arm, a radian at the wrist a hand.
_NEARNESS_WEIGHTS = np.array([3.0, 3.0, 2.0, 1.0, 1.0, 0.5])

_set = object.__setattr__


class GeometryError(ArmError):
    """Numbers that do not describe an arm; the message says which and why."""


@dataclass(frozen=True, slots=True, eq=False)
class PumaGeometry:
    """Six revolute joints, a spherical wrist, standard Denavit-Hartenberg.

    Link i is ``Rz(q_i) Tz(d_i) Tx(a_i) Rx(alpha_i)``:

    ======  ===============  =====  =========
    joint   d                a      alpha
    ======  ===============  =====  =========
    1       base_height_m    0      +90 deg
    2       0                a2_m   0
    3       d3_m             a3_m   -90 deg
    4       d4_m             0      +90 deg
    5       0                0      -90 deg
    6       tool_m           0      0
    ======  ===============  =====  =========

    Source: Corke and Armstrong-Helouvry 1994, the consensus parameters of the PUMA 560 and its
    joint ranges. Rates, accelerations and weights are the bench's own.

    Raises:
        GeometryError: not finite, a length out of its range, a limit that is not above its other.
    """

    a2_m: float = 0.4318
    """Upper arm, shoulder axis to elbow axis [m]."""
    a3_m: float = 0.0203
    """Offset of the forearm's axis at the elbow [m]."""
    d3_m: float = 0.15005
    """Offset of the forearm sideways from the waist's axis [m]."""
    d4_m: float = 0.4318
    """Forearm, elbow to wrist centre [m]."""
    base_height_m: float = 0.672
    """Table to shoulder axis [m]."""
    tool_m: float = 0.0
    """Wrist centre to gripper along the last joint's axis [m]."""
    position_min_rad: Array = field(default_factory=lambda: _POSITION_MIN_RAD)
    """Lowest joint angles [rad], shape (6,), read-only."""
    position_max_rad: Array = field(default_factory=lambda: _POSITION_MAX_RAD)
    """Highest joint angles [rad], shape (6,), read-only."""
    rate_max_rad_s: Array = field(default_factory=lambda: _RATE_MAX_RAD_S)
    """Largest joint rates [rad/s], shape (6,), read-only."""
    acceleration_max_rad_s2: Array = field(default_factory=lambda: _ACCELERATION_MAX_RAD_S2)
    """Largest joint accelerations [rad/s²], shape (6,), read-only."""
    nearness_weights: Array = field(default_factory=lambda: _NEARNESS_WEIGHTS)
    """Weight of each joint's squared difference where solutions are compared, shape (6,),
    read-only."""
    forearm_m: float = field(init=False, repr=False)
    """Elbow axis to wrist centre, hypot(a3, d4) [m]."""
    reach_m: float = field(init=False, repr=False)
    """Largest distance of the wrist centre from the shoulder point [m]."""
    fold_m: float = field(init=False, repr=False)
    """Smallest such distance [m]."""
    table: Array = field(init=False, repr=False)
    """All of it for the kernels, shape (7, 6), read-only."""

    def __post_init__(self) -> None:
        for name in ("a2_m", "d4_m"):
            _require(name, getattr(self, name), "above 0 m", lambda value: value > 0.0)
        for name in ("d3_m", "base_height_m", "tool_m"):
            _require(name, getattr(self, name), "at least 0 m", lambda value: value >= 0.0)
        _require("a3_m", self.a3_m, "finite", lambda _: True)
        low, high = self._vector("position_min_rad"), self._vector("position_max_rad")
        for joint in range(JOINTS):
            if not low[joint] < high[joint]:
                raise GeometryError(
                    f"joint {joint + 1}: position_min_rad {low[joint]:.6g} rad must be below "
                    f"position_max_rad {high[joint]:.6g} rad"
                )
        rates, accelerations, weights = (
            self._positive(name)
            for name in ("rate_max_rad_s", "acceleration_max_rad_s2", "nearness_weights")
        )
        forearm = math.hypot(self.a3_m, self.d4_m)
        _set(self, "forearm_m", forearm)
        _set(self, "reach_m", math.hypot(self.a2_m + forearm, self.d3_m))
        _set(self, "fold_m", math.hypot(self.a2_m - forearm, self.d3_m))
        lengths = [self.a2_m, self.a3_m, self.d3_m, self.d4_m, self.base_height_m, self.tool_m]
        elbow = [forearm, math.atan2(self.d4_m, self.a3_m), self.reach_m, self.fold_m, 0.0, 0.0]
        rows = (lengths, low, high, weights, elbow, rates, accelerations)
        _set(self, "table", arm_array(np.array(rows), (TABLE_ROWS, JOINTS), "table"))

    def _vector(self, name: str) -> Array:
        array = arm_array(getattr(self, name), (JOINTS,), name)
        _set(self, name, array)
        return array

    def _positive(self, name: str) -> Array:
        array = self._vector(name)
        for joint, value in enumerate(array.tolist(), start=1):
            if value <= 0.0:
                raise GeometryError(f"{name}, joint {joint}: {value:.6g}, must be above 0")
        return array

    @property
    def middle_rad(self) -> Array:
        """Middle of each joint's range [rad], shape (6,)."""
        return 0.5 * (self.position_min_rad + self.position_max_rad)


def _require(name: str, value: object, rule: str, holds: object) -> None:
    good = isinstance(value, int | float) and math.isfinite(value)
    if not (good and callable(holds) and holds(value)):
        raise GeometryError(f"{name}: {value} m, must be finite and {rule}")
