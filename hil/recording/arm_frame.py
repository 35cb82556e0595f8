"""What the arm station hands to the recorder: one fixed binary frame per waypoint.

`ARM_FIELDS` is the one table from which the binary layout, the JSON, the reader's columns and the
names of the CSV are all made. Not a number (NaN) in a frame means "not there". Events are those of
`hil.recording.frame`. Poses are position [m] and unit quaternion w, x, y, z.
"""

import math
from collections.abc import Mapping
from enum import IntFlag
from typing import Any, Final, NamedTuple

import orjson

from hil.recording.frame import NAN6, EventKind, EventRecord, Field, Level, Six
from hil.recording.header import RunHeader, code_name
from hil.recording.layout import STATION_KEY, Layout

Three = tuple[float, float, float]
Five = tuple[float, float, float, float, float]
Seven = tuple[float, float, float, float, float, float, float]

_NAN: Final = math.nan
NAN3: Final[Three] = (_NAN, _NAN, _NAN)
NAN7: Final[Seven] = (_NAN, _NAN, _NAN, _NAN, _NAN, _NAN, _NAN)
"""A pose that is not there."""

STATION: Final = "arm"

LINK_TALLY: Final = "link tally"
"""Name of the event that tells the link's counts at the end."""
SUPERVISION: Final = "supervision"
"""Name of the event that tells what was seen of the robot's period and places."""

SIMULATED_KEY: Final = "simulated"
"""Key in the data of the event of an emulated controller behind a wire."""

WAY_PLACES: Final = 10
"""Places of the simulated gripper in the world, even in time, the last at the waypoint's time."""
NAN_WAY: Final = (_NAN,) * (3 * WAY_PLACES)

WATCHED: Final = ("following_1", "ahead_s", "behind_s", "silence_s", "blank_1")
"""What the supervision has seen of the robot by now: share of the following window at the last
place told, how far its requests are ahead of their period and how far behind, the longer of the
silence now and the one before its last request, and requests in a row that told no place."""
NAN5: Final[Five] = (_NAN, _NAN, _NAN, _NAN, _NAN)

POSE_KEYS: Final = ("x_m", "y_m", "z_m", "qw", "qx", "qy", "qz")

ARM_FIELDS: Final[tuple[Field, ...]] = (
    Field("index", "Q", 1, "1"),  # number of the waypoint
    Field("t_s", "d", 1, "s"),  # motion time, at which the waypoint is planned
    Field("late_s", "d", 1, "s"),  # wake-up minus deadline
    Field("state", "B", 1, "code"),  # of the host's end of the link, named by the header
    Field("action", "B", 1, "code"),  # what the gate did, named by the header
    Field("flags", "H", 1, "bits"),  # ArmFlag
    Field("wanted_twist", "d", 6, "m/s,rad/s"),  # of the gripper, linear then angular
    Field("rate_command", "d", 6, "rad/s"),  # to the space arm's joints
    Field("space_q", "d", 6, "rad"),  # the space arm: joint angles
    Field("space_v", "d", 6, "rad/s"),  # joint rates
    Field("space_motor", "d", 6, "rad"),  # motor positions, on the joints' side
    Field("space_torque", "d", 6, "N m"),  # joint torques
    Field("space_pose", "d", 7, "m,1"),  # X_WG, its gripper in the world
    Field("space_way", "d", 3 * WAY_PLACES, "m"),  # that gripper's places since the one before
    Field("target_pose", "d", 7, "m,1"),  # X_RT asked of the industrial arm
    Field("robot_q", "d", 6, "rad"),  # its joint angles, by inverse kinematics
    Field("robot_q_rate", "d", 6, "rad/s"),
    Field("sent_location", "d", 6, "0.01 mm,0.001 deg"),  # on the wire: x, y, z, o, a, t
    Field("sent_seq", "d", 1, "1"),  # waypoints the robot had been sent when this one was offered
    Field("measured_pose", "d", 7, "m,1"),  # X_RT told by the robot
    Field("measured_at_s", "d", 1, "s"),  # time of the loop at the robot's last request
    Field("margins", "d", 3, "1,m,m"),  # industrial arm from singular: wrist, elbow, shoulder
    Field("watched", "d", 5, "1,s,s,s,1"),  # of the supervision: see `WATCHED`
    Field("gripper_speed_m_s", "d", 1, "m/s"),  # asked of the industrial arm
    Field("answer_latency_s", "d", 1, "s"),  # from the last request to its answer, at the port
    Field("requests", "Q", 1, "1"),  # since the start
    Field("repeats", "Q", 1, "1"),  # of these, for a number already answered
)


class ArmFlag(IntFlag):
    """Bits of the frame's `flags`: facts of one waypoint that are true or not."""

    OVERRUN = 1  # at least one deadline was given up before this waypoint
    MISSED = 2  # the slot was empty when the robot asked
    OUT_OF_REACH = 4  # inverse kinematics had no answer
    FAULT_LATCHED = 8
    STOP_ASKED = 16  # a signal or the operator asked for the end of the run
    RESTING = 32  # let go: the robot rests, or goes to rest or from it, while the space arm swings
    BEHIND = 64  # the robot is not where the simulated gripper is on the bench


class ArmFrame(NamedTuple):
    """One waypoint of both arms: wanted, simulated, asked, sent, measured; units of `ARM_FIELDS`.

    Groups are tuples or lists of Python floats (an array's `.tolist()`).
    """

    index: int  # pyright: ignore[reportIncompatibleMethodOverride]  # hides tuple.index, unused
    t_s: float
    late_s: float
    state: int
    action: int
    flags: int = 0
    wanted_twist: Six = NAN6
    rate_command: Six = NAN6
    space_q: Six = NAN6
    space_v: Six = NAN6
    space_motor: Six = NAN6
    space_torque: Six = NAN6
    space_pose: Seven = NAN7
    space_way: tuple[float, ...] = NAN_WAY
    target_pose: Seven = NAN7
    robot_q: Six = NAN6
    robot_q_rate: Six = NAN6
    sent_location: Six = NAN6
    sent_seq: float = _NAN
    measured_pose: Seven = NAN7
    measured_at_s: float = _NAN
    margins: Three = NAN3
    watched: Five = NAN5
    gripper_speed_m_s: float = _NAN
    answer_latency_s: float = _NAN
    requests: int = 0
    repeats: int = 0

    def to_bytes(self) -> bytes:
        """The frame as it goes into the ring, with the kind `frame.CYCLE_KIND`.

        Raises:
            struct.error: if a group has another length than its field, or a code does not fit.
        """
        flat: list[Any] = []
        for value in self:
            if isinstance(value, int | float):
                flat.append(value)
            else:
                flat.extend(value)
        return ARM.frame.pack(*flat)

    @classmethod
    def from_bytes(cls, payload: bytes | memoryview) -> "ArmFrame":
        """Read one frame back.

        Raises:
            struct.error: if it is not exactly of `ARM.frame.size` bytes.
        """
        return cls._make(_groups(ARM.frame.unpack(payload)))


def arm_header(
    states: tuple[str, ...],
    actions: tuple[str, ...],
    metadata: Mapping[str, str],
    scenario: Mapping[str, Any],
) -> RunHeader:
    """Header of a recording of the arm station.

    Args:
        states: names of the codes of `ArmFrame.state`, in order from 0.
        actions: names of the codes of `ArmFrame.action`, likewise.
        metadata: facts of the run, text only; the station is added.
        scenario: the effective scenario, as JSON values.
    """
    return RunHeader(states, actions, {**metadata, STATION_KEY: STATION}, scenario)


def stream_result(t_s: float, index: int, result: str, reason: str) -> EventRecord:
    """The event of a stream's end, from which the report tells how a run went.

    Args:
        t_s: motion time [s].
        index: number of the waypoint.
        result: a value of `arm_driver.host_states.StreamResult`, such as "completed".
        reason: why, a sentence for a person.
    """
    level = Level.INFO if result in ("completed", "cancelled") else Level.ERROR
    text = f"stream {result}: {reason}" if reason else f"stream {result}"
    data = {"result": result, "reason": reason}
    return EventRecord(t_s, index, EventKind.NOTE, level, "stream", text, data)


def told_simulated(t_s: float, index: int) -> EventRecord:
    """The event of a controller that says that it is an emulated one (time of the loop [s])."""
    text = "the controller says of itself that it is SIMULATED"
    data = {SIMULATED_KEY: True}
    return EventRecord(t_s, index, EventKind.NOTE, Level.INFO, "link", text, data)


def link_tally(
    t_s: float, index: int, counts: Mapping[str, float], name: str = LINK_TALLY
) -> EventRecord:
    """The event of the link's counts at the end of a run, or of what its supervision has seen.

    Args:
        t_s: time of the loop [s].
        index: number of the last waypoint.
        counts: name → number, such as those of `arm_driver.host_values.LinkCounts`; names that end
            in `_s` are times [s].
        name: of the event.
    """
    text = "; ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in counts.items())
    return EventRecord(t_s, index, EventKind.NOTE, Level.INFO, name, text, dict(counts))


def _groups(flat: tuple[Any, ...]) -> list[Any]:
    """Values in a row → one per field, groups as tuples."""
    values: list[Any] = []
    start = 0
    for row in ARM_FIELDS:
        values.append(flat[start] if row.count == 1 else flat[start : start + row.count])
        start += row.count
    return values


def _message(flat: tuple[Any, ...], header: RunHeader) -> bytes:
    content: dict[str, Any] = {}
    for row, value in zip(ARM_FIELDS, _groups(flat), strict=True):
        if row.name.endswith("_pose"):
            value = dict(zip(POSE_KEYS, value, strict=True))
        content[row.name] = value
    content["state"] = code_name(header.modes, content["state"])
    content["action"] = code_name(header.actions, content["action"])
    return orjson.dumps(content)


def _schema() -> bytes:
    number = {"type": ["number", "null"]}
    properties: dict[str, Any] = {}
    for row in ARM_FIELDS:
        value: dict[str, Any] = {**number, "description": row.unit}
        if row.unit == "code":
            value = {"type": "string"}
        elif row.code != "d":
            value = {"type": "integer", "minimum": 0}
        elif row.name.endswith("_pose"):
            value = {"type": "object", "properties": dict.fromkeys(POSE_KEYS, number)}
        elif row.count > 1:
            value = {
                "type": "array", "items": number, "description": row.unit,
                "minItems": row.count, "maxItems": row.count,
            }  # fmt: skip
        properties[row.name] = value
    top = {"type": "object", "properties": properties, "title": "hil.ArmWaypoint"}
    return orjson.dumps(top)


_FRAMES: Final = (
    ("space_pose", "world", "space_gripper"),
    ("target_pose", "robot_base", "gripper_asked"),
    ("measured_pose", "robot_base", "gripper_measured"),
)


def _transforms(flat: tuple[Any, ...], log_time_ns: int) -> bytes | None:
    frame = ArmFrame._make(_groups(flat))
    sec, nsec = divmod(log_time_ns, 1_000_000_000)
    transforms: list[dict[str, Any]] = []
    for name, parent, child in _FRAMES:
        x, y, z, qw, qx, qy, qz = getattr(frame, name)
        if math.isfinite(x + y + z + qw + qx + qy + qz):
            transforms.append(
                {
                    "timestamp": {"sec": sec, "nsec": nsec},
                    "parent_frame_id": parent,
                    "child_frame_id": child,
                    "translation": {"x": x, "y": y, "z": z},
                    "rotation": {"x": qx, "y": qy, "z": qz, "w": qw},
                }
            )
    return orjson.dumps({"transforms": transforms}) if transforms else None


_TWIST: Final = ["vx_m_s", "vy_m_s", "vz_m_s", "wx_rad_s", "wy_rad_s", "wz_rad_s"]
_LOCATION: Final = ["x_0.01mm", "y_0.01mm", "z_0.01mm", "o_0.001deg", "a_0.001deg", "t_0.001deg"]
_MARGINS: Final = ["margin_wrist_1", "margin_elbow_m", "margin_shoulder_m"]


def _column_names(row: Field) -> list[str]:
    if row.name == "wanted_twist":
        return [f"wanted_{part}" for part in _TWIST]
    if row.name == "sent_location":
        return [f"sent_{part}" for part in _LOCATION]
    if row.name == "margins":
        return list(_MARGINS)
    if row.name == "watched":
        return [f"watched_{part}" for part in WATCHED]
    if row.name == "space_way":
        return [
            f"space_way_{place}_{axis}_m" for place in range(1, WAY_PLACES + 1) for axis in "xyz"
        ]
    unit = row.unit.replace("/", "_").replace(" ", "_").lower()
    return [f"{row.name}_joint{joint}_{unit}" for joint in range(1, row.count + 1)]


ARM: Final = Layout(
    station=STATION,
    schema_name="hil.ArmWaypoint",
    fields=ARM_FIELDS,
    codes=("state", "action"),
    pose_keys=POSE_KEYS,
    places={},
    message=_message,
    schema=_schema,
    transforms=_transforms,
    column_names=_column_names,
    first_index=1,  # waypoint 0 is the start, which is agreed and not sent
)
"""Layout of the arm station's recordings."""
