"""Signals of a row of the platform station: one cycle of the gate."""

from enum import IntFlag
from typing import Final

from hil.recording.signals import ANGLES, CODE, Signal, Signals
from safety.modes import Mode
from safety.verdict import Action

LEGS: Final = tuple(f"leg{leg}" for leg in range(1, 7))

MODE_CODE: Final = {mode: code for code, mode in enumerate(Mode)}
ACTION_CODE: Final = {action: code for code, action in enumerate(Action)}


class CycleFlag(IntFlag):
    """Bits of `flags`: facts of one cycle that are true or not; see `RowFlag`."""

    OVERRUN = 1  # at least one deadline was given up before this cycle
    FEEDBACK_STALE = 2  # a leg's feedback frame did not arrive
    FORWARD_FAILED = 4  # the reached pose did not converge
    FAULT_LATCHED = 8
    STOP_ASKED = 16  # a signal or the operator asked for the end of the run


def _pose(name: str, child: str) -> Signal:
    return Signal(name, "f8", 6, "m,rad", "base", child, ANGLES)


def _legs(name: str, unit: str) -> Signal:
    return Signal(name, "f8", 6, unit, parts=LEGS)


SIGNALS: Final = Signals(
    "platform",
    (
        Signal("index", "u8"),  # number of the cycle
        Signal("t_s", "f8", unit="s"),  # motion time
        Signal("dt_s", "f8", unit="s"),  # time since the last tick
        Signal("late_s", "f8", unit="s"),  # wake-up minus deadline
        Signal("busy_s", "f8", unit="s"),  # compute time of the cycle before; virtual clock: 0
        Signal("mode", "u1", unit=CODE, codes=tuple(mode.name for mode in Mode)),
        Signal("action", "u1", unit=CODE, codes=tuple(action.name for action in Action)),
        Signal("flags", "u2", unit="bits"),  # CycleFlag
        Signal("measured_inputs_there", "u1"),
        _pose("wanted_pose", "platform_wanted"),
        _legs("asked_length_m", "m"),  # what control asked of the gate
        _legs("asked_speed_m_s", "m/s"),
        _legs("allowed_length_m", "m"),  # what the gate allowed
        _legs("allowed_speed_m_s", "m/s"),
        _legs("sent_length_m", "m"),  # what the bank says it put on the wire
        _legs("measured_length_m", "m"),
        _legs("measured_speed_m_s", "m/s"),
        _legs("measured_force_n", "N"),
        _pose("reached_pose", "platform_reached"),  # forward kinematics of the measured lengths
        Signal("reached_residual_m", "f8", unit="m"),  # its largest leg length error
        Signal(
            "measured_inputs_bits",  # 60FDh of each drive
            "u4",
            6,
            "bits",
            parts=LEGS,
            there="measured_inputs_there",
        ),
        Signal("measured_lag_s", "f8", unit="s"),  # greatest lag of a leg behind its command
        Signal("sent_stamp_s", "f8", unit="s"),  # when it was put on the wire, clock of the run
    ),
)
"""Table of a cycle."""


packed: Final = SIGNALS.packer()
"""Packer of a cycle's row, of values by their names; quicker than `SIGNALS.row`."""
