"""Words of the picture in space."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "scene.title.platform": "Platform {name}",
    "scene.title.space_arm": "SIMULATED space arm {name}",
    "scene.title.robot": "Robot {name}",
    "scene.title.robot_simulated": "SIMULATED robot {name}",
    "scene.legend.front": "front",
    "scene.legend.ghost_pose": "wanted pose",
    "scene.legend.leg_ok": "leg has travel left",
    "scene.legend.leg_warn": "leg near its limit",
    "scene.legend.leg_fault": "leg at its limit",
    "scene.legend.gripper": "gripper",
    "scene.legend.payload": "payload",
    "scene.legend.trace": "gripper's path",
    "scene.legend.measured_gripper": "gripper as measured",
    "scene.legend.asked_gripper": "gripper as asked",
    "scene.legend.grid": "grid {value}",
    "scene.note.pose_unknown": "Pose not known: drawn at its reference lengths",
    "scene.note.joints_unknown": "Joints not known: drawn at home",
    "scene.note.as_asked": "Not measured: drawn as asked",
    "scene.flat.why": "Drawn flat: {why}",
    "scene.flat.side": "side",
    "scene.flat.top": "top",
    "scene.keys": (
        "Drag: turn. Middle button: shift. Wheel, + and -: zoom. Arrows: turn, with Ctrl: shift. "
        "F front, S side, T top, R reset."
    ),
    "scene.nothing": "No run",
    "scene.cannot": "Nothing to draw: {why}",
    "scene.description": "Picture of the machine in space",
}
"""Key → English."""
