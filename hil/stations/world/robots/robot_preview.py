"""Preview of a robot's document: the robot where it starts, before anything moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hil.config.errors import RefusedError
from hil.recording.header import RunHeader
from hil.run.preview import Preview
from hil.stations.world.robots.robot_file import robot_from_table
from hil.stations.world.signals import still_signals
from sim.world.engine.library import EngineMissingError
from sim.world.engine.mjcf import model_text, stepping_of
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.model_compiler import ModelRefusedError
from sim.world.engine.world import World
from sim.world.robots.robot_toml_writer import write_toml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def robot_preview(table: Mapping[str, Any], file: Path) -> Preview:
    """Robot of a document, as the single row of a run.

    Args:
        file: present or later path of the document; files of meshes are looked for beside it.

    Raises:
        ConfigError: with every fault of the document.
        RefusedError: if there is no engine, or it does not take the robot.
    """
    robot = robot_from_table(table, file)
    stepping = stepping_of(robot)
    try:
        world = World(model_text([PlacedRobot(robot)], stepping))
    except (EngineMissingError, ModelRefusedError) as error:
        raise RefusedError(str(error)) from None
    signals = still_signals(world.coordinate_names())
    row, at = np.full((1, signals.values), np.nan), signals.places
    row[:, at["t_s"]] = 0.0
    if "world_coordinates" in at:
        row[:, at["world_coordinates"]] = world.positions
    name = robot.name or file.stem
    plan = {
        "scenario": {
            "step_s": stepping.step_s,
            "integrator": stepping.integrator,
            "gravity_m_s2": list(stepping.gravity_m_s2),
            "seed": 0,
        },
        "robot": write_toml(robot, whole=True),
        "robot_file": str(file),
    }
    words = f"{name}, {len(robot.links)} links, where it starts"
    return Preview(RunHeader(signals, {"robot": name}, plan), row, words)
