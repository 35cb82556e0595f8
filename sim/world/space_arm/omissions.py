"""What a simulation of the arm may leave out: parts of the dynamics, effects of the drives.

Source: Belousov 1993, which left out velocities, computed coefficients once a tick and took masses
for points or, with a heavy payload, links without mass.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.arm import Arm
from sim.world.space_arm.contact import HeldContact
from sim.world.space_arm.drive import DriveEffects
from sim.world.space_arm.integrators import Accuracy, Integrator, Sdirk2, Sdirk4
from sim.world.space_arm.links import Body
from sim.world.space_arm.simplified_arms import MassModel, historical, simplified
from sim.world.space_arm.simulator import SpaceArm, levers_m

Array = NDArray[np.float64]

HELD_S = 0.35
"""Age that coefficients of the dynamics may reach [s]; the integrator renews them after four of
its own steps at the latest, at most 80 ms."""


class Omission(Enum):
    """One thing that a simulation leaves out; its value is the word for it."""

    CORIOLIS = "coriolis"
    """Torques of Coriolis and of centrifugal forces."""
    COEFFICIENTS = "coefficients"
    """Fresh coefficients of the dynamics: they are held as long as the integrator can."""
    POINT_MASSES = "point-masses"
    """Inertia of each link but the last about its centre of mass."""
    MASSLESS_LINKS = "massless-links"
    """Masses of the links, which are added to the payload's."""
    LIMITS = "limits"
    """Limits of voltage and current."""
    BACKLASH = "backlash"
    """Play of the gears."""
    ELASTICITY = "elasticity"
    """Elasticity of gears and shafts."""
    FRICTION = "friction"
    """Dry friction."""
    INDUCTANCE = "inductance"
    """Inductance of the motors' windings."""


DYNAMICS = (
    Omission.CORIOLIS, Omission.COEFFICIENTS, Omission.POINT_MASSES, Omission.MASSLESS_LINKS,
)  # fmt: skip
"""Omissions in the dynamics of the links, whatever the drives."""
MASSES = frozenset({Omission.POINT_MASSES, Omission.MASSLESS_LINKS})
"""Omissions that exclude each other."""


def omissions_of(effects: DriveEffects) -> tuple[Omission, ...]:
    """List what a simulation with these effects of the drives may leave out."""
    there = {field.name for field in fields(effects) if getattr(effects, field.name)}
    return (*DYNAMICS, *(one for one in Omission if one.value in there))


def historical_omission(arm: Arm, payload: Body | None) -> Omission:
    """Return what the original program left out of the masses with a payload."""
    if historical(arm, payload) is MassModel.MASSLESS_LINKS:
        return Omission.MASSLESS_LINKS
    return Omission.POINT_MASSES


@dataclass(frozen=True, slots=True)
class ReducedModel:
    """A simulation that leaves something out."""

    effects: DriveEffects
    """Effects of the drives before anything is left out."""
    omitted: frozenset[Omission] = frozenset()
    """Things that are left out."""

    @classmethod
    def of(cls, effects: DriveEffects, omitted: Collection[Omission]) -> "ReducedModel":
        """Make a model; raises `ValueError` if two omissions exclude each other."""
        if set(omitted) >= MASSES:
            raise ValueError("links are points or without mass, not both")
        return cls(effects, frozenset(omitted))

    def drive_effects(self) -> DriveEffects:
        """Return the effects of the drives that are left."""
        there = {field.name for field in fields(self.effects)}
        gone = {one.value: False for one in self.omitted if one.value in there}
        return replace(self.effects, **gone)

    def loaded(self, arm: Arm, payload: Body | None) -> Arm:
        """Reduce an arm with its payload to the masses that are left.

        Raises:
            SpaceArmError: massless links without a payload.
        """
        masses = MassModel.FULL
        if Omission.POINT_MASSES in self.omitted:
            masses = MassModel.POINT_MASSES
        if Omission.MASSLESS_LINKS in self.omitted:
            masses = MassModel.MASSLESS_LINKS
        return simplified(arm, payload, masses)

    def accuracy(self, usual: Accuracy) -> Accuracy:
        """Return an integrator's settings without what is left out of the dynamics."""
        if Omission.CORIOLIS in self.omitted:
            usual = replace(usual, coriolis=False)
        if Omission.COEFFICIENTS in self.omitted:
            usual = replace(usual, refresh_s=HELD_S)
        return usual

    def space_arm(
        self,
        arm: Arm,
        q_rad: Sequence[float] | Array,
        payload: Body | None,
        *,
        integrator: Integrator | None = None,
        fine: bool = False,
        contact: HeldContact | None = None,
    ) -> SpaceArm:
        """Make the simulated arm at rest; of simplified masses the payload is a part.

        Args:
            integrator: None for SDIRK2 with what is left out, or SDIRK4 if it is to be fine.
            contact: what the payload may touch, if it is not a part of the arm.
        """
        if integrator is None and fine:
            integrator = Sdirk4(levers_m(arm), self.accuracy(Accuracy.fine()))
        elif integrator is None:
            integrator = Sdirk2(levers_m(arm), self.accuracy(Accuracy()))
        if self.omitted & MASSES:
            arm, payload = self.loaded(arm, payload), None
        return SpaceArm(
            arm,
            self.drive_effects(),
            q_rad,
            payload=payload,
            integrator=integrator,
            contact=contact,
        )
