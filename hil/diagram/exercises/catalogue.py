"""All exercises, and the files that are handed out: one fault in a law, both drawn by a seed."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Final

from hil.config.errors import ConfigError
from hil.config.offers import offers
from hil.config.similar_names import nearest
from hil.diagram.exercises.exercise import Exercise, LawFault, draw_of
from hil.diagram.exercises.motor import MOTOR
from hil.diagram.exercises.valve import VALVE
from hil.diagram.exercises.wall import WALL
from hil.diagram.file.model import DiagramFile

GROUP: Final = "hil.exercises"
"""Group of the entry points by which exercises of other packages are found."""
NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "across": ("across", "side_turned", "in_valve_axes", "f_valve"),
    "angle": ("angle", "alpha", "tilt_angle", "phi"),
    "axes": ("axes", "map_side", "arrange", "m_side"),
    "bound": ("bound", "moment_limit", "cap", "clip_m"),
    "contact": ("contact", "net_force", "f_contact", "on_wall"),
    "cosine": ("cosine", "cos_tilt", "along", "c_tilt"),
    "counter": ("counter", "back_emf", "omega_term", "speed_part"),
    "drive": ("drive", "to_voltage", "scale_m", "by_stall"),
    "error": ("error", "e", "difference", "deviation"),
    "filter": ("filter", "stage", "input_stage", "conditioned"),
    "forward": ("forward", "ff", "feed_forward", "direct"),
    "held": ("held", "slip_sum", "accumulated", "i_part"),
    "hold": ("hold", "stage", "input_stage", "conditioned"),
    "integral": ("integral", "i_part", "sum_of_error", "accumulated"),
    "ki": ("ki", "k_i", "gain_i", "integral_gain"),
    "kp": ("kp", "k_p", "gain_p", "proportional"),
    "limit": ("limit", "supply", "clip_u", "bounds"),
    "outer": ("outer", "approach", "k_way", "to_speed"),
    "pace": ("pace", "speed_limit", "wanted_speed", "slow_down"),
    "push": ("push", "p_part", "k_slip", "slip_gain"),
    "ramp": ("ramp", "set_point", "smooth", "profile"),
    "relief": ("relief", "yielding", "give_way", "compliance"),
    "rest": ("rest", "d1", "delta", "difference"),
    "rise": ("rise", "k_sum", "i_gain", "slip_rate"),
    "rotation": ("rotation", "r_hand", "turn", "hand_axes"),
    "slip": ("slip", "speed_error", "e_speed", "lag_of_speed"),
    "speed": ("speed_rad", "omega", "v_measured", "actual"),
    "still": ("still", "a0", "base_angle", "origin"),
    "sum": ("sum", "total", "u_all", "together"),
    "tool": ("tool", "tool_weight", "g_tool", "offset_f"),
    "torque": ("torque", "tau", "moment_all", "m_law"),
    "turning": ("turning", "m_wanted", "moment_set", "asked_moment"),
    "unused": ("unused", "d2", "watch", "magnitude"),
    "weight": ("weight", "arm_weight", "g_arm", "weight_comp"),
    "way": ("way", "to_go", "angle_error", "e_angle"),
    "zone": ("zone", "stage", "input_stage", "conditioned"),
}
"""Part → names; a part that is not here keeps its own."""


def _judge(entry: EntryPoint, value: object) -> str:
    if not isinstance(value, Exercise):
        return f"{entry.value} is no Exercise of hil.diagram.exercises.exercise"
    return "" if value.name == entry.name else f"{entry.value} is called {value.name!r}"


def found_exercises() -> tuple[dict[str, Exercise], dict[str, str]]:
    """All by name, those of diagrams alone and those of other packages; and why some are not."""
    own = {one.name: one for one in (MOTOR, VALVE, WALL)}
    found = offers(GROUP, _judge, own=own)
    usable = {one.name: one.value for one in found if not one.broken}
    return own | usable, {one.name: one.broken for one in found if one.broken}


EXERCISES: Final[Mapping[str, Exercise]]
BROKEN: Final[Mapping[str, str]]
EXERCISES, BROKEN = found_exercises()
FAMILIES: Final = tuple(sorted({one.family for one in EXERCISES.values()}))
SEED_MOST: Final = 2**53
_NOTE: Final = "exercise "


def draw_exercise(name: str, seed: int) -> Exercise:
    """Return an exercise by its name; of a family the one that the seed draws.

    Raises:
        ConfigError: if there is none of the name.
    """
    if name in EXERCISES:
        return EXERCISES[name]
    family = [one for one in EXERCISES.values() if one.family == name]
    if not family:
        if name in BROKEN:
            raise ConfigError("NAME", [f"{name}: {BROKEN[name]}"])
        known = (*FAMILIES, *EXERCISES)
        problem = (
            f"{name!r:.60}: no such exercise{nearest(name, known)}; there are {', '.join(known)}"
        )
        raise ConfigError("NAME", [problem])
    return draw_of(name, seed).choice(family)


def draw_fault(exercise: Exercise, seed: int) -> LawFault:
    """Return the fault that a seed puts into a law."""
    return draw_of(exercise.name, seed, "fault").choice(exercise.faults)


def file_without_fault(exercise: Exercise, seed: int) -> DiagramFile:
    """Return the file of a seed without its fault."""
    return _file(exercise, seed, None)


def file_for_student(exercise: Exercise, seed: int, fault: LawFault | None = None) -> DiagramFile:
    """Return the file of a seed.

    Args:
        fault: that is put in; left out, the one that the seed draws.
    """
    return _file(exercise, seed, fault or draw_fault(exercise, seed))


def _file(exercise: Exercise, seed: int, fault: LawFault | None) -> DiagramFile:
    law = exercise.law(draw_of(exercise.name, seed, "law"))
    if fault is not None:
        fault.put(law, draw_of(exercise.name, seed, "put"))
    names = draw_of(exercise.name, seed, "names")
    called = {**NAMES, **exercise.names}
    return law.file(called, names, exercise.base_s, _NOTE + exercise.name, seed)


def exercise_of(file: DiagramFile, path: Path) -> Exercise:
    """Return the exercise for which a file was written.

    Raises:
        ConfigError: if its note does not say so.
    """
    note = file.top.note
    name = note.removeprefix(_NOTE)
    if note.startswith(_NOTE) and name in EXERCISES:
        return EXERCISES[name]
    problem = (
        f'note = {note!r:.60}: "{_NOTE}NAME" is needed, as `hil diagram exercise new` wrote it'
    )
    raise ConfigError(str(path), [f"{problem} (NAME: {', '.join(EXERCISES)})"])
