"""The values of one bus cycle: what the TPDOs report, and what of it is fresh, in SI."""

import math
from collections.abc import Callable, Sequence

from drives.axes.scaling import SixScales
from drives.bank import UNTOLD_AGES, BankFeedback, SixStates
from drives.can.frames import Frame
from drives.canopen.pdo import ACTUAL, EFFORT, STATUS, TPDO_IDS
from drives.canopen.settings import CanopenSettings
from drives.canopen.stamp_clock import StampClocks
from drives.types.drive_type import InputBits, Stamp
from drives.waits import Waits
from hil_common.legs import LEG_COUNT, DriveReading, LegTarget, SixBools, SixFloats, SixInts

Other = Callable[[Frame, int, float], None]
"""Takes a frame that is no TPDO of ours: frame, bus, time [s]."""

INPUTS_BELIEVED_S = 0.35
"""Age after which digital inputs are not known any more [s].

Three event timers of TPDO3 and half a one for a late frame: two TPDO3 in a row may be lost.
"""
EFFORTS_MISSED = 5
"""TPDO2 in a row that may be missing before the speed of a leg is not known any more.

One frame in ten may be lost. A speed that is frozen for so long does not prove a standstill to
whoever judges the lengths as well, at any rate.
"""
EFFORT_LATE_CYCLES = 2
"""Cycles by which one may be late besides."""

DOUBLE_WINDOW_CYCLES = 10
"""Cycles over which the TPDO1 of a leg are counted."""
DOUBLES_MIN = 18
"""TPDO1 of a leg in so many cycles that show a second node: each of two sends one per SYNC.

Frames that an adapter doubles now and then, and answers of some cycles that come all at once, are
fewer.
"""

NONE_JUDGED: SixBools = (False, False, False, False, False, False)
"""Every error code is a drive's own."""
POSITION_BYTES = 4
"""Bytes of 6064h."""
_STATUS_CAME, _POSITION_CAME = 1, 2
_PERMILLE = 1e-3


class PdoInbox:
    """The newest values of the TPDOs, and which of them are of this cycle.

    A TPDO1 that came after its own cycle was over counts as fresh in the next one. TPDO2 come every
    few cycles: a speed that none has sent for too long is NaN, because an old one may look like
    standstill. Before the first TPDO2 it is 0 for as long, which is over before a drive can have
    been enabled.

    Of drives with a time stamp the position comes with it in TPDO4 and not in TPDO1: both make a
    leg fresh, and the stamp says of which SYNC its position is.

    Args:
        scales: Scales of the legs.
        other: Takes every frame that is no TPDO of ours.
        stamp: The time stamp that comes with each position; None without one.
    """

    def __init__(
        self,
        settings: CanopenSettings,
        scales: SixScales,
        other: Other,
        stamp: Stamp | None = None,
        period_s: float = 0.0,
    ) -> None:
        self.statusword: list[int] = [0] * LEG_COUNT
        self.mode_display: list[int] = [0] * LEG_COUNT
        self.position: list[int] = [0] * LEG_COUNT
        self.speed: list[int] = [0] * LEG_COUNT
        self.torque: list[int] = [0] * LEG_COUNT
        self.inputs: list[int | None] = [None] * LEG_COUNT
        self.fresh: list[bool] = [False] * LEG_COUNT
        self.missing: list[int] = [0] * LEG_COUNT
        self.doubled: list[int] = []
        """Legs whose TPDO1 come about twice per SYNC, by index."""
        self._counts = [0] * LEG_COUNT
        self._window_cycles = 0
        self.late: int = 0
        self.malformed: int = 0
        self._other = other
        self._bits = settings.type.inputs
        self._clocks = None if stamp is None else StampClocks(stamp, period_s)
        self._came = [0] * LEG_COUNT
        self.sizes: tuple[int, ...] = (ACTUAL.size, EFFORT.size, self._bits.data_bytes)
        """Bytes of each TPDO."""
        if stamp is not None:
            stamped = POSITION_BYTES + stamp.data_bytes
            self.sizes = (STATUS.size, EFFORT.size, self._bits.data_bytes, stamped)
        self._scales = scales
        self._rated_force_n = settings.rated_force_n
        self._effort_si: tuple[SixFloats, SixFloats] | None = None
        self._effort_cycles = [0] * LEG_COUNT
        self._effort_cycles_max = EFFORTS_MISSED * settings.velocity_every + EFFORT_LATE_CYCLES
        self._cycle = 0
        self._six_inputs: SixInts | None = None
        self._inputs_known_s = [_NEVER_S] * LEG_COUNT
        self._inputs_until_s = self._at_s = _NEVER_S
        self._answered = 0
        self._due = [0] * settings.buses
        self._known: list[dict[int, tuple[int, int]]] = [{} for _ in range(settings.buses)]
        for leg, (node, bus) in enumerate(zip(settings.node_ids, settings.bus_of_leg, strict=True)):
            self._due[bus] |= 1 << leg
            for number, base in enumerate(TPDO_IDS[: len(self.sizes)]):
                self._known[bus][base + node] = (number, leg)

    def know_scales(self, scales: SixScales) -> None:
        """Take the units in which the drives count, which they report when they are set up."""
        self._scales = scales

    def begin(self, now_s: float) -> None:
        """Begin a cycle at this time [s]: nothing is fresh."""
        self._at_s = now_s
        self._cycle += 1
        self.fresh = [False] * LEG_COUNT
        self._came = [0] * LEG_COUNT

    def begin_answers(self) -> None:
        """Begin to wait for the answers; what is fresh by now has come late."""
        self.late += sum(self.fresh)
        self._answered = 0
        self._came = [0] * LEG_COUNT

    def sync(self, sent_s: float) -> None:
        """Take note that SYNC goes out now [s]."""
        if self._clocks is not None:
            self._clocks.sync(sent_s)

    def end(self, now_s: float) -> None:
        """End a cycle at this time [s]: count what is missing, forget what is too old."""
        self._window_cycles += 1
        if self._window_cycles == DOUBLE_WINDOW_CYCLES:
            self._find_doubles()
        if self._cycle - min(self._effort_cycles) > self._effort_cycles_max:
            self._effort_si = None
        if now_s > self._inputs_until_s:
            self._six_inputs = None
        if not all(self.fresh):
            for leg, fresh in enumerate(self.fresh):
                self.missing[leg] += not fresh

    def _find_doubles(self) -> None:
        if max(self._counts) >= DOUBLES_MIN:
            self.doubled = [leg for leg, count in enumerate(self._counts) if count >= DOUBLES_MIN]
        self._counts = [0] * LEG_COUNT
        self._window_cycles = 0

    def complete(self, bus: int) -> bool:
        """Say whether all drives of a bus have answered since `begin_answers`."""
        return self._answered & self._due[bus] == self._due[bus]

    def listener(self, bus: int, now_s: Callable[[], float]) -> Callable[[Frame], None]:
        """Return what takes the frames of a bus outside a cycle."""

        def take(frame: Frame) -> None:
            self._at_s = now_s()
            self.take(frame, bus, self._at_s)

        return take

    def take(self, frame: Frame, bus: int, now_s: float) -> bool:
        """Take in a frame.

        Returns:
            Whether it was a TPDO of ours; any other frame has been given to `other`.
        """
        known = self._known[bus].get(frame.can_id)
        if known is None:
            self._other(frame, bus, now_s)
            return False
        number, leg = known
        data = frame.data
        if len(data) == self.sizes[number]:
            self.take_tpdo(number, leg, data)
        else:
            self.malformed += 1
        return True

    def take_tpdo(self, number: int, leg: int, data: bytes) -> None:
        """Take in a TPDO that is ours.

        Args:
            number: Which one, from 0.
            leg: Index of the leg.
            data: Its bytes, as many as its layout has.
        """
        if number == 0:
            self._counts[leg] += 1
            if self._clocks is None:
                self.statusword[leg], self.mode_display[leg], self.position[leg] = _ACTUAL(data)
                self.fresh[leg] = True
                self._answered |= 1 << leg
            else:
                self.statusword[leg], self.mode_display[leg] = STATUS.unpack(data)
                self._half_came(leg, _STATUS_CAME)
        elif number == 1:
            self.speed[leg], self.torque[leg] = EFFORT.unpack(data)
            self._effort_cycles[leg] = self._cycle
            self._effort_si = None
        elif number == 2:
            self.know_inputs(leg, int.from_bytes(data, "little"), self._at_s)
        elif self._clocks is not None:
            self.position[leg] = int.from_bytes(data[:POSITION_BYTES], "little", signed=True)
            self._clocks.take(leg, int.from_bytes(data[POSITION_BYTES:], "little"))
            self._half_came(leg, _POSITION_CAME)

    def _half_came(self, leg: int, half: int) -> None:
        self._came[leg] |= half
        if self._came[leg] == _STATUS_CAME | _POSITION_CAME:
            self.fresh[leg] = True
            self._answered |= 1 << leg

    def know_inputs(self, leg: int, inputs: int, now_s: float) -> None:
        """Take in digital inputs, of a TPDO3 or as they were read before the first cycle.

        Args:
            leg: Index of the leg.
            inputs: What the object of the inputs holds.
            now_s: Since when they count as known [s].
        """
        self.inputs[leg] = inputs if self._bits == _STANDARD_BITS else self._bits.standard(inputs)
        self._inputs_known_s[leg] = now_s
        self._inputs_until_s = min(self._inputs_known_s) + INPUTS_BELIEVED_S
        self._six_inputs = _six_or_none(self.inputs)

    def feedback(
        self,
        states: SixStates,
        homed: SixBools,
        codes: SixInts,
        sent: LegTarget | None,
        waits: Waits = (),
        judged: SixBools = NONE_JUDGED,
        warnings: SixInts = (0, 0, 0, 0, 0, 0),
        high: tuple[DriveReading, ...] = (),
    ) -> BankFeedback:
        """Return the feedback of this cycle, in SI.

        Args:
            states: State of each drive, 6.
            homed: Whether each leg is homed, 6.
            codes: Error code of each drive, 6.
            sent: What was sent.
            waits: What the goal waits for.
            judged: Whether each code is the bench's own judgement, 6.
            warnings: What each drive warns of, 6.
            high: Readings above their limits.
        """
        effort = self._effort_si
        if effort is None:
            effort = self._effort_si = self._effort()
        a, b, c, d, e, f = self.fresh
        return BankFeedback(
            self._scales.lengths_m(self.position),
            effort[0],
            effort[1],
            states,
            homed,
            codes,
            (a, b, c, d, e, f),
            sent,
            self._six_inputs,
            waits,
            judged,
            warnings,
            UNTOLD_AGES if self._clocks is None else self._clocks.ages_s(),
            high,
        )

    def _effort(self) -> tuple[SixFloats, SixFloats]:
        """Return the speeds [m/s] and forces [N] of the legs, which come every few cycles only."""
        oldest = self._cycle - self._effort_cycles_max
        a, b, c, d, e, f = (
            scale.sign * torque * rated_n * _PERMILLE
            for scale, torque, rated_n in zip(
                self._scales.scales, self.torque, self._rated_force_n, strict=True
            )
        )
        forces_n = (a, b, c, d, e, f)
        a, b, c, d, e, f = (
            speed_m_s if cycle >= oldest else math.nan
            for speed_m_s, cycle in zip(
                self._scales.speeds_m_s(self.speed), self._effort_cycles, strict=True
            )
        )
        return (a, b, c, d, e, f), forces_n


def _six_or_none(inputs: Sequence[int | None]) -> SixInts | None:
    a, b, c, d, e, f = inputs
    if a is None or b is None or c is None or d is None or e is None or f is None:
        return None
    return (a, b, c, d, e, f)


_NEVER_S = float("-inf")
_ACTUAL = ACTUAL.unpack
_STANDARD_BITS = InputBits()
