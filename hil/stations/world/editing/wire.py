"""Built documents between two processes, as data: a head of JSON, and the engine's model behind it.

Numbers keep all their digits, and nothing received is ever run.
"""

from __future__ import annotations

import base64
import struct
from functools import cache
from typing import Any, Final

import numpy as np
import orjson
from pydantic import ConfigDict, TypeAdapter

from hil.run.edit_texts import EditText
from hil.stations.world.editing.edit_build import BuiltEdit
from hil.stations.world.editing.editor import EditAnswer
from sim.world.control.laws import Gains
from sim.world.robots.model import (
    MachineBounds,
    Robot,
    RobotDrive,
    RobotJoint,
    RobotLink,
)
from sim.world.robots.sensors import RobotSensor

HEAD: Final = struct.Struct("<4sII")
"""Mark of a message, bytes of its JSON, bytes of its body."""
READY: Final = b"REDY"
"""Kind: the process is ready, and has built the plan's own document for a rehearsal."""
BEGIN: Final = b"PLAN"
"""Kind: plan of a run, and a document to poll, if any."""
EDIT: Final = b"EDIT"
"""Kind: a document to build."""
ANSWER: Final = b"ANSW"
"""Kind: the result of building one."""
LARGEST: Final = 1 << 28
"""Largest message [bytes]."""


class EditWireError(ValueError):
    """Bytes that are not a message of this wire."""


def message(kind: bytes, document: Any, body: bytes = b"") -> bytes:
    """Encode a message of JSON and bytes."""
    text = orjson.dumps(document)
    return HEAD.pack(kind, len(text), len(body)) + text + body


class MessageReader:
    """Decoder of messages that come in pieces."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> None:
        """Take a piece of the stream."""
        self._data += data

    def next(self) -> tuple[bytes, Any, bytes] | None:
        """Kind, JSON and bytes of the next message; None while it is incomplete.

        Raises:
            EditWireError: if it is not a message.
        """
        if len(self._data) < HEAD.size:
            return None
        kind, count, more = HEAD.unpack_from(self._data)
        if kind not in (READY, BEGIN, EDIT, ANSWER) or count + more > LARGEST:
            raise EditWireError(f"{bytes(self._data[:16])!r} is no message")
        end = HEAD.size + count + more
        if len(self._data) < end:
            return None
        text, body = self._data[HEAD.size : HEAD.size + count], self._data[end - more : end]
        found = kind, orjson.loads(text), bytes(body)
        del self._data[:end]
        return found


_Parts = tuple[
    tuple[RobotLink, ...], tuple[RobotJoint, ...], str, tuple[RobotDrive, ...],
    tuple[RobotSensor, ...], MachineBounds | None, tuple[float, float, float] | None,
]  # fmt: skip
"""Values of a robot, in the order of its fields."""


@cache
def _parts() -> TypeAdapter[_Parts]:
    exact = ConfigDict(ser_json_inf_nan="strings", ser_json_bytes="base64", val_json_bytes="base64")
    return TypeAdapter(_Parts, config=exact)


def robot_json(robot: Robot) -> str:
    """JSON of all values of a robot."""
    parts = (robot.links, robot.joints, robot.name, robot.drives, robot.sensors, robot.machine,
             robot.gravity_m_s2)  # fmt: skip
    return _parts().dump_json(parts).decode()


def robot_from(text: str) -> Robot:
    """Robot out of its values.

    Raises:
        ValueError: if they are not those of a robot.
    """
    return Robot(*_parts().validate_json(text))


def answer_message(answer: EditAnswer, kind: bytes = ANSWER) -> bytes:
    """Encode the result of building a document."""
    document: dict[str, Any] = {
        "text": answer.edit.text, "source": answer.edit.source, "faults": list(answer.faults),
    }  # fmt: skip
    built = answer.built
    if built is None:
        return message(kind, document)
    gains = [getattr(built.gains, name) for name in ("kp", "ki", "kd")]
    document |= {
        "robot": robot_json(built.robot),
        "weighed": None if built.weighed == built.robot else robot_json(built.weighed),
        "canonical": built.canonical,
        "model_text": built.text,
        "files": {name: base64.b64encode(data).decode() for name, data in built.files.items()},
        "start": [[number, list(values)] for number, values in built.start.items()],
        "gains": [base64.b64encode(values.tobytes()).decode() for values in gains],
    }
    return message(kind, document, built.model)


def answer_from(document: Any, body: bytes) -> EditAnswer:
    """Decode the result of building a document."""
    edit = EditText(document["text"], document["source"])
    if "robot" not in document:
        return EditAnswer(edit, None, tuple(document["faults"]))
    robot = robot_from(document["robot"])
    weighed = robot if document["weighed"] is None else robot_from(document["weighed"])
    start = {number: tuple(values) for number, values in document["start"]}
    gains = Gains(*(np.frombuffer(base64.b64decode(one)) for one in document["gains"]))
    text = str(document["model_text"])
    files = {str(name): base64.b64decode(data) for name, data in document["files"].items()}
    built = BuiltEdit(edit, robot, weighed, document["canonical"], start, body, text, files, gains)
    return EditAnswer(edit, built)
