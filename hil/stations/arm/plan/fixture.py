"""A fixture that the body in the space arm's gripper may touch: the key ``space_arm.fixture``."""

import math
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from hil.config.fields import Coordinate, Positive
from hil.config.settings import Settings
from sim.world.space_arm.contact import ContactLaw, Face, HeldContact

Point = tuple[Coordinate, Coordinate, Coordinate]


class FixtureFace(Settings):
    """A face of a fixture: a flat disc."""

    centre_m: Point
    """Centre in the base of the space arm [m]."""
    normal: Point
    """Direction of its front, in axes of that base, of any length."""
    radius_m: Positive = 1.0
    """Radius [m]."""

    @model_validator(mode="after")
    def _has_a_front(self) -> Self:
        if math.hypot(*self.normal) < 1e-6:
            raise ValueError(f"normal = {list(self.normal)} has no direction")
        return self

    def of_kernels(self) -> Face:
        """Return the face for the simulation."""
        normal = np.array(self.normal)
        return Face(np.array(self.centre_m), normal / math.hypot(*self.normal), self.radius_m)


class FixtureSettings(Settings):
    """A fixture that does not move, and the points at which a held body feels it."""

    points_m: Annotated[tuple[Point, ...], Field(min_length=1, max_length=16)]
    """Points of the body that may touch, in the gripper's frame [m]."""
    face: Annotated[tuple[FixtureFace, ...], Field(min_length=1, max_length=8)]
    """Faces of the fixture."""
    stiffness_n_m: Positive = 20_000.0
    """Stiffness of each point's contact, along the normal and across it [N/m]."""
    damping_n_s_m: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] = 500.0
    """Damping of each point's contact [N s/m]."""
    friction: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] = 0.2
    """Coefficient of dry friction."""

    def contact(self) -> HeldContact:
        """Make the contact of one simulated arm."""
        law = ContactLaw(self.stiffness_n_m, self.damping_n_s_m, self.friction)
        faces = tuple(face.of_kernels() for face in self.face)
        return HeldContact(np.array(self.points_m), faces, law)
