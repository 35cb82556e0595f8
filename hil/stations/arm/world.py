"""What the robot's motors move in the physics engine: where robot, scene and servos meet.

The same plant is moved by the emulated controller in this process (``sim:``, a dry run) and by
`hil arm emulate --world`. It lives where the controller lives: the bench sees only the wire. The
robot takes the place of the scene's robot of that kind; masses and gears are those of
`hil.machines.documents.PUMA`, for a robot's file does not tell them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from hil.config.errors import ConfigError

if TYPE_CHECKING:
    from hil.machines.robot_settings import RobotSettings
    from hil.machines.scene_machine import MachineScene
    from hil.stations.arm.prepare import ArmProof
    from hil.stations.arm.scenario import ArmPlan
    from sim.world.plants.arm import ArmGears, ArmPlant

KIND: Final = "robot"
"""Of the machine that stands in a scene."""


def scene_with(
    robot: RobotSettings, name: str, *, key: str = "world", beside: Path | None = None
) -> MachineScene:
    """The scene that a name or a file means, around a robot.

    Args:
        key: where it was asked for, for the errors.
        beside: a file beside which a relative path is looked for first.

    Raises:
        ConfigError: if there is no such scene, or with every fault of its document.
    """
    from hil.machines.scene_documents import scene_of
    from hil.machines.scene_machine import scene_around

    return scene_around(scene_of(name, key=key, beside=beside), KIND, robot.name)


def plant_of(plan: ArmPlan) -> ArmPlant | None:
    """What the motors of a plan's emulated robot move; None without a world.

    Raises:
        ConfigError: if its world cannot be had.
    """
    world, file = plan.scenario.world, Path(plan.scenario_file)
    if not world:
        return None
    return arm_plant(plan.robot, scene_with(plan.robot, world, beside=file), plan.scenario.seed)


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
    from hil.config.shipped import find_file
    from hil.machines.scene_documents import SCENES

    world, file = plan.scenario.world, Path(plan.scenario_file)
    if not world:
        return []
    return ["--world", str(find_file(world, beside=file, folder=SCENES, key="world"))]


def arm_plant(robot: RobotSettings, place: MachineScene, seed: int = 0) -> ArmPlant:
    """The robot in a scene, with the motors and gears of the emulated controller.

    Args:
        seed: of fields of bodies without a seed of their own.

    Raises:
        ConfigError: if robot and scene do not go together, or the engine is not installed.
    """
    from hil.machines.documents import puma_class_robot
    from sim.world.engine.library import EngineMissingError
    from sim.world.plants.arm import STEP_S, ArmPlant, geared

    document, _ = puma_class_robot(robot)
    try:
        arm = geared(document, emulated_gears())
        return ArmPlant(place.text(arm, STEP_S, seed))
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
