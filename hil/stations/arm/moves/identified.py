"""From what was identified to the keys of a robot's file, and into that file.

    [blend]        longest_s     2h
                   servo_mean_s  sqrt(12 (lag² / 2 + T² / 6)), with the mean lag of the axes
                   servo_s       sqrt(12 (lag² / 2 + T² / 4)), with the largest, and its errors
    [supervision]  delay_s       path delay + lag, least and largest axis, less and more a margin

The two in the middle are durations of a blend that rounds as much as servos and interpolation do.
A mean over w has the variance w² / 12, a critically damped servo lag² / 2; chords a step T apart
have T² / 6 on the average over where in a step a corner falls, T² / 4 if it falls into the middle.
"""

import math
import tomllib
from pathlib import Path
from typing import Any, Final

from arm_driver.identification import Identified
from arm_driver.strokes import AXES
from hil.config.toml_edit import changed_text, write_text
from hil.machines.robot_settings import RobotSettings

MARGIN_S: Final = 0.05
"""Of the window of the delay [s]: about what the following window allows for the speed as well."""

Change = dict[str, dict[str, Any]]


def changes(found: Identified, robot: RobotSettings, date: str) -> Change:
    """Keys by table, with values as TOML has them.

    Args:
        found: of the robot's controller, along all axes.
        robot: its file as it is.
        date: of today, YYYY-MM-DD.
    """
    step_s = step_of(robot)
    lags = [axis.lag_s for axis in found.axes.values()]
    largest_s = max(one.value + 2.0 * one.error for one in lags)
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
            "servo_s": math.ceil(1e3 * _as_blend_s(largest_s, step_s, 4.0)) / 1e3,
            "servo_mean_s": round(_as_blend_s(found.lag_s, step_s, 6.0), 4),
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
            "following_mm": [round(1e3 * way, 3) for way in behind[:3]],
            "following_deg": round(math.degrees(behind[3]), 4),
        },
    }


def write(path: Path, changed: Change) -> None:
    """Put keys into a robot's file; comments and other keys stay.

    Raises:
        ConfigError: if that is no robot then, or cannot be written; the file is as it was.
    """
    text = changed_text(path.read_text(encoding="utf-8"), changed, str(path))
    RobotSettings.build(tomllib.loads(text), str(path))
    write_text(path, text)


def step_of(robot: RobotSettings) -> float:
    """Time between two poses of its controller's interpolation [s]."""
    blend = robot.blend
    return blend.shortest_s if blend.step_s is None else blend.step_s


def _as_blend_s(lag_s: float, step_s: float, part: float) -> float:
    return math.sqrt(12.0 * (0.5 * lag_s**2 + step_s**2 / part))
