"""The simplified arms of 1993, kept to repeat its table: fewer numbers to multiply then.

Source: Belousov 1993, section on the simplified mass matrix. Today the full arm costs less than a
microsecond, so nothing but the comparison needs these.
"""

from dataclasses import replace
from enum import Enum

import numpy as np

from sim.world.space_arm.arm import Arm, SpaceArmError
from sim.world.space_arm.links import Body

HEAVY_PAYLOAD = 3.0
"""Payloads of more arm masses than this make the arm's own inertia unimportant."""


class MassModel(Enum):
    """How much of the arm's own mass is simulated."""

    FULL = "full"
    """everything"""
    POINT_MASSES = "point masses"
    """each link a point at its centre of mass; but the last keeps its inertia, for a point on the
    axis of the last joint would leave that joint without any"""
    MASSLESS_LINKS = "massless links"
    """no link has mass; that of the arm is added to the payload"""


def historical(arm: Arm, payload: Body | None) -> MassModel:
    """The model that the original program used for a payload."""
    heavy = payload is not None and payload.mass_kg > HEAVY_PAYLOAD * arm.mass_kg
    return MassModel.MASSLESS_LINKS if heavy else MassModel.POINT_MASSES


def simplified(arm: Arm, payload: Body | None, model: MassModel) -> Arm:
    """The arm with its payload merged in, as a model sees both.

    With massless links the mass matrix is positive definite only where the arm is not singular.

    Args:
        model: how much of the arm's mass is simulated.

    Raises:
        SpaceArmError: massless links without a payload.
    """
    if model is MassModel.MASSLESS_LINKS:
        if payload is None:
            raise SpaceArmError(f"arm {arm.name}: {model.value} need a payload to have any inertia")
        nothing = np.zeros((3, 3))
        links = [replace(link, mass_kg=0.0, inertia_kg_m2=nothing) for link in arm.links]
        heavier = replace(payload, mass_kg=payload.mass_kg + arm.mass_kg)
        return arm.with_links(links).with_payload(heavier)
    if model is MassModel.POINT_MASSES:
        points = [replace(link, inertia_kg_m2=np.zeros((3, 3))) for link in arm.links[:-1]]
        arm = arm.with_links((*points, arm.links[-1]))
    return arm if payload is None else arm.with_payload(payload)
