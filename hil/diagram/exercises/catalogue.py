"""All exercises, and the files that are handed out: one fault in a law, both drawn by a seed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hil.config.errors import ConfigError
from hil.config.similar_names import nearest
from hil.diagram.exercises.exercise import Exercise, LawFault, draw_of
from hil.diagram.exercises.motor import MOTOR
from hil.diagram.exercises.names import NAMES
from hil.diagram.exercises.valve import VALVE
from hil.diagram.exercises.wall import WALL
from hil.diagram.model import DiagramFile

EXERCISES: Final[Mapping[str, Exercise]] = {one.name: one for one in (MOTOR, VALVE, WALL)}
FAMILIES: Final = tuple(sorted({one.family for one in EXERCISES.values()}))
SEED_MOST: Final = 2**53
_NOTE: Final = "exercise "


def drawn_exercise(name: str, seed: int) -> Exercise:
    """An exercise by its name; of a family the one that the seed draws.

    Raises:
        ConfigError: if there is none of the name.
    """
    if name in EXERCISES:
        return EXERCISES[name]
    family = [one for one in EXERCISES.values() if one.family == name]
    if not family:
        known = (*FAMILIES, *EXERCISES)
        told = f"{name!r:.60}: no such exercise{nearest(name, known)}; there are {', '.join(known)}"
        raise ConfigError("NAME", [told])
    return draw_of(name, seed).choice(family)


def drawn_fault(exercise: Exercise, seed: int) -> LawFault:
    """The fault that a seed puts into a law."""
    return draw_of(exercise.name, seed, "fault").choice(exercise.faults)


def working_file(exercise: Exercise, seed: int) -> DiagramFile:
    """The file of a seed without its fault."""
    return _file(exercise, seed, None)


def handed_out(exercise: Exercise, seed: int, fault: LawFault | None = None) -> DiagramFile:
    """The file of a seed.

    Args:
        fault: that is put in; left out, the one that the seed draws.
    """
    return _file(exercise, seed, fault or drawn_fault(exercise, seed))


def _file(exercise: Exercise, seed: int, fault: LawFault | None) -> DiagramFile:
    law = exercise.law(draw_of(exercise.name, seed, "law"))
    if fault is not None:
        fault.put(law, draw_of(exercise.name, seed, "put"))
    names = draw_of(exercise.name, seed, "names")
    return law.file(NAMES, names, exercise.base_s, _NOTE + exercise.name, seed)


def exercise_of(file: DiagramFile, path: Path) -> Exercise:
    """The exercise that a file was handed out for.

    Raises:
        ConfigError: if its note does not say so.
    """
    note = file.top.note
    name = note.removeprefix(_NOTE)
    if note.startswith(_NOTE) and name in EXERCISES:
        return EXERCISES[name]
    told = f'note = {note!r:.60}: "{_NOTE}NAME" is needed, as `hil diagram exercise new` wrote it'
    raise ConfigError(str(path), [f"{told} (NAME: {', '.join(EXERCISES)})"])
