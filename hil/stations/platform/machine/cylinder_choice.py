"""Sizing of cylinders for motions, their stops and a box of poses, each with its own masses."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hil.config.errors import ConfigError
from hil.machines.rig.cylinders import ListedCylinder
from hil.machines.rig.masses import decelerations_in
from hil.machines.rig.settings import Rig
from hil.stations.platform.machine.cylinder_candidates import (
    CylinderCandidate,
    assumed_masses,
    candidates_of,
)
from hil.stations.platform.machine.cylinder_demands import (
    MotionDemand,
    MotionTrack,
    demand_of,
    stop_forces,
)
from hil.stations.platform.machine.cylinder_fit import CylinderFit, Needed, StopReserve, fit_of
from platform6dof.dynamics.machine import LegBodies, Machine
from platform6dof.dynamics.stop_shortage import StopShortage
from platform6dof.sizing.box_demand import BoxDemand, SingularBoxError
from platform6dof.sizing.demand import Demand, DemandFigures
from platform6dof.sizing.motor_demand import MotorDemand
from platform6dof.workspace import PoseBox


class SizingRequest(NamedTuple):
    """Cylinders that are asked for."""

    rig: Rig
    """Rig on which they are, with its margins and decelerations."""
    machine: Machine
    """Its bodies; the legs' own masses are added."""
    tracks: Sequence[MotionTrack]
    """Motions."""
    box: PoseBox | None
    """Box of poses in which it may rest, if one is asked for."""
    listed: Sequence[ListedCylinder]
    """Cylinders to choose from."""
    life_h: float
    """Hours of the motions that a screw has to last [h]."""


class MotionRow(NamedTuple):
    """A motion, what it asks on the rig's own legs, and what its stops ask."""

    found: MotionDemand
    """Demand of the motion."""
    figures: DemandFigures
    """Its greatest numbers."""
    stop_n: float
    """Greatest force of a stop begun at any moment [N]."""


class Sizing(NamedTuple):
    """What is asked of cylinders, and which do it."""

    motions: list[MotionRow]
    """Motions, on legs with the masses of the rig's, without rotors and friction."""
    box: BoxDemand | None
    """The box of poses, likewise."""
    needed: Needed
    """All of them together."""
    assumed: tuple[str, ...]
    """Masses of the rig's legs that are in these numbers; none: the legs are without weight."""
    fits: list[CylinderFit]
    """Cylinders, each beside what it needs itself: those that fit, the one with the least reserve
    first; then the others, the nearest first."""


def size_cylinders(request: SizingRequest) -> Sizing:
    """Find what motions, stops and a box ask of cylinders, and compare each with it.

    Raises:
        ConfigError: a motion or a box passes a singular pose.
    """
    own, assumed = assumed_masses(request.rig.cylinders.drive)
    machine = _with_legs(request.machine, LegBodies(**own))
    limits = decelerations_in(request.rig)
    rows = list[MotionRow]()
    for track in request.tracks:
        found = demand_of(track, request.rig, machine)
        rows.append(MotionRow(found, found.demand.figures(), stop_forces(track, machine, limits)))
    box = _box_demand(machine, request.box)
    stop_n = max((row.stop_n for row in rows), default=0.0)
    needed = _needed(request, [row.figures for row in rows], box, stop_n)
    candidates = candidates_of(request.listed, request.rig.cylinders.drive, needed.stroke_m)
    groups = dict[LegBodies, list[CylinderCandidate]]()
    for candidate in candidates:
        groups.setdefault(candidate.legs, []).append(candidate)
    fits = [fit for legs, group in groups.items() for fit in _fits(request, needed, legs, group)]
    fits.sort(key=lambda fit: (not fit.fits, fit.margin if fit.fits else -fit.margin))
    return Sizing(rows, box, needed, assumed, fits)


def _fits(
    request: SizingRequest, needed: Needed, legs: LegBodies, group: list[CylinderCandidate]
) -> list[CylinderFit]:
    """Compare cylinders whose legs have the same masses."""
    machine = _with_legs(request.machine, legs)
    judges = [_judge(request, needed, machine, one) for one in group]
    demands = [Demand.of(machine, track.setpoints, track.step_s) for track in request.tracks]
    limits = decelerations_in(request.rig)
    stops_n = [stop_forces(track, machine, limits, judges) for track in request.tracks]
    box, stop_n = _box_demand(machine, request.box), max(stops_n, default=0.0)
    found = list[CylinderFit]()
    for candidate, judge in zip(group, judges, strict=True):
        figures, motors = list[DemandFigures](), list[MotorDemand]()
        for demand in demands:
            motor = candidate.train.motor(demand.loads)
            figures.append(demand.with_friction(motor.friction_n).figures())
            motors.append(MotorDemand.of(motor, demand.step_s))
        own = _needed(request, figures, box, stop_n)
        if box is not None:
            motors.append(MotorDemand.holding(box.hold_n / candidate.train.turns_rad_m))
        stop = StopReserve.of(judge) if _has_moments(machine) else None
        found.append(fit_of(candidate, own, MotorDemand.all_of(motors), stop, request.life_h))
    return found


def _judge(
    request: SizingRequest, needed: Needed, machine: Machine, candidate: CylinderCandidate
) -> StopShortage:
    """Judge of a cylinder's stops; its travel is the rig's, and what is needed beyond that."""
    geometry, figures = machine.geometry, needed.figures
    travel_m = (
        np.minimum(geometry.closed_length_m, figures.shortest_m - needed.margin_m),
        np.maximum(geometry.open_length_m, figures.longest_m + needed.margin_m),
    )
    window_m = request.rig.supervision.following_base_m
    gives_n = np.full(6, candidate.gives_n)
    return StopShortage(machine, decelerations_in(request.rig), gives_n, window_m, travel_m)


def _has_moments(machine: Machine) -> bool:
    """Whether what lacks force still turns the platform with a bounded acceleration."""
    return any(machine.legs.row()) or any(one.inertia_kg_m2.any() for one in machine.bodies)


def _with_legs(machine: Machine, legs: LegBodies) -> Machine:
    return Machine(machine.geometry, machine.bodies, legs)


def _needed(
    request: SizingRequest, figures: list[DemandFigures], box: BoxDemand | None, stop_n: float
) -> Needed:
    every = figures if box is None else [*figures, box.figures()]
    return Needed(DemandFigures.all_of(every), stop_n, request.rig.limits.soft_margin_m)


def _box_demand(machine: Machine, box: PoseBox | None) -> BoxDemand | None:
    if box is None:
        return None
    try:
        return BoxDemand.of(machine, box)
    except SingularBoxError as error:
        x, y, z, *turns = error.coordinates.tolist()
        place = f"x {x:.3f}, y {y:.3f}, z {z:.3f} m"
        angles = ", ".join(f"{np.degrees(turn):.2f}°" for turn in turns)
        raise ConfigError(
            "--box",
            [f"{place}, alpha, beta, gamma {angles}: the pose is singular, no forces of the legs "
             "hold the platform; a smaller box is needed (--scale)"],
        ) from None  # fmt: skip
