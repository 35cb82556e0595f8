"""Four fingers about the rim of a wheel, and a hand that turns it: what is judged of a grip.

Each finger closes against its own place of the rim and presses like a spring; the hand turns the
wheel by friction, as far as the fingers press. Once in a scene the rim gives way under the fingers.
Left out: the fingers' mass, motion of the rim to the side, and all of the arm but the hand's joint.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Final

from hil.diagram.exercises.exercise import Measure, Values, draw_of

BASE_S: Final = 0.005
"""Period of the law [s]."""
SECONDS: Final = 18.0
"""Duration of a scene [s]."""
FINGERS: Final = 4
DRIVE_N: Final = 90.0
"""Force of a finger at full voltage [N]."""
DAMPING_N_S: Final = 150.0
"""Force of a finger's motion [N s/rad]."""
STIFF_N: Final = 1500.0
"""Force of the rim by a finger's angle beyond its place [N/rad]."""
HAND_NM: Final = 14.0
"""Moment of the hand at full voltage [N m]."""
IDLE_RAD_S: Final = 1.047
"""Speed of the hand at full voltage without a load [rad/s]."""
LAG_S: Final = 0.03
"""Time in which the hand's speed follows its drive [s]."""
GAVE_RAD: Final = 0.07
"""Angle by which the rim gives way [rad]."""
NOISE_N: Final = 0.3
"""Standard deviation of a finger's sensor [N]."""
FREE_N: Final = 0.5
"""Force from which a finger touches [N]."""
HELD_S: Final = 0.5
"""Time from the first turn after which fingers should press alike [s]."""
ANGLE_DEG: Final = 2.0
"""Greatest error of the wheel's angle at the end [deg]."""
SLIP_DEG: Final = 2.0
"""Greatest slip of the fingers on the rim [deg]."""
FORCE_N: Final = 85.0
"""Greatest force of a finger [N]."""
APART_N: Final = 12.0
"""Greatest mean difference of two fingers while the hand turns [N]."""
LIMIT_S: Final = 16.0
"""Time until the wheel is free again [s]."""


class GripPlant:
    """Hand and wheel of one scene."""

    def __init__(self, draw: Random) -> None:
        self._goal = draw.choice((-1.0, 1.0)) * draw.uniform(1.0, 1.8)
        self._rim = [draw.uniform(0.22, 0.27), *(draw.uniform(0.45, 0.55) for _ in range(3))]
        draw.shuffle(self._rim)
        self._motors = [DRIVE_N * draw.uniform(0.85, 1.15) for _ in range(FINGERS)]
        self._friction, self._damping = draw.uniform(3.0, 4.0), draw.uniform(0.3, 1.0)
        self._grip_m = draw.uniform(0.6, 0.8) * draw.uniform(0.07, 0.08)
        self._gives_at = draw.uniform(0.3, 0.5)
        self._noise = draw_of(draw.random())
        self._fingers, self._forces = [0.0] * FINGERS, [0.0] * FINGERS
        self._hand = self._wheel = self._speed = 0.0
        self._gave, self._turned_s = False, math.inf
        self._most_n, self._apart_n, self._count = 0.0, 0.0, 0
        self._free_s = 0.0

    def inputs(self, time_s: float) -> Values:
        """Return the wanted angle [rad], the hand's angle [rad] and speed [rad/s], forces [N]."""
        forces = [one + self._noise.gauss(0.0, NOISE_N) for one in self._forces]
        return {"goal": [self._goal], "angle": [self._hand], "speed": [self._speed],
                "forces": forces}  # fmt: skip

    def step(self, time_s: float, outputs: Values) -> None:
        """Advance by a tick at voltages of the fingers and of the hand, -1 to 1 each."""
        self._close(outputs["fingers"])
        self._turn(max(-1.0, min(1.0, outputs["turn"][0])))
        if not self._gave and abs(self._wheel) > self._gives_at * abs(self._goal):
            self._gave = True
            self._rim = [one + GAVE_RAD for one in self._rim]
        self._most_n = max(self._most_n, *self._forces)
        if max(self._forces) > FREE_N or abs(self._wheel) < 0.5 * abs(self._goal):
            self._free_s = time_s + BASE_S
        if abs(self._wheel) > 0.05:
            self._turned_s = min(self._turned_s, time_s)
        if time_s >= self._turned_s + HELD_S and min(self._forces) > FREE_N:
            self._apart_n += max(self._forces) - min(self._forces)
            self._count += 1

    def _close(self, voltages: Sequence[float]) -> None:
        for at, (asked, motor) in enumerate(zip(voltages, self._motors, strict=True)):
            force = max(0.0, STIFF_N * (self._fingers[at] - self._rim[at]))
            speed = (motor * max(-1.0, min(1.0, asked)) - force) / DAMPING_N_S
            self._fingers[at] = max(0.0, self._fingers[at] + BASE_S * speed)
            self._forces[at] = max(0.0, STIFF_N * (self._fingers[at] - self._rim[at]))

    def _turn(self, voltage: float) -> None:
        """Hand and wheel turn together as far as friction of the fingers carries the moment."""
        asked, counter = HAND_NM * voltage, HAND_NM / IDLE_RAD_S
        carried = self._grip_m * sum(self._forces)
        together = _sliding(asked, self._friction) / (counter + self._damping)
        needed = min(abs(asked), self._friction) + self._damping * abs(together)
        grips = needed <= carried
        hand = together if grips else _sliding(asked, carried) / counter
        keep = math.exp(-BASE_S / LAG_S)
        self._speed = hand + keep * (self._speed - hand)
        self._hand += BASE_S * self._speed
        self._wheel += BASE_S * self._speed if grips else 0.0

    def measures(self) -> Sequence[Measure]:
        """Return error of the angle, slip, greatest force, difference of fingers, time, touches."""
        slip_deg = abs(math.degrees(self._hand - self._wheel))
        apart_n = self._apart_n / self._count if self._count else math.inf
        return (
            Measure("error of the wheel's angle at the end",
                    abs(math.degrees(self._wheel - self._goal)), ANGLE_DEG, "deg"),
            Measure("slip of the fingers on the rim", slip_deg, SLIP_DEG, "deg"),
            Measure("greatest force of a finger", self._most_n, FORCE_N, "N"),
            Measure("mean difference of the fingers' forces", apart_n, APART_N, "N"),
            Measure("time until the wheel is free", self._free_s, LIMIT_S, "s"),
        )  # fmt: skip


def _sliding(asked: float, held: float) -> float:
    """What is left of a moment against friction [N m]."""
    return math.copysign(max(0.0, abs(asked) - held), asked)
