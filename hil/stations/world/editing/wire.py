"""Built documents between two processes, as data: a head of JSON, and the engine's model behind it.

Numbers keep all their digits, and nothing that comes is ever run.
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
"""Mark of a message, bytes of its JSON, bytes of what follows."""
READY: Final = b"REDY"
"""The process listens, and has built the plan's own document for a rehearsal."""
BEGIN: Final = b"PLAN"
"""What is edited: the plan of a run, and a document to look at, if one is to be."""
EDIT: Final = b"EDIT"
"""A document to build."""
ANSWER: Final = b"ANSW"
"""What building it came to."""
LARGEST: Final = 1 << 28
"""Bytes of one message at most."""


class EditWireError(ValueError):
    """Bytes that are no message of this wire."""


def message(kind: bytes, document: Any, body: bytes = b"") -> bytes:
    """A message of JSON and bytes."""
    text = orjson.dumps(document)
    return HEAD.pack(kind, len(text), len(body)) + text + body


class MessageReader:
    """Puts messages together of what comes in pieces."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> None:
        """Take a piece."""
        self._data += data

    def next(self) -> tuple[bytes, Any, bytes] | None:
        """Kind, JSON and bytes of the next message; None if it is not there as a whole.

        Raises:
            EditWireError: if it is none.
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
    """All values of a robot."""
    parts = (robot.links, robot.joints, robot.name, robot.drives, robot.sensors, robot.machine,
             robot.gravity_m_s2)  # fmt: skip
    return _parts().dump_json(parts).decode()


def robot_from(text: str) -> Robot:
    """A robot out of its values.

    Raises:
        ValueError: if they are no robot's.
    """
    return Robot(*_parts().validate_json(text))


def answer_message(answer: EditAnswer, kind: bytes = ANSWER) -> bytes:
    """What building a document came to, as a message."""
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
    """What building a document came to, out of a message."""
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
