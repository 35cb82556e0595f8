"""What to do about what a check of the gate found, for people."""

from collections.abc import Mapping
from typing import Final

ADVICE: Final[Mapping[str, str]] = {
    "count": "A waypoint has the wrong number of values. Mend the source, then start anew.",
    "finite": "A value is not a number: look at the motion's file or source.",
    "rotation": "A rotation is none: look at the motion's file or source.",
    "position": (
        "A joint would leave its range. Choose another working point or posture, "
        "or a smaller motion."
    ),
    "rate": "A joint would turn too fast. Slow the motion, or stay further from singularities.",
    "acceleration": "A joint would speed up too fast. Smooth or slow the motion.",
    "gripper_speed": "The gripper would be too fast beside people. Slow the motion.",
    "gripper_turn": "The gripper would turn too fast. Slow the motion.",
    "reach": "The place is out of the robot's reach. Move the working point nearer.",
    "margin": "Too near a singularity. Choose another working point or posture.",
    "clearance": "The robot would come too near itself or the table. Move the working point.",
    "corner": "The controller would round this corner too much. Slow down before it.",
    "sequence": (
        "Waypoints came twice or out of order. Start anew; if it happens again, report it."
    ),
    "start": ("The robot does not stand where the motion begins. Bring it there, then start anew."),
    "latched": "An earlier waypoint was refused; nothing follows it. Begin anew from rest.",
    "internal": "The gate does not trust itself any more. Start anew, and report it.",
}
"""Check → what to do."""
