"""The feedback frames of simulated drives, with the faults that spoil them on the way."""

import math
from collections.abc import Sequence
from typing import Protocol, TypeVar, cast

from drives.bank import BankFeedback, DriveState, SixStates
from drives.sim.faults import FaultKind, SimFault
from hil_common.legs import LEG_COUNT, LegTarget, SixBools, SixInts

T = TypeVar("T")

_ALL_FRESH: SixBools = (True, True, True, True, True, True)
_NONE_FRESH: SixBools = (False, False, False, False, False, False)
_NO_CODES: SixInts = (0, 0, 0, 0, 0, 0)


class _AsSix(Protocol):
    def __call__(self, values: Sequence[T], /) -> tuple[T, T, T, T, T, T]: ...


as_six = cast("_AsSix", tuple)
"""Returns six values as the tuple that the interface wants: without a frame, six times a cycle."""


class FeedbackFrames:
    """Turns what the drives measured into what the bus brought.

    A frame that is lost leaves the last one standing, with all it said; a stuck encoder goes on
    repeating its length, speed and force in frames that are otherwise up to date.
    """

    def __init__(self) -> None:
        self._faults: tuple[SimFault, ...] = ()
        self._measured: list[list[float]] = [[0.0] * LEG_COUNT for _ in range(3)]
        self._last: BankFeedback | None = None

    def prime(self, measured: list[list[float]]) -> None:
        """Take what was read at power-up as the frame before the first one.

        Args:
            measured: Lengths [m], speeds [m/s] and forces [N], six each.
        """
        self._measured = measured
        off = DriveState.DISABLED
        states: SixStates = (off, off, off, off, off, off)
        length_m, speed_m_s, force_n = (as_six(row) for row in measured)
        self._last = BankFeedback(
            length_m, speed_m_s, force_n, states, _NONE_FRESH, _NO_CODES, _NONE_FRESH, None
        )

    def have(self, faults: tuple[SimFault, ...]) -> None:
        """Have these faults from now on."""
        self._faults = tuple(fault for fault in faults if fault.kind in _SPOILERS)

    def read(
        self,
        measured: list[list[float]],
        state: list[DriveState],
        homed: list[bool],
        code: list[int],
        accepted: LegTarget | None,
    ) -> BankFeedback:
        """Return the feedback of a cycle.

        Args:
            measured: Lengths [m], speeds [m/s] and forces [N], six each.
            state: State of each drive, 6.
            homed: Whether each leg is homed, 6.
            code: Error code of each drive, 6.
            accepted: The command that was sent.
        """
        fresh = _ALL_FRESH
        if self._faults:
            shown = self._spoil(measured)
            lost = self._legs("lost_feedback")
            last = self._last
            if lost and last is not None:
                rows = zip(shown, (last.length_m, last.speed_m_s, last.force_n), strict=True)
                shown = [_keep(lost, new, old) for new, old in rows]
                state, homed = _keep(lost, state, last.state), _keep(lost, homed, last.homed)
                code = _keep(lost, code, last.fault_code)
                fresh = cast(SixBools, tuple(leg not in lost for leg in range(LEG_COUNT)))
        else:
            shown = self._measured = measured
        self._last = BankFeedback(
            as_six(shown[0]),
            as_six(shown[1]),
            as_six(shown[2]),
            as_six(state),
            as_six(homed),
            as_six(code),
            fresh,
            accepted,
        )
        return self._last

    def _legs(self, kind: FaultKind) -> frozenset[int]:
        return frozenset(fault.leg - 1 for fault in self._faults if fault.kind == kind)

    def _spoil(self, measured: list[list[float]]) -> list[list[float]]:
        stuck = self._legs("stuck_feedback")
        rows = zip(measured, self._measured, strict=True)
        self._measured = [_keep(stuck, new, old) for new, old in rows]
        shown = [list(row) for row in self._measured]
        for fault in self._faults:
            if fault.kind == "feedback_jump":
                shown[0][fault.leg - 1] += fault.value
            elif fault.kind == "feedback_nan":
                shown[0][fault.leg - 1] = math.nan
        return shown


_SPOILERS: frozenset[FaultKind] = frozenset(
    ("stuck_feedback", "feedback_jump", "feedback_nan", "lost_feedback")
)


def _keep(legs: frozenset[int], new: Sequence[T], old: Sequence[T]) -> list[T]:
    """Return the new values, and the old ones of the legs given."""
    return [old[leg] if leg in legs else new[leg] for leg in range(LEG_COUNT)]
