"""Cylinders of a catalogue as legs and drives of a rig's machine."""

from collections.abc import Sequence
from typing import NamedTuple

from hil.machines.rig.body_tables import RigDriveTrain
from hil.machines.rig.cylinders import CylinderSettings, ListedCylinder
from platform6dof.dynamics.drive_train import DriveTrain
from platform6dof.dynamics.machine import LegBodies

TUBE = ("tube_kg", "tube_centre_m", "tube_inertia_kg_m2")
ROD = ("rod_kg", "rod_centre_m", "rod_inertia_kg_m2")


class CylinderCandidate(NamedTuple):
    """A cylinder with its stroke cut to what is needed."""

    listed: ListedCylinder
    """Cylinder of the catalogue."""
    legs: LegBodies
    """Bodies of its tube, rod and rotor."""
    train: DriveTrain
    """Its screw and motor; without friction, rotor and windings where the row gives none."""
    assumed: tuple[str, ...]
    """Masses that the row does not give and that are those of the rig's legs."""

    @property
    def not_given(self) -> list[str]:
        """Keys that neither the row nor the rig gives, so that figures are without them."""
        return [key for key in self.listed.not_given if key not in self.assumed]

    @property
    def has_windings(self) -> bool:
        """Whether the losses in its windings are known."""
        return self.listed.cylinder.winding_ohm is not None

    @property
    def gives_n(self) -> float:
        """Greatest force that it gives, by its own limit and its motor's [N]."""
        one = self.listed.cylinder
        if one.torque_peak_nm is None:
            return one.force_peak_n
        return min(one.force_peak_n, one.torque_peak_nm * self.train.turns_rad_m)


def candidates_of(
    listed: Sequence[ListedCylinder], drive: RigDriveTrain | None, stroke_m: float
) -> list[CylinderCandidate]:
    """Make candidates of cylinders, all with one stroke; the rig's masses where a row has none."""
    return [_candidate(one, drive, stroke_m) for one in listed]


def _candidate(
    listed: ListedCylinder, drive: RigDriveTrain | None, stroke_m: float
) -> CylinderCandidate:
    one = listed.cylinder
    train = _train(one)
    own, assumed = assumed_masses(drive)
    if one.tube_kg is not None:
        own |= uniform("tube", one.tube_kg, one.dead_length_m + stroke_m)
    if one.rod_kg is not None:
        own |= uniform("rod", one.rod_kg, stroke_m)
    legs = LegBodies(**own, rotor_kg=train.rotor_kg)
    return CylinderCandidate(
        listed, legs, train, tuple(key for key in assumed if getattr(one, key) is None)
    )


def assumed_masses(drive: RigDriveTrain | None) -> tuple[dict[str, float], tuple[str, ...]]:
    """Tube and rod of a rig's legs, and their keys; nothing of a rig without drives."""
    if drive is None:
        return {}, ()
    return {key: getattr(drive, key) for key in (*TUBE, *ROD)}, ("tube_kg", "rod_kg")


def uniform(part: str, mass_kg: float, length_m: float) -> dict[str, float]:
    """Numbers of a thin uniform tube or rod that begins at its joint: half its length, m L² / 12.

    Source: moment of a slender rod about its centre; Meriam, Kraige, Dynamics, table of solids.
    """
    return {
        f"{part}_kg": mass_kg,
        f"{part}_centre_m": 0.5 * length_m,
        f"{part}_inertia_kg_m2": mass_kg * length_m**2 / 12.0,
    }


def _train(one: CylinderSettings) -> DriveTrain:
    back = one.efficiency if one.efficiency_back is None else one.efficiency_back
    return DriveTrain(
        lead_m=one.screw_lead_m,
        rotor_kg_m2=one.rotor_kg_m2 or 0.0,
        efficiency=one.efficiency,
        efficiency_back=back,
        coulomb_n=one.coulomb_n or 0.0,
        viscous_n_s_m=one.viscous_n_s_m or 0.0,
        torque_constant_nm_a=one.torque_constant_nm_a or 1.0,
        winding_ohm=one.winding_ohm or 0.0,
    )
