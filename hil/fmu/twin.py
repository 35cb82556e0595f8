"""The platform as a model: a pose goes in; legs, forces, margins and the measured pose come out.

Its kernels are those of a run: coordinates, legs, envelope, simulated cylinders, forward solution.
The drives follow from step to step; all else follows from the inputs at once.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

import numpy as np
from numba import njit

from drives.sim import cylinder
from drives.sim.cylinder_model import SUBSTEP_ANGLE_RAD, SUBSTEPS_MAX
from hil.fmu.program import Array, ModelProgram, Port
from hil.machines.rig.machine import cylinder_model, envelope_of, geometry_of
from hil.machines.rig.settings import Rig
from platform6dof.forward import CONDITION_MAX, MAX_STEPS, TOLERANCE_M
from platform6dof.kernels import envelope, legs, rotation

COORDINATES: Final = ("x", "y", "z", "alpha", "beta", "gamma")
_UNITS: Final = ("m", "m", "m", "rad", "rad", "rad")

# Constants, one flat array.
TABLE: Final = 0  # 6 x 14
PAIRS: Final = 84  # 15 x 2
BASE: Final = 114  # 6 x 3, and so the next three
PLATFORM: Final = 132
BASE_AXES: Final = 150
PLATFORM_AXES: Final = 168
LOW: Final = 186  # 46
HIGH: Final = 232  # 46
CYLINDERS: Final = 278  # 6 x 15
SCALE: Final = 368
CONSTANTS: Final = 369

# Memory.
RODS: Final = 0  # 6 x 8
FOUND: Final = 48  # packed pose and how it was found, 17
COORDINATES_AT: Final = 65  # of the last pose that was found, 6
MEMORY: Final = 71

MARGINS: Final = (
    ("margin_stroke", "m", "Least way of a leg to a soft end of its travel"),
    ("margin_speed", "m/s", "Least margin of the speed of a leg"),
    ("margin_acceleration", "m/s2", "Least margin of the acceleration of a leg"),
    ("margin_base_joint", "rad", "Least margin of the angle of a joint at the base"),
    ("margin_platform_joint", "rad", "Least margin of the angle of a joint at the platform"),
    ("margin_clearance", "m", "Least margin of the distance of two legs"),
    ("margin_singular_value", "1", "Margin of the smallest singular value of the scaled Jacobian"),
)
_ENDS: Final = (0, 6, 12, 18, 24, 30, 45, 46)


# Not cached: it calls kernels of other files.
@njit(error_model="numpy")
def _margins(constants: Array, setpoint: Array, outputs: Array) -> None:
    """Write the smallest margin of each kind of quantity, shape (7,)."""
    table = constants[TABLE:PAIRS].reshape(6, 14)
    poses = setpoint.reshape(1, 24)
    states = legs.leg_states(table, poses)
    rows = legs.leg_rows_of_poses(table, poses)
    measures = envelope.measures(
        constants[BASE:PLATFORM].reshape(6, 3),
        constants[PLATFORM:BASE_AXES].reshape(6, 3),
        constants[BASE_AXES:PLATFORM_AXES].reshape(6, 3),
        constants[PLATFORM_AXES:LOW].reshape(6, 3),
        constants[SCALE], poses, rows, np.inf,
    )  # fmt: skip
    kind = 0
    for k in range(46):
        if k == _ENDS[kind]:
            outputs[kind] = np.inf
            kind += 1
        value = states[0, k // 6, k % 6] if k < 18 else measures[0, k - 18]
        margin = min(value - constants[LOW + k], constants[HIGH + k] - value)
        outputs[kind - 1] = margin if not margin >= outputs[kind - 1] else outputs[kind - 1]


@njit(error_model="numpy")
def _drives(
    task: int, constants: Array, wanted: Array, outputs: Array, memory: Array, step_s: float
) -> None:
    """Move the rods by a step, or set them down; write length, speed, force, shape (3, 6)."""
    rods = memory[RODS:FOUND].reshape(6, 8)
    parameters = constants[CYLINDERS:SCALE].reshape(6, 15)
    if task == 0:
        for leg in range(6):
            rods[leg, cylinder.X] = rods[leg, cylinder.REF] = wanted[0, leg]
            rods[leg, cylinder.V] = rods[leg, cylinder.VREF] = 0.0
            rods[leg, cylinder.FORCE] = parameters[leg, cylinder.LOAD]
            outputs[0, leg], outputs[1, leg] = wanted[0, leg], 0.0
            outputs[2, leg] = parameters[leg, cylinder.LOAD]
        return
    omega = math.sqrt(parameters[0, cylinder.OMEGA_SQUARED])
    substeps = max(1, math.ceil(omega * step_s / SUBSTEP_ANGLE_RAD))
    mode, events = np.ones(6, np.int64), np.zeros(6, np.int64)
    length = (wanted[0, 0], wanted[0, 1], wanted[0, 2], wanted[0, 3], wanted[0, 4], wanted[0, 5])
    speed = (wanted[1, 0], wanted[1, 1], wanted[1, 2], wanted[1, 3], wanted[1, 4], wanted[1, 5])
    cylinder.advance(rods, mode, parameters, length, speed, events, outputs, step_s, substeps)


@njit(error_model="numpy")
def _measured_pose(constants: Array, measured: Array, outputs: Array, memory: Array) -> None:
    """Write the pose of measured lengths, and whether it was found; it keeps the last one."""
    found = memory[FOUND:COORDINATES_AT]
    out = np.empty(17)
    legs.pose_of_lengths(
        constants[TABLE:PAIRS].reshape(6, 14),
        constants[PAIRS:BASE].reshape(15, 2),
        measured, found[:3], found[3:12].reshape(3, 3),
        constants[SCALE], TOLERANCE_M, MAX_STEPS, out,
    )  # fmt: skip
    good = out[15] == legs.CONVERGED and out[14] <= CONDITION_MAX
    coordinates = memory[COORDINATES_AT:MEMORY]
    if good:
        for k in range(17):
            found[k] = out[k]
        rotation.coordinates_of_pose(found[:3], found[3:12].reshape(3, 3), coordinates)
    for k in range(6):
        outputs[k] = coordinates[k]
    outputs[6] = 1.0 if good else 0.0


@njit(error_model="numpy")
def twin(
    task: int, constants: Array, given: Array, outputs: Array, memory: Array, step_s: float
) -> int:
    """One call of the platform's model; see `ModelProgram.function`."""
    rows = given.reshape(3, 6)
    setpoint = np.empty(24)
    if not rotation.setpoint_of_coordinates(rows, setpoint):
        return 0
    wanted = outputs[:18].reshape(3, 6)
    legs.leg_state(constants[TABLE:PAIRS].reshape(6, 14), setpoint, wanted)
    _margins(constants, setpoint, outputs[43:50])
    if task == 2:
        return 1
    if task == 0:
        for k in range(12):
            memory[FOUND + k] = setpoint[k]
        for k in range(6):
            memory[COORDINATES_AT + k] = rows[0, k]
    frame = outputs[18:36].reshape(3, 6)
    _drives(task, constants, wanted, frame, memory, step_s)
    _measured_pose(constants, frame[0].copy(), outputs[36:43], memory)
    return 1


def twin_program(rig: Rig, file: Path, period_s: float) -> ModelProgram:
    """The program of a rig's platform.

    Args:
        rig: checked.
        file: it stands in, for the description.
        period_s: that the default experiment names [s]; any step is taken.
    """
    geometry = geometry_of(rig)
    low, high = envelope_of(rig, geometry).bounds
    constants = np.concatenate([
        geometry.table.ravel(),
        geometry.pair_limits_m.ravel(),
        geometry.base_joints_m.ravel(),
        geometry.platform_joints_m.ravel(),
        geometry.neutral_axes[0].ravel(),
        geometry.neutral_axes[1].ravel(),
        low,
        high,
        cylinder_model(rig, period_s).parameters().ravel(),
        [geometry.length_scale_m],
    ])  # fmt: skip
    if len(constants) != CONSTANTS:
        raise AssertionError(f"{len(constants)} constants, {CONSTANTS} are expected")
    neutral = rig.neutral.coordinates()
    inputs = [
        Port(name, unit, f"Wanted {name} of the platform in the base", float(neutral[k]))
        for k, (name, unit) in enumerate(zip(COORDINATES, _UNITS, strict=True))
    ]
    for order, word, slash in (("rate", "rate", "/s"), ("second_rate", "second rate", "/s2")):
        inputs += [
            Port(f"{name}_{order}", unit + slash, f"Wanted {word} of {name}")
            for name, unit in zip(COORDINATES, _UNITS, strict=True)
        ]
    return ModelProgram(
        name=f"{_identifier(rig.name)}_twin",
        about=f"Platform {rig.name}: pose to legs, forces, margins, measured pose ({file.name})",
        inputs=tuple(inputs),
        outputs=_outputs(),
        constants=constants,
        memory=MEMORY,
        function=twin,
        period_s=None,
        longest_step_s=_longest_step_s(rig),
        default_step_s=period_s,
    )


def _longest_step_s(rig: Rig) -> float:
    """So that a drive's step needs no more of its own than a bank of simulated ones permits."""
    omega = 2.0 * math.pi * rig.cylinders.natural_frequency_hz
    return SUBSTEPS_MAX * SUBSTEP_ANGLE_RAD / omega


def _outputs() -> tuple[Port, ...]:
    bears = "the rig's moving_mass_kg times its acceleration, and static_load_n"
    kinds = (
        ("length", "m", "Length of leg {} for the wanted pose"),
        ("speed", "m/s", "Its rate"),
        ("acceleration", "m/s2", "Its second rate"),
        ("measured_length", "m", "Length of leg {} that its simulated drive has reached"),
        ("measured_speed", "m/s", "Its rate"),
        ("force", "N", f"Force of the simulated drive of leg {{}}, not of a load on it: {bears}"),
    )
    ports = [
        Port(f"{name}_{leg}", unit, about.format(leg))
        for name, unit, about in kinds
        for leg in range(1, 7)
    ]
    ports += [
        Port(f"measured_{name}", unit, f"{name} of the platform, found from measured lengths")
        for name, unit in zip(COORDINATES, _UNITS, strict=True)
    ]
    ports.append(Port("measured_found", "1", "1 if the measured lengths have a pose, else 0"))
    ports += [Port(name, unit, about) for name, unit, about in MARGINS]
    return tuple(ports)


def _identifier(name: str) -> str:
    """A name as C and FMI take it."""
    kept = "".join(one if one.isascii() and one.isalnum() else "_" for one in name)
    return kept if kept[:1].isalpha() else f"rig_{kept}"
