"""Changed documents, read, checked and compiled: all that needs nothing of the run's state.

It takes many cycles and holds the interpreter's lock meanwhile, so a run in real time has it done
by a process of its own (:mod:`hil.stations.world.editing.builder`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from hil.machines.world.robot_documents import read_document
from hil.run.edit_texts import EditRefusedError, EditText
from hil.stations.world.cycle.bench import gains_of, model_of_plan
from hil.stations.world.plan.scenario import WorldPlan
from sim.world.control.laws import Gains
from sim.world.engine.library import EngineMissingError
from sim.world.engine.mjcf_sensors import SensorTargetError
from sim.world.engine.model_compiler import ModelRefusedError, compiled
from sim.world.engine.stability import unstable_drives
from sim.world.engine.world import World
from sim.world.robots.body import Numbers
from sim.world.robots.driven_universals import with_hinges
from sim.world.robots.faults import RobotDocumentError
from sim.world.robots.model import Robot
from sim.world.robots.robot_toml_writer import write_toml
from sim.world.scenes.fields import FieldFullError


@dataclass(frozen=True, slots=True, eq=False)
class BuiltEdit:
    """Changed document, ready for the run."""

    edit: EditText
    """Text of the document."""
    robot: Robot
    """Robot of the document, its drives commanded as the scenario says."""
    weighed: Robot
    """The same robot with what a scene puts on its links."""
    canonical: str
    """Document as TOML, all digits kept."""
    start: Mapping[int, Numbers]
    """Coordinates of the joints at the start [rad] or [m], by number."""
    model: bytes
    """Compiled model of the engine."""
    text: str
    """Text that the model was compiled from."""
    files: Mapping[str, bytes]
    """Pictures that the text names, by path."""
    gains: Gains
    """Gains of the robot's law."""


def plan_with(plan: WorldPlan, robot: Robot, canonical: str) -> WorldPlan:
    """A plan with another document of its robot."""
    scene = None if plan.scene is None else plan.scene.with_robot(robot)
    return replace(plan, robot=robot, robot_text=canonical, scene=scene)


def build(plan: WorldPlan, edit: EditText) -> BuiltEdit:
    """Read, check and compile a document.

    Args:
        plan: plan of the run; its robot is not used.

    Raises:
        EditRefusedError: with all that is wrong.
    """
    try:
        document = with_hinges(read_document(edit.text, Path(edit.source), edit.folder).robot)
    except RobotDocumentError as error:
        raise EditRefusedError(*(f"{edit.source}:{one}" for one in error.faults)) from None
    scenario = plan.scenario
    drives = tuple(replace(one, control=scenario.control) for one in document.drives)
    if not drives:
        raise EditRefusedError(f"{edit.source}: no drive: nothing could move it")
    if scenario.gains is not None and len(scenario.gains.kp) != len(drives):
        problem = f"{len(drives)} drives; the scenario's gains are for {len(scenario.gains.kp)}"
        raise EditRefusedError(f"{edit.source}: {problem}: leave them out, or keep that number")
    robot = replace(document, drives=drives)
    changed = plan_with(plan, robot, write_toml(document, whole=True))
    try:
        text = model_of_plan(changed)
        model = compiled(text)
        world = World(text, model)
    except (EngineMissingError, ModelRefusedError, FieldFullError, SensorTargetError) as error:
        raise EditRefusedError(f"{edit.source}: {error}") from None
    if found := unstable_drives(world, world.robots[0], scenario.integrator):
        raise EditRefusedError(*(f"{edit.source}: {one}" for one in found))
    weighed = text.robots[0].robot
    gains = gains_of(changed, world)
    return BuiltEdit(
        edit,
        robot,
        weighed,
        changed.robot_text,
        text.starts[0],
        model,
        text.text,
        text.files,
        gains,
    )
