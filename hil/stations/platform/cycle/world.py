"""Load on a rig's rods in the physics engine: the one place where rig, scene and plant meet.

The same plant is moved by simulated cylinders (``sim:``) and by emulated drives (`hil drives rack
--world`). The rig takes the place of the scene's rig. Weights of the legs are those of
`hil.machines.world.rig_document`, as a rig does not have them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Self

from pydantic import Field

from hil.config.errors import about
from hil.config.fields import Positive
from hil.config.file_search import find_file
from hil.config.settings import ConfigError, Settings, read_toml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hil.machines.rig.settings import Rig
    from hil.machines.world.scene_machine import MachineScene
    from sim.world.plants.modes import PlatformMode
    from sim.world.plants.platform_plant import PlatformPlant

STEP_S: Final = 1e-3
"""Step in which emulated drives compute [s]."""
FREE_M: Final = 0.5
"""Distance between a floor and the origin of a hanging platform that errors suggest [m]."""
KIND: Final = "rig"
"""Kind of the machine in a scene."""


class ServoSettings(Settings):
    """Gains of the six drives' servos, which know nothing of the load."""

    position_gain_1_s: Positive = 20.0
    """k_p of the position loop [1/s]."""
    speed_gain_n_s_m: Positive = 60e3
    """k_v of the speed loop [N s/m]."""
    integral_time_s: Positive = 0.06
    """T_i of the speed loop [s]."""


class WorldSettings(Settings):
    """World with more settings than a scene has."""

    document: str = ""
    """Name or file of the scene; nothing but the rig if left out."""
    payload_kg: Annotated[float, Field(gt=0.0, le=1e5)] | None = None
    """Mass of platform and payload as one plate [kg]; as the scene has it if left out."""
    servo: ServoSettings = ServoSettings()
    """Servos of the drives that move it."""


@dataclass(frozen=True, slots=True)
class RigWorld:
    """Scene around a rig, and the servos that move it there."""

    place: MachineScene
    """Scene with the rig."""
    servo: ServoSettings = field(default_factory=ServoSettings)
    """Servos of the drives."""

    def to_json(self) -> dict[str, Any]:
        """Data for another process, whatever becomes of its files."""
        from sim.world.scenes.scene_writer import write_scene

        scene = write_scene(self.place.scene)
        return {"scene": scene, "robot": self.place.robot, "servo": self.servo.model_dump()}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read a world from its data."""
        from hil.machines.world.scene_machine import MachineScene
        from sim.world.scenes.scene_reader import read_scene

        place = MachineScene(read_scene(document["scene"], "world"), document["robot"])
        return cls(place, ServoSettings.build(document["servo"], "world"))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on it for a person."""
        left_out = ", ".join(self.place.left_out)
        if not left_out:
            return ()
        return (f"world {self.place.scene.name}: without {left_out}; only the rig moves",)


def world_of(name: str, rig: Rig, *, key: str, beside: Path | None = None) -> RigWorld:
    """World of a name or a file, around a rig.

    Args:
        name: name of a shipped scene, or a file: a scene's document, or `WorldSettings`.
        key: name of the key or option, for errors.
        beside: file beside which a relative path is looked for first.

    Raises:
        ConfigError: if there is no such scene or its file is wrong.
    """
    from hil.machines.world.scene_documents import SCENES
    from sim.world.scenes.scene_reader import KEY

    path = find_file(name, beside=beside, folder=SCENES, key=key)
    table = read_toml(path)
    if KEY in table:
        return RigWorld(_around(str(path), rig, key))
    settings = WorldSettings.build(table, str(path))
    if not settings.document and settings.payload_kg is None:
        line = f"{path}: {KEY} = a name of its own, document = a scene's, or payload_kg is needed"
        raise ConfigError(key, [about(key, line)])
    return settled(settings, rig, beside=path)


def settled(settings: WorldSettings, rig: Rig, *, beside: Path | None = None) -> RigWorld:
    """World of settings, around a rig.

    Raises:
        ConfigError: if there is no such scene or its file is wrong.
    """
    from sim.world.scenes.model import Scene, SceneRobot

    if settings.document:
        place = _around(settings.document, rig, "document", beside)
    else:
        from hil.machines.world.scene_machine import MachineScene

        place = MachineScene(Scene("payload", robots=(SceneRobot(KIND, f"{KIND}:"),)), KIND)
    if settings.payload_kg is not None:
        from hil.machines.world.rig_document import PLATFORM

        (robot,) = place.scene.robots
        plate = replace(robot, link_mass_kg=((PLATFORM, settings.payload_kg),))
        place = replace(place, scene=replace(place.scene, robots=(plate,)))
    return RigWorld(place, settings.servo)


def _around(name: str, rig: Rig, key: str, beside: Path | None = None) -> MachineScene:
    from hil.machines.world.scene_documents import scene_of
    from hil.machines.world.scene_machine import scene_around

    place = scene_around(scene_of(name, key=key, beside=beside), KIND, rig.name)
    _refuse_in_floor(rig, place, key)
    return place


def _refuse_in_floor(rig: Rig, place: MachineScene, key: str) -> None:
    """Refuse a hanging rig that is not above the scene's floor, the plane z = 0.

    Raises:
        ConfigError: with a place that is high enough.
    """
    from hil.machines.rig.machine import hangs

    (robot,) = (one for one in place.scene.robots if one.name == place.robot)
    deep_m, high_m = -rig.pose_box.z_m[0], robot.position_m[2]
    if place.scene.floor is None or robot.on or not hangs(rig) or high_m > deep_m:
        return
    ahead = ", ".join(f"{number:g}" for number in robot.position_m[:2])
    line = (
        f"world {place.scene.name}: {rig.name} hangs, down to {deep_m:g} m below its base, which "
        f"is {high_m:g} m above the floor; write position_m = [{ahead}, {deep_m + FREE_M:.2f}] or "
        f'more in the [[robot]] of a scene of your own whose document begins with "{KIND}:"'
    )
    raise ConfigError(key, [about(key, line)])


def platform_plant(rig: Rig, world: RigWorld, seed: int = 0) -> PlatformPlant:
    """Plant of a rig in a world, once its servos are known to hold it.

    The modes are checked at the rig's neutral pose and where it parks, the load there and at the
    ends of its pose box.

    Args:
        seed: seed of the scene's fields.

    Raises:
        ConfigError: if the servos cannot hold a mode or the drives not bear the load (with the
            largest that they do), the scene cannot be made, or the engine is not installed.
    """
    from hil.stations.platform.cycle.world_load import check_load
    from sim.world.engine.library import EngineMissingError

    try:
        plant = _plant(rig, world, seed)
        for height_m in _heights_m(rig):
            check_modes(rig, plant, world.servo, height_m)
        check_load(rig, plant)
        plant.begin(_parked_m(rig))  # what is in its way there is told before there is power
    except (ValueError, EngineMissingError) as error:
        raise ConfigError("world", [str(error)]) from error
    return plant


def check_modes(
    rig: Rig, plant: PlatformPlant, servo: ServoSettings, height_m: float
) -> tuple[PlatformMode, ...]:
    """Six modes of a plant, level at a height.

    Raises:
        UnstableModeError: if the servos do not hold one of them.
        PlantPlaceError: if the rods do not reach it.
    """
    from sim.world.plants.modes import MassRange, require_stable

    plant.place_at(_extensions_m(rig, height_m))
    masses = MassRange.of(
        servo.position_gain_1_s, servo.speed_gain_n_s_m, servo.integral_time_s, STEP_S
    )
    seen = plant.inertia()
    return require_stable(seen.J, seen.with_load, seen.load_kg, masses)


def _parked_m(rig: Rig) -> list[float]:
    pairs = zip(rig.cylinders.reference_length_m, rig.cylinders.closed_length_m, strict=True)
    return [reference_m - closed_m for reference_m, closed_m in pairs]


def _extensions_m(rig: Rig, height_m: float) -> list[float]:
    import numpy as np

    from hil.machines.rig.machine import geometry_of
    from hil_common.arrays.pose import Pose
    from platform6dof.inverse import leg_lengths

    geometry = geometry_of(rig)
    level = Pose.from_coordinates(np.array((0.0, 0.0, height_m, 0.0, 0.0, 0.0)))
    return (leg_lengths(geometry, level) - geometry.closed_length_m).tolist()


def _heights_m(rig: Rig) -> tuple[float, float]:
    from hil.machines.rig.machine import geometry_of, park_pose

    return rig.neutral.z_m, float(park_pose(rig, geometry_of(rig)).position_m[2])


def _plant(rig: Rig, world: RigWorld, seed: int) -> PlatformPlant:
    from hil.machines.world.rig_document import rig_robot
    from sim.world.plants.platform_plant import PlatformPlant

    robot, _ = rig_robot(rig)
    return PlatformPlant(world.place.text(robot, STEP_S, seed))
