"""Rerun of a recording, with all its edits and changes, and comparison bit by bit."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError, RefusedError
from hil.config.file_search import find_file
from hil.config.files import read_regular
from hil.config.inputs import InputFile, collected
from hil.diagram.check.flat import ModelBlock
from hil.diagram.run.changer import changes_of
from hil.fmu.description import MAX_FILE_BYTES
from hil.recording.reader import Recording
from hil.run.edit_texts import edits_of
from hil.run.registry import station_or_none
from hil.stations.world.editing.plans import plan_from_header
from hil.stations.world.plan.planned_motions import FreeMotion
from hil.stations.world.plan.scenario import WorldPlan
from hil.stations.world.run.session import run_world
from hil.stations.world.signals import STATION
from sim.world.robots.faults import RobotDocumentError


@dataclass(frozen=True, slots=True)
class SignalDiffers:
    """Signal that is not the same."""

    name: str
    row: int
    """Number of the first row that differs."""


@dataclass(frozen=True, slots=True)
class Rerun:
    """Comparison of a second run with its recording."""

    recording: Path
    """Path of the second recording."""
    rows: tuple[int, int]
    """Number of rows of the first and the second."""
    differs: tuple[SignalDiffers, ...]
    """Signals that are not the same bit by bit in the rows that both have."""

    @property
    def same(self) -> bool:
        """Whether all rows and all bits are the same."""
        return not self.differs and self.rows[0] == self.rows[1]


def rerun(path: Path, folder: Path, *, trusted: bool = False) -> Rerun:
    """Run the plan of a recording again on the virtual clock, and compare.

    Args:
        folder: folder for the second recording.
        trusted: whether a person trusts the native code of its FMUs, which run where they lay.

    Raises:
        RefusedError: if an operator led it, who cannot be repeated, or it cannot be run.
        ConfigError: if it is of another station, or its texts are incomplete.
    """
    with collected() as inputs:
        first = Recording.open(path)
        inputs.inherit(recorded_input_files(first))
        plan = _with_models(plan_of_recording(first), first, trusted=trusted)
        result = run_world(_as_long(plan, first), folder)
    second = Recording.open(result.recorder.path)
    return Rerun(second.path, (first.cycles, second.cycles), tuple(_differences(first, second)))


def recorded_input_files(recording: Recording) -> tuple[InputFile, ...]:
    """Files whose content is in a recording; old ones list their meshes in the plan."""
    if recording.files is not None:
        return recording.files
    try:
        rows = recording.header.scenario.get("carries", [])
        return tuple(InputFile.of({**row, "held": True}) for row in rows)
    except (TypeError, ValueError) as error:
        raise ConfigError(str(recording.path), [f"carries: {error}"]) from None


def plan_of_recording(recording: Recording) -> WorldPlan:
    """Plan of a recording on the virtual clock, with edits and changes; raises as `rerun`.

    Files that it names are taken from the recording's folder, whatever path it gives.
    """
    name = recording.header.signals.station
    station = station_or_none(name)
    if name != STATION and (station is None or station.extends != STATION):
        problem = f"is of station {name}; {STATION}, or one that extends it, is needed"
        raise ConfigError(str(recording.path), [problem])
    try:
        plan = plan_from_header(recording.header.scenario)
    except RobotDocumentError as error:
        raise ConfigError(str(recording.path), [str(error)]) from None
    if plan.live:
        problem = f"{recording.path}: somebody led it, and nobody can do quite the same again"
        raise RefusedError(problem)
    scenario = plan.scenario.model_copy(update={"clock": "virtual"})
    edits, changes = edits_of(recording), changes_of(recording)
    return replace(
        plan, scenario=scenario, edits=edits, changes=changes, carried_in=recording.path
    )  # fmt: skip


def _as_long(plan: WorldPlan, recording: Recording) -> WorldPlan:
    """Plan that ends with the last row of a recording, whose own end somebody judged.

    A run of this station ends by its motion, and so does its rerun.
    """
    scenario = plan.scenario
    if recording.header.signals.station == STATION or not isinstance(scenario.motion, FreeMotion):
        return plan
    duration_s = (recording.cycles - 1) * scenario.step_s
    motion = scenario.motion.model_copy(update={"duration_s": duration_s})
    return replace(plan, scenario=scenario.model_copy(update={"motion": motion}))


def _with_models(plan: WorldPlan, recording: Recording, *, trusted: bool) -> WorldPlan:
    """Plan with its FMUs, which no recording holds, from where they lay if they are the same."""
    used = plan.diagram
    if used is None or not used.sound.flat.models:
        return plan
    flat, diagram = used.sound.flat, Path(str(used.path))
    models = {
        path: _unchanged(one, diagram, recording, trusted=trusted)
        for path, one in flat.models.items()
    }
    sound = replace(used.sound, flat=replace(flat, models=models))
    return replace(plan, diagram=replace(used, sound=sound), trusted=trusted)


def _unchanged(
    block: ModelBlock, diagram: Path, recording: Recording, *, trusted: bool
) -> ModelBlock:
    """Block with its file of then, whose digest is compared; nothing of it is loaded.

    Args:
        diagram: path of its diagram, which may name files beside it.

    Raises:
        RefusedError: with the file, its digest and what to do.
    """
    name = str(block.file)
    known = [one for one in recording.files or () if one.kind == "fmu"]
    ran = next((one.sha256 for one in known if Path(one.name).name == block.file.name), "")
    place, remedy = f"{recording.path}: {block.path}: {name}", "run its scenario again"
    if not ran:
        problem = f"is not in the recording, nor is the digest with which it ran: {remedy}"
        raise RefusedError(f"{place} {problem}")
    put = f"put the file with sha256 {ran} there, or {remedy}"
    try:
        file = find_file(name, beside=diagram, folder="diagrams", key="file", kind="fmu")
        found = hashlib.sha256(read_regular(file, MAX_FILE_BYTES)).hexdigest()
    except (OSError, ConfigError) as error:
        problem = f"is not in the recording, and is not to be read beside {diagram} ({error})"
        raise RefusedError(f"{place} {problem}: {put}") from None
    if found != ran:
        problem = f"ran with sha256 {ran}, and {file} has {found} now"
        raise RefusedError(f"{place} {problem}: {put}")
    if not trusted:
        problem = (
            f"is native code at {file} (sha256 {ran}, as it ran), which can do all that you can"
        )
        raise RefusedError(f"{place} {problem} do. If you trust it, add --trust")
    return replace(block, file=file, parameters={**block.parameters, "sha256": ran})


def _differences(first: Recording, second: Recording) -> Iterator[SignalDiffers]:
    """Signals that differ in the rows that both have, with the first such row.

    What a station that extends this one adds to a row is not computed again, and left out; so is
    the last mode of its run, which somebody ended who judged it, and the rerun's length.
    """
    own = first.header.signals.station == STATION
    with_mode = first.cycles - (not own)
    fields = [one for one in first.header.signals.fields if own or one.name in second.columns]
    found = {one.name: 0 for one in fields if one.name not in second.columns}
    for piece in first.pieces():
        rows = piece.rows
        beside = second.part(piece.start, piece.start + rows.cycles)
        for name in [one.name for one in fields if one.name not in found]:
            most = with_mode - piece.start if name == "mode" else None
            row = _first_unlike(rows.column(name)[:most], beside.column(name))
            if row is not None:
                found[name] = piece.start + row
    yield from (SignalDiffers(one.name, found[one.name]) for one in fields if one.name in found)


def _first_unlike(one: NDArray[np.generic], other: NDArray[np.generic]) -> int | None:
    """First row in which two columns differ by a bit, of those that both have."""
    count = min(len(one), len(other))
    if not count:
        return None
    first, second = _bits(one[:count]), _bits(other[:count])
    if first.shape != second.shape:
        return 0
    unlike = np.flatnonzero((first != second).any(axis=1))
    return int(unlike[0]) if unlike.size else None


def _bits(column: NDArray[np.generic]) -> NDArray[np.uint8]:
    rows = np.ascontiguousarray(column).view(np.uint8)
    return rows.reshape(len(column), -1)
