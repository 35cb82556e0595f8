"""One motion of the arm with each omission in turn, beside the whole model and its reference.

Whatever is left out, the integrator is SDIRK2 with the usual accuracy, as for the whole model, so
that their distance is that of the omission. Two variants are of the scheme of 1993: the whole of
it, and its mass matrix once a tick alone, beside the same scheme with a fresh one at each step.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hil_arm_study.compare import FollowedMotion, GripperPath, SimulatedCase, deviation, follow
from sim.world.space_arm.arm import Arm, Body
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.error_bound import ErrorBound
from sim.world.space_arm.integrators import Accuracy, Integrator, Sdirk2
from sim.world.space_arm.integrators_1993 import Euler1993
from sim.world.space_arm.omissions import (
    Omission,
    ReducedModel,
    historical_omission,
    omissions_of,
)
from sim.world.space_arm.reference_integrators import reference_pair
from sim.world.space_arm.simulator import TICK_S, levers_m

Array = NDArray[np.float64]

NOTHING = "nothing"
"""Name of the variant that leaves nothing out: what integration alone costs."""
ALL_AT_ONCE = "all-as-in-1993"
"""Name of the variant with the dynamics of 1993: no Coriolis, held coefficients, simple masses."""
SCHEME_1993 = "scheme-of-1993"
"""Name of the same by the integrator of 1993."""
MATRIX_PER_TICK = "matrix-once-a-tick"
"""Name of the mass matrix of each tick's beginning, held for the whole of it."""
STEP_1993_S = 0.035
FINE_STEP_S = 2e-3
"""Step at which the scheme of 1993 shows what its held mass matrix costs [s]."""
PERCENT = ErrorBound(100.0, percent=True)


@dataclass(frozen=True, slots=True)
class Variant:
    """Something that is left out, or several things at once."""

    name: str
    """Name in tables."""
    omitted: frozenset[Omission]
    """Things that are left out."""


def _joined(*omitted: Omission) -> Variant:
    return Variant("+".join(one.value for one in omitted), frozenset(omitted))


def variants_of(model: DriveModel, arm: Arm, payload: Body | None) -> list[Variant]:
    """List what can be left out of a model with a payload: alone, in pairs, all at once."""
    effects = model.effects
    there = [
        one
        for one in omissions_of(effects)
        if payload is not None or one is not Omission.MASSLESS_LINKS
    ]
    masses = historical_omission(arm, payload)
    coriolis, held = Omission.CORIOLIS, Omission.COEFFICIENTS
    found = [Variant(NOTHING, frozenset()), *map(_joined, there)]
    found += [_joined(coriolis, held), _joined(coriolis, masses), _joined(held, masses)]
    if {Omission.BACKLASH, Omission.ELASTICITY} <= set(there):
        found.append(_joined(Omission.BACKLASH, Omission.ELASTICITY))
    found.append(Variant(ALL_AT_ONCE, frozenset((coriolis, held, masses))))
    if Omission.FRICTION not in there and Omission.INDUCTANCE not in there:
        found.append(Variant(SCHEME_1993, found[-1].omitted))
    if not set(there) & {Omission.BACKLASH, Omission.ELASTICITY, Omission.INDUCTANCE}:
        found.append(Variant(MATRIX_PER_TICK, frozenset((coriolis, held))))
    return found


class Errors(NamedTuple):
    """Distance of two paths at every tick."""

    mm: Array
    """Distance of the gripper's places [mm], shape (N,)."""
    deg: Array
    """Angle between its orientations [deg], shape (N,)."""
    percent: Array
    """Largest coordinate of the distance over the largest range [%], shape (N,)."""


class OmittedRun(NamedTuple):
    """A motion with something left out."""

    errors: Errors
    """Distance to the whole model, by the same integrator."""
    to_reference: Errors
    """Distance to the reference of the whole model."""
    failed: bool
    """Whether the integrator found no solution."""


class OmissionCase(NamedTuple):
    """A motion, and all that can be left out of it."""

    runs: dict[str, OmittedRun]
    """By the names of the variants."""
    reference: Errors
    """Distance of the two references of the whole model."""
    failed: bool
    """Whether the whole model or a reference has no solution."""


def examine(case: SimulatedCase) -> OmissionCase:
    """Simulate a motion of the whole model, by references, and with each omission."""
    case = replace(case, arm=replace(case.arm))  # a worker's arrays are not read-only otherwise
    arm, effects = case.arm, case.model.effects
    best, other = (follow(case, one) for one in reference_pair(arm, effects))
    usual = follow(case, Sdirk2(levers_m(arm)))
    runs = dict[str, OmittedRun]()
    for variant in variants_of(case.model, arm, case.payload):
        if variant.name == MATRIX_PER_TICK:
            run, fresh = (
                follow(case, Euler1993(FINE_STEP_S, age)) for age in (TICK_S, FINE_STEP_S)
            )
            apart = _errors(run.path, fresh.path)
            runs[variant.name] = OmittedRun(apart, apart, run.failed or fresh.failed)
            continue
        run = _left_out(case, variant)
        runs[variant.name] = OmittedRun(
            _errors(run.path, usual.path), _errors(run.path, best.path), run.failed
        )
    failed = usual.failed or best.failed or other.failed
    return OmissionCase(runs, _errors(other.path, best.path), failed)


def _left_out(case: SimulatedCase, variant: Variant) -> FollowedMotion:
    """Simulate a motion without what a variant leaves out."""
    model = ReducedModel.of(case.model.effects, variant.omitted)
    reduced = replace(case, arm=model.loaded(case.arm, case.payload), payload=None)
    integrator: Integrator
    if variant.name == SCHEME_1993:
        integrator = Euler1993(STEP_1993_S)
    else:
        integrator = Sdirk2(levers_m(case.arm), model.accuracy(Accuracy()))
    return follow(reduced, integrator, effects=model.drive_effects())


def _errors(path: GripperPath, wanted: GripperPath) -> Errors:
    apart = deviation(path, wanted)
    percent = PERCENT.errors(path.position_m[1:], wanted.position_m[1:])
    return Errors(apart.position_mm, apart.orientation_deg, percent)
