"""What the platform station records in a row: one cycle of the gate."""

from collections.abc import Sequence
from typing import Final

from hil.recording.signals import CODE, Signal, Signals

LEGS: Final = tuple(f"leg{leg}" for leg in range(1, 7))
POSE: Final = ("x_m", "y_m", "z_m", "alpha_rad", "beta_rad", "gamma_rad")


def platform_signals(modes: Sequence[str], actions: Sequence[str]) -> Signals:
    """The table of a cycle.

    Args:
        modes: names of the codes of the bench's mode, from 0.
        actions: names of the codes of what the gate did, from 0.
    """
    return Signals(
        "platform",
        (
            Signal("index", "u8"),  # number of the cycle
            Signal("t_s", "f8", unit="s"),  # motion time
            Signal("dt_s", "f8", unit="s"),  # time since the last tick
            Signal("late_s", "f8", unit="s"),  # wake-up minus deadline
            Signal("busy_s", "f8", unit="s"),  # compute time of the cycle before; virtual clock: 0
            Signal("mode", "u1", unit=CODE, codes=tuple(modes)),
            Signal("action", "u1", unit=CODE, codes=tuple(actions)),  # what the gate did
            Signal("flags", "u2", unit="bits"),  # CycleFlag
            _pose("wanted_pose"),
            _legs("asked_length_m", "m"),  # what control asked of the gate
            _legs("asked_speed_m_s", "m/s"),
            _legs("allowed_length_m", "m"),  # what the gate allowed
            _legs("allowed_speed_m_s", "m/s"),
            _legs("sent_length_m", "m"),  # what the bank says it put on the wire
            _legs("measured_length_m", "m"),
            _legs("measured_speed_m_s", "m/s"),
            _legs("measured_force_n", "N"),
            _pose("reached_pose"),  # forward kinematics of the measured lengths
            Signal("reached_residual_m", "f8", unit="m"),  # its largest leg length error
            _legs("measured_inputs_bits", "bits"),  # 60FDh of each drive; NaN if not read
            Signal("measured_lag_s", "f8", unit="s"),  # greatest lag of a leg behind its command
        ),
    )


def _pose(name: str) -> Signal:
    return Signal(name, "f8", 6, "m,rad", "base", POSE)


def _legs(name: str, unit: str) -> Signal:
    return Signal(name, "f8", 6, unit, parts=LEGS)
