"""World of the robot's motors in the physics engine: where robot, scene and servos meet.

The same plant is moved by the emulated controller in this process (``sim:``, a dry run) and by `hil
arm emulate --world`. It lives where the controller lives: the bench sees only the wire. The robot
takes the place of the scene's robot of that kind; masses and gears are those of
`hil.machines.world.documents.PUMA`, for a robot's file does not contain them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hil.config.errors import ConfigError
from hil.run.part_process import RECORDING_MARK

if TYPE_CHECKING:
    from hil.machines.robot.settings import RobotSettings
    from hil.machines.world.scene_machine import MachineScene
    from hil.stations.arm.plan.scenario import ArmPlan
    from hil.stations.arm.proof.prepare import ArmProof
    from hil.stations.arm.run.ride import RecordedRide
    from sim.world.plants.arm_plant import ArmGears, ArmPlant
    from sim.world.robots.model import Robot

KIND: Final = "robot"
"""Kind of the machine in a scene."""


@dataclass(frozen=True, slots=True)
class ArmWorld:
    """A scene around a robot, and on what the robot rides there."""

    place: MachineScene
    """The scene with the robot."""
    bearer: Robot | None = None
    """Platform that bears it, alone; None if it does not move."""
    ride: RecordedRide | None = None
    """Motion of that platform."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for people about the world."""
        name, left_out = self.place.scene.name, ", ".join(self.place.left_out)
        found = [f"world {name}: without {left_out}; only the robot moves"] if left_out else []
        if self.ride is not None:
            found.append(
                f"world {name}: the robot rides on {self.place.bearer}, which goes as recorded in "
                f"{self.ride.path} (sha256 {self.ride.sha256}), and feels nothing of the robot"
            )
        return tuple(found)


def world_of(
    robot: RobotSettings,
    name: str,
    *,
    ride: str = "",
    key: str = "world",
    beside: Path | None = None,
) -> ArmWorld:
    """Make the world that a name or a file means, around a robot.

    Args:
        ride: recording of the platform that bears the robot; empty if nothing moves it.
        key: where it was asked for, for the errors.
        beside: a file beside which a relative path is searched first.

    Raises:
        ConfigError: if there is no such scene, with every fault of its document, or if the ride is
            none that bears a robot of the scene.
    """
    from hil.machines.world.scene_documents import scene_of
    from hil.machines.world.scene_machine import scene_around
    from hil.stations.arm.run.ride import ride_of
    from sim.world.plants.platform_ride import platform_alone

    found = scene_of(name, key=key, beside=beside)
    place = scene_around(found, KIND, robot.name, borne=bool(ride))
    if not ride:
        return ArmWorld(place)
    try:
        bearer = platform_alone(found.robots[place.bearer])
    except ValueError as error:
        raise ConfigError(key, [f"{key} = {name!r}: {error}"]) from None
    return ArmWorld(place, bearer, ride_of(ride, beside=beside))


def plant_of(plan: ArmPlan) -> ArmPlant | None:
    """Return the plant that the motors of a plan's emulated robot move; None without a world.

    Raises:
        ConfigError: if its world cannot be had.
    """
    world, file = plan.scenario.world, Path(plan.scenario_file)
    if not world:
        return None
    found = world_of(plan.robot, world, ride=plan.scenario.ride, beside=file)
    return arm_plant(plan.robot, found, plan.scenario.seed)


def notes_of(plan: ArmPlan) -> tuple[str, ...]:
    """Return the notes for people about a plan's world; empty without one."""
    world, file = plan.scenario.world, Path(plan.scenario_file)
    if not world:
        return ()
    return world_of(plan.robot, world, ride=plan.scenario.ride, beside=file).notes


def check_world(prepared: ArmProof) -> None:
    """Put the robot of a proved motion where it begins in its scenario's world, if it has one.

    Raises:
        ConfigError: if the world cannot be had, or the robot would be inside something there.
    """
    if prepared.plan.scenario.ride == RECORDING_MARK:
        return  # of a part whose run is still to come
    plant = plant_of(prepared.plan)
    if plant is None:
        return
    try:
        plant.begin(prepared.start.q_rad.tolist())
    except ValueError as error:
        raise ConfigError("world", [str(error)]) from None


def in_world(plan: ArmPlan) -> list[str]:
    """Return the options of `hil arm emulate` that put a plan's robot into its world."""
    from hil.config.file_search import find_file
    from hil.machines.world.scene_documents import SCENES
    from hil.stations.arm.run.ride import ride_of

    world, file = plan.scenario.world, Path(plan.scenario_file)
    if not world:
        return []
    found = ["--world", str(find_file(world, beside=file, folder=SCENES, key="world"))]
    if plan.scenario.ride:
        found += ["--ride", str(ride_of(plan.scenario.ride, beside=file).path)]
    return found


def arm_plant(robot: RobotSettings, world: ArmWorld, seed: int = 0) -> ArmPlant:
    """Return the robot in a world, with the motors and gears of the emulated controller.

    Args:
        seed: of fields of bodies without a seed of their own.

    Raises:
        ConfigError: if robot and scene do not go together, or the engine is not installed.
    """
    from hil.machines.world.documents import puma_class_robot
    from sim.world.engine.library import EngineMissingError
    from sim.world.plants.arm_plant import STEP_S, ArmPlant, geared
    from sim.world.plants.platform_ride import Ride

    document, _ = puma_class_robot(robot)
    try:
        arm = geared(document, emulated_gears())
        text = world.place.text(arm, STEP_S, seed, world.bearer)
        if world.ride is None:
            return ArmPlant(text)
        names = [one.name for one in world.place.scene.robots]
        ride = Ride(names.index(world.place.bearer), world.ride.pose)
        return ArmPlant(text, names.index(world.place.robot), ride)
    except (ValueError, EngineMissingError) as error:
        raise ConfigError("world", [str(error)]) from error


def emulated_gears() -> ArmGears:
    """Return the friction and torques of the emulated controller's robot, on the joints' side."""
    from sim.devices.arm.servo import COULOMB_NM, GEARS, TORQUE_MAX_NM, VISCOUS
    from sim.world.plants.arm_plant import ArmGears

    return ArmGears(
        tuple(g * g * b for g, b in zip(GEARS, VISCOUS, strict=True)),
        tuple(g * t for g, t in zip(GEARS, COULOMB_NM, strict=True)),
        TORQUE_MAX_NM,
    )
