"""What a motion asks of the six cylinders: lengths, speeds, forces."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from platform6dof.geometry import HexapodGeometry
from platform6dof.kernels import legs as kernel
from platform6dof.sizing.motor import root_mean_square
from platform6dof.sizing.screw import cubic_mean_force_n

Array = NDArray[np.float64]

GRAVITY_M_S2 = 9.80665


class BodyError(ValueError):
    """Numbers that no body can have; the message says which and what would be right."""


@dataclass(frozen=True, slots=True, eq=False)
class LoadBody:
    """All that moves with the platform, as one rigid body.

    Raises:
        BodyError: a mass below 0, or a tensor that no body of that mass has.
    """

    mass_kg: float
    """Mass [kg]."""
    centre_m: Array
    """Centre of mass in platform axes [m], shape (3,)."""
    tensor_kg_m2: Array
    """Inertia about the centre, platform axes [kg m²], shape (3, 3)."""

    def __post_init__(self) -> None:
        centre = np.array(self.centre_m, np.float64)
        tensor = np.array(self.tensor_kg_m2, np.float64)
        if centre.shape != (3,) or tensor.shape != (3, 3):
            raise BodyError(f"centre {centre.shape}, tensor {tensor.shape}: (3,), (3, 3) needed")
        if not (np.isfinite(self.mass_kg) and self.mass_kg >= 0.0 and np.isfinite(centre).all()):
            raise BodyError(f"mass {self.mass_kg} kg: must be finite and 0 or more")
        if not np.isfinite(tensor).all() or np.abs(tensor - tensor.T).max() > 1e-9:
            raise BodyError("tensor: must be finite and symmetric")
        a, b, c = np.linalg.eigvalsh(tensor).tolist()
        if a < -1e-9 or a + b < c * (1.0 - 1e-9) - 1e-12:
            raise BodyError(
                f"tensor: moments {a:g}, {b:g}, {c:g} kg m² about its own axes: each must be 0 or "
                f"more, and no one greater than the sum of the others"
            )
        if self.mass_kg == 0.0 and c > 0.0:
            raise BodyError(f"mass 0 kg with a moment of {c:g} kg m²: a mass above 0 is needed")
        for name, value in (("centre_m", centre), ("tensor_kg_m2", tensor)):
            value.setflags(write=False)
            object.__setattr__(self, name, value)

    @classmethod
    def point(cls, mass_kg: float, centre_m: ArrayLike = (0.0, 0.0, 0.0)) -> Self:
        """A mass in one point."""
        return cls(mass_kg, np.asarray(centre_m, np.float64), np.zeros((3, 3)))


def leg_forces_n(geometry: HexapodGeometry, body: LoadBody, setpoints: Array) -> Array:
    """Forces with which the legs push the platform so that a body moves as wanted [N].

    J^T f = W with the wrench W = [m (a - g) + m (w' x r) + m w x (w x r); m r x (a - g) +
    I_P w' + w x (I_P w)] about the platform's origin, r = M c, I_P = M I M^T - m S(r)². Source:
    Newton and Euler; Merlet, Parallel Robots, 2nd ed., section 9.2. Weight and inertia of the legs
    are not in it.

    Args:
        setpoints: packed poses, twists and accelerations, shape (N, 24).

    Returns:
        Pushing is positive, shape (N, 6); NaN where a pose is singular.
    """
    rows = kernel.leg_rows_of_poses(geometry.table, setpoints)[:, 1:]
    rotation = setpoints[:, 3:12].reshape(-1, 3, 3)
    omega, alpha = setpoints[:, 15:18], setpoints[:, 21:24]
    up = setpoints[:, 18:21] + np.array([0.0, 0.0, GRAVITY_M_S2])  # a - g
    arm = rotation @ body.centre_m
    tensor = rotation @ body.tensor_kg_m2 @ rotation.transpose(0, 2, 1)
    own = up + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
    force = body.mass_kg * own
    spin = np.einsum("nij,nj->ni", tensor, omega)
    moment = np.einsum("nij,nj->ni", tensor, alpha) + np.cross(omega, spin) + np.cross(arm, force)
    wrench = np.hstack([force, moment])
    good = np.abs(np.linalg.det(rows)) > 1e-12
    found = np.full((len(rows), 6), np.nan)
    transposed = rows[good].transpose(0, 2, 1)
    found[good] = np.linalg.solve(transposed, wrench[good][..., None])[..., 0]
    return found


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
    """Forces of the rods, pushing is positive [N]."""

    @classmethod
    def of(cls, geometry: HexapodGeometry, body: LoadBody, setpoints: Array, step_s: float) -> Self:
        """Demand of a motion's setpoints, shape (N, 24), at equal steps of time."""
        states = kernel.leg_states(geometry.table, setpoints)
        forces = leg_forces_n(geometry, body, setpoints)
        return cls(step_s, states[:, 0], states[:, 1], states[:, 2], forces)

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
