"""Rows of frames and scenes for tests of the picture in space."""

from pathlib import Path

import numpy as np
from row_samples import ARM, PLATFORM

from hil.machines.rig.machine import load_rig
from hil.machines.robot.settings import RobotSettings
from hil.machines.space_arm.settings import ArmSettings
from hil.recording.header import RunHeader
from hil.recording.signals import Signals
from hil.stations.arm.scene.machines import MACHINES_KEY, ArmMachines
from hil.stations.arm.scene.robot import RobotScene
from hil.stations.arm.scene.space_arm import SpaceArmScene
from hil.stations.platform.scene.platform import PlatformScene

CONFIGS = Path(__file__).parents[2] / "configs"
PAPER = load_rig(CONFIGS / "rigs" / "paper.toml")
BKM = ArmSettings.load(CONFIGS / "arms" / "bkm.toml")
RM01 = RobotSettings.load(CONFIGS / "robots" / "rm01.toml")


def row(signals: Signals, **fields) -> np.ndarray:
    """One frame with these fields, the rest not there."""
    values = np.full(signals.values, np.nan)
    for name, value in fields.items():
        values[signals.places[name]] = value
    return values


def platform_row(**fields) -> np.ndarray:
    return row(PLATFORM, **fields)


def arm_row(t_s: float, **fields) -> np.ndarray:
    return row(ARM, t_s=t_s, **fields)


def platform() -> PlatformScene:
    return PlatformScene.from_scenario({"rig": PAPER.model_dump(mode="json")})


def space_arm(payload: str = "light") -> SpaceArmScene:
    return SpaceArmScene(BKM, payload)


def robot() -> RobotScene:
    return RobotScene(RM01.geometry(), RM01.name)


def platform_header() -> RunHeader:
    return RunHeader(PLATFORM, {}, {"rig": PAPER.model_dump(mode="json")})


def arm_header() -> RunHeader:
    scenario = {
        MACHINES_KEY: ArmMachines(BKM, RM01.geometry()).to_json(),
        "scenario": {"space_arm": {"payload": "heavy"}},
        "robot": {"name": "rm01"},
    }
    return RunHeader(ARM, {"station": "arm"}, scenario)
