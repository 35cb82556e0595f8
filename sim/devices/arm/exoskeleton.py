"""An emulated operator in an exoskeleton of two arms with gloves, which sends his joint angles.

He reaches, waves and closes his hands, over and over; every joint goes smoothly to and fro, from
rest at zero. Measured angles have noise of a seed. The same seed and time give the same bytes.

Each frame is one datagram, little-endian: ``HILJ``, version 1 (u16), count (u16), number (u64),
time [s] (f64), then so many angles [rad] (f64).

Not modelled: slip of the suit on its wearer, limits of his joints, jitter of the radio link; frames
can be left out by a silence.
"""

import math
import random
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

ARM: Final = ("shoulder", "armpit", "upper_arm", "elbow", "forearm", "wrist", "hand")
GLOVE: Final = ("index", "middle", "ring", "little", "thumb_1", "thumb_2")
JOINTS: Final = tuple(f"{side}_{joint}" for side in ("left", "right") for joint in ARM + GLOVE)
"""Names of the angles, in the order of a frame."""
NOISE_RAD: Final = math.radians(0.05)
"""Standard deviation of a measured angle."""


class _Gesture(NamedTuple):
    """One joint goes to an angle and back, over and over."""

    reach_deg: float
    period_s: float


_GESTURES: Final = {
    "shoulder": _Gesture(-70.0, 6.0),
    "armpit": _Gesture(40.0, 8.0),
    "upper_arm": _Gesture(-35.0, 5.0),
    "elbow": _Gesture(95.0, 4.0),
    "forearm": _Gesture(60.0, 3.0),
    "wrist": _Gesture(30.0, 2.4),
    "hand": _Gesture(36.0, 6.0),  # further than most robots' wrists
    "index": _Gesture(80.0, 2.0),
    "middle": _Gesture(80.0, 2.4),
    "ring": _Gesture(80.0, 3.0),
    "little": _Gesture(80.0, 4.0),
    "thumb_1": _Gesture(50.0, 3.0),
    "thumb_2": _Gesture(55.0, 2.4),
}


@dataclass(frozen=True, slots=True)
class Silence:
    """Interval in which nothing is sent, while time passes."""

    from_s: float
    """Begin of the interval [s]."""
    lasts_s: float
    """Length of the interval [s]."""

    def covers(self, t_s: float) -> bool:
        """Whether nothing is sent at a time [s]."""
        return self.from_s <= t_s < self.from_s + self.lasts_s


def angles_rad(t_s: float, noise: random.Random | None = None) -> tuple[float, ...]:
    """Compute the operator's angles at a time [s], in the order of `JOINTS`.

    Args:
        noise: of the measurement; None for the true ones. It is drawn from once a joint.
    """
    found = list[float]()
    for name in JOINTS:
        side, _, joint = name.partition("_")
        gesture = _GESTURES[joint]
        begins_s = 0.5 * gesture.period_s * (side == "right")  # the left one first
        turn = 2.0 * math.pi * max(0.0, t_s - begins_s) / gesture.period_s
        angle = 0.5 * math.radians(gesture.reach_deg) * (1.0 - math.cos(turn))
        found.append(angle + (noise.gauss(0.0, NOISE_RAD) if noise is not None else 0.0))
    return tuple(found)


def frame_bytes(number: int, t_s: float, angles: Sequence[float]) -> bytes:
    """Encode a frame."""
    return b"HILJ" + struct.pack(f"<HHQ{len(angles) + 1}d", 1, len(angles), number, t_s, *angles)


class Exoskeleton:
    """Samples and frames that the emulated operator's suit sends.

    Args:
        rate_hz: samples per second.
        seed: of the noise.
        silences: in which nothing is sent.

    Raises:
        ValueError: if the rate is none.
    """

    def __init__(self, rate_hz: float, seed: int, silences: Sequence[Silence] = ()) -> None:
        if not 1.0 <= rate_hz <= 1000.0:
            raise ValueError(f"rate_hz = {rate_hz:g} Hz: 1 to 1000 Hz are needed")
        self.period_s: float = 1.0 / rate_hz
        """Time between two samples."""
        self._noise, self._silences = random.Random(seed), tuple(silences)  # noqa: S311
        self._number = 0

    def sample(self) -> tuple[float, tuple[float, ...]]:
        """Return time [s] and angles [rad] of the next sample."""
        t_s = self._number * self.period_s
        self._number += 1
        return t_s, angles_rad(t_s, self._noise)

    def frame(self, begun_s: float = 0.0) -> bytes:
        """Return the next frame; empty in a silence.

        Args:
            begun_s: what is added to its time stamp, such as a clock's time at the beginning.
        """
        number = self._number
        t_s, angles = self.sample()
        if any(one.covers(t_s) for one in self._silences):
            return b""
        return frame_bytes(number, begun_s + t_s, angles)


def recording_lines(suit: Exoskeleton, duration_s: float) -> Iterator[str]:
    """Write the lines of a CSV file of a suit: a header, then a row a sample, up to a time [s]."""
    yield ",".join(("t_s", *JOINTS))
    for _ in range(math.floor(duration_s / suit.period_s + 1e-9) + 1):
        t_s, angles = suit.sample()
        yield ",".join((f"{t_s:.3f}", *(f"{angle:.4f}" for angle in angles)))
