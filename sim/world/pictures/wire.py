"""Protocol of the drawing process: messages to it, and its answers.

A message is its kind (one byte), the length of what follows (u32, little endian), and that. First
an order (JSON), answered by `READY`; then states (positions, f8) in any number, each answered by a
picture (RGB, u8: views, rows from the top, columns). `FAILED` (a text) may come in place of any
answer, `NO_OPENGL` (a text) in place of `READY`; either is the last one. The end of its input ends
the process.
"""

import json
import math
import struct
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import IO, Any, Final, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

Quality = Literal["draft", "fine"]

ORDER: Final = b"O"
STATE: Final = b"S"
READY: Final = b"R"
PICTURE: Final = b"P"
FAILED: Final = b"F"
NO_OPENGL: Final = b"N"
HEAD: Final = struct.Struct("<cI")
"""Head of a message: kind and length."""
MESSAGE_MAX: Final = 1 << 28
"""Most bytes of a message: sixteen views of 1920 × 1080 and more."""
SIDES: Final = (16, 4096)
"""Least and greatest side of a picture, in pixels."""
VIEWS_MAX: Final = 16


class WireError(ValueError):
    """Invalid message; the text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class View:
    """Camera of a model; what is left out is chosen so that all of it is visible."""

    azimuth_rad: float = math.radians(125.0)
    """Azimuth of the camera's direction, from x towards y."""
    elevation_rad: float = math.radians(-18.0)
    """Elevation of the camera's direction, above the horizon."""
    target_m: tuple[float, float, float] | None = None
    """Middle of the picture, in the world."""
    distance_m: float | None = None
    """Distance from there to the camera."""
    follows: str = ""
    """Body that a camera at a fixed place turns to, and comes near by its angle; empty for none."""

    def __post_init__(self) -> None:
        place = (*(self.target_m or ()), self.distance_m or 0.0)
        if not all(map(math.isfinite, (self.azimuth_rad, self.elevation_rad, *place))):
            raise WireError(f"{self}: not finite")
        if (self.target_m is None) != (self.distance_m is None):
            raise WireError(f"{self}: target_m and distance_m are given both or neither")
        if self.distance_m is not None and self.distance_m <= 0.0:
            raise WireError(f"distance_m {self.distance_m}: not above 0 m")
        if abs(self.elevation_rad) > math.pi / 2.0:
            raise WireError(f"elevation_rad {self.elevation_rad}: not within ±{math.pi / 2.0:.4f}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureOrder:
    """Model and pictures to draw."""

    text: str
    """MJCF of the model."""
    start: tuple[float, ...] = ()
    """Positions by which views and floor are placed; the model's own if left out."""
    width: int = 640
    """Width of a picture, in pixels."""
    height: int = 480
    """Height of a picture, in pixels."""
    views: tuple[View, ...] = (View(),)
    """Cameras drawn for each state, in this order."""
    fovy_rad: float = math.radians(30.0)
    """Angle between the upper and the lower edge."""
    quality: Quality = "draft"
    """``draft``: neither shadows nor smooth edges; ``fine``: both."""
    frames: tuple[str, ...] = ()
    """Bodies and sites whose axes are drawn: x red, y green, z blue."""
    files: tuple[tuple[str, bytes], ...] = ()
    """Pictures that the text names, by their paths there."""

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            if not SIDES[0] <= getattr(self, name) <= SIDES[1]:
                problem = (
                    f"{name} {getattr(self, name)}: not within {SIDES[0]} to {SIDES[1]} pixels"
                )
                raise WireError(problem)
        if not 1 <= len(self.views) <= VIEWS_MAX:
            raise WireError(f"{len(self.views)} views: 1 to {VIEWS_MAX} can be drawn at once")
        if not 0.0 < self.fovy_rad < math.pi:
            raise WireError(f"fovy_rad {self.fovy_rad}: not within 0 to {math.pi:.4f}")
        if self.quality not in get_args(Quality):
            raise WireError(f"quality {self.quality!r}: one of {', '.join(get_args(Quality))}")
        if self.size > MESSAGE_MAX:
            raise WireError(f"pictures of {self.size} bytes: at most {MESSAGE_MAX} at once")

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Shape of an answer: views, rows, columns, colours."""
        return len(self.views), self.height, self.width, 3

    @property
    def size(self) -> int:
        """Size of an answer in bytes."""
        return math.prod(self.shape)

    def to_json(self) -> bytes:
        """Encode for the pipe."""
        files = [(name, b64encode(data).decode("ascii")) for name, data in self.files]
        return json.dumps(asdict(self) | {"files": files}).encode()

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """Decode from the pipe.

        Raises:
            WireError: if it is no order.
        """
        try:
            document: dict[str, Any] = json.loads(data)
            views = tuple(
                View(**view | {"target_m": view["target_m"] and tuple(view["target_m"])})
                for view in document.pop("views")
            )
            start, frames = tuple(map(float, document.pop("start"))), tuple(document.pop("frames"))
            files = tuple((str(name), b64decode(data)) for name, data in document.pop("files"))
            return cls(**document, start=start, frames=frames, views=views, files=files)
        except (KeyError, TypeError, AttributeError, UnicodeDecodeError, ValueError) as error:
            raise WireError(f"no order of pictures: {error}") from None


def message(kind: bytes, body: bytes) -> bytes:
    """Frame a message for the pipe."""
    return HEAD.pack(kind, len(body)) + body


def head(data: bytes) -> tuple[bytes, int]:
    """Decode kind and length of a message from its first bytes.

    Raises:
        WireError: if it is longer than any.
    """
    kind, length = HEAD.unpack(data)
    if length > MESSAGE_MAX:
        raise WireError(f"message {kind!r} of {length} bytes: at most {MESSAGE_MAX}")
    return kind, length


def read_message(stream: IO[bytes]) -> tuple[bytes, bytes] | None:
    """Read the next message, waiting for it; None at the end.

    Raises:
        WireError: if it is cut short or too long.
    """
    begun = stream.read(HEAD.size)
    if not begun:
        return None
    if len(begun) < HEAD.size:
        raise WireError(f"message cut short: {len(begun)} of {HEAD.size} bytes of its head")
    kind, length = head(begun)
    body = stream.read(length)
    if len(body) < length:
        raise WireError(f"message {kind!r} cut short: {len(body)} of {length} bytes")
    return kind, body


def state_message(positions: Sequence[float] | NDArray[np.float64]) -> bytes:
    """Frame a state, the positions of a model's joints in the engine's order."""
    return message(STATE, np.ascontiguousarray(positions, dtype="<f8").tobytes())
