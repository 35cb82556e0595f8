"""A flight in closed form that loops through 90° of pitch and turns all the way round."""

from dataclasses import dataclass

import numpy as np
from cueing_samples import G
from scipy.spatial.transform import Rotation as Turn


@dataclass
class Flight:
    """All that there is to know of it at the given times; arrays of rows."""

    t: np.ndarray
    turns: Turn
    omega: np.ndarray
    domega: np.ndarray
    velocity: np.ndarray
    position: np.ndarray
    force: np.ndarray

    @property
    def attitude(self):
        return np.roll(self.turns.as_quat(), 1, axis=1)


def flight(t, roll_rate=0.3, pitch_rate=1.1, yaw_rate=0.4):
    """R = Rz(a t) Ry(b t) Rx(c sin t): two rates that last, so heading and pitch go round."""
    a, b, c = yaw_rate, pitch_rate, roll_rate
    yaw, pitch, roll = a * t, b * t, c * np.sin(t)
    turns = Turn.from_rotvec(yaw[:, None] * [0, 0, 1]) * Turn.from_rotvec(
        pitch[:, None] * [0, 1, 0]) * Turn.from_rotvec(roll[:, None] * [1, 0, 0])  # fmt: skip
    droll, ddroll = c * np.cos(t), -c * np.sin(t)
    s, k, sp, cp = np.sin(roll), np.cos(roll), np.sin(pitch), np.cos(pitch)
    omega = np.stack([droll - a * sp, b * k + a * s * cp, -b * s + a * k * cp], axis=1)
    domega = np.stack([
        ddroll - a * b * cp,
        -b * droll * s + a * (droll * k * cp - b * s * sp),
        -b * droll * k - a * (droll * s * cp + b * k * sp),
    ], axis=1)  # fmt: skip
    position = np.stack(
        [50 * t + 3 * np.sin(t), 20 * np.cos(0.5 * t), -1000 - 5 * np.sin(0.8 * t)], 1
    )
    speed = np.stack([50 + 3 * np.cos(t), -10 * np.sin(0.5 * t), -4 * np.cos(0.8 * t)], axis=1)
    second = np.stack([-3 * np.sin(t), -5 * np.cos(0.5 * t), 3.2 * np.sin(0.8 * t)], axis=1)
    force = turns.inv().apply(second - [0.0, 0.0, G])
    return Flight(t, turns, omega, domega, turns.inv().apply(speed), position, force)
