"""Accuracy of a rig at a point of its platform: at a pose, at the worst of its box, as a budget."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hil_common.arrays.pose import Pose
from platform6dof.accuracy.budget import ToleranceBudget, allocate
from platform6dof.accuracy.poses import reachable_poses
from platform6dof.accuracy.propagation import (
    PointError,
    SingularPoseError,
    leg_errors,
    spread_per_length,
    three_sigma,
    variances,
    worst_case,
)
from platform6dof.accuracy.random_machines import RandomMachines, random_machines
from platform6dof.accuracy.tolerances import KINDS, Tolerances
from platform6dof.envelope import Envelope
from platform6dof.geometry import HexapodGeometry
from platform6dof.workspace import PoseBox

Array = NDArray[np.float64]


class PoseAccuracy(NamedTuple):
    """Accuracy of a point at one pose."""

    coordinates: Array
    """Coordinates of the pose [m, rad], shape (6,)."""
    linear: PointError
    """Three standard deviations, to first order."""
    worst: PointError
    """Greatest error, to first order."""
    drawn: RandomMachines
    """Errors of random machines."""
    shares: dict[str, float]
    """Share of each kind of errors in the variance of the place."""
    per_length: tuple[float, float]
    """Errors of place and direction per error of every leg's length [m/m, rad/m]."""


class BoxAccuracy(NamedTuple):
    """Poses of a box and the error of the place at each."""

    coordinates: Array
    """Coordinates of the poses within the limits [m, rad], shape (N, 6)."""
    place_m: Array
    """Three standard deviations of the place [m], shape (N,)."""
    tried: int
    """Number of poses that were tried."""


class AccuracyTask(NamedTuple):
    """A rig, a point of its platform, and what its parts may err."""

    geometry: HexapodGeometry
    """Nominal machine."""
    envelope: Envelope
    """Its limits."""
    box: PoseBox
    """Its pose box."""
    tolerances: Tolerances
    """Tolerances of its parts."""
    point_m: Array
    """Point, in platform axes [m], shape (3,)."""
    machines: int
    """Number of random machines at each pose."""
    seed: int
    """Seed of the random machines."""

    def at(self, coordinates: Array) -> PoseAccuracy:
        """Accuracy at a pose.

        Raises:
            SingularPoseError: the pose is singular.
        """
        pose = Pose.from_coordinates(coordinates)
        errors = leg_errors(self.geometry, self.tolerances, pose)
        of_kinds = variances(errors, self.tolerances, self.point_m)
        squares = np.trace(of_kinds[:, :3, :3], axis1=1, axis2=2)
        whole = float(squares.sum()) or math.inf
        return PoseAccuracy(
            coordinates,
            three_sigma(errors, self.tolerances, self.point_m),
            worst_case(errors, self.tolerances, self.point_m),
            random_machines(
                self.geometry, self.tolerances, pose, self.point_m, self.machines, self.seed
            ),
            {kind: float(square / whole) for kind, square in zip(KINDS, squares, strict=True)},
            spread_per_length(self.geometry, pose, self.point_m),
        )

    def over_box(self) -> BoxAccuracy:
        """Error of the place at many poses of the box within the limits."""
        coordinates, tried = reachable_poses(self.envelope, self.box)
        return BoxAccuracy(coordinates, self.place_errors(coordinates), tried)

    def place_errors(self, coordinates: Array) -> Array:
        """Three standard deviations of the place at poses [m], shape (N,); inf if singular."""
        found = np.full(len(coordinates), np.inf)
        for n, row in enumerate(coordinates):
            try:
                errors = leg_errors(self.geometry, self.tolerances, Pose.from_coordinates(row))
            except SingularPoseError:
                continue
            found[n] = three_sigma(errors, self.tolerances, self.point_m).place_total_m
        return found

    def budget(self, coordinates: Sequence[Array] | Array, wanted_m: float) -> ToleranceBudget:
        """Tolerances with which the place errs by so much at most at all of these poses."""
        poses = [Pose.from_coordinates(row) for row in coordinates]
        return allocate(self.geometry, poses, self.point_m, wanted_m, self.tolerances)
