"""Identified properties of a controller as keys of a robot's file.

    [blend]        longest_s  2h
                   lag_s      mean lag of the axes
                   servo_s    of the largest lag with its errors, and of the interpolation
    [supervision]  delay_s    path delay + lag, least and largest axis, less and more a margin

servo_s is the duration of a blend that rounds as much as they do.
"""

import math
from pathlib import Path
from typing import Any, Final

from arm_driver.fit.identification import Identified
from arm_driver.fit.strokes import AXES
from hil.config.toml_edit import change_text, write_text
from hil.machines.robot.settings import RobotSettings, rounding_s2
from sim.toml_reader import read_table

MARGIN_S: Final = 0.05
"""Margin of the delay's window [s]: about what the following window allows for the speed too."""

Change = dict[str, dict[str, Any]]


def changes(found: Identified, robot: RobotSettings, date: str) -> Change:
    """Return the keys by table, with values as TOML has them.

    Args:
        date: of today, YYYY-MM-DD.
    """
    lags = [axis.lag_s for axis in found.axes.values()]
    largest_s = max(one.value + 2.0 * one.error for one in lags)
    rounds_s2 = rounding_s2(largest_s, robot.blend.interpolation_s)
    least_s, most_s = found.delay_s
    margin_s = MARGIN_S + 2.0 * found.path_delay_s.error
    measured = {
        "path_delay_s": found.path_delay_s,
        "blend_s": found.blend_s,
        **{f"lag_{name}_s": found.axes[name].lag_s for name in AXES},
    }
    per_speed = robot.gripper_speed_max_m_s, math.radians(robot.gripper_turn_max_deg_s)
    behind = [
        axis.lag_s.value * per_speed[name == "turn"] + axis.friction.value
        for name, axis in found.axes.items()
    ]
    return {
        "blend": {
            "longest_s": round(found.blend_s.value, 4),
            "lag_s": round(found.lag_s, 5),
            "servo_s": math.ceil(1e3 * math.sqrt(12.0 * rounds_s2)) / 1e3,
        },
        "supervision": {
            "delay_s": [
                max(math.floor(1e3 * (least_s - margin_s)) / 1e3, 0.001),
                math.ceil(1e3 * (most_s + margin_s)) / 1e3,
            ]
        },
        "identified": {
            "date": date,
            **{k: [round(one.value, 5), round(one.error, 5)] for k, one in measured.items()},
            "following_mm": [round(1e3 * error, 3) for error in behind[:3]],
            "following_deg": round(math.degrees(behind[3]), 4),
        },
    }


def write(path: Path, changed: Change) -> None:
    """Put keys into a robot's file; comments and other keys stay.

    Raises:
        ConfigError: if that is no robot then, or cannot be written; the file is as it was.
    """
    text = change_text(path.read_text(encoding="utf-8"), changed, str(path))
    RobotSettings.build(read_table(text), str(path))
    write_text(path, text)
