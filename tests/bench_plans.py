"""Short plans for tests of the whole bench."""

from pathlib import Path

from hil.config.file_search import configs_dir
from hil.config.named_files import GIVEN
from hil.stations.platform.plan.scenario import Plan, plan_from_table

PAPER = str(configs_dir() / "rigs" / "paper.toml")

QUICK = tuple(
    f"rig_settings.slow_moves.{key}={value}"
    for key, value in {
        "speed_m_s": 0.3,
        "acceleration_m_s2": 1.0,
        "jerk_m_s3": 8.0,
        "angular_speed_deg_s": 20.0,
        "angular_acceleration_deg_s2": 60.0,
        "angular_jerk_deg_s3": 480.0,
    }.items()
)
"""Slow moves that do not make the tests slow."""

HEAVE = {
    "kind": "multi_sine",
    "duration_s": 1.0,
    "fade_s": 0.5,
    "terms": [
        {"axis": "z", "amplitude_m": 0.02, "frequency_hz": 0.8},
        {"axis": "gamma", "amplitude_deg": 2.0, "frequency_hz": 0.5},
        {"axis": "x", "amplitude_m": 0.015, "frequency_hz": 0.6, "phase_deg": 50.0},
    ],
}
"""A small motion that moves all six legs differently."""

TOO_FAR = {
    "kind": "multi_sine",
    "duration_s": 8.0,
    "fade_s": 2.0,
    "terms": [
        {"axis": "z", "amplitude_m": 0.40, "frequency_hz": 0.1},
        {"axis": "x", "amplitude_m": 0.10, "frequency_hz": 0.2},
    ],
}
"""A motion that leaves the stroke."""


def plan(*overrides: str, motion: dict | None = None, **keys: object) -> Plan:
    """A plan on the paper's rig."""
    table = {"name": "test", "rig": PAPER, "motion": motion or HEAVE, "rate_hz": 250.0} | keys
    GIVEN.take(table)  # as on the command line: the files may lie anywhere
    return plan_from_table(table, Path("test.toml"), overrides)
