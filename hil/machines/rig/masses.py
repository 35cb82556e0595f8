"""A rig's masses: the machine that moves, shares of a leg that follow from it, what contradicts.

`static_load_n` and `moving_mass_kg` of simulated cylinders are a leg's shares at the neutral pose:
the force that holds the machine there, and a sixth of what moves, by its kinetic energy, where all
legs are equally fast. Written ones may leave the legs' own masses out, and so may be as small as
those of the bodies alone.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import Wrong, about
from hil.machines.rig.body_tables import RigDriveTrain
from hil.machines.rig.payload import ends_of_box, force_limit_n
from hil.machines.rig.rig_geometry import geometry_of, hangs
from hil.machines.rig.settings import SHARES, Rig
from hil_common.arrays.pose import Pose
from platform6dof.dynamics.drive_train import DriveTrain
from platform6dof.dynamics.inverse_dynamics import forces
from platform6dof.dynamics.machine import BodyError, LegBodies, Machine, PlatformBody
from platform6dof.dynamics.stiffness import mass_matrix
from platform6dof.dynamics.stops import Decelerations
from platform6dof.geometry import HexapodGeometry
from platform6dof.inverse import leg_lengths
from platform6dof.jacobian import leg_jacobian
from platform6dof.pose import PlatformSetpoint

Array = NDArray[np.float64]

APART_MAX: Final = 0.05
"""Greatest share by which a written number may differ from what the masses say."""


class Shares(NamedTuple):
    """Shares of the six legs at the neutral pose."""

    static_load_n: tuple[float, ...]
    """Force that holds each leg [N], 6; pulling if the platform hangs."""
    moving_mass_kg: tuple[float, ...]
    """Mass that each leg accelerates if all do alike [kg], 6."""


def machine_in(rig: Rig, geometry: HexapodGeometry | None = None) -> Machine | None:
    """Machine of a rig's bodies and legs; None if it has no ``[[body]]``.

    Raises:
        BodyError: for a tensor that no body has.
    """
    if not rig.body:
        return None
    drive, bodies = rig.cylinders.drive, tuple(map(_body, rig.body))
    legs = LegBodies() if drive is None else _legs(drive)
    return Machine(geometry or geometry_of(rig), bodies, legs)


def drive_train_in(rig: Rig) -> DriveTrain | None:
    """Screws and motors of a rig; None if it has no ``[cylinders.drive]``."""
    drive = rig.cylinders.drive
    if drive is None:
        return None
    return DriveTrain(**{name: getattr(drive, name) for name in DriveTrain.__slots__})


def decelerations_in(rig: Rig) -> Decelerations:
    """Decelerations with which the legs of a rig stop."""
    controlled_m_s2 = rig.limits.stop_deceleration_m_s2
    quick_m_s2 = rig.drives.quick_stop_deceleration_m_s2 or controlled_m_s2
    return Decelerations(np.array(controlled_m_s2), np.array(quick_m_s2))


def _body(table: Any) -> PlatformBody:
    xx, yy, zz, xy, xz, yz = table.inertia_kg_m2
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return PlatformBody(table.name, table.mass_kg, np.array(table.centre_m), tensor)


def _legs(drive: RigDriveTrain) -> LegBodies:
    rotor_kg = drive.rotor_kg_m2 * (2.0 * np.pi / drive.lead_m) ** 2
    own = {name: getattr(drive, name) for name in LegBodies.__slots__ if name != "rotor_kg"}
    return LegBodies(**own, rotor_kg=rotor_kg)


def shares_of(rig: Rig, machine: Machine) -> Shares:
    """Shares of the legs at the neutral pose, the masses of tubes, rods and rotors included."""
    X_BP = rig.neutral.pose()
    held = forces(machine, PlatformSetpoint.at_rest(X_BP)).sum(axis=0)
    J = leg_jacobian(machine.geometry, X_BP)
    alike = np.linalg.solve(J, np.ones(6))  # twist at which all legs have a speed of 1 m/s
    moved_kg = float(alike @ mass_matrix(machine, X_BP) @ alike) / 6.0
    sense = -1.0 if hangs(rig) else 1.0
    return Shares(tuple((sense * held).tolist()), (moved_kg,) * 6)


def shares_of_bodies(rig: Rig, machine: Machine) -> Shares:
    """Shares of the bodies alone: what holds them at neutral, and a sixth of their mass."""
    held = shares_of(rig, Machine(machine.geometry, machine.bodies)).static_load_n
    return Shares(held, (machine.load_kg / 6.0,) * 6)


def with_shares(table: Mapping[str, Any], source: str) -> Mapping[str, Any]:
    """Fill in the shares that a rig's table leaves to its bodies; any other table is returned.

    Raises:
        ConfigError: as of `Rig.build`.
    """
    cylinders = table.get("cylinders")
    if not table.get("body") or not isinstance(cylinders, Mapping):
        return table
    missing = [name for name in SHARES if name not in cylinders]
    if not missing:
        return table
    own = dict(cylinders)
    tried = {**table, "cylinders": {"static_load_n": 0.0, "moving_mass_kg": 1.0} | own}
    rig = Rig.build(tried, source)
    try:
        machine = machine_in(rig)
    except ValueError:
        return tried  # refused by the check, with its reason
    if machine is None:
        return table
    found = shares_of(rig, machine)
    return {**table, "cylinders": {name: getattr(found, name) for name in missing} | own}


def mass_problems(rig: Rig, geometry: HexapodGeometry, parked: Pose) -> Iterator[Wrong]:
    """Check bodies, written shares and holding loads; a rig without bodies has no problems."""
    wrong = list(_impossible_bodies(rig))
    yield from wrong
    machine = None if wrong else machine_in(rig, geometry)
    if machine is None:
        return
    yield from _apart(rig, machine)
    yield from _too_weak(rig, machine, parked)


def _impossible_bodies(rig: Rig) -> Iterator[Wrong]:
    for number, table in enumerate(rig.body):
        try:
            _body(table)
        except BodyError as error:
            key = f"body.{number}.inertia_kg_m2"
            yield about(key, f"{key} = {list(table.inertia_kg_m2)}: {error}")
    drive = rig.cylinders.drive
    if drive is not None and drive.torque_peak_nm < drive.torque_continuous_nm:
        key = "cylinders.drive.torque_peak_nm"
        yield about(
            key,
            f"{key} = {drive.torque_peak_nm:g} is below torque_continuous_nm = "
            f"{drive.torque_continuous_nm:g}: a peak is the greater one",
        )


def _apart(rig: Rig, machine: Machine) -> Iterator[Wrong]:
    """Compare written shares with what follows, with the legs' own masses and without."""
    with_legs, without = shares_of(rig, machine), shares_of_bodies(rig, machine)
    for name, unit in zip(SHARES, ("N", "kg"), strict=True):
        written = getattr(rig.cylinders, name)
        for leg in range(6):
            ends = sorted((getattr(without, name)[leg], getattr(with_legs, name)[leg]))
            low, high = (
                end - sign * APART_MAX * abs(end) for end, sign in zip(ends, (1, -1), strict=True)
            )
            if not low <= written[leg] <= high:
                most = getattr(with_legs, name)[leg]
                key = f"cylinders.{name}"
                yield about(
                    key,
                    f"{key} = {written[leg]:g} of leg {leg + 1}: bodies and drives say "
                    f"{ends[0]:.4g} (bodies alone) to {ends[1]:.4g} {unit}, more than "
                    f"{APART_MAX:.0%} apart; leave the key out, write {most:.4g}, or correct "
                    "the masses",
                )
                break


def _too_weak(rig: Rig, machine: Machine, parked: Pose) -> Iterator[Wrong]:
    """Find where a drive does not hold the machine at rest, the worst of each leg."""
    places: list[tuple[str, Pose]] = [
        ("at neutral", rig.neutral.pose()),
        ("where it parks", parked),
        *zip(_names_of_ends(rig), ends_of_box(rig), strict=True),
    ]
    worst: dict[int, tuple[float, str]] = {}
    for where, X_BP in places:
        if not _within_travel(machine.geometry, X_BP):
            continue
        held = forces(machine, PlatformSetpoint.at_rest(X_BP)).sum(axis=0)
        for leg in range(6):
            share = abs(float(held[leg])) / force_limit_n(rig, leg)
            if not share <= max(1.0, worst.get(leg, (1.0, ""))[0]):
                worst[leg] = share, where
    for leg, (share, where) in sorted(worst.items()):
        most_n = force_limit_n(rig, leg)
        yield about(
            "cylinders.force_max_n",
            f"cylinders.force_max_n = {rig.cylinders.force_max_n[leg]:g} of leg {leg + 1}: {where} "
            f"it holds {share * most_n:.0f} N, above the {most_n:.0f} N that the rig permits "
            "(supervision.force_max_n): a lighter load or stronger drives are needed",
        )


def _within_travel(geometry: HexapodGeometry, X_BP: Pose) -> bool:
    lengths = leg_lengths(geometry, X_BP)
    inside = (lengths >= geometry.closed_length_m) & (lengths <= geometry.open_length_m)
    return bool(inside.all())


def _names_of_ends(rig: Rig) -> Iterator[str]:
    for axis, ends in rig.pose_box.model_dump().items():
        for end in ends:
            yield f"at pose_box.{axis} = {end:g}"
