"""What a simulation of the arm may leave out: parts of the dynamics, effects of the drives.

Source: Belousov 1993, which left out velocities, computed coefficients once a tick and took masses
for points or, with a heavy payload, links without mass.
"""

from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from enum import Enum

from sim.world.space_arm.arm import Arm
from sim.world.space_arm.drive import DriveEffects
from sim.world.space_arm.integrators import Accuracy
from sim.world.space_arm.links import Body
from sim.world.space_arm.simplified_arms import MassModel, historical, simplified

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
        if {Omission.POINT_MASSES, Omission.MASSLESS_LINKS} <= set(omitted):
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
