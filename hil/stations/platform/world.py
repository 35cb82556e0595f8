"""What hangs on a rig's rods in the physics engine: the one place where rig, scene and plant meet.

The same plant is moved by simulated cylinders (``sim:``) and by emulated drives (`hil drives rack
--world`). Weights of the legs are those of `LegParts`, for a rig does not tell them.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from hil.config.errors import about
from hil.config.fields import Positive
from hil.config.settings import ConfigError, Settings, read_toml

if TYPE_CHECKING:
    import numpy as np

    from hil.machines.rig import Rig
    from sim.world.plants.modes import PlatformMode
    from sim.world.plants.platform import PlatformPlant

STEP_S: Final = 1e-3
"""In which emulated drives compute."""


class ServoSettings(Settings):
    """Gains of the six drives' servos, which know nothing of the load."""

    position_gain_1_s: Positive = 20.0
    """k_p of the position loop [1/s]."""
    speed_gain_n_s_m: Positive = 60e3
    """k_v of the speed loop [N s/m]."""
    integral_time_s: Positive = 0.06
    """T_i of the speed loop [s]."""


class WorldSettings(Settings):
    """A scene on the platform of a rig."""

    payload_kg: Annotated[float, Field(gt=0.0, le=1e5)]
    """Platform and payload together, as one plate [kg]."""
    payload_height_m: Annotated[float, Field(ge=-5.0, le=5.0)] = 0.0
    """Their centre of mass over the platform's origin [m]."""
    servo: ServoSettings = ServoSettings()
    """Of the drives that move it."""


SCENES: Final = {"paper_cabin": WorldSettings(payload_kg=300.0)}
"""Scenes by name."""


def world_of(name: str, *, key: str, beside: Path | None = None) -> WorldSettings:
    """A scene by its name, or from a TOML file.

    Args:
        key: where it was asked for, for the errors.
        beside: a file beside which a relative path is looked for first.

    Raises:
        ConfigError: if there is no such scene, or its file is wrong.
    """
    if name in SCENES:
        return SCENES[name]
    found = [p for p in (beside and beside.parent / name, Path(name)) if p and p.is_file()]
    if not found:
        scenes = ", ".join(SCENES)
        raise ConfigError(key, [about(key, f"{name!r}: {scenes}, or a TOML file, is needed")])
    return WorldSettings.build(read_toml(found[0]), str(found[0]))


def platform_plant(rig: Rig, scene: WorldSettings) -> PlatformPlant:
    """The plant of a rig with a scene, once its servos are known to hold it.

    The modes are checked at the rig's neutral pose and where it parks.

    Raises:
        ConfigError: if the servos cannot hold a mode (with the largest payload that holds), or the
            engine is not installed.
    """
    from sim.world.engine.library import EngineMissingError

    try:
        plant = _plant(rig, scene, scene.payload_kg)
        for height_m in _heights_m(rig):
            check_modes(rig, scene, height_m)
    except (ValueError, EngineMissingError) as error:
        raise ConfigError("world", [str(error)]) from error
    return plant


def check_modes(rig: Rig, scene: WorldSettings, height_m: float) -> tuple[PlatformMode, ...]:
    """The six modes of a rig with a scene, level at a height.

    Raises:
        UnstableModeError: if the servos do not hold one of them.
    """
    from sim.world.plants.modes import MassRange, require_stable

    gains, payload_kg = scene.servo, scene.payload_kg
    J, one = _plant(rig, scene, payload_kg, height_m).inertia()
    _, two = _plant(rig, scene, 2.0 * payload_kg, height_m).inertia()
    masses = MassRange.of(
        gains.position_gain_1_s, gains.speed_gain_n_s_m, gains.integral_time_s, STEP_S
    )
    return require_stable(J, partial(_inertia, one, two, payload_kg), payload_kg, masses)


def _inertia(one: np.ndarray, two: np.ndarray, of_kg: float, payload_kg: float) -> np.ndarray:
    """Of a payload, from that of two others, once and twice as heavy: it grows in proportion."""
    return one + (two - one) * (payload_kg / of_kg - 1.0)


def _heights_m(rig: Rig) -> tuple[float, float]:
    from hil.machines.machine import geometry_of, park_pose

    return rig.neutral.z_m, float(park_pose(rig, geometry_of(rig)).position_m[2])


def _plant(
    rig: Rig, scene: WorldSettings, payload_kg: float, height_m: float | None = None
) -> PlatformPlant:
    import numpy as np

    from hil.machines.machine import geometry_of
    from sim.world.plants.hexapod import HexapodFrame, PlatformBody, hexapod_robot
    from sim.world.plants.platform import PlatformPlant

    geometry = geometry_of(rig)
    frame = HexapodFrame(
        geometry.base_joints_m,
        geometry.platform_joints_m,
        geometry.closed_length_m,
        geometry.stroke_m,
        rig.neutral.z_m if height_m is None else height_m,
        np.array(rig.cylinders.force_max_n),
    )
    radius_m = float(np.linalg.norm(geometry.platform_joints_m[:, :2], axis=1).mean())
    body = PlatformBody(payload_kg, (0.0, 0.0, scene.payload_height_m), radius_m)
    return PlatformPlant(hexapod_robot(frame, body, name=rig.name))
