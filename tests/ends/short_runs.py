"""A short run of each station, as arguments of `hil run`."""

from pathlib import Path

HEAVE = ["motion.duration_s=1", "motion.fade_s=0.5", "rate_hz=125", "check_first=false"]
PLACE = [
    "space_arm.model=b",
    "mapping.start={position_m=[0.45, 0.15, 0.75], oat_deg=[90.0, 0.0, 0.0]}",
    "mapping.start_joints_deg=[46.4, 78.1, -218.3, 53.8, 63.8, -31.1]",
]
"""Where the robot begins: to look for the deepest place takes longer than the run."""
UP = [*PLACE, "source.segment=[{duration_s=14.0, velocity_m_s=[0, 0, 0.01]}]"]
RIDE = ["duration_s=3", "rate_hz=125", "check_first=false"]
STAND_IN = Path(__file__).parents[1] / "task_station" / "stand_in.toml"
TASK = [
    f'diagram.file="{STAND_IN}"',
    'diagram.set=[{parameter="until_s", value=0.5}, {parameter="said", value=5.0}]',
]
"""A diagram that gives up at once, so that the run ends with exit status 1."""


def arguments(station: str, *more: str) -> list[str]:
    """The scenario of a station, with its changes and more of them."""
    scenario, changes = {
        "platform": ("heave", HEAVE),
        "arm": ("bkm_on_rm01", UP),
        "world": ("joint_move", ["motion.duration_s=2.5"]),
        "simulator": ("recorded_ride", RIDE),
        "task": ("container", TASK),
    }[station]
    return [scenario, *(word for change in (*changes, *more) for word in ("--set", change))]


STATIONS = ("platform", "arm", "world", "simulator")
"""Stations whose short run ends well."""
