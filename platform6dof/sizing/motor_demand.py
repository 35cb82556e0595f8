"""What a motion asks of the motors of the cylinders: torque, power, what flows back."""

from typing import Final, NamedTuple, Self

import numpy as np

from platform6dof.dynamics.drive_train import MotorLoads
from platform6dof.dynamics.hardest import Extremes, WindowMeans

HARDEST_S: Final = 10.0
"""Length of the hardest window, for which motors and braking resistors are rated [s]."""
NO_LIMIT: Final = np.full(6, np.inf)


class MotorDemand(NamedTuple):
    """Greatest numbers that a motion asks of a motor and its resistor."""

    torque_peak_nm: float
    """Greatest torque either way [N m]."""
    torque_rms_nm: float
    """Greatest root mean square of the torque of a motor [N m]."""
    torque_hardest_nm: float
    """The same over the hardest 10 s; a shorter motion is one window [N m]."""
    shaft_max_w: float
    """Greatest mechanical power of a motor [W]."""
    power_max_w: float
    """Greatest electrical power of a drive [W]; the mechanical one without a winding."""
    resistor_mean_w: float
    """Greatest mean power that flows back from a drive [W]."""
    resistor_hardest_w: float
    """The same over the hardest 10 s [W]."""
    returned_mean_w: float
    """Mean power that flows back from all six together [W]."""
    returned_hardest_w: float
    """The same over the hardest 10 s [W]."""

    @classmethod
    def of(cls, motor: MotorLoads, step_s: float) -> Self:
        """Find the numbers of motor loads at equal steps of time."""
        times_s = np.arange(len(motor.torque_nm), dtype=np.float64)
        times_s *= step_s
        torque, back = Extremes(NO_LIMIT), motor.fed_back_w
        torque.take(times_s, motor.torque_nm)
        squares, single, together = (WindowMeans(HARDEST_S, step_s) for _ in range(3))
        squares.take(times_s, motor.torque_nm**2)
        single.take(times_s, back)
        together.take(times_s, np.repeat(back.sum(axis=1, keepdims=True), 6, axis=1))
        return cls(
            torque_peak_nm=float(torque.worst.max()),
            torque_rms_nm=torque.extreme().rms,
            torque_hardest_nm=float(np.sqrt(squares.hardest()[0].max())),
            shaft_max_w=float(motor.shaft_w.max()),
            power_max_w=float(motor.power_w.max()),
            resistor_mean_w=float(single.mean.max()),
            resistor_hardest_w=float(single.hardest()[0].max()),
            returned_mean_w=float(together.mean.max()),
            returned_hardest_w=float(together.hardest()[0].max()),
        )

    @classmethod
    def holding(cls, torque_nm: float) -> Self:
        """Numbers of a motor that holds a torque all the time and does not turn."""
        return cls(torque_nm, torque_nm, torque_nm, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    @classmethod
    def all_of(cls, several: "list[MotorDemand]") -> Self:
        """Take the greatest of each number over motions, at least one."""
        return cls(*map(max, zip(*several, strict=True)))
