"""Frames, headers and feeds that the tests of the panel's models share."""

from pathlib import Path

import numpy as np
from row_samples import ARM, PLATFORM

from hil.machines.rig.machine import load_rig, soft_range_m
from hil.machines.robot.settings import RobotSettings
from hil.machines.space_arm.settings import ArmSettings
from hil.panel.live.models.feed import Batch, RunFacts, column
from hil.recording.events import EventKind, EventRecord, Level
from hil.recording.header import RunHeader
from hil.stations.arm.scene.machines import MACHINES_KEY, ArmMachines
from safety.modes import Mode
from safety.verdict import Action

CONFIGS = Path(__file__).parents[2] / "configs"
MODES = tuple(mode.name for mode in Mode)
ACTION_NAMES = tuple(action.name for action in Action)


def platform_facts(**metadata):
    rig = load_rig(CONFIGS / "rigs" / "paper.toml")
    facts = {"scenario": "circle", "drives": "SIMULATED paper (sim:)", "axes": "a; b"} | metadata
    facts["simulated"] = "drives" if facts["drives"].startswith("SIMULATED") else ""
    header = RunHeader(PLATFORM, facts, {"rig": rig.model_dump(mode="json")})
    return RunFacts(header, 0.001, "circle")


def arm_facts(**metadata):
    robot = RobotSettings.load(CONFIGS / "robots" / "rm01.toml")
    machines = ArmMachines(
        ArmSettings.load(CONFIGS / "arms" / "bkm.toml"), robot.geometry()
    ).to_json()
    facts = {
        "station": "arm",
        "scenario": "bkm",
        "space_arm": "bkm",
        "robot": "SIMULATED rm01 (sim:)",
    } | metadata
    facts["simulated"] = "robot" if facts["robot"].startswith("SIMULATED") else ""
    scenario = {MACHINES_KEY: machines, "robot": robot.model_dump(mode="json")}
    header = RunHeader(ARM, facts, scenario)
    return RunFacts(header, 0.35, "bkm")


def soft_ranges():
    rig = load_rig(CONFIGS / "rigs" / "paper.toml")
    return np.array([soft_range_m(rig, leg) for leg in range(6)])


def rows(facts, count=1, t_s=0.0, period_s=None, **fields):
    """Rows of a run from a time on; fields are values or arrays of (count,) or (count, n)."""
    signals = facts.signals
    made = np.full((count, signals.values), np.nan)
    period_s = facts.period_s if period_s is None else period_s
    made[:, column(signals, "t_s")] = (t_s + period_s * np.arange(count))[:, None]
    made[:, column(signals, "flags")] = 0
    for name, values in fields.items():
        values = np.asarray(values, dtype=float)
        place = made[:, column(signals, name)]
        place[:] = values[:, None] if values.shape == (count,) and place.shape[1] == 1 else values
    return made


def batch(facts, *events, operation=None, restart=False, count=1, t_s=0.0, **fields):
    made = rows(facts, count, t_s, **fields)
    return Batch(made, tuple(events), operation, restart=restart)


def event(kind, message, t_s=0.0, level=Level.ERROR, name="gate", **data):
    return EventRecord(t_s, round(1000 * t_s), EventKind(kind), level, name, message, data)


def mode_event(mode, t_s=0.0):
    return event("mode", f"? → {mode}", t_s, Level.INFO, mode=mode)


def mode(facts, name):
    return facts.header.modes.index(name)
