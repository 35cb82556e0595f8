"""A cueing filter as a model: specific force and rates go in, the platform's pose comes out.

The kernel is that of a ride (`platform6dof.cueing.kernels`); there is no governor behind it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
from numba import njit

from hil.config.errors import ConfigError, about
from hil.fmu.program import Array, ModelProgram, Port
from hil.fmu.twin import COORDINATES
from hil.machines.cueing.preset import CueingPreset
from hil.machines.rig.settings import Rig
from platform6dof.cueing import kernels
from platform6dof.cueing.classical import classical_table
from platform6dof.cueing.parameters import CueingError
from platform6dof.cueing.vehicle import GRAVITY_M_S2

NEUTRAL: Final = kernels.TABLE_SIZE
"""Of the constants: the filter's table stands before, the neutral pose behind."""
WORK: Final = kernels.MEMORY_SIZE
"""Of the memory: what the filter remembers stands before, its scratch behind."""
MEMORY: Final = WORK + kernels.WORK_SIZE


# Not cached: it calls kernels of other files.
@njit(error_model="numpy")
def cueing(
    task: int, constants: Array, given: Array, outputs: Array, memory: Array, step_s: float
) -> int:
    """One call of the filter's model; see `ModelProgram.function`."""
    for k in range(6):
        if not np.isfinite(given[k]):
            return 0
    if task == 2:
        return 1
    rows = outputs.reshape(3, 6)
    if task == 0:
        for k in range(18):
            outputs[k] = 0.0
    elif not kernels.classical(
        given[0], given[1], given[2], given[3], given[4], given[5], 1.0,
        constants[:NEUTRAL], memory[:WORK], memory[WORK:MEMORY], rows,
    ):  # fmt: skip
        return 0
    for k in range(6):
        outputs[k] += constants[NEUTRAL + k]
    return 1


def cueing_program(rig: Rig, preset: CueingPreset, source: str, period_s: float) -> ModelProgram:
    """The program of a preset on a rig.

    Args:
        rig: its neutral pose is where the rider is at rest.
        preset: of the classical algorithm.
        source: the preset's file or name, for errors.
        period_s: of its only step [s].

    Raises:
        ConfigError: for another algorithm, or a period out of the filter's bounds.
    """
    if preset.algorithm != "classical":
        line = f"algorithm = {preset.algorithm!r}: only a classical filter can be exported: "
        line += "name a preset of that algorithm, such as base or tight"
        raise ConfigError(source, [about("algorithm", line)])
    try:
        table = classical_table(preset.classical(), period_s)
    except CueingError as error:
        raise ConfigError(source, [str(error)]) from None
    inputs = (
        Port("f_x", "m/s2", "Specific force at the head, forward"),
        Port("f_y", "m/s2", "Specific force at the head, right"),
        Port("f_z", "m/s2", "Specific force at the head, down", -GRAVITY_M_S2),
        Port("p", "rad/s", "Roll rate of the vehicle in its own axes"),
        Port("q", "rad/s", "Pitch rate"),
        Port("r", "rad/s", "Yaw rate"),
    )
    outputs = [
        Port(f"{name}{order}", unit + slash, f"{word}{name} of the platform in the base")
        for order, slash, word in (
            ("", "", ""), ("_rate", "/s", "Rate of "), ("_second_rate", "/s2", "Second rate of "),
        )
        for name, unit in zip(COORDINATES, ("m",) * 3 + ("rad",) * 3, strict=True)
    ]  # fmt: skip
    return ModelProgram(
        name="cueing",
        about=f"Motion cueing {preset.name} for {rig.name}, without governor ({Path(source).name})",
        inputs=inputs,
        outputs=tuple(outputs),
        constants=np.concatenate([table, rig.neutral.coordinates()]),
        memory=MEMORY,
        function=cueing,
        period_s=period_s,
        longest_step_s=1e6 * period_s,
        default_step_s=period_s,
    )
