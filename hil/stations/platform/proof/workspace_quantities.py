"""Quantities of a map and limits of forces that follow from a rig's bodies, drives, tolerances."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError, about
from hil.machines.rig.masses import machine_in
from hil.machines.rig.payload import force_limit_n
from hil.machines.rig.settings import Rig
from platform6dof.accuracy.place_error import place_errors_m
from platform6dof.accuracy.tolerances import Tolerances
from platform6dof.dynamics.stiffness import least_stiffness_n_m
from platform6dof.geometry import HexapodGeometry
from platform6dof.workspace.holding_limits import HoldingLimits
from platform6dof.workspace.quantities import FORCE, Quantity

Array = NDArray[np.float64]


def holding_limits(rig: Rig, geometry: HexapodGeometry) -> HoldingLimits | None:
    """Limits of the forces at rest, those that stop the platform; None of a rig without bodies."""
    machine = machine_in(rig, geometry)
    if machine is None:
        return None
    return HoldingLimits(machine, np.array([force_limit_n(rig, leg) for leg in range(6)]))


def force_quantity(rig: Rig, _geometry: HexapodGeometry, source: str) -> Quantity:
    """Greatest force of a drive at rest.

    Raises:
        ConfigError: a rig without bodies.
    """
    if not rig.body:
        line = "body is left out: forces need the masses, a [[body]] each for platform and load"
        raise ConfigError(source, [about("body", line)])
    return FORCE


def stiffness_quantity(rig: Rig, _geometry: HexapodGeometry, source: str) -> Quantity:
    """Least stiffness of translation.

    Raises:
        ConfigError: a rig without drives, of which nobody knows how they yield.
    """
    drive = rig.cylinders.drive
    if drive is None:
        key = "cylinders.drive.axial_stiffness_n_m"
        line = f"{key} is left out: stiffness needs that of a leg, in a table [cylinders.drive]"
        raise ConfigError(source, [about(key, line)])
    axial_n_m = drive.axial_stiffness_n_m

    def values(geometry: HexapodGeometry, coordinates: Array) -> Array:
        return least_stiffness_n_m(geometry, axial_n_m, coordinates)

    return Quantity("stiffness", "least stiffness of translation", "N/m", "least", values)


def error_quantity(_rig: Rig, _geometry: HexapodGeometry, _source: str) -> Quantity:
    """Error of the platform's origin, with the tolerances that `hil platform accuracy` assumes."""
    tolerances = Tolerances()

    def values(geometry: HexapodGeometry, coordinates: Array) -> Array:
        return place_errors_m(geometry, tolerances, coordinates)

    title = "error of the platform's origin, three standard deviations"
    return Quantity("error", title, "m", "greatest", values)
