"""Protocol of the process of a live window: messages to it, and its answers.

Messages are framed as those of pictures (`sim.world.pictures.wire`). First a model (`MODEL`, JSON),
answered by `READY`; then states (`LOOK`) in any number and further models, none of which is
answered: the newest state is shown. The window reports keys (`KEY`) and pushes (`PUSH`) when there
are any, and ends with `CLOSED`; `FAILED` or `NO_WINDOW` (a text) may come in place of any of them
and is the last one. The end of its input ends the process.
"""

import json
import math
import struct
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

from sim.world.pictures.wire import WireError, message

MODEL: Final = b"M"
LOOK: Final = b"L"
READY: Final = b"R"
KEY: Final = b"K"
PUSH: Final = b"U"
CLOSED: Final = b"C"
FAILED: Final = b"F"
NO_WINDOW: Final = b"N"

_LOOK: Final = struct.Struct("<dBI")
"""Head of a state: speed, whether time is paused, and bytes of the words that follow."""
_PUSH: Final = struct.Struct("<I6d")
_KEY: Final = struct.Struct("<I")


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewedModel:
    """A model that a window shows."""

    text: str
    """Model as MJCF."""
    start: tuple[float, ...]
    """Positions by which camera and floor are placed, in the engine's order."""
    title: str
    """Title of the window."""
    files: tuple[tuple[str, bytes], ...] = ()
    """Names and bytes of the pictures that the text names."""

    def to_json(self) -> bytes:
        """Encode for the pipe."""
        files = [(name, b64encode(data).decode("ascii")) for name, data in self.files]
        return json.dumps(asdict(self) | {"files": files}).encode()

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """Decode from the pipe.

        Raises:
            WireError: if it is no model.
        """
        try:
            document: dict[str, Any] = json.loads(data)
            start = tuple(map(float, document.pop("start")))
            files = tuple((str(name), b64decode(data)) for name, data in document.pop("files"))
            return cls(**document, start=start, files=files)
        except (KeyError, TypeError, AttributeError, UnicodeDecodeError, ValueError) as error:
            raise WireError(f"no model of a window: {error}") from None


@dataclass(frozen=True, slots=True)
class ViewerState:
    """State as it is shown."""

    speed: float
    """Speed of time, 1 for that of the wall clock."""
    paused: bool
    """Whether time is paused."""
    words: str
    """Words for people, below the rest."""
    state: bytes
    """The engine's whole state, then the fields of the model that changed, as in a snapshot."""

    def to_bytes(self) -> bytes:
        """Encode as a message."""
        words = self.words.encode()
        head = _LOOK.pack(self.speed, self.paused, len(words))
        return message(LOOK, head + words + self.state)

    @classmethod
    def from_body(cls, body: bytes) -> Self:
        """Decode from the body of a message.

        Raises:
            WireError: if it is none.
        """
        try:
            speed, paused, length = _LOOK.unpack_from(body)
            end = _LOOK.size + length
            words = body[_LOOK.size : end].decode()
        except (struct.error, UnicodeDecodeError) as error:
            raise WireError(f"no state of a window: {error}") from None
        if not math.isfinite(speed) or len(body) < end:
            raise WireError(f"state of a window: speed {speed}, {len(body)} bytes")
        return cls(speed, bool(paused), words, body[end:])


@dataclass(frozen=True, slots=True)
class MousePush:
    """Present pull of the mouse at a body; it is sent repeatedly while it lasts."""

    body: int
    """Engine's number of the body; 0 for none: it was let go."""
    wrench: tuple[float, ...]
    """Force [N] at its centre of mass and moment [N m], in the world's axes."""

    def to_bytes(self) -> bytes:
        """Encode as a message."""
        return message(PUSH, _PUSH.pack(self.body, *self.wrench))

    @classmethod
    def from_body(cls, body: bytes) -> Self:
        """Decode from the body of a message.

        Raises:
            WireError: if it is none, or not finite.
        """
        if len(body) != _PUSH.size:
            raise WireError(f"push of {len(body)} bytes: {_PUSH.size} are needed")
        number, *wrench = _PUSH.unpack(body)
        if not all(map(math.isfinite, wrench)):
            raise WireError(f"push {wrench}: not finite")
        return cls(number, tuple(wrench))


LET_GO: Final = MousePush(0, (0.0,) * 6)
"""End of a pull."""


def key_message(code: int) -> bytes:
    """Encode a key that was pressed, by its number in GLFW."""
    return message(KEY, _KEY.pack(code))


def key_of(body: bytes) -> int:
    """Decode a key from the body of a message.

    Raises:
        WireError: if it is none.
    """
    if len(body) != _KEY.size:
        raise WireError(f"key of {len(body)} bytes: {_KEY.size} are needed")
    return int(_KEY.unpack(body)[0])


def state_bytes(state: bytes, fields: Sequence[bytes]) -> bytes:
    """Join a snapshot's parts to `ViewerState.state`."""
    return b"".join((state, *fields))
