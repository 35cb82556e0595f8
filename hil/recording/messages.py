"""The recording's messages: JSON of a cycle, an event and a pair of poses, and their schemas.

`foxglove.Log` and `foxglove.FrameTransforms` are the names under which Foxglove knows the schemas
of its Log and 3D panels (docs.foxglove.dev, message schemas); the cycle has a schema of its own,
which PlotJuggler flattens into curves.
"""

from __future__ import annotations

from math import cos, sin
from typing import Any, Final

import orjson

from hil.recording.frame import FIELDS, EventRecord, Level, Six
from hil.recording.header import RunHeader, code_name

CYCLE_TOPIC: Final = "/platform/cycle"
EVENT_TOPIC: Final = "/platform/events"
TF_TOPIC: Final = "/platform/tf"

POSE_KEYS: Final = ("x_m", "y_m", "z_m", "alpha_rad", "beta_rad", "gamma_rad")

# Group and key of each field of a frame within the JSON message; None = at the top.
PLACES: Final[dict[str, tuple[str | None, str]]] = {
    "wanted_pose": ("wanted", "pose"),
    "asked_length_m": ("asked", "length_m"),
    "asked_speed_m_s": ("asked", "speed_m_s"),
    "allowed_length_m": ("allowed", "length_m"),
    "allowed_speed_m_s": ("allowed", "speed_m_s"),
    "sent_length_m": ("sent", "length_m"),
    "measured_length_m": ("measured", "length_m"),
    "measured_speed_m_s": ("measured", "speed_m_s"),
    "measured_force_n": ("measured", "force_n"),
    "reached_pose": ("reached", "pose"),
    "reached_residual_m": ("reached", "residual_m"),
    "measured_inputs_bits": ("measured", "inputs_bits"),
    "measured_lag_s": ("measured", "lag_s"),
}


def cycle_message(flat: tuple[Any, ...], header: RunHeader) -> bytes:
    """Return the JSON of one cycle; what is not there (NaN) becomes null.

    Args:
        flat: the frame's values as `FRAME.unpack` gives them, in the order of `FIELDS`.
        header: names of the codes.
    """
    return orjson.dumps(
        {
            "index": flat[0],
            "t_s": flat[1],
            "dt_s": flat[2],
            "late_s": flat[3],
            "busy_s": flat[4],
            "mode": code_name(header.modes, flat[5]),
            "action": code_name(header.actions, flat[6]),
            "flags": flat[7],
            "wanted": {"pose": dict(zip(POSE_KEYS, flat[8:14], strict=True))},
            "asked": {"length_m": flat[14:20], "speed_m_s": flat[20:26]},
            "allowed": {"length_m": flat[26:32], "speed_m_s": flat[32:38]},
            "sent": {"length_m": flat[38:44]},
            "measured": {
                "length_m": flat[44:50],
                "speed_m_s": flat[50:56],
                "force_n": flat[56:62],
                "inputs_bits": flat[69:75],
                "lag_s": flat[75],
            },
            "reached": {
                "pose": dict(zip(POSE_KEYS, flat[62:68], strict=True)),
                "residual_m": flat[68],
            },
        }
    )


def event_message(event: EventRecord, log_time_ns: int) -> bytes:
    """Return an event as a `foxglove.Log`, with the event's own keys beside."""
    return orjson.dumps(
        {
            "timestamp": _timestamp(log_time_ns),
            "level": int(event.level),
            "message": event.message,
            "name": event.name,
            "file": "",
            "line": 0,
            "t_s": event.t_s,
            "index": event.index,
            "kind": event.kind.value,
            "data": dict(event.data),
        }
    )


def transforms_message(wanted: Six, reached: Six, log_time_ns: int) -> bytes | None:
    """Return base→platform, wanted and reached, as `foxglove.FrameTransforms`.

    Args:
        wanted: x, y, z [m], alpha, beta, gamma [rad] of the pose asked for; NaN = not there.
        reached: the same of the pose measured.
        log_time_ns: time of the cycle [ns].

    Returns:
        JSON, or None if neither pose is there.
    """
    transforms = [
        _transform(pose, child, log_time_ns)
        for pose, child in ((wanted, "platform_wanted"), (reached, "platform_reached"))
        if all(value == value for value in pose)  # NaN is the one that differs from itself
    ]
    return orjson.dumps({"transforms": transforms}) if transforms else None


def quaternion(alpha_rad: float, beta_rad: float, gamma_rad: float) -> dict[str, float]:
    """Return the unit quaternion of Rz(alpha) · Ry(beta) · Rx(gamma), keys x, y, z, w."""
    ca, sa = cos(alpha_rad / 2.0), sin(alpha_rad / 2.0)
    cb, sb = cos(beta_rad / 2.0), sin(beta_rad / 2.0)
    cg, sg = cos(gamma_rad / 2.0), sin(gamma_rad / 2.0)
    return {
        "x": ca * cb * sg - sa * sb * cg,
        "y": ca * sb * cg + sa * cb * sg,
        "z": sa * cb * cg - ca * sb * sg,
        "w": ca * cb * cg + sa * sb * sg,
    }


def _transform(pose: Six, child: str, log_time_ns: int) -> dict[str, Any]:
    return {
        "timestamp": _timestamp(log_time_ns),
        "parent_frame_id": "base",
        "child_frame_id": child,
        "translation": {"x": pose[0], "y": pose[1], "z": pose[2]},
        "rotation": quaternion(*pose[3:]),
    }


def _timestamp(log_time_ns: int) -> dict[str, int]:
    sec, nsec = divmod(log_time_ns, 1_000_000_000)
    return {"sec": sec, "nsec": nsec}


# --- schemas -------------------------------------------------------------------------------------


def cycle_schema() -> bytes:
    """Return the JSON schema of `/platform/cycle`; each key's description is its unit."""
    top: dict[str, Any] = {}
    for row in FIELDS:
        group, key = PLACES.get(row.name, (None, row.name))
        if row.name in ("mode", "action"):
            value: dict[str, Any] = {"type": "string"}
        elif row.code != "d":
            value = {"type": "integer", "minimum": 0}
        else:
            value = {"type": ["number", "null"], "description": row.unit}
        if row.name.endswith("_pose"):
            value = _object({name: {"type": ["number", "null"]} for name in POSE_KEYS})
        elif row.count > 1:
            value = {"type": "array", "items": value, "minItems": 6, "maxItems": 6}
        if group is None:
            top[key] = value
        else:
            top.setdefault(group, _object({}))["properties"][key] = value
    return orjson.dumps(_object(top) | {"title": "hil.PlatformCycle"})


def log_schema() -> bytes:
    """Return the JSON schema of `/platform/events`, named `foxglove.Log`."""
    return orjson.dumps(
        _object(
            {
                "timestamp": _TIME,
                "level": {
                    "type": "integer",
                    "oneOf": [{"title": level.name, "const": int(level)} for level in Level],
                },
                "message": {"type": "string"},
                "name": {"type": "string"},
                "file": {"type": "string"},
                "line": {"type": "integer", "minimum": 0},
                "t_s": {"type": "number"},
                "index": {"type": "integer", "minimum": 0},
                "kind": {"type": "string"},
                "data": {"type": "object"},
            }
        )
        | {"title": "foxglove.Log"}
    )


def transforms_schema() -> bytes:
    """Return the JSON schema of `/platform/tf`, named `foxglove.FrameTransforms`."""
    number = {"type": "number"}
    transform = _object(
        {
            "timestamp": _TIME,
            "parent_frame_id": {"type": "string"},
            "child_frame_id": {"type": "string"},
            "translation": _object(dict.fromkeys("xyz", number)),
            "rotation": _object(dict.fromkeys("xyzw", number)),
        }
    )
    return orjson.dumps(
        _object({"transforms": {"type": "array", "items": transform}})
        | {"title": "foxglove.FrameTransforms"}
    )


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


_TIME: Final = _object(
    {
        "sec": {"type": "integer", "minimum": 0},
        "nsec": {"type": "integer", "minimum": 0, "maximum": 999_999_999},
    }
)
