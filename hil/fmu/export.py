"""A program as an FMU file, judged before anybody gets it."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from hil.config.errors import ConfigError, RefusedError
from hil.config.files import write_whole
from hil.fmu.describe import description
from hil.fmu.description import DESCRIPTION, PLATFORMS, read_description
from hil.fmu.extra import require_fmpy
from hil.fmu.process import ModelProcess
from hil.fmu.program import Array, ModelProgram, Playing
from hil.fmu.shared_library import library, require_compilers, token_of
from hil.fmu.wire import ModelOrder
from hil.ipc.work_folder import WorkFolder

JUDGED_STEPS: Final = 200
JUDGED_TO: Final = 1e-12
"""Relative to the largest value of an output, and absolute below 1."""
_NO_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest that a zip archive can tell: of all files, so that their bytes do not change."""


@dataclass(frozen=True, slots=True)
class Exported:
    """An FMU that was made."""

    path: Path
    sha256: str
    variables: int
    judged_steps: int
    """Steps in which it said what the kernels say."""
    largest_difference: float
    """Between the two, relative to the largest value of the output or to 1."""


def export(program: ModelProgram, major: int, path: Path, version: str) -> Exported:
    """Make an FMU, run it against the kernels, and only then put it into its place.

    Args:
        major: of FMI, 2 or 3.
        path: of the file; one that is there is replaced.
        version: of the bench.

    Raises:
        RefusedError: if it cannot be made here, or does not say what the kernels say.
        ConfigError: if the file cannot be written.
    """
    require_fmpy()
    require_compilers()
    token = token_of(program, major)
    with WorkFolder("hil-export-") as work:
        folder = work.path
        made = library(program, major, token, folder)
        archive = folder / f"{program.name}.fmu"
        _pack(archive, made, description(program, major, token, version), str(major))
        largest = judged(program, archive)
        try:
            write_whole(path, archive.read_bytes())
        except OSError as error:
            raise ConfigError(str(path), [f"cannot be written: {error.strerror}"]) from None
    model = read_description(path)
    return Exported(path, model.sha256, len(model.variables), JUDGED_STEPS, largest)


def judged(program: ModelProgram, archive: Path) -> float:
    """The largest difference of an FMU from the kernels, over a course of random inputs.

    Raises:
        RefusedError: if it is above `JUDGED_TO`, or the FMU fails.
    """
    model = read_description(archive)
    given = _course(program)
    names = tuple(port.name for port in program.outputs)
    order = ModelOrder(
        path=str(archive), sha256=model.sha256, step_s=program.default_step_s, substeps=1,
        outputs=names, inputs=tuple(port.name for port in program.inputs),
    )  # fmt: skip
    playing = Playing(program)
    wanted, found = [playing.outputs.copy()], []
    with ModelProcess(order) as process:
        found.append(process.first.values)
        for index, row in enumerate(given, 1):
            playing.step(row, program.default_step_s)
            wanted.append(playing.outputs.copy())
            process.ask(index, tuple(row.tolist()))
            answer = process.wait(10.0)
            if not answer.values:
                raise RefusedError(f"the exported model fails in step {index}: {answer.text}")
            found.append(answer.values)
    wanted_rows, found_rows = np.array(wanted), np.array(found)
    scale = np.maximum(1.0, np.abs(wanted_rows).max(axis=0))
    apart = (np.abs(found_rows - wanted_rows) / scale).max(axis=0)
    worst = int(np.argmax(apart))
    if not apart[worst] <= JUDGED_TO:
        text = f"{names[worst]} differs by {apart[worst]:.3g}, at most {JUDGED_TO:g} is allowed"
        raise RefusedError(f"the exported model does not say what the kernels say: {text}")
    return float(apart[worst])


def _course(program: ModelProgram) -> Array:
    """Inputs that wander smoothly about their start, every one another way."""
    t = np.arange(JUDGED_STEPS)[:, None] / JUDGED_STEPS
    at = np.arange(len(program.inputs))[None, :]
    wander = 0.05 * np.sin(2.0 * np.pi * (1.0 + 0.37 * at) * t) + 0.02 * np.sin(40.0 * t + at)
    return program.start() + wander - wander[:1]


def _pack(archive: Path, made: Path, text: str, major: str) -> None:
    """Two files; the same program gives the same bytes."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in (
            (DESCRIPTION, text.encode()),
            (f"binaries/{PLATFORMS[major]}/{made.name}", made.read_bytes()),
        ):
            info = zipfile.ZipInfo(name, _NO_DATE)
            info.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(info, content)
