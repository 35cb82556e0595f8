"""What the robot's motors move in the physics engine: where robot, scene and servos meet.

The same plant is moved by the emulated controller in this process (``sim:``, a dry run) and by
`hil arm emulate --world`. It lives where the controller lives: the bench sees only the wire.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hil.config.errors import ConfigError

if TYPE_CHECKING:
    from hil.machines.robot_settings import RobotSettings
    from hil.machines.scene_documents import FurnishedScene
    from hil.stations.arm.prepare import ArmProof
    from hil.stations.arm.scenario import ArmPlan
    from sim.world.plants.arm import ArmGears, ArmPlant

ARM: Final = "arm"
"""Name of the robot in a scene that has no robot for it."""
ROBOT: Final = "robot:"
"""How the document of a scene's robot begins that is the station's; the first one is."""


def furnished(name: str, *, beside: Path | None = None, key: str = "world") -> FurnishedScene:
    """A scene by its name, or from its file.

    Args:
        beside: a file beside which a relative path is looked for first.
        key: where it was asked for, for the errors.

    Raises:
        ConfigError: if there is no such scene, or with every fault of its document.
    """
    from hil.machines.scene_documents import scene_of

    near = None if beside is None else beside.parent / name
    return scene_of(str(near) if near is not None and near.is_file() else name, key=key)


def plant_of(plan: ArmPlan) -> ArmPlant | None:
    """What the motors of a plan's emulated robot move; None without a world.

    Raises:
        ConfigError: if its world cannot be had.
    """
    world = plan.scenario.world
    if not world:
        return None
    return arm_plant(plan.robot, furnished(world, beside=Path(plan.scenario_file)))


def check_world(prepared: ArmProof) -> None:
    """Put the robot of a proved motion where it begins in its scenario's world, if it has one.

    Raises:
        ConfigError: if the world cannot be had, or the robot would stand in something there.
    """
    plant = plant_of(prepared.plan)
    if plant is None:
        return
    try:
        plant.begin(prepared.start.q_rad.tolist())
    except ValueError as error:
        raise ConfigError("world", [str(error)]) from None


def in_world(plan: ArmPlan) -> list[str]:
    """Options of `hil arm emulate` that put a plan's robot into its world."""
    world = plan.scenario.world
    if not world:
        return []
    scene = furnished(world, beside=Path(plan.scenario_file)).file
    return ["--world", str(scene)]


def arm_plant(robot: RobotSettings, scene: FurnishedScene) -> ArmPlant:
    """The robot in a scene, with the motors and gears of the emulated controller.

    It stands where the scene has its first robot of a robot's file; in the origin if it has none.

    Raises:
        ConfigError: if robot and scene do not go together, or the engine is not installed.
    """
    from hil.machines.documents import puma_class_robot
    from sim.world.engine.library import EngineMissingError
    from sim.world.plants.arm import ArmPlant, geared
    from sim.world.scenes.model import SceneRobot

    document, _ = puma_class_robot(robot)
    there = [one.name for one in scene.scene.robots if one.document.startswith(ROBOT)]
    whole = scene.scene
    if not there:
        whole = replace(whole, robots=(*whole.robots, SceneRobot(ARM, f"{ROBOT}{robot.name}")))
    name = there[0] if there else ARM
    try:
        arm = geared(document, emulated_gears())
        return ArmPlant(whole, {**scene.robots, name: arm}, name)
    except (ValueError, EngineMissingError) as error:
        raise ConfigError("world", [str(error)]) from error


def emulated_gears() -> ArmGears:
    """Friction and torques of the emulated controller's robot, on the joints' side."""
    from sim.devices.arm_servo import COULOMB_NM, GEARS, TORQUE_MAX_NM, VISCOUS
    from sim.world.plants.arm import ArmGears

    return ArmGears(
        tuple(g * g * b for g, b in zip(GEARS, VISCOUS, strict=True)),
        tuple(g * t for g, t in zip(GEARS, COULOMB_NM, strict=True)),
        TORQUE_MAX_NM,
    )
