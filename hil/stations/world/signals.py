"""What a row of the virtual environment records: of every driven joint, and of the tool."""

import re
from collections.abc import Sequence
from typing import Final

from hil.recording.signals import CODE, QUATERNION, Signal, Signals

STATION: Final = "world"
MODES: Final = ("moving", "settling", "stopping", "stopped", "off")
"""What the station does."""
ACTIONS: Final = ("passed", "controlled stop", "hold", "drives off")
"""What the gate did, in the order of `safety.robot_limits.RobotAction`."""
HEAD: Final = (
    Signal("index", "u8"),
    Signal("t_s", "f8", unit="s"),
    Signal("mode", "u1", unit=CODE, codes=MODES),
    Signal("action", "u1", unit=CODE, codes=ACTIONS),
    Signal("flags", "u2"),
)
PLACE: Final = (
    Signal("tool_pose", "f8", 7, "m,m,m,1,1,1,1", "world", "tool", QUATERNION),
    Signal("loop_gap_m", "f8", unit="m"),
)
SIGNALS: Final = Signals(STATION, (*HEAD, *PLACE))
"""Of a robot without drives; `world_signals` has the others."""

Names = Sequence[tuple[int, bool]]
"""Number of each driven joint, and whether it slides."""


def world_signals(joints: Names, control: str) -> Signals:
    """The table of a robot with these drives, commanded by speed, torque or voltage."""
    asked = {"speed": ("rad/s", "m/s"), "torque": ("N m", "N")}.get(control, ("1", "1"))
    return Signals(
        STATION,
        (
            *HEAD,
            _of_joints("wanted", joints, "rad", "m"),
            _of_joints("position", joints, "rad", "m"),
            _of_joints("speed", joints, "rad/s", "m/s"),
            _of_joints("effort", joints, "N m", "N"),
            _of_joints("command", joints, *asked),
            *PLACE,
        ),
    )


def _of_joints(name: str, joints: Names, turning: str, sliding: str) -> Signal:
    """One value a joint, in the unit of all of them or each in its own."""
    units = [sliding if slides else turning for _, slides in joints]
    endings = ["" if unit == "1" else re.sub("[/ ]", "_", f"_{unit}").lower() for unit in units]
    if len(set(units)) == 1:
        parts = tuple(f"joint{number}" for number, _ in joints)
        return Signal(f"{name}{endings[0]}", "f8", len(joints), units[0],
                      parts=parts if len(parts) > 1 else ())  # fmt: skip
    parts = tuple(f"joint{one[0]}{end}" for one, end in zip(joints, endings, strict=True))
    return Signal(f"{name}_joints", "f8", len(joints), ",".join(units), parts=parts)
