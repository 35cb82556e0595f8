"""An FMU as the source of a ride: its file, what of it is what, and its process.

It begins when the platform follows. Whatever becomes of it, the ride continues without it: the last
motion fades out, and the platform parks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from hil.config.errors import ConfigError, RefusedError, about
from hil.config.file_search import find_file
from hil.config.named_files import MissingError
from hil.fmu.description import Description, read_description, require_runnable
from hil.fmu.model_steps import Stepping
from hil.fmu.pace import steps_of
from hil.fmu.process import ModelProcess
from hil.fmu.variable_map import map_variables
from hil.fmu.wire import ModelOrder
from hil.stations.simulator.plan.fmu_settings import (
    ACCELERATIONS,
    ANGLES,
    OPERATOR,
    OUTPUTS,
    PLACES,
    POSE,
    FmuSettings,
    TakenInput,
    operator_inputs,
)
from hil.stations.simulator.plan.force_remedies import fmu_remedy
from hil.stations.simulator.plan.source import BY_FORCES, SourceKind, Surroundings
from hil.stations.simulator.sources.fmu_vehicle import FmuVehicle
from platform6dof.cueing.completion import Completion


def model_of(settings: FmuSettings, file: Path) -> Description:
    """Read the settings' FMU, checked; nothing of it is run.

    Raises:
        ConfigError: with the place, the value and what would have been right.
    """
    path = find_file(settings.file, beside=file, folder="fmus", key="source.file", ending=".fmu")
    model = read_description(path)
    require_runnable(model)
    if settings.sha256 and settings.sha256 != model.sha256:
        line = f"source.sha256 is not that of {path}, which is {model.sha256}: look at the file"
        raise ConfigError(str(file), [about("source.sha256", line)])
    return model


def require_trust(model: Description, file: Path, *, trusted: bool) -> None:
    """Refuse to load native code that nobody answers for.

    Raises:
        RefusedError: saying how to.
    """
    if not trusted:
        raise RefusedError(
            f"{file}: {model.path} is native code, which can do all that you can do. If you trust "
            f'it, add --trust; sha256 = "{model.sha256}" in [source] refuses every other file'
        )


@contextmanager
def opened(settings: FmuSettings, around: Surroundings) -> Iterator[FmuVehicle]:
    """Start the model in its process.

    Raises:
        ConfigError: if something in the settings cannot be.
        RefusedError: if its code is not trusted, or it does not begin.
    """
    file = around.scenario_file
    model = model_of(settings, file)
    source = f"{file}: source"
    said = settings.between is not None
    steps = steps_of(model, around.period_s, settings.step_s, source, between=said)
    _require_force(settings, file)
    _require_attitude(settings, file)
    outputs = map_variables(model, settings.outputs, OUTPUTS, "source.outputs", "output")
    inputs = map_variables(
        model, settings.inputs, _takes(settings.inputs), "source.inputs", "input"
    )
    for name in settings.start:
        model.settable(name, "source.start")
    require_trust(model, file, trusted=around.trusted)
    completion = Completion(around.period_s, around.head_m)
    order = ModelOrder(
        path=str(model.path), sha256=model.sha256, step_s=steps.step_s, substeps=steps.in_cycle,
        outputs=tuple(one.variable.name for one in outputs),
        inputs=tuple(one.variable.name for one in inputs), start=dict(settings.start),
    )  # fmt: skip
    with ModelProcess(order) as process:
        stepping = Stepping(
            process, process.first, settings.deadline_s,
            virtual=around.virtual, cycles=steps.cycles,
        )  # fmt: skip
        line = settings.between == "line" and steps.cycles > 1
        yield FmuVehicle(stepping, outputs, inputs, completion, around, steps.cycles, line=line)


def _takes(inputs: dict[str, TakenInput | str]) -> dict[str, str]:
    """Return the kinds of all that can go back in, with the operator's inputs that are named."""
    kinds = {name: "length" if at < 3 else "angle" for at, name in enumerate(POSE)}
    return kinds | {name: "number" for name in inputs if name.startswith(OPERATOR)}


def _require_force(settings: FmuSettings, file: Path) -> None:
    """Refuse a table that gives no force.

    Raises:
        ConfigError: with what would give one.
    """
    groups = ("f_x", "f_y", "f_z", *ACCELERATIONS, "v_x")
    if any(name in settings.outputs for name in groups) or set(PLACES) <= set(settings.outputs):
        return
    line = f"source.outputs gives no force; one of {', '.join(groups)}, or {', '.join(PLACES)} is"
    raise ConfigError(str(file), [about("source.outputs", f"{line} needed")])


def _require_attitude(settings: FmuSettings, file: Path) -> None:
    """Refuse an angle that is no attitude by itself.

    Raises:
        ConfigError: with the angles that are there.
    """
    there = [name for name in ANGLES if name in settings.outputs]
    if there and not {"roll", "pitch"} <= set(there):
        line = f"source.outputs has {', '.join(there)}: an attitude needs roll and pitch"
        raise ConfigError(str(file), [about("source.outputs", line)])


def lasts_s(settings: FmuSettings, file: Path) -> float:
    """Return infinity: only the model itself knows. Its file is read, if it is there by now.

    Raises:
        ConfigError: for a file that could never be run.
    """
    with suppress(MissingError):
        model_of(settings, file)
    return math.inf


def known_fields(settings: FmuSettings, file: Path) -> frozenset[str]:
    """Return the quantities of the model: a vehicle's motion, and no poses."""
    del settings, file
    return frozenset({BY_FORCES})


KIND: Final = SourceKind(
    FmuSettings, opened, lasts_s, operator_inputs, known_fields, remedy=fmu_remedy
)
"""Object of the entry point."""
