"""What an event says of its cause: arm, joint, value, limit and unit.

An event may tell them one by one in its data. Where it does not, they are read out of its text,
which gate, kinematics and link write in a few fixed forms, such as `rm01, joint 3: rate 2.100
rad/s, more than 1.500 rad/s`. What a text does not tell is left blank, never guessed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_NUMBER: Final = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
_UNIT: Final = r"(?:rad/s²|rad/s\^2|rad/s2|rad/s|rad|mm/s|m/s|mm|m|deg/s|deg|s|1)(?![\w/²^])"

_BOUND: Final = re.compile(
    rf"(?P<value>{_NUMBER})(?: (?P<unit>{_UNIT}))?"
    rf"(?:,| is|)(?: (?:in one period of {_NUMBER} s|must be),?)* "
    rf"(?P<words>more than|less than|at most|at least|above|below) (?P<limit>{_NUMBER})"
)
_RANGE: Final = re.compile(
    rf"(?P<value>{_NUMBER})(?: (?P<unit>{_UNIT}))? outside (?P<limit>\[{_NUMBER}, {_NUMBER}\])"
)
_START: Final = re.compile(
    rf"(?P<mm>{_NUMBER}) mm and (?P<deg>{_NUMBER}) deg away, at most "
    rf"(?P<most_mm>{_NUMBER}) mm and (?P<most_deg>{_NUMBER}) deg"
)
_REACH: Final = re.compile(rf"wrist centre is (?P<value>{_NUMBER}) (?P<unit>m)\b")
_SILENT: Final = re.compile(rf"no request for (?P<limit>{_NUMBER}) (?P<unit>s)\b")
_STATUS: Final = re.compile(r"\(status (?P<value>\d)\)")
_ARM: Final = re.compile(r"^(?P<arm>[A-Za-z][\w-]*)(?:, [^:]*)?: ")
_JOINT: Final = re.compile(r"\bjoint (?P<joint>\d)")

_CAUSES: Final = (
    ("does not follow", "robot does not follow"),
    ("did not arrive", "robot not at its end"),
    ("than its period", "period of the robot"),
    ("elbow singularity", "elbow singularity"),
    ("wrist singularity", "wrist singularity"),
    ("shoulder singularity", "shoulder singularity"),
    ("out of reach", "out of reach"),
    ("acceleration", "joint acceleration"),
    ("gripper speed", "gripper speed"),
    ("gripper turn rate", "gripper turn rate"),
    ("mm in one period", "step of a waypoint"),
    ("deg in one period", "turn of a waypoint"),
    ("the start is planned at", "start position"),
    ("rate ", "joint rate"),
    ("position ", "joint position"),
    (" rad is ", "joint position"),
    ("emergency stop", "hold or emergency stop"),
    ("not calibrated", "not calibrated"),
    ("limit of position or speed", "limit at the robot"),
    ("ran dry", "no waypoint in time"),
    ("no request for", "silence of the robot"),
    ("operator", "operator"),
)


_PARTS: Final[tuple[str, ...]] = ("cause", "arm", "joint", "value", "limit", "unit")


@dataclass(frozen=True, slots=True)
class Cause:
    """Why something ended or was refused, each part as text, empty if not told.

    Args:
        cause: in a few words.
        arm: name of the arm.
        joint: its number.
        value: what was found.
        limit: what would have been right at most or at least.
        unit: of both.
    """

    cause: str = ""
    arm: str = ""
    joint: str = ""
    value: str = ""
    limit: str = ""
    unit: str = ""

    @classmethod
    def of(cls, message: str, data: Mapping[str, object]) -> "Cause":
        """Read an event's cause, from its data first and its text else.

        Args:
            message: the event's text.
            data: what it tells one by one.
        """
        text = str(data.get("reason") or message)
        found = _read(text)
        told = {name: _shown(data[name]) for name in _PARTS if data.get(name) not in (None, "")}
        if "check" in data:
            told.setdefault("cause", str(data["check"]).replace("_", " "))
        if "value" in told or "limit" in told:  # never half of it from one and half from the other
            found = {name: found[name] for name in ("cause", "arm", "joint")}
        return cls(**{**found, **told})


def _read(text: str) -> dict[str, str]:
    parts: dict[str, str] = dict.fromkeys(_PARTS, "")
    parts["cause"] = next((words for key, words in _CAUSES if key in text), "")
    for pattern in (_ARM, _JOINT):
        if match := pattern.search(text):
            parts |= match.groupdict()
    if parts["arm"] == "refused":
        parts["arm"] = ""
    if match := _START.search(text):
        return parts | _start_parts(match)
    for pattern in (_RANGE, _BOUND, _REACH, _SILENT, _STATUS):
        if match := pattern.search(text):
            told = {name: found or "" for name, found in match.groupdict().items()}
            told.pop("words", None)
            return parts | told
    return parts


def _start_parts(match: re.Match[str]) -> dict[str, str]:
    """Of distance and turn the one that is too large."""
    turned = float(match["mm"]) <= float(match["most_mm"])
    unit = "deg" if turned else "mm"
    return {"value": match[unit], "limit": match[f"most_{unit}"], "unit": unit}


def _shown(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
